/* SPDX-License-Identifier: MIT */
/* Subjects of expectations about the machine. */
#include "subject.h"

#include <stdio.h>

#include <spemu/explain.h>
#include "scenario_machine.h"
#include "script.h"

/* Arguments of get_property(). */
enum machine_property {
	IRQ,
	PMUIRQ,
	CAPTURE,
	UNTIL_SAMPLE,
	BUFFER_ENABLED,
	STOPPED,
	OWNER,
	IN_FLIGHT,
	IS_IN_FLIGHT,
	CLOCK,
	FREEZE,
	WRITES,
};

static bool get_property(struct query *q, uint64_t *value)
{
	const struct machine *m = q->machine;
	const struct spemu_spu *spu = m->spu;
	struct spemu_decisions decisions;
	struct spemu_owner owner;

	spemu_spu_buffer_owner(spu, &owner);
	spemu_explain_decide(m->pe, &decisions);
	const uint64_t values[] = {
	        [IRQ] = spemu_spu_pmbirq(spu),
	        [PMUIRQ] = m->pmu && spemu_pmu_irq(m->pmu),
	        [CAPTURE] = m->pmu ? spemu_pmu_capture(m->pmu) : SPEMU_CAPTURE_DISABLED,
	        [UNTIL_SAMPLE] = spemu_spu_ops_until_sample(spu),
	        [BUFFER_ENABLED] = decisions.buffer_enabled,
	        [STOPPED] = decisions.stopped,
	        [OWNER] = (uint64_t)owner.security << 8 | owner.el,
	        [IN_FLIGHT] = spemu_spu_samples_in_flight(spu),
	        [IS_IN_FLIGHT] = spemu_spu_samples_in_flight(spu) != 0,
	        [CLOCK] = m->clock,
	        [FREEZE] = spemu_spu_pmu_freeze(spu),
	        [WRITES] = m->writes,
	};

	*value = values[q->argument];
	return true;
}

static bool get_counts(struct query *q, uint64_t *value)
{
	*value = q->machine->pmu && q->argument < SPEMU_PMU_COUNTERS &&
	         spemu_pmu_counts(q->machine->pmu, (unsigned)q->argument);
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

static bool get_enabled(struct query *q, uint64_t *value)
{
	struct spemu_pe_state state;

	spemu_pe_get(q->machine->pe, &state);
	*value = spemu_spu_profiling_enabled(q->machine->spu,
	                                     q->argument == 4 ? state.el : (unsigned)q->argument);
	return true;
}

static bool get_exception(struct query *q, uint64_t *value)
{
	*value = spemu_spu_profiling_exception_target(q->machine->spu);
	return *value != 0;
}

/* Parts of the Profiling exception that a PMBSR_ELx.S requests. */
enum { EXCEPTION_PENDING, EXCEPTION_MASKED, EXCEPTION_TARGET, EXCEPTION_MASKED_BY };
#define EXCEPTION_OF(el, part) ((el) | (part) << 8)

static bool get_exception_of(struct query *q, uint64_t *value)
{
	struct spemu_profiling_exception e;
	struct spemu_signals signals;
	unsigned part = (unsigned)q->argument >> 8;

	spemu_explain_signals(q->machine->pe, &signals);
	e = signals.exception[q->argument & 0xff];
	*value = part == EXCEPTION_PENDING  ? e.pending
	         : part == EXCEPTION_MASKED ? e.masked
	         : part == EXCEPTION_TARGET ? e.target_el
	                                    : 0;
	if (part == EXCEPTION_MASKED_BY)
		snprintf(q->text, sizeof(q->text), "%s", e.masked ? e.masked_by : "");
	return part == EXCEPTION_PENDING || (part == EXCEPTION_MASKED_BY ? e.masked : e.pending);
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
		(void)spemu_spu_injected(q->machine->spu, &count, i);
		*value += count;
	}
	return true;
}

static bool get_injected_one(struct query *q, uint64_t *value)
{
	return q->argument < q->machine->injections &&
	       spemu_spu_injected(q->machine->spu, value, (unsigned)q->argument) == SPEMU_OK;
}

static bool get_word(struct query *q, uint64_t *value)
{
	return machine_word(q->machine, q->argument, value);
}

static bool get_written(struct query *q, uint64_t *value)
{
	return machine_written(q->machine, q->argument, value);
}

const struct subject machine_subjects[] = {
        {"irq", VALUE_YES_NO, get_property, IRQ},
        {"ptr", VALUE_HEX, get_ptr, 0},
        {"pmuirq", VALUE_YES_NO, get_property, PMUIRQ},
        {"capture", VALUE_CAPTURE, get_property, CAPTURE},
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
        {"until-sample", VALUE_DISTANCE, get_property, UNTIL_SAMPLE},
        {"enabled", VALUE_YES_NO, get_enabled, 4},
        {"enabled.EL0", VALUE_YES_NO, get_enabled, 0},
        {"enabled.EL1", VALUE_YES_NO, get_enabled, 1},
        {"enabled.EL2", VALUE_YES_NO, get_enabled, 2},
        {"enabled.EL3", VALUE_YES_NO, get_enabled, 3},
        {"buffer-enabled", VALUE_YES_NO, get_property, BUFFER_ENABLED},
        {"stopped", VALUE_YES_NO, get_property, STOPPED},
        {"owner", VALUE_OWNER, get_property, OWNER},
        {"in-flight", VALUE_YES_NO, get_property, IS_IN_FLIGHT},
        {"samples-in-flight", VALUE_DECIMAL, get_property, IN_FLIGHT},
        {"clock", VALUE_DECIMAL, get_property, CLOCK},
        {"freeze", VALUE_YES_NO, get_property, FREEZE},
        {"serrors", VALUE_DECIMAL, get_count, COUNT_SERRORS},
        {"diagnostics", VALUE_DECIMAL, get_count, COUNT_DIAGNOSTICS},
        {"exception", VALUE_LEVEL, get_exception, 0},
        EXCEPTION_SUBJECTS("exception.EL1", 1),
        EXCEPTION_SUBJECTS("exception.EL2", 2),
        EXCEPTION_SUBJECTS("exception.EL3", 3),
        {"injected", VALUE_DECIMAL, get_injected, 0},
        {"injected.", VALUE_DECIMAL, get_injected_one, 0},
        {"writes", VALUE_DECIMAL, get_property, WRITES},
        {"word.", VALUE_HEX, get_word, 0},
        {"written.", VALUE_DECIMAL, get_written, 0},
        {"pmu.", VALUE_DECIMAL, get_pmu, 0},
        {NULL, VALUE_HEX, NULL, 0},
};
