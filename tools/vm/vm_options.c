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

#define CPUS 2                      /* by default */
#define MEMORY (1ull << 30)         /* bytes, by default */
#define MEMORY_LEAST (256ull << 20) /* bytes: the initial file system and perf */
#define MEMORY_MOST (128ull << 30)
#define TIMEOUT_MOST 1000000u        /* seconds */
#define TRACE_LIMIT_LEAST (64 << 10) /* bytes: the last lines fit well */

static uint64_t number(const char *what, const char *text)
{
	uint64_t value;

	if (!parse_number(&value, text, 1024))
		die(EXIT_USAGE, "%s '%s' is not a number", what, text);
	return value;
}

/* PMSIDR_EL1.MaxSize and PMBIDR_EL1.Align are logarithms. */
static uint64_t power_of_two(const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value = number(option, text);

	if (value < least || value > most || (value & (value - 1)))
		die(EXIT_USAGE, "%s %s is not a power of two from %llu to %llu bytes; use %s %llu",
		    option, text, (unsigned long long)least, (unsigned long long)most, option,
		    (unsigned long long)(value < least ? least : 64));
	return value;
}

static unsigned parse_spe(const char *text)
{
	static const char *const names[] = {"v1p0", "v1p1", "v1p2", "v1p3", "v1p4", "v1p5", NULL};

	for (unsigned i = 0; names[i]; i++)
		if (!strcmp(names[i], text))
			return i;
	die(EXIT_USAGE, "unknown SPE level '%s'; use v1p0 ... v1p5", text);
}

/* What PMSIDR_EL1.Interval can say (D24.7). */
static uint64_t parse_interval(const char *text)
{
	static const uint64_t values[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096};
	uint64_t value = number("--min-interval", text);

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i] == value)
			return value;
	die(EXIT_USAGE,
	    "--min-interval %s is not what PMSIDR_EL1.Interval can say; use 256, 512, 768, 1024, "
	    "1536, 2048, 3072 or 4096",
	    text);
}

static const char *parse_alternate_clock(const char *text)
{
	if (strcmp(text, "smcu") && strcmp(text, "impdef"))
		die(EXIT_USAGE, "--alternate-clock is smcu or impdef, not '%s'", text);
	return text;
}

