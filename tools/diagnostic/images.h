/* SPDX-License-Identifier: MIT */
/* The programs of a machine, firmware, kernel and others, each where it runs, for the symbols of
 * its addresses. */
#ifndef TOOLS_IMAGES_H
#define TOOLS_IMAGES_H

#include "../base/common.h"

struct images;

/*
 * One more: FILE, an ELF file or a list of symbols, which runs where it is linked, or FILE@ADDRESS,
 * whose first byte is there. *images is NULL before the first one. Dies with EXIT_OWN, naming
 * option, if it cannot be used.
 */
void images_add(struct images **images, const char *option, const char *text);
/* The symbol that begins nearest before pc, and how far, or NULL. Lives until the program ends. */
const char *images_symbol(const struct images *images, uint64_t *offset, uint64_t pc);
void images_free(struct images *images);

#endif
