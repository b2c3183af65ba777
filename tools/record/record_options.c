/* SPDX-License-Identifier: MIT */
/* Options of spemu record, converted to the values that a kernel would write to PMS*_EL1. */
#define _GNU_SOURCE
#include "../base/choice_option.h"
#include "../base/options.h"
#include "../base/optext.h"
#include "../base/model_option.h"
#include "record.h"

#include <glob.h>
#include <spemu/codec.h>
#include "timing/uarch.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bits of PMSCR_EL1 and PMSFCR_EL1 (D24.7). */
#define PMSCR_E0SPE (UINT64_C(1) << 0)
#define PMSCR_CX (UINT64_C(1) << 3)
#define PMSCR_PA (UINT64_C(1) << 4)
#define PMSCR_TS (UINT64_C(1) << 5)
#define PMSFCR_FE (UINT64_C(1) << 0)
#define PMSFCR_FT (UINT64_C(1) << 1)
#define PMSFCR_FL (UINT64_C(1) << 2)
#define PMSFCR_FNE (UINT64_C(1) << 3)
#define PMSFCR_B (UINT64_C(1) << 16)
#define PMSFCR_TYPES (UINT64_C(0x1f) << 16) /* B, LD, ST, FP, SIMD */
#define PMSFCR_FP (UINT64_C(1) << 19)
#define PMSFCR_SIMD (UINT64_C(1) << 20)

#define PERIOD_MAX ((UINT64_C(1) << 32) - 256) /* PMSIRR_EL1.INTERVAL has 24 bits */
#define SNAPSHOT_MIN 4096
#define SNAPSHOT_DEFAULT (UINT64_C(1) << 20)
#define SNAPSHOT_MAX (UINT64_C(1) << 30)

/* Parse perf's form: e, a size, or both. */
static void parse_snapshot(struct record_options *opt, const char *text)
{
	opt->snapshot = SNAPSHOT_DEFAULT;
	if (!text)
		return;
	opt->snapshot_at_end = *text == 'e';
	text += opt->snapshot_at_end;
	if (!*text)
		return;
	if (!parse_number(&opt->snapshot, text, 1024))
		die(EXIT_USAGE,
		    "snapshot '%s' is not a size; give bytes, as 64K or 1M, or e, or e and a "
		    "size",
		    text);
	if (opt->snapshot < SNAPSHOT_MIN || opt->snapshot > SNAPSHOT_MAX)
		die(EXIT_USAGE, "snapshot size %s is not from 4K to 1G; use --snapshot=1M", text);
}

/* Ask for totals of the timing model, unless samples cover only a part of the run. */
static void want_totals(struct record_options *opt)
{
	if (!opt->snapshot && !opt->region &&
	    !(opt->params.flags & (RECORDING_SAMPLED | RECORDING_SWITCHED)))
		opt->params.flags |= RECORDING_TOTALS;
}

static void check_snapshot(const struct record_options *opt)
{
	if (opt->snapshot && opt->params.flags & (RECORDING_STACKS_FP | RECORDING_STACKS_SHADOW))
		die(EXIT_USAGE, "--snapshot keeps no call stacks; leave -g and --call-graph out");
}

/* Return PMSFCR_EL1 for a list of types. B, LD, ST, FP and SIMD are bits 16 to 20. */
static uint64_t parse_filter(const char *list)
{
	static const char *const names[] = {"branch", "load", "store", "fp", "simd", NULL};
	char *copy = xstrdup(list), *rest = copy, *word;
	uint64_t bits = 0;

	while ((word = strsep(&rest, ",")))
		bits |= UINT64_C(1) << (16 + find_name("filter", word, names));
	free(copy);
	return bits | PMSFCR_FT;
}

static void take_branches(struct record_options *opt, enum record_branches which)
{
	struct recording_params *p = &opt->params;
	bool previous = which == RECORD_BRANCHES_PREVIOUS;

	opt->branches = true;
	opt->previous_target |= previous;
	p->pmsfcr |= PMSFCR_FT | PMSFCR_B | PMSFCR_FE;
	p->pmsevfr |= UINT64_C(1) << SPEMU_EV_RETIRED;
	if (which != RECORD_BRANCHES_ALL) {
		p->pmsfcr |= PMSFCR_FNE;
		p->pmsnevfr |= UINT64_C(1) << SPEMU_EV_NOT_TAKEN;
	}
}

