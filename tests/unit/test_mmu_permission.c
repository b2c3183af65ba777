/* SPDX-License-Identifier: MIT */
/*
 * Test the permissions for a privileged write with Direct permissions, with and without an overlay,
 * for each combination of descriptor bits (D8.4.1.2, Tables D8-65 and D8-66). SCTLR_ELx.WXN removes
 * write from an overlay with execute permission if the Direct permissions have PrivWXN (RSYMMB,
 * RQXXPC).
 */
#include "mmu_stage1_fixture.h"

#define FEATURES "v8.9,-EL3,-Secure,+FEAT_S1PIE,+FEAT_S1POE"

enum { SCTLR_WXN = 19 };

/* Bit numbers in a leaf descriptor and in a table descriptor. */
enum {
	AP1 = 6,
	AP2 = 7,
	DBM = 51,
	PXN = 53,
	UXN = 54,
	PXN_TABLE = 59,
	XN_TABLE = 60,
	AP_TABLE = 61
};

/* One combination of bits, taken from the bits of a number. */
struct bits {
	bool ap1, ap2, pxn, uxn; /* bits of the leaf */
	/* bits of the table that contains the leaf */
	bool pxn_table, xn_table, ap_table0, ap_table1;
	bool wxn, hd, dbm;
	bool execute; /* the overlay is Read, Write and Execute, else Read and Write */
};

static struct bits bits_of(unsigned n)
{
	return (struct bits){n & 1,      n >> 1 & 1, n >> 2 & 1,  n >> 3 & 1,
	                     n >> 4 & 1, n >> 5 & 1, n >> 6 & 1,  n >> 7 & 1,
	                     n >> 8 & 1, n >> 9 & 1, n >> 10 & 1, n >> 11 & 1};
}

#define COMBINATIONS (1u << 12)

/* The tables as printed. PXN, XN and AP[2:1] are the values that result from PXNTable, XNTable and
 * APTable. A cell SAME matches either value. */
enum { SAME = 2 };
enum regime { EL1_AND_0, EL2_ALONE, EL1_NV1 /* with NV1, bit 54 is PXN and AP[1] is 0 */ };
static const struct row {
	uint8_t xn, pxn, ap2, ap1, wxn; /* SAME matches either value */
	bool write, priv_wxn;
} two_levels[] = {
        {0, 0, 0, 0, 0, true, false},        {0, 0, 0, 0, 1, true, true},
        {0, 0, 0, 1, 0, true, false},        {0, 0, 0, 1, 1, true, false},
        {0, 0, 1, SAME, SAME, false, false}, {0, 1, 0, 0, SAME, true, false},
        {0, 1, 0, 1, SAME, true, false},     {0, 1, 1, SAME, SAME, false, false},
        {1, 0, 0, 0, 0, true, false},        {1, 0, 0, 0, 1, true, true},
        {1, 0, 0, 1, SAME, true, false},     {1, 0, 1, SAME, SAME, false, false},
        {1, 1, 0, SAME, SAME, true, false},  {1, 1, 1, SAME, SAME, false, false},
};
static const struct row one_level[] = {
        {0, SAME, 0, SAME, 0, true, false},     {0, SAME, 0, SAME, 1, true, true},
        {0, SAME, 1, SAME, SAME, false, false}, {1, SAME, 0, SAME, SAME, true, false},
        {1, SAME, 1, SAME, SAME, false, false},
};

static bool matches(unsigned cell, bool bit)
{
	return cell == SAME || cell == bit;
}

/* Return the row of the table. If `flat`, hierarchical permissions are disabled (RBVXDG). */
static const struct row *row_of(const struct bits *given, enum regime regime, bool flat)
{
	bool two = regime == EL1_AND_0;
	const struct row *rows = two ? two_levels : one_level;
	size_t count = two ? sizeof(two_levels) / sizeof(*rows) : sizeof(one_level) / sizeof(*rows);
	struct bits leaf = *given;
	const struct bits *b = &leaf;
	bool ap2;

	if (flat)
		leaf.pxn_table = leaf.xn_table = leaf.ap_table0 = leaf.ap_table1 = false;
	ap2 = (b->ap2 && !(b->hd && b->dbm)) || b->ap_table1;

	for (size_t i = 0; i < count; i++)
		if (matches(rows[i].xn, b->uxn || b->xn_table) &&
		    matches(rows[i].pxn, b->pxn || b->pxn_table) && matches(rows[i].ap2, ap2) &&
		    matches(rows[i].ap1, b->ap1 && !b->ap_table0) && matches(rows[i].wxn, b->wxn))
			return &rows[i];
	return NULL;
}

