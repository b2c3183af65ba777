/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scope of a TLBI instruction; see tlbi.h. */
#include "tlbi.h"

/* CRm of TLBIs for EL1 and above. CRm 0 and 4, for stage 2, are not decoded. */
enum { RANGE_LOCAL = 6, LOCAL = 7, INNER = 3, INNER_RANGE = 2, OUTER = 1, OUTER_RANGE = 5 };

static bool is_range(unsigned crm)
{
	return crm == RANGE_LOCAL || crm == INNER_RANGE || crm == OUTER_RANGE;
}

static bool is_one(unsigned crm)
{
	return crm == LOCAL || crm == INNER || crm == OUTER;
}

/* Sign-extend the lowest n bits. */
static uint64_t sign_extended(uint64_t value, unsigned n)
{
	uint64_t sign = UINT64_C(1) << (n - 1);

	return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* Decode the operand of *VA*: VA[55:12]. */
static void one(struct tlbi_scope *s, uint64_t value)
{
	s->first = sign_extended(value << 12, 56);
	s->last = s->first | 0xfff;
	s->by_va = true;
}

/* Decode the operand of R*VA*: TG, SCALE, NUM and BaseADDR. BaseADDR is in pages, or in units of
 * 64KB with DS. */
static void range(struct tlbi_scope *s, uint64_t value, bool ds)
{
	unsigned tg = value >> 46 & 3, scale = value >> 44 & 3, num = value >> 39 & 31;
	unsigned page_log2 = 10 + 2 * tg, unit_log2 = ds ? 16 : page_log2;
	uint64_t size = (uint64_t)(num + 1) << (5 * scale + 1 + page_log2);

	if (tg == 0) /* reserved */
		return;
	s->first = sign_extended(value, 37) << unit_log2;
	s->last = s->first + size - 1;
	s->by_va = s->last >= s->first;
}

struct tlbi_scope tlbi_scope(unsigned op1, unsigned crm, unsigned op2, uint64_t value, bool ds)
{
	struct tlbi_scope s = {.broadcast = crm != LOCAL && crm != RANGE_LOCAL,
	                       .asid = (uint16_t)(value >> 48)};

	if ((op1 != 0 && op1 != 4) || (!is_one(crm) && !is_range(crm)))
		return s;
	if (op2 & 1) { /* with an address; bit 1 is set for all ASIDs */
		if (is_one(crm))
			one(&s, value);
		else
			range(&s, value, ds);
		s.by_asid = s.by_va && !(op2 & 2);
	} else {
		s.by_asid = op1 == 0 && is_one(crm) && op2 == 2;
	}
	return s;
}