/* Record the target of a branch unless a choice, which may follow --branches, excludes it. */
static void check_branches(struct record_options *opt)
{
	uint8_t *target = &opt->params.choice[SPEMU_CHOICE_NOT_TAKEN_TARGET];

	if (!opt->branches)
		return;
	if (opt->params.pmsfcr & PMSFCR_TYPES & ~PMSFCR_B)
		die(EXIT_USAGE,
		    "--branches keeps branches alone and --filter other operations; leave "
		    "one of them out");
	if (!*target)
		*target = 1 + SPEMU_NOT_TAKEN_TARGET_RECORDED;
}

static uint64_t parse_events(const char *list)
{
	char *copy = xstrdup(list), *rest = copy, *word;
	uint64_t bits = 0, mask;

	while ((word = strsep(&rest, ","))) {
		int bit = event_bit(word);

		if (parse_number(&mask, word, 1)) {
			bits |= mask;
			continue;
		}
		if (bit < 0)
			die(EXIT_USAGE, "unknown event '%s'%s", word,
			    suggestion(word, spemu_event_names));
		bits |= UINT64_C(1) << bit;
	}
	free(copy);
	if (!bits)
		die(EXIT_USAGE, "event filter '%s' has no events; leave it out or name some", list);
	return bits;
}

/* Append --uarch NAME=VALUE,... to the earlier ones. */
static void parse_uarch(struct record_options *opt, const char *text)
{
	char *all = opt->params.uarch;
	size_t used = strlen(all);

	if (used + strlen(text) + 2 > sizeof(opt->params.uarch))
		die(EXIT_USAGE, "--uarch takes %zu characters at most",
		    sizeof(opt->params.uarch) - 1);
	sprintf(all + used, "%s%s", used ? "," : "", text);
}

/* Return a delay in milliseconds, or -1, which starts disabled. */
static int64_t parse_delay(const char *text)
{
	uint64_t delay;

	if (!strcmp(text, "-1"))
		return -1;
	if (!parse_number(&delay, text, 1000) || delay > INT32_MAX)
		die(EXIT_USAGE,
		    "delay '%s' is not a number of milliseconds; give one, or -1 to wait for a "
		    "command",
		    text);
	return (int64_t)delay;
}

/* Check and store --layout NAME,CHANGE,... */
static void parse_layout(struct record_options *opt, const char *text)
{
	struct spemu_layout layout;

	if (strlen(text) >= sizeof(opt->params.layout))
		die(EXIT_USAGE, "--layout takes %zu characters at most",
		    sizeof(opt->params.layout) - 1);
	parse_layout_name(&layout, text, "record");
	if (layout.align_log2 > 6)
		die(EXIT_USAGE, "--layout: records have at most 64 bytes; use align=64 or less");
	strcpy(opt->params.layout, text);
}

/* Check --fidelity, and add it to the description of the machine in the recording. */
static void check_fidelity(struct record_options *opt)
{
	char *text = opt->machine_text;

	if (!(opt->params.flags & RECORDING_SAMPLED))
		return;
	if (!uarch_profile(opt->machine))
		die(EXIT_USAGE,
		    "--fidelity sampled requires a timing model; --machine none has none");
	if (opt->params.flags & RECORDING_MEMORY_CALLBACKS)
		die(EXIT_USAGE,
		    "--fidelity sampled and --memory-callbacks exclude each other; leave one out");
	text[strlen(text) - 1] = 0; /* removes the closing parenthesis */
	opt->machine_text = xasprintf("%s, sampled fidelity)", text);
}

/* Describe the values for a part of a machine. The name of the part and "=" are before text[at]. */
static const char *uarch_values(const char *text, size_t at)
{
	static const char words[] = "huge_pages=";
	size_t length = sizeof(words) - 1;

	return at >= length && strncmp(text + at - length, words, length) == 0
	               ? "never, madvise or always"
	               : "a number, with K or M";
}

/* Check the changes of --uarch to the profile, and add them to the description of the machine. */
static void check_uarch(struct record_options *opt)
{
	const struct uarch_profile *named = uarch_profile(opt->machine);
	const char *text = opt->params.uarch, *names[64], *why;
	struct uarch_profile profile;
	size_t at = 0;
	unsigned n = 0;

	if (!*text)
		return;
	if (!named)
		die(EXIT_USAGE, "--uarch requires a timing model; --machine none has none");
	profile = *named;
	if (uarch_parse(&profile, &at, text)) {
		char *word = xstrdup(text + at);

		word[strcspn(word, "=,")] = 0;
		while (n < 63 && (names[n] = uarch_option_at(n)))
			n++;
		names[n] = NULL;
		if (!at || text[at - 1] == ',')
			die(EXIT_USAGE, "unknown part of a machine '%s'%s", word,
			    suggestion(word, names));
		die(EXIT_USAGE, "--uarch %s: '%s' is not a valid value; use %s", text, word,
		    uarch_values(text, at));
	}
	if (uarch_check(&profile, &why))
		die(EXIT_USAGE, "--uarch %s: %s: value out of range; see 'man spemu-record'", text,
		    why);
	opt->machine_text = xasprintf("%s with %s (modeled by spemu)", opt->machine, text);
}

