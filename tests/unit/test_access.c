/* SPDX-License-Identifier: MIT */
/* Test MSR and MRS by software at each Exception level (D24.7 "Accessing"). */
#include <spemu/strict.h>
#include "spu_fixture.h"

/* ESR_ELx.ISS for EC 0x18. `read` is 1 for MRS. */
#define ISS(op0, op1, crn, crm, op2, read) \
	((op0) << 20 | (op2) << 17 | (op1) << 14 | (crn) << 10 | (crm) << 1 | (read))

/* Assert that spemu_spu_access_check() predicted the result. */
static void as_predicted(const struct spemu_access_result *result,
                         const struct spemu_access_result *predicted)
{
	assert_int_equal(predicted->outcome, result->outcome);
	assert_int_equal(predicted->iss, result->iss);
	assert_int_equal(predicted->nvmem_offset, result->nvmem_offset);
	assert_ptr_equal(predicted->rule, result->rule);
	assert_int_equal(predicted->reg, result->reg);
}

static struct spemu_access_result msr(struct fixture *f, uint32_t enc, uint64_t value)
{
	struct spemu_access_result result, predicted;

	assert_int_equal(spemu_spu_access_check(f->spu, &predicted, enc, true), SPEMU_OK);
	assert_int_equal(spemu_spu_msr(f->spu, &result, enc, value), SPEMU_OK);
	as_predicted(&result, &predicted);
	return result;
}

static struct spemu_access_result mrs(struct fixture *f, uint64_t *value, uint32_t enc)
{
	struct spemu_access_result result, predicted;

	assert_int_equal(spemu_spu_access_check(f->spu, &predicted, enc, false), SPEMU_OK);
	assert_int_equal(spemu_spu_mrs(f->spu, &result, value, enc), SPEMU_OK);
	as_predicted(&result, &predicted);
	return result;
}

/* D24.7.9: PMSCR_EL2.{E2SPE, E0HSPE} are RES0 while MDCR_EL2.E2PB is not 0b00. */
static void el2_enables_are_res0_while_el1_owns(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	set(&f, SPEMU_REG_MDCR_EL2, 0);
	assert_int_equal(msr(&f, SPEMU_SYSREG_PMSCR_EL2, ~UINT64_C(0)).outcome, SPEMU_ACCESS_OK);
	assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL2) & 3, 3);
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL2) & 3, 0);
	fixture_stop(&f);
}

/* D24.2, D24.3, D24.7, D24.10: "If EL2 is not implemented, this register is RES0 from EL3". */
static void el2_registers_are_res0_without_el2(void **state)
{
	static const uint32_t names[] = {
	        SPEMU_SYSREG_PMSCR_EL2,    SPEMU_SYSREG_PMBSR_EL2,    SPEMU_SYSREG_MDCR_EL2,
	        SPEMU_SYSREG_HCR_EL2,      SPEMU_SYSREG_HDFGRTR_EL2,  SPEMU_SYSREG_HDFGWTR_EL2,
	        SPEMU_SYSREG_HDFGRTR2_EL2, SPEMU_SYSREG_HDFGWTR2_EL2, SPEMU_SYSREG_CNTHCTL_EL2,
	        SPEMU_SYSREG_HFGRTR_EL2,   SPEMU_SYSREG_HFGWTR_EL2,   SPEMU_SYSREG_CONTEXTIDR_EL2,
	};
	struct fixture f;

	(void)state;
	for (unsigned with_el2 = 0; with_el2 < 2; with_el2++) {
		fixture_start(&f, with_el2 ? "v9.6" : "v9.6,-EL2", NULL);
		for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
			uint64_t value = 1;

			at_el(&f, 3);
			assert_int_equal(mrs(&f, &value, names[i]).outcome, SPEMU_ACCESS_OK);
			/* EL2 registers are RES0 after reset, too. */
			assert_true(with_el2 || value == 0);
			assert_int_equal(msr(&f, names[i], 0xf00).outcome, SPEMU_ACCESS_OK);
			mrs(&f, &value, names[i]);
			assert_int_equal(value, with_el2 ? 0xf00 : 0);
			at_el(&f, 1);
			if (!with_el2)
				assert_int_equal(mrs(&f, &value, names[i]).outcome,
				                 SPEMU_ACCESS_UNDEFINED);
		}
		fixture_stop(&f);
	}
}

