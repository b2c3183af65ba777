/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores outside SVE and SME.
 *
 * Arm ARM:     DDI 0487 M.a, C4.1 "Loads and stores", in its order
 * Implements:  DDSNMB (D17.5.1: LD, ST, FP and SIMD flags), D17.6.4 D17.6.4.4, D18.2.7 (load/store
 *              formats)
 * Features:    base, LSE, LSE2, LSE128, LOR, LRCPC to LRCPC3, PAuth, MTE, MOPS, LS64, GCS.
 *              Not known, hence "other": FEAT_LSUI, FEAT_LSFE, FEAT_THE.
 */
#include "rows.h"

/* Set the type and flags of SIMD&FP registers: Q counts as SIMD, and narrower registers as FP
 * (DDSNMB). */
static void simd_fp(struct spemu_op_kind *kind, unsigned element_bytes)
{
	if (kind->ldst == SPEMU_LDST_GENERAL)
		kind->ldst = SPEMU_LDST_SIMDFP;
	kind->flags |= element_bytes == 16 ? SPEMU_OPF_SIMD : SPEMU_OPF_FP;
}

/* Refine Advanced SIMD loads and stores of multiple structures: opcode [15:12] has the number of
 * registers. */
static void multiple_structures(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	static const uint8_t registers[16] = {
	        [0x0] = 4, [0x2] = 4, [0x4] = 3, [0x6] = 3, [0x7] = 1, [0x8] = 2, [0xa] = 2};
	unsigned count = registers[field(insn->op, 15, 12)];

	if (count == 0) {
		unallocated(kind);
		return;
	}
	load_if(kind, bit(insn->op, 22));
	kind->access_size = (uint16_t)(count * (bit(insn->op, 30) ? 16 : 8));
}

/* Refine Advanced SIMD loads and stores of single structures, and load and replicate. */
static void single_structure(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned opcode = field(insn->op, 15, 13), size = field(insn->op, 11, 10);
	unsigned elements = ((opcode & 1) << 1 | bit(insn->op, 21)) + 1;
	unsigned bytes = 1u << (opcode >> 1);
	unsigned load = bit(insn->op, 22), s = bit(insn->op, 12);

	if (opcode >> 1 == 1 && (size & 1))
		bytes = 0;
	else if (opcode >> 1 == 2 && size == 1)
		bytes = s ? 0 : 8;
	else if (opcode >> 1 == 2 && size > 1)
		bytes = 0;
	else if (opcode >> 1 == 3)
		bytes = load && !s ? 1u << size : 0;
	if (bytes == 0) {
		unallocated(kind);
		return;
	}
	load_if(kind, load);
	kind->access_size = (uint16_t)(elements * bytes);
}

/* Set a size of 1 << [31:30] bytes. */
static void sized(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	kind->access_size = (uint16_t)(1u << field(insn->op, 31, 30));
}

/* Refine LDAR, STLR and the LORegion forms LDLAR, STLLR, which order as well: L in [22]. */
static void ordered(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	load_if(kind, bit(insn->op, 22));
	sized(kind, insn);
}

/* Refine exclusives: like ordered ones, with o0 (acquire or release) in [15]. */
static void exclusive(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	ordered(kind, insn);
	if (kind->flags & SPEMU_OPF_PAIR)
		kind->access_size *= 2;
	if (bit(insn->op, 15))
		kind->flags |= SPEMU_OPF_ACQUIRE_RELEASE;
}

static void compare_and_swap(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	if (kind->flags & SPEMU_OPF_PAIR)
		kind->access_size = bit(insn->op, 30) ? 16 : 8;
	else
		sized(kind, insn);
	if (bit(insn->op, 22) || bit(insn->op, 15))
		kind->flags |= SPEMU_OPF_ACQUIRE_RELEASE;
}

/*
 * Refine LD<op>, SWP, and ST<op>, which is LD<op> with destination ZR. ST<op> returns nothing, so
 * it is a store for DDSNMB and the LDST field. A swap remains a load. Acquire requires a
 * destination other than ZR.
 */
static void atomic(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned swap = bit(insn->op, 15), zr = field(insn->op, 4, 0) == 31;

	if (swap && field(insn->op, 14, 12) != 0) {
		unallocated(kind);
		return;
	}
	if (zr && !swap)
		kind->type = SPEMU_OP_STORE;
	sized(kind, insn);
	if ((bit(insn->op, 23) && !zr) || bit(insn->op, 22))
		kind->flags |= SPEMU_OPF_ACQUIRE_RELEASE;
}

/* Refine LDCLRP, LDSETP, SWPP: A in [23], R in [22]. */
static void atomic_128(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	if (field(insn->op, 23, 22))
		kind->flags |= SPEMU_OPF_ACQUIRE_RELEASE;
}

