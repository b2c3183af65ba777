/* SPDX-License-Identifier: MIT */
/* See effect.h. */
#include "effect.h"

#include "timing/a64.h"

#define BIT(op, n) (((op) >> (n)) & 1u)
#define FIELD(op, lsb, width) (((op) >> (lsb)) & ((1u << (width)) - 1u))

static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Return the register of a field; 31 is the zero register. */
static uint8_t zero_or(uint32_t op, unsigned lsb)
{
	uint8_t n = (uint8_t)FIELD(op, lsb, 5);

	return n == 31 ? REGISTER_ZERO : n;
}

/* Return the register of a field; 31 is the stack pointer. */
static uint8_t sp_or(uint32_t op, unsigned lsb)
{
	return (uint8_t)FIELD(op, lsb, 5);
}

static bool immediate(struct effect *e, uint32_t op, uint64_t pc)
{
	bool subtract = BIT(op, 30), flags = BIT(op, 29);
	int64_t page;

	e->narrow = !BIT(op, 31);
	if ((op & 0x1f000000) == 0x10000000) { /* ADR, ADRP */
		page = sign_extend(FIELD(op, 5, 19) << 2 | FIELD(op, 29, 2), 21);
		e->narrow = false;
		e->kind = EFFECT_ADDRESS;
		e->d = zero_or(op, 0);
		e->value = BIT(op, 31) ? (int64_t)((pc & ~UINT64_C(0xfff)) + ((uint64_t)page << 12))
		                       : (int64_t)(pc + (uint64_t)page);
		return true;
	}
	if ((op & 0x1f800000) == 0x11000000) { /* ADD, SUB (immediate) */
		e->kind = EFFECT_ADD;
		e->d = flags ? zero_or(op, 0) : sp_or(op, 0);
		e->n = sp_or(op, 5);
		e->value = (int64_t)FIELD(op, 10, 12) << (BIT(op, 22) ? 12 : 0);
		if (subtract)
			e->value = -e->value;
		return true;
	}
	if ((op & 0x5f800000) == 0x52800000) { /* MOVZ; MOVN below */
		e->kind = EFFECT_NUMBER;
		e->d = zero_or(op, 0);
		e->value = (int64_t)((uint64_t)FIELD(op, 5, 16) << (FIELD(op, 21, 2) * 16));
		return !BIT(op, 29); /* MOVK keeps the other bits */
	}
	if ((op & 0x7f800000) == 0x12800000) { /* MOVN */
		e->kind = EFFECT_NUMBER;
		e->d = zero_or(op, 0);
		e->value = ~(int64_t)((uint64_t)FIELD(op, 5, 16) << (FIELD(op, 21, 2) * 16));
		return true;
	}
	return false;
}

/* SBFM and UBFM: shifts to the left, and extensions. */
static bool bit_field(struct effect *e, uint32_t op)
{
	unsigned width = BIT(op, 31) ? 64 : 32, r = FIELD(op, 16, 6), s = FIELD(op, 10, 6);

	if ((op & 0x1f800000) != 0x13000000 || BIT(op, 29) || (s >= r && r))
		return false;
	e->kind = EFFECT_SHIFT;
	e->narrow = width == 32;
	e->d = zero_or(op, 0);
	e->n = zero_or(op, 5);
	e->shift = (uint8_t)(r ? width - r : 0);
	return true;
}

