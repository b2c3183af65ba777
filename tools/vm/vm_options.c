/* SPDX-License-Identifier: MIT */
/* Options of `spemu vm`. */
#define _GNU_SOURCE
#include "../base/choice_option.h"
#include "../base/options.h"
#include "../base/model_option.h"
#include "vm.h"

#include "../../hosts/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

/* Append text to a list that ends with NULL. */
static void add_text(const char ***list, const char *text)
{
	size_t count = 0;

	while (*list && (*list)[count])
		count++;
	*list = xreallocarray(*list, count + 2, sizeof(**list));
	(*list)[count] = text;
	(*list)[count + 1] = NULL;
}

static void add_choice(struct vm_options *opt, const char *text)
{
	enum spemu_choice choice;
	unsigned option;

	parse_choice(&choice, &option, text);
	add_text(&opt->choices, text);
}

static void add_injection(struct vm_options *opt, const char *text)
{
	struct scenario_error error;

	if (opt->injection_count == SPEMU_INJECTIONS_MAX)
		die(EXIT_USAGE, "an SPU takes %u --inject at most; leave some out",
		    SPEMU_INJECTIONS_MAX);
	if (!scenario_injection(&opt->injection[opt->injection_count], text, &error))
		die(EXIT_USAGE, "--inject '%s': %s; see 'inject' in 'man spemu-scenario'", text,
		    error.message);
	opt->injection_count++;
}

static void add_share(struct vm_options *opt, const char *path, bool read_only)
{
	if (opt->share_count == VM_SHARES_MAX)
		die(EXIT_USAGE, "a guest takes %u folders at most; share one that has several",
		    VM_SHARES_MAX);
	opt->read_only[opt->share_count] = read_only;
	opt->shares[opt->share_count++] = path;
}

/* Take options that may be repeated, and check texts that the table does not check. */
static void take_option(void *to, int row)
{
	struct vm_options *opt = to;

	switch (row) {
	case VM_MACHINE:
		parse_machine_name(optarg);
		break;
	case VM_CHOOSE:
		add_choice(opt, optarg);
		break;
	case VM_INJECT:
		add_injection(opt, optarg);
		break;
	case VM_RWDIR:
		add_share(opt, optarg, false);
		break;
	case VM_RODIR:
		add_share(opt, optarg, true);
		break;
	case VM_VMLINUX:
		add_text(&opt->vmlinux, optarg);
		break;
	}
}

/* Check sizes. The alignment of records is at most the largest size of a record. */
static void check_sizes(struct vm_options *opt)
{
	struct option_value *most = &opt->value[VM_MAX_SIZE], *align = &opt->value[VM_ALIGN];
	struct spemu_layout layout = {0};
	uint64_t size;

	if (opt->value[VM_LAYOUT].given)
		parse_layout_name(&layout, opt->value[VM_LAYOUT].text, "vm");
	size = align->given ? align->number : UINT64_C(1) << layout.align_log2;
	if (!most->given && size > 64)
		*most = (struct option_value){.given = true, .number = size};
	if (most->given && size > most->number)
		die(EXIT_USAGE,
		    "records aligned to %llu bytes are larger than --max-size %llu; use --max-size "
		    "%llu",
		    (unsigned long long)size, (unsigned long long)most->number,
		    (unsigned long long)size);
}

static void check_alternate_clock(const struct vm_options *opt)
{
	const struct option_value *clock = &opt->value[VM_ALTERNATE_CLOCK];

	if (!clock->given)
		return;
	if (!uarch_profile(opt->value[VM_MACHINE].text))
		die(EXIT_USAGE,
		    "--alternate-clock requires a timing model, and --machine none has none; use "
		    "--machine neoverse-n1");
	if (clock->word == VM_ALTERNATE_CLOCK_SMCU && !opt->value[VM_SME].given)
		die(EXIT_USAGE, "--alternate-clock smcu requires --sme");
}

/* Return true if QEMU loads a saved machine before the guest runs. */
static bool starts_restored(char *const *arguments)
{
	for (; *arguments; arguments++) {
		const char *name = *arguments;

		while (*name == '-')
			name++;
		if (name != *arguments && (!strcmp(name, "loadvm") || !strcmp(name, "incoming")))
			return true;
	}
	return false;
}

void vm_parse(struct vm_options *opt, int argc, char **argv)
{
	*opt = (struct vm_options){0};
	opt->value[VM_CPUS].number = 2;
	opt->value[VM_MEMORY].number = UINT64_C(1) << 30;
	read_options(opt->value, &vm_options, argc, argv, take_option, opt);
	check_sizes(opt);
	check_alternate_clock(opt);
	if (opt->value[VM_RUN].given && !*opt->value[VM_RUN].text)
		die(EXIT_USAGE, "--run has no command; use --run 'COMMAND'");
	if (optind >= argc && !opt->value[VM_RUN].given)
		die(EXIT_USAGE, "no arguments for QEMU; use 'spemu vm -- -m 1G -nographic -kernel "
		                "IMAGE', or --run 'COMMAND'");
	if (optind < argc && argv[optind][0] != '-')
		die(EXIT_USAGE, "QEMU's arguments must follow '--', but '%s' precedes it",
		    argv[optind]);
	opt->arguments = argv + optind;
	opt->restored = starts_restored(opt->arguments);
}
