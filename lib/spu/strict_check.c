/* SPDX-License-Identifier: MIT */
/*
 * Checks of software against the rules of D17, in strict mode.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.4, D17.7.8, D17.9, D17.9.1, D24.7.12, D24.7.15
 * Implements:  IWZSLB
 */
#include "spu/strict_state.h"

/* Check the conditions that must hold while profiling is enabled. The function is called again
 * after a change of a register. */
void spemu__check_enabled(struct strict *strict)
{
	const struct spemu_pe *pe = strict->spu->pe;
	uint64_t interval = REG_FIELD(pe, PMSIRR_EL1, INTERVAL) << 8;

	if (!strict->spu->enabled || strict->checked == pe->generation)
		return;
	strict->checked = pe->generation;
	if (!spemu__filter_types_make_sense(pe) || !spemu__filter_events_make_sense(pe) ||
	    !spemu__filter_latency_makes_sense(pe))
		spemu__spu_diagnose(strict->spu, DIAGNOSE_FILTER);
	if (!interval)
		spemu__spu_diagnose(strict->spu, DIAGNOSE_INTERVAL_ZERO);
	else if (interval < strict->spu->config.min_interval)
		spemu__spu_diagnose(strict->spu, DIAGNOSE_INTERVAL_SHORT);
	if (strict->spu->facts.reserved_owner)
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_RESERVED_VALUE,
		                             SPEMU_REG_MDCR_EL3,
		                             strict->spu->pe->reg[SPEMU_REG_MDCR_EL3]);
	if (strict->spu->vm.physical_only && spu_has(strict->spu, SPEMU_FEAT_SPE_NVM) &&
	    strict->spu->access.address_type == SPEMU_ADDRESS_VA && !strict->spu->discard_mode)
		spemu__spu_diagnose(strict->spu, DIAGNOSE_VM_ADDRESS);
}

static bool is_reserved(const struct sysreg_field *f, uint64_t value)
{
	uint64_t field = bits_get(value, f->hi, f->lo);

	for (unsigned i = 0; i < f->enum_count; i++)
		if (f->enums[i].value == field)
			return false;
	return f->enum_count;
}

/* Return true if a changed field has a reserved value. This applies to fields with a list of values
 * in arch/sysreg.txt. */
static bool has_reserved_value(const struct strict *strict, const struct sysreg_desc *desc,
                               uint64_t value, uint64_t changed)
{
	for (unsigned i = 0; i < desc->field_count; i++) {
		const struct sysreg_field *f = &desc->fields[i];

		if ((changed & BITMASK(f->hi, f->lo)) &&
		    spemu__guard_holds(&f->guard, &strict->spu->pe->features) &&
		    is_reserved(f, value))
			return true;
	}
	return false;
}

static void check_reserved(struct strict *strict, enum spemu_reg reg, uint64_t value,
                           uint64_t changed)
{
	const struct sysreg_desc *desc = spemu__sysreg_desc_of(reg);
	uint64_t reserved = ~spemu__sysreg_mask(desc, &strict->spu->pe->features);

	if (desc->readonly)
		return;
	if (reg == SPEMU_REG_PMSCR_EL1 && !spu_has(strict->spu, SPEMU_EL2))
		reserved &= ~BIT64(SPEMU_PMSCR_EL1_PCT_LSB); /* the reserved value reads as 0b01 */
	if (has_reserved_value(strict, desc, value, changed))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_RESERVED_VALUE, reg, value);
	if (!desc->partial && (value & reserved & changed))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_RESERVED_BITS, reg, value);
}

static uint64_t limit_of(uint64_t pmblimitr)
{
	return pmblimitr & BITMASK(63, 12);
}

enum stop { STOP_COUNTS, STOP_IGNORED };

/*
 * Return true if profiling that writes to a buffer is enabled here by the registers as software
 * wrote them, with value in reg. With STOP_IGNORED, assume that no PMBSR_ELx.S is 1 and that a
 * PMSCR_ELx that was never written enables it.
 */
static bool enabled_with(const struct strict *strict, enum spemu_reg reg, uint64_t value,
                         enum stop stop)
{
	struct spemu_pe *pe = strict->spu->pe;
	uint64_t visible[STRICT_REGISTERS];
	bool enabled;

