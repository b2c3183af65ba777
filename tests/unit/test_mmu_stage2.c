/* SPDX-License-Identifier: MIT */
/* Stage 2, its attributes and permissions, and both stages together: D17.7.3, D8.2.7, D8.6, D8.12. */
#include "mmu_fixture.h"

#define NS SPEMU_SS_NON_SECURE
#define BIT(n) (UINT64_C(1) << (n))
#define WITH_EL2 "v8.8,-EL3,-Secure"

enum { AF = 1 << 10, TABLE = 3, PAGE = 3, BLOCK = 1, RW = 3 << 6, WB = 15 << 2 };
enum { VM = 1, PTW = 4, DC = 1 << 12 };

/* 4KB granule, 40-bit IPAs from level 1 (two tables, concatenated), 40-bit PS. */
#define VTCR (UINT64_C(24) | 1 << 6 | 2 << 16)

/* IPAs are an untranslated buffer's; stage 2 tables at 0x30000 (level 1). */
static void start(struct mmu *m, const char *features)
{
	const struct spemu_memory normal = {.type = SPEMU_MEMORY_NORMAL,
	                                    .inner = SPEMU_WRITE_BACK,
	                                    .outer = SPEMU_WRITE_BACK,
	                                    .inner_hints = 3,
	                                    .outer_hints = 3,
	                                    .shareability = SPEMU_NON_SHAREABLE,
	                                    .xs = true};

	mmu_start(m, features);
	m->access.address_type = SPEMU_ADDRESS_IPA;
	m->access.memory = normal;
	set(&m->f, SPEMU_REG_HCR_EL2, VM);
	set(&m->f, SPEMU_REG_VTCR_EL2, VTCR);
	set(&m->f, SPEMU_REG_VTTBR_EL2, 0x30000);
	put(m, 0x30000, NS, 0x32000 | TABLE);
	put(m, 0x32000, NS, 0x33000 | TABLE);
	put(m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | WB);
}

/* RDQTTB: the translation, its faults at each level, and stage 2 switched off. */
static void translates_ipas(void **state)
{
	const uint64_t entry[4] = {0, 0x30000, 0x32000, 0x33000};
	struct mmu m;

	(void)state;
	start(&m, WITH_EL2);
	maps(&m, 0x456, 0x8000456, NS);
	assert_true(m.t.has_stage2);
	/* The second of the concatenated tables: IPA bit 39. */
	put(&m, 0x31000, NS, UINT64_C(0x1040000000) | BLOCK | AF | RW | WB);
	maps(&m, BIT(39) | 0x12345678, UINT64_C(0x1052345678), NS);
	faults(&m, BIT(40), SPEMU_FAULT_STAGE2, SPEMU_FT_TRANSLATION, 0);
	for (int level = 1; level < 4; level++) {
		uint64_t keep = word_at(&m, entry[level], NS);
		uint64_t leaf = level == 3 ? PAGE : BLOCK;

		forget(&m);
		put(&m, entry[level], NS, keep & ~BIT(0));
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_TRANSLATION, level);
		put(&m, entry[level], NS, leaf | BIT(40) | AF | RW | WB);
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_ADDRESS_SIZE, level);
		put(&m, entry[level], NS, leaf | RW | WB);
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_ACCESS_FLAG, level);
		put(&m, entry[level], NS, leaf | AF | 1 << 6 | WB);
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, level);
		put(&m, entry[level], NS, keep);
		m.abort_at = entry[level];
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_EXTERNAL_ON_WALK, level);
		m.abort_at = 0;
	}
	/* A write needs no read permission. */
	put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | 2 << 6 | WB);
	maps(&m, 0, 0x8000000, NS);
	set(&m.f, SPEMU_REG_HCR_EL2, 0);
	maps(&m, 0x456, 0x456, NS);
	assert_false(m.t.has_stage2);
	mmu_stop(&m);
}

/* RWWYDL: an untranslated access is never an assured translation. */
static void assured_only(void **state)
{
	struct mmu m;

	(void)state;
	start(&m, "v8.9,-EL3,-Secure,+FEAT_THE");
	put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | WB | BIT(58));
	maps(&m, 0, 0x8000000, NS);
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | BIT(34));
	faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.assured_only);
	assert_false(m.fault.top_level || m.fault.overlay || m.fault.dirty_bit);
	put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | WB);
	maps(&m, 0, 0x8000000, NS);
	mmu_stop(&m);
}

/* RDFFVT, D8.12.1: which register has the MECID, by owner and descriptor. */
static void encryption_contexts(void **state)
{
	const enum spemu_reg regs[] = {SPEMU_REG_MECID_P0_EL2, SPEMU_REG_MECID_A0_EL2,
	                               SPEMU_REG_MECID_P1_EL2, SPEMU_REG_MECID_A1_EL2,
	                               SPEMU_REG_VMECID_P_EL2, SPEMU_REG_VMECID_A_EL2};
	const unsigned realm = SPEMU_SS_REALM;
	struct mmu m;

	(void)state;
	start(&m, "v9.4,+FEAT_MEC");
	for (unsigned i = 0; i < 6; i++)
		set(&m.f, regs[i], 0x101 + i);
	set(&m.f, SPEMU_REG_SCR_EL3, BIT(62) | BIT(44) | BIT(43) | 1);
	m.access.security = SPEMU_SS_REALM;
	put(&m, 0x30000, realm, 0x8000000 | BLOCK | AF | RW | WB);
	maps(&m, 0, 0, realm);
	assert_int_equal(m.t.mecid, 0); /* SCTLR2_EL2.EMEC is 0 */
	set(&m.f, SPEMU_REG_SCTLR2_EL2, 2);
	maps(&m, 0, 0, realm);
	assert_int_equal(m.t.mecid, 0x105);
	assert_int_equal(m.last_mecid, 0x105);
	forget(&m);
	put(&m, 0x30000, realm, BIT(63) | BLOCK | AF | RW | WB); /* AMEC */
	maps(&m, 0, 0, realm);
	assert_int_equal(m.t.mecid, 0x106);
	forget(&m);
	put(&m, 0x30000, realm, BIT(63) | BIT(55) | BLOCK | AF | RW | WB); /* Non-secure */
	maps(&m, 0, 0, NS);
	assert_int_equal(m.t.mecid, 0);
	/* EL2, without stage 1: the primary of the lower range. */
	m.access.owner_el = 2;
	m.access.address_type = SPEMU_ADDRESS_VA;
	maps(&m, 0x1000, 0x1000, realm);
	assert_int_equal(m.t.mecid, 0x101);
	mmu_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(translates_ipas),
	        cmocka_unit_test(assured_only),
	        cmocka_unit_test(encryption_contexts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
