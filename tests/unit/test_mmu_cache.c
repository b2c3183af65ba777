/* SPDX-License-Identifier: MIT */
/*
 * Test the translations that the walker caches and drops, and that no input breaks the cache
 * (D17.7.8, D8.16).
 */
#include "mmu_fixture.h"
#include "pe/pe_object.h"

#include "base/bits.h"
#include "base/prng.h"

#define NS SPEMU_SS_NON_SECURE
#define BIT(n) (UINT64_C(1) << (n))

enum { AF = 1 << 10, TABLE = 3, PAGE = 3, BLOCK = 1, RW = 3 << 6, WB = 15 << 2, NG = 1 << 11 };
enum { ASID = 7, VMID = 9 };

/* Start with a 30-bit VA, where the walk begins at level 2. The VA contains page 0, which is not
 * global, page 1, which is global, and then a block. Stage 2 is flat. */
static void start(struct mmu *m)
{
	mmu_start(m, "v8.8,-EL3,-Secure");
	set(&m->f, SPEMU_REG_TCR_EL1, FIELD(TCR_EL1, T0SZ, 34) | FIELD(TCR_EL1, IPS, 2));
	set(&m->f, SPEMU_REG_TTBR0_EL1, 0x1000 | TTBR_ASID(ASID));
	set(&m->f, SPEMU_REG_MAIR_EL1, 0xff);
	set(&m->f, SPEMU_REG_SCTLR_EL1, FIELD(SCTLR_EL1, C, 1) | FIELD(SCTLR_EL1, M, 1));
	set(&m->f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, VM, 1));
	set(&m->f, SPEMU_REG_VTCR_EL2,
	    FIELD(VTCR_EL2, T0SZ, 32) | FIELD(VTCR_EL2, SL0, 1) | FIELD(VTCR_EL2, PS, 2));
	set(&m->f, SPEMU_REG_VTTBR_EL2, 0x30000 | FIELD(VTTBR_EL2, VMID, VMID));
	put(m, 0x30000, NS, BLOCK | AF | RW | WB);
	put(m, 0x1000, NS, 0x2000 | TABLE);
	put(m, 0x1008, NS, 0x400000 | BLOCK | AF | NG);
	put(m, 0x2000, NS, 0x5000 | PAGE | AF | NG);
	put(m, 0x2008, NS, 0x6000 | PAGE | AF);
}

/* Cache the translations of the two pages and the block. Return a bit for each translation that has
 * to be walked again after maintenance of `scope`. */
static unsigned walked(struct mmu *m, const struct spemu_mmu_scope *scope)
{
	const uint64_t va[3] = {0x123, 0x1123, 0x200123};
	unsigned again = 0;

	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(translate(m, va[i]), 0);
	if (scope)
		spemu_mmu_invalidate(m->mmu, scope);
	for (unsigned i = 0; i < 3; i++) {
		unsigned before = m->reads;

		assert_int_equal(translate(m, va[i]), 0);
		again |= (unsigned)(m->reads != before) << i;
	}
	return again;
}

