/* SPDX-License-Identifier: MIT */
/* Options of `spemu vm`. */
#define _GNU_SOURCE
#include "../base/choice_option.h"
#include "../base/model_option.h"
#include "vm.h"

#include "../../hosts/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

const char vm_usage[] =
        "usage: spemu vm [OPTIONS] -- QEMU-ARGUMENTS\n\n"
        "Runs qemu-system-aarch64 10.0 with a Statistical Profiling Unit in every CPU.\n\n"
        "      --spe LEVEL      v1p0 to v1p5 [v1p2]\n"
        "      --max-size N     PMSIDR_EL1.MaxSize in bytes, 64 to 2048 [64]\n"
        "      --align N        PMBIDR_EL1.Align in bytes, 1 to 2048 [the layout's]\n"
        "      --count-size N   PMSIDR_EL1.CountSize in bits, 12 or 16 [12]\n"
        "      --min-interval N PMSIDR_EL1.Interval, 256 to 4096 operations [256]\n"
        "      --layout LAYOUT  order and padding of records: dense, neoverse, words\n"
        "      --machine PROFILE  timing model: neoverse-n1, neoverse-v2, generic,\n"
        "                       none [none]\n"
        "      --choose CHOICE=OPTION  what the architecture leaves open, or random;\n"
        "                       all=random\n"
        "      --seed N         seed of jitter and of random choices [0]\n"
        "      --inject FAULT   a fault of writes, as \"buffer-full every 100\"\n"
        "      --vm-rules       as a hypervisor: writes to the buffer's registers are\n"
        "                       ignored while it is enabled\n"
        "      --pmu-snapshot WHICH  yes or no: the PMU's snapshot registers [if the CPU\n"
        "                       has a PMU]\n"
        "      --strict         strict mode (D17.9): delay effects as permitted; reports\n"
        "      --vmlinux FILE   symbols for the PCs of reports and of the trace\n"
        "      --suppressions FILE  reports that are known: rule, PC range, symbol\n"
        "      --sarif FILE     the reports in SARIF 2.1.0 too\n"
        "      --error-exitcode N  status if there are reports, 1 to 255\n"
        "      --trace FILE     register accesses, events and reports as JSON lines\n"
        "      --qemu PATH      the QEMU to run [qemu-system-aarch64]\n"
        "  -v, --verbose        say what is run\n"
        "  -q, --quiet          no summary and no warnings\n"
        "  -h, --help           print this text\n";

enum {
	OPT_SPE = 256,
	OPT_MAX_SIZE,
	OPT_ALIGN,
	OPT_COUNT_SIZE,
	OPT_MIN_INTERVAL,
	OPT_LAYOUT,
	OPT_MACHINE,
	OPT_CHOOSE,
	OPT_SEED,
	OPT_INJECT,
	OPT_VM_RULES,
	OPT_PMU_SNAPSHOT,
	OPT_STRICT,
	OPT_VMLINUX,
	OPT_SUPPRESSIONS,
	OPT_SARIF,
	OPT_ERROR_EXITCODE,
	OPT_TRACE,
	OPT_QEMU,
};

static const struct option longopts[] = {
        {"spe", required_argument, NULL, OPT_SPE},
        {"max-size", required_argument, NULL, OPT_MAX_SIZE},
        {"align", required_argument, NULL, OPT_ALIGN},
        {"count-size", required_argument, NULL, OPT_COUNT_SIZE},
        {"min-interval", required_argument, NULL, OPT_MIN_INTERVAL},
        {"layout", required_argument, NULL, OPT_LAYOUT},
        {"machine", required_argument, NULL, OPT_MACHINE},
        {"choose", required_argument, NULL, OPT_CHOOSE},
        {"seed", required_argument, NULL, OPT_SEED},
        {"inject", required_argument, NULL, OPT_INJECT},
        {"vm-rules", no_argument, NULL, OPT_VM_RULES},
        {"pmu-snapshot", required_argument, NULL, OPT_PMU_SNAPSHOT},
        {"strict", no_argument, NULL, OPT_STRICT},
        {"vmlinux", required_argument, NULL, OPT_VMLINUX},
        {"suppressions", required_argument, NULL, OPT_SUPPRESSIONS},
        {"sarif", required_argument, NULL, OPT_SARIF},
        {"error-exitcode", required_argument, NULL, OPT_ERROR_EXITCODE},
        {"trace", required_argument, NULL, OPT_TRACE},
        {"qemu", required_argument, NULL, OPT_QEMU},
        {"verbose", no_argument, NULL, 'v'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
};

static uint64_t number(const char *what, const char *text)
{
	uint64_t value;

	if (!parse_number(&value, text, 1024))
		die(EXIT_OWN, "%s '%s' is not a number", what, text);
	return value;
}

/* PMSIDR_EL1.MaxSize and PMBIDR_EL1.Align are logarithms. */
static uint64_t power_of_two(const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value = number(option, text);

	if (value < least || value > most || (value & (value - 1)))
		die(EXIT_OWN, "%s %s is not a power of two from %llu to %llu bytes; use %s %llu",
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
	die(EXIT_OWN, "unknown SPE level '%s'; use v1p0 ... v1p5", text);
}

/* What PMSIDR_EL1.Interval can say (D24.7). */
static uint64_t parse_interval(const char *text)
{
	static const uint64_t values[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096};
	uint64_t value = number("--min-interval", text);

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i] == value)
			return value;
	die(EXIT_OWN,
	    "--min-interval %s is not what PMSIDR_EL1.Interval can say; use 256, 512, 768, 1024, "
	    "1536, 2048, 3072 or 4096",
	    text);
}

