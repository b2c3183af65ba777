/* SPDX-License-Identifier: MIT */
/*
 * Registers that an instruction reads and writes. They determine the operations that it waits for.
 *
 * Arm ARM:     DDI 0487 M.a, C4.1.92 (data processing, immediate), C4.1.95 (register), C4.1.94
 *              (loads and stores), C4.1.93 (branches), C4.1.96 (SIMD and floating-point)
 * Choices:     the destination of a SIMD operation is read if the operation is known to accumulate
 *              or insert.
 */
#include <string.h>
#include "a64.h"

#define BIT(x, n) (((x) >> (n)) & 1u)
#define FIELD(x, lsb, width) (((x) >> (lsb)) & ((1u << (width)) - 1u))
#define REG(n) (UINT32_C(1) << ((n)&31))
#define RD(op) REG(FIELD(op, 0, 5))
#define RN(op) REG(FIELD(op, 5, 5))
#define RA(op) REG(FIELD(op, 10, 5))
#define RM(op) REG(FIELD(op, 16, 5))
/* The registers without register 31, for instructions that use 31 as the zero register. */
#define NO_ZR(regs) ((regs) & ~REG(31))

static void immediate(struct a64_operands *o, uint32_t op)
{
	unsigned opc = FIELD(op, 29, 2);

	o->writes.x = NO_ZR(RD(op));
	switch (FIELD(op, 23, 3)) {
	case 0:
	case 1: /* ADR, ADRP */
		break;
	case 2: /* ADD, SUB: 31 is the stack pointer, except as a destination with flags */
	case 3: /* with tags */
		o->reads.x = RN(op);
		o->writes.x = opc & 1 ? NO_ZR(RD(op)) : RD(op);
		o->writes.nzcv = opc & 1;
		break;
	case 4: /* logical */
		o->reads.x = NO_ZR(RN(op));
		o->writes.x = opc == 3 ? NO_ZR(RD(op)) : RD(op);
		o->writes.nzcv = opc == 3;
		break;
	case 5: /* MOVN, MOVZ, MOVK */
		o->reads.x = opc == 3 ? NO_ZR(RD(op)) : 0;
		break;
	case 6: /* SBFM, BFM, UBFM */
		o->reads.x = NO_ZR(RN(op) | (opc == 1 ? RD(op) : 0));
		break;
	default: /* EXTR */
		o->reads.x = NO_ZR(RN(op) | RM(op));
	}
}

/* Add the operands of data processing (register) instructions with bit 28 set, by bits [28:21]. */
static void register_1(struct a64_operands *o, uint32_t op)
{
	o->writes.x = NO_ZR(RD(op));
	o->reads.x = NO_ZR(RN(op) | RM(op));
	if (BIT(op, 24)) { /* three sources */
		o->reads.x |= NO_ZR(RA(op));
		return;
	}
	switch (FIELD(op, 21, 3)) {
	case 0: /* ADC, SBC; RMIF, SETF8 and SETF16, which write only flags */
		o->reads.nzcv = true;
		o->writes.nzcv = BIT(op, 29);
		if (FIELD(op, 10, 6)) {
			o->reads.x = NO_ZR(RN(op));
			o->writes.x = 0;
		}
		break;
	case 2: /* CCMN, CCMP */
		o->reads.x = NO_ZR(RN(op) | (BIT(op, 11) ? 0 : RM(op)));
		o->reads.nzcv = o->writes.nzcv = true;
		o->writes.x = 0;
		break;
	case 4: /* CSEL, CSINC, CSINV, CSNEG */
		o->reads.nzcv = true;
		break;
	case 6:
		if (BIT(op, 30)) /* one source */
			o->reads.x = NO_ZR(RN(op));
		break;
	default:
		o->writes.x = o->reads.x = 0;
	}
}

static void registers(struct a64_operands *o, uint32_t op)
{
	if (BIT(op, 28)) {
		register_1(o, op);
		return;
	}
	o->writes.x = NO_ZR(RD(op));
	o->reads.x = NO_ZR(RN(op) | RM(op));
	if (!BIT(op, 24)) { /* logical */
		o->writes.nzcv = FIELD(op, 29, 2) == 3;
	} else {
		o->writes.nzcv = BIT(op, 29);
		if (BIT(op, 21)) { /* extended: 31 is the stack pointer */
			o->reads.x = RN(op) | NO_ZR(RM(op));
			o->writes.x = BIT(op, 29) ? NO_ZR(RD(op)) : RD(op);
		}
	}
}

