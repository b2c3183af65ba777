/* SPDX-License-Identifier: MIT */
/* The programs of a machine (firmware, kernel and others) with their addresses, for naming the
 * symbols of addresses. */
#ifndef TOOLS_IMAGES_H
#define TOOLS_IMAGES_H

#include "../base/common.h"

struct images;

/*
 * Add an image: FILE, an ELF file or a list of symbols at its link address, or FILE@ADDRESS, which
 * begins at that address. *images is NULL before the first one. Die with EXIT_OWN and name the
 * option if the file cannot be used.
 */
void images_add(struct images **images, const char *option, const char *text);
/* Return the nearest symbol that begins at or before `pc`, and its distance, or NULL. It is valid
 * until the program ends. */
const char *images_symbol(const struct images *images, uint64_t *offset, uint64_t pc);
void images_free(struct images *images);

#endif