static void parse_machine(struct record_options *opt, const char *name)
{
	const struct uarch_profile *profile = parse_machine_name(name);

	opt->machine = name;
	snprintf(opt->params.profile, sizeof(opt->params.profile), "%s", name);
	if (!profile) {
		opt->machine_text = xstrdup("none (no timing model)");
		return;
	}
	opt->params.midr = profile->midr;
	opt->machine_text = xasprintf("%s (modeled by spemu)", name);
}

static bool has_sve(const struct record_options *opt)
{
	const struct uarch_profile *profile = uarch_profile(opt->machine);

	return profile && profile->sve;
}

/* Return true if a machine has all events. Cortex-A76 does not have SPE, and generic is not a real
 * core, so no silicon limits their events. */
static bool has_all_events(const char *machine)
{
	return !strcmp(machine, "generic") || !strcmp(machine, "cortex-a76");
}

/*
 * Choose an architecture version whose SPE has all requested filters: a filter on a field that the
 * version does not have would be ignored. A machine with SVE has at least v8.5, whose
 * FEAT_SPEv1p1 records SVE operations. D24.7 (PMSEVFR_EL1) defines which version introduced
 * E[n]. IMPLEMENTATION DEFINED bits do not require a version.
 */
static void choose_features(struct record_options *opt)
{
	static const uint64_t always = UINT64_C(0xffffffffff00f0aa), v1p1 = UINT64_C(0x60800),
	                      v1p2 = UINT64_C(0x40);
	struct recording_params *p = &opt->params;
	uint64_t events = p->pmsevfr | p->pmsnevfr;
	bool sve = has_sve(opt);
	uint64_t later = sve ? v1p2 : v1p1 | v1p2;
	const char *version = has_all_events(opt->machine) ? "v8.9" : sve ? "v8.5" : "v8.2";

	if (p->pmsfcr & (PMSFCR_FP | PMSFCR_SIMD)) /* FEAT_SPE_EFT */
		version = "v9.5";
	else if (events & ~(always | v1p1 | v1p2)) /* FEAT_SPEv1p4 */
		version = "v8.9";
	else if (strcmp(version, "v8.9") != 0 &&
	         (p->pmsnevfr || (events & later) ||
	          opt->previous_target)) /* FEAT_SPEv1p2, FEAT_SPE_FnE */
		version = "v8.7";
	snprintf(p->features, sizeof(p->features), "%s%s%s", version, sve ? ",+FEAT_SVE" : "",
	         opt->previous_target ? ",+FEAT_SPE_PBT" : "");
}

/* Refuse filters that exclude every sample. */
static void check_filters(const struct record_options *opt)
{
	const struct recording_params *p = &opt->params;
	const struct uarch_profile *profile = uarch_profile(opt->machine);
	uint64_t timeless = UINT64_C(1) << SPEMU_EV_EXCEPTION | UINT64_C(1) << SPEMU_EV_RETIRED |
	                    UINT64_C(1) << SPEMU_EV_NOT_TAKEN;
	const uint64_t sve_events =
	        UINT64_C(1) << SPEMU_EV_PARTIAL_PREDICATE | UINT64_C(1) << SPEMU_EV_EMPTY_PREDICATE;
	uint64_t most = profile ? (UINT64_C(1) << profile->counter_bits) - 1 : 0;

	if (p->min_latency && !profile)
		die(EXIT_USAGE, "--min-latency requires a timing model, and --machine none has "
		                "none; use another --machine");
	if (p->min_latency > most && p->min_latency)
		die(EXIT_USAGE, "latency %llu is above the counters' maximum of %llu; use less",
		    (unsigned long long)p->min_latency, (unsigned long long)most);
	if ((p->pmsevfr & ~timeless) && !profile)
		warn("machine 'none' makes no cache, TLB and prediction events: the event filter "
		     "may leave nothing");
	if (((p->pmsevfr | p->pmsnevfr) & sve_events) && !has_sve(opt))
		die(EXIT_USAGE,
		    "machine '%s' does not have SVE, whose events the event filter selects; use "
		    "--machine neoverse-v1, neoverse-n2, neoverse-v2 or generic",
		    opt->machine);
	if (p->pmsevfr & p->pmsnevfr)
		die(EXIT_USAGE, "an event is in both --event-filter and --inv-event-filter; leave "
		                "it out of one");
}