static void tlbi_scopes_forget_what_they_name(void **state)
{
	const struct {
		struct spemu_mmu_scope scope;
		unsigned forgotten; /* bits 0 and 1: pages 0 and 1; bit 2: the block */
	} rows[] = {
	        {{.by = SPEMU_TLBI_ALL}, 7},
	        {{.by = SPEMU_TLBI_REGIME, .security = NS, .el = 1, .vmid = VMID}, 7},
	        {{.by = SPEMU_TLBI_REGIME, .security = NS, .el = 1, .vmid = 8}, 0},
	        {{.by = SPEMU_TLBI_REGIME, .security = NS, .el = 2, .vmid = VMID}, 0},
	        {{.by = SPEMU_TLBI_REGIME, .security = SPEMU_SS_SECURE, .el = 1, .vmid = VMID}, 0},
	        {{.by = SPEMU_TLBI_ASID, .security = NS, .el = 1, .vmid = VMID, .asid = ASID}, 5},
	        {{.by = SPEMU_TLBI_ASID, .security = NS, .el = 1, .vmid = VMID, .asid = 6}, 0},
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0, 0xfff}, 1},
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0x1000, 0x1fff}, 2},
	        /* a global page: any ASID matches */
	        {{SPEMU_TLBI_VA, NS, 1, 6, VMID, 0x0, 0x1fff}, 2},
	        /* an address of the block */
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0x3ff000, 0x3fffff}, 4},
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0x400000, 0x400fff}, 0},
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0xa5 * BIT(56), 0xa5 * BIT(56) | 0xfff}, 1},
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, BIT(55), BIT(55) | 0xfff}, 0},
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0xfff, 0xfff}, 1}, /* the last byte of page 0 */
	        /* the first byte of page 1 */
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0x1000, 0x1000}, 2},
	        {{SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0x3fffff, 0x400fff}, 4},
	        {{SPEMU_TLBI_VA_ALL_ASIDS, NS, 1, 6, VMID, 0, 0x1fff}, 3},
	        {{SPEMU_TLBI_VA_ALL_ASIDS, NS, 1, 6, VMID, BIT(56), BIT(56) | 0x1fff}, 3},
	        {{SPEMU_TLBI_VA_ALL_ASIDS, NS, 1, 6, VMID, BIT(55), BIT(55) | 0x1fff}, 0},
	        {{SPEMU_TLBI_IPA, NS, 1, 0, VMID, 0x5000, 0x5fff}, 7},
	        {{SPEMU_TLBI_PA, 0, 0, 0, 0, 0x6000, 0x6fff}, 2},
	        {{SPEMU_TLBI_PA, 0, 0, 0, 0, 0x5fff, 0x5fff}, 1},
	        {{SPEMU_TLBI_PA, 0, 0, 0, 0, 0x6000, 0x6000}, 2},
	        {{SPEMU_TLBI_PA, 0, 0, 0, 0, BIT(63) | 0x6000, BIT(63) | 0x6fff}, 0},
	};
	struct mmu m;

	(void)state;
	start(&m);
	assert_int_equal(walked(&m, NULL), 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(walked(&m, &rows[i].scope), rows[i].forgotten);
	mmu_stop(&m);
}

/* RTDHBH, D8.16: if TCR_EL1.AS or VTCR_EL2.VS is 0, an ASID or VMID has only 8 bits. The bits above
 * them in a TTBR are ignored. */
static void rtdhbh_asid_and_vmid_size_follow_as_and_vs(void **state)
{
	(void)state;
	for (unsigned large = 0; large < 2; large++) {
		const uint16_t asid = large ? 0x100 | ASID : ASID,
		               vmid = large ? 0x100 | VMID : VMID;
		const struct {
			struct spemu_mmu_scope scope;
			unsigned forgotten;
		} rows[] = {
		        {{.by = SPEMU_TLBI_ASID,
		          .security = NS,
		          .el = 1,
		          .vmid = vmid,
		          .asid = asid},
		         5},
		        {{.by = SPEMU_TLBI_ASID,
		          .security = NS,
		          .el = 1,
		          .vmid = vmid,
		          .asid = asid ^ 0x100},
		         0},
		        {{.by = SPEMU_TLBI_REGIME, .security = NS, .el = 1, .vmid = vmid}, 7},
		        {{.by = SPEMU_TLBI_REGIME, .security = NS, .el = 1, .vmid = vmid ^ 0x100},
		         0},
		};
		struct mmu m;

		start(&m);
		set(&m.f, SPEMU_REG_TCR_EL1,
		    FIELD(TCR_EL1, T0SZ, 34) | FIELD(TCR_EL1, IPS, 2) | TCR_EL1_AS(large));
		set(&m.f, SPEMU_REG_TTBR0_EL1, 0x1000 | TTBR_ASID(0x100 | ASID));
		set(&m.f, SPEMU_REG_VTCR_EL2,
		    FIELD(VTCR_EL2, T0SZ, 32) | FIELD(VTCR_EL2, SL0, 1) | FIELD(VTCR_EL2, PS, 2) |
		            VTCR_EL2_VS(large));
		set(&m.f, SPEMU_REG_VTTBR_EL2,
		    0x30000 | FIELD(VTTBR_EL2, VMID, UINT64_C(0x100) | VMID));
		for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			assert_int_equal(walked(&m, &rows[i].scope), rows[i].forgotten);
		mmu_stop(&m);
	}
}

