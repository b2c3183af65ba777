/* SPDX-License-Identifier: MIT */
/* See subject.h. Arm ARM: DDI 0487 M.a, D18.2 (packets of a record), D14.3 (PMU events). */
#include "subject.h"

#include <stdio.h>
#include <string.h>

#include "scenario_machine.h"
#include "script.h"

const char *const pmu_event_names[] = {
        "SAMPLE_POP",       "SAMPLE_FEED",       "SAMPLE_FILTRATE",
        "SAMPLE_COLLISION", "SAMPLE_FEED_DS",    "SAMPLE_BUFFER_FULL",
        "SAMPLE_FEED_BR",   "SAMPLE_FEED_LD",    "SAMPLE_FEED_ST",
        "SAMPLE_FEED_OP",   "SAMPLE_FEED_EVENT", "SAMPLE_FEED_LAT",
        "SAMPLE_FEED_FP",   "SAMPLE_FEED_SIMD",  NULL,
};
const uint16_t pmu_event_numbers[] = {
        SPEMU_PMU_SAMPLE_POP,       SPEMU_PMU_SAMPLE_FEED,       SPEMU_PMU_SAMPLE_FILTRATE,
        SPEMU_PMU_SAMPLE_COLLISION, SPEMU_PMU_SAMPLE_FEED_DS,    SPEMU_PMU_SAMPLE_BUFFER_FULL,
        SPEMU_PMU_SAMPLE_FEED_BR,   SPEMU_PMU_SAMPLE_FEED_LD,    SPEMU_PMU_SAMPLE_FEED_ST,
        SPEMU_PMU_SAMPLE_FEED_OP,   SPEMU_PMU_SAMPLE_FEED_EVENT, SPEMU_PMU_SAMPLE_FEED_LAT,
        SPEMU_PMU_SAMPLE_FEED_FP,   SPEMU_PMU_SAMPLE_FEED_SIMD,
};
_Static_assert(sizeof(pmu_event_numbers) / sizeof(uint16_t) <= PMU_EVENT_MAX, "room to count");

const char *const security_names[] = {"Secure", "Non-secure", "Root", "Realm", NULL};
const char *const capture_names[] = {"Disabled", "Prohibited", "Allowed", NULL};
const char *const address_type_names[] = {"va", "ipa", "pa", NULL};
const char *const memory_type_names[] = {"device-nGnRnE", "device-nGnRE", "device-nGRE",
                                         "device-GRE",    "normal",       NULL};
const char *const cacheability_names[] = {"nc", "wt", "wb", NULL};
const char *const shareability_names[] = {"nsh", "reserved", "osh", "ish", NULL};
const char *const level_names[] = {"EL0", "EL1", "EL2", "EL3", NULL};

const char *const *value_names(enum value_kind kind)
{
	switch (kind) {
	case VALUE_SECURITY:
		return security_names;
	case VALUE_CAPTURE:
		return capture_names;
	case VALUE_ADDRESS_TYPE:
		return address_type_names;
	case VALUE_MEMORY_TYPE:
		return memory_type_names;
	case VALUE_CACHEABILITY:
		return cacheability_names;
	case VALUE_SHAREABILITY:
		return shareability_names;
	case VALUE_LEVEL:
		return level_names;
	default:
		return NULL;
	}
}

void value_text(char *text, size_t size, enum value_kind kind, uint64_t value)
{
	const char *const *names = value_names(kind);
	const char *word = NULL;

	for (uint64_t i = 0; names && names[i]; i++)
		if (i == value)
			word = names[i];
	switch (kind) {
	case VALUE_YES_NO:
		word = value == 0 ? "no" : value == 1 ? "yes" : NULL;
		break;
	case VALUE_DISTANCE:
		word = value == UINT64_MAX ? "never" : NULL;
		break;
	case VALUE_OWNER:
		snprintf(text, size, "%s/EL%u", security_names[value >> 8 & 3],
		         (unsigned)value & 3);
		return;
	case VALUE_EVENTS:
		events_text(text, size, value);
		return;
	case VALUE_HEX:
		snprintf(text, size, "%#llx", (unsigned long long)value);
		return;
	default:
		break;
	}
	if (word)
		snprintf(text, size, "%s", word);
	else
		snprintf(text, size, "%llu", (unsigned long long)value);
}