static void take_choice(struct recording_params *p, const char *text)
{
	enum spemu_choice choice;
	unsigned option;

	parse_choice(&choice, &option, text);
	if (choice != SPEMU_CHOICE_COUNT)
		p->choice[choice] = (uint8_t)(option == SPEMU_CHOICE_RANDOM ? option : option + 1);
	for (unsigned i = 0; choice == SPEMU_CHOICE_COUNT && i < SPEMU_CHOICE_COUNT; i++)
		if (!p->choice[i])
			p->choice[i] = SPEMU_CHOICE_RANDOM;
}

static void check_choices(const struct recording_params *p)
{
	char *which = xasprintf("the features of %s", p->features);
	struct spemu_features features;

	if (spemu_features_parse(&features, NULL, p->features))
		return;
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		if (p->choice[i] && p->choice[i] != SPEMU_CHOICE_RANDOM)
			check_choice(&features, (enum spemu_choice)i, p->choice[i] - 1u, which);
	}
	free(which);
}

#define STACKS (RECORDING_STACKS_FP | RECORDING_STACKS_SHADOW)

static void take_call_graph(struct recording_params *p, enum record_call_graph kind)
{
	p->flags &= ~(uint32_t)STACKS;
	p->flags |= kind == RECORD_CALL_GRAPH_FP ? RECORDING_STACKS_FP : RECORDING_STACKS_SHADOW;
}

/* Check that call stacks can be matched with records, by the time of a record when it is
 * written. */
static void check_call_graph(const struct recording_params *p)
{
	if (!(p->flags & STACKS))
		return;
	if (!(p->pmscr & PMSCR_TS))
		die(EXIT_USAGE, "call stacks require timestamps; leave out --no-timestamps or -g");
	if (p->flags & RECORDING_STRICT)
		die(EXIT_USAGE, "strict mode writes records late, and call stacks would be those "
		                "of other records; leave out --strict or -g");
}

/* Take options that add up, and check texts that the table does not check. */
static void take_option(void *to, int row)
{
	struct record_options *opt = to;
	struct recording_params *p = &opt->params;

	switch (row) {
	case RECORD_FILTER:
		p->pmsfcr |= parse_filter(optarg);
		break;
	case RECORD_BRANCHES:
		take_branches(opt, (enum record_branches)option_value.word);
		break;
	case RECORD_EVENT_FILTER:
		p->pmsevfr |= parse_events(optarg);
		p->pmsfcr |= PMSFCR_FE;
		break;
	case RECORD_INV_EVENT_FILTER:
		p->pmsnevfr |= parse_events(optarg);
		p->pmsfcr |= PMSFCR_FNE;
		break;
	case RECORD_CALL_STACKS:
		take_call_graph(p, RECORD_CALL_GRAPH_SHADOW);
		break;
	case RECORD_CALL_GRAPH:
		take_call_graph(p, (enum record_call_graph)option_value.word);
		break;
	case RECORD_PA:
		if (!physical_addresses_readable())
			die(EXIT_OWN, "--pa needs CAP_SYS_ADMIN to read frame numbers from "
			              "/proc/self/pagemap; run as root, or leave it out");
		p->pmscr |= PMSCR_PA;
		break;
	case RECORD_CHOOSE:
		take_choice(p, optarg);
		break;
	case RECORD_MACHINE:
		parse_machine(opt, optarg);
		break;
	case RECORD_UARCH:
		parse_uarch(opt, optarg);
		break;
	case RECORD_LAYOUT:
		parse_layout(opt, optarg);
		break;
	case RECORD_DELAY:
		opt->delay = parse_delay(optarg);
		break;
	case RECORD_SNAPSHOT:
		parse_snapshot(opt, optarg);
		break;
	}
}

