/* SPDX-License-Identifier: MIT */
/*
 * The rules for software that sets the write pointer: what has to hold when profiling becomes
 * enabled, and from where it may go on after a management event.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.4
 * Implements:  RHXSYK RHLXGD
 * Choices:     unaligned-pointer
 */
#include "spu/spu.h"

uint64_t buffer_limit(const struct pe *pe)
{
	return REG_FIELD(pe, PMBLIMITR_EL1, LIMIT) << 12;
}

static const struct spemu_diagnostic no_room = {
        .name = "pointer-above-limit",
        .rule = "RHXSYK",
        .cause = "profiling became enabled with less than one record of PMSIDR_EL1.MaxSize between "
                 "the write pointer and the limit",
        .cure = "set PMBPTR_EL1 at least 2 to the power of PMSIDR_EL1.MaxSize bytes below "
                "PMBLIMITR_EL1.LIMIT before the buffer is enabled"};
static const struct spemu_diagnostic other_top_byte = {
        .name = "pointer-tag-differs",
        .rule = "RHXSYK",
        .cause =
                "profiling became enabled with different bits [63:56] in the write pointer and the "
                "limit",
        .cure = "give PMBPTR_EL1 and PMBLIMITR_EL1 the same bits [63:56]"};
static const struct spemu_diagnostic unaligned = {
        .name = "pointer-unaligned",
        .rule = "RHLXGD",
        .cause = "profiling became enabled with a write pointer that is not aligned to "
                 "PMBIDR_EL1.Align",
        .cure = "align PMBPTR_EL1 to 2 to the power of PMBIDR_EL1.Align bytes"};
static const struct spemu_diagnostic after_loss = {
        .name = "restart-after-data-loss",
        .rule = "D17.7.4",
        .cause = "profiling was restarted from the saved write pointer and limit after an event "
                 "that "
                 "set PMBSR_ELx.EA or PMBSR_ELx.DL",
        .cure = "give the buffer a new write pointer: what lies below the saved one may end in a "
                "part of a record"};
static const struct spemu_diagnostic after_full = {
        .name = "restart-after-buffer-full",
        .rule = "D17.7.4",
        .cause = "profiling was restarted from the saved write pointer and limit after a buffer "
                 "full "
                 "event",
        .cure = "raise PMBLIMITR_EL1.LIMIT, or give the buffer a new write pointer"};

static void diagnose(struct spemu *s, const struct spemu_diagnostic *what)
{
	struct spemu_diagnostic d = *what;

	if (!s->host.diagnostic)
		return;
	d.value[0] = (struct spemu_diagnostic_value){"PMBPTR_EL1", s->pe.reg[SPEMU_REG_PMBPTR_EL1]};
	d.value[1] = (struct spemu_diagnostic_value){"PMBLIMITR_EL1",
	                                             s->pe.reg[SPEMU_REG_PMBLIMITR_EL1]};
	d.value[2] = (struct spemu_diagnostic_value){"PMSIDR_EL1.MaxSize", s->config.max_size_log2};
	d.value[3] =
	        (struct spemu_diagnostic_value){"PMBIDR_EL1.Align", s->config.layout.align_log2};
	d.values = 4;
	s->host.diagnostic(s->host.ctx, &d);
}

static unsigned violations(const struct spemu *s)
{
	uint64_t ptr = s->pe.reg[SPEMU_REG_PMBPTR_EL1], limit = buffer_limit(&s->pe);
	uint64_t record = BIT64(s->config.max_size_log2);
	unsigned found = 0;

	if (ptr > limit || limit - ptr < record)
		found |= RESTRICTION_ROOM;
	if (ptr >> 56 != limit >> 56)
		found |= RESTRICTION_TOP_BYTE;
	if (ptr & (BIT64(s->config.layout.align_log2) - 1))
		found |= RESTRICTION_ALIGNMENT;
	return found;
}

/* Whether software goes on with exactly what the event left behind. */
static bool from_saved(const struct spemu *s)
{
	return s->ended.pointer == s->pe.reg[SPEMU_REG_PMBPTR_EL1] &&
	       s->ended.limit == buffer_limit(&s->pe);
}

void restart_check(struct spemu *s)
{
	unsigned found = violations(s);

	if (from_saved(s) && s->ended.how == ENDED_LOSS)
		diagnose(s, &after_loss);
	else if (from_saved(s) && s->ended.how == ENDED_FULL)
		diagnose(s, &after_full);
	else if (found & RESTRICTION_ROOM)
		diagnose(s, &no_room);
	if (found & RESTRICTION_TOP_BYTE)
		diagnose(s, &other_top_byte);
	if (found & RESTRICTION_ALIGNMENT)
		diagnose(s, &unaligned);
	s->ended.how = ENDED_NOT;
	/* What only an Alignment fault, or nothing, comes of is decided when it is written to. */
	if (pe_choice(&s->pe, SPEMU_CHOICE_UNALIGNED_POINTER) !=
	    SPEMU_UNALIGNED_POINTER_AS_POINTER_RESTRICTION)
		found &= ~(unsigned)RESTRICTION_ALIGNMENT;
	s->restricted = (uint8_t)found;
}

void restart_note_event(struct spemu *s, bool full, bool loss)
{
	s->ended.how = loss ? ENDED_LOSS : full ? ENDED_FULL : ENDED_NOT;
	s->ended.pointer = s->pe.reg[SPEMU_REG_PMBPTR_EL1];
	s->ended.limit = buffer_limit(&s->pe);
}