/* Refine LDIAPP, STILP (pairs), LDAPR and STLR with write-back: W or X by [30]. */
static void rcpc_writeback(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	load_if(kind, bit(insn->op, 22));
	kind->access_size = bit(insn->op, 30) ? 8 : 4;
	if (kind->flags & SPEMU_OPF_PAIR)
		kind->access_size *= 2;
}

/* Refine pairs: opc [31:30], V [26], addressing [24:23] (0 is the no-allocate form), L [22]. */
static void pair(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned opc = field(insn->op, 31, 30), v = bit(insn->op, 26);
	unsigned load = bit(insn->op, 22), no_allocate = field(insn->op, 24, 23) == 0;
	unsigned bytes;

	if (opc == 3 || (!v && opc == 1 && no_allocate)) {
		unallocated(kind);
		return;
	}
	if (v)
		bytes = 4u << opc;
	else if (opc == 1)
		bytes = load ? 4
		             : 8; /* LDPSW; STGP, which also writes a tag: general (D17.6.4.1) */
	else
		bytes = opc == 0 ? 4 : 8;
	load_if(kind, load);
	kind->access_size = (uint16_t)(2 * bytes);
	if (v)
		simd_fp(kind, bytes);
}

/* Refine loads and stores of one register, in any addressing mode, and LDAPUR*, STLUR*: size
 * [31:30], V [26], opc [23:22]. */
static void one_register(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned size = field(insn->op, 31, 30), opc = field(insn->op, 23, 22);
	bool v = bit(insn->op, 26);

	/* opc 2 with size 3 is PRFM, which is "other" (D17.6.8). The other combinations do not
	 * exist. */
	if (opc >= 2 && (v ? size != 0 : size + opc >= 5)) {
		unallocated(kind);
		return;
	}
	load_if(kind, v ? opc & 1 : opc != 0);
	kind->access_size = (uint16_t)(v && opc >= 2 ? 16 : 1u << size);
	if (v)
		simd_fp(kind, kind->access_size);
}

/* Refine CPYF*, CPY*, SET*, SETG*. A stage that does not exist is unallocated. */
static void memory_copy_and_set(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	if (field(insn->op, 23, 22) != 3)
		return;
	if (field(insn->op, 15, 14) == 3) {
		unallocated(kind);
		return;
	}
	kind->type = SPEMU_OP_STORE;
	kind->ldst = SPEMU_LDST_MEMSET;
}

#define LD SPEMU_OP_LOAD
#define ST SPEMU_OP_STORE
#define AT SPEMU_OP_LOAD_ATOMIC
#define GENERAL SPEMU_LDST_GENERAL
#define EXTENDED SPEMU_LDST_EXTENDED
#define SIMDFP SPEMU_LDST_SIMDFP
#define TAGS SPEMU_LDST_TAGS
#define UNSPEC SPEMU_LDST_UNSPECIFIED
#define GCS SPEMU_LDST_GCS
#define F_AR SPEMU_OPF_ACQUIRE_RELEASE
#define F_EX SPEMU_OPF_EXCLUSIVE
#define F_AT SPEMU_OPF_ATOMIC
#define F_PAIR SPEMU_OPF_PAIR
#define F_SIMD SPEMU_OPF_SIMD

