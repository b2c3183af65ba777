/* SPDX-License-Identifier: MIT */
/* Test the external interface: the locations and controls of Tables I3-1 and I3-2. It must show the
 * same registers as MSR and MRS. */
#include "base/prng.h"
#include "pmu_fixture.h"

#define B(n) (UINT64_C(1) << (n))
#define EXT64 "v9.6,+FEAT_PMUv3_EXT64,-FEAT_PMUv3_EXT32"

static bool read_at(struct pmu_fixture *f, uint32_t offset, unsigned size, unsigned pas,
                    uint64_t *value)
{
	bool error = true;

	assert_int_equal(spemu_pmu_external_read(f->pmu, &error, value, offset, size, pas),
	                 SPEMU_OK);
	return !error;
}

static uint64_t get(struct pmu_fixture *f, uint32_t offset, unsigned size)
{
	uint64_t value = 0;

	assert_true(read_at(f, offset, size, SPEMU_SS_ROOT, &value));
	return value;
}

static void put(struct pmu_fixture *f, uint32_t offset, unsigned size, uint64_t value)
{
	bool error = true;

	assert_int_equal(
	        spemu_pmu_external_write(f->pmu, &error, offset, size, SPEMU_SS_ROOT, value),
	        SPEMU_OK);
	assert_false(error);
}

/* A register's offset in both maps, and the System register that it shows. */
struct location {
	uint16_t ext32, ext64; /* 0xffff if the map does not have the register */
	uint32_t encoding;
};
static const struct location locations[] = {
        {0x000, 0x000, SPEMU_SYSREG_PMEVCNTRn_EL0(0)},
        {0x028, 0x028, SPEMU_SYSREG_PMEVCNTRn_EL0(5)},
        {0x0f8, 0x0f8, SPEMU_SYSREG_PMCCNTR_EL0},
        {0x100, 0x100, SPEMU_SYSREG_PMICNTR_EL0},
        {0x600, 0x600, SPEMU_SYSREG_PMEVCNTSVRn_EL1(0)},
        {0x618, 0x618, SPEMU_SYSREG_PMEVCNTSVRn_EL1(3)},
        {0x6f8, 0x6f8, SPEMU_SYSREG_PMCCNTSVR_EL1},
        {0x700, 0x700, SPEMU_SYSREG_PMICNTSVR_EL1},
        {0xc00, 0xc00, SPEMU_SYSREG_PMCNTENSET_EL0},
        {0xc20, 0xc20, SPEMU_SYSREG_PMCNTENSET_EL0},
        {0xffff, 0xc10, SPEMU_SYSREG_PMCNTENSET_EL0},
        {0xc40, 0xc40, SPEMU_SYSREG_PMINTENSET_EL1},
        {0xc60, 0xc60, SPEMU_SYSREG_PMINTENSET_EL1},
        {0xffff, 0xc50, SPEMU_SYSREG_PMINTENSET_EL1},
        {0xc80, 0xc80, SPEMU_SYSREG_PMOVSSET_EL0},
        {0xcc0, 0xcc0, SPEMU_SYSREG_PMOVSSET_EL0},
        {0xffff, 0xc90, SPEMU_SYSREG_PMOVSSET_EL0},
        {0xe30, 0xe30, SPEMU_SYSREG_PMSSCR_EL1},
        {0xffff, 0x400, SPEMU_SYSREG_PMEVTYPERn_EL0(0)},
        {0xffff, 0x420, SPEMU_SYSREG_PMEVTYPERn_EL0(4)},
        {0xffff, 0x4f8, SPEMU_SYSREG_PMCCFILTR_EL0},
        {0xffff, 0x500, SPEMU_SYSREG_PMICFILTR_EL0},
        {0xe40, 0xe40, SPEMU_SYSREG_PMMIR_EL1},
        {0xffff, 0xe10, SPEMU_SYSREG_PMCR_EL0},
};

