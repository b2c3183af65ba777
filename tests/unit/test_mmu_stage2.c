/* SPDX-License-Identifier: MIT */
/* Test stage 2, its attributes and permissions, and both stages together (D17.7.3, D8.2.7, D8.6,
 * D8.12). */
#include "mmu_fixture.h"

#define NS SPEMU_SS_NON_SECURE
#define BIT(n) (UINT64_C(1) << (n))
#define MEM_ATTR(attr) ((uint64_t)(attr) << 2) /* MemAttr of a stage 2 descriptor */
#define WITH_EL2 "v8.8,-EL3,-Secure"

enum {
	AF = 1 << 10,
	TABLE = 3,
	PAGE = 3,
	BLOCK = 1,
	S2AP_W = 1 << 7,
	RO = 1 << 6,
	WO = 2 << 6,
	RW = 3 << 6,
	WB = 15 << 2
};
enum { SH_RESERVED = 1 << 8, SH_INNER = 3 << 8 };
enum { VM = 1, PTW = 4, DC = 1 << SPEMU_HCR_EL2_DC_LSB };
enum { PI_1 = 1 << 6, DIRTY = 1 << 7 }; /* with indirect permissions: permission index 1; dirty */

/* The permissions `value` for one index, in S2PIR_EL2 and S2POR_EL1. */
#define PERM(index, value) ((uint64_t)(value) << 4 * (index))

/* 4KB granule; 40-bit IPAs, walked from level 1 with two concatenated tables; 40-bit PS. */
#define VTCR (FIELD(VTCR_EL2, T0SZ, 24) | FIELD(VTCR_EL2, SL0, 1) | FIELD(VTCR_EL2, PS, 2))

/* Start with an untranslated buffer, whose addresses are IPAs. The level 1 tables of stage 2 are at
 * 0x30000. */
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

/* RDQTTB: stage 2 translates an IPA, faults at each level, and can be disabled. */
static void rdqttb_stage_2_translates_ipas(void **state)
{
	const uint64_t entry[4] = {0, 0x30000, 0x32000, 0x33000};
	struct mmu m;

	(void)state;
	start(&m, WITH_EL2);
	maps(&m, 0x456, 0x8000456, NS);
	assert_true(m.t.has_stage2);
	/* IPA bit 39 selects the second of the concatenated tables. */
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
		put(&m, entry[level], NS, leaf | AF | RO | WB);
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, level);
		put(&m, entry[level], NS, keep);
		m.abort_at = entry[level];
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_EXTERNAL_ON_WALK, level);
		m.abort_at = 0;
	}
	/* A write does not need read permission. */
	put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | WO | WB);
	maps(&m, 0, 0x8000000, NS);
	set(&m.f, SPEMU_REG_HCR_EL2, 0);
	maps(&m, 0x456, 0x456, NS);
	assert_false(m.t.has_stage2);
	mmu_stop(&m);
}

/* RWWYDL: a buffer that stage 1 does not translate never has an assured translation. */
static void rwwydl_untranslated_access_is_not_assured(void **state)
{
	struct mmu m;

	(void)state;
	start(&m, "v8.9,-EL3,-Secure,+FEAT_THE");
	put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | WB | BIT(58));
	maps(&m, 0, 0x8000000, NS);
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | FIELD(VTCR_EL2, AssuredOnly, 1));
	faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.assured_only);
	assert_false(m.fault.top_level || m.fault.overlay || m.fault.dirty_bit);
	put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | WB);
	maps(&m, 0, 0x8000000, NS);
	mmu_stop(&m);
}