/* D24.7.2: LIMIT is a multiple of the smallest translation granule: 4KB, 16KB or 64KB. */
static void limit_is_multiple_of_smallest_granule(void **state)
{
	const struct {
		const char *features;
		unsigned log2;
	} rows[] = {
	        {"v8.2", 12},
	        {"v8.2,-FEAT_TGran16K", 12},
	        {"v8.2,-FEAT_TGran64K", 12},
	        {"v8.2,-FEAT_TGran16K,-FEAT_TGran64K", 12},
	        {"v8.2,-FEAT_TGran4K", 14},
	        {"v8.2,-FEAT_TGran4K,-FEAT_TGran64K", 14},
	        {"v8.2,-FEAT_TGran4K,-FEAT_TGran16K", 16},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t limit = ~((UINT64_C(1) << rows[i].log2) - 1), value;
		struct fixture f;

		fixture_start(&f, rows[i].features, NULL);
		/* After reset only FM may be set, because it is UNKNOWN. */
		assert_int_equal(reg(&f, SPEMU_REG_PMBLIMITR_EL1) & ~limit & ~UINT64_C(6), 0);
		assert_int_equal(msr(&f, SPEMU_SYSREG_PMBLIMITR_EL1, ~UINT64_C(0)).outcome,
		                 SPEMU_ACCESS_OK);
		assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBLIMITR_EL1).outcome,
		                 SPEMU_ACCESS_OK);
		assert_true(value == (limit | 7)); /* FM and E */
		fixture_stop(&f);
	}
}

static void accesses_without_privilege_or_feature_are_undefined(void **state)
{
	struct fixture f;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	at_el(&f, 0);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBIDR_EL1).outcome, SPEMU_ACCESS_UNDEFINED);
	at_el(&f, 1);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSCR_EL2).outcome, SPEMU_ACCESS_UNDEFINED);
	at_el(&f, 3);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSNEVFR_EL1).outcome,
	                 SPEMU_ACCESS_UNDEFINED);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBSR_EL3).outcome, SPEMU_ACCESS_UNDEFINED);
	assert_int_equal(msr(&f, SPEMU_SYSREG_PMSIDR_EL1, 0).outcome, SPEMU_ACCESS_UNDEFINED);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSIDR_EL1).outcome, SPEMU_ACCESS_OK);
	fixture_stop(&f);
}

/* MDCR_EL3.NSPB and MDCR_EL2.{TPMS, E2PB} trap accesses of lower Exception levels. */
static void nspb_tpms_and_e2pb_trap_accesses(void **state)
{
	struct fixture f;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_HCR_EL2, 0);
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	at_el(&f, 1);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSCR_EL1).outcome, SPEMU_ACCESS_OK);
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1) | FIELD(MDCR_EL2, TPMS, 1));
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSCR_EL1).outcome, SPEMU_ACCESS_TRAP_EL2);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBPTR_EL1).outcome, SPEMU_ACCESS_OK);
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1_TRAP));
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBPTR_EL1).outcome, SPEMU_ACCESS_TRAP_EL2);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBIDR_EL1).outcome, SPEMU_ACCESS_OK);
	for (unsigned nspb = 0; nspb < 3; nspb++) {
		set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, nspb));
		at_el(&f, 2);
		assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSCR_EL2).outcome,
		                 SPEMU_ACCESS_TRAP_EL3);
		at_el(&f, 3);
		assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSCR_EL2).outcome, SPEMU_ACCESS_OK);
	}
	fixture_stop(&f);
}

/* ESR_ELx.ISS for EC 0x18, computed by hand for MSR PMSFCR_EL1 (3 0 9 9 4). */
static void syndrome_of_pmsfcr_write_trap(void **state)
{
	struct fixture f;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(&f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, TPMS, 1));
	at_el(&f, 1);
	assert_int_equal(msr(&f, SPEMU_SYSREG_PMSFCR_EL1, 0).iss, 0x382412);
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMSFCR_EL1).iss, 0x382413);
	fixture_stop(&f);
}

