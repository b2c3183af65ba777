/* SPDX-License-Identifier: MIT */
/* Choices of the architecture on the command line: --choose NAME=OPTION, and their list. */
#ifndef TOOLS_CHOICE_OPTION_H
#define TOOLS_CHOICE_OPTION_H

#include <spemu/choices.h>
#include "common.h"

/* Parse NAME=OPTION, NAME=random or all=random. An unknown word ends the program with a message
 * that names the nearest ones. */
void parse_choice(enum spemu_choice *choice, unsigned *option, const char *text);

/* Die with EXIT_USAGE if features that a message calls `which` do not permit the option. */
void check_choice(const struct spemu_features *features, enum spemu_choice choice, unsigned option,
                  const char *which);

/* Every choice with its rule, kind and options; * is the default of the features. */
void list_choices(const struct spemu_features *features, bool json);

#endif
