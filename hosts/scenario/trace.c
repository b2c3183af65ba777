/* SPDX-License-Identifier: MIT */
/* The trace of commands (registers, records, the interrupt), and the command "state". */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <spemu/codec.h>
#include <spemu/explain.h>
#include "run_state.h"

static __attribute__((format(printf, 3, 4))) void
line(struct run *run, enum scenario_event_kind kind, const char *fmt, ...)
{
	char text[2304];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	run_event(run, kind, text);
}

void record_text(char *text, size_t size, const uint8_t *data, size_t data_size)
{
	struct spemu_decoder dec;
	struct spemu_packet pkt;
	size_t used = 0;

	text[0] = 0;
	spemu_decoder_init(&dec, data, data_size, 0);
	while (used < size && spemu_decoder_next_packet(&dec, &pkt) > 0) {
		char packet[160];

		if (pkt.type == SPEMU_PKT_PADDING)
			continue;
		spemu_packet_describe(packet, sizeof(packet), &pkt);
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "",
		                         packet);
	}
}

void trace_start(struct run *run)
{
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		(void)spemu_reg_get(run->machine.pe, &run->shown[i], (enum spemu_reg)i);
	run->shown_records = 0;
	run->shown_irq = spemu_spu_pmbirq(run->machine.spu);
	run->shown_exception = spemu_spu_profiling_exception_target(run->machine.spu);
	run->shown_freeze = spemu_spu_pmu_freeze(run->machine.spu);
}

static void trace_records(struct run *run)
{
	const struct machine *m = &run->machine;

	for (; run->shown_records < m->record_count; run->shown_records++) {
		const struct written *w = &m->records[run->shown_records];
		char text[2048];

		record_text(text, sizeof(text), m->stream + w->offset, w->size);
		line(run, SCENARIO_TRACE, "record %zu at %#" PRIx64 ": %s", run->shown_records,
		     w->address, text);
	}
}

static void trace_signals(struct run *run)
{
	const struct machine *m = &run->machine;
	unsigned target = spemu_spu_profiling_exception_target(m->spu);
	bool freeze = spemu_spu_pmu_freeze(m->spu);

	for (; run->shown_diagnostics < m->diagnosed_count; run->shown_diagnostics++) {
		const struct spemu_diagnostic *d = &m->diagnosed[run->shown_diagnostics].what;

		line(run, SCENARIO_TRACE, "diagnostic %s (%s): %s", d->name, d->rule, d->cause);
	}
	if (m->count[COUNT_SERRORS] != run->shown_serrors)
		line(run, SCENARIO_TRACE, "SError exceptions %" PRIu64, m->count[COUNT_SERRORS]);
	if (target != run->shown_exception && target)
		line(run, SCENARIO_TRACE, "SPE Profiling exception to EL%u", target);
	else if (target != run->shown_exception)
		line(run, SCENARIO_TRACE, "no SPE Profiling exception");
	if (freeze != run->shown_freeze)
		line(run, SCENARIO_TRACE, "PMU %s", freeze ? "frozen" : "not frozen");
	run->shown_serrors = m->count[COUNT_SERRORS];
	run->shown_exception = target;
	run->shown_freeze = freeze;
}

void trace_command(struct run *run)
{
	bool irq;

	if (!run->options->trace || !run->started)
		return;
	trace_records(run);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
		uint64_t value = 0;

		(void)spemu_reg_get(run->machine.pe, &value, (enum spemu_reg)i);
		if (value != run->shown[i])
			line(run, SCENARIO_TRACE, "%s %#" PRIx64 " -> %#" PRIx64,
			     spemu_reg_name((enum spemu_reg)i), run->shown[i], value);
		run->shown[i] = value;
	}
	trace_signals(run);
	irq = spemu_spu_pmbirq(run->machine.spu);
	if (irq != run->shown_irq)
		line(run, SCENARIO_TRACE, "PMBIRQ %s", irq ? "asserted" : "deasserted");
	run->shown_irq = irq;
}

void trace_state(struct run *run, const struct command *command)
{
	const struct machine *m = &run->machine;
	struct spemu_pe_state pe;
	struct spemu_owner owner;
	unsigned target = spemu_spu_profiling_exception_target(m->spu);
	char text[64], distance[32], why[SPEMU_STOPPED_TEXT_MAX];
	bool stopped = spemu_explain_stopped(why, sizeof(why), m->pe) > 0;

	(void)command;
	spemu_pe_get(m->pe, &pe);
	spemu_spu_buffer_owner(m->spu, &owner);
	value_text(text, sizeof(text), VALUE_OWNER, (uint64_t)owner.security << 8 | owner.el);
	value_text(distance, sizeof(distance), VALUE_DISTANCE, spemu_spu_ops_until_sample(m->spu));
	line(run, SCENARIO_STATE,
	     "at EL%u%s%s, owner %s, profiling %s%s, next sample %s, PMBIRQ %u", pe.el,
	     pe.aarch32 ? " AArch32" : "", pe.debug ? " Debug state" : "", text,
	     spemu_spu_profiling_enabled(m->spu, pe.el) ? "enabled" : "disabled",
	     stopped ? ", stopped" : "", distance, m->irq);
	if (stopped)
		line(run, SCENARIO_STATE, "stopped by %s", why);
	line(run, SCENARIO_STATE,
	     "operations %" PRIu64 ", samples %" PRIu64 ", records %" PRIu64 ", filtered %" PRIu64
	     ", discarded %" PRIu64 ", lost %" PRIu64 ", collisions %" PRIu64,
	     m->count[COUNT_OPERATIONS], m->count[COUNT_SAMPLES], m->count[COUNT_RECORDS],
	     m->count[COUNT_FILTERED], m->count[COUNT_DISCARDED], m->count[COUNT_LOST],
	     m->count[COUNT_COLLISIONS]);
	line(run, SCENARIO_STATE,
	     "SPE Profiling exception %s, PMU %s, SErrors %" PRIu64 ", diagnostics %" PRIu64,
	     target ? level_names[target] : "none",
	     spemu_spu_pmu_freeze(m->spu) ? "frozen" : "not frozen", m->count[COUNT_SERRORS],
	     m->count[COUNT_DIAGNOSTICS]);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
		uint64_t value = 0;

		(void)spemu_reg_get(m->pe, &value, (enum spemu_reg)i);
		if (value)
			line(run, SCENARIO_STATE, "%-14s %#018" PRIx64,
			     spemu_reg_name((enum spemu_reg)i), value);
	}
}