	for (int i = 0; i < STRICT_REGISTERS; i++) {
		enum spemu_reg r = spemu__strict_register[i];

		visible[i] = pe->reg[r];
		pe->reg[r] = r == reg ? value : spemu__strict_direct(strict, r);
		if (stop == STOP_IGNORED && spemu__strict_is_syndrome(r))
			pe->reg[r] = 0;
		if (stop == STOP_IGNORED && pe->unwritten[r] &&
		    (r == SPEMU_REG_PMSCR_EL1 || r == SPEMU_REG_PMSCR_EL2))
			pe->reg[r] |= BITMASK(1, 0); /* E0SPE and E1SPE, E0HSPE and E2SPE */
	}
	enabled = spemu__spu_enabled_at(pe, pe->state.el) && !spemu__buffer_discard_mode(pe);
	for (int i = 0; i < STRICT_REGISTERS; i++)
		pe->reg[spemu__strict_register[i]] = visible[i];
	return enabled;
}

/* Return true if this write enables profiling of the following instructions (IWZSLB). */
static bool becomes_enabled(const struct strict *strict, enum spemu_reg reg, uint64_t value,
                            enum stop stop)
{
	return !enabled_with(strict, reg, spemu__strict_direct(strict, reg), stop) &&
	       enabled_with(strict, reg, value, stop);
}

/* Return true if the write of the register is not synchronized. Until a Context synchronization
 * event, any of several direct writes may become visible first (INDWCG). */
static bool is_late(const struct strict *strict, enum spemu_reg reg)
{
	return strict->unsynchronized >> spemu__strict_place(reg) & 1;
}

/* Check a write that enables profiling. If the write is to PMBLIMITR_EL1, its limit and E become
 * visible together. If E was 1 before, check_programming() has reported the write. */
static void check_enabling(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	uint64_t limit = reg == SPEMU_REG_PMBLIMITR_EL1
	                         ? value
	                         : spemu__strict_direct(strict, SPEMU_REG_PMBLIMITR_EL1);
	bool nvm = limit >> SPEMU_PMBLIMITR_EL1_nVM_LSB & 1;

	if (spemu__strict_place(reg) < 0 || spemu__strict_is_syndrome(reg))
		return;
	if (!is_late(strict, SPEMU_REG_PMBPTR_EL1) &&
	    !(nvm && is_late(strict, SPEMU_REG_PMBMAR_EL1)))
		return;
	if (becomes_enabled(strict, reg, value, STOP_COUNTS))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_ENABLED_FIRST, reg, value);
}

/* Return true if S of another PMBSR_ELx, as software wrote it, is 1 when reg has value. */
static bool stays_stopped_with(const struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	uint64_t any = value;

	for (int i = 0; i < STRICT_SYNDROMES; i++) {
		enum spemu_reg r = spemu__strict_register[STRICT_SYNDROME + i];

		any |= r == reg ? 0 : spemu__strict_direct(strict, r);
	}
	return any >> SPEMU_PMBSR_EL1_S_LSB & 1;
}

/* Report that software clears S while its cause persists, or too early. */
static void check_clear(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	uint64_t limit = spemu__strict_direct(strict, SPEMU_REG_PMBLIMITR_EL1);
	uint64_t pointer = spemu__strict_direct(strict, SPEMU_REG_PMBPTR_EL1);
	uint64_t s_bit = BIT64(SPEMU_PMBSR_EL1_S_LSB);

	if (!(spemu__strict_direct(strict, reg) & ~value & s_bit))
		return;
	strict->stop_was_read = false;
	strict->syndrome_cleared = true;
	if (strict->spu->ended.how == ENDED_FULL && (limit & 1) && !strict->spu->discard_mode &&
	    !spemu__restart_has_room(strict->spu, pointer, limit_of(limit)))
		spemu__spu_diagnose(strict->spu, DIAGNOSE_CAUSE_PERSISTS);
	else if ((is_late(strict, SPEMU_REG_PMBPTR_EL1) ||
	          is_late(strict, SPEMU_REG_PMBLIMITR_EL1)) &&
	         becomes_enabled(strict, reg, value, STOP_COUNTS))
		spemu__spu_diagnose(strict->spu, DIAGNOSE_CLEARED_FIRST);
	else if (strict->may_restart && !stays_stopped_with(strict, reg, value) &&
	         !enabled_with(strict, reg, value, STOP_COUNTS))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_CLEARED_EARLY, reg, value);
}

/* Return true if profiling is stopped and was not restarted by software. */
static bool stays_stopped(const struct strict *strict)
{
	return strict->spu->stopped &&
	       stays_stopped_with(strict, SPEMU_REG_PMBSR_EL1,
	                          spemu__strict_direct(strict, SPEMU_REG_PMBSR_EL1));
}

/* Record the state after a Context synchronization event, when all values are visible. */
void spemu__check_synchronized(struct strict *strict)
{
	strict->unsynchronized = 0;
	strict->buffer_was_on = REG_FIELD(strict->spu->pe, PMBLIMITR_EL1, E);
	strict->may_sample = strict->spu->enabled && !strict->spu->discard_mode;
	strict->may_restart = enabled_with(strict, SPEMU_REG_PMBSR_EL1,
	                                   strict->spu->pe->reg[SPEMU_REG_PMBSR_EL1], STOP_IGNORED);
}

