/* SPDX-License-Identifier: MIT */
/*
 * Routing: the PMBSR_ELx that records a Profiling Buffer management event.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8, Tables D17-5 to D17-7
 * Implements:  RHJXHT IJVQRY
 * Pseudocode:  ReportSPEEvent()
 */
#include "spu/spu_object.h"

/* Return true for the FSC of a Granule Protection Fault: 0b10001x, 0b1001xx, 0b101000. */
static bool fsc_is_gpf(unsigned fsc)
{
	return (fsc & 0x3e) == 0x22 || (fsc & 0x3c) == 0x24 || fsc == 0x28;
}

/* Return true for the FSC of a synchronous External abort: 0b010000, 0b01001x, 0b0101xx,
 * 0b011011. */
static bool fsc_is_external(unsigned fsc)
{
	return fsc == 0x10 || (fsc & 0x3e) == 0x12 || (fsc & 0x3c) == 0x14 || fsc == 0x1b;
}

enum { ROUTE_TO_EL1 = 1, ROUTE_TO_EL2 = 2, ROUTE_TO_EL3 = 3 };

#include "spu/route_clauses.h"

const struct decision spemu__spu_route_decision = DECISION(FOLD_FIRST, route_clauses);

unsigned spemu__route_target_el(const struct spemu_pe *pe, unsigned ec, unsigned fsc)
{
	struct clause_context c = {.pe = pe, .ec = ec, .fsc = fsc};

	return decide(&spemu__spu_route_decision, &c);
}