/* RKRVDC: the EL2&0 regime has the ASID of TTBR0_EL2 or TTBR1_EL2, as TCR_EL2.A1 selects. */
static void rkrvdc_asid_of_el20_is_that_of_ttbr0_or_ttbr1(void **state)
{
	struct mmu m;

	(void)state;
	for (unsigned a1 = 0; a1 < 2; a1++) {
		const struct spemu_mmu_scope other = {.by = SPEMU_TLBI_ASID,
		                                      .security = NS,
		                                      .el = 2,
		                                      .asid = (uint16_t)(a1 ? ASID : 8)},
		                             own = {.by = SPEMU_TLBI_ASID,
		                                    .security = NS,
		                                    .el = 2,
		                                    .asid = (uint16_t)(a1 ? 8 : ASID)};

		start(&m);
		m.access.owner_el = 2;
		m.access.e2h = true;
		set(&m.f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, 1));
		set(&m.f, SPEMU_REG_MAIR_EL2, 0xff);
		set(&m.f, SPEMU_REG_SCTLR_EL2, FIELD(SCTLR_EL2, C, 1) | FIELD(SCTLR_EL2, M, 1));
		set(&m.f, SPEMU_REG_TCR_EL2,
		    FIELD(TCR_EL1, T0SZ, 34) | FIELD(TCR_EL1, IPS, 2) | FIELD(TCR_EL1, A1, a1));
		set(&m.f, SPEMU_REG_TTBR0_EL2, 0x1000 | TTBR_ASID(ASID));
		set(&m.f, SPEMU_REG_TTBR1_EL2, TTBR_ASID(8));
		assert_int_equal(walked(&m, &other), 0);
		assert_int_equal(walked(&m, &own), 5);
		mmu_stop(&m);
	}
}

/* A changed table takes effect after maintenance. A changed register takes effect at once. */
static void changed_tables_need_tlbi_changed_registers_do_not(void **state)
{
	const struct spemu_mmu_scope page = {SPEMU_TLBI_VA, NS, 1, ASID, VMID, 0, 0xfff};
	struct mmu m;
	unsigned reads;

	(void)state;
	start(&m);
	maps(&m, 0x10, 0x5010, NS);
	put(&m, 0x2000, NS, 0x7000 | PAGE | AF | NG);
	spemu_mmu_invalidate(m.mmu, &page);
	maps(&m, 0x10, 0x7010, NS);
	/* A register that does not contribute to the translation has no effect on the cache. */
	reads = m.reads;
	set(&m.f, SPEMU_REG_PMBPTR_EL1, 0x4000);
	maps(&m, 0x20, 0x7020, NS);
	assert_int_equal(m.reads, reads);
	/* Changes of memory attributes, permissions, tables and stages take effect at once. */
	set(&m.f, SPEMU_REG_MAIR_EL1, 0x44);
	maps(&m, 0x10, 0x7010, NS);
	assert_int_equal(m.t.memory.inner, SPEMU_NON_CACHEABLE);
	put(&m, 0x9000, NS, 0x2000 | TABLE | BIT(62));
	set(&m.f, SPEMU_REG_TTBR0_EL1, 0x9000);
	faults(&m, 0x10, SPEMU_FAULT_STAGE1, SPEMU_FT_PERMISSION, 3);
	set(&m.f, SPEMU_REG_SCTLR_EL1, FIELD(SCTLR_EL1, C, 1));
	maps(&m, 0x10, 0x10, NS);
	set(&m.f, SPEMU_REG_VTTBR_EL2, 0x31000);
	faults(&m, 0x10, SPEMU_FAULT_STAGE2, SPEMU_FT_TRANSLATION, 1);
	set(&m.f, SPEMU_REG_VTTBR_EL2, 0x30000 | FIELD(VTTBR_EL2, VMID, VMID));
	m.access.security = SPEMU_SS_NON_SECURE;
	m.access.owner_el = 2;
	maps(&m, 0x12345010, 0x12345010, NS);
	mmu_stop(&m);
}

