/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder of call sites; see call_site.h. */
#include "call_site.h"

#include "timing/a64.h"

#define SP 31u
#define FP 29u
#define FIELD(op, at, bits) ((op) >> (at) & ((1u << (bits)) - 1))

/* The known state of the stack pointer after some instructions of the block. */
struct known {
	struct call_site *site;
	uint32_t from_sp;   /* registers whose value was computed from the stack pointer */
	bool frame_written; /* x29 has changed since the entry */
	bool away;          /* the stack pointer was set from an unrelated value */
};

static int64_t sign_extend(uint32_t value, unsigned bits)
{
	uint32_t sign = 1u << (bits - 1);

	return (int64_t)(value ^ sign) - (int64_t)sign;
}

/* Set the stack pointer from register rn, plus `offset` if `exact`. */
static void set_from(struct known *k, unsigned rn, bool exact, int64_t offset)
{
	struct call_site *site = k->site;

	if (rn == SP) {
		site->exact = site->exact && exact;
		site->offset += offset;
	} else if (rn == FP && exact && !k->frame_written) {
		*site = (struct call_site){.exact = true, .frame = true, .offset = offset};
		k->away = false;
	} else {
		site->exact = false;
		k->away = !(k->from_sp >> rn & 1);
	}
}

/* Follow a load or store that writes its base, the stack pointer, back. */
static void write_back(struct known *k, uint32_t op)
{
	if ((op & 0x3a000000) == 0x28000000) {
		unsigned opc = FIELD(op, 30, 2), scale = 4;

		if (FIELD(op, 26, 1))
			scale = 4u << opc;
		else if (opc == 2)
			scale = 8;
		else if (opc == 1 && !FIELD(op, 22, 1)) /* STGP */
			scale = 16;
		k->site->offset += sign_extend(FIELD(op, 15, 7), 7) * (int64_t)scale;
	} else if ((op & 0x3b200400) == 0x38000400) {
		k->site->offset += sign_extend(FIELD(op, 12, 9), 9);
	} else {
		k->site->exact = false;
	}
}

static bool writes_back(uint32_t op)
{
	if (FIELD(op, 5, 5) != SP)
		return false;
	if ((op & 0x3a000000) == 0x28000000) /* post-indexed and pre-indexed pairs */
		return FIELD(op, 23, 1);
	if ((op & 0x3b200000) == 0x38000000)
		return FIELD(op, 10, 1);
	return (op & 0xbe800000) == 0x0c800000; /* Advanced SIMD structures */
}

/* Follow data processing whose register 31 is the stack pointer. */
static void process(struct known *k, uint32_t op)
{
	unsigned rd = FIELD(op, 0, 5), rn = FIELD(op, 5, 5);
	bool immediate = (op & 0x1f800000) == 0x11000000, flags = FIELD(op, 29, 1);
	int64_t value = (int64_t)FIELD(op, 10, 12) << (FIELD(op, 22, 1) ? 12 : 0);

	if (rd != SP)
		return;
	if (immediate && !flags)
		set_from(k, rn, true, FIELD(op, 30, 1) ? -value : value);
	else if ((op & 0x1fe00000) == 0x0b200000 && !flags) /* extended register */
		set_from(k, rn, false, 0);
	else if ((op & 0x1f800000) == 0x12000000 && FIELD(op, 29, 2) != 3) /* logical immediate */
		set_from(k, rn, false, 0);
	else if ((op & 0xbf800000) == 0x91800000 || (op & 0xffa0f800) == 0x04205000)
		k->site->exact = false; /* ADDG, SUBG; ADDVL, ADDPL */
}

/* Track registers that were computed from the stack pointer, and writes to x29. */
static void follow(struct known *k, uint32_t op)
{
	uint32_t written = a64_written(op) & ~(UINT32_C(1) << SP);
	uint32_t sources = UINT32_C(1) << FIELD(op, 5, 5) | UINT32_C(1) << FIELD(op, 16, 5);
	unsigned group = FIELD(op, 25, 4);
	bool arithmetic = (group & 6) == 0 && (group & 8); /* data processing, immediate */

	if ((group & 7) == 5) /* data processing, registers */
		arithmetic = true;
	else
		sources = UINT32_C(1) << FIELD(op, 5, 5);
	if (arithmetic && (sources & (k->from_sp | UINT32_C(1) << SP)))
		k->from_sp |= written;
	else
		k->from_sp &= ~written;
	k->frame_written = k->frame_written || (written >> FP & 1);
}

void call_site_find(struct call_site *site, const uint32_t *opcode, unsigned n)
{
	struct known known = {.site = site};
	struct spemu_op_kind last;

	*site = (struct call_site){.exact = true};
	for (unsigned i = 0; i < n; i++) {
		if (writes_back(opcode[i]))
			write_back(&known, opcode[i]);
		else
			process(&known, opcode[i]);
		follow(&known, opcode[i]);
	}
	a64_classify(&last, opcode[n - 1], 0);
	if (last.type == SPEMU_OP_BRANCH && (last.flags & SPEMU_OPF_LINK))
		site->kind = CALL_SITE_CALL;
	else if (last.type == SPEMU_OP_BRANCH && (last.flags & SPEMU_OPF_RETURN))
		site->kind = CALL_SITE_RETURN;
	if (known.away || (site->kind == CALL_SITE_RETURN && !site->exact))
		site->kind = CALL_SITE_LEAVE;
}