/* RDFFVT, D8.12.1: the owner and the descriptor decide which register supplies the MECID. */
static void rdffvt_mecid_follows_owner_and_descriptor(void **state)
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
	set(&m.f, SPEMU_REG_SCR_EL3,
	    FIELD(SCR_EL3, NSE, 1) | FIELD(SCR_EL3, MECEn, 1) | FIELD(SCR_EL3, SCTLR2En, 1) |
	            FIELD(SCR_EL3, TCR2En, 1) | FIELD(SCR_EL3, NS, 1));
	m.access.security = SPEMU_SS_REALM;
	put(&m, 0x30000, realm, 0x8000000 | BLOCK | AF | RW | WB);
	maps(&m, 0, 0, realm);
	assert_int_equal(m.t.mecid, 0); /* SCTLR2_EL2.EMEC is 0 */
	set(&m.f, SPEMU_REG_SCTLR2_EL2, FIELD(SCTLR2_EL2, EMEC, 1));
	maps(&m, 0, 0, realm);
	assert_int_equal(m.t.mecid, 0x105);
	assert_int_equal(m.last_mecid, 0x105);
	forget(&m);
	put(&m, 0x30000, realm, BIT(63) | BLOCK | AF | RW | WB); /* AMEC is set */
	maps(&m, 0, 0, realm);
	assert_int_equal(m.t.mecid, 0x106);
	forget(&m);
	/* AMEC and NS are set: Non-secure. */
	put(&m, 0x30000, realm, BIT(63) | BIT(55) | BLOCK | AF | RW | WB);
	maps(&m, 0, 0, NS);
	assert_int_equal(m.t.mecid, 0);
	/* If EL2 does not use stage 1, the MECID is the primary one of the lower range. */
	m.access.owner_el = 2;
	m.access.address_type = SPEMU_ADDRESS_VA;
	maps(&m, 0x1000, 0x1000, realm);
	assert_int_equal(m.t.mecid, 0x101);
	mmu_stop(&m);
}

/* Tables D8-96 to D8-98: combine every stage 1 and every stage 2 cacheability, without
 * FEAT_S2FWB. */
static void cacheability_of_two_stages_combines(void **state)
{
	/* The Cacheability that MemAttr[1:0] and MemAttr[3:2] encode. */
	const uint8_t of[4] = {0, SPEMU_NON_CACHEABLE, SPEMU_WRITE_THROUGH, SPEMU_WRITE_BACK};
	struct mmu m;

	(void)state;
	start(&m, WITH_EL2);
	for (unsigned n = 0; n < 5 * 9 * 16; n++) {
		unsigned attr = n % 16, type = n / 16 % 5;
		unsigned inner = n / 80 % 3, outer = n / 240;
		struct spemu_memory *s1 = &m.access.memory;
		bool device2 = attr < 4, reserved = attr >= 4 && !(attr & 3);

		if (type != SPEMU_MEMORY_NORMAL && (inner || outer))
			continue;
		s1->type = (uint8_t)type;
		s1->inner = (uint8_t)inner;
		s1->outer = (uint8_t)outer;
		s1->inner_hints = s1->outer_hints = 0;
		s1->shareability = SPEMU_INNER_SHAREABLE;
		put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | MEM_ATTR(attr));
		forget(&m);
		maps(&m, 0, 0x8000000, NS);
		assert_memory_equal(&m.t.stage1, s1, sizeof(*s1));
		if (reserved) { /* the default of a reserved encoding is Device-nGnRnE */
			assert_int_equal(m.t.memory.type, SPEMU_MEMORY_DEVICE_NGNRNE);
			continue;
		}
		assert_int_equal(m.t.stage2.type, device2 ? attr : SPEMU_MEMORY_NORMAL);
		if (type != SPEMU_MEMORY_NORMAL || device2) {
			unsigned least = device2 && attr < type ? attr : type;

			assert_int_equal(m.t.memory.type, least);
			assert_int_equal(m.t.memory.shareability, SPEMU_OUTER_SHAREABLE);
			continue;
		}
		assert_int_equal(m.t.stage2.inner, of[attr & 3]);
		assert_int_equal(m.t.stage2.outer, of[attr >> 2]);
		assert_int_equal(m.t.memory.type, SPEMU_MEMORY_NORMAL);
		assert_int_equal(m.t.memory.inner, of[attr & 3] < inner ? of[attr & 3] : inner);
		assert_int_equal(m.t.memory.outer, of[attr >> 2] < outer ? of[attr >> 2] : outer);
		assert_int_equal(m.t.memory.shareability, m.t.memory.inner || m.t.memory.outer
		                                                  ? SPEMU_INNER_SHAREABLE
		                                                  : SPEMU_OUTER_SHAREABLE);
	}
	mmu_stop(&m);
	/* With HCR_EL2.CD, Normal memory becomes Non-cacheable, and Device memory stays Device. */
	start(&m, WITH_EL2);
	set(&m.f, SPEMU_REG_HCR_EL2, VM | FIELD(HCR_EL2, CD, 1));
	maps(&m, 0, 0x8000000, NS);
	assert_int_equal(m.t.memory.type, SPEMU_MEMORY_NORMAL);
	assert_int_equal(m.t.memory.inner | m.t.memory.outer, SPEMU_NON_CACHEABLE);
	mmu_stop(&m);
}

