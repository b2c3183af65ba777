/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vector lengths and Streaming SVE mode; see streaming.h.
 *
 * Arm ARM: DDI 0487 M.a, C4.1 (encodings), C5.2 (SVCR), D17.6.1, D17.6.6, D18.2.6.
 */
#include <spemu/packet.h>

#include "config.h"
#include "streaming.h"

#define SYSREG_SVCR SPEMU_SYSREG(3u, 3u, 4u, 2u, 2u)
#define SVCR_SM UINT64_C(1)

void streaming_start(struct vcpu *vcpu)
{
	vcpu->svcr = private_reg_offset(vcpu->env, SYSREG_SVCR);
}

static bool is_streaming(const struct vcpu *vcpu)
{
	return private_value_at(vcpu->env, vcpu->svcr) & SVCR_SM;
}

/* Return true for an encoding of SVE or of SME, by op1 (bits [28:25]) and op0 (bit [31]) of
 * C4.1. */
static bool is_sve(uint32_t opcode)
{
	return (opcode >> 25 & 15) == 2;
}

static bool is_sme(uint32_t opcode)
{
	return (opcode >> 25 & 15) == 0 && opcode >> 31;
}

/* Return the vector length of the instruction, or 0 if it does not depend on SVE or SME. SME
 * instructions outside Streaming SVE mode have the vector length of that mode, too. */
static unsigned vector_bits(const struct vcpu *vcpu, uint32_t opcode)
{
	const struct spemu_features *features = &vcpu->pe_config.features;
	bool streaming = vcpu->flight.streaming || is_sme(opcode);

	if ((!is_sve(opcode) && !is_sme(opcode)) || private_aarch32(vcpu->env) ||
	    !spemu_has(features, streaming ? SPEMU_FEAT_SME : SPEMU_FEAT_SVE))
		return 0;
	return private_vector_bits(vcpu->env, streaming);
}

void streaming_note(struct vcpu *vcpu, uint32_t opcode)
{
	vcpu->flight.streaming = is_streaming(vcpu);
	vcpu->flight.vector_bits = vector_bits(vcpu, opcode);
}

static bool is_of_vectors(const struct spemu_op_kind *kind)
{
	return kind->type == SPEMU_OP_OTHER_SVE || kind->type == SPEMU_OP_OTHER_SME ||
	       (kind->flags & (SPEMU_OPF_SIMD | SPEMU_OPF_FP));
}

void streaming_complete(struct vcpu *vcpu)
{
	struct spemu_op *op = &vcpu->flight.op;
	bool smcu = config.spu.alternate_clock == SPEMU_ALTCLK_SMCU;

	if (!config.spu.alternate_clock || !is_of_vectors(&op->kind) ||
	    (smcu && !vcpu->flight.streaming))
		return;
	if (smcu)
		op->events |= UINT64_C(1) << SPEMU_EV_SMCU;
	if (!(op->valid & SPEMU_OPV_ISSUE_LATENCY))
		return;
	op->alt_issue_latency = op->issue_latency;
	op->valid |= SPEMU_OPV_ALT_ISSUE_LATENCY;
}