static bool of_registers(struct effect *e, uint32_t op)
{
	unsigned op31 = FIELD(op, 21, 3);

	e->narrow = !BIT(op, 31);
	e->d = zero_or(op, 0);
	e->n = zero_or(op, 5);
	e->m = zero_or(op, 16);
	if ((op & 0x7fe0ffe0) == 0x2a0003e0) { /* MOV */
		e->kind = EFFECT_MOVE;
		e->n = e->m;
		return true;
	}
	if ((op & 0x1f200000) == 0x0b000000) { /* ADD, SUB (shifted register) */
		e->kind = BIT(op, 30) ? EFFECT_SUBTRACT : EFFECT_ADD_REGISTER;
		e->shift = (uint8_t)FIELD(op, 10, 6);
		return FIELD(op, 22, 2) == 0;
	}
	if ((op & 0x1fe00000) == 0x0b200000) { /* ADD, SUB (extended register) */
		e->kind = BIT(op, 30) ? EFFECT_SUBTRACT : EFFECT_ADD_REGISTER;
		e->d = BIT(op, 29) ? zero_or(op, 0) : sp_or(op, 0);
		e->n = sp_or(op, 5);
		e->shift = (uint8_t)FIELD(op, 10, 3);
		return true;
	}
	if ((op & 0x7fe00c00) == 0x1a800000) { /* CSEL */
		e->kind = EFFECT_SELECT;
		return true;
	}
	if ((op & 0x7f000000) == 0x1b000000 && (op31 == 0 || (op31 & 3) == 1)) { /* MADD ... */
		e->kind = EFFECT_MULTIPLY;
		e->a = zero_or(op, 10);
		return !BIT(op, 15);
	}
	return false;
}

static bool branch(struct effect *e, const struct spemu_op_kind *kind, uint32_t op, uint64_t pc)
{
	if (kind->type != SPEMU_OP_BRANCH)
		return false;
	e->kind = kind->flags & SPEMU_OPF_LINK     ? EFFECT_CALL
	          : kind->flags & SPEMU_OPF_RETURN ? EFFECT_RETURN
	                                           : EFFECT_BRANCH;
	e->direct = !(kind->flags & SPEMU_OPF_INDIRECT);
	e->conditional = kind->flags & SPEMU_OPF_CONDITIONAL;
	e->target = pc + (uint64_t)(int64_t)kind->branch_offset;
	e->n = zero_or(op, 5);
	return true;
}

/* Set how a load or store changes its base register. */
static void write_back(struct effect *e, uint32_t op)
{
	if ((op & 0x3a000000) == 0x28000000) { /* pairs */
		unsigned opc = FIELD(op, 30, 2), scale = BIT(op, 26) ? 2 + opc : 2 + (opc >> 1);

		e->post = FIELD(op, 23, 2) == 1;
		e->pre = FIELD(op, 23, 2) == 3;
		e->step = sign_extend(FIELD(op, 15, 7), 7) * (1 << scale);
	} else if ((op & 0x3b200000) == 0x38000000) { /* single registers */
		e->post = FIELD(op, 10, 2) == 1;
		e->pre = FIELD(op, 10, 2) == 3;
		e->step = sign_extend(FIELD(op, 12, 9), 9);
	} else if ((op & 0xbe800000) == 0x0c800000) { /* SIMD structures */
		e->post = FIELD(op, 16, 5) == 31;
		e->step = (int64_t)e->size * e->count;
	}
}

/* Set the registers that a load or store reads or writes as data. */
static void data_registers(struct effect *e, uint32_t op)
{
	e->data[0] = e->data[1] = REGISTER_ZERO;
	if (BIT(op, 26))
		return;                        /* SIMD&FP registers */
	if ((op & 0x3f000000) == 0x08000000) { /* exclusives, ordered, CAS */
		e->data[0] = e->kind == EFFECT_ATOMIC ? zero_or(op, 16) : zero_or(op, 0);
		if (BIT(op, 21) && !BIT(op, 23))
			e->data[1] = zero_or(op, 10);
		return;
	}
	e->data[0] = zero_or(op, 0);
	if ((op & 0x3a000000) == 0x28000000)
		e->data[1] = zero_or(op, 10);
}

