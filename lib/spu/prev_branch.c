/* SPDX-License-Identifier: MIT */
/*
 * The target of the last taken branch, for the record of the next sampled operation.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.3.1 (FEAT_SPE_PBT)
 * Implements:  D17.6.3.1
 * Pseudocode:  SPEBranch()
 * Choices:     previous-target-of-eret, previous-target-of-exception, previous-target-of-isb,
 *              previous-target-after-synchronization, previous-target-without-branch,
 *              previous-target-at-not-taken-branch
 *
 * A branch that is not remembered leaves no target. The target of the branch before it would be
 * wrong, because that is not the most recent one. (The pseudocode keeps it; see
 * docs/explanation/design.md.)
 */
#include "spu/spu_object.h"

enum fate { REMEMBERED, FORGOTTEN, NO_BRANCH };

static enum fate fate_of(const struct spemu_spu *s, uint32_t flags)
{
	if (flags & SPEMU_OPF_ISB) {
		unsigned option = pe_choice(s->pe, SPEMU_CHOICE_PREVIOUS_TARGET_OF_ISB);

		return option == SPEMU_PREVIOUS_TARGET_OF_ISB_NO_BRANCH  ? NO_BRANCH
		       : option == SPEMU_PREVIOUS_TARGET_OF_ISB_RECORDED ? REMEMBERED
		                                                         : FORGOTTEN;
	}
	if (flags & SPEMU_OPF_EXCEPTION)
		return pe_choice(s->pe, SPEMU_CHOICE_PREVIOUS_TARGET_OF_EXCEPTION) ==
		                       SPEMU_PREVIOUS_TARGET_OF_EXCEPTION_RECORDED
		               ? REMEMBERED
		               : FORGOTTEN;
	if (flags & SPEMU_OPF_ERET)
		return pe_choice(s->pe, SPEMU_CHOICE_PREVIOUS_TARGET_OF_ERET) ==
		                       SPEMU_PREVIOUS_TARGET_OF_ERET_RECORDED
		               ? REMEMBERED
		               : FORGOTTEN;
	return REMEMBERED;
}

void spemu_spu_branch(struct spemu_spu *spu, uint64_t target, uint32_t flags,
                      const struct spemu_pe_state *destination)
{
	enum fate fate = fate_of(spu, flags);

	if (!spu_has(spu, SPEMU_FEAT_SPE_PBT) || fate == NO_BRANCH)
		return;
	spu->has_previous_target = fate == REMEMBERED && spu->enabled;
	spu->previous_target = spemu_addr_bits(target);
	if (destination)
		spu->previous_target |= spemu__collect_context_of(
		        spemu__pe_security_at(spu->pe, destination->el), destination->el);
	else
		spu->previous_target |= spemu__collect_context_byte(spu->pe);
}

void spemu_spu_branch_unknown(struct spemu_spu *spu)
{
	spu->has_previous_target = false;
}

void spemu__prev_branch_synchronize(struct spemu_spu *s)
{
	if (pe_choice(s->pe, SPEMU_CHOICE_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION) ==
	    SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_NOT_RECORDED)
		s->has_previous_target = false;
}

bool spemu__prev_branch_is_shown(const struct spemu_spu *s, const struct collected *sample,
                                 const struct spemu_op *op)
{
	if (!sample->has_previous_target || !op->retired)
		return false;
	if (op->kind.type != SPEMU_OP_BRANCH)
		return pe_choice(s->pe, SPEMU_CHOICE_PREVIOUS_TARGET_WITHOUT_BRANCH) ==
		       SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_RECORDED;
	return op->cond_pass ||
	       pe_choice(s->pe, SPEMU_CHOICE_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH) ==
	               SPEMU_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH_RECORDED;
}