/* Return true if a translation by `pe` reads the tables although the PE of m has just translated
 * the same address. The walk may fault. */
static bool walks(struct mmu *m, const struct spemu_pe *pe)
{
	unsigned before;

	forget(m);
	assert_int_equal(translate(m, 0x1123), 0);
	before = m->reads;
	return spemu_mmu_translate(m->mmu, &m->t, &m->fault, pe, &m->access) != 0 ||
	       m->reads != before;
}

/* Two PEs that share a cache share a translation only if all values that contribute to it are
 * equal. */
static void pes_share_translations_only_if_registers_match(void **state)
{
	struct mmu m;
	struct spemu_pe other;

	(void)state;
	start(&m);
	other = *m.f.pe;
	assert_false(walks(&m, &other));
	for (unsigned i = 0; i < SPEMU_FEATURE_COUNT; i++) {
		other = *m.f.pe;
		spemu_features_put(&other.features, (enum spemu_feature)i,
		                   !spemu_has(&other.features, (enum spemu_feature)i));
		assert_true(walks(&m, &other));
	}
	other = *m.f.pe;
	other.pa_bits = 40;
	assert_true(walks(&m, &other));
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i += SPEMU_CHOICE_COUNT - 1) {
		other = *m.f.pe;
		other.choice[i] = !other.choice[i];
		assert_true(walks(&m, &other));
	}
	other = *m.f.pe;
	other.reg[SPEMU_REG_MAIR_EL1] ^= 0xff00;
	assert_true(walks(&m, &other));
	mmu_stop(&m);
}

/* The registers of two PEs have changed equally often, but to different values. The cache does not
 * confuse the PEs. */
static void pe_with_equal_change_count_is_not_confused(void **state)
{
	struct mmu m;
	struct spemu_pe other;

	(void)state;
	start(&m);
	put(&m, 0x9000, NS, 0xa000 | TABLE);
	put(&m, 0xa008, NS, 0xb000 | PAGE | AF);
	maps(&m, 0x1123, 0x6123, NS);
	other = *m.f.pe;
	other.generation++;
	assert_int_equal(spemu_mmu_translate(m.mmu, &m.t, &m.fault, &other, &m.access), 0);
	m.f.pe->reg[SPEMU_REG_TTBR0_EL1] = 0x9000 | TTBR_ASID(ASID);
	m.f.pe->generation++;
	maps(&m, 0x1123, 0xb123, NS);
	mmu_stop(&m);
}

/* The cache keeps the translations of four sets of register values. A fifth set replaces the least
 * recently used set. */
