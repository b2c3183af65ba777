/* SPDX-License-Identifier: MIT */
/*
 * Find the Governing predicate of an SVE or SVE2 instruction.
 *
 * Arm ARM: DDI 0487 M.a, B1.3.2 (Governing predicates), C4.1 "SVE encodings", in their order
 * Limits:  predicates that select elements without governing an operation (SEL of vectors, SPLICE,
 *          PNEXT) are not Governing predicates. The table lacks SVE2p2 and predicates as counters.
 */
#include "a64.h"
#include "rows.h"

/* The place of the predicate register's number: bits [12:10], [13:10], [19:16] or [8:5]. */
enum place { NOWHERE, LOW, PG, COPIED, SOURCE };

/* The size of an element: log2 of its bytes, or a rule that reads it from the encoding. */
enum element {
	BYTE = 0,
	WORD = 2,
	DOUBLE = 3,
	QUAD = 4,
	SIZE,      /* [23:22] */
	SHIFT,     /* the highest 1 of [23:22]:[9:8] */
	PRECISION, /* the wider of two floating-point formats: [23:22] */
	INTEGER,   /* the wider of an integer and a floating-point format: [23:22], [18:17] */
	LOGARITHM, /* FLOGB: [18:17] */
	LOAD,      /* dtype [24:21] */
	REPLICATE, /* dtype [24:23]:[14:13] */
	PIECE,     /* LD1RQ, LD1RO: msz [24:23] of 16 or 32 bytes */
	MEMORY,    /* msz [24:23] */
	PREFETCH,  /* msz [14:13] */
	STORE,     /* [22:21], at least msz [24:23]; otherwise QUAD */
	SCATTER,   /* WORD if [22] is 1 (or, from a vector plus immediate, if [22:21] is 3) */
};

struct row {
	uint32_t mask, value;
	uint8_t place, element;
};

/* The first matching row decides. */
static const struct row rows[] = {
        /* integer: shifts by an immediate; the rest */
        {0xff30e000, 0x04008000, LOW, SHIFT},
        {0xff200000, 0x04000000, LOW, SIZE},
        /* FCPY, CPY of an immediate; CPY of a SIMD&FP register; COMPACT; LASTA, LASTB; REV*, RBIT;
         * CLASTA, CLASTB; REVD; the same to and from general registers */
        {0xff308000, 0x05100000, COPIED, SIZE},
        {0xff30e000, 0x0510c000, COPIED, SIZE},
        {0xff3ee000, 0x05208000, LOW, SIZE},
        {0xff3ee000, 0x05228000, LOW, SIZE},
        {0xff3ce000, 0x05248000, LOW, SIZE},
        {0xff3ce000, 0x05288000, LOW, SIZE},
        {0xff3fe000, 0x052e8000, LOW, QUAD},
        {0xff3ee000, 0x0520a000, LOW, SIZE},
        {0xff3fe000, 0x0528a000, LOW, SIZE},
        {0xff3ee000, 0x0530a000, LOW, SIZE},
        /* comparisons of vectors, with unsigned and with signed immediates */
        {0xff000000, 0x24000000, LOW, SIZE},
        {0xff204000, 0x25000000, LOW, SIZE},
        /* predicates: logical operations; BRKA, BRKB, BRKN; BRKPA, BRKPB; PTEST; PFIRST; RDFFR;
         * CNTP */
        {0xff30c000, 0x25004000, PG, BYTE},
        {0xff37c210, 0x25104000, PG, BYTE},
        {0xff37c200, 0x25104000, PG, BYTE},
        {0xffbfc210, 0x25184000, PG, BYTE},
        {0xffb0c000, 0x2500c000, PG, BYTE},
        {0xffffc21f, 0x2550c000, PG, BYTE},
        {0xfffffe10, 0x2558c000, SOURCE, BYTE},
        {0xffbffe10, 0x2518f000, SOURCE, BYTE},
        {0xff3fc200, 0x25208000, PG, SIZE},
        /* SVE2 integer; MATCH and NMATCH; HISTCNT */
        {0xff20c000, 0x44008000, LOW, SIZE},
        {0xff20e000, 0x45208000, LOW, SIZE},
        {0xff20e000, 0x4520c000, LOW, SIZE},
        /* floating-point: FCMLA; FCADD; FCVT*NT, FCVTLT; pairwise; quadwords; FMLA and kin */
        {0xff208000, 0x64000000, LOW, SIZE},
        {0xff3ee000, 0x64008000, LOW, SIZE},
        {0xff3ce000, 0x6408a000, LOW, PRECISION},
        {0xff38e000, 0x64108000, LOW, SIZE},
        {0xff38e000, 0x6410a000, LOW, SIZE},
        {0xff200000, 0x65200000, LOW, SIZE},
        /* comparisons; FADDV and kin; comparisons with zero; FADDA; arithmetic, with immediates */
        {0xff204000, 0x65004000, LOW, SIZE},
        {0xff38e000, 0x65002000, LOW, SIZE},
        {0xff3ce000, 0x65102000, LOW, SIZE},
        {0xff38e000, 0x65182000, LOW, SIZE},
        {0xff30e000, 0x65008000, LOW, SIZE},
        {0xff38e000, 0x65188000, LOW, SIZE},
        /* conversions of precision; from integers; FLOGB; to integers; FRINT*, FRECPX, FSQRT */
        {0xff3ce000, 0x6508a000, LOW, PRECISION},
        {0xff38e000, 0x6510a000, LOW, INTEGER},
        {0xfff9e000, 0x6518a000, LOW, LOGARITHM},
        {0xff38e000, 0x6518a000, LOW, INTEGER},
        {0xff20e000, 0x6500a000, LOW, SIZE},

        /* 32-bit gather and unsized contiguous: LDR; PRF*; LD1R*; gather */
        {0xffc0e010, 0x85800000, NOWHERE, BYTE},
        {0xffc0e000, 0x85804000, NOWHERE, BYTE},
        {0xffc08010, 0x85c00000, LOW, PREFETCH},
        {0xffa08010, 0x84200000, LOW, WORD},
        {0xfe60e010, 0x8400c000, LOW, MEMORY},
        {0xfe408000, 0x84408000, LOW, REPLICATE},
        {0xfe000000, 0x84000000, LOW, WORD},
        /* contiguous loads: LD1RQ, LD1RO; of quadwords; LD1*, LDFF1*, LDNF1*; structures */
        {0xfe00e000, 0xa4000000, LOW, PIECE},
        {0xfe10e000, 0xa4002000, LOW, PIECE},
        {0xfe10e000, 0xa4102000, LOW, QUAD},
        {0xfe00e000, 0xa4008000, LOW, QUAD},
        {0xfe00c000, 0xa4004000, LOW, LOAD},
        {0xfe00e000, 0xa400a000, LOW, LOAD},
        {0xfe70e000, 0xa410e000, LOW, QUAD},
        {0xfe00c000, 0xa400c000, LOW, MEMORY},
        /* 64-bit gather: LD1Q; the rest, with PRF* */
        {0xffe0e000, 0xc400a000, LOW, QUAD},
        {0xfe000000, 0xc4000000, LOW, DOUBLE},
        /* stores: STR; quadwords; scatter; contiguous; structures; scatter */
        {0xffc0e010, 0xe5800000, NOWHERE, BYTE},
        {0xffc0e000, 0xe5804000, NOWHERE, BYTE},
        {0xff00e000, 0xe4000000, LOW, QUAD},
        {0xffe0e000, 0xe4202000, LOW, QUAD},
        {0xfe00e000, 0xe4002000, LOW, SCATTER},
        {0xfe00e000, 0xe4004000, LOW, STORE},
        {0xfe00e000, 0xe4006000, LOW, MEMORY},
        {0xfe10e000, 0xe400e000, LOW, STORE},
        {0xfe10e000, 0xe410e000, LOW, MEMORY},
        {0xfe008000, 0xe4008000, LOW, SCATTER},
};