static void external_registers_read_as_system_registers(void **state)
{
	(void)state;
	for (unsigned format = 0; format < 3; format++) {
		const char *const sets[] = {"v9.6", EXT64, EXT64 ",-FEAT_RME,-EL3,-Secure"};
		struct pmu_fixture f;

		pmu_start(&f, sets[format]);
		pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, 0);
		for (unsigned i = 0; i < sizeof(locations) / sizeof(*locations); i++) {
			uint32_t at = format ? locations[i].ext64 : locations[i].ext32;
			uint64_t want = pmu_get(&f, locations[i].encoding);

			if (at == 0xffff)
				continue;
			assert_true(get(&f, at, 8) == want);
			assert_true(get(&f, at, 4) == (want & UINT32_MAX));
			assert_true(get(&f, at + 4, 4) == want >> 32);
		}
		pmu_stop(&f);
	}
}

/* In EXT32, event types have 32 bits at 0x400 and their upper halves at 0xA00. PMCR is at 0xE04,
 * followed by PMCEID0 to PMCEID3. */
static void ext32_places_event_types_and_pmcr(void **state)
{
	struct spemu_pmu_config config = {
	        .common_events = {UINT64_C(0x1111222233334444), UINT64_C(0x5555666677778888)}};
	struct pmu_fixture f;

	(void)state;
	pmu_start_with(&f, "v9.6,+FEAT_SME,+FEAT_PMUv3_SME", &config);
	pmu_program(&f);
	put(&f, 0x408, 4, B(31) | 0x11);
	put(&f, 0xa08, 4, 2u << 24);
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMEVTYPERn_EL0(2)) == (B(57) | B(31) | 0x11));
	assert_int_equal(get(&f, 0x408, 4), B(31) | 0x11);
	assert_int_equal(get(&f, 0xa08, 4), 2u << 24);
	/* One access to two registers. */
	put(&f, 0x408, 8, B(32 + 30) | UINT64_C(0x22) << 32 | B(31) | 0x12);
	assert_int_equal(get(&f, 0x408, 4), B(31) | 0x12);
	assert_int_equal(get(&f, 0x40c, 4), B(30) | 0x22);
	assert_true(get(&f, 0x408, 8) == (B(32 + 30) | UINT64_C(0x22) << 32 | B(31) | 0x12));
	put(&f, 0xa7c, 4, 2u << 24); /* VS */
	assert_int_equal(get(&f, 0xa7c, 4), 2u << 24);
	put(&f, 0xa7c, 4, 0);
	put(&f, 0x47c, 4, B(30));
	put(&f, 0x480, 4, B(29));
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMCCFILTR_EL0) == B(30));
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMICFILTR_EL0) == (B(29) | 8));
	put(&f, 0xa80, 4, 2u << 24);
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMICFILTR_EL0) == (B(57) | B(29) | 8));
	assert_int_equal(get(&f, 0xa80, 4), 2u << 24);
	assert_int_equal(get(&f, 0xa7c, 4), 0);
	put(&f, 0xe04, 4, 1 | B(6) | B(9));
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCR_EL0) & 0x3ff, 0x241);
	assert_int_equal(get(&f, 0xe20, 4), 0x33334444);
	assert_int_equal(get(&f, 0xe24, 4), 0x77778888);
	assert_int_equal(get(&f, 0xe28, 4), 0x11112222);
	assert_int_equal(get(&f, 0xe2c, 4), 0x55556666);
	/* PMCFGR (NCG 1, SS 1, FZO 1, CCD 1, CC 1, SIZE 63, N 7), PMCGCR0 and PMDEVID. */
	assert_int_equal(get(&f, 0xe00, 4),
	                 1u << 28 | 1u << 22 | 1u << 21 | 1u << 15 | 1u << 14 | 0x3f00 | 7);
	assert_int_equal(get(&f, 0xce0, 4), 0x107);
	assert_int_equal(get(&f, 0xfc8, 4), 0x12);
	pmu_stop(&f);
}