static void branch(struct a64_operands *o, uint32_t op)
{
	if ((op & 0x7c000000) == 0x14000000) /* B, BL */
		o->writes.x = BIT(op, 31) ? REG(30) : 0;
	else if ((op & 0x7c000000) == 0x34000000) /* CBZ, CBNZ, TBZ, TBNZ */
		o->reads.x = NO_ZR(RD(op));
	else if ((op & 0xff000000) == 0x54000000)
		o->reads.nzcv = true;
	else if ((op & 0xfe000000) == 0xd6000000) {
		o->reads.x = NO_ZR(RN(op));
		o->writes.x = FIELD(op, 21, 2) == 1 ? REG(30) : 0; /* BLR */
	} else if ((op & 0xffd00000) == 0xd5100000) {              /* MSR, MRS */
		o->reads.x = BIT(op, 21) ? 0 : NO_ZR(RD(op));
		o->writes.x = BIT(op, 21) ? NO_ZR(RD(op)) : 0;
	}
}

/* Return the number of vector registers that LD1 to ST4 transfer, from Rt on. */
static uint32_t structure(uint32_t op)
{
	static const uint8_t of_multiple[16] = {
	        [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
	unsigned n =
	        BIT(op, 24) ? 1 + (BIT(op, 13) << 1 | BIT(op, 21)) : of_multiple[FIELD(op, 12, 4)];
	uint32_t regs = 0;

	for (unsigned i = 0; i < n; i++)
		regs |= REG(FIELD(op, 0, 5) + i);
	return regs;
}

static void access(struct a64_operands *o, uint32_t op)
{
	bool pair = (op & 0x3a000000) == 0x28000000, vector = BIT(op, 26);
	bool exclusive = (op & 0x3f000000) == 0x08000000, literal = (op & 0x3b000000) == 0x18000000;
	bool atomic = (op & 0x3b200c00) == 0x38200000;
	bool load = pair || exclusive || vector ? BIT(op, 22) : FIELD(op, 22, 2) != 0;
	struct a64_registers *data = load || literal ? &o->writes : &o->reads;
	struct a64_mode mode;

	if (a64_mode(&mode, op))
		o->address = a64_uses(&mode);
	else
		o->address = literal ? 0 : RN(op);
	o->reads.x |= o->address;
	if ((op & 0xbe000000) == 0x0c000000) {
		data->v |= structure(op);
		o->base = BIT(op, 23) ? RN(op) : 0;
		o->reads.x |= BIT(op, 23) ? NO_ZR(RM(op)) : 0;
	} else if (vector) {
		data->v |= RD(op) | (pair ? RA(op) : 0);
	} else if (atomic) {
		o->reads.x |= NO_ZR(RM(op));
		o->writes.x |= NO_ZR(RD(op));
	} else if (exclusive && !BIT(op, 21)) { /* STXR writes a status register */
		data->x |= NO_ZR(RD(op));
		o->writes.x |= BIT(op, 22) || BIT(op, 23) ? 0 : NO_ZR(RM(op));
	} else if (exclusive) { /* pairs, and compare and swap */
		data->x |= NO_ZR(RD(op) | (BIT(op, 23) ? 0 : RA(op)));
		o->writes.x |= BIT(op, 22) && !BIT(op, 23) ? 0 : NO_ZR(RM(op));
		o->reads.x |= BIT(op, 23) ? NO_ZR(RM(op) | RD(op)) : 0;
	} else {
		data->x |= NO_ZR(RD(op) | (pair ? RA(op) : 0));
	}
	if (pair ? BIT(op, 23) : (op & 0x3b200400) == 0x38000400)
		o->base = RN(op);
	o->writes.x |= o->base;
}

/* Add the operands of conversions and moves between general and vector registers. */
static void scalar_conversion(struct a64_operands *o, uint32_t op)
{
	unsigned opcode = FIELD(op, 16, 3);

	if (opcode == 2 || opcode == 3 || opcode == 7) {
		o->reads.x = NO_ZR(RN(op));
		o->writes.v = RD(op);
	} else {
		o->reads.v = RN(op);
		o->writes.x = NO_ZR(RD(op));
	}
}

static void scalar(struct a64_operands *o, uint32_t op)
{
	o->reads.v = RN(op) | RM(op);
	o->writes.v = RD(op);
	if (BIT(op, 24)) { /* FMADD, FMSUB, FNMADD, FNMSUB */
		o->reads.v |= RA(op);
	} else if (!BIT(op, 21)) { /* fixed point */
		o->reads.v = o->writes.v = 0;
		scalar_conversion(o, op);
	} else if (FIELD(op, 10, 2) == 1 || FIELD(op, 10, 2) == 3) { /* FCCMP, FCSEL */
		o->reads.nzcv = true;
		if (FIELD(op, 10, 2) == 1) {
			o->writes.nzcv = true;
			o->writes.v = 0;
		}
	} else if (FIELD(op, 10, 2) == 0) {
		if (FIELD(op, 10, 6) == 0) {
			o->reads.v = o->writes.v = 0;
			scalar_conversion(o, op);
		} else if (FIELD(op, 10, 4) == 8) { /* FCMP; with zero if bit 3 is set */
			o->reads.v = RN(op) | (BIT(op, 3) ? 0 : RM(op));
			o->writes.nzcv = true;
			o->writes.v = 0;
		} else if (FIELD(op, 10, 3) == 4) { /* FMOV of an immediate */
			o->reads.v = 0;
		} else { /* one source */
			o->reads.v = RN(op);
		}
	}
}

/* Return true if the result depends on the old value of Vd: MLA, FMLA, dot products, BSL and its
 * variants, inserts. */
static bool reads_destination(uint32_t op)
{
	bool same = (op & 0x9f200400) == 0x0e200400, dot = (op & 0x9f208400) == 0x0e008400;
	unsigned opcode = FIELD(op, 11, 5);

	if (dot)
		return opcode == 0x12 || opcode == 0x14 || opcode == 0x10 || opcode == 0x11;
	if (same)
		return opcode == 0x12 || opcode == 0x19 || opcode == 0x0f ||
		       (opcode == 3 && BIT(op, 29) && FIELD(op, 22, 2)) || opcode == 0x1d;
	return (op & 0x9f000400) == 0x0f000000; /* by element; counts as reading, although some
	                                           forms do not */
}

static void vector(struct a64_operands *o, uint32_t op)
{
	o->writes.v = RD(op);
	if ((op & 0x9fe08400) == 0x0e000400) { /* copies */
		unsigned to = FIELD(op, 11, 4);
		bool element = BIT(op, 29) || to == 0;

		o->reads.v =
		        (element || to & 4 ? RN(op) : 0) | (BIT(op, 29) || to == 3 ? RD(op) : 0);
		o->reads.x = element || to & 4 ? 0 : NO_ZR(RN(op));
		if (!element && to & 4) { /* SMOV, UMOV */
			o->writes.v = 0;
			o->writes.x = NO_ZR(RD(op));
		}
	} else if ((op & 0x9ff80400) == 0x0f000400) { /* immediate; ORR and BIC also read Vd */
		o->reads.v = FIELD(op, 12, 4) & 1 && FIELD(op, 12, 4) < 12 ? RD(op) : 0;
	} else if ((op & 0xff3e0c00) == 0x4e280800) { /* AES: two of the four instructions also
	                                                 read Vd */
		o->reads.v = RN(op) | (FIELD(op, 12, 5) < 6 ? RD(op) : 0);
	} else if ((op & 0x9f000400) == 0x0f000400 || (op & 0x9f3e0c00) == 0x0e200800 ||
	           (op & 0x9f3e0c00) == 0x0e300800) { /* shifts, two registers, across lanes */
		o->reads.v = RN(op);
	} else {
		o->reads.v = RN(op) | RM(op) | (reads_destination(op) ? RD(op) : 0);
	}
}

bool a64_operands(struct a64_operands *o, uint32_t op)
{
	memset(o, 0, sizeof(*o));
	switch (FIELD(op, 25, 4)) {
	case 8:
	case 9:
		immediate(o, op);
		return true;
	case 10:
	case 11:
		branch(o, op);
		return true;
	case 5:
	case 13:
		registers(o, op);
		return true;
	case 4:
	case 6:
	case 12:
	case 14:
		access(o, op);
		return true;
	case 7:
	case 15:
		if (BIT(op, 28) && !BIT(op, 30))
			((op & 0xdf000000) == 0x5e000000 || (op & 0xdf000000) == 0x5f000000
			         ? vector
			         : scalar)(o, op);
		else
			vector(o, op);
		return true;
	default:
		return false;
	}
}
