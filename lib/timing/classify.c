/* SPDX-License-Identifier: MIT */
/*
 * A64 instruction classes: the top level, branches, system, data processing.
 *
 * Arm ARM:     DDI 0487 M.a, C4.1 (encoding index), in its order
 * Implements:  DDSNMB (D17.5.1: B, FP and SIMD flags), D17.6.3 D17.6.5 D17.6.8, D18.2.7
 * Choices:     conditional select and compare are conditional (D17.6.5, as recommended); DC ZVA,
 *              GVA and GZVA are stores (D17.6.4, as recommended); ISB is not a branch, but flagged;
 *              moves, selects and conversions of floating-point registers are FP (FP_SPEC leaves
 *              it open), cryptographic instructions SIMD (ASE_INST_SPEC).
 */
#include <string.h>
#include "a64.h"
#include "rows.h"

/* Set the offset of a direct branch: a signed number of words, whose width is the size of the
 * row. imm26 is in [25:0]; shorter offsets begin at bit 5. */
static void direct(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned width = kind->access_size, lo = width == 26 ? 0 : 5;
	uint32_t top = insn->op << (32 - lo - width);

	kind->access_size = 0;
	kind->branch_offset =
	        (int32_t)(top & ~(UINT32_MAX >> width)) / (int32_t)(1u << (30 - width));
}

/* Mark the floating-point forms of operations by an indexed element. The bit sets are indexed by
 * opcode [15:12], and selected by U [29]. */
static void indexed_element(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	static const uint16_t fp[2] = {1u << 0 | 1u << 1 | 1u << 4 | 1u << 5 | 1u << 9,
	                               1u << 1 | 1u << 3 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 9 |
	                                       1u << 12};
	unsigned opcode = field(insn->op, 15, 12), u = bit(insn->op, 29);

	/* Opcode 15 is BFDOT and BFMLAL*, except that it is SUDOT and USDOT if [22] is 0. */
	if (fp[u] >> opcode & 1 || (!u && opcode == 0xf && bit(insn->op, 22)))
		kind->flags |= SPEMU_OPF_FP;
}

#define BR SPEMU_OP_BRANCH, 0, 0
#define BR_TO(width) SPEMU_OP_BRANCH, 0, width
#define OTHER SPEMU_OP_OTHER, 0, 0
#define COND SPEMU_OPF_CONDITIONAL
#define INDIRECT SPEMU_OPF_INDIRECT
#define LINK SPEMU_OPF_LINK
#define RETURN SPEMU_OPF_RETURN
#define ERET SPEMU_OPF_ERET
#define EXCEPTION SPEMU_OPF_EXCEPTION
#define FP SPEMU_OPF_FP
#define SIMD SPEMU_OPF_SIMD
#define GCS_LOAD SPEMU_OP_LOAD, SPEMU_LDST_GCS, 8, 0, NULL
#define GCS_STORE SPEMU_OP_STORE, SPEMU_LDST_GCS, 8, 0, NULL
#define ZERO_STORE SPEMU_OP_STORE, SPEMU_LDST_UNSPECIFIED, 0, SPEMU_OPF_DC_ZERO, NULL

static const struct a64_row reserved_rows[] = {
        {0xffff0000, 0x00000000, OTHER, EXCEPTION, NULL}, /* UDF */
};