static void add_choice(struct vm_options *opt, const char *text)
{
	enum spemu_choice choice;
	unsigned option;

	parse_choice(&choice, &option, text);
	opt->choices = xrealloc(opt->choices, opt->choice_count + 1, sizeof(*opt->choices));
	opt->choices[opt->choice_count++] = text;
}

static void add_injection(struct vm_options *opt, const char *text)
{
	struct scenario_error error;

	if (opt->injection_count == SPEMU_INJECTIONS_MAX)
		die(EXIT_OWN, "an SPU takes %u --inject at most; leave some out",
		    SPEMU_INJECTIONS_MAX);
	if (!scenario_injection(&opt->injection[opt->injection_count], text, &error))
		die(EXIT_OWN, "--inject '%s': %s; see 'inject' in 'man spemu-scenario'", text,
		    error.message);
	opt->injection_count++;
}

static void take_report_option(struct vm_options *opt, int c)
{
	switch (c) {
	case OPT_STRICT:
		opt->strict = true;
		break;
	case OPT_VMLINUX:
		opt->vmlinux = optarg;
		break;
	case OPT_SUPPRESSIONS:
		opt->suppressions = optarg;
		break;
	case OPT_SARIF:
		opt->sarif = optarg;
		break;
	case OPT_ERROR_EXITCODE:
		opt->error_exitcode = number("--error-exitcode", optarg);
		if (!opt->error_exitcode || opt->error_exitcode > 255)
			die(EXIT_OWN, "'%s' is not an exit status; it must be from 1 to 255",
			    optarg);
		break;
	case OPT_TRACE:
		opt->trace = optarg;
		break;
	case OPT_QEMU:
		opt->qemu = optarg;
		break;
	case 'v':
		verbosity = 2;
		break;
	case 'q':
		verbosity = 0;
		break;
	case 'h':
		fputs(vm_usage, stdout);
		exit(0);
	}
}

static void take_option(struct vm_options *opt, int c)
{
	switch (c) {
	case OPT_SPE:
		opt->spe_minor = parse_spe(optarg);
		break;
	case OPT_MAX_SIZE:
		opt->max_size = power_of_two("--max-size", optarg, 64, 2048);
		break;
	case OPT_ALIGN:
		opt->align = power_of_two("--align", optarg, 1, 2048);
		break;
	case OPT_COUNT_SIZE:
		opt->count_size = number("--count-size", optarg);
		if (opt->count_size != 12 && opt->count_size != 16)
			die(EXIT_OWN, "--count-size %s is neither 12 nor 16 bits", optarg);
		break;
	case OPT_MIN_INTERVAL:
		opt->min_interval = parse_interval(optarg);
		break;
	case OPT_LAYOUT:
		opt->layout = optarg;
		break;
	case OPT_MACHINE:
		opt->machine = parse_machine_name(optarg) ? optarg : NULL;
		break;
	case OPT_CHOOSE:
		add_choice(opt, optarg);
		break;
	case OPT_SEED:
		opt->seed = number("seed", optarg);
		break;
	case OPT_INJECT:
		add_injection(opt, optarg);
		break;
	case OPT_VM_RULES:
		opt->vm_rules = true;
		break;
	case OPT_PMU_SNAPSHOT:
		if (strcmp(optarg, "yes") && strcmp(optarg, "no"))
			die(EXIT_OWN, "--pmu-snapshot is yes or no, not '%s'", optarg);
		opt->pmu_snapshot = optarg;
		break;
	default:
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
	if (!opt->max_size)
		opt->max_size = align > 64 ? align : 64;
	if (align > opt->max_size)
		die(EXIT_OWN,
		    "records aligned to %llu bytes are larger than --max-size %llu; use --max-size "
		    "%llu",
		    (unsigned long long)align, (unsigned long long)opt->max_size,
		    (unsigned long long)align);
}

void vm_parse(struct vm_options *opt, int argc, char **argv)
{
	int c;

	*opt = (struct vm_options){.spe_minor = 2};
	while ((c = next_option(argc, argv, "+:vqh", longopts)) != -1)
		take_option(opt, c);
	check_sizes(opt);
	if (optind >= argc)
		die(EXIT_OWN,
		    "no arguments for QEMU; use 'spemu vm -- -m 1G -nographic -kernel IMAGE'");
	if (argv[optind][0] != '-')
		die(EXIT_OWN, "QEMU's arguments must follow '--', and '%s' is in front of it",
		    argv[optind]);
	opt->arguments = argv + optind;
}