/* With HCR_EL2.E2H, software at EL2 accesses PMSCR_EL2 by the name PMSCR_EL1. */
static void e2h_redirects_pmscr_el1_to_el2(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	set(&f, SPEMU_REG_MDCR_EL2, 0);
	at_el(&f, 2);
	set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, 1));
	assert_int_equal(msr(&f, SPEMU_SYSREG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1)).outcome,
	                 SPEMU_ACCESS_OK);
	assert_int_equal(msr(&f, SPEMU_SYSREG_PMSCR_EL12, FIELD(PMSCR_EL1, E0SPE, 1)).outcome,
	                 SPEMU_ACCESS_OK);
	assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL2), 2);
	assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL1), 1);
	set(&f, SPEMU_REG_HCR_EL2, 0);
	assert_int_equal(msr(&f, SPEMU_SYSREG_PMSCR_EL1,
	                     FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1))
	                         .outcome,
	                 SPEMU_ACCESS_OK);
	assert_int_equal(msr(&f, SPEMU_SYSREG_PMSCR_EL12, FIELD(PMSCR_EL1, E0SPE, 1)).outcome,
	                 SPEMU_ACCESS_UNDEFINED);
	assert_int_equal(reg(&f, SPEMU_REG_PMSCR_EL1), 3);
	fixture_stop(&f);
}

/* D24.2.34, D24.2.35: E2H redirects CONTEXTIDR_EL1 in the same way. CONTEXTIDR_EL12 then accesses
 * the register of EL1. */
static void e2h_redirects_contextidr_el1_to_el2(void **state)
{
	struct fixture f;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v8.4", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	at_el(&f, 2);
	set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, 1));
	assert_int_equal(msr(&f, SPEMU_SYSREG_CONTEXTIDR_EL1, ~UINT64_C(1)).outcome,
	                 SPEMU_ACCESS_OK);
	assert_int_equal(msr(&f, SPEMU_SYSREG_CONTEXTIDR_EL12, ~UINT64_C(2)).outcome,
	                 SPEMU_ACCESS_OK);
	assert_int_equal(reg(&f, SPEMU_REG_CONTEXTIDR_EL2), 0xfffffffe); /* [63:32] are RES0 */
	assert_int_equal(reg(&f, SPEMU_REG_CONTEXTIDR_EL1), 0xfffffffd);
	mrs(&f, &value, SPEMU_SYSREG_CONTEXTIDR_EL1);
	assert_int_equal(value, 0xfffffffe);
	at_el(&f, 3);
	mrs(&f, &value, SPEMU_SYSREG_CONTEXTIDR_EL1);
	assert_int_equal(value, 0xfffffffd);
	at_el(&f, 2);
	set(&f, SPEMU_REG_HCR_EL2, 0);
	assert_int_equal(msr(&f, SPEMU_SYSREG_CONTEXTIDR_EL1, 5).outcome, SPEMU_ACCESS_OK);
	assert_int_equal(msr(&f, SPEMU_SYSREG_CONTEXTIDR_EL12, 6).outcome, SPEMU_ACCESS_UNDEFINED);
	assert_int_equal(reg(&f, SPEMU_REG_CONTEXTIDR_EL1), 5);
	fixture_stop(&f);
	/* These PEs have CONTEXTIDR_EL2 through FEAT_Debugv8p1. The alias requires FEAT_VHE. */
	fixture_start(&f, "v8.2,-FEAT_VHE,-FEAT_E2H0", NULL);
	assert_int_equal(msr(&f, SPEMU_SYSREG_CONTEXTIDR_EL2, 7).outcome, SPEMU_ACCESS_OK);
	assert_int_equal(reg(&f, SPEMU_REG_CONTEXTIDR_EL2), 7);
	assert_int_equal(msr(&f, SPEMU_SYSREG_CONTEXTIDR_EL12, 6).outcome, SPEMU_ACCESS_UNDEFINED);
	fixture_stop(&f);
}

/* ESR_ELx.ISS for EC 0x18, computed by hand. HCR_EL2 is 3 4 1 1 0, CONTEXTIDR_EL1 is 3 0 13 0 1,
 * and MDCR_EL2 is 3 4 1 1 1. */