static const struct a64_row branch_rows[] = {
        {0xff000000, 0x54000000, BR_TO(19), COND, direct},     /* B.cond, BC.cond */
        {0xffc0001f, 0x5500001f, BR, INDIRECT | RETURN, NULL}, /* RETAASPPC, RETABSPPC */
        {0x7e000000, 0x74000000, BR_TO(9), COND, direct},      /* CB<cc> (FEAT_CMPBR) */
        /* exception generation: SVC, HVC, SMC; BRK; HLT; DCPS1 to DCPS3 */
        {0xffe0001f, 0xd4000001, OTHER, EXCEPTION, NULL},
        {0xffe0001e, 0xd4000002, OTHER, EXCEPTION, NULL},
        {0xffe0001f, 0xd4200000, OTHER, EXCEPTION, NULL},
        {0xffe0001f, 0xd4400000, OTHER, EXCEPTION, NULL},
        {0xffe0001d, 0xd4a00001, OTHER, EXCEPTION, NULL},
        {0xffe0001f, 0xd4a00002, OTHER, EXCEPTION, NULL},
        /* ISB; DC ZVA, GVA, GZVA: the number of bytes is in DCZID_EL0, not in the encoding */
        {0xfffff0ff, 0xd50330df, OTHER, SPEMU_OPF_ISB, NULL},
        {0xffffffe0, 0xd50b7420, ZERO_STORE},
        {0xffffffe0, 0xd50b7460, ZERO_STORE},
        {0xffffffe0, 0xd50b7480, ZERO_STORE},
        /* Guarded Control Stack: GCSPUSHM, GCSPOPM, GCSSS1, GCSSS2 (both), PUSHX, POPCX, POPX */
        {0xffffffe0, 0xd50b7700, GCS_STORE},
        {0xffffffe0, 0xd52b7720, GCS_LOAD},
        {0xffffffe0, 0xd50b7740, GCS_STORE},
        {0xffffffe0, 0xd52b7760, GCS_LOAD},
        {0xffffffe0, 0xd5087780, GCS_STORE},
        {0xffffffe0, 0xd50877a0, GCS_LOAD},
        {0xffffffe0, 0xd50877c0, GCS_LOAD},
        /* by register: BR, BLR, RET, ERET, each with its authenticating forms */
        {0xfffffc1f, 0xd61f0000, BR, INDIRECT, NULL},
        {0xfffff81f, 0xd61f081f, BR, INDIRECT, NULL},
        {0xfffff800, 0xd71f0800, BR, INDIRECT, NULL},
        {0xfffffc1f, 0xd63f0000, BR, INDIRECT | LINK, NULL},
        {0xfffff81f, 0xd63f081f, BR, INDIRECT | LINK, NULL},
        {0xfffff800, 0xd73f0800, BR, INDIRECT | LINK, NULL},
        {0xfffffc1f, 0xd65f0000, BR, INDIRECT | RETURN, NULL},
        {0xfffffbe0, 0xd65f0be0, BR, INDIRECT | RETURN, NULL}, /* RETA*, RETA*SPPCR */
        {0xffffffff, 0xd69f03e0, BR, INDIRECT | ERET, NULL},
        {0xfffffbff, 0xd69f0bff, BR, INDIRECT | ERET, NULL},
        /* by immediate: B, BL, CBZ and CBNZ, TBZ and TBNZ */
        {0xfc000000, 0x14000000, BR_TO(26), 0, direct},
        {0xfc000000, 0x94000000, BR_TO(26), LINK, direct},
        {0x7e000000, 0x34000000, BR_TO(19), COND, direct},
        {0x7e000000, 0x36000000, BR_TO(14), COND, direct},
};

static const struct a64_row register_rows[] = {
        {0x3fe00410, 0x3a400000, OTHER, COND, NULL}, /* CCMN, CCMP: register and immediate */
        {0x3fe00800, 0x1a800000, OTHER, COND, NULL}, /* CSEL, CSINC, CSINV, CSNEG */
};