/* SH 0b01 of a stage 2 descriptor is reserved. One choice applies to both stages and takes effect
 * at once. */
static void reserved_shareability_follows_one_choice(void **state)
{
	struct mmu m;

	(void)state;
	start(&m, WITH_EL2);
	put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | WB | SH_RESERVED);
	for (unsigned option = 0; option < 3; option++) {
		const uint8_t of[] = {
		        [SPEMU_RESERVED_SHAREABILITY_NON_SHAREABLE] = SPEMU_NON_SHAREABLE,
		        [SPEMU_RESERVED_SHAREABILITY_OUTER_SHAREABLE] = SPEMU_OUTER_SHAREABLE,
		        [SPEMU_RESERVED_SHAREABILITY_INNER_SHAREABLE] = SPEMU_INNER_SHAREABLE,
		};

		assert_int_equal(
		        spemu_choice_set(m.f.pe, SPEMU_CHOICE_RESERVED_SHAREABILITY, option),
		        SPEMU_OK);
		maps(&m, 0, 0x8000000, NS);
		assert_int_equal(m.t.memory.shareability, of[option]);
	}
	mmu_stop(&m);
}

/* Table D8-101: attributes with HCR_EL2.FWB. Hints follow RTHYXB and RTBQKG. */
static void fwb_combines_attributes_by_table_d8_101(void **state)
{
	const uint8_t wt = SPEMU_WRITE_THROUGH, wb = SPEMU_WRITE_BACK, nc = SPEMU_NON_CACHEABLE;
	const struct {
		/* MemAttr[2:0] of stage 2; type and Cacheability of stage 1. */
		uint8_t attr, type, cache;
		/* Type, Cacheability and hints of both stages together. */
		uint8_t result, final, hints;
	} rows[] = {
	        {0, 4, wb, 0, nc, 0}, {3, 4, wb, 3, nc, 0}, {3, 1, nc, 1, nc, 0},
	        {1, 3, nc, 1, nc, 0}, {5, 2, nc, 2, nc, 0}, {5, 4, nc, 4, nc, 0},
	        {5, 4, wt, 4, nc, 0}, {5, 4, wb, 4, nc, 0}, {6, 2, nc, 4, wb, 3},
	        {6, 4, nc, 4, wb, 3}, {6, 4, wt, 4, wb, 2}, {6, 4, wb, 4, wb, 2},
	        {7, 2, nc, 2, nc, 0}, {7, 4, nc, 4, nc, 0}, {7, 4, wt, 4, wt, 2},
	        {7, 4, wb, 4, wb, 2},
	};
	struct mmu m;

	(void)state;
	start(&m, WITH_EL2);
	set(&m.f, SPEMU_REG_HCR_EL2, VM | FIELD(HCR_EL2, FWB, 1));
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_memory *s1 = &m.access.memory;

		s1->type = rows[i].type;
		s1->inner = s1->outer = rows[i].cache;
		s1->inner_hints = s1->outer_hints = rows[i].cache ? 2 : 0;
		put(&m, 0x33000, NS, 0x8000000 | PAGE | AF | RW | MEM_ATTR(rows[i].attr));
		forget(&m);
		maps(&m, 0, 0x8000000, NS);
		assert_int_equal(m.t.memory.type, rows[i].result);
		assert_int_equal(m.t.memory.inner, rows[i].final);
		assert_int_equal(m.t.memory.outer, rows[i].final);
		assert_int_equal(m.t.memory.outer_hints, rows[i].hints);
		/* Check the attributes of stage 2 alone. */
		if (rows[i].attr == 5 || rows[i].attr == 6) {
			assert_int_equal(m.t.stage2.type, SPEMU_MEMORY_NORMAL);
			assert_int_equal(m.t.stage2.inner, rows[i].attr == 5 ? nc : wb);
			assert_int_equal(m.t.stage2.outer, rows[i].attr == 5 ? nc : wb);
		}
	}
	mmu_stop(&m);
}