static void describe(struct mmu *m, const struct bits *b, enum regime regime)
{
	bool two = regime != EL2_ALONE;
	uint64_t tcr = two ? TCR_4K : (FIELD(TCR_EL2, T0SZ, 16) | TCR_EL2_PS(5));
	unsigned ha = two ? SPEMU_TCR_EL1_HA_LSB : 21; /* HD is the next bit */

	set(&m->f, two ? SPEMU_REG_TCR_EL1 : SPEMU_REG_TCR_EL2,
	    tcr | (b->hd ? BIT(ha) | BIT(ha + 1) : 0));
	set(&m->f, two ? SPEMU_REG_SCTLR_EL1 : SPEMU_REG_SCTLR_EL2,
	    FIELD(SCTLR_EL1, C, 1) | FIELD(SCTLR_EL1, M, 1) | (uint64_t)b->wxn << SCTLR_WXN);
	put(m, 0x12000, NS,
	    0x13000 | TABLE | (uint64_t)b->pxn_table << PXN_TABLE |
	            (uint64_t)b->xn_table << XN_TABLE | (uint64_t)b->ap_table0 << AP_TABLE |
	            (uint64_t)b->ap_table1 << (AP_TABLE + 1));
	put(m, 0x13000, NS,
	    0x7654000 | PAGE | AF | (uint64_t)b->ap1 << AP1 | (uint64_t)b->ap2 << AP2 |
	            (uint64_t)b->pxn << PXN | (uint64_t)b->uxn << UXN | (uint64_t)b->dbm << DBM);
	forget(m);
}

/* TCR2_ELx.POE enables an overlay for the SPU's writes, and E0POE enables one for EL0. */
enum overlay { NO_OVERLAY, OVERLAY, OVERLAY_OF_EL0, OVERLAYS };

/* Return true if hierarchical permissions are disabled. Either overlay disables them (RBVXDG).
 * E0POE counts as 0 if HCR_EL2.{NV, NV1} is {1, 1} (RTMNYQ). */
static bool is_flat(enum regime regime, enum overlay o)
{
	return o == OVERLAY || (o == OVERLAY_OF_EL0 && regime == EL1_AND_0);
}

static void check(struct mmu *m, const struct bits *b, enum regime regime, enum overlay o)
{
	const struct row *row = row_of(b, regime, is_flat(regime, o));
	bool overlay = o == OVERLAY;
	bool taken;

	assert_non_null(row);

	taken = overlay && row->priv_wxn && b->execute;
	describe(m, b, regime);
	set(&m->f, regime != EL2_ALONE ? SPEMU_REG_POR_EL1 : SPEMU_REG_POR_EL2, b->execute ? 7 : 5);
	if (row->write && !taken) {
		maps(m, 0, 0x7654000, NS);
	} else {
		faults(m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
		assert_int_equal(m->fault.overlay, taken);
	}
}

/* Check every combination of bits in a regime, with each overlay. */
static void every_combination(enum regime regime)
{
	bool two = regime != EL2_ALONE;
	struct mmu m;

	mmu_start(&m, FEATURES);
	if (regime == EL1_NV1)
		set(&m.f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, NV, 1) | FIELD(HCR_EL2, NV1, 1));
	set(&m.f, SPEMU_REG_HCRX_EL2, FIELD(HCRX_EL2, TCR2En, 1));
	enable(&m, TCR_4K);
	tables_4k(&m);
	m.access.owner_el = two ? 1 : 2;
	set(&m.f, SPEMU_REG_TTBR0_EL2, 0x10000);
	set(&m.f, SPEMU_REG_MAIR_EL2, 0xff);
	for (unsigned overlay = 0; overlay < OVERLAYS; overlay++) {
		static const uint64_t tcr2[OVERLAYS] = {[OVERLAY] = 8, [OVERLAY_OF_EL0] = 4};

		set(&m.f, SPEMU_REG_TCR2_EL1, two ? tcr2[overlay] : 0);
		set(&m.f, SPEMU_REG_TCR2_EL2, two ? 0 : tcr2[overlay]);
		for (unsigned n = 0; n < COMBINATIONS; n++) {
			struct bits b = bits_of(n);

			check(&m, &b, regime, (enum overlay)overlay);
		}
	}
	mmu_stop(&m);
}

static void permissions_of_el10_regime(void **state)
{
	(void)state;
	every_combination(EL1_AND_0);
}

static void permissions_of_el2_regime(void **state)
{
	(void)state;
	every_combination(EL2_ALONE);
}

static void permissions_of_el10_regime_with_nv1(void **state)
{
	(void)state;
	every_combination(EL1_NV1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(permissions_of_el10_regime),
	        cmocka_unit_test(permissions_of_el2_regime),
	        cmocka_unit_test(permissions_of_el10_regime_with_nv1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