static const struct a64_row rows[] = {
        /* compare and swap pair */
        {0xbfa07c00, 0x08207c00, AT, EXTENDED, 0, F_AT | F_PAIR, compare_and_swap},
        /* Advanced SIMD structures; LDAP1 and STL1 of FEAT_LRCPC3 before the single ones */
        {0xbffffc00, 0x0d418400, LD, EXTENDED, 8, F_SIMD | F_AR, NULL},
        {0xbffffc00, 0x0d018400, ST, EXTENDED, 8, F_SIMD | F_AR, NULL},
        {0xbfbf0000, 0x0c000000, LD, SIMDFP, 0, F_SIMD, multiple_structures},
        {0xbfa00000, 0x0c800000, LD, SIMDFP, 0, F_SIMD, multiple_structures},
        {0xbf9f0000, 0x0d000000, LD, SIMDFP, 0, F_SIMD, single_structure},
        {0xbf800000, 0x0d800000, LD, SIMDFP, 0, F_SIMD, single_structure},
        /* RCW compare and swap (FEAT_THE) is not known; 128-bit atomics (FEAT_LSE128) */
        {0xff20fc00, 0x19201000, AT, EXTENDED, 16, F_AT | F_PAIR, atomic_128}, /* LDCLRP */
        {0xff20fc00, 0x19203000, AT, EXTENDED, 16, F_AT | F_PAIR, atomic_128}, /* LDSETP */
        {0xff20fc00, 0x19208000, AT, EXTENDED, 16, F_AT | F_PAIR, atomic_128}, /* SWPP */
        /* GCSSTR, GCSSTTR */
        {0xffffec00, 0xd91f0c00, ST, GCS, 8, 0, NULL},
        /*
         * Allocation Tags. The size is the memory whose tags are accessed: 16 bytes per granule,
         * and unknown for the multiple forms. Forms that also write data are stores of no register.
         */
        {0xfffffc00, 0xd9200000, ST, UNSPEC, 0, 0, NULL}, /* STZGM */
        {0xffe00c00, 0xd9600000, LD, TAGS, 16, 0, NULL},  /* LDG */
        {0xfffffc00, 0xd9a00000, ST, TAGS, 0, 0, NULL},   /* STGM */
        {0xfffffc00, 0xd9e00000, LD, TAGS, 0, 0, NULL},   /* LDGM */
        {0xff200c00, 0xd9200000, SPEMU_OP_OTHER, 0, 0, 0, NULL},
        {0xffe00000, 0xd9200000, ST, TAGS, 16, 0, NULL},   /* STG */
        {0xffe00000, 0xd9600000, ST, UNSPEC, 16, 0, NULL}, /* STZG */
        {0xffe00000, 0xd9a00000, ST, TAGS, 32, 0, NULL},   /* ST2G */
        {0xffe00000, 0xd9e00000, ST, UNSPEC, 32, 0, NULL}, /* STZ2G */
        /* exclusive pair and register, ordered, compare and swap */
        {0xbfa00000, 0x88200000, LD, EXTENDED, 0, F_EX | F_PAIR, exclusive},
        {0x3fa00000, 0x08000000, LD, EXTENDED, 0, F_EX, exclusive},
        {0x3fa00000, 0x08800000, LD, EXTENDED, 0, F_AR, ordered},
        {0x3fa07c00, 0x08a07c00, AT, EXTENDED, 0, F_AT, compare_and_swap},
        /* RCpc: pair, write-back, unscaled offset */
        {0xbfa00c00, 0x99000800, LD, EXTENDED, 0, F_AR | F_PAIR, rcpc_writeback},
        {0xbfbffc00, 0x99800800, LD, EXTENDED, 0, F_AR, rcpc_writeback},
        {0x3f200c00, 0x19000000, LD, EXTENDED, 0, F_AR, one_register},
        {0x3f200c00, 0x1d000800, LD, EXTENDED, 0, F_AR, one_register},
        /* memory copy and set: a copy reads and writes; a host that selects the write makes it a
         * store */
        {0xfb200c00, 0x19000400, LD, SPEMU_LDST_MEMCOPY, 0, 0, memory_copy_and_set},
        /* literal, except for PRFM, which is "other" (D17.6.8): LDR of W, X, S, D and Q, LDRSW */
        {0xff000000, 0x18000000, LD, GENERAL, 4, 0, NULL},
        {0xff000000, 0x58000000, LD, GENERAL, 8, 0, NULL},
        {0xff000000, 0x98000000, LD, GENERAL, 4, 0, NULL},
        {0xff000000, 0x1c000000, LD, SIMDFP, 4, SPEMU_OPF_FP, NULL},
        {0xff000000, 0x5c000000, LD, SIMDFP, 8, SPEMU_OPF_FP, NULL},
        {0xff000000, 0x9c000000, LD, SIMDFP, 16, F_SIMD, NULL},
        /* pair (no-allocate, post-indexed, offset, pre-indexed) */
        {0x3a000000, 0x28000000, LD, GENERAL, 0, F_PAIR, pair},
        /* register: unscaled, post-indexed, unprivileged (not SIMD&FP), pre-indexed */
        {0x3b200c00, 0x38000000, LD, GENERAL, 0, 0, one_register},
        {0x3b200c00, 0x38000400, LD, GENERAL, 0, 0, one_register},
        {0x3f200c00, 0x38000800, LD, GENERAL, 0, 0, one_register},
        {0x3b200c00, 0x38000c00, LD, GENERAL, 0, 0, one_register},
        /* atomic memory operations, after other instructions in their space */
        {0x3ffffc00, 0x38bfc000, LD, EXTENDED, 0, F_AR, sized},                   /* LDAPR */
        {0xfffffc00, 0xf83f9000, ST, GENERAL, 64, 0, NULL},                       /* ST64B */
        {0xffe0fc00, 0xf820b000, ST, GENERAL, 64, SPEMU_OPF_STATUS_RESULT, NULL}, /* ST64BV */
        {0xffe0fc00, 0xf820a000, ST, GENERAL, 64, SPEMU_OPF_STATUS_RESULT, NULL}, /* ST64BV0 */
        {0xfffffc00, 0xf83fd000, LD, GENERAL, 64, 0, NULL},                       /* LD64B */
        {0x3f200c00, 0x38200000, AT, EXTENDED, 0, F_AT, atomic},
        /* register offset, LDRAA and LDRAB, unsigned offset */
        {0x3b200c00, 0x38200800, LD, GENERAL, 0, 0, one_register},
        {0xff200400, 0xf8200400, LD, GENERAL, 8, 0, NULL},
        {0x3b000000, 0x39000000, LD, GENERAL, 0, 0, one_register},
};

const struct a64_table a64__loads_stores = {rows, sizeof(rows) / sizeof(rows[0])};