/* Write stage 1 tables for a 30-bit VA. The level 2 table is at IPA 0x1000 and the level 3 table at
 * IPA 0x2000. */
static void both_stages(struct mmu *m, const char *features)
{
	start(m, features);
	m->access.address_type = SPEMU_ADDRESS_VA;
	set(&m->f, SPEMU_REG_TCR_EL1, FIELD(TCR_EL1, T0SZ, 34) | FIELD(TCR_EL1, IPS, 2));
	set(&m->f, SPEMU_REG_TTBR0_EL1, 0x1000);
	set(&m->f, SPEMU_REG_MAIR_EL1, 0xff);
	set(&m->f, SPEMU_REG_SCTLR_EL1, FIELD(SCTLR_EL1, C, 1) | FIELD(SCTLR_EL1, M, 1));
	put(m, 0x33008, NS, 0x8001000 | PAGE | AF | RW | WB);
	put(m, 0x33010, NS, 0x8002000 | PAGE | AF | RW | WB);
	put(m, 0x33018, NS, 0x8003000 | PAGE | AF | RW | WB);
	put(m, 0x8001000, NS, 0x2000 | TABLE);
	put(m, 0x8002000, NS, 0x3000 | PAGE | AF | SH_INNER);
}

/* Stage 2 can fault on a walk of stage 1 and on the final write. HCR_EL2.PTW restricts walks. */
static void stage_1_walk_faults_in_stage_2(void **state)
{
	struct mmu m;

	(void)state;
	both_stages(&m, WITH_EL2);
	maps(&m, 0x789, 0x8003789, NS);
	assert_true(m.t.has_stage2);
	assert_int_equal(m.t.memory.shareability, SPEMU_INNER_SHAREABLE);
	for (unsigned table = 1; table < 3; table++) {
		uint64_t at = 0x33000 + 8 * table, pa = 0x8000000 + 0x1000 * table;

		forget(&m);
		put(&m, at, NS, 0);
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_TRANSLATION, 3);
		/* A page of tables that cannot be read faults. Read permission is enough. */
		put(&m, at, NS, pa | PAGE | AF | WO | WB);
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
		put(&m, at, NS, pa | PAGE | AF | RO | WB);
		maps(&m, 0, 0x8003000, NS);
		/* The table is in Device memory, which HCR_EL2.PTW forbids. */
		forget(&m);
		put(&m, at, NS, pa | PAGE | AF | RW);
		maps(&m, 0, 0x8003000, NS);
		set(&m.f, SPEMU_REG_HCR_EL2, VM | PTW);
		faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
		set(&m.f, SPEMU_REG_HCR_EL2, VM);
		put(&m, at, NS, pa | PAGE | AF | RW | WB);
	}
	forget(&m);
	put(&m, 0x33018, NS, 0x8003000 | PAGE | AF | RO | WB);
	faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	/* An External abort on a read of the stage 1 descriptor is a fault of stage 1. */
	m.abort_at = 0x8002000;
	faults(&m, 0, SPEMU_FAULT_STAGE1, SPEMU_FT_EXTERNAL_ON_WALK, 3);
	m.abort_at = 0;
	/* HCR_EL2.DC disables stage 1 and enables stage 2 although VM is 0. Memory is Write-Back,
	 * Non-shareable. */
	put(&m, 0x33018, NS, 0x8003000 | PAGE | AF | RW | WB);
	set(&m.f, SPEMU_REG_HCR_EL2, DC);
	maps(&m, 0x3789, 0x8003789, NS);
	assert_int_equal(m.t.memory.inner, SPEMU_WRITE_BACK);
	assert_int_equal(m.t.memory.shareability, SPEMU_NON_SHAREABLE);
	mmu_stop(&m);
}