/* The effects of writes to halves, to set and clear registers, to PMZR_EL0, and to read-only and
 * reserved locations. */
static void external_writes_set_clear_and_zero(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, EXT64);
	pmu_program(&f);
	put(&f, 0x008, 4, 0x11);
	put(&f, 0x00c, 4, 0x22);
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(1)) == UINT64_C(0x2200000011));
	put(&f, 0xc20, 4, 0x3); /* clear */
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMCNTENSET_EL0) == (B(32) | B(31) | 0x3c));
	put(&f, 0xc00, 8, 0x1); /* set */
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMCNTENSET_EL0) == (B(32) | B(31) | 0x3d));
	put(&f, 0xc10, 4, 0x7); /* a new value of the lower half */
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMCNTENSET_EL0) == (B(32) | 0x7));
	put(&f, 0xc50, 8, 2);
	put(&f, 0xc90, 8, 2);
	assert_true(f.irq);
	put(&f, 0xc80, 8, 2);
	assert_false(f.irq);
	put(&f, 0xca0, 8, 2);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(1)), 0);
	/* HPMN does not split the counters in this interface. PMCR_EL0.{P, C} reset all
	 * counters. */
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, HPME, 1) | FIELD(MDCR_EL2, HPMN, 1));
	pmu_set(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(5), 5);
	pmu_set(&f, SPEMU_SYSREG_PMCCNTR_EL0, 5);
	put(&f, 0xe10, 8, 7);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTRn_EL0(5)), 0);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCCNTR_EL0), 0);
	assert_int_equal(get(&f, 0xe10, 8) >> 11 & 31, 6);
	/* A write of only the upper half resets nothing and does not change E. */
	put(&f, 0xe10, 8, 1);
	pmu_set(&f, SPEMU_SYSREG_PMCCNTR_EL0, 5);
	put(&f, 0xe14, 4, 0);
	assert_int_equal(get(&f, 0xe10, 4) & 7, 1);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCCNTR_EL0), 5);
	/* Snapshot and identification registers are read-only. Other locations are RES0. */
	put(&f, 0x600, 8, ~UINT64_C(0));
	put(&f, 0xe00, 8, ~UINT64_C(0));
	put(&f, 0x708, 8, ~UINT64_C(0));
	assert_int_equal(get(&f, 0x708, 8), 0);
	assert_int_equal(get(&f, 0x030, 8), 0); /* counter 6 is not implemented */
	put(&f, 0x030, 8, 4);
	assert_int_equal(get(&f, 0x030, 8), 0);
	pmu_stop(&f);
}

static const uint32_t halves[] = {SPEMU_SYSREG_PMEVCNTRn_EL0(3), SPEMU_SYSREG_PMEVTYPERn_EL0(3),
                                  SPEMU_SYSREG_PMCCNTR_EL0,      SPEMU_SYSREG_PMCCFILTR_EL0,
                                  SPEMU_SYSREG_PMICNTR_EL0,      SPEMU_SYSREG_PMICFILTR_EL0};

/* D13: a 32-bit access to a 64-bit register changes the existing bits of its half, and no bit of
 * the other half. */
static void narrow_write_changes_one_half(void **state)
{
	static const uint16_t at[] = {0x018, 0x418, 0x0f8, 0x4f8, 0x100, 0x500};
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, EXT64);
	pmu_program(&f);
	for (unsigned i = 0; i < sizeof(at) / sizeof(*at); i++)
		for (unsigned run = 0; run < 8; run++) {
			uint64_t ones, zeros, want;

			put(&f, at[i], 8, 0);
			/* The fixed value of PMICFILTR_EL0.evtCount is 8. */
			zeros = pmu_get(&f, halves[i]);
			put(&f, at[i], 8, ~UINT64_C(0));
			ones = pmu_get(&f, halves[i]);
			put(&f, at[i], 8, run & 1 ? ~UINT64_C(0) : 0);
			put(&f, at[i] + (run & 2) * 2, 4, run & 4 ? UINT32_MAX : 0);
			want = run & 1 ? ~UINT64_C(0) : 0;
			if (run & 2)
				want = (want & UINT32_MAX) | (run & 4 ? ~UINT64_C(0) << 32 : 0);
			else
				want = want >> 32 << 32 | (run & 4 ? UINT32_MAX : 0);
			assert_true(pmu_get(&f, halves[i]) == ((want & ones) | zeros));
			assert_true(get(&f, at[i], 8) == ((want & ones) | zeros));
		}
	pmu_stop(&f);
}

