/* SPDX-License-Identifier: MIT */
/* State that all files share: the machine as the firmware and the ID registers describe it, and the
 * exceptions that were taken. */
#include "image.h"

struct platform platform;
struct machine machine;
struct exceptions exceptions;
extern char image_begin[], image_end[];

u64 image_first(void)
{
	return (u64)image_begin;
}

u64 image_bytes(void)
{
	return (u64)image_end - (u64)image_begin;
}

void platform_memory(u64 base, u64 bytes)
{
	platform.memory_found = true;
	if (image_first() >= base && image_first() - base < bytes &&
	    image_bytes() <= bytes - (image_first() - base))
		platform.memory_fits = true;
}

bool option(const char *word)
{
	for (const char *p = platform.options; *p;) {
		const char *q = word;

		while (*q && *p == *q)
			p++, q++;
		if (!*q && (!*p || *p == ' '))
			return true;
		while (*p && *p != ' ')
			p++;
		while (*p == ' ')
			p++;
	}
	return false;
}