/* D8.2.7: TopLevel checks, assured translations through MRO tables, and indirect permissions of
 * stage 2. */
static void assured_only_needs_protected_descriptors(void **state)
{
	const uint64_t top = 0x8001000 | PAGE | AF | WB, mid = 0x8002000 | PAGE | AF | WB | BIT(51);
	const uint64_t leaf = 0x8003000 | PAGE | AF | WB | DIRTY;
	const uint64_t tl0 = BIT(41), s2pie = BIT(36), assured = BIT(34);
	struct mmu m;

	(void)state;
	both_stages(&m, "v8.9,-EL3,-Secure,+FEAT_THE,+FEAT_S2PIE");
	/* Direct permissions are never TopLevel0. */
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | tl0);
	faults(&m, 0x789, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.top_level);
	/* Index 0 is RW, index 1 is MRO-TL0, index 2 is MRO. */
	set(&m.f, SPEMU_REG_S2PIR_EL2, PERM(0, 12) | PERM(1, 6) | PERM(2, 2));
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | tl0 | s2pie);
	put(&m, 0x33008, NS, top | PI_1);
	put(&m, 0x33010, NS, mid);
	put(&m, 0x33018, NS, leaf);
	maps(&m, 0x789, 0x8003789, NS);
	forget(&m);
	put(&m, 0x33008, NS, top | BIT(51));
	faults(&m, 0x789, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.top_level);
	put(&m, 0x33008, NS, top | PI_1);
	/* The leaf is writable-clean, and hardware does not manage the state. */
	put(&m, 0x33018, NS, leaf & ~BIT(7));
	faults(&m, 0x789, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.dirty_bit && !m.fault.top_level);
	/* AssuredOnly requires Protected descriptors at every level. */
	put(&m, 0x33018, NS, leaf | BIT(58));
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | tl0 | s2pie | assured);
	faults(&m, 0x789, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.assured_only);
	set(&m.f, SPEMU_REG_HCRX_EL2, FIELD(HCRX_EL2, TCR2En, 1));
	/* With PnCH, bit 52 is Protected. */
	set(&m.f, SPEMU_REG_TCR2_EL1, FIELD(TCR2_EL1, PnCH, 1));
	put(&m, 0x8001000, NS, 0x2000 | TABLE | BIT(52));
	faults(&m, 0x789, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.assured_only);
	put(&m, 0x8002000, NS, 0x3000 | PAGE | AF | BIT(52));
	maps(&m, 0x789, 0x8003789, NS);
	mmu_stop(&m);
}

/* The permissions of an encoding in Table D8-82. Tables D8-83 and D8-84, RXLNQX and RHPVST say how
 * two of them combine. */
struct s2_perm {
	bool none, wo, mro, read, write, tl0, tl1; /* RO sets `read`; RW sets `read` and `write` */
};

