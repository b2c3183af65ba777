/* SPDX-License-Identifier: MIT */
/* The configuration of a scenario, which precedes all other commands, and the start of its SPU. */
#include "run_state.h"

/* Return true if the command line names this choice. It then replaces the scenario's choice. */
static bool chosen_outside(const struct run *run, enum spemu_choice choice)
{
	for (unsigned i = 0; i < run->options->choice_count; i++)
		if (run->options->choices[i].choice == choice)
			return choice != SPEMU_CHOICE_COUNT;
	return false;
}

static bool choose(struct run *run, enum spemu_choice choice, unsigned option)
{
	int status = spemu_choice_set(run->machine.pe, choice, option);
	const struct spemu_choice_description *d = spemu_choice_describe(choice);

	if (status == SPEMU_ERR_NOT_SUPPORTED)
		run_abandon(run, "%s has no option %s with these features: it needs %s", d->name,
		            d->option[option].name, d->option[option].needs);
	return status == SPEMU_OK;
}

static bool execute_choose(struct run *run, const struct command *c)
{
	enum spemu_choice choice = c->choose.choice;

	if (choice != SPEMU_CHOICE_COUNT)
		return chosen_outside(run, choice) || choose(run, choice, c->choose.option);
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
		if (!chosen_outside(run, (enum spemu_choice)i) &&
		    !choose(run, (enum spemu_choice)i, c->choose.option))
			return false;
	return true;
}

/* Apply the choices: first "all=random" of the command line, which named choices replace, then the
 * scenario's choices, and then named choices of the command line. */
static bool apply_choices(struct run *run)
{
	const struct scenario_choice *outside = run->options->choices;

	/* In strict mode a Capture is ongoing until software has polled, unless a choice says
	 * otherwise. */
	if (run->options->strict &&
	    !choose(run, SPEMU_CHOICE_CAPTURE_COMPLETION, SPEMU_CAPTURE_COMPLETION_DELAYED))
		return false;
	for (unsigned i = 0; i < run->options->choice_count; i++)
		if (outside[i].choice == SPEMU_CHOICE_COUNT &&
		    !choose(run, SPEMU_CHOICE_COUNT, outside[i].option))
			return false;
	for (unsigned i = 0; i < run->chosen_count; i++) {
		run->current = run->chosen[i];
		if (!execute_choose(run, run->chosen[i]))
			return false;
	}
	for (unsigned i = 0; i < run->options->choice_count; i++)
		if (outside[i].choice != SPEMU_CHOICE_COUNT &&
		    !choose(run, outside[i].choice, outside[i].option))
			return false;
	return true;
}

/* Return true if every record fits into the scenario's PMSIDR_EL1.MaxSize. */
static bool records_fit(struct run *run)
{
	int largest = spemu_spu_largest_record(&run->config, &run->pe_config.features);
	unsigned least = 6;

	while (largest > 0 && 1u << least < (unsigned)largest)
		least++;
	if (!run->config.max_size_log2 || run->config.max_size_log2 >= least)
		return true;
	run_abandon(
	        run,
	        "with these features a record may have %d bytes: maxsize %u is too small; use %u",
	        largest, 1u << run->config.max_size_log2, 1u << least);
	return false;
}

bool run_start(struct run *run)
{
	const char *features = run->options->features ? run->options->features : run->features;
	const struct command *current = run->current;
	const char *rule = NULL;
	int status;

	run->started = true;
	if (spemu_features_parse(&run->pe_config.features, NULL, features)) {
		run_abandon(run, "'%s' is not a feature set", features);
		return false;
	}
	if (spemu_features_check(&run->pe_config.features, &rule)) {
		run_abandon(run, "this feature set is impossible: %s", rule);
		return false;
	}
	if (run->options->has_seed)
		run->pe_config.seed = run->options->seed;
	if (!records_fit(run))
		return false;
	status = machine_start(&run->machine, &run->pe_config, &run->config);
	if (status) {
		run_abandon(run, "%s: %s", features, spemu_strerror(status));
		return false;
	}
	if (!apply_choices(run))
		return false;
	run->current = current;
	if (run->options->vm_rules)
		(void)spemu_spu_set_vm_rules(run->machine.spu, run->options->vm_rules);
	if (run->options->strict)
		(void)spemu_spu_set_strict(run->machine.spu, true, run->options->strict_seed);
	/* Effects of UNKNOWN reset values and of choices do not belong to the scenario. */
	run->machine.count[COUNT_INTERRUPTS] = 0;
	run->machine.count[COUNT_DIAGNOSTICS] = 0;
	run->machine.diagnosed_count = 0;
	trace_start(run);
	return true;
}