/*
 * Check that the buffer is not programmed while a profiling operation may read its registers
 * (RPVRNK). This may be an operation in flight that no PSB has forced, if E is 1 as software wrote
 * it or was 1 at the last Context synchronization event. It may also be an operation that is still
 * to be sampled before a Context synchronization event.
 */
static void check_programming(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	uint64_t before = spemu__strict_direct(strict, SPEMU_REG_PMBLIMITR_EL1);
	bool stays = reg != SPEMU_REG_PMBLIMITR_EL1 || (value & 1 && value != before);

	if (reg != SPEMU_REG_PMBLIMITR_EL1 && reg != SPEMU_REG_PMBPTR_EL1 &&
	    reg != SPEMU_REG_PMBMAR_EL1)
		return;
	if (!stays_stopped(strict) && stays &&
	    (strict->may_sample ||
	     (strict_in_flight(strict) && ((before & 1) || strict->buffer_was_on))))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_PROGRAMMED_ENABLED, reg, value);
}

/* Return true if an External abort on a write may still come. A PSB synchronizes everything that
 * it forces except this abort, which a DSB completes (IMLGHW). */
static bool abort_is_on_its_way(const struct strict *strict, enum spemu_reg reg)
{
	return spemu__strict_is_syndrome(reg) && (strict->outstanding[STAGE_FORCED] & BY_ABORT);
}

/* Return true if profiling that is enabled here reads the register, and the register has fields
 * that a reset makes UNKNOWN. */
static bool is_read(const struct strict *strict, enum spemu_reg reg)
{
	const struct spemu_pe *pe = strict->spu->pe;
	uint64_t pmsfcr = spemu__strict_direct(strict, SPEMU_REG_PMSFCR_EL1);
	uint64_t limit = spemu__strict_direct(strict, SPEMU_REG_PMBLIMITR_EL1);

	switch (reg) {
	case SPEMU_REG_MDCR_EL3:
		return spu_has(strict->spu, SPEMU_EL3);
	case SPEMU_REG_MDCR_EL2:
		return spu_has(strict->spu, SPEMU_EL2);
	case SPEMU_REG_PMBSR_EL2:
		return spemu__pe_el2_enabled(pe) && (spemu__pe_pmscr_el2_ee(pe) & 2);
	case SPEMU_REG_PMBSR_EL3:
		return spu_has(strict->spu, SPEMU_EL3) && (spemu__pe_pmsee(pe) & 2);
	case SPEMU_REG_PMSCR_EL1:
	case SPEMU_REG_PMSCR_EL2:
		return reg == spemu__diagnose_pmscr(strict->spu);
	case SPEMU_REG_PMBMAR_EL1:
		return limit >> SPEMU_PMBLIMITR_EL1_nVM_LSB & 1;
	case SPEMU_REG_PMSEVFR_EL1:
		return pmsfcr >> SPEMU_PMSFCR_EL1_FE_LSB & 1;
	case SPEMU_REG_PMSNEVFR_EL1:
		return pmsfcr >> SPEMU_PMSFCR_EL1_FnE_LSB & 1;
	case SPEMU_REG_PMSLATFR_EL1:
		return pmsfcr >> SPEMU_PMSFCR_EL1_FL_LSB & 1;
	case SPEMU_REG_PMSDSFR_EL1:
		return pmsfcr >> SPEMU_PMSFCR_EL1_FDS_LSB & 1;
	default: /* PMBPTR_EL1, PMBSR_EL1, PMBLIMITR_EL1, PMSICR_EL1, PMSIRR_EL1, PMSFCR_EL1 */
		return true;
	}
}

/* Report a register that is read and was never written. PMBSR_ELx come before other registers. */
static void diagnose_unwritten(struct strict *strict)
{
	for (int i = STRICT_SYNDROME; i < STRICT_SYNDROME + STRICT_REGISTERS; i++) {
		enum spemu_reg r = spemu__strict_register[i % STRICT_REGISTERS];

		if (!strict->spu->pe->unwritten[r] || !is_read(strict, r))
			continue;
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_NEVER_WRITTEN, r,
		                             spemu__strict_direct(strict, r));
		return;
	}
}

