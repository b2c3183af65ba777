/* SPDX-License-Identifier: MIT */
/*
 * The rules for software that sets the write pointer: the conditions when profiling becomes
 * enabled, and the pointers with which it may continue after a management event.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.4
 * Implements:  RHXSYK RHLXGD
 * Choices:     unaligned-pointer
 *
 *   event                                restart_check_due  violations
 *   a new SPU                            1                  0
 *   a register of the buffer is written  1                  unchanged
 *   profiling is enabled, not in         0                  the rules that the pointers break:
 *   Discard mode, and the check is due                      spemu__restart_check()
 *
 * So violations do not change while software reprograms a disabled buffer, until it is enabled
 * again.
 */
#include "spu/spu_object.h"

static bool has_room(uint64_t pointer, uint64_t limit, unsigned max_size_log2)
{
	return pointer <= limit && limit - pointer >= BIT64(max_size_log2);
}

bool spemu__restart_has_room(const struct spemu_spu *s, uint64_t pointer, uint64_t limit)
{
	return has_room(pointer, limit, s->config.max_size_log2);
}

unsigned spemu__restart_violations(const struct spemu_pe *pe, unsigned max_size_log2,
                                   unsigned align_log2)
{
	uint64_t ptr = pe->reg[SPEMU_REG_PMBPTR_EL1], limit = buffer_limit(pe);
	unsigned found = 0;

	if (!has_room(ptr, limit, max_size_log2))
		found |= RESTRICTION_ROOM;
	if (ptr >> 56 != limit >> 56)
		found |= RESTRICTION_TOP_BYTE;
	if (ptr & (BIT64(align_log2) - 1))
		found |= RESTRICTION_ALIGNMENT;
	return found;
}

/* Return true if software continues with exactly the pointers that the event left. */
static bool from_saved(const struct spemu_spu *s)
{
	return s->ended.pointer == s->pe->reg[SPEMU_REG_PMBPTR_EL1] &&
	       s->ended.limit == buffer_limit(s->pe);
}

void spemu__restart_check(struct spemu_spu *s)
{
	unsigned found = spemu__restart_violations(s->pe, s->config.max_size_log2,
	                                           s->config.layout.align_log2);

	if (from_saved(s) && s->ended.how == ENDED_LOSS)
		spemu__spu_diagnose(s, DIAGNOSE_AFTER_LOSS);
	else if (from_saved(s) && s->ended.how == ENDED_FULL)
		spemu__spu_diagnose(s, DIAGNOSE_AFTER_FULL);
	else if (found & RESTRICTION_ROOM)
		spemu__spu_diagnose(s, DIAGNOSE_NO_ROOM);
	if (found & RESTRICTION_TOP_BYTE)
		spemu__spu_diagnose(s, DIAGNOSE_TOP_BYTE);
	if (found & RESTRICTION_ALIGNMENT)
		spemu__spu_diagnose(s, DIAGNOSE_UNALIGNED);
	s->ended.how = ENDED_NOT;
	/* A violation that leads at most to an Alignment fault is handled when the record is
	 * written. */
	if (pe_choice(s->pe, SPEMU_CHOICE_UNALIGNED_POINTER) !=
	    SPEMU_UNALIGNED_POINTER_AS_POINTER_RESTRICTION)
		found &= ~(unsigned)RESTRICTION_ALIGNMENT;
	s->violations = (uint8_t)found;
}

void spemu__restart_note_event(struct spemu_spu *s, bool full, bool loss)
{
	s->ended.how = loss ? ENDED_LOSS : full ? ENDED_FULL : ENDED_NOT;
	s->ended.pointer = s->pe->reg[SPEMU_REG_PMBPTR_EL1];
	s->ended.limit = buffer_limit(s->pe);
}
