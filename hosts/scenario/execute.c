/* SPDX-License-Identifier: MIT */
/*
 * The execution of a script: commands become calls of the library.
 *
 * The host counts operations and calls the model only for chosen ones, so the cost of a repetition
 * is the cost of its samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spemu/explain.h>
#include "run_state.h"

#define DEFAULT_STEP_LIMIT UINT64_C(50000000)

static bool charge(struct run *run)
{
	uint64_t limit = run->options->step_limit ? run->options->step_limit : DEFAULT_STEP_LIMIT;

	if (!run->abandoned && run->machine.out_of_memory)
		run_abandon(run,
		            "the records need more than 256M of memory, or memory is exhausted");
	else if (!run->abandoned && run->machine.refused)
		run_abandon(run, "a record could not be written: %s",
		            spemu_strerror(run->machine.refused));
	else if (!run->abandoned && ++run->steps > limit)
		run_abandon(run, "more than %llu commands and samples", (unsigned long long)limit);
	return !run->abandoned;
}

/*
 * Enter Debug state and return the previous state in *state. All registers of a command are set in
 * Debug state, where profiling is disabled (D17.4), so that intermediate values cannot restart
 * profiling.
 */
static void hold(struct run *run, struct spemu_pe_state *state)
{
	struct spemu_pe_state held;

	spemu_pe_get(run->machine.pe, state);
	held = *state;
	held.debug = true;
	spemu_pe_set(run->machine.pe, &held);
}

static void execute_set(struct run *run, const struct command *c)
{
	struct spemu_pe_state state;

	/* In strict mode entering Debug state is a Context synchronization event. A single register
	 * does not need Debug state. */
	if (c->set.count == 1 && spemu_spu_strict(run->machine.spu))
		spemu_pe_get(run->machine.pe, &state);
	else
		hold(run, &state);
	for (size_t i = 0; i < c->set.count; i++) {
		const struct target *t = &c->set.items[i].target;
		uint64_t mask = UINT64_MAX >> (63 - (t->hi - t->lo)) << t->lo, value;

		value = machine_get(&run->machine, t);
		value = (value & ~mask) | (c->set.items[i].value << t->lo & mask);
		if (!machine_set(&run->machine, t, value) && t->encoding)
			run_abandon(run, "the PMU does not have this register, or it is read-only");
	}
	spemu_pe_set(run->machine.pe, &state);
}

static void execute_zero(struct run *run, const struct command *c)
{
	struct spemu_pe_state state;

	(void)c;
	hold(run, &state);
	/* Write each register twice: a field that is RES0 because of another register's value keeps
	 * its old value the first time. */
	for (unsigned i = 0; i < 2 * SPEMU_REG_COUNT; i++)
		if (i % SPEMU_REG_COUNT != SPEMU_REG_PMCR_EL0) /* PMCR_EL0.N is read-only */
			(void)spemu_reg_set(run->machine.pe, (enum spemu_reg)(i % SPEMU_REG_COUNT),
			                    0);
	machine_zero_pmu(&run->machine);
	spemu_pe_set(run->machine.pe, &state);
	/* Registers become 0 one by one. Do not count effects of UNKNOWN values meanwhile. */
	run->machine.count[COUNT_INTERRUPTS] = 0;
}

static void execute_at(struct run *run, const struct command *c)
{
	if (spemu_pe_set(run->machine.pe, &c->at_state))
		run_abandon(run, "EL%u is not implemented", c->at_state.el);
}

static int access_pmu(struct run *run, const struct command *c, struct spemu_access_result *result,
                      uint64_t *value)
{
	struct spemu_pmu *pmu = run->machine.pmu;

	return c->kind == COMMAND_MSR
	               ? spemu_pmu_msr(pmu, result, c->access.encoding, c->access.value)
	               : spemu_pmu_mrs(pmu, result, value, c->access.encoding);
}

static void execute_access(struct run *run, const struct command *c)
{
	const struct access_wanted *w = &c->access.wanted;
	struct spemu_access_result result = {0};
	uint64_t value = 0;
	int status;

	if (c->kind == COMMAND_MSR)
		status = spemu_spu_msr(run->machine.spu, &result, c->access.encoding,
		                       c->access.value);
	else
		status = spemu_spu_mrs(run->machine.spu, &result, &value, c->access.encoding);
	if (status == SPEMU_ERR_NOT_SUPPORTED && run->machine.pmu)
		status = access_pmu(run, c, &result, &value);
	expect_outcome(run, c, status, &result);
	if (status || result.outcome != SPEMU_ACCESS_OK)
		return;
	for (size_t i = 0; i < w->values.count; i++)
		expect_value(run, &w->values.items[i], value);
}