/* Check an MSR. */
void spemu__check_write(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	int place = spemu__strict_place(reg);

	check_reserved(strict, reg, value, UINT64_MAX);
	spemu__check_switch(strict, reg, strict->spu->pe->reg[reg] ^ value);
	check_programming(strict, reg, value);
	if (place >= 0 && place < STRICT_INDIRECT && reg != SPEMU_REG_PMSICR_EL1 &&
	    (strict_in_flight(strict) || abort_is_on_its_way(strict, reg)))
		spemu__spu_diagnose_register(strict->spu, DIAGNOSE_WRITTEN_IN_FLIGHT, reg, value);
	if (spemu__strict_is_syndrome(reg))
		check_clear(strict, reg, value);
	check_enabling(strict, reg, value);
	strict->spu->pe->unwritten[reg] = false;
	if (place >= 0 && becomes_enabled(strict, reg, value, STOP_IGNORED))
		diagnose_unwritten(strict);
	strict->may_sample |= place >= 0 && enabled_with(strict, reg, value, STOP_COUNTS);
	strict->may_restart |= place >= 0 && enabled_with(strict, reg, value, STOP_IGNORED);
}

/*
 * Check a write that the host makes for software that it executes. Bits that do not change are not
 * checked.
 */
void spemu__check_set(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	uint64_t changed = strict->spu->pe->reg[reg] ^ value;

	/* Software has not yet dealt with an event that the host writes. */
	if (spemu__strict_is_syndrome(reg) && value >> SPEMU_PMBSR_EL1_S_LSB & 1)
		strict->spu->pe->unwritten[reg] = true;
	check_reserved(strict, reg, value, changed);
	spemu__check_switch(strict, reg, changed);
}

/* Check an exception return to a state in which profiling is set up, but an event that software
 * has seen still stops it. */
void spemu__check_return(struct strict *strict, unsigned from_el, unsigned to_el)
{
	bool wanted = ((strict->spu->pe->reg[SPEMU_REG_PMSCR_EL1] |
	                strict->spu->pe->reg[SPEMU_REG_PMSCR_EL2]) &
	               3) &&
	              REG_FIELD(strict->spu->pe, PMBLIMITR_EL1, E);

	if (to_el < from_el && enabled_with(strict, SPEMU_REG_PMBSR_EL1, 0, STOP_IGNORED))
		diagnose_unwritten(strict);
	if (to_el >= from_el || !strict->spu->stopped || !strict->stop_was_read || !wanted)
		return;
	strict->stop_was_read = false;
	spemu__spu_diagnose(strict->spu, DIAGNOSE_NEVER_CLEARED);
}

/* Check a record that is about to be written. */
void spemu__check_delivery(struct strict *strict, const struct held *record)
{
	unsigned current =
	        spemu__pe_scr_nse(strict->spu->pe) << 1 | spemu__pe_scr_ns(strict->spu->pe);
	uint64_t pointer = strict->spu->pe->reg[SPEMU_REG_PMBPTR_EL1];

	if (strict->spu->stopped || strict->spu->discard_mode)
		return;
	if (record->security != strict->spu->access.security ||
	    current != strict->spu->access.security)
		spemu__spu_diagnose(strict->spu, DIAGNOSE_CROSSES_SECURITY);
	else if (!strict->spu->buffer_enabled)
		spemu__spu_diagnose(strict->spu, DIAGNOSE_DISABLED_IN_FLIGHT);
	for (unsigned i = 0; i < strict->changes; i++) {
		const struct strict_range *c = &strict->change[i];

		if (pointer < c->address ? c->address - pointer < record->size
		                         : pointer - c->address < c->size)
			spemu__spu_diagnose(strict->spu, DIAGNOSE_TRANSLATION_STALE);
	}
	if (spemu__strict_meets_store(strict, record, pointer))
		spemu__spu_diagnose(strict->spu, DIAGNOSE_MEMORY_WRITTEN);
}

/* Check a record that ended in an event. It may be the same fault, at the same address, as the
 * one that was just cleared. */
void spemu__check_event(struct strict *strict)
{
	uint64_t pointer = strict->spu->pe->reg[SPEMU_REG_PMBPTR_EL1], syndrome = 0;

	for (int i = 0; i < STRICT_INDIRECT; i++)
		if (spemu__strict_is_syndrome(spemu__strict_register[i]) &&
		    strict->spu->pe->reg[spemu__strict_register[i]] >> SPEMU_PMBSR_EL1_S_LSB & 1)
			syndrome = strict->spu->pe->reg[spemu__strict_register[i]];
	if (!bits_get(syndrome, 31, 26)) /* EC: only the cause of a fault can persist */
		return;
	if (strict->syndrome_cleared && strict->last_syndrome == syndrome &&
	    strict->last_pointer == pointer)
		spemu__spu_diagnose(strict->spu, DIAGNOSE_CAUSE_PERSISTS);
	strict->last_syndrome = syndrome;
	strict->last_pointer = pointer;
	strict->syndrome_cleared = false;
}
