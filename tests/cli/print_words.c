/* SPDX-License-Identifier: MIT */
/* Print the words that options accept, as the library defines them: one line "LIST WORD..." per
 * list. */
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
