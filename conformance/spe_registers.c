/* SPDX-License-Identifier: MIT */
/*
 * The registers of SPE, and the conditions under which they and their fields exist.
 *
 * Arm ARM: DDI 0487 M.a, D24.7; D24.2 (HDFGRTR_EL2), D24.3 (MDCR_EL3), D24.2.40 (ESR_ELx: ISS of
 * MSR and MRS).
 */
#include "spe.h"

/* Registers in the order of SPE_REGISTERS. */
const struct spe_register spe_registers[SPE_REGISTER_COUNT] = {
        {"PMSCR_EL1", 0, 9, 0, SAMPLING, 26, false, 0, 0},
        {"PMSNEVFR_EL1", 0, 9, 1, SAMPLING, 62, false, ENPMSN, BIT(6)},
        {"PMSICR_EL1", 0, 9, 2, SAMPLING, 29, false, 0, 0},
        {"PMSIRR_EL1", 0, 9, 3, SAMPLING, 31, false, 0, 0},
        {"PMSFCR_EL1", 0, 9, 4, SAMPLING, 28, false, 0, 0},
        {"PMSEVFR_EL1", 0, 9, 5, SAMPLING, 27, false, 0, 0},
        {"PMSLATFR_EL1", 0, 9, 6, SAMPLING, 32, false, 0, 0},
        {"PMSIDR_EL1", 0, 9, 7, SAMPLING, 30, true, 0, 0},
        {"PMBLIMITR_EL1", 0, 10, 0, BUFFER, 23, false, 0, 0},
        {"PMBPTR_EL1", 0, 10, 1, BUFFER, 24, false, 0, 0},
        {"PMBSR_EL1", 0, 10, 3, BUFFER, 25, false, 0, 0},
        {"PMSDSFR_EL1", 0, 10, 4, SAMPLING, 0, false, ENPMS3, BIT(7)},
        {"PMBMAR_EL1", 0, 10, 5, BUFFER, 0, false, ENPMS4, BIT(6) | BIT(7)},
        {"PMBIDR_EL1", 0, 10, 7, BUFFER_ID, 63, true, 0, 0},
        {"PMSCR_EL2", 4, 9, 0, OF_EL2, 0, false, 0, 0},
        {"PMSCR_EL12", 5, 9, 0, OF_EL12, 0, false, 0, 0},
};

bool register_implemented(const struct spe_register *reg, const struct spe_ids *ids)
{
	if (!reg->idr)
		return ids->pmsver >= 1 && (reg->group != OF_EL12 || ids->has_vhe);
	return (reg->group == SAMPLING ? ids->pmsidr : ids->pmbidr) & reg->idr;
}

u64 register_syndrome(const struct spe_register *reg, bool write)
{
	return 3 << 20 | (u64)reg->op2 << 17 | (u64)reg->op1 << 14 | 9 << 10 | 3 << 5 |
	       (u64)reg->crm << 1 | !write;
}

void register_fields(unsigned index, const struct spe_ids *ids, u64 *ones, u64 *may)
{
	u64 idr = ids->pmsidr;
	u64 filters = (idr & BIT(6) ? BIT(3) : 0) | (idr & BIT(7) ? BIT(4) : 0) |
	              (idr & BIT(26) ? UINT64_C(0x1f) << 48 | BIT(19) | BIT(20) : 0);

	*may = 0;
	switch (index) {
	case R_PMSCR_EL1:
	case R_PMSCR_EL2:
	case R_PMSCR_EL12:                          /* EnVM, KE and EE depend on other features */
		*ones = ids->has_ecv ? 0xfb : 0x7b; /* PCT[1] */
		*may = 0xf00;
		break;
	case R_PMSNEVFR_EL1:
		*ones = idr & BIT(6) ? 0xaa : 0;
		*may = ~UINT64_C(0);
		break;
	case R_PMSICR_EL1:
		*ones = 0xffffffff | (idr & BIT(5) ? UINT64_C(0xff) << 56 : 0);
		break;
	case R_PMSIRR_EL1:
		*ones = 0xffffff01;
		break;
	case R_PMSFCR_EL1:
		*ones = 0x70007 | filters;
		break;
	case R_PMSEVFR_EL1: /* at least E[1], E[3], E[5] and E[7] */
		*ones = 0xaa;
		*may = ~UINT64_C(0);
		break;
	case R_PMSLATFR_EL1: /* the width of the counters, or 16 bits */
		*ones = 0xfff;
		*may = 0xf000;
		break;
	case R_PMBLIMITR_EL1: /* without E; nVM depends on another feature */
		*ones = (~UINT64_C(0) << 12) | (ids->pmsver >= 3 ? BIT(5) : 0) | 4;
		*may = 0x80;
		break;
	case R_PMBPTR_EL1: /* the bits above the alignment */
		*ones = ~UINT64_C(0) << 11;
		*may = 0x7ff;
		break;
	case R_PMSDSFR_EL1:
		*ones = 0;
		*may = ~UINT64_C(0);
		break;
	case R_PMBMAR_EL1: /* SH, Attr */
		*ones = 0x3ff;
		break;
	default: /* PMBSR_EL1: EC, DL, EA, S, COLL, MSS; MSS2 above */
		*ones = 0xfc0fffff;
		*may = UINT64_C(0xffffff) << 32;
	}
}

u64 register_all_ones(unsigned index)
{
	return index == R_PMBLIMITR_EL1 ? ~UINT64_C(3) : ~UINT64_C(0); /* FM 0b10, E clear */
}
