/* SPDX-License-Identifier: MIT */
/*
 * Register access: the first clause that holds in the list of arch/sysreg.txt decides the outcome
 * of an MSR or MRS. The clauses are rows of arch/clauses.tsv. The first functions here are the
 * conditions of these rows.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7, D24.5 "Accessing ..." of each register; D13.11
 * Implements:  DYBKKV IDXWRB RSRPKH (event counters)
 * Pseudocode:  CheckMDCR_EL3_NSPBTrap(), EL3SDDUndef(), GetNumEventCountersAccessible()
 * Choices:     reserved-nspb-trap
 */
#include "pe/clause.h"

/* Return true for a trap by NSPB (CheckMDCR_EL3_NSPBTrap()). For a reserved value, the choice
 * decides instead of NSPB[0]. */
static bool nspb_trap(const struct spemu_pe *pe)
{
	struct nspb nspb = spemu__pe_nspb(pe);

	if (!pe_has(pe, SPEMU_EL3))
		return false;
	if (nspb.reserved ? pe_choice(pe, SPEMU_CHOICE_RESERVED_NSPB_TRAP) ==
	                            SPEMU_RESERVED_NSPB_TRAP_TRAPPED
	                  : !(nspb.bits & 1))
		return true;
	if ((nspb.bits >> 1 & 1) != REG_FIELD(pe, SCR_EL3, NS))
		return true;
	return pe_has(pe, SPEMU_FEAT_RME) && (nspb.bits >> 2) != REG_FIELD(pe, SCR_EL3, NSE);
}

/* Return the value of EL3SDDUndef(). */
static bool sdd_undef(const struct spemu_pe *pe)
{
	return pe->state.debug && pe->state.edscr_sdd;
}

static bool at_el0(const struct clause_context *c)
{
	return c->pe->state.el == 0;
}

static bool undefined_at_el0(const struct clause_context *c)
{
	return at_el0(c) && !c->desc->access[0];
}

/* Return true for an MSR of a read-only register, which does not exist and so cannot be trapped. */
static bool msr_of_readonly(const struct clause_context *c)
{
	return c->write && c->desc->readonly;
}

/* Return true if the register is in the feature ID space: op0 3, op1 0, CRn 0. */
static bool in_id_space(const struct sysreg_desc *desc)
{
	return desc->encoding >> 7 == SPEMU_SYSREG(3, 0, 0, 0, 0) >> 7;
}

/* Return the number of the event counter that a register access concerns, or -1 for the cycle
 * counter. */
static int counter_of(const struct clause_context *c)
{
	unsigned sel = (unsigned)REG_FIELD(c->pe, PMSELR_EL0, SEL);

	if (c->access->value == COUNTER_SEL || c->access->value == COUNTER_SEL31)
		return c->access->value == COUNTER_SEL31 && sel == PMU_CYCLE_COUNTER ? -1
		                                                                     : (int)sel;
	return (int)c->index;
}

static bool counter_beyond(const struct clause_context *c, unsigned count)
{
	return counter_of(c) >= (int)count;
}

#include "pe/access_clauses.h"

enum {
	ID_SPACE = sizeof(id_space_clauses) / sizeof(*id_space_clauses),
	SHARED = sizeof(shared_clauses) / sizeof(*shared_clauses)
};

const struct clause *spemu__pe_access_clause(struct clause_context *c, unsigned index)
{
	c->access = NULL;
	if (in_id_space(c->desc)) {
		if (index < ID_SPACE)
			return &id_space_clauses[index];
		index -= ID_SPACE;
	}
	if (index < SHARED)
		return &shared_clauses[index];
	c->access = &c->desc->access[c->pe->state.el][index - SHARED];
	return spemu__pe_access_row(c->access);
}

const struct clause *spemu__pe_access_row(const struct access_clause *access)
{
	return &access_clauses[access->id];
}

const char *spemu__pe_access_fields(const struct clause *clause, const struct clause_context *c)
{
	return c->access ? c->access->fields[c->write] : clause->fields;
}

/* Return ESR_ELx.ISS for EC 0x18, without Rt. */
static uint32_t access_iss(uint32_t encoding, bool write)
{
	uint32_t op0 = encoding >> 14 & 3, op1 = encoding >> 11 & 7, crn = encoding >> 7 & 15;
	uint32_t crm = encoding >> 3 & 15, op2 = encoding & 7;

	return op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | crm << 1 | !write;
}

void spemu__pe_access(const struct spemu_pe *pe, struct spemu_access_result *result,
                      const struct sysreg_desc *desc, bool write)
{
	spemu__pe_access_nth(pe, result, desc, 0, write);
}

void spemu__pe_access_nth(const struct spemu_pe *pe, struct spemu_access_result *result,
                          const struct sysreg_desc *desc, unsigned n, bool write)
{
	struct clause_context c = {.pe = pe, .desc = desc, .write = write, .index = n};
	const struct clause *row;
	unsigned index = 0;

	do
		row = spemu__pe_access_clause(&c, index++);
	while (!row->holds(&c));
	*result = (struct spemu_access_result){
	        .outcome = (uint8_t)row->value,
	        .reg = desc->reg < 0 ? SPEMU_REG_COUNT : (uint16_t)desc->reg,
	};
	if (row->value != SPEMU_ACCESS_OK)
		result->rule = row->text;
	result->iss = access_iss(desc->encoding + n, write);
	if (!c.access)
		return;
	result->nvmem_offset = c.access->offset;
	if (result->outcome == SPEMU_ACCESS_TRAP_EL3 && sdd_undef(pe))
		result->outcome = SPEMU_ACCESS_UNDEFINED; /* by EL3SDDUndef(), a trap to EL3
		                                             becomes UNDEFINED */
	if (c.access->reg >= 0)
		result->reg = (uint16_t)c.access->reg;
}
