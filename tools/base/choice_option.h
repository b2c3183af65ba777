/* SPDX-License-Identifier: MIT */
/* Choices of the architecture on the command line: --choose NAME=OPTION, and the list of
 * choices. */
#ifndef TOOLS_CHOICE_OPTION_H
#define TOOLS_CHOICE_OPTION_H

#include <spemu/choices.h>
#include "common.h"

/* Parse NAME=OPTION, NAME=random or all=random. Die at an unknown word, and suggest the nearest
 * names. */
void parse_choice(enum spemu_choice *choice, unsigned *option, const char *text);

/* Die with EXIT_USAGE if the features do not permit the option. `which` describes the features. */
void check_choice(const struct spemu_features *features, enum spemu_choice choice, unsigned option,
                  const char *which);

/* Print every choice with its rule, kind and options. "*" marks the default for the features. */
void list_choices(const struct spemu_features *features, bool json);

#endif
