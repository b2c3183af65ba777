/* SPDX-License-Identifier: MIT */
/*
 * Latencies and data source of a sampled operation.
 *
 * Arm ARM:     DDI 0487 M.a, C4.1 (encodings), D17.6.4, D18.2.3 (meaning of total, issue and
 *              translation latency)
 * Choices:     total = issue + translation + execution. Translation does not count as part of the
 *              access. Stores are complete in the store buffer, and wait for room in it. A
 *              misprediction delays later operations, so it is not in the latency of the branch.
 *              The issue latency is the shortest possible: operations do not wait for each other.
 */
#include "uarch_object.h"

static bool opcode_is(uint32_t opcode, uint32_t mask, uint32_t value)
{
	return opcode && (opcode & mask) == value;
}

static uint32_t scalar_cycles(const struct uarch_profile *p, uint32_t opcode)
{
	if (opcode_is(opcode, 0x7f000000, 0x1b000000)) /* three sources: MADD, SMULH, ... */
		return p->mul_cycles;
	if (opcode_is(opcode, 0x7fe0f800, 0x1ac00800)) /* UDIV, SDIV */
		return p->div_cycles;
	if (opcode_is(opcode, 0xfffff09f, 0xd503309f)) /* DSB, DMB, ISB, SB */
		return p->barrier_cycles;
	return p->int_cycles;
}

static uint32_t fp_cycles(const struct uarch_profile *p, uint32_t opcode)
{
	static const struct {
		uint32_t mask, value;
	} slow[] = {
	        {0xff20fc00, 0x1e201800}, /* FDIV, scalar */
	        {0xff3ffc00, 0x1e21c000}, /* FSQRT, scalar */
	        {0xbfa0fc00, 0x2e20fc00}, /* FDIV, vector */
	        {0xbfbffc00, 0x2ea1f800}, /* FSQRT, vector */
	};

	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (opcode_is(opcode, slow[i].mask, slow[i].value))
			return p->fdiv_cycles;
	}
	if (opcode_is(opcode, 0xff000000, 0x1f000000) || /* FMADD and kin */
	    opcode_is(opcode, 0xbf20fc00, 0x0e20cc00))   /* FMLA, FMLS, vector */
		return p->fma_cycles;
	return p->fp_cycles;
}

/* Return the cycles from issue to completion. */
static uint32_t execution_cycles(const struct uarch_profile *p, const struct spemu_op *op,
                                 const struct uarch_result *result)
{
	switch (op->kind.type) {
	case SPEMU_OP_LOAD:
	case SPEMU_OP_LOAD_ATOMIC:
		return result->accesses ? result->latency : p->l1d.cycles;
	case SPEMU_OP_STORE:
		/* Store-exclusives, ST64BV and ST64BV0 (D17.6.4.4) also return a status, like a
		 * load. */
		return p->store_cycles + result->store_wait +
		       (op->kind.flags & (SPEMU_OPF_EXCLUSIVE | SPEMU_OPF_STATUS_RESULT)
		                ? p->l1d.cycles
		                : 0);
	case SPEMU_OP_BRANCH:
		return p->branch_cycles;
	default:
		break;
	}
	if (op->kind.flags & SPEMU_OPF_FP)
		return fp_cycles(p, result->opcode);
	if (op->kind.flags & SPEMU_OPF_SIMD)
		return p->simd_cycles;
	return scalar_cycles(p, result->opcode);
}

void uarch_complete(const struct uarch_core *core, struct spemu_op *op,
                    const struct uarch_result *result)
{
	static const struct uarch_result nothing = {0};
	const struct uarch_profile *p = core->profile;
	bool load = op->kind.type == SPEMU_OP_LOAD || op->kind.type == SPEMU_OP_LOAD_ATOMIC;
	bool memory = load || op->kind.type == SPEMU_OP_STORE;
	uint32_t translation = 0;

	if (result == NULL)
		result = &nothing;
	op->events |= result->events;
	if (memory && result->accesses) {
		translation = result->translation_latency;
		op->translation_latency = translation;
		op->valid |= SPEMU_OPV_TRANSLATION_LATENCY;
		if (load) {
			op->data_source = result->source & UARCH_SRC_REMOTE
			                          ? p->remote_source
			                          : p->data_source[result->source];
			op->valid |= SPEMU_OPV_DATA_SOURCE;
		}
	}
	op->issue_latency = p->issue_cycles;
	op->total_latency = op->issue_latency + translation + execution_cycles(p, op, result);
	op->valid |= SPEMU_OPV_ISSUE_LATENCY | SPEMU_OPV_TOTAL_LATENCY;
}
