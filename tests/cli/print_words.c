/* SPDX-License-Identifier: MIT */
/* The words that options take, as the library has them: a line "LIST WORD..." each. */
#include <spemu/codec.h>
#include "timing/uarch.h"
#include <stdio.h>

int main(void)
{
	const char *name;

	printf("machines");
	for (size_t i = 0; uarch_profile_at(i); i++)
		printf(" %s", uarch_profile_at(i)->name);
	printf("\nlayouts");
	for (size_t i = 0; spemu_layout_names[i]; i++)
		printf(" %s", spemu_layout_names[i]);
	printf("\nuarch");
	for (size_t i = 0; (name = uarch_option_at(i)); i++)
		printf(" %s=", name);
	printf("\nevents");
	for (size_t i = 0; spemu_event_names[i]; i++)
		printf(" %s", spemu_event_names[i]);
	printf("\n");
	return 0;
}