static void syndromes_of_control_register_traps(void **state)
{
	struct spemu_access_result result;
	struct fixture f;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v9.6", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, NV, 1) | FIELD(HCR_EL2, TVM, 1));
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, TDA, 1));
	at_el(&f, 1);
	result = mrs(&f, &value, SPEMU_SYSREG_HCR_EL2);
	assert_int_equal(result.outcome, SPEMU_ACCESS_TRAP_EL2);
	assert_int_equal(result.iss, ISS(3, 4, 1, 1, 0, 1));
	result = msr(&f, SPEMU_SYSREG_CONTEXTIDR_EL1, 0);
	assert_int_equal(result.outcome, SPEMU_ACCESS_TRAP_EL2);
	assert_int_equal(result.iss, ISS(3, 0, 13, 0, 1, 0));
	assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_CONTEXTIDR_EL1).outcome, SPEMU_ACCESS_OK);
	at_el(&f, 2);
	result = msr(&f, SPEMU_SYSREG_MDCR_EL2, 0);
	assert_int_equal(result.outcome, SPEMU_ACCESS_TRAP_EL3);
	assert_int_equal(result.iss, ISS(3, 4, 1, 1, 1, 0));
	fixture_stop(&f);
}

/* D24.2.66 to D24.2.75: the trap registers reset to 0 if EL2 is the highest Exception level.
 * Otherwise their reset value is UNKNOWN. */
static void fine_grained_traps_reset_to_0_at_highest_el(void **state)
{
	static const enum spemu_reg traps[] = {
	        SPEMU_REG_HFGRTR_EL2,  SPEMU_REG_HFGWTR_EL2,   SPEMU_REG_HDFGRTR_EL2,
	        SPEMU_REG_HDFGWTR_EL2, SPEMU_REG_HDFGRTR2_EL2, SPEMU_REG_HDFGWTR2_EL2,
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(traps) / sizeof(*traps); i++) {
		uint64_t with_el3 = 0, without = 0;

		for (unsigned seed = 1; seed <= 64; seed++) {
			struct fixture f;

			fixture_start_seeded(&f, "v9.6", NULL, seed);
			with_el3 |= reg(&f, traps[i]);
			fixture_stop(&f);
			fixture_start_seeded(&f, "v9.6,-EL3", NULL, seed);
			without |= reg(&f, traps[i]);
			fixture_stop(&f);
		}
		assert_true(with_el3 != 0 && without == 0);
	}
}

static void unknown_encodings_are_left_to_the_host(void **state)
{
	struct fixture f;
	struct spemu_access_result result;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	assert_int_equal(spemu_spu_msr(f.spu, &result, SPEMU_SYSREG(3, 0, 1, 0, 0), 0),
	                 SPEMU_ERR_NOT_SUPPORTED);
	fixture_stop(&f);
}

/* The registers of the walker can be set by name. The host implements MSR and MRS of these
 * registers. */
