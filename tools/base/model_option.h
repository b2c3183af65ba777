/* SPDX-License-Identifier: MIT */
/* Options for the timing model and the layout of records. */
#ifndef TOOLS_MODEL_OPTION_H
#define TOOLS_MODEL_OPTION_H

#include <spemu/codec.h>
#include "timing/uarch.h"

/* Return the profile of a machine, or NULL for "none". Die at an unknown name, and suggest the
 * nearest ones. */
const struct uarch_profile *parse_machine_name(const char *name);

/* Parse a layout NAME,CHANGE,... (spemu_layout_parse()). Messages refer to the manual page of
 * `command`. */
void parse_layout_name(struct spemu_layout *layout, const char *text, const char *command);

#endif