static struct s2_perm s2_perm_of(unsigned encoding)
{
	switch (encoding) {
	case 2:
		return (struct s2_perm){.mro = true};
	case 3:
		return (struct s2_perm){.mro = true, .tl1 = true};
	case 4:
		return (struct s2_perm){.wo = true};
	case 6:
		return (struct s2_perm){.mro = true, .tl0 = true};
	case 7:
		return (struct s2_perm){.mro = true, .tl0 = true, .tl1 = true};
	case 0:
	case 1:
	case 5:
		return (struct s2_perm){.none = true};
	default:
		return (struct s2_perm){.read = true, .write = encoding >= 12};
	}
}

static struct s2_perm combined(struct s2_perm base, struct s2_perm overlay)
{
	const struct s2_perm special = base.mro || base.wo ? base : overlay;
	const struct s2_perm other = base.mro || base.wo ? overlay : base;

	if (base.none || overlay.none)
		return (struct s2_perm){.none = true};
	if (base.mro && overlay.mro)
		return (struct s2_perm){.mro = true,
		                        .tl0 = base.tl0 || overlay.tl0,
		                        .tl1 = base.tl1 || overlay.tl1};
	if (base.wo && overlay.wo)
		return base;
	if (special.mro || special.wo) {
		if (other.write)
			return special;
		return special.mro && other.read ? other : (struct s2_perm){.none = true};
	}
	return (struct s2_perm){.read = true, .write = base.write && overlay.write};
}

/* Return true if the TopLevel check fails (Tables D8-14 and D8-15). */
static bool top_level_faults(const struct s2_perm *p, bool upper, bool tl0, bool tl1)
{
	if (upper)
		return tl1 ? !p->tl1 : tl0 && p->tl0 && !p->tl1;
	return tl0 ? !p->tl0 : tl1 && p->tl1 && !p->tl0;
}

enum { NO_OVERLAY = 16 };

/* Start with both stages. One page of stage 2 uses index 0 in S2PIR_EL2 and S2POR_EL1. The other
 * pages use index 1, which is RW. */
static void start_indirect(struct mmu *m, unsigned page)
{
	both_stages(m, "v8.9,-EL3,-Secure,+FEAT_THE,+FEAT_S2PIE,+FEAT_S2POE");
	/* TG1 0b10 is 4KB. */
	set(&m->f, SPEMU_REG_TCR_EL1,
	    FIELD(TCR_EL1, T0SZ, 34) | FIELD(TCR_EL1, T1SZ, 34) | FIELD(TCR_EL1, TG1, 2) |
	            FIELD(TCR_EL1, IPS, 2));
	set(&m->f, SPEMU_REG_TTBR1_EL1, 0x1000);
	for (unsigned i = 1; i < 4; i++)
		put(m, 0x33000 + 8 * i, NS,
		    (0x8000000 + 0x1000 * (uint64_t)i) | PAGE | AF | WB | DIRTY |
		            (i == page ? 0 : PI_1 | BIT(59)));
}

static void indirect(struct mmu *m, unsigned base, unsigned overlay, uint64_t checks)
{
	set(&m->f, SPEMU_REG_S2PIR_EL2, PERM(1, 12) | PERM(0, base));
	set(&m->f, SPEMU_REG_S2POR_EL1, PERM(1, 12) | PERM(0, overlay % NO_OVERLAY));
	set(&m->f, SPEMU_REG_VTCR_EL2,
	    VTCR | FIELD(VTCR_EL2, S2PIE, 1) |
	            (overlay == NO_OVERLAY ? 0 : FIELD(VTCR_EL2, S2POE, 1)) | checks);
}

