/* SPDX-License-Identifier: MIT */
/*
 * SVE, SVE2 and a part of SME.
 *
 * Arm ARM:     DDI 0487 M.a, C4.1 "SVE encodings", "SME encodings", in their order
 * Implements:  DDSNMB (D17.5.1), DWRNLK IXYGNN RBHKSC (D17.6.6), D18.2.7 Limits: access_size and
 *              vector_bits assume that every element is active and every vector is used in full (an
 *              upper bound, as the rules permit). SME2 multi-vector operations have no FP flag, and
 *              those on ZA count one vector.
 */
#include "rows.h"

static unsigned vl_bytes(const struct a64_insn *insn)
{
	return insn->vl / 8;
}

static void vector_length(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	kind->vector_bits = insn->vl;
}

/*
 * Refine LDR and STR of a whole vector or predicate. A predicate has a bit for each byte of a
 * vector, and an effective length of eight times its own (DWRNLK). The size of the row is log2 of
 * the number of times that the operand fits into a vector.
 */
static void whole(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	kind->vector_bits = insn->vl;
	kind->access_size = (uint16_t)(vl_bytes(insn) >> kind->access_size);
}

/* Decode the dtype field: log2 of the bytes of the memory element and the register element.
 * Pairs that are impossible for zero-extending loads mean sign-extending ones, and mirror the
 * others. */
static void dtype_sizes(unsigned dtype, unsigned *memory, unsigned *element)
{
	*memory = dtype >> 2;
	*element = dtype & 3;
	if (*element < *memory) {
		*memory = 3 - *memory;
		*element = 3 - *element;
	}
}

static void contiguous_load(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned memory, element;

	dtype_sizes(field(insn->op, 24, 21), &memory, &element);
	kind->vector_bits = insn->vl;
	kind->access_size = (uint16_t)((vl_bytes(insn) >> element) << memory);
}

/* Set the size from msz [24:23], the size of a memory element. The size of the row is log2 of
 * the bytes of a register element. */
static void by_msz(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	kind->vector_bits = insn->vl;
	kind->access_size =
	        (uint16_t)((vl_bytes(insn) >> kind->access_size) << field(insn->op, 24, 23));
}

static void contiguous_store(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned memory = field(insn->op, 24, 23), element = field(insn->op, 22, 21);

	if (element < memory)
		element = 4; /* ST1W, ST1D from 128-bit elements (FEAT_SVE2p1) */
	kind->vector_bits = insn->vl;
	kind->access_size = (uint16_t)((vl_bytes(insn) >> element) << memory);
}

/* Refine LD1RQ* and LD1RO*: one 128-bit or 256-bit block. */
static void replicate_piece(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	kind->vector_bits = insn->vl;
	kind->access_size = bit(insn->op, 21) ? 32 : 16;
}

/* Refine LD1R*: one element; dtype is split into two fields. */
static void replicate_element(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned memory, element;

	dtype_sizes(field(insn->op, 24, 23) << 2 | field(insn->op, 14, 13), &memory, &element);
	kind->vector_bits = insn->vl;
	kind->access_size = (uint16_t)(1u << memory);
}

static void several_vectors(struct spemu_op_kind *kind, const struct a64_insn *insn, unsigned count)
{
	kind->vector_bits = insn->vl;
	kind->flags |= SPEMU_OPF_VECTORS(count);
	kind->access_size = (uint16_t)(count * vl_bytes(insn));
}

/* Refine LDNT1*, LD2* to LD4*, STNT1*, ST2* to ST4*. A field has the number of vectors minus
 * one. The size of the row is the lowest bit of this field. */
static void structures(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned lsb = kind->access_size;

	several_vectors(kind, insn, field(insn->op, lsb + 1, lsb) + 1);
}

/* Refine SVE2.1 and SME2 loads and stores of two or four consecutive or strided vectors. */
static void multi_vector(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	several_vectors(kind, insn, bit(insn->op, 15) ? 4 : 2);
}

/* Set the size of scattered elements: words if [22] is 1 (in the vector plus immediate form if
 * [22:21] is 3). */