/* Of the machine. */

static bool get_irq(struct query *q, uint64_t *value)
{
	*value = spemu_pmbirq(q->machine->spu);
	return true;
}

static bool get_pmuirq(struct query *q, uint64_t *value)
{
	*value = q->machine->pmu && spemu_pmu_irq(q->machine->pmu);
	return true;
}

static bool get_capture(struct query *q, uint64_t *value)
{
	*value = q->machine->pmu ? spemu_pmu_capture(q->machine->pmu) : SPEMU_CAPTURE_DISABLED;
	return true;
}

static bool get_counts(struct query *q, uint64_t *value)
{
	*value = q->machine->pmu && spemu_pmu_counts(q->machine->pmu, q->argument);
	return true;
}

static bool get_ptr(struct query *q, uint64_t *value)
{
	return spemu_reg_get(q->machine->pe, value, SPEMU_REG_PMBPTR_EL1) == SPEMU_OK;
}

static bool get_count(struct query *q, uint64_t *value)
{
	*value = q->machine->count[q->argument];
	return true;
}

static bool get_pmu(struct query *q, uint64_t *value)
{
	*value = q->machine->pmu_count[q->argument];
	return true;
}

static bool get_until(struct query *q, uint64_t *value)
{
	*value = spemu_ops_until_sample(q->machine->spu);
	return true;
}

static bool get_enabled(struct query *q, uint64_t *value)
{
	struct spemu_pe_state state;

	spemu_pe_get(q->machine->pe, &state);
	*value =
	        spemu_profiling_enabled(q->machine->spu, q->argument == 4 ? state.el : q->argument);
	return true;
}

static bool get_buffer_enabled(struct query *q, uint64_t *value)
{
	*value = spemu_buffer_enabled(q->machine->spu);
	return true;
}

static bool get_stopped(struct query *q, uint64_t *value)
{
	*value = spemu_profiling_stopped(q->machine->spu);
	return true;
}

static bool get_owner(struct query *q, uint64_t *value)
{
	struct spemu_owner owner;

	spemu_buffer_owner(q->machine->spu, &owner);
	*value = (uint64_t)owner.security << 8 | owner.el;
	return true;
}

static bool get_in_flight(struct query *q, uint64_t *value)
{
	*value = spemu_samples_in_flight(q->machine->spu);
	if (q->argument)
		*value = *value != 0;
	return true;
}

static bool get_clock(struct query *q, uint64_t *value)
{
	*value = q->machine->clock;
	return true;
}

static bool get_freeze(struct query *q, uint64_t *value)
{
	*value = spemu_pmu_freeze(q->machine->spu);
	return true;
}

static bool get_exception(struct query *q, uint64_t *value)
{
	*value = spemu_profiling_exception_target(q->machine->spu);
	return *value != 0;
}

/* Of the exception that one PMBSR_ELx.S asks for. */
enum { EXCEPTION_PENDING, EXCEPTION_MASKED, EXCEPTION_TARGET, EXCEPTION_MASKED_BY };
#define EXCEPTION_OF(el, part) ((el) | (part) << 8)

static bool get_exception_of(struct query *q, uint64_t *value)
{
	struct spemu_profiling_exception e;

	(void)spemu_profiling_exception(q->machine->spu, &e, q->argument & 0xff);
	switch (q->argument >> 8) {
	case EXCEPTION_PENDING:
		*value = e.pending;
		return true;
	case EXCEPTION_MASKED:
		*value = e.masked;
		return e.pending;
	case EXCEPTION_TARGET:
		*value = e.target_el;
		return e.pending;
	default:
		*value = 0;
		snprintf(q->text, sizeof(q->text), "%s", e.masked ? e.masked_by : "");
		return e.masked;
	}
}

#define EXCEPTION_SUBJECTS(name, el)                                                            \
	{name ".pending", VALUE_YES_NO, get_exception_of, EXCEPTION_OF(el, EXCEPTION_PENDING)}, \
	        {name ".masked", VALUE_YES_NO, get_exception_of,                                \
	         EXCEPTION_OF(el, EXCEPTION_MASKED)},                                           \
	        {name ".target", VALUE_LEVEL, get_exception_of,                                 \
	         EXCEPTION_OF(el, EXCEPTION_TARGET)},                                           \
	{                                                                                       \
		name ".masked-by", VALUE_TEXT, get_exception_of,                                \
		        EXCEPTION_OF(el, EXCEPTION_MASKED_BY)                                   \
	}