static void walker_registers_are_not_accessible_by_msr_mrs(void **state)
{
	struct fixture f;
	struct spemu_access_result result;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v9.4", NULL);
	set(&f, SPEMU_REG_TCR_EL1, 0x1234);
	assert_int_equal(reg(&f, SPEMU_REG_TCR_EL1), 0x1234);
	assert_int_equal(spemu_spu_access_check(f.spu, &result, SPEMU_SYSREG_TCR_EL1, true),
	                 SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_TCR_EL1, 0),
	                 SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(spemu_spu_mrs(f.spu, &result, &value, SPEMU_SYSREG_TTBR0_EL2),
	                 SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(reg(&f, SPEMU_REG_TCR_EL1), 0x1234);
	fixture_stop(&f);
}

/* Assert that two SPUs, with their PEs, save the same state. */
static void assert_same_state(const struct fixture *a, const struct fixture *b)
{
	uint8_t saved[2][16384];
	size_t size = spemu_spu_save_size(spemu_spu_strict(a->spu));

	assert_true(size <= sizeof(saved[0]) && spemu_pe_save_size() <= sizeof(saved[0]));
	assert_int_equal(spemu_spu_save(a->spu, saved[0], size), SPEMU_OK);
	assert_int_equal(spemu_spu_save(b->spu, saved[1], size), SPEMU_OK);
	assert_memory_equal(saved[0], saved[1], size);
	assert_int_equal(spemu_pe_save(a->pe, saved[0], sizeof(saved[0])), SPEMU_OK);
	assert_int_equal(spemu_pe_save(b->pe, saved[1], sizeof(saved[1])), SPEMU_OK);
	assert_memory_equal(saved[0], saved[1], spemu_pe_save_size());
}

/*
 * Access the register in `f` with MSR and MRS. In `other`, make a check and then the permitted
 * access. Assert that both end alike.
 */
static void in_two_steps(struct fixture *f, struct fixture *other, uint32_t encoding,
                         uint64_t value)
{
	struct spemu_access_result result, predicted;
	uint64_t read = 1, other_read = 1;

	assert_int_equal(spemu_spu_msr(f->spu, &result, encoding, value), SPEMU_OK);
	assert_int_equal(spemu_spu_access_check(other->spu, &predicted, encoding, true), SPEMU_OK);
	as_predicted(&result, &predicted);
	assert_int_equal(spemu_spu_msr_permitted(other->spu, &predicted, value),
	                 predicted.outcome == SPEMU_ACCESS_OK ? SPEMU_OK : SPEMU_ERR_INVALID);
	assert_same_state(f, other);

	assert_int_equal(spemu_spu_mrs(f->spu, &result, &read, encoding), SPEMU_OK);
	assert_int_equal(spemu_spu_access_check(other->spu, &predicted, encoding, false), SPEMU_OK);
	as_predicted(&result, &predicted);
	assert_int_equal(spemu_spu_mrs_permitted(other->spu, &other_read, &predicted),
	                 predicted.outcome == SPEMU_ACCESS_OK ? SPEMU_OK : SPEMU_ERR_INVALID);
	assert_true(read == other_read);
	assert_same_state(f, other);
}

/*
 * A check followed by the permitted access ends as MSR or MRS does. This holds for each register of
 * the SPU, at each Exception level, for a host at EL2 too, and in plain and strict mode.
 */
static void access_check_then_permitted_access_equals_msr_mrs(void **state)
{
	struct spemu_access_result no_spu = {.outcome = SPEMU_ACCESS_OK, .reg = SPEMU_REG_TCR_EL1};
	struct spemu_reg_description d;
	struct fixture f, other;
	unsigned registers = 0;
	uint64_t value;

	(void)state;
	fixture_start_seeded(&f, "v9.6", NULL, 7);
	fixture_start_seeded(&other, "v9.6", NULL, 7);
	for (unsigned n = 0; n < 16; n++) {
		const struct spemu_pe_state there = {.el = n & 3};

		if (n == 8) {
			assert_int_equal(spemu_spu_set_strict(f.spu, true, 3), SPEMU_OK);
			assert_int_equal(spemu_spu_set_strict(other.spu, true, 3), SPEMU_OK);
		}
		set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, n >> 2 & 1));
		set(&other, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, n >> 2 & 1));
		assert_int_equal(spemu_pe_set(f.pe, &there), SPEMU_OK);
		assert_int_equal(spemu_pe_set(other.pe, &there), SPEMU_OK);
		for (unsigned i = 0; spemu_reg_describe(&d, i) == SPEMU_OK; i++) {
			struct spemu_access_result result;

			if (spemu_spu_access_check(f.spu, &result, d.encoding, true) != SPEMU_OK)
				continue;
			in_two_steps(&f, &other, d.encoding,
			             d.encoding * UINT64_C(0x9e3779b97f4a7c15));
			registers++;
		}
	}
	assert_true(registers > 16 * 16);
	assert_int_equal(spemu_spu_msr_permitted(f.spu, &no_spu, 1), SPEMU_ERR_INVALID);
	no_spu.reg = SPEMU_REG_COUNT;
	assert_int_equal(spemu_spu_mrs_permitted(f.spu, &value, &no_spu), SPEMU_ERR_INVALID);
	assert_true(value == 0);
	fixture_stop(&f);
	fixture_stop(&other);
}

