/* SPDX-License-Identifier: MIT */
#include "startup.h"

#include <string.h>

/* Return true if the text begins with one of the words, which end with NULL. */
static bool begins_with_any(const char *text, const char *const *words)
{
	for (; *words; words++) {
		if (!strncmp(text, *words, strlen(*words)))
			return true;
	}
	return false;
}

bool is_startup(struct place *place)
{
	/* The dynamic loaders of glibc, musl, Android and FreeBSD. */
	static const char *const loaders[] = {"ld-linux",  "ld-musl",  "ld-2.", "ld.so",
	                                      "ld-elf.so", "linker64", NULL};
	static const char *const functions[] = {"_dl_",           "__libc_start_",
	                                        "__libc_init_",   "__libc_setup_tls",
	                                        "__libc_csu_",    "call_init",
	                                        "init_cacheinfo", "__tunables_",
	                                        "apply_irel",     "_IO_cleanup",
	                                        "frame_dummy",    "register_tm_clones",
	                                        "cpu_features",   "__init_cpu_",
	                                        "init_cpu_",      "__relocate_",
	                                        "_rtld_",         NULL};

	if (begins_with_any(place_object(place), loaders))
		return true;
	place_find_symbol(place);
	return place->symbol &&
	       (!strcmp(place->symbol, "_start") || begins_with_any(place->symbol, functions));
}

struct cost cost_of_startup(struct profile *p)
{
	struct cost cost = {0};

	for (size_t i = 0; i < p->bin_index.count; i++) {
		if (is_startup(&p->samples.places[p->bins[i].place]))
			cost_add(&cost, p, &p->bins[i]);
	}
	return cost;
}