/* Each bit of PMZR_EL0 zeroes its counter and no other. Bits of counters that are not implemented
 * have no effect. */
static void pmzr_zeroes_each_counter_alone(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	for (unsigned bit = 0; bit < 64; bit++) {
		for (unsigned n = 0; n <= 32; n++)
			if (n < 6 || n > 30)
				put(&f, n * 8, 8, 100 + n);
		put(&f, 0xca0, 8, B(bit));
		for (unsigned n = 0; n <= 32; n++)
			if (n < 6 || n > 30)
				assert_int_equal(get(&f, n * 8, 8), n == bit ? 0 : 100 + n);
	}
	pmu_stop(&f);
}

/* Event counters from number PMCR_EL0.N on do not exist. They read as zero, even after writes and
 * Captures. */
static void absent_counters_read_as_zero(void **state)
{
	(void)state;
	for (unsigned format = 0; format < 2; format++) {
		unsigned type = format ? 8 : 4;
		struct pmu_fixture f;

		pmu_start(&f, format ? EXT64 : "v9.6");
		pmu_program(&f);
		for (unsigned n = 6; n < 31; n++) {
			put(&f, n * 8, 8, ~UINT64_C(0));
			put(&f, 0x400 + n * type, type, ~UINT64_C(0));
			put(&f, 0x600 + n * 8, 8, ~UINT64_C(0));
		}
		assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
		for (unsigned n = 6; n < 31; n++) {
			assert_int_equal(get(&f, n * 8, 8), 0);
			assert_int_equal(get(&f, 0x400 + n * type, type), 0);
			assert_int_equal(get(&f, 0x600 + n * 8, 8), 0);
			if (!format)
				assert_int_equal(get(&f, 0xa00 + n * 4, 4), 0);
		}
		pmu_stop(&f);
	}
}

/* An agent writes PMCNTENCLR_EL0 and PMCNTENSET_EL0 between two counts. Each write decides at once
 * which counters count. */
static void external_enables_take_effect_at_once(void **state)
{
	struct pmu_fixture f;
	uint64_t before;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	before = get(&f, 0x20, 8);
	spemu_pmu_count(f.pmu, 0x104, 11);
	put(&f, 0xc20, 8, 1 << 4);
	spemu_pmu_count(f.pmu, 0x104, 100);
	assert_true(get(&f, 0x20, 8) == before + 11);
	put(&f, 0xc00, 8, 1 << 4);
	spemu_pmu_count(f.pmu, 0x104, 1000);
	assert_true(get(&f, 0x20, 8) == before + 1011);
	pmu_stop(&f);
}

/* An external write to PMSSCR_EL1 starts a Capture. The agent can read the result at once. */
static void external_pmsscr_write_captures(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	spemu_pmu_count(f.pmu, 0x104, 11);
	assert_true(get(&f, 0xe30, 8) == B(32));
	put(&f, 0xe30, 4, 1);
	assert_int_equal(get(&f, 0xe30, 8), 0);
	assert_int_equal(get(&f, 0x620, 8), 11);
	assert_int_equal(f.diagnostics, 0);
	pmu_stop(&f);
}