/* Return the k-th operation that a command executes. */
static struct spemu_op operation_at(const struct operation *o, uint64_t k)
{
	struct spemu_op op = o->op;

	op.pc += k * o->pc_step;
	op.va += k * o->va_step;
	op.pa += k * o->pa_step;
	op.target += k * o->target_step;
	op.store_va += k * o->store_va_step;
	op.store_pa += k * o->store_pa_step;
	return op;
}

/* Execute the chosen operation. */
static void sample(struct run *run, const struct command *c)
{
	uint64_t k = run->op_counts[c->op.counter]++;
	struct spemu_op op = operation_at(&c->op.operation, k);
	struct spemu_sample_result result;

	unsigned slot;

	if (machine_begin(&run->machine, &slot, op.pc)) {
		if (c->kind == COMMAND_BEGIN)
			run->in_flight[slot] = op;
		else
			machine_end(&run->machine, slot, &op, &result);
	}
	machine_branch(&run->machine, &op);
}

static void count_only(struct run *run, const struct command *c, uint64_t n)
{
	struct spemu_op last;

	machine_ops(&run->machine, n);
	run->op_counts[c->op.counter] += n;
	if (!n)
		return;
	last = operation_at(&c->op.operation, run->op_counts[c->op.counter] - 1);
	machine_branch(&run->machine, &last);
}

static void execute_op(struct run *run, const struct command *c)
{
	uint64_t left = c->op.count;

	while (left && charge(run)) {
		uint64_t until = spemu_spu_ops_until_sample(run->machine.spu);

		if (until > left) {
			count_only(run, c, left);
			return;
		}
		count_only(run, c, until - 1);
		sample(run, c);
		left -= until;
	}
}

/* Fail because no operation will ever be chosen. Name the event that has stopped profiling. */
static void fail_disabled(struct run *run, const struct command *c)
{
	char why[SPEMU_STOPPED_TEXT_MAX], got[sizeof(why) + 64];
	bool stopped = spemu_explain_stopped(why, sizeof(why), run->machine.pe) > 0;

	snprintf(got, sizeof(got), "never: profiling is disabled%s%s",
	         stopped ? ", stopped by " : "", why);
	run_verdict(run, false, 0, c->kind == COMMAND_BEGIN ? "begin" : "sample",
	            "an operation that is chosen", got);
}

/* Execute "sample" or "begin": all operations up to the chosen ones. */
static void execute_sample(struct run *run, const struct command *c)
{
	for (uint64_t left = c->op.count; left && charge(run); left--) {
		uint64_t until = spemu_spu_ops_until_sample(run->machine.spu);

		if (c->kind == COMMAND_BEGIN &&
		    spemu_spu_samples_in_flight(run->machine.spu) == run->machine.slots) {
			run_verdict(run, false, 0, "begin", "a free slot", "all slots are in use");
			return;
		}
		if (until == UINT64_MAX) {
			fail_disabled(run, c);
			return;
		}
		count_only(run, c, until - 1);
		sample(run, c);
	}
}

static void execute_finish(struct run *run, const struct command *c)
{
	struct spemu_sample_result result;
	unsigned slot = 0;

	if (c->finish.given && c->finish.slot < SPEMU_IN_FLIGHT_MAX)
		slot = (unsigned)c->finish.slot;
	else if (c->finish.given || !machine_oldest(&run->machine, &slot))
		slot = SPEMU_IN_FLIGHT_MAX;
	if (slot == SPEMU_IN_FLIGHT_MAX || !run->machine.started[slot])
		run_verdict(run, false, 0, "end", "an operation in flight", "none");
	else
		machine_end(&run->machine, slot, &run->in_flight[slot], &result);
}

static void execute_block(struct run *run, const struct block *block);

/* Execute a body of operations n times. None of the operations is chosen. */
static void skip_body(struct run *run, const struct block *body, uint64_t n)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct command *c = &body->items[i];

		if (c->kind == COMMAND_REPEAT)
			skip_body(run, &c->repeat.body, n * c->repeat.count);
		else
			count_only(run, c, n * c->op.count);
	}
}