static bool get_injected(struct query *q, uint64_t *value)
{
	uint64_t count;

	*value = 0;
	for (unsigned i = 0; i < q->machine->injections; i++) {
		(void)spemu_injected(q->machine->spu, &count, i);
		*value += count;
	}
	return true;
}

static bool get_injected_one(struct query *q, uint64_t *value)
{
	return q->argument < q->machine->injections &&
	       spemu_injected(q->machine->spu, value, (unsigned)q->argument) == SPEMU_OK;
}

static bool get_writes(struct query *q, uint64_t *value)
{
	*value = q->machine->writes;
	return true;
}

static bool get_word(struct query *q, uint64_t *value)
{
	bool found;

	*value = machine_word(q->machine, q->argument, &found);
	return found;
}

static bool get_written(struct query *q, uint64_t *value)
{
	bool found;

	*value = machine_written(q->machine, q->argument, &found);
	return found;
}

const struct subject machine_subjects[] = {
        {"irq", VALUE_YES_NO, get_irq, 0},
        {"ptr", VALUE_HEX, get_ptr, 0},
        {"pmuirq", VALUE_YES_NO, get_pmuirq, 0},
        {"capture", VALUE_CAPTURE, get_capture, 0},
        {"brbe-freezes", VALUE_DECIMAL, get_count, COUNT_BRBE_FREEZES},
        {"counts.", VALUE_YES_NO, get_counts, 0},
        {"samples", VALUE_DECIMAL, get_count, COUNT_SAMPLES},
        {"collisions", VALUE_DECIMAL, get_count, COUNT_COLLISIONS},
        {"records", VALUE_DECIMAL, get_count, COUNT_RECORDS},
        {"filtered", VALUE_DECIMAL, get_count, COUNT_FILTERED},
        {"discarded", VALUE_DECIMAL, get_count, COUNT_DISCARDED},
        {"lost", VALUE_DECIMAL, get_count, COUNT_LOST},
        {"management-events", VALUE_DECIMAL, get_count, COUNT_MANAGEMENT},
        {"operations", VALUE_DECIMAL, get_count, COUNT_OPERATIONS},
        {"interrupts", VALUE_DECIMAL, get_count, COUNT_INTERRUPTS},
        {"until-sample", VALUE_DISTANCE, get_until, 0},
        {"enabled", VALUE_YES_NO, get_enabled, 4},
        {"enabled.EL0", VALUE_YES_NO, get_enabled, 0},
        {"enabled.EL1", VALUE_YES_NO, get_enabled, 1},
        {"enabled.EL2", VALUE_YES_NO, get_enabled, 2},
        {"enabled.EL3", VALUE_YES_NO, get_enabled, 3},
        {"buffer-enabled", VALUE_YES_NO, get_buffer_enabled, 0},
        {"stopped", VALUE_YES_NO, get_stopped, 0},
        {"owner", VALUE_OWNER, get_owner, 0},
        {"in-flight", VALUE_YES_NO, get_in_flight, 1},
        {"samples-in-flight", VALUE_DECIMAL, get_in_flight, 0},
        {"clock", VALUE_DECIMAL, get_clock, 0},
        {"freeze", VALUE_YES_NO, get_freeze, 0},
        {"serrors", VALUE_DECIMAL, get_count, COUNT_SERRORS},
        {"diagnostics", VALUE_DECIMAL, get_count, COUNT_DIAGNOSTICS},
        {"exception", VALUE_LEVEL, get_exception, 0},
        EXCEPTION_SUBJECTS("exception.EL1", 1),
        EXCEPTION_SUBJECTS("exception.EL2", 2),
        EXCEPTION_SUBJECTS("exception.EL3", 3),
        {"injected", VALUE_DECIMAL, get_injected, 0},
        {"injected.", VALUE_DECIMAL, get_injected_one, 0},
        {"writes", VALUE_DECIMAL, get_writes, 0},
        {"word.", VALUE_HEX, get_word, 0},
        {"written.", VALUE_DECIMAL, get_written, 0},
        {"pmu.", VALUE_DECIMAL, get_pmu, 0},
        {NULL, VALUE_HEX, NULL, 0},
};