/* An external access needs a valid size and alignment, and the feature of the interface. */
static void external_access_needs_size_alignment_and_feature(void **state)
{
	struct pmu_fixture f;
	uint64_t value;
	bool error;

	(void)state;
	pmu_start(&f, "v9.6");
	assert_int_equal(spemu_pmu_external_read(f.pmu, &error, &value, 2, 4, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_external_read(f.pmu, &error, &value, 4, 8, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_external_read(f.pmu, &error, &value, 0, 2, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_external_read(f.pmu, &error, &value, 0x1000, 4, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_external_write(f.pmu, &error, 0xffc, 8, 0, 0),
	                 SPEMU_ERR_INVALID);
	pmu_stop(&f);
	pmu_start(&f, "v9.6,-FEAT_PMUv3_EXT,-FEAT_PMUv3_EXT32");
	assert_int_equal(spemu_pmu_external_read(f.pmu, &error, &value, 0, 4, 0),
	                 SPEMU_ERR_NOT_SUPPORTED);
	pmu_stop(&f);
}

/*
 * The columns of the tables are the OS Lock, MDCR_EL3.{EPMAD, EPMADE}, EPMSSAD and power. D24.3.18
 * says for each value which physical address spaces it permits: Secure, Non-secure, Root, Realm.
 */
static void external_access_permissions_of_the_tables(void **state)
{
	/* For each value of {EPMADE, EPMAD} and of EPMSSAD, the set of permitted address spaces. */
	static const uint8_t epmad[4] = {0xf, 1 << 0 | 1 << 2, 1 << 2 | 1 << 3, 1 << 2};
	static const uint8_t epmssad[4] = {1 << 2, 1 << 2 | 1 << 3, 1 << 2 | 1 << 0, 0xf};
	struct pmu_fixture f;
	uint64_t value;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	for (unsigned n = 0; n < 4 * 4 * 2 * 4; n++) {
		unsigned mad = n & 3, ssad = n >> 2 & 3, lock = n >> 4 & 1, pas = n >> 5;
		bool pmu = (epmad[mad] >> pas & 1) && !lock, ss = epmssad[ssad] >> pas & 1;

		pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, FIELD(OSLSR_EL1, OSLK, lock));
		pmu_set(&f, SPEMU_SYSREG_MDCR_EL3,
		        FIELD(MDCR_EL3, EPMAD, mad & 1) | FIELD(MDCR_EL3, EPMADE, mad >> 1) |
		                FIELD(MDCR_EL3, EPMSSAD, ssad));
		assert_int_equal(read_at(&f, 0x000, 8, pas, &value), pmu);
		assert_int_equal(read_at(&f, 0xe04, 4, pas, &value), pmu);
		assert_int_equal(read_at(&f, 0x600, 8, pas, &value), ss);
		assert_int_equal(read_at(&f, 0xe30, 8, pas, &value), ss);
		assert_int_equal(read_at(&f, 0x200, 4, pas, &value), !lock);
		assert_int_equal(read_at(&f, 0xe50, 4, pas, &value), !lock);
		assert_true(read_at(&f, 0xfc8, 4, pas, &value));
	}
	spemu_pmu_power(f.pmu, false);
	assert_false(read_at(&f, 0x600, 8, SPEMU_SS_ROOT, &value));
	pmu_stop(&f);
	/* Without FEAT_RME the values permit Secure accesses alone, or all accesses. 0b01 and 0b10
	 * are reserved. */
	pmu_start(&f, "v8.9");
	pmu_program(&f);
	for (unsigned ssad = 0; ssad < 4; ssad++) {
		pmu_set(&f, SPEMU_SYSREG_MDCR_EL3,
		        FIELD(MDCR_EL3, EPMSSAD, ssad) | FIELD(MDCR_EL3, EPMAD, 1));
		assert_true(read_at(&f, 0x600, 8, SPEMU_SS_SECURE, &value));
		assert_int_equal(read_at(&f, 0x600, 8, SPEMU_SS_NON_SECURE, &value), ssad == 3);
		assert_true(read_at(&f, 0x000, 8, SPEMU_SS_SECURE, &value));
		assert_false(read_at(&f, 0x000, 8, SPEMU_SS_NON_SECURE, &value));
	}
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL3, NAMED(MDCR_EL3, EPMSSAD, ROOT_REALM));
	spemu_choice_set(f.pe, SPEMU_CHOICE_RESERVED_EPMSSAD, SPEMU_RESERVED_EPMSSAD_EVERY);
	assert_true(read_at(&f, 0x600, 8, SPEMU_SS_NON_SECURE, &value));
	assert_true(read_at(&f, 0x000, 8, SPEMU_SS_NON_SECURE, &value));
	pmu_stop(&f);
	pmu_start(&f, "v8.9,-EL3,-Secure");
	pmu_program(&f);
	assert_true(read_at(&f, 0x600, 8, SPEMU_SS_NON_SECURE, &value));
	assert_true(read_at(&f, 0x000, 8, SPEMU_SS_NON_SECURE, &value));
	pmu_stop(&f);
}

/* Tables I3-1 and I3-2: the contents of the page by map and feature. For each span, the controls
 * that make an access an error: the OS Lock, MDCR_EL3.EPMAD, MDCR_EL3.EPMSSAD. */
enum { LOCK = 1, PMAD = 2, SSAD = 4, IN32 = 1, IN64 = 2, IN_BOTH = 3, ALWAYS = -1 };
static const struct span {
	unsigned offset, bytes;
	unsigned map;
	int feature;
	unsigned controls;
} spans[] = {
        {0x000, 31 * 8 + 8, IN_BOTH, ALWAYS, LOCK | PMAD},        /* PMEVCNTR<n>_EL0, PMCCNTR_EL0 */
        {0x100, 8, IN_BOTH, SPEMU_FEAT_PMUV3_ICNTR, LOCK | PMAD}, /* PMICNTR_EL0 */
        {0x200, 16, IN_BOTH, SPEMU_FEAT_PCSRV8P2, LOCK},          /* PMPCSR, PMVCIDSR */
        {0x220, 16, IN_BOTH, SPEMU_FEAT_PCSRV8P2, LOCK},          /* PMPCSR, PMCCIDSR */
        {0x400, 32 * 4, IN32, ALWAYS, LOCK | PMAD},               /* PMEVTYPER<n>, PMCCFILTR */
        {0x480, 4, IN32, SPEMU_FEAT_PMUV3_ICNTR, LOCK | PMAD},    /* PMICFILTR */
        {0xa00, 32 * 4, IN32, SPEMU_FEAT_PMUV3P8, LOCK | PMAD},   /* upper halves */
        {0xa80, 4, IN32, SPEMU_FEAT_PMUV3_ICNTR, LOCK | PMAD},
        {0x400, 32 * 8, IN64, ALWAYS, LOCK | PMAD},
        {0x500, 8, IN64, SPEMU_FEAT_PMUV3_ICNTR, LOCK | PMAD},
        {0x600, 33 * 8, IN_BOTH, SPEMU_FEAT_PMUV3_SS,
         SSAD},                                   /* PMEVCNTSVR<n>, PMCCNTSVR, PMICNTSVR */
        {0xc00, 8, IN_BOTH, ALWAYS, LOCK | PMAD}, /* PMCNTENSET */
        {0xc10, 8, IN64, ALWAYS, LOCK | PMAD},    /* PMCNTEN */
        {0xc20, 8, IN_BOTH, ALWAYS, LOCK | PMAD}, /* PMCNTENCLR */
        {0xc40, 8, IN_BOTH, ALWAYS, LOCK | PMAD}, /* PMINTENSET */
        {0xc50, 8, IN64, ALWAYS, LOCK | PMAD},    /* PMINTEN */
        {0xc60, 8, IN_BOTH, ALWAYS, LOCK | PMAD}, /* PMINTENCLR */
        {0xc80, 8, IN_BOTH, ALWAYS, LOCK | PMAD}, /* PMOVSCLR */
        {0xc90, 8, IN64, ALWAYS, LOCK | PMAD},    /* PMOVS */
        {0xca0, 8, IN_BOTH, SPEMU_FEAT_PMUV3P9, LOCK | PMAD},     /* PMZR_EL0 */
        {0xca0, 4, IN32, ALWAYS, LOCK | PMAD},                    /* PMSWINC_EL0 */
        {0xcc0, 8, IN_BOTH, ALWAYS, LOCK | PMAD},                 /* PMOVSSET */
        {0xce0, 8, IN_BOTH, SPEMU_FEAT_PMUV3_ICNTR, LOCK | PMAD}, /* PMCGCR0 */
        {0xe00, 8, IN_BOTH, ALWAYS, LOCK | PMAD},                 /* PMCFGR; in EXT32 also PMCR */
        {0xe10, 8, IN64, ALWAYS, LOCK | PMAD},                    /* PMCR */
        {0xe20, 16, IN32, ALWAYS, LOCK | PMAD},                   /* PMCEID0 to PMCEID3 */
        {0xe30, 8, IN_BOTH, SPEMU_FEAT_PMUV3_SS, SSAD},           /* PMSSCR */
        {0xe40, 8, IN_BOTH, SPEMU_FEAT_PMUV3P4, LOCK | PMAD},     /* PMMIR */
        {0xe50, 8, IN_BOTH, SPEMU_FEAT_PCSRV8P9, LOCK},           /* PMPCSCTL */
};

static unsigned controls_at(const struct pmu_fixture *f, unsigned offset)
{
	unsigned map = spemu_has(&f->features, SPEMU_FEAT_PMUV3_EXT64) ? IN64 : IN32;

	for (unsigned i = 0; i < sizeof(spans) / sizeof(*spans); i++) {
		const struct span *s = &spans[i];

		if ((s->map & map) && offset >= s->offset && offset < s->offset + s->bytes &&
		    (s->feature == ALWAYS ||
		     spemu_has(&f->features, (enum spemu_feature)s->feature)))
			return s->controls;
	}
	return 0;
}

/* For every word of the page, try each control alone. The accesses are Non-secure, so MDCR_EL3 can
 * deny them. */
static void each_control_denies_its_words(void **state)
{
	static const char *const sets[] = {
	        "v9.6", EXT64, "v8.9", "v8.6", "v8.2", "v8.2,-FEAT_PCSRv8p2", "v8.2,-EL2"};

	(void)state;
	for (unsigned i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		for (unsigned control = 0; control <= SSAD; control = control ? control * 2 : 1) {
			uint64_t denied = (control == PMAD ? B(21) : 0) |
			                  (control == SSAD ? 0 : UINT64_C(3) << 45);
			struct pmu_fixture f;
			uint64_t value;

			pmu_start(&f, sets[i]);
			pmu_program(&f);
			pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1,
			        control == LOCK ? FIELD(OSLSR_EL1, OSLK, 1) : 0);
			pmu_set(&f, SPEMU_SYSREG_MDCR_EL3, denied);
			for (unsigned at = 0; at < 0x1000; at += 4)
				if (read_at(&f, at, 4, SPEMU_SS_NON_SECURE, &value) !=
				    !(controls_at(&f, at) & control))
					fail_msg("%s, control %u: 0x%03x", sets[i], control, at);
			pmu_stop(&f);
		}
}

/* Words without a register read as zero, even after a write. */
static void unused_words_are_res0(void **state)
{
	(void)state;
	for (unsigned format = 0; format < 2; format++) {
		struct pmu_fixture f;

		pmu_start(&f, format ? EXT64 : "v9.6");
		pmu_program(&f);
		for (unsigned at = 0; at < 0x1000; at += 4)
			put(&f, at, 4, UINT32_MAX);
		pmu_set(&f, SPEMU_SYSREG_OSLSR_EL1, 0);
		for (unsigned at = 0; at < 0x1000; at += 4)
			if (!controls_at(&f, at) && at != 0xfc8) /* no control applies to PMDEVID */
				assert_int_equal(get(&f, at, 4), 0);
		assert_int_equal(get(&f, 0xfc8, 4) & 0xf, 2); /* PCSample shows FEAT_PCSRv8p9 */
		assert_int_equal(get(&f, 0xca0, 4), 0);       /* a write-only register */
		pmu_stop(&f);
	}
}

/* Accesses by software and by an agent break nothing, whatever the state. */
static void random_external_accesses_break_nothing(void **state)
{
	static const char *const sets[] = {"v8.2", "v8.6",      "v9.6",
	                                   EXT64,  "v8.9,-EL2", "v8.7,-EL3,-EL2,-Secure"};
	uint64_t seed = 4711;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct pmu_fixture f;

		pmu_start(&f, sets[i]);
		for (unsigned n = 0; n < 200000; n++) {
			struct spemu_access_result result;
			uint64_t r = prng_next(&seed), value = prng_next(&seed);
			bool error;

			switch (r % 8) {
			case 0:
				(void)spemu_pmu_msr(f.pmu, &result, (uint32_t)(r >> 16 & 0xffff),
				                    value);
				break;
			case 1:
				(void)spemu_pmu_msr(f.pmu, &result,
				                    (uint32_t)SPEMU_SYSREG(3, 3, 9, 12, 0) +
				                            (r >> 20 & 31),
				                    value);
				break;
			case 2:
				(void)spemu_pmu_mrs(f.pmu, &result, &value,
				                    (uint32_t)SPEMU_SYSREG(2, 0, 14, 8, 0) +
				                            (r >> 20 & 63));
				break;
			case 3:
				(void)spemu_pmu_external_read(f.pmu, &error, &value,
				                              r >> 20 & 0xfff, 4 + (r >> 40 & 4),
				                              r >> 50 & 3);
				break;
			case 4:
				(void)spemu_pmu_external_write(f.pmu, &error, r >> 20 & 0xfff,
				                               4 + (r >> 40 & 4), r >> 50 & 3,
				                               value);
				break;
			case 5:
				(void)spemu_pmu_reg_set(f.pmu, (uint32_t)(r >> 16 & 0xffff), value);
				break;
			case 6:
				(void)spemu_pmu_count(f.pmu, (uint16_t)(r >> 20 & 0x1f), value);
				spemu_pmu_branch(f.pmu, value);
				break;
			default:
				if (r >> 20 & 1)
					(void)spemu_pmu_capture_request(f.pmu);
				else
					pmu_at(&f,
					       (struct spemu_pe_state){.el = (uint8_t)(r >> 30 & 1),
					                               .debug = r >> 31 & 1});
			}
			assert_int_equal(f.irq, spemu_pmu_irq(f.pmu));
		}
		pmu_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(external_registers_read_as_system_registers),
	        cmocka_unit_test(ext32_places_event_types_and_pmcr),
	        cmocka_unit_test(external_writes_set_clear_and_zero),
	        cmocka_unit_test(narrow_write_changes_one_half),
	        cmocka_unit_test(pmzr_zeroes_each_counter_alone),
	        cmocka_unit_test(absent_counters_read_as_zero),
	        cmocka_unit_test(external_enables_take_effect_at_once),
	        cmocka_unit_test(external_pmsscr_write_captures),
	        cmocka_unit_test(external_access_needs_size_alignment_and_feature),
	        cmocka_unit_test(external_access_permissions_of_the_tables),
	        cmocka_unit_test(each_control_denies_its_words),
	        cmocka_unit_test(unused_words_are_res0),
	        cmocka_unit_test(random_external_accesses_break_nothing),
	};
	return cmocka_run_group_tests_name("pmu_external", tests, NULL, NULL);
}
