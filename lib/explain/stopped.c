/* SPDX-License-Identifier: MIT */
/*
 * The text about why profiling is stopped: the event in PMBSR_ELx, and the address of the write.
 *
 * Arm ARM:     DDI 0487 M.a, D17.4 (RTWFRY), D17.8.3, D17.8.4, D24.7.5
 */
#include "base/text.h"
#include "explain/explain.h"

enum { ASYNCHRONOUS = 0x11 }; /* FSC of a fault whose address is unknown (RBPFPN) */

static bool is_data_abort(unsigned ec)
{
	return ec == SPEMU_FAULT_STAGE1 || ec == SPEMU_FAULT_STAGE2;
}

/* Describe the other flags of PMBSR_ELx, which may be older than the event. */
static void put_flags(struct text *t, uint64_t pmbsr, bool external)
{
	if (!external && pmbsr >> SPEMU_PMBSR_EL1_EA_LSB & 1)
		put(t, ", an External abort");
	if (pmbsr >> SPEMU_PMBSR_EL1_DL_LSB & 1)
		put(t, ", data lost");
	if (pmbsr >> SPEMU_PMBSR_EL1_COLL_LSB & 1)
		put(t, ", samples collided");
}

static void put_event(struct text *t, const struct spemu_pe *pe, enum spemu_reg reg)
{
	uint64_t value = pe->reg[reg];
	unsigned ec = (unsigned)bits_get(value, 31, 26), status = (unsigned)bits_get(value, 5, 0);

	put(t, spemu_reg_name(reg));
	put(t, "=");
	put_hex(t, value);
	put(t, ": ");
	put(t, spemu_management_event_class_text(ec));
	if (ec == 0 || is_data_abort(ec)) {
		put(t, ", ");
		put(t, spemu_management_event_status_text(ec, status));
	}
	if (ec == SPEMU_FAULT_GPC || (is_data_abort(ec) && status != ASYNCHRONOUS)) {
		put(t, ", at ");
		put_hex(t, pe->reg[SPEMU_REG_PMBPTR_EL1]);
	}
	put_flags(t, value, is_data_abort(ec) && status >= 0x10 && status <= 0x17);
}

int spemu_explain_stopped(char *text, size_t size, const struct spemu_pe *pe)
{
	static const enum spemu_reg regs[] = {SPEMU_REG_PMBSR_EL1, SPEMU_REG_PMBSR_EL2,
	                                      SPEMU_REG_PMBSR_EL3};
	const struct decision *stopped = &spemu__spu_profiling_stopped;
	struct clause_context c = {.pe = pe};
	char whole[SPEMU_STOPPED_TEXT_MAX];
	struct text t = {whole, 0};

	if (text && size)
		*text = 0;
	if (!pe || (!text && size))
		return SPEMU_ERR_INVALID;
	for (unsigned i = 0; i < stopped->count; i++) {
		if (!stopped->clauses[i].holds(&c))
			continue;
		if (t.len)
			put(&t, "; ");
		put_event(&t, pe, regs[i]);
	}
	return put_end(text, size, &t);
}
