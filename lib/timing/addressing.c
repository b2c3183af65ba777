/* SPDX-License-Identifier: MIT */
/*
 * Addressing modes of A64 loads and stores, and the general registers that an instruction writes.
 *
 * Arm ARM:     DDI 0487 M.a, C4.1.94 (loads and stores), C1.3.3 (addressing modes)
 */
#include "a64.h"

#define BIT(x, n) (((x) >> (n)) & 1u)
#define FIELD(x, lsb, width) (((x) >> (lsb)) & ((1u << (width)) - 1u))
#define REG(n) (UINT32_C(1) << ((n)&31))
#define ALL_REGS UINT32_MAX

static int64_t sign_extend(uint32_t value, unsigned bits)
{
	return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

static bool pair_mode(struct a64_mode *m, uint32_t op)
{
	unsigned opc = FIELD(op, 30, 2), scale = BIT(op, 26) ? 2 + opc : 2 + (opc >> 1);

	if (opc == 3 || (!BIT(op, 26) && opc == 1 && !BIT(op, 22)))
		return false;      /* unallocated, or a store of tags */
	if (FIELD(op, 23, 2) != 1) /* not post-indexed */
		m->offset = sign_extend(FIELD(op, 15, 7), 7) * (1 << scale);
	return true;
}

static bool single_mode(struct a64_mode *m, uint32_t op)
{
	unsigned size = FIELD(op, 30, 2), opc = FIELD(op, 22, 2);
	unsigned scale = BIT(op, 26) && (opc & 2) ? 4 : size;

	bool atomic = !BIT(op, 24) && BIT(op, 21) && FIELD(op, 10, 2) == 0;

	if (size == 3 && opc == 2 && !atomic)
		return false; /* a prefetch, which is not a memory access here, or unallocated */
	if (BIT(op, 24)) {
		m->offset = (int64_t)FIELD(op, 10, 12) << scale;
		return true;
	}
	if (!BIT(op, 21)) {
		if (FIELD(op, 10, 2) != 1)
			m->offset = sign_extend(FIELD(op, 12, 9), 9);
		return true;
	}
	if (FIELD(op, 10, 2) == 2) {
		m->index = (uint8_t)FIELD(op, 16, 5);
		m->extend = (uint8_t)FIELD(op, 13, 3);
		m->shift = BIT(op, 12) ? (uint8_t)scale : 0;
		return m->extend & 2;
	}
	return FIELD(op, 10, 2) == 0 && !BIT(op, 26); /* atomics have only a base */
}

bool a64_mode(struct a64_mode *m, uint32_t op)
{
	*m = (struct a64_mode){.base = (uint8_t)FIELD(op, 5, 5), .index = 31};
	if ((op & 0x3b000000) == 0x18000000) {
		m->literal = true;
		m->offset = sign_extend(FIELD(op, 5, 19), 19) * 4;
		return FIELD(op, 30, 2) != 3; /* PRFM, or unallocated */
	}
	if ((op & 0x3a000000) == 0x28000000)
		return pair_mode(m, op);
	if ((op & 0x3a000000) == 0x38000000)
		return single_mode(m, op);
	if ((op & 0x3f200c00) == 0x19000000) { /* LDAPUR, STLUR */
		m->offset = sign_extend(FIELD(op, 12, 9), 9);
		return true;
	}
	/* A store exclusive may fail, and then makes no memory access */
	if ((op & 0x3f000000) == 0x08000000)
		return BIT(op, 22) || BIT(op, 23);
	return (op & 0xbe000000) == 0x0c000000; /* Advanced SIMD structures */
}

/* Return all general registers that a load or store may write. */
static uint32_t written_by_access(uint32_t op)
{
	uint32_t rt = REG(FIELD(op, 0, 5)) & ~REG(31), rn = REG(FIELD(op, 5, 5));
	uint32_t rt2 = REG(FIELD(op, 10, 5)) & ~REG(31);
	bool vector = BIT(op, 26);

	if ((op & 0x3b000000) == 0x18000000)
		return vector ? 0 : rt;
	if ((op & 0x3a000000) == 0x28000000)
		return (vector || !BIT(op, 22) ? 0 : rt | rt2) | (BIT(op, 23) ? rn : 0);
	if ((op & 0x3b000000) == 0x39000000)
		return vector || FIELD(op, 22, 2) == 0 ? 0 : rt;
	if ((op & 0x3b200000) == 0x38000000)
		return (vector || FIELD(op, 22, 2) == 0 ? 0 : rt) | (BIT(op, 10) ? rn : 0);
	if ((op & 0x3b200c00) == 0x38200800)
		return vector || FIELD(op, 22, 2) == 0 ? 0 : rt;
	if ((op & 0x3f200c00) == 0x19000000)
		return rt;
	if ((op & 0xfffffc00) == 0xf83fd000) /* LD64B writes eight registers */
		return rt * 0xff;
	return rt | rt2 | rn | REG(FIELD(op, 16, 5)) | REG(FIELD(op, 16, 5) + 1);
}

uint32_t a64_written(uint32_t op)
{
	switch (FIELD(op, 25, 4)) {
	case 4:
	case 6:
	case 12:
	case 14:
		return written_by_access(op);
	case 8:
	case 9: /* immediate */
	case 5:
	case 13: /* register; with flags set, 31 is the zero register, except for ORR */
		if (FIELD(op, 0, 5) == 31 && BIT(op, 29) && (op & 0x1f800000) != 0x12000000)
			return 0;
		return REG(FIELD(op, 0, 5));
	case 7:
	case 15: /* floating-point and SIMD: never the stack pointer */
		return REG(FIELD(op, 0, 5)) & ~REG(31);
	case 10:
	case 11: /* system; hints may write x16, x17 and x30 (pointer authentication) */
		return REG(FIELD(op, 0, 5)) | REG(16) | REG(17) | REG(30);
	default:
		return ALL_REGS; /* SVE, SME, reserved */
	}
}

static uint64_t extended(uint64_t value, const struct a64_mode *m)
{
	if (m->extend == 2)
		value = (uint32_t)value;
	else if (m->extend == 6)
		value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	return value << m->shift;
}

uint32_t a64_uses(const struct a64_mode *m)
{
	return m->literal ? 0 : REG(m->base) | (m->index == 31 ? 0 : REG(m->index));
}

uint64_t a64_address(const struct a64_mode *m, uint64_t pc, const uint64_t x[32])
{
	if (m->literal)
		return pc + (uint64_t)m->offset;
	return x[m->base] + (uint64_t)m->offset + (m->index == 31 ? 0 : extended(x[m->index], m));
}
