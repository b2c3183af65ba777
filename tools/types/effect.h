/* SPDX-License-Identifier: MIT */
/*
 * The effect of an A64 instruction on addresses: how general registers get their values, as far as
 * compilers compute addresses.
 *
 * Arm ARM: DDI 0487 M.a, C4.1 (encodings), C1.3.3 (addressing modes)
 */
#ifndef TOOLS_TYPES_EFFECT_H
#define TOOLS_TYPES_EFFECT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	REGISTER_SP = 31,
	REGISTER_ZERO = 32, /* reads as 0; writes are lost */
	REGISTERS = 33,
};

enum effect_kind {
	EFFECT_OTHER,        /* writes the registers of `written`, with unknown values */
	EFFECT_MOVE,         /* d = n */
	EFFECT_NUMBER,       /* d = value; TPIDR_EL1 and TPIDR_EL2 count as 0 */
	EFFECT_ADDRESS,      /* d = value, an address in the program */
	EFFECT_ADD,          /* d = n + value */
	EFFECT_ADD_REGISTER, /* d = n + (m << shift) */
	EFFECT_SUBTRACT,     /* d = n - (m << shift) */
	EFFECT_SHIFT,        /* d = n << shift; n may be extended or cut to fewer bits first */
	EFFECT_MULTIPLY,     /* d = a + n * m */
	EFFECT_SELECT,       /* d = n or m */
	EFFECT_THREAD,       /* d = TPIDR_EL0 */
	EFFECT_CURRENT,      /* d = SP_EL0, which Linux uses for the current task */
	EFFECT_LOAD,
	EFFECT_STORE,
	EFFECT_ATOMIC, /* reads and writes memory; `data` gets the value read */
	EFFECT_CALL,   /* target is known if direct */
	EFFECT_BRANCH,
	EFFECT_RETURN,
	EFFECT_TRAP, /* the code after it is reached only by branches */
};

struct effect {
	enum effect_kind kind;
	uint8_t d, n, m, a;
	uint8_t shift;
	bool narrow;      /* the instruction writes 32 bits */
	bool direct;      /* branch or call to `target` */
	bool conditional; /* branch that may go on to the next instruction */
	int64_t value;
	uint64_t target;
	uint32_t written; /* general registers that the instruction writes; SP is bit 31 */
	/* ---- memory accesses ---- */
	uint8_t base, index; /* index is REGISTER_ZERO if there is none */
	uint8_t index_shift;
	bool literal;   /* the address is `target` */
	bool pre, post; /* base += step, before or after the access */
	int64_t offset, step;
	uint16_t size;   /* bytes for each register */
	uint8_t count;   /* number of registers, 1 or 2; more for SIMD structures */
	uint8_t data[2]; /* general registers, or REGISTER_ZERO */
};

/* Return the instruction in four bytes. */
static inline uint32_t effect_opcode(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}
/* Describe the instruction at address pc. */
void effect_of(struct effect *effect, uint32_t opcode, uint64_t pc);

/* Return true if the instruction accesses memory. */
static inline bool effect_accesses(const struct effect *e)
{
	return e->kind == EFFECT_LOAD || e->kind == EFFECT_STORE || e->kind == EFFECT_ATOMIC;
}

#endif