static void scatter(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	unsigned words = bit(insn->op, 22);

	if (field(insn->op, 15, 13) == 5)
		words = field(insn->op, 22, 21) == 3;
	kind->vector_bits = insn->vl;
	kind->access_size =
	        (uint16_t)((vl_bytes(insn) >> (words ? 2 : 3)) << field(insn->op, 24, 23));
}

/* Set the size of a ZA tile. With elements of 1 << log2_bytes bytes, it has VL / element size
 * rows and columns. */
static void tile(struct spemu_op_kind *kind, const struct a64_insn *insn, unsigned log2_bytes)
{
	unsigned side = vl_bytes(insn) >> log2_bytes;

	kind->vector_bits = side * side * (8u << log2_bytes);
}

static void tile_half(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	tile(kind, insn, 1);
}

/* Refine outer products and ADDHA, ADDVA: doublewords if [22] is 1. */
static void tile_word_or_double(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	tile(kind, insn, bit(insn->op, 22) ? 3 : 2);
}

/* Refine ZERO { mask }: eight 64-bit tiles make up ZA, which has VL / 8 rows of VL bits. */
static void whole_array(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	kind->vector_bits = vl_bytes(insn) * insn->vl;
	kind->flags |= SPEMU_OPF_WHOLE_ZA; /* for every mask (D18.2.7, ETS) */
}

/* Refine SME2 operations on groups of vectors. Groups of four have bit 11 set if bits [15:13]
 * are 0b101. Other groups count as two. */
static void vector_group(struct spemu_op_kind *kind, const struct a64_insn *insn)
{
	kind->vector_bits = insn->vl;
	kind->flags |= SPEMU_OPF_VECTORS(field(insn->op, 15, 13) == 5 && bit(insn->op, 11) ? 4 : 2);
}

#define LD SPEMU_OP_LOAD
#define ST SPEMU_OP_STORE
#define SVE SPEMU_OP_OTHER_SVE
#define SME SPEMU_OP_OTHER_SME
#define LS SPEMU_LDST_SVESME
#define SIMD SPEMU_OPF_SIMD
#define PRED (SPEMU_OPF_SIMD | SPEMU_OPF_PREDICATED)
#define GS (PRED | SPEMU_OPF_GATHER_SCATTER)
#define FP (SPEMU_OPF_SIMD | SPEMU_OPF_FP)
#define ZA SPEMU_OPF_SME
#define FPPRED (FP | SPEMU_OPF_PREDICATED)
#define OTHER SPEMU_OP_OTHER, 0, 0, 0, NULL
#define PREFETCH SVE, 0, 0, SPEMU_OPF_PREFETCH, vector_length

/*
 * PRED is set for a vector destination with a Governing predicate that merges or zeroes (D18.2.7).
 * Reductions to a scalar and comparisons to a predicate do not have it.
 */
