/* SPDX-License-Identifier: MIT */
/*
 * Choose QEMU and its arguments: check the user's arguments for the needs of the SPU, and add
 * missing ones.
 */
#define _GNU_SOURCE
#include "../base/find.h"
#include "vm.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define QEMU "qemu-system-aarch64"

/* The remedy in messages. made_folder() follows it. */
#define REMEDY                                                                                   \
	"'scripts/fetch qemu-system %s' of spemu's sources makes one there, or in another DIR, " \
	"to be "                                                                                 \
	"named with --qemu DIR/bin/" QEMU

/* Series that the plugin supports (hosts/qemu/qemu_series.c). */
static const char *const series[] = {"10.0.", "11.1."};
#define SERIES "10.0 or 11.1"

static bool is_wanted(const char *path)
{
	for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++)
		if (!strncmp(qemu_version(path), series[i], strlen(series[i])))
			return true;
	return false;
}

char *vm_find_qemu(const struct vm_options *opt)
{
	const char *given = opt->value[VM_QEMU].text;
	char *path = find_program(given ? given : QEMU), *built;

	if (!given && (!path || !is_wanted(path))) {
		built = find_made("qemu-system", "bin/" QEMU);
		if (built) {
			free(path);
			path = built;
		}
	}
	if (!path)
		die(EXIT_OWN, "QEMU '%s' was not found; " REMEDY, given ? given : QEMU,
		    made_folder("qemu-system"));
	if (!is_wanted(path))
		die(EXIT_OWN, "%s is QEMU %s, but spemu vm requires " SERIES "; " REMEDY, path,
		    qemu_version(path), made_folder("qemu-system"));
	return path;
}

static void add_formatted(struct vm_command *command, const char *format, va_list ap)
{
	command->argv = xreallocarray(command->argv, command->count + 2, sizeof(*command->argv));
	if (vasprintf(&command->argv[command->count++], format, ap) < 0)
		die(EXIT_OWN, "out of memory");
	command->argv[command->count] = NULL;
}

void vm_command_add(struct vm_command *command, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	add_formatted(command, format, ap);
	va_end(ap);
}

void vm_command_pair(struct vm_command *command, const char *option, const char *format, ...)
{
	va_list ap;

	vm_command_add(command, "%s", option);
	va_start(ap, format);
	add_formatted(command, format, ap);
	va_end(ap);
}

void vm_command_free(struct vm_command *command)
{
	for (size_t i = 0; i < command->count; i++)
		free(command->argv[i]);
	free(command->argv);
}

/* The properties of the machine in the user's arguments so far. */
struct said {
	bool type, gic, acpi, cpu;
	unsigned long cpus, product; /* -smp: number of CPUs or 0, and product of the topology
	                                levels */
};

typedef void check_fn(struct said *said, const char *key, const char *value);

/* Check each "key=value" of a list. A first word without "=" is the value of the key `first`. */
static void check_list(struct said *said, const char *list, const char *first, check_fn *check)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	while ((word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		if (value || word == copy)
			check(said, value ? word : first, value ? value : word);
	}
	free(copy);
}

/* Check "tcg", or a list such as "kvm:tcg". QEMU takes the first accelerator that works. */
static void check_accelerators(const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;

	while ((word = strsep(&rest, ":"))) {
		if (strcmp(word, "tcg") != 0 && strcmp(word, "help") != 0)
			die(EXIT_USAGE,
			    "with the accelerator '%s' the guest runs on the host's CPU, where no "
			    "SPU can be put; use -accel tcg or leave it out",
			    word);
	}
	free(copy);
}

/* Check a part of the value of -accel: "tcg,thread=multi". */
static void check_accel(struct said *said, const char *key, const char *value)
{
	(void)said;
	if (!strcmp(key, "accel"))
		check_accelerators(value);
	else if (!strcmp(key, "thread") && !strcmp(value, "single"))
		die(EXIT_USAGE, "with thread=single all CPUs share one thread, and an SPU "
		                "needs its CPU's own; use thread=multi or leave it out");
}

static void check_type(struct said *said, const char *type)
{
	if (strcmp(type, "virt") != 0 && strncmp(type, "virt-", 5) != 0 &&
	    strcmp(type, "help") != 0 && strcmp(type, "?") != 0)
		die(EXIT_USAGE, "machine '%s' has no interrupt for an SPU here; use -machine virt",
		    type);
	said->type = true;
}