static void execute_repeat(struct run *run, const struct command *c)
{
	uint64_t operations = c->repeat.operations;

	for (uint64_t left = c->repeat.count; left && charge(run);) {
		uint64_t until = spemu_spu_ops_until_sample(run->machine.spu), n = 0;

		if (operations)
			n = until == UINT64_MAX ? left : (until - 1) / operations;
		n = n < left ? n : left;
		if (n)
			skip_body(run, &c->repeat.body, n);
		else
			execute_block(run, &c->repeat.body);
		left -= n ? n : 1;
	}
}

static void execute_memory(struct run *run, const struct command *c)
{
	const char *why = "out of memory";
	bool done = true;

	switch (c->kind) {
	case COMMAND_MAP:
		done = machine_map(&run->machine, &why, &c->map);
		break;
	case COMMAND_FAULT:
		done = machine_plan_fault(&run->machine, &c->fault);
		break;
	case COMMAND_NO_FAULTS:
		run->machine.fault_count = 0;
		break;
	case COMMAND_WORD:
		why = "this word lies outside physical memory";
		for (size_t i = 0; i < c->word.count && done; i++)
			done = machine_put_word(&run->machine, c->word.address + 8 * i,
			                        c->word.values[i]);
		break;
	case COMMAND_TABLE:
		done = machine_make_table(&run->machine, &why, &c->table);
		break;
	case COMMAND_PAGE:
		done = machine_put_page(&run->machine, &why, &c->page);
		break;
	default:
		why = "tlbi requires 'translate walker'";
		done = run->machine.mmu != NULL;
		if (done)
			spemu_mmu_invalidate(run->machine.mmu, &c->tlbi);
		break;
	}
	if (!done)
		run_abandon(run, "%s", why);
}

static void execute_inject(struct run *run, const struct command *c)
{
	unsigned index;
	int status = spemu_spu_inject(run->machine.spu, &index, &c->inject);

	if (!status)
		run->machine.injections = index + 1;
	else if (status == SPEMU_ERR_NOSPACE)
		run_abandon(run, "more than %u injections", SPEMU_INJECTIONS_MAX);
	else
		run_abandon(run, "this event does not exist with these features");
}

static void forget_injections(struct run *run, const struct command *c)
{
	(void)c;
	spemu_spu_inject_clear(run->machine.spu);
	run->machine.injections = 0;
}

static void execute_clock(struct run *run, const struct command *c)
{
	run->machine.clock =
	        c->clock.relative ? run->machine.clock + c->clock.value : c->clock.value;
}

static void execute_barrier(struct run *run, const struct command *c)
{
	switch ((enum barrier)c->code) {
	case BARRIER_ISB:
		spemu_pe_isb(run->machine.pe);
		break;
	case BARRIER_PSB:
		spemu_spu_psb_csync(run->machine.spu);
		break;
	case BARRIER_DSB:
		spemu_spu_dsb(run->machine.spu);
		break;
	case BARRIER_DSB_ST:
		spemu_spu_dsb_st(run->machine.spu);
		break;
	case BARRIER_DSB_LD: /* does not order the SPU or stores */
		break;
	}
}

/* Execute a command of strict mode. */
static void execute_strict(struct run *run, const struct command *c)
{
	uint64_t seed = run->options->has_strict_seed ? run->options->strict_seed : c->strict;
	struct spemu_spu *spu = run->machine.spu;

	switch (c->kind) {
	case COMMAND_STRICT:
		(void)spemu_spu_set_strict(spu, true, seed);
		break;
	case COMMAND_VM_RULES:
		(void)spemu_spu_set_vm_rules(spu, &c->vm_rules);
		break;
	case COMMAND_PC:
		run->has_pc = true;
		run->pc = c->address;
		break;
	case COMMAND_WAIT:
		spemu_spu_drain(spu);
		break;
	default:
		spemu_spu_report_memory(spu, (enum spemu_memory_report)c->code, c->range.address,
		                        c->range.size);
		break;
	}
}

/* Advance the pc. After "pc", each command that is an instruction has 4 bytes. */
static void count_instruction(struct run *run, const struct command *c)
{
	bool access = c->kind == COMMAND_REPORT &&
	              (c->code == SPEMU_SOFTWARE_READS || c->code == SPEMU_SOFTWARE_WRITES);

	if (!run->has_pc || (c->kind != COMMAND_MSR && c->kind != COMMAND_MRS &&
	                     c->kind != COMMAND_BARRIER && !access))
		return;
	spemu_spu_set_pc(run->machine.spu, run->pc);
	run->pc += 4;
}