static const struct a64_row sve_rows[] = {
        /* SVE integer, predicated by [21] = 0: MOVPRFX, reductions, the rest */
        {0xff3ee000, 0x04102000, SVE, 0, 0, PRED, vector_length},
        {0xff20e000, 0x04002000, SVE, 0, 0, SIMD, vector_length},
        {0xff3ee000, 0x041ca000, SVE, 0, 0, FPPRED, vector_length}, /* FABS, FNEG */
        {0xff200000, 0x04000000, SVE, 0, 0, PRED, vector_length},
        /* not SIMD: ADDVL, ADDPL, RDVL and their streaming forms; CNTB to INCP of scalars */
        {0xff20f000, 0x04205000, OTHER},
        {0xff20e000, 0x0420e000, OTHER},
        {0xff20fc00, 0x0420b000, SVE, 0, 0, FP, vector_length}, /* FTSSEL */
        {0xff3ffc00, 0x0420b800, SVE, 0, 0, FP, vector_length}, /* FEXPA */
        {0xff000000, 0x04000000, SVE, 0, 0, SIMD, vector_length},
        /* SVE immediate and permute: FCPY, CPY; CPY of a SIMD&FP register, REV*, RBIT, REVD; CPY.
         * The predicate of COMPACT and SPLICE selects elements: it neither merges nor zeroes
         * (DWRNLK). */
        {0xff30e000, 0x0510c000, SVE, 0, 0, FPPRED, vector_length},
        {0xff308000, 0x05100000, SVE, 0, 0, PRED, vector_length},
        {0xff3fe000, 0x05208000, SVE, 0, 0, PRED, vector_length},
        {0xff3ce000, 0x05248000, SVE, 0, 0, PRED, vector_length},
        {0xff3fe000, 0x052e8000, SVE, 0, 0, PRED, vector_length},
        {0xff3fe000, 0x0528a000, SVE, 0, 0, PRED, vector_length},
        {0xff000000, 0x05000000, SVE, 0, 0, SIMD, vector_length},
        /* SVE comparisons and predicates; CTERM is not SIMD; FDUP */
        {0xffa0fc0f, 0x25a02000, OTHER},
        {0xff3fe000, 0x2539c000, SVE, 0, 0, FP, vector_length},
        {0xfe000000, 0x24000000, SVE, 0, 0, SIMD, vector_length},
        /* SVE2 integer: predicated ones, HISTCNT */
        {0xff20c000, 0x44008000, SVE, 0, 0, PRED, vector_length},
        {0xff20e000, 0x4520c000, SVE, 0, 0, PRED, vector_length},
        {0xfe000000, 0x44000000, SVE, 0, 0, SIMD, vector_length},
        /* SVE floating-point: FCMLA; FCADD; FCVT*NT; pairwise; FMLA and kin; arithmetic; unary */
        {0xff208000, 0x64000000, SVE, 0, 0, FPPRED, vector_length},
        {0xff3ee000, 0x64008000, SVE, 0, 0, FPPRED, vector_length},
        {0xff3ce000, 0x6408a000, SVE, 0, 0, FPPRED, vector_length},
        {0xff38e000, 0x64108000, SVE, 0, 0, FPPRED, vector_length},
        {0xff200000, 0x65200000, SVE, 0, 0, FPPRED, vector_length},
        {0xff38e000, 0x65108000, SVE, 0, 0, FP, vector_length}, /* FTMAD */
        {0xff20c000, 0x65008000, SVE, 0, 0, FPPRED, vector_length},
        {0xfe000000, 0x64000000, SVE, 0, 0, FP, vector_length},

        /* 32-bit gather and unsized contiguous: LDR; PRF* (RBHKSC); LD1R*; gather */
        {0xffc0e010, 0x85800000, LD, LS, 3, SIMD, whole},
        {0xffc0e000, 0x85804000, LD, LS, 0, SIMD, whole},
        {0xffc08010, 0x85c00000, PREFETCH},
        {0xffa08010, 0x84200000, PREFETCH},
        {0xfe60c010, 0x8400c000, PREFETCH},
        {0xfe408000, 0x84408000, LD, LS, 0, PRED, replicate_element},
        {0xfe000000, 0x84000000, LD, LS, 2, GS, by_msz},
        /* contiguous loads: LD1RQ, LD1RO; LD1*, LDFF1*, LDNF1*; structures */
        {0xfe00e000, 0xa4000000, LD, LS, 0, PRED, replicate_piece},
        {0xfe10e000, 0xa4002000, LD, LS, 0, PRED, replicate_piece},
        {0xfe10e000, 0xa4102000, LD, LS, 4, PRED, by_msz},
        {0xfe20e000, 0xa4008000, LD, LS, 4, PRED, by_msz},
        {0xfe20e000, 0xa4208000, LD, LS, 23, PRED, structures},
        {0xfe00c000, 0xa4004000, LD, LS, 0, PRED, contiguous_load},
        {0xfe00e000, 0xa400a000, LD, LS, 0, PRED, contiguous_load},
        {0xfe70e000, 0xa410e000, LD, LS, 23, PRED, structures},
        {0xfe00c000, 0xa400c000, LD, LS, 21, PRED, structures},
        /* 64-bit gather: PRF*, LD1Q, the rest */
        {0xffa08010, 0xc4200000, PREFETCH},
        {0xffe08010, 0xc4608000, PREFETCH},
        {0xfe60e010, 0xc400e000, PREFETCH},
        {0xffe0e000, 0xc400a000, LD, LS, 0, GS, whole},
        {0xfe000000, 0xc4000000, LD, LS, 3, GS, by_msz},
        /* stores: STR; quad structures; ST1Q, STNT1 scatter; contiguous; structures; scatter */
        {0xffc0e010, 0xe5800000, ST, LS, 3, SIMD, whole},
        {0xffc0e000, 0xe5804000, ST, LS, 0, SIMD, whole},
        {0xff00e000, 0xe4000000, ST, LS, 22, PRED, structures},
        {0xffe0e000, 0xe4202000, ST, LS, 0, GS, whole},
        {0xfe00e000, 0xe4002000, ST, LS, 0, GS, scatter},
        {0xfe00e000, 0xe4004000, ST, LS, 0, PRED, contiguous_store},
        {0xfe00e000, 0xe4006000, ST, LS, 21, PRED, structures},
        {0xfe10e000, 0xe400e000, ST, LS, 0, PRED, contiguous_store},
        {0xfe10e000, 0xe410e000, ST, LS, 21, PRED, structures},
        {0xfe008000, 0xe4008000, ST, LS, 0, GS, scatter},
};