static bool memory(struct effect *e, const struct spemu_op_kind *kind, uint32_t op, uint64_t pc)
{
	struct a64_mode mode = {.base = (uint8_t)FIELD(op, 5, 5), .index = 31};

	if (kind->type != SPEMU_OP_LOAD && kind->type != SPEMU_OP_STORE &&
	    kind->type != SPEMU_OP_LOAD_ATOMIC)
		return false;
	if (!kind->access_size || kind->ldst == SPEMU_LDST_SVESME ||
	    kind->ldst == SPEMU_LDST_TAGS || kind->ldst == SPEMU_LDST_MEMCOPY ||
	    kind->ldst == SPEMU_LDST_MEMSET || kind->ldst == SPEMU_LDST_GCS)
		return false;
	/* Store-Exclusives have only a base. */
	if (!a64_mode(&mode, op) && (op & 0x3f800000) != 0x08000000)
		return false;
	e->kind = kind->type == SPEMU_OP_LOAD    ? EFFECT_LOAD
	          : kind->type == SPEMU_OP_STORE ? EFFECT_STORE
	                                         : EFFECT_ATOMIC;
	e->narrow = false;
	e->count = kind->flags & SPEMU_OPF_PAIR ? 2 : 1;
	e->size = kind->access_size / e->count;
	e->base = mode.base;
	e->index = mode.index == 31 ? REGISTER_ZERO : mode.index;
	e->index_shift = mode.shift;
	e->offset = mode.offset;
	e->literal = mode.literal;
	e->target = pc + (uint64_t)mode.offset;
	data_registers(e, op);
	write_back(e, op);
	if (e->pre)
		e->offset = 0; /* the base is changed first */
	return true;
}

/*
 * MRS of the registers from which addresses are computed. Linux keeps the offset of the CPU's own
 * data in TPIDR_EL1, or in TPIDR_EL2 at EL2. The sum of this offset and the address of a variable
 * is the address of this CPU's copy of the variable, so the offset counts as 0.
 */
static bool system_register(struct effect *e, uint32_t op)
{
	switch (op & 0xffffffe0) {
	case 0xd53bd040: /* TPIDR_EL0 */
		e->kind = EFFECT_THREAD;
		break;
	case 0xd5384100: /* SP_EL0 */
		e->kind = EFFECT_CURRENT;
		break;
	case 0xd538d080: /* TPIDR_EL1 */
	case 0xd53cd040: /* TPIDR_EL2 */
		e->kind = EFFECT_NUMBER;
		break;
	default:
		return false;
	}
	e->d = zero_or(op, 0);
	return true;
}

/* Return true for PRFM (immediate, register and literal) and PRFUM, which write no register. */
static bool is_prefetch(uint32_t op)
{
	return (op & 0xffc00000) == 0xf9800000 || (op & 0xffe00c00) == 0xf8800000 ||
	       (op & 0xffe00c00) == 0xf8a00800 || (op & 0xff000000) == 0xd8000000;
}

/* Return true for UDF and for BRK with the numbers of __builtin_trap() in LLVM and GCC. Linux uses
 * other numbers for warnings. */
static bool is_trap(uint32_t op)
{
	return op >> 16 == 0 || op == 0xd4200020 || op == 0xd4207d00;
}

void effect_of(struct effect *e, uint32_t op, uint64_t pc)
{
	struct spemu_op_kind kind;
	struct a64_operands operands;
	uint32_t group = FIELD(op, 25, 4);
	bool known;

	*e = (struct effect){
	        .d = REGISTER_ZERO, .n = REGISTER_ZERO, .m = REGISTER_ZERO, .a = REGISTER_ZERO};
	e->written = a64_operands(&operands, op) ? operands.writes.x : a64_written(op);
	if (system_register(e, op))
		return;
	a64_classify(&kind, op, 0);
	if (is_prefetch(op))
		e->written = 0;
	known = branch(e, &kind, op, pc) || memory(e, &kind, op, pc);
	if (!known && (group == 8 || group == 9))
		known = immediate(e, op, pc) || bit_field(e, op);
	else if (!known && (group == 5 || group == 13))
		known = of_registers(e, op);
	if (!known)
		e->kind = is_trap(op) ? EFFECT_TRAP : EFFECT_OTHER;
}