/* Functions by kind of command. NULL for commands of the configuration. */
static void (*const executors[COMMAND_EXPECT_RECORD + 1])(struct run *, const struct command *) = {
        [COMMAND_SET] = execute_set,
        [COMMAND_ZERO] = execute_zero,
        [COMMAND_AT] = execute_at,
        [COMMAND_STATE] = trace_state,
        [COMMAND_MSR] = execute_access,
        [COMMAND_MRS] = execute_access,
        [COMMAND_OP] = execute_op,
        [COMMAND_SAMPLE] = execute_sample,
        [COMMAND_BEGIN] = execute_sample,
        [COMMAND_FINISH] = execute_finish,
        [COMMAND_REPEAT] = execute_repeat,
        [COMMAND_BARRIER] = execute_barrier,
        [COMMAND_MAP] = execute_memory,
        [COMMAND_FAULT] = execute_memory,
        [COMMAND_NO_FAULTS] = execute_memory,
        [COMMAND_INJECT] = execute_inject,
        [COMMAND_NO_INJECTIONS] = forget_injections,
        [COMMAND_WORD] = execute_memory,
        [COMMAND_TABLE] = execute_memory,
        [COMMAND_PAGE] = execute_memory,
        [COMMAND_TLBI] = execute_memory,
        [COMMAND_STRICT] = execute_strict,
        [COMMAND_VM_RULES] = execute_strict,
        [COMMAND_PC] = execute_strict,
        [COMMAND_WAIT] = execute_strict,
        [COMMAND_REPORT] = execute_strict,
        [COMMAND_CLOCK] = execute_clock,
        [COMMAND_EVENT] = execute_pmu,
        [COMMAND_CAPTURE] = execute_pmu,
        [COMMAND_BRANCH] = execute_pmu,
        [COMMAND_POWER] = execute_pmu,
        [COMMAND_EXTERNAL] = execute_pmu,
        [COMMAND_EXPECT] = expect_machine,
        [COMMAND_EXPECT_RECORD] = expect_record,
};

static void execute_block(struct run *run, const struct block *block)
{
	for (size_t i = 0; i < block->count; i++) {
		const struct command *c = &block->items[i];

		if (!charge(run))
			return;
		run->current = c;
		run->machine.line = c->at.line;
		if (execute_configuration(run, c) || (!run->started && !run_start(run)))
			continue;
		count_instruction(run, c);
		if (executors[c->kind])
			executors[c->kind](run, c);
		if (c->kind != COMMAND_REPEAT)
			trace_command(run);
	}
}

/* Run the commands from..to - 1 of the script as a scenario. */
static void run_one(struct scenario_totals *totals, const struct scenario_script *script,
                    const struct scenario_options *options, const char *name, size_t from,
                    size_t to)
{
	struct block part = {script->block.items + from, to - from};
	struct run *run = calloc(1, sizeof(*run));
	uint64_t *counts = calloc(script->counters + 1, sizeof(*counts));

	totals->scenarios++;
	if (!run || !counts) {
		totals->cannot++;
		free(run);
		free(counts);
		return;
	}
	run->script = script;
	run->options = options;
	run->totals = totals;
	run->scenario = name;
	run->features = "v9.6";
	run->pe_config.size = sizeof(run->pe_config);
	run->config.size = sizeof(run->config);
	run->op_counts = counts;
	run_event(run, SCENARIO_BEGINS, name);
	execute_block(run, &part);
	if (!run->abandoned)
		unexpected_diagnostics(run);
	if (options->stream && run->machine.stream_size)
		options->stream(options->ctx, run->machine.stream, run->machine.stream_size);
	machine_stop(&run->machine);
	free(counts);
	free(run);
}

void scenario_run(struct scenario_totals *totals, const struct scenario_script *script,
                  const struct scenario_options *options)
{
	const struct block *block = &script->block;
	const char *name = "";
	size_t from = 0;

	for (size_t i = 0; i <= block->count; i++) {
		bool header = i < block->count && block->items[i].kind == COMMAND_SCENARIO;

		if (i < block->count && !header)
			continue;
		/* Commands before the first "scenario" are a scenario, too. */
		if (i > from || from > 0)
			run_one(totals, script, options, name, from, i);
		if (header)
			name = block->items[i].text;
		from = i + 1;
	}
}