static uint32_t flags_of(const struct option_value *value)
{
	static const struct {
		enum record_option row;
		uint32_t flag;
	} rows[] = {{RECORD_STRICT, RECORDING_STRICT},
	            {RECORD_MEMORY_CALLBACKS, RECORDING_MEMORY_CALLBACKS},
	            {RECORD_HEAP, RECORDING_HEAP},
	            {RECORD_NO_INHERIT, RECORDING_NO_FOLLOW},
	            {RECORD_PA, RECORDING_PHYS_ADDR},
	            {RECORD_CONTROL, RECORDING_SWITCHED},
	            {RECORD_DELAY, RECORDING_SWITCHED}};
	uint32_t flags =
	        value[RECORD_FIDELITY].word == RECORD_FIDELITY_SAMPLED ? RECORDING_SAMPLED : 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		flags |= value[rows[i].row].given ? rows[i].flag : 0;
	return flags;
}

/* Take options whose last occurrence counts. */
static void take_values(struct record_options *opt, const struct option_value *value)
{
	struct recording_params *p = &opt->params;
	uint64_t period = value[RECORD_COUNT].number;

	/* INTERVAL counts in units of 256 (D24.7, PMSIRR_EL1): round to the nearest. */
	period = (period + 128) & ~UINT64_C(255);
	p->period = period < PERIOD_MAX ? period : PERIOD_MAX;
	p->buffer_size = (uint32_t)((value[RECORD_BUFFER].number + 4095) & ~UINT64_C(4095));
	p->flags |= flags_of(value);
	p->min_latency = value[RECORD_MIN_LATENCY].number;
	p->pmslatfr = p->min_latency & 0xffff;
	p->pmsfcr |= p->min_latency ? PMSFCR_FL : 0;
	p->interleave = value[RECORD_INTERLEAVE].number;
	p->jitter = value[RECORD_JITTER].given;
	p->seed = value[RECORD_SEED].number;
	if (value[RECORD_NO_TIMESTAMPS].given)
		p->pmscr &= ~PMSCR_TS;
	opt->previous_target |= value[RECORD_PREVIOUS_TARGET].given;
	opt->output = value[RECORD_OUTPUT].text;
	opt->perf_metadata = value[RECORD_PERF_METADATA].word == RECORD_PERF_METADATA_2 ? 2 : 1;
	opt->control = value[RECORD_CONTROL].text;
	opt->region = value[RECORD_REGION].text;
	opt->qemu = value[RECORD_QEMU].text;
	opt->sysroot_given = value[RECORD_SYSROOT].given;
	opt->sysroot = value[RECORD_SYSROOT].text;
}

/* Return the folder where packages of other machines install AArch64's C library, or NULL. */
static const char *packaged_sysroot(void)
{
	static const char *const places[] = {"/usr/aarch64-linux-gnu", /* Debian, Ubuntu */
	                                     "/usr/aarch64-redhat-linux/sys-root/fc*/usr"};
	const char *found = NULL;
	glob_t list;

	for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++) {
		if (glob(places[i], 0, NULL, &list))
			continue;
		found = xstrdup(list.gl_pathv[list.gl_pathc - 1]); /* the last one is the newest */
		globfree(&list);
	}
	return found;
}

void record_parse(struct record_options *opt, int argc, char **argv)
{
	struct option_value value[RECORD_OPTION_COUNT] = {
	        [RECORD_OUTPUT].text = "perf.data",
	        [RECORD_COUNT].number = 4096,
	        [RECORD_BUFFER].number = 65536,
	};

	*opt = (struct record_options){.stream = -1};
	opt->params.pmscr = PMSCR_E0SPE | PMSCR_CX | PMSCR_TS;
	parse_machine(opt, "neoverse-n1");
	read_options(value, &record_options, argc, argv, take_option, opt);
	take_values(opt, value);
	check_uarch(opt);
	check_fidelity(opt);
	check_filters(opt);
	check_branches(opt);
	check_call_graph(&opt->params);
	check_snapshot(opt);
	want_totals(opt);
	choose_features(opt);
	check_choices(&opt->params);
	if (opt->params.interleave && (opt->params.flags & RECORDING_MEMORY_CALLBACKS))
		die(EXIT_USAGE,
		    "--interleave and --memory-callbacks exclude each other; leave one out");
	if (opt->delay < 0 && !opt->control)
		die(EXIT_USAGE,
		    "-D -1 starts disabled and nothing would enable it; give --control as well");
	if (optind >= argc)
		die(EXIT_USAGE, "no program given; use 'spemu record -- PROGRAM [ARGUMENTS]'");
	if (!*argv[optind])
		die(EXIT_NOT_FOUND, "the program's name is empty; give the path of a program");
	opt->program = argv + optind;
	if (!opt->sysroot_given)
		opt->sysroot = packaged_sysroot();
}