/* D24.7.1: PMBIDR_EL1.P follows the owner of the buffer. */
static void pmbidr_p_follows_the_owner(void **state)
{
	struct fixture f;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	for (unsigned c = 0; c < 8; c++) {
		bool ns = c & 1, e2pb0 = c & 2;
		unsigned el = c & 4 ? 2 : 1;

		set(&f, SPEMU_REG_MDCR_EL3,
		    ns ? FIELD(MDCR_EL3, NSPB, 3) : FIELD(MDCR_EL3, NSPB, 1));
		set(&f, SPEMU_REG_MDCR_EL2, e2pb0 ? 0 : NAMED(MDCR_EL2, E2PB, EL1));
		at_el(&f, el);
		assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBIDR_EL1).outcome, SPEMU_ACCESS_OK);
		assert_int_equal(value >> 4 & 1, !ns || (e2pb0 && el == 1));
		at_el(&f, 3);
		mrs(&f, &value, SPEMU_SYSREG_PMBIDR_EL1);
		assert_int_equal(value >> 4 & 1, 0);
	}
	fixture_stop(&f);
}

/* D24.7.1 lists the values of MDCR_EL3.{NSPBE, NSPB} for which P is 1, and none of them is
 * reserved. "Otherwise, this field reads as zero", whatever owner the choice selects. */
static void pmbidr_p_is_0_for_reserved_owner(void **state)
{
	static const char *const sets[] = {"v9.6", "v9.6,-Secure"};
	uint64_t value;

	(void)state;
	for (unsigned n = 0; n < 2 * 4 * 4; n++) {
		unsigned nspbe = n >> 1 & 1, nspb = n >> 2 & 1, option = n >> 3;
		struct fixture f;

		if (!nspbe && !(n & 1))
			continue; /* {0, 0b0x} is not reserved if Secure state exists */
		fixture_start(&f, sets[n & 1], NULL);
		if (spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_NSPB, option) == SPEMU_OK) {
			set(&f, SPEMU_REG_MDCR_EL3,
			    FIELD(MDCR_EL3, NSPBE, nspbe) | FIELD(MDCR_EL3, NSPB, nspb));
			set(&f, SPEMU_REG_MDCR_EL2, 0); /* E2PB 0b00: EL2 owns */
			set(&f, SPEMU_REG_HCR_EL2, 0);
			set(&f, SPEMU_REG_HDFGRTR_EL2, 0);
			set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EnVM, 1));
			for (unsigned s = 0; s < 6; s++) {
				if (s >= 4 && n & 1)
					continue; /* there is no Secure state */
				set(&f, SPEMU_REG_SCR_EL3,
				    s < 2   ? 1
				    : s < 4 ? FIELD(SCR_EL3, NSE, 1) | FIELD(SCR_EL3, NS, 1)
				            : FIELD(SCR_EL3, EEL2, 1));
				at_el(&f, s & 1 ? 2 : 1);
				assert_int_equal(mrs(&f, &value, SPEMU_SYSREG_PMBIDR_EL1).outcome,
				                 SPEMU_ACCESS_OK);
				assert_int_equal(value >> 4 & 1, 0);
				/* AddrMode is independent of P. */
				assert_int_equal(value >> 6 & 3, 1);
			}
		}
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(el2_enables_are_res0_while_el1_owns),
	        cmocka_unit_test(el2_registers_are_res0_without_el2),
	        cmocka_unit_test(limit_is_multiple_of_smallest_granule),
	        cmocka_unit_test(accesses_without_privilege_or_feature_are_undefined),
	        cmocka_unit_test(nspb_tpms_and_e2pb_trap_accesses),
	        cmocka_unit_test(syndrome_of_pmsfcr_write_trap),
	        cmocka_unit_test(e2h_redirects_pmscr_el1_to_el2),
	        cmocka_unit_test(e2h_redirects_contextidr_el1_to_el2),
	        cmocka_unit_test(syndromes_of_control_register_traps),
	        cmocka_unit_test(fine_grained_traps_reset_to_0_at_highest_el),
	        cmocka_unit_test(walker_registers_are_not_accessible_by_msr_mrs),
	        cmocka_unit_test(access_check_then_permitted_access_equals_msr_mrs),
	        cmocka_unit_test(unknown_encodings_are_left_to_the_host),
	        cmocka_unit_test(pmbidr_p_follows_the_owner),
	        cmocka_unit_test(pmbidr_p_is_0_for_reserved_owner),
	};
	return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