static void four_contexts_are_cached_and_oldest_is_dropped(void **state)
{
	const uint8_t asid[] = {1, 2, 3, 4, 1, 2, 3, 4, 5, 2, 3, 4, 5, 1};
	const bool walks_again[] = {1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
	struct mmu m;

	(void)state;
	start(&m);
	for (unsigned i = 0; i < sizeof(asid); i++) {
		unsigned before = m.reads;

		set(&m.f, SPEMU_REG_TTBR0_EL1, 0x1000 | TTBR_ASID(asid[i]));
		maps(&m, 0x123, 0x5123, NS);
		assert_int_equal(m.reads != before, walks_again[i]);
	}
	mmu_stop(&m);
}

/* D8.16: a VMID matters only if stage 2 takes part, that is, if HCR_EL2.VM or HCR_EL2.DC is set.
 * Otherwise entries belong to every VMID. */
static void vmid_matters_only_with_stage_2(void **state)
{
	const struct spemu_mmu_scope own = {
	        .by = SPEMU_TLBI_REGIME, .security = NS, .el = 1, .vmid = VMID};
	const struct spemu_mmu_scope other = {
	        .by = SPEMU_TLBI_REGIME, .security = NS, .el = 1, .vmid = 8};

	(void)state;
	for (unsigned bit = 0; bit < 16; bit++) {
		bool stage2 = bit == 0 || bit == 12;
		struct mmu m;

		start(&m);
		set(&m.f, SPEMU_REG_HCR_EL2, BIT(bit));
		assert_int_equal(walked(&m, &own), 7);
		assert_int_equal(walked(&m, &other), stage2 ? 0 : 7);
		mmu_stop(&m);
	}
}

/* A translation of EL1 is not used for EL2, even if nothing else differs. */
static void translations_of_el1_are_not_those_of_el2(void **state)
{
	struct mmu m;

	(void)state;
	start(&m);
	set(&m.f, SPEMU_REG_MAIR_EL2, 0xff);
	set(&m.f, SPEMU_REG_SCTLR_EL2, FIELD(SCTLR_EL2, C, 1) | FIELD(SCTLR_EL2, M, 1));
	set(&m.f, SPEMU_REG_TCR_EL2, FIELD(TCR_EL2, T0SZ, 34) | TCR_EL2_PS(2));
	set(&m.f, SPEMU_REG_TTBR0_EL2, 0x9000);
	put(&m, 0x9000, NS, 0xa000 | TABLE);
	put(&m, 0xa000, NS, 0xb000 | PAGE | AF);
	for (unsigned n = 0; n < 3; n++) {
		m.access.owner_el = 1;
		maps(&m, 0x123, 0x5123, NS);
		m.access.owner_el = 2;
		maps(&m, 0x123, 0xb123, NS);
	}
	mmu_stop(&m);
}

static void invalid_arguments_are_refused(void **state)
{
	struct spemu_mmu_memory access = {sizeof(access), NULL, mmu_read, NULL};
	struct spemu_mmu *other;
	struct mmu m;

	(void)state;
	start(&m);
	m.access.owner_el = 3;
	assert_int_equal(translate(&m, 0), SPEMU_ERR_INVALID);
	m.access.owner_el = 1;
	m.access.security = SPEMU_SS_ROOT;
	assert_int_equal(translate(&m, 0), SPEMU_ERR_INVALID);
	m.access.security = NS;
	m.access.address_type = 3;
	assert_int_equal(translate(&m, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_mmu_init(&other, m.memory, 8, &access), SPEMU_ERR_NOSPACE);
	access.size = 1;
	assert_int_equal(spemu_mmu_init(&other, m.memory, spemu_mmu_size(), &access),
	                 SPEMU_ERR_INVALID);
	access.size = sizeof(access);
	access.read = NULL;
	assert_int_equal(spemu_mmu_init(&other, m.memory, spemu_mmu_size(), &access),
	                 SPEMU_ERR_INVALID);
	mmu_stop(&m);
}

/* Memory with arbitrary contents. An atomic update always fails, because the memory never holds the
 * value that was read. */
struct chaos {
	uint64_t seed;
	unsigned calls;
};

static int chaos_read(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	struct chaos *c = ctx;
	uint64_t kind = prng_next(&c->seed);

	assert_int_equal(at->address & 7, 0);
	assert_true(at->pas <= SPEMU_SS_REALM);
	c->calls++;
	*value = prng_next(&c->seed);
	if (kind & 3)
		*value |= 3;
	if (kind & 12)
		*value &= ~(BITMASK(51, 36));
	return kind >> 60 == 0;
}

static int chaos_swap(void *ctx, uint64_t *old, const struct spemu_physical *at, uint64_t expected,
                      uint64_t desired)
{
	struct chaos *c = ctx;

	(void)at;
	(void)desired;
	c->calls++;
	*old = prng_next(&c->seed) & 1 ? expected : prng_next(&c->seed);
	return (int)(prng_next(&c->seed) >> 61 == 0);
}

/* With random registers and random memory, a translation gives a possible result after a bounded
 * number of memory accesses. */
static void random_registers_and_memory_are_bounded(void **state)
{
	const char *sets[] = {
	        "v9.4,+FEAT_LVA,+FEAT_LPA,+FEAT_LPA2,+FEAT_HAFT,+FEAT_THE,+FEAT_MEC,+FEAT_S1PIE,"
	        "+FEAT_S1POE,+FEAT_S2PIE,+FEAT_S2POE,+FEAT_AIE,+FEAT_RME_GPC2,+FEAT_RME_GPC3,"
	        "+FEAT_BBML1,+FEAT_D128",
	        "v8.8", "v8.2,-EL3,-EL2,-Secure"};
	struct chaos c = {.seed = 11};
	struct spemu_mmu_memory access = {sizeof(access), &c, chaos_read, chaos_swap};
	unsigned done = 0, failed = 0;

	(void)state;
	for (unsigned n = 0; n < 30000; n++) {
		static struct mmu m;
		struct spemu_mmu *mmu;
		int status;

		if (n % 10000 == 0) {
			if (n)
				mmu_stop(&m);
			mmu_start(&m, sets[n / 10000]);
		}
		assert_int_equal(spemu_mmu_init(&mmu, m.memory, spemu_mmu_size(), &access), 0);
		for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
			if (prng_next(&c.seed) & 3)
				set(&m.f, (enum spemu_reg)i, prng_next(&c.seed));
		m.access.owner_el = 1 + (prng_next(&c.seed) & 1);
		m.access.e2h = prng_next(&c.seed) & 1;
		m.access.security = prng_next(&c.seed) & 3;
		m.access.address_type = (uint8_t)(prng_next(&c.seed) % 3);
		m.access.memory.type = SPEMU_MEMORY_NORMAL;
		m.access.address = prng_next(&c.seed) >> (prng_next(&c.seed) & 63);
		c.calls = 0;
		status = spemu_mmu_translate(mmu, &m.t, &m.fault, m.f.pe, &m.access);
		assert_true(c.calls < 100000);
		if (status > 0) {
			assert_int_equal(m.fault.kind, status);
			assert_true(status == SPEMU_FAULT_GPC || m.fault.fsc <= 0x31);
			failed++;
		} else if (status == 0) {
			assert_true(m.t.region_log2 >= 12 && m.t.region_log2 <= 48);
			assert_true(m.t.physical >> 52 == 0 && m.t.pas <= SPEMU_SS_REALM);
			assert_int_equal(m.t.physical & 0xfff, m.access.address & 0xfff);
			done++;
		} else {
			assert_true(status == SPEMU_ERR_INVALID ||
			            status == SPEMU_ERR_NOT_SUPPORTED);
		}
		if (n == 29999)
			mmu_stop(&m);
	}
	assert_true(done > 1000 && failed > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(tlbi_scopes_forget_what_they_name),
	        cmocka_unit_test(rtdhbh_asid_and_vmid_size_follow_as_and_vs),
	        cmocka_unit_test(rkrvdc_asid_of_el20_is_that_of_ttbr0_or_ttbr1),
	        cmocka_unit_test(changed_tables_need_tlbi_changed_registers_do_not),
	        cmocka_unit_test(pes_share_translations_only_if_registers_match),
	        cmocka_unit_test(pe_with_equal_change_count_is_not_confused),
	        cmocka_unit_test(four_contexts_are_cached_and_oldest_is_dropped),
	        cmocka_unit_test(translations_of_el1_are_not_those_of_el2),
	        cmocka_unit_test(vmid_matters_only_with_stage_2),
	        cmocka_unit_test(invalid_arguments_are_refused),
	        cmocka_unit_test(random_registers_and_memory_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