#define MEMBER(member) offsetof(struct run, member), sizeof(((struct run *)0)->member)
#define BITS(from, to) (UINT64_MAX >> (63 - (to)) & UINT64_MAX << (from))
/* Members that commands set, with their values. With a unit, unit * n is allowed if bit n of
 * `allowed` is 1. Without a unit, a value may have the bits of `allowed`. */
static const struct {
	size_t at, size; /* place of the value in struct run */
	uint64_t unit, allowed;
	const char *wanted;
	bool log2; /* 2^n is allowed, and n is stored */
} config_items[] = {
        [CONFIG_MAX_SIZE] = {MEMBER(config.max_size_log2), 1, BITS(6, 11),
                             "64, 128, 256, 512, 1024 or 2048", .log2 = true},
        [CONFIG_ALIGN] = {MEMBER(config.layout.align_log2), 1, BITS(0, 11),
                          "a power of two up to 2048", .log2 = true},
        [CONFIG_COUNT_SIZE] = {MEMBER(config.counter_bits), 1, 1 << 12 | 1 << 16, "12 or 16"},
        [CONFIG_INTERVAL_MIN] = {MEMBER(config.min_interval), 256,
                                 BITS(1, 4) | 1 << 6 | 1 << 8 | 1 << 12 | 1 << 16,
                                 "256, 512, 768, 1024, 1536, 2048, 3072 or 4096"},
        [CONFIG_EVENTS_SIZE] = {MEMBER(config.events_size), 1, 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8,
                                "1, 2, 4 or 8"},
        [CONFIG_SOURCE_SIZE] = {MEMBER(config.data_source_size), 1, BITS(1, 2), "1 or 2"},
        [CONFIG_IMPDEF_EVENTS] = {MEMBER(config.impdef_events), 0, UINT64_MAX, ""},
        [CONFIG_MISSING_EVENTS] = {MEMBER(config.missing_events), 0, SPEMU_OPTIONAL_EVENTS,
                                   "some of 0x2f80f00, the optional events"},
        [CONFIG_MISSING_SOURCE_FILTERS] = {MEMBER(config.missing_source_filters), 0, UINT64_MAX,
                                           ""},
        [CONFIG_IN_FLIGHT] = {MEMBER(config.samples_in_flight), 1, BITS(1, SPEMU_IN_FLIGHT_MAX),
                              "1 to 16"},
        [CONFIG_ALTERNATE_CLOCK] = {MEMBER(config.alternate_clock), 1,
                                    1 << SPEMU_ALTCLK_SMCU | 1 << SPEMU_ALTCLK_IMPDEF,
                                    "1 (SMCU) or 15 (IMPLEMENTATION DEFINED)"},
        [CONFIG_SEED] = {MEMBER(pe_config.seed), 0, UINT64_MAX, ""},
        /* spemu_pe_init() refuses sizes that the features do not have. */
        [CONFIG_PA_BITS] = {MEMBER(pe_config.pa_bits), 1, BITS(32, 56), "32 to 56"},
        [CONFIG_EVENT_COUNTERS] = {MEMBER(machine.event_counters), 1, BITS(1, 31), "1 to 31"},
};

static bool is_allowed(uint64_t unit, uint64_t allowed, uint64_t value)
{
	if (!unit)
		return !(value & ~allowed);
	return value % unit == 0 && value / unit < 64 && (allowed >> value / unit & 1);
}

static void configure(struct run *run, const struct command *c)
{
	uint64_t value = c->config, n = value;
	enum config_item i = (enum config_item)c->code;
	bool is_power = value && !(value & (value - 1));

	if (config_items[i].log2)
		n = is_power ? (uint64_t)__builtin_ctzll(value) : UINT64_MAX;
	if (is_allowed(config_items[i].unit, config_items[i].allowed, n))
		put_number((char *)run + config_items[i].at, config_items[i].size, n);
	else
		run_abandon(run, "the value must be %s", config_items[i].wanted);
}

/* Execute a command of the configuration. Return false for other commands. */
bool execute_configuration(struct run *run, const struct command *c)
{
	switch (c->kind) {
	case COMMAND_FEATURES:
		run->features = c->text;
		break;
	case COMMAND_LAYOUT:
		run->config.layout = c->layout;
		break;
	case COMMAND_CONFIG:
		configure(run, c);
		break;
	case COMMAND_TRANSLATE:
		run->machine.translate = c->translate;
		break;
	case COMMAND_CHOOSE:
		if (run->started)
			return (void)execute_choose(run, c), true;
		if (run->chosen_count == CHOSEN_MAX)
			run_abandon(run, "more than %u choices", CHOSEN_MAX);
		else
			run->chosen[run->chosen_count++] = c;
		break;
	default:
		return false;
	}
	if (run->started && !run->abandoned)
		run_abandon(run, "configuration commands must come before all other commands");
	return true;
}
