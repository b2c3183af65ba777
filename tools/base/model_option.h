/* SPDX-License-Identifier: MIT */
/* The timing model and the layout of records on the command line. */
#ifndef TOOLS_MODEL_OPTION_H
#define TOOLS_MODEL_OPTION_H

#include <spemu/codec.h>
#include "timing/uarch.h"

/* Return the profile of a machine, or NULL for "none". An unknown name ends the program with a
 * message that lists the nearest ones. */
const struct uarch_profile *parse_machine_name(const char *name);

/* NAME,CHANGE,... of spemu_layout_parse(). command: whose manual page a message names. */
void parse_layout_name(struct spemu_layout *layout, const char *text, const char *command);

#endif
