/* SPDX-License-Identifier: MIT */
/* What the plugin is told: hosts/qemu-system/config.h has the keys. */
#define _GNU_SOURCE
#include "vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int vm_memory_file(const char *name, const void *data, size_t size)
{
	/* Inherited on purpose, and read by its name in /proc: each opening starts at the front. */
	int fd = memfd_create(name, 0);
	const char *p = data;

	while (fd >= 0 && size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno != EINTR)
			break;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	if (fd < 0 || size)
		die(EXIT_OWN, "cannot make a file in memory: %s", strerror(errno));
	return fd;
}

static void put_number(FILE *f, const char *key, uint64_t value)
{
	if (value)
		fprintf(f, "%s %llu\n", key, (unsigned long long)value);
}

static void put_yes(FILE *f, const char *key, bool value)
{
	if (value)
		fprintf(f, "%s yes\n", key);
}

/* The plugin takes the struct's bytes: it has no parser of the language. */
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
	fprintf(f, "spe v1p%u\nevents-fd %d\nppi %d\n", opt->spe_minor, events, VM_PPI);
	put_number(f, "max-size", opt->max_size);
	if (opt->layout)
		fprintf(f, "layout %s\n", opt->layout);
	put_number(f, "align", opt->align);
	put_number(f, "count-size", opt->count_size);
	put_number(f, "min-interval", opt->min_interval);
	put_number(f, "seed", opt->seed);
	if (opt->machine)
		fprintf(f, "machine %s\n", opt->machine);
	for (size_t i = 0; i < opt->choice_count; i++)
		fprintf(f, "choose %s\n", opt->choices[i]);
	for (size_t i = 0; i < opt->injection_count; i++)
		put_injection(f, &opt->injection[i]);
	if (opt->pmu_snapshot)
		fprintf(f, "pmu-snapshot %s\n", opt->pmu_snapshot);
	put_yes(f, "strict", opt->strict);
	put_yes(f, "vm-rules", opt->vm_rules);
	put_yes(f, "previous-target", opt->previous_target);
	put_yes(f, "sme", opt->sme);
	put_yes(f, "restored", opt->restored);
	if (opt->alternate_clock)
		fprintf(f, "alternate-clock %s\n", opt->alternate_clock);
	put_yes(f, "trace", opt->trace != NULL);
	if (fclose(f) || !text)
		die(EXIT_OWN, "out of memory");
	fd = vm_memory_file("spemu-vm", text, size);
	for (char *rest = text; (line = strsep(&rest, "\n")) && *line;)
		verbose("configuration: %s", line);
	free(text);
	return fd;
}
