/* SPDX-License-Identifier: MIT */
/* Read lists of symbols as text: the list of a kernel, and the lists that JIT compilers write to
 * /tmp. */
#define _GNU_SOURCE
#include "jit_runtime.h"
#include "object.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_SIZE = 1024, /* limit of a line; kernels have shorter ones, names of a JIT are cut */
	PERF_MAP_LINES_MAX = 4 << 20,
};

static void forget(struct object *obj)
{
	obj->symbols[SYMBOL_CODE].count = obj->symbols[SYMBOL_DATA].count = 0;
}

/*
 * Load a list of lines "ADDRESS TYPE NAME", with the types of nm(1). The list of a running kernel
 * includes its modules, and its addresses are those after relocation.
 */
bool kallsyms_load(struct object *obj, const char *path)
{
	int fd = open_regular(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[LINE_SIZE];
	bool is_list = f != NULL, shown = false;

	while (is_list && fgets(line, sizeof(line), f)) {
		char name[512], type;
		unsigned long long address;
		struct symbol s;

		is_list = (strchr(line, '\n') || feof(f)) &&
		          sscanf(line, "%16llx %c %511s", &address, &type, name) == 3;
		if (!is_list || name[0] == '$')
			continue;
		shown |= address != 0;
		s = (struct symbol){.start = address, .name = xstrdup(name), .binding = STB_LOCAL};
		if (type == 'T' || type == 'D' || type == 'B' || type == 'R')
			s.binding = STB_GLOBAL;
		else if (strchr("WwVv", type))
			s.binding = STB_WEAK;
		symbols_add(&obj->symbols[strchr("TtWw", type) ? SYMBOL_CODE : SYMBOL_DATA], &s);
	}
	if (f)
		fclose(f);
	if (!is_list || !obj->symbols[SYMBOL_CODE].count) {
		forget(obj);
		return false;
	}
	if (!shown) {
		forget(obj);
		free(obj->problem);
		obj->problem = xstrdup("its addresses are all 0; read /proc/kallsyms as root");
	}
	return true;
}

static void skip_line(FILE *f)
{
	int c;

	while ((c = getc(f)) != EOF && c != '\n')
		;
}

/* Read a hexadecimal number, with or without "0x", and the blanks after it. Return the rest of the
 * text, or NULL if there is no such number. */
static const char *read_hexadecimal(unsigned long long *number, const char *text)
{
	char *end;

	if (!isxdigit((unsigned char)*text)) /* strtoull() accepts blanks and signs */
		return NULL;
	errno = 0;
	*number = strtoull(text, &end, 16);
	if (errno || (*end != ' ' && *end != '\t'))
		return NULL;
	return end + strspn(end, " \t");
}

/* Load a list of lines "START SIZE NAME" with hexadecimal numbers. A line replaces earlier lines
 * with the same address. Return false if the file has no such line. */
static bool load_perf_map(struct object *obj, FILE *f)
{
	char line[LINE_SIZE];
	uint32_t n = 0;

	while (n < PERF_MAP_LINES_MAX && fgets(line, sizeof(line), f)) {
		unsigned long long start, size;
		size_t length = strlen(line);
		const char *name;

		if (length && line[length - 1] == '\n')
			line[length - 1] = '\0';
		else
			skip_line(f);
		name = read_hexadecimal(&start, line);
		name = name ? read_hexadecimal(&size, name) : NULL;
		if (!name || !*name)
			continue;
		if (!size || size > UINT64_MAX - start)
			continue;
		symbols_add(&obj->symbols[SYMBOL_CODE], &(struct symbol){.start = start,
		                                                         .end = start + size,
		                                                         .name = xstrdup(name),
		                                                         .rank = ++n,
		                                                         .sized = 1});
	}
	return n > 0;
}

void jit_load(struct object *obj)
{
	FILE *f = own_file_open(obj);

	if (f && !load_perf_map(obj, f))
		obj->problem = xasprintf("%s is not a list of START SIZE NAME", obj->path);
	if (f)
		fclose(f);
	else
		obj->remedy = xstrdup(jit_runtime_advice(obj->runtime));
	object_finish(obj);
}
