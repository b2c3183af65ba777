/* SPDX-License-Identifier: MIT */
/* The rows of the encoding tables, which the files of this folder share. */
#ifndef A64_ROWS_H
#define A64_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <spemu/op.h>

/* The instruction that is being classified. */
struct a64_insn {
	uint32_t op;
	uint32_t vl; /* effective SVE vector length, bits */
};

/*
 * A row for all encodings with (op & mask) == value. The first matching row decides. *kind is set
 * from type, ldst, size and flags. If refine is not NULL, it adds facts from other fields of the
 * encoding. For some of these functions the size is a parameter, which they replace.
 */
struct a64_row {
	uint32_t mask;
	uint32_t value;
	uint8_t type;
	uint8_t ldst;
	uint16_t size;
	uint32_t flags;
	void (*refine)(struct spemu_op_kind *kind, const struct a64_insn *insn);
};

struct a64_table {
	const struct a64_row *rows;
	size_t count;
};

extern const struct a64_table a64__loads_stores; /* ldst.c */
extern const struct a64_table a64__sve;          /* sve.c */
extern const struct a64_table a64__sme;          /* sve.c */

static inline unsigned field(uint32_t op, unsigned hi, unsigned lo)
{
	return (op >> lo) & ((2u << (hi - lo)) - 1);
}

static inline unsigned bit(uint32_t op, unsigned n)
{
	return op >> n & 1;
}

/* Set the kind of an unallocated encoding in the row. */
static inline void unallocated(struct spemu_op_kind *kind)
{
	*kind = (struct spemu_op_kind){0};
}

/* Set the type to load or store; bit 22 is L in most load/store groups. */
static inline void load_if(struct spemu_op_kind *kind, unsigned load)
{
	kind->type = load ? SPEMU_OP_LOAD : SPEMU_OP_STORE;
}

#endif
