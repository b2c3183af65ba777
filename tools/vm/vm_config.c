/* SPDX-License-Identifier: MIT */
/* The plugin's configuration. hosts/qemu-system/config.h defines its keys. */
#define _GNU_SOURCE
#include "vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int vm_memory_file(const char *name, const void *data, size_t size)
{
	/* The descriptor is inherited on purpose. The plugin opens it by its name in /proc, so that
	 * reading starts at the beginning. */
	int fd = memfd_create(name, 0);

	if (fd < 0 || !write_all(fd, data, size))
		die(EXIT_OWN, "cannot make a file in memory: %s", strerror(errno));
	return fd;
}

/* Write a line with name and value for each option that is passed on. */
static void put_options(FILE *f, const struct option_value *values)
{
	for (unsigned i = 0; i < vm_options.count; i++) {
		const struct option_row *row = &vm_options.rows[i];

		if (!row->passed || !values[i].given)
			continue;
		if (row->unit)
			fprintf(f, "%s %llu\n", row->name, (unsigned long long)values[i].number);
		else
			fprintf(f, "%s %s\n", row->name, values[i].text);
	}
}

/* Write an injection as the bytes of its struct: the plugin does not have a parser of the
 * language. */
static void put_injection(FILE *f, const struct spemu_injection *injection)
{
	unsigned char bytes[sizeof(*injection)];

	memcpy(bytes, injection, sizeof(bytes));
	fputs("inject ", f);
	for (size_t i = 0; i < sizeof(bytes); i++)
		fprintf(f, "%02x", bytes[i]);
	fputc('\n', f);
}

int vm_config(const struct vm_options *opt, int events)
{
	char *text = NULL, *line;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int fd;

	if (!f)
		die(EXIT_OWN, "out of memory");
	fprintf(f, "events-fd %d\nppi %d\n", events, VM_PPI);
	put_options(f, opt->value);
	for (size_t i = 0; opt->choices && opt->choices[i]; i++)
		fprintf(f, "choose %s\n", opt->choices[i]);
	for (size_t i = 0; i < opt->injection_count; i++)
		put_injection(f, &opt->injection[i]);
	if (opt->restored)
		fputs("restored yes\n", f);
	if (opt->value[VM_TRACE].given)
		fputs("trace yes\n", f);
	if (fclose(f) || !text)
		die(EXIT_OWN, "out of memory");
	fd = vm_memory_file("spemu-vm", text, size);
	for (char *rest = text; (line = strsep(&rest, "\n")) && *line;)
		verbose("configuration: %s", line);
	free(text);
	return fd;
}