/* Check a part of the value of -machine: "virt,gic-version=3,accel=tcg". */
static void check_machine(struct said *said, const char *key, const char *value)
{
	if (!strcmp(key, "type")) {
		check_type(said, value);
	} else if (!strcmp(key, "gic-version")) {
		if (strcmp(value, "3") != 0 && strcmp(value, "4") != 0 && strcmp(value, "max") != 0)
			die(EXIT_USAGE,
			    "gic-version=%s: SPE's interrupt needs a GICv3; use gic-version=3 or "
			    "leave it out",
			    value);
		said->gic = true;
	} else if (!strcmp(key, "accel")) {
		check_accelerators(value);
	} else if (!strcmp(key, "acpi")) {
		said->acpi = true;
	}
}

/* Take a part of the value of -smp: "4", "cpus=4,..." or the levels of the topology. */
static void take_smp(struct said *said, const char *key, const char *value)
{
	static const char *const levels[] = {"drawers",  "books",   "sockets", "dies",
	                                     "clusters", "modules", "cores",   "threads"};
	unsigned long number = strtoul(value, NULL, 0);

	if (!strcmp(key, "cpus"))
		said->cpus = number;
	for (unsigned i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcmp(key, levels[i]) && number)
			said->product *= number;
}

static void check_smp(struct said *said, const char *text)
{
	unsigned long count;

	said->cpus = 0;
	said->product = 1;
	check_list(said, text, "cpus", take_smp);
	count = said->cpus ? said->cpus : said->product;
	if (count > VM_VCPUS_MAX)
		die(EXIT_USAGE,
		    "-smp %s has %lu CPUs, but spemu vm supports at most %d; use -smp %d", text,
		    count, VM_VCPUS_MAX, VM_VCPUS_MAX);
}

static void check_lone_option(const char *option)
{
	if (!strcmp(option, "enable-kvm"))
		die(EXIT_USAGE,
		    "with -enable-kvm the guest runs on the host's CPU, where no SPU can "
		    "be put; leave it out");
	if (!strcmp(option, "icount"))
		die(EXIT_USAGE, "-icount counts instructions in a way that leaves no room for "
		                "sampling; leave it out");
	if (!strcmp(option, "daemonize"))
		die(EXIT_USAGE,
		    "with -daemonize QEMU would leave spemu behind; leave it out and run "
		    "spemu itself in the background");
}

void vm_arguments(struct vm_command *command, const char **dtb, const char *qemu,
                  char *const *arguments)
{
	struct vm_command own = {0};
	struct said said = {0};

	*dtb = NULL;
	for (size_t i = 0; arguments[i]; i++) {
		const char *option = arguments[i], *value = arguments[i + 1];

		if (option[0] == '-')
			option += option[1] == '-' ? 2 : 1;
		else
			option = "";
		check_lone_option(option);
		if (!strcmp(option, "dtb") && value) {
			*dtb = value;
			i++;
			continue;
		}
		vm_command_add(&own, "%s", arguments[i]);
		if (!value)
			break;
		if (!strcmp(option, "machine") || !strcmp(option, "M"))
			check_list(&said, value, "type", check_machine);
		else if (!strcmp(option, "accel"))
			check_list(&said, value, "accel", check_accel);
		else if (!strcmp(option, "smp"))
			check_smp(&said, value);
		else if (!strcmp(option, "cpu"))
			said.cpu = true;
		/* The text after these options is not an option, even if it looks like one. */
		if (!strcmp(option, "append") || !strcmp(option, "name"))
			vm_command_add(&own, "%s", arguments[++i]);
	}
	vm_command_add(command, "%s", qemu);
	if (!said.type)
		vm_command_pair(command, "-machine", "virt");
	if (!said.gic)
		vm_command_pair(command, "-machine", "gic-version=3");
	/* Firmware prefers ACPI tables, but this QEMU's tables do not describe an SPU. */
	if (!said.acpi)
		vm_command_pair(command, "-machine", "acpi=off");
	if (!said.cpu)
		vm_command_pair(command, "-cpu", "max,pauth-impdef=on");
	for (size_t i = 0; i < own.count; i++)
		vm_command_add(command, "%s", own.argv[i]);
	vm_command_free(&own);
}