/* Try all permissions for the page with the first table of a stage 1 walk, with both TTBRs. */
static void first_stage_1_table_needs_stage_2_permission(void **state)
{
	struct mmu m;

	(void)state;
	start_indirect(&m, 1);
	for (unsigned n = 0; n < 16 * 17 * 8; n++) {
		bool upper = n & 1, tl0 = n >> 1 & 1, tl1 = n >> 2 & 1, top;
		unsigned base = n / 8 % 16, overlay = n / 8 / 16;
		uint64_t va = upper ? ~(BIT(30) - 1) | 0x789 : 0x789;
		struct s2_perm over = s2_perm_of(overlay), p = s2_perm_of(base);

		if (overlay != NO_OVERLAY)
			p = combined(p, over);
		top = top_level_faults(&p, upper, tl0, tl1);
		indirect(&m, base, overlay, (tl0 ? BIT(41) : 0) | (tl1 ? BIT(35) : 0));
		if (!top && (p.mro || p.read)) {
			maps(&m, va, 0x8003789, NS);
			continue;
		}
		faults(&m, va, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
		assert_int_equal(m.fault.top_level, top);
		assert_int_equal(m.fault.overlay, !top && (over.none || over.wo));
	}
	mmu_stop(&m);
}

/* Try all permissions for the written page. WO and RW include Data Write. The write faults without
 * Data Write, or if the descriptor is not dirty. */
static void written_page_needs_stage_2_data_write(void **state)
{
	struct mmu m;

	(void)state;
	start_indirect(&m, 3);
	for (unsigned n = 0; n < 16 * 17 * 2; n++) {
		bool dirty = n & 1, writable;
		unsigned base = n / 2 % 16, overlay = n / 2 / 16;
		struct s2_perm over = s2_perm_of(overlay), p = s2_perm_of(base);

		if (overlay != NO_OVERLAY)
			p = combined(p, over);
		writable = p.wo || p.write;
		indirect(&m, base, overlay, 0);
		put(&m, 0x33018, NS, 0x8003000 | PAGE | AF | WB | (dirty ? DIRTY : 0));
		forget(&m);
		if (writable && dirty) {
			maps(&m, 0x789, 0x8003789, NS);
			continue;
		}
		faults(&m, 0x789, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
		assert_int_equal(m.fault.overlay, overlay != NO_OVERLAY && !over.wo && !over.write);
		assert_int_equal(m.fault.dirty_bit, writable);
	}
	mmu_stop(&m);
}

/* A page that is not dirty can hold a stage 1 table. The walker cannot update the table. */
static void clean_page_permits_walk_but_no_update(void **state)
{
	struct mmu m;

	(void)state;
	start_indirect(&m, 0);
	indirect(&m, 0, 15, 0);
	set(&m.f, SPEMU_REG_TCR_EL1,
	    FIELD(TCR_EL1, T0SZ, 34) | FIELD(TCR_EL1, IPS, 2) | FIELD(TCR_EL1, HA, 1));
	put(&m, 0x33010, NS, 0x8002000 | PAGE | AF | WB | PI_1 | BIT(59));
	maps(&m, 0x789, 0x8003789, NS);
	put(&m, 0x8002000, NS, 0x3000 | PAGE);
	forget(&m);
	faults(&m, 0x789, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	assert_true(m.fault.dirty_bit);
	put(&m, 0x33010, NS, 0x8002000 | PAGE | AF | WB | DIRTY | PI_1 | BIT(59));
	maps(&m, 0x789, 0x8003789, NS);
	assert_true(word_at(&m, 0x8002000, NS) & AF);
	mmu_stop(&m);
}

/* For stage 2, the update of a stage 1 descriptor is a write. */
static void stage_1_update_is_stage_2_write(void **state)
{
	struct mmu m;

	(void)state;
	both_stages(&m, WITH_EL2);
	set(&m.f, SPEMU_REG_TCR_EL1,
	    FIELD(TCR_EL1, T0SZ, 34) | FIELD(TCR_EL1, IPS, 2) | FIELD(TCR_EL1, HA, 1));
	put(&m, 0x8002000, NS, 0x3000 | PAGE);
	put(&m, 0x33010, NS, 0x8002000 | PAGE | AF | RO | WB);
	faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION, 3);
	/* The page is writable-clean in stage 2, so the update makes it dirty. */
	set(&m.f, SPEMU_REG_VTCR_EL2, VTCR | FIELD(VTCR_EL2, HA, 1) | FIELD(VTCR_EL2, HD, 1));
	put(&m, 0x33010, NS, 0x8002000 | PAGE | RO | WB | BIT(51));
	maps(&m, 0, 0x8003000, NS);
	assert_true(word_at(&m, 0x33010, NS) & AF);
	assert_true(word_at(&m, 0x33010, NS) & S2AP_W);
	assert_true(word_at(&m, 0x8002000, NS) & AF);
	mmu_stop(&m);
}

/* Secure EL1&0: VSTCR_EL2.{SW, SA} and VTCR_EL2.{NSW, NSA} select the physical address spaces. */
static void secure_spaces_follow_sw_sa_nsw_nsa(void **state)
{
	const unsigned secure = SPEMU_SS_SECURE;
	struct mmu m;

	(void)state;
	start(&m, "v8.8");
	m.access.security = SPEMU_SS_SECURE;
	set(&m.f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, EEL2, 1));
	set(&m.f, SPEMU_REG_VSTTBR_EL2, 0x30000);
	set(&m.f, SPEMU_REG_VTTBR_EL2, 0);
	put(&m, 0x30000, secure, BLOCK | AF | RW | WB);
	put(&m, 0x30000, NS, BIT(30) | BLOCK | AF | RW | WB);
	for (unsigned n = 0; n < 4; n++) {
		unsigned sw = n & 1, sa = n >> 1;

		set(&m.f, SPEMU_REG_VSTCR_EL2,
		    FIELD(VSTCR_EL2, T0SZ, 24) | FIELD(VSTCR_EL2, SL0, 1) |
		            FIELD(VSTCR_EL2, SW, sw) | FIELD(VSTCR_EL2, SA, sa));
		maps(&m, 0x99, (sw ? BIT(30) : 0) | 0x99, sw || sa ? NS : secure);
	}
	mmu_stop(&m);
}

/* The start level has to fit the input size. Level 0 needs 44-bit PAs. */
static void start_level_must_fit_input_size(void **state)
{
	struct mmu m;

	(void)state;
	start(&m, WITH_EL2);
	put(&m, 0x30000, NS, BLOCK | AF | RW | WB);
	/* With the 4KB granule, SL0 0b01 starts at level 1, which fits 31 to 39 + 4 bits. */
	for (unsigned bits = 28; bits < 46; bits++) {
		set(&m.f, SPEMU_REG_VTCR_EL2,
		    (64 - bits) | FIELD(VTCR_EL2, SL0, 1) | FIELD(VTCR_EL2, PS, 2));
		if (bits >= 31 && bits <= 43)
			maps(&m, 0, 0, NS);
		else
			faults(&m, 0, SPEMU_FAULT_STAGE2, SPEMU_FT_TRANSLATION, 0);
	}
	mmu_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rdqttb_stage_2_translates_ipas),
	        cmocka_unit_test(rwwydl_untranslated_access_is_not_assured),
	        cmocka_unit_test(rdffvt_mecid_follows_owner_and_descriptor),
	        cmocka_unit_test(cacheability_of_two_stages_combines),
	        cmocka_unit_test(reserved_shareability_follows_one_choice),
	        cmocka_unit_test(fwb_combines_attributes_by_table_d8_101),
	        cmocka_unit_test(stage_1_walk_faults_in_stage_2),
	        cmocka_unit_test(assured_only_needs_protected_descriptors),
	        cmocka_unit_test(stage_1_update_is_stage_2_write),
	        cmocka_unit_test(secure_spaces_follow_sw_sa_nsw_nsa),
	        cmocka_unit_test(start_level_must_fit_input_size),
	        cmocka_unit_test(first_stage_1_table_needs_stage_2_permission),
	        cmocka_unit_test(written_page_needs_stage_2_data_write),
	        cmocka_unit_test(clean_page_permits_walk_but_no_update),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