static void add_choice(struct vm_options *opt, const char *text)
{
	enum spemu_choice choice;
	unsigned option;

	parse_choice(&choice, &option, text);
	opt->choices = xreallocarray(opt->choices, opt->choice_count + 1, sizeof(*opt->choices));
	opt->choices[opt->choice_count++] = text;
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

static void add_share(struct vm_run_options *run, const char *path, bool read_only)
{
	if (run->share_count == VM_SHARES_MAX)
		die(EXIT_USAGE, "a guest takes %u folders at most; share one that has several",
		    VM_SHARES_MAX);
	run->read_only[run->share_count] = read_only;
	run->shares[run->share_count++] = path;
}

static uint64_t parse_cpus(const char *text)
{
	uint64_t value = number("--cpus", text);

	if (!value || value > VM_VCPUS_MAX)
		die(EXIT_USAGE, "--cpus %s is not from 1 to %d", text, VM_VCPUS_MAX);
	return value;
}

static uint64_t parse_memory(const char *text)
{
	uint64_t value = number("--memory", text);

	if (value < MEMORY_LEAST || value > MEMORY_MOST)
		die(EXIT_USAGE, "--memory %s is not from 256M to 128G; use --memory 1G", text);
	return value;
}

static uint64_t parse_timeout(const char *text)
{
	uint64_t value;

	if (!parse_number(&value, text, 1000) || !value || value > TIMEOUT_MOST)
		die(EXIT_USAGE, "--timeout '%s' is not a number of seconds from 1 to %u", text,
		    TIMEOUT_MOST);
	return value;
}

static bool is_perfetto(const char *text)
{
	if (strcmp(text, "text") && strcmp(text, "perfetto"))
		die(EXIT_USAGE, "--trace-format is text or perfetto, not '%s'", text);
	return !strcmp(text, "perfetto");
}

/* True if c is one of --run and what goes with it. */
static bool take_run_option(struct vm_run_options *run, int c)
{
	switch (c) {
	case VM_RUN:
		run->command = optarg;
		break;
	case VM_KERNEL:
		run->kernel = optarg;
		break;
	case VM_MODULES:
		run->modules = optarg;
		break;
	case VM_ROOT:
		run->root = optarg;
		break;
	case VM_RWDIR:
		add_share(run, optarg, false);
		break;
	case VM_RODIR:
		add_share(run, optarg, true);
		break;
	case VM_CPUS:
		run->cpus = parse_cpus(optarg);
		break;
	case VM_MEMORY:
		run->memory = parse_memory(optarg);
		break;
	case VM_APPEND:
		run->append = optarg;
		break;
	case VM_TIMEOUT:
		run->timeout = parse_timeout(optarg);
		break;
	default:
		return false;
	}
	return true;
}

static void add_vmlinux(struct vm_options *opt, const char *text)
{
	size_t count = 0;

	while (opt->vmlinux && opt->vmlinux[count])
		count++;
	opt->vmlinux = xreallocarray(opt->vmlinux, count + 2, sizeof(*opt->vmlinux));
	opt->vmlinux[count] = text;
	opt->vmlinux[count + 1] = NULL;
}

static void take_report_option(struct vm_options *opt, int c)
{
	switch (c) {
	case VM_STRICT:
		opt->strict = true;
		break;
	case VM_VMLINUX:
		add_vmlinux(opt, optarg);
		break;
	case VM_REPORT:
		opt->report = optarg;
		break;
	case VM_IGNORE_CONTEXT_SWITCHES:
		opt->ignore_context_switches = true;
		break;
	case VM_SUPPRESSIONS:
		opt->suppressions = optarg;
		break;
	case VM_SARIF:
		opt->sarif = optarg;
		break;
	case VM_ERROR_EXITCODE:
		opt->error_exitcode = number("--error-exitcode", optarg);
		if (!opt->error_exitcode || opt->error_exitcode > 255)
			die(EXIT_USAGE, "'%s' is not an exit status; it must be from 1 to 255",
			    optarg);
		break;
	case VM_TRACE:
		opt->trace = optarg;
		break;
	case VM_TRACE_FORMAT:
		opt->perfetto = is_perfetto(optarg);
		opt->has_trace_format = true;
		break;
	case VM_TRACE_LIMIT:
		opt->trace_limit = number("--trace-limit", optarg);
		if (opt->trace_limit < TRACE_LIMIT_LEAST)
			die(EXIT_USAGE,
			    "--trace-limit %s is too small for a trace; use 64K or more", optarg);
		break;
	case VM_QEMU:
		opt->qemu = optarg;
		break;
	}
}

static void take_option(struct vm_options *opt, int c)
{
	switch (c) {
	case VM_SPE:
		opt->spe_minor = parse_spe(optarg);
		break;
	case VM_MAX_SIZE:
		opt->max_size = power_of_two("--max-size", optarg, 64, 2048);
		break;
	case VM_ALIGN:
		opt->align = power_of_two("--align", optarg, 1, 2048);
		break;
	case VM_COUNT_SIZE:
		opt->count_size = number("--count-size", optarg);
		if (opt->count_size != 12 && opt->count_size != 16)
			die(EXIT_USAGE, "--count-size %s is neither 12 nor 16 bits", optarg);
		break;
	case VM_MIN_INTERVAL:
		opt->min_interval = parse_interval(optarg);
		break;
	case VM_LAYOUT:
		opt->layout = optarg;
		break;
	case VM_MACHINE:
		opt->machine = parse_machine_name(optarg) ? optarg : NULL;
		break;
	case VM_CHOOSE:
		add_choice(opt, optarg);
		break;
	case VM_SEED:
		opt->seed = number("seed", optarg);
		break;
	case VM_INJECT:
		add_injection(opt, optarg);
		break;
	case VM_PREVIOUS_TARGET:
		opt->previous_target = true;
		break;
	case VM_SME:
		opt->sme = true;
		break;
	case VM_ALTERNATE_CLOCK:
		opt->alternate_clock = parse_alternate_clock(optarg);
		break;
	case VM_VM_RULES:
		opt->vm_rules = true;
		break;
	case VM_PMU_SNAPSHOT:
		if (strcmp(optarg, "yes") && strcmp(optarg, "no"))
			die(EXIT_USAGE, "--pmu-snapshot is yes or no, not '%s'", optarg);
		opt->pmu_snapshot = optarg;
		break;
	default:
		if (!take_run_option(&opt->run, c))
			take_report_option(opt, c);
	}
}

/* A record is aligned to at most the size that a record may have. */
static void check_sizes(struct vm_options *opt)
{
	struct spemu_layout layout = {0};
	uint64_t align;

	if (opt->layout)
		parse_layout_name(&layout, opt->layout, "vm");
	align = opt->align ? opt->align : UINT64_C(1) << layout.align_log2;
	if (!opt->max_size && align > 64)
		opt->max_size = align;
	if (opt->max_size && align > opt->max_size)
		die(EXIT_USAGE,
		    "records aligned to %llu bytes are larger than --max-size %llu; use --max-size "
		    "%llu",
		    (unsigned long long)align, (unsigned long long)opt->max_size,
		    (unsigned long long)align);
}

static void check_alternate_clock(const struct vm_options *opt)
{
	if (!opt->alternate_clock)
		return;
	if (!opt->machine)
		die(EXIT_USAGE,
		    "--alternate-clock counts latencies of a timing model, and there is "
		    "none; add --machine neoverse-n1");
	if (!strcmp(opt->alternate_clock, "smcu") && !opt->sme)
		die(EXIT_USAGE, "--alternate-clock smcu is of Streaming SVE mode; add --sme");
}

/* What is of --run is not given without it; what it leaves open is filled in. */
static void check_run(struct vm_run_options *run)
{
	const struct {
		bool given;
		const char *name;
	} options[] = {{run->kernel, "--kernel"},
	               {run->modules, "--modules"},
	               {run->root, "--root"},
	               {run->append, "--append"},
	               {run->share_count, "--rwdir or --rodir"},
	               {run->cpus, "--cpus"},
	               {run->memory, "--memory"},
	               {run->timeout, "--timeout"}};

	for (unsigned i = 0; !run->command && i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given)
			die(EXIT_USAGE,
			    "%s is of --run, which is not given; without it use QEMU's own "
			    "arguments",
			    options[i].name);
	if (run->command && !*run->command)
		die(EXIT_USAGE, "--run has no command; use --run 'COMMAND'");
	run->cpus = run->cpus ? run->cpus : CPUS;
	run->memory = run->memory ? run->memory : MEMORY;
}

/* Whether QEMU loads a machine that was saved before the guest runs. */
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
	int c;

	*opt = (struct vm_options){.spe_minor = 2};
	while ((c = next_option(&vm_options, argc, argv)) != -1)
		take_option(opt, c);
	check_sizes(opt);
	check_run(&opt->run);
	check_alternate_clock(opt);
	if (opt->has_trace_format && !opt->trace)
		die(EXIT_USAGE, "--trace-format is of the file of --trace, which is not given");
	if (opt->trace_limit && !opt->trace)
		die(EXIT_USAGE, "--trace-limit is of the file of --trace, which is not given");
	if (optind >= argc && !opt->run.command)
		die(EXIT_USAGE, "no arguments for QEMU; use 'spemu vm -- -m 1G -nographic -kernel "
		                "IMAGE', or --run 'COMMAND'");
	if (optind < argc && argv[optind][0] != '-')
		die(EXIT_USAGE, "QEMU's arguments must follow '--', and '%s' is in front of it",
		    argv[optind]);
	opt->arguments = argv + optind;
	opt->restored = starts_restored(opt->arguments);
}