static const struct a64_row simd_fp_rows[] = {
        /* four registers and three with immediate: SHA3, SHA512, SM3, SM4 */
        {0xff000000, 0xce000000, OTHER, SIMD, NULL},
        /* scalar floating-point: conditional compare, conditional select, the rest */
        {0xff200c00, 0x1e200400, OTHER, FP | COND, NULL},
        {0xff200c00, 0x1e200c00, OTHER, FP | COND, NULL},
        {0x7e000000, 0x1e000000, OTHER, FP, NULL},
        /* Advanced SIMD, vector ([28] = 0) and scalar ([30,28] = 1): half precision first */
        {0x8f60c400, 0x0e400400, OTHER, SIMD | FP, NULL},
        {0x8f7e0c00, 0x0e780800, OTHER, SIMD | FP, NULL},
        /* FCMLA, FCADD, BFDOT, BFMMLA, BFMLAL and the 8-bit formats; the rest of their group */
        {0x8f20c400, 0x0e00c400, OTHER, SIMD | FP, NULL},
        {0x8f208400, 0x0e008400, OTHER, SIMD, NULL},
        /* three registers of the same type: the upper quarter of opcode [15:11] is FP */
        {0x8f20c400, 0x0e20c400, OTHER, SIMD | FP, NULL},
        {0x8f200400, 0x0e200400, OTHER, SIMD, NULL},
        /* two registers: URECPE and URSQRTE are estimates of integers */
        {0x8fbffc00, 0x0ea1c800, OTHER, SIMD, NULL},
        {0x8f3fcc00, 0x0e20c800, OTHER, SIMD | FP, NULL},
        {0x8f3fec00, 0x0e216800, OTHER, SIMD | FP, NULL},
        {0x8f3f8c00, 0x0e218800, OTHER, SIMD | FP, NULL},
        {0x8f3e0c00, 0x0e200800, OTHER, SIMD, NULL},
        /* scalar pairwise, all but ADDP; across lanes: FMAXNMV, FMINNMV; FMAXV, FMINV */
        {0x9f3ffc00, 0x1e31b800, OTHER, SIMD, NULL},
        {0x9f3e0c00, 0x1e300800, OTHER, SIMD | FP, NULL},
        {0x9f3ffc00, 0x0e30c800, OTHER, SIMD | FP, NULL},
        {0x9f3ffc00, 0x0e30f800, OTHER, SIMD | FP, NULL},
        {0x8f3e0c00, 0x0e300800, OTHER, SIMD, NULL},
        /* immediates: FMOV, for MOVI of a byte mask has another cmode; shifts: SCVTF and UCVTF,
         * FCVTZS and FCVTZU */
        {0x8ff8f400, 0x0f00f400, OTHER, SIMD | FP, NULL},
        {0x8ff80400, 0x0f000400, OTHER, SIMD, NULL},
        {0x8f80fc00, 0x0f00e400, OTHER, SIMD | FP, NULL},
        {0x8f80fc00, 0x0f00fc00, OTHER, SIMD | FP, NULL},
        {0x8f800400, 0x0f000400, OTHER, SIMD, NULL},
        {0x8f000400, 0x0f000000, OTHER, SIMD, indexed_element},
        {0x8e000000, 0x0e000000, OTHER, SIMD, NULL}, /* the rest; AES, SHA1 and SHA256, too */
};

#define TABLE(rows) ((struct a64_table){rows, sizeof(rows) / sizeof((rows)[0])})

static void classify_by(const struct a64_table table, struct spemu_op_kind *kind,
                        const struct a64_insn *insn)
{
	for (size_t i = 0; i < table.count; i++) {
		const struct a64_row *row = &table.rows[i];

		if ((insn->op & row->mask) != row->value)
			continue;
		kind->type = row->type;
		kind->ldst = row->ldst;
		kind->access_size = row->size;
		kind->flags = row->flags;
		if (row->refine)
			row->refine(kind, insn);
		return;
	}
}

void a64_classify(struct spemu_op_kind *kind, uint32_t opcode, unsigned sve_vector_bits)
{
	const struct a64_insn insn = {opcode, sve_vector_bits ? sve_vector_bits : 128};

	memset(kind, 0, sizeof(*kind));
	switch (field(opcode, 28, 25)) {
	case 0x0: /* reserved; SME */
		classify_by(opcode >> 31 ? a64__sme : TABLE(reserved_rows), kind, &insn);
		break;
	case 0x2:
		classify_by(a64__sve, kind, &insn);
		break;
	case 0xa:
	case 0xb:
		classify_by(TABLE(branch_rows), kind, &insn);
		break;
	case 0x4:
	case 0x6:
	case 0xc:
	case 0xe:
		classify_by(a64__loads_stores, kind, &insn);
		break;
	case 0x5:
	case 0xd:
		classify_by(TABLE(register_rows), kind, &insn);
		break;
	case 0x7:
	case 0xf:
		classify_by(TABLE(simd_fp_rows), kind, &insn);
		break;
	default: /* unallocated; data processing with an immediate: nothing to add */
		break;
	}
}