static const struct a64_row sme_rows[] = {
        /* outer products: BMOPA, into half-precision tiles, FP, integer */
        {0xffe0001c, 0x80800008, SME, 0, 0, SIMD, tile_word_or_double},
        {0xfe80001c, 0x80800008, SME, 0, 0, FP, tile_half},
        {0xfe800000, 0x80800000, SME, 0, 0, FP, tile_word_or_double},
        {0xfe800000, 0xa0800000, SME, 0, 0, SIMD, tile_word_or_double},
        /* loads and stores of several vectors (FEAT_SVE2p1, FEAT_SME2) */
        {0xfea00000, 0xa0000000, LD, LS, 0, PRED, multi_vector},
        {0xfea00000, 0xa0200000, ST, LS, 0, PRED, multi_vector},
        /* ZERO of tiles; LUTI*; ADDHA, ADDVA; MOVA and the rest of the group */
        {0xffffff00, 0xc0080000, SME, 0, 0, SIMD, whole_array},
        {0xffa80000, 0xc0880000, SVE, 0, 0, SIMD | SPEMU_OPF_ZT, vector_length},
        {0xffb80000, 0xc0900000, SME, 0, 0, PRED, tile_word_or_double},
        {0xff000000, 0xc0000000, SME, 0, 0, SIMD, vector_length},
        /* SME2 multi-vector: on vectors alone, on ZA */
        {0xff208000, 0xc1208000, SVE, 0, 0, SIMD, vector_group},
        {0xff000000, 0xc1000000, SME, 0, 0, SIMD, vector_length},
        /* loads and stores: ZT0, ZA array vectors, tile slices */
        {0xfffffc1f, 0xe11f8000, LD, LS, 64, SIMD, vector_length},
        {0xfffffc1f, 0xe13f8000, ST, LS, 64, SIMD, vector_length},
        {0xffff9c10, 0xe1000000, LD, LS, 0, SIMD | ZA, whole},
        {0xffff9c10, 0xe1200000, ST, LS, 0, SIMD | ZA, whole},
        {0xff200010, 0xe0000000, LD, LS, 0, PRED | ZA, whole},
        {0xff200010, 0xe0200000, ST, LS, 0, PRED | ZA, whole},
        {0xffe00010, 0xe1c00000, LD, LS, 0, PRED | ZA, whole},
        {0xffe00010, 0xe1e00000, ST, LS, 0, PRED | ZA, whole},
};

const struct a64_table a64__sve = {sve_rows, sizeof(sve_rows) / sizeof(sve_rows[0])};
const struct a64_table a64__sme = {sme_rows, sizeof(sme_rows) / sizeof(sme_rows[0])};