static unsigned number(enum place place, uint32_t op)
{
	switch (place) {
	case LOW:
		return field(op, 12, 10);
	case PG:
		return field(op, 13, 10);
	case COPIED:
		return field(op, 19, 16);
	default:
		return field(op, 8, 5);
	}
}

/* Return the position of the highest 1, or 0. */
static unsigned highest(unsigned bits)
{
	unsigned n = 0;

	while (bits >>= 1)
		n++;
	return n;
}

/* Return log2 of the bytes of a load's element in its register. A dtype whose element would be
 * smaller than in memory stands for a load with sign extension, and is the complement of the
 * sizes. */
static unsigned of_dtype(unsigned dtype)
{
	unsigned memory = dtype >> 2, element = dtype & 3;

	return element < memory ? 3 - element : element;
}

static unsigned of_scatter(uint32_t op)
{
	unsigned word = field(op, 15, 13) == 5 ? field(op, 22, 21) == 3 : bit(op, 22);

	return word ? WORD : DOUBLE;
}

/* Return log2 of the bytes of an element. */
static unsigned element(enum element rule, uint32_t op)
{
	unsigned size = field(op, 23, 22);

	switch (rule) {
	case SIZE:
		return size;
	case SHIFT:
		return highest(size << 2 | field(op, 9, 8));
	case PRECISION:
		return size == 2 ? WORD : DOUBLE;
	case INTEGER:
		return size == 1 ? field(op, 18, 17) : size;
	case LOGARITHM:
		return field(op, 18, 17);
	case LOAD:
		return of_dtype(field(op, 24, 21));
	case REPLICATE:
		return of_dtype(field(op, 24, 23) << 2 | field(op, 14, 13));
	case PIECE:
	case MEMORY:
		return field(op, 24, 23);
	case PREFETCH:
		return field(op, 14, 13);
	case STORE:
		return field(op, 22, 21) < field(op, 24, 23) ? QUAD : field(op, 22, 21);
	case SCATTER:
		return of_scatter(op);
	default:
		return rule;
	}
}

bool a64_predicate(struct a64_predicate *predicate, uint32_t opcode)
{
	if (field(opcode, 28, 25) != 2)
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		if ((opcode & row->mask) != row->value)
			continue;
		if (row->place == NOWHERE)
			return false;
		predicate->number = (uint8_t)number((enum place)row->place, opcode);
		predicate->element = (uint8_t)element((enum element)row->element, opcode);
		predicate->bytes = row->element != PIECE ? 0 : bit(opcode, 21) ? 32 : 16;
		return true;
	}
	return false;
}
