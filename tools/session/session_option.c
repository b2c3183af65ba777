/* SPDX-License-Identifier: MIT */
#include "session_option.h"
#include "kernel_object.h"
#include "sample_filter.h"
#include "source.h"

#include <string.h>

bool session_take_option(struct filter *filter, const char *option, const char *value)
{
	static const struct {
		const char *option;
		void (*set)(const char *value);
	} rows[] = {{"sysroot", objects_set_sysroot},
	            {"source", source_set_folder},
	            {"kallsyms", kernel_set_kallsyms},
	            {"vmlinux", kernel_set_vmlinux}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].option, option) != 0)
			continue;
		rows[i].set(value);
		return true;
	}
	return filter && filter_take(filter, option, value);
}
