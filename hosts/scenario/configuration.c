/* SPDX-License-Identifier: MIT */
/* What comes before a scenario's first other command, and the SPU that it makes. */
#include "run_state.h"

/* The command line names this choice: it replaces the scenario's. */
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

	if (status == SPEMU_ERR_NOT_SUPPORTED)
		run_abandon(run, "%s has no option %s with these features: it needs %s",
		            spemu_choice_name(choice), spemu_choice_option_name(choice, option),
		            spemu_choice_option_needs(choice, option));
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

/* "all=random" of the command line first: it says nothing of what is named somewhere. */
static bool apply_choices(struct run *run)
{
	const struct scenario_choice *outside = run->options->choices;

	/* Strict: a Capture is ongoing until software has polled, unless somebody wants
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

/* PMSIDR_EL1.MaxSize, where the scenario names it, holds every record. */
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
		run_abandon(run, "no feature set: '%s'", features);
		return false;
	}
	if (spemu_features_check(&run->pe_config.features, &rule)) {
		run_abandon(run, "this feature set cannot be: %s", rule);
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
	/* What UNKNOWN reset values and choices brought about is not of the scenario. */
	run->machine.count[COUNT_INTERRUPTS] = 0;
	run->machine.count[COUNT_DIAGNOSTICS] = 0;
	run->machine.diagnosed_count = 0;
	trace_start(run);
	return true;
}

/* The exponent of a power of two in [low, 2048], or -1. */
static int exponent(uint64_t value, unsigned low)
{
	for (int i = 0; i <= 11; i++)
		if (value == UINT64_C(1) << i && value >= low)
			return i;
	return -1;
}

static bool interval_exists(uint64_t n)
{
	return n == 256 || n == 512 || n == 768 || n == 1024 || n == 1536 || n == 2048 ||
	       n == 3072 || n == 4096;
}

static void configure(struct run *run, const struct command *c)
{
	struct spemu_spu_config *config = &run->config;
	uint64_t value = c->config.value;
	const char *wanted = NULL;

	switch (c->config.item) {
	case CONFIG_MAX_SIZE:
		wanted = exponent(value, 64) < 0 ? "64, 128, 256, 512, 1024 or 2048" : NULL;
		config->max_size_log2 = (uint8_t)exponent(value, 64);
		break;
	case CONFIG_ALIGN:
		wanted = exponent(value, 1) < 0 ? "a power of two up to 2048" : NULL;
		config->layout.align_log2 = (uint8_t)exponent(value, 1);
		break;
	case CONFIG_COUNT_SIZE:
		wanted = value != 12 && value != 16 ? "12 or 16" : NULL;
		config->counter_bits = (uint8_t)value;
		break;
	case CONFIG_INTERVAL_MIN:
		wanted = interval_exists(value) ? NULL
		                                : "256, 512, 768, 1024, 1536, 2048, 3072 or 4096";
		config->min_interval = (uint16_t)value;
		break;
	case CONFIG_EVENTS_SIZE:
		wanted = exponent(value, 1) < 0 || value > 8 ? "1, 2, 4 or 8" : NULL;
		config->events_size = (uint8_t)value;
		break;
	case CONFIG_SOURCE_SIZE:
		wanted = value != 1 && value != 2 ? "1 or 2" : NULL;
		config->data_source_size = (uint8_t)value;
		break;
	case CONFIG_IMPDEF_EVENTS:
		config->impdef_events = value;
		break;
	case CONFIG_MISSING_EVENTS:
		wanted = value & ~SPEMU_OPTIONAL_EVENTS ? "some of 0x2f80f00, the optional events"
		                                        : NULL;
		config->missing_events = value;
		break;
	case CONFIG_MISSING_SOURCE_FILTERS:
		config->missing_source_filters = value;
		break;
	case CONFIG_IN_FLIGHT:
		wanted = !value || value > SPEMU_IN_FLIGHT_MAX ? "1 to 16" : NULL;
		config->samples_in_flight = (uint8_t)value;
		break;
	case CONFIG_ALTERNATE_CLOCK:
		wanted = value != SPEMU_ALTCLK_SMCU && value != SPEMU_ALTCLK_IMPDEF
		                 ? "1 (SMCU) or 15 (IMPLEMENTATION DEFINED)"
		                 : NULL;
		config->alternate_clock = (uint8_t)value;
		break;
	case CONFIG_SEED:
		run->pe_config.seed = value;
		break;
	case CONFIG_PA_BITS: /* spemu_pe_init() says which of them the features have */
		wanted = value < 32 || value > 56 ? "32 to 56" : NULL;
		run->pe_config.pa_bits = (uint8_t)value;
		break;
	case CONFIG_EVENT_COUNTERS:
		wanted = !value || value > 31 ? "1 to 31" : NULL;
		run->machine.event_counters = (uint8_t)value;
		break;
	}
	if (wanted)
		run_abandon(run, "the value has to be %s", wanted);
}

/* Commands that make the configuration; false for others. */
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
		run_abandon(run, "the configuration comes before the first other command");
	return true;
}
