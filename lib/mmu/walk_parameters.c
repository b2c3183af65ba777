/* SPDX-License-Identifier: MIT */
/*
 * The parameters of a walk, from System registers.
 *
 * Arm ARM:     DDI 0487 M.a, D8.2 (TxSZ, SL0, IPS, PS), D24.2 (TCR_ELx, TCR2_ELx, VTCR_EL2,
 *              VSTCR_EL2, HCR_EL2, SCTLR_ELx)
 * Pseudocode:  AArch64.S1TTWParamsEL10(), AArch64.S1TTWParamsEL2(), AArch64.S1TTWParamsEL20(),
 *              AArch64.NSS2TTWParams(), AArch64.RLS2TTWParams(), AArch64.SS2TTWParams(),
 *              AArch64.S1Enabled(), AArch64.S1TxSZFaults(), AArch64.S2TxSZFaults(),
 *              AArch64.S2InvalidSL(), AArch64.S2InconsistentSL(), AArch64.PhysicalAddressSize()
 * Choices:     txsz-below-minimum, txsz-above-maximum
 */
#include "mmu/mmu.h"

static unsigned output_size(const struct spemu_pe *pe, const struct format *f, unsigned ps)
{
	static const uint8_t size[8] = {32, 36, 40, 42, 44, 48, 52, 56};
	bool large = pe_has(pe, SPEMU_FEAT_LPA) && (f->granule_log2 == 16 || f->ds);
	unsigned most = large ? 52 : 48;

	if (most > spemu__pe_pamax(pe))
		most = spemu__pe_pamax(pe);
	return size[ps] < most ? size[ps] : most;
}

static void set_output(const struct spemu_pe *pe, struct format *f, unsigned ps)
{
	f->output_bits = (uint8_t)output_size(pe, f, ps);
	/* 0b111 means the same size as 0b110 (D24.2, TCR_EL1.IPS). */
	f->base_52 = f->ds || (f->granule_log2 == 16 && ps >= 6 && pe_has(pe, SPEMU_FEAT_LPA));
}

/* Limit TxSZ to its valid range. Return true if the original value causes a fault. */
static bool size_faults(const struct spemu_pe *pe, struct format *f, unsigned txsz, unsigned least,
                        bool below_faults)
{
	unsigned most = !pe_has(pe, SPEMU_FEAT_TTST) ? 39 : f->granule_log2 == 16 ? 47 : 48;

	f->input_bits = (uint8_t)(64 - txsz);
	if (txsz < least) {
		f->input_bits = (uint8_t)(64 - least);
		return below_faults || pe_choice(pe, SPEMU_CHOICE_TXSZ_BELOW_MINIMUM) ==
		                               SPEMU_TXSZ_BELOW_MINIMUM_FAULT;
	}
	if (txsz > most) {
		f->input_bits = (uint8_t)(64 - most);
		return pe_choice(pe, SPEMU_CHOICE_TXSZ_ABOVE_MAXIMUM) ==
		       SPEMU_TXSZ_ABOVE_MAXIMUM_FAULT;
	}
	return false;
}

/* Return true if HCR_EL2.{E2H, TGE} is {1, 1}, so that VM, DC and CD have no effect. */
static bool host_only(const struct request *r)
{
	return r->el2 && spemu__pe_hcr_e2h(r->pe) && REG_FIELD(r->pe, HCR_EL2, TGE);
}

static bool dc(const struct request *r)
{
	return r->el2 && r->regime == REGIME_EL10 && !host_only(r) && REG_FIELD(r->pe, HCR_EL2, DC);
}

static void stage1_registers(const struct request *r, struct stage1 *p)
{
	bool el10 = r->regime == REGIME_EL10;

	if (p->upper)
		p->ttbr = r->pe->reg[el10 ? SPEMU_REG_TTBR1_EL1 : SPEMU_REG_TTBR1_EL2];
	else
		p->ttbr = r->pe->reg[el10 ? SPEMU_REG_TTBR0_EL1 : SPEMU_REG_TTBR0_EL2];
	p->mair = el10 ? SPEMU_REG_MAIR_EL1 : SPEMU_REG_MAIR_EL2;
	p->mair2 = el10 ? SPEMU_REG_MAIR2_EL1 : SPEMU_REG_MAIR2_EL2;
	p->pir = el10 ? SPEMU_REG_PIR_EL1 : SPEMU_REG_PIR_EL2;
	p->pire0 = el10 ? SPEMU_REG_PIRE0_EL1 : SPEMU_REG_PIRE0_EL2;
	p->por = el10 ? SPEMU_REG_POR_EL1 : SPEMU_REG_POR_EL2;
}

/* Return field F of a value that has the layout of REG. The value may be that of another register
 * with the field at the same bits. */
#define BITS_OF(value, REG, F)                                                   \
	bits_get(value, SPEMU_##REG##_##F##_LSB + SPEMU_##REG##_##F##_WIDTH - 1, \
	         SPEMU_##REG##_##F##_LSB)
#define TCR_BITS(F) BITS_OF(tcr, TCR_EL1, F)
#define TCR_RANGE(F) (p->upper ? TCR_BITS(F##1) : TCR_BITS(F##0))

/* Set the parameters of a regime with two VA ranges, from TCR_EL1, or from TCR_EL2 with the same
 * layout. Return T0SZ or T1SZ. */
static unsigned two_ranges(const struct request *r, struct stage1 *p, uint64_t tcr)
{
	const struct spemu_pe *pe = r->pe;
	struct format *f = &p->format;

	f->granule_log2 = (uint8_t)(p->upper ? spemu__pe_granule_tg1(pe, (unsigned)TCR_BITS(TG1))
	                                     : spemu__pe_granule_tg0(pe, (unsigned)TCR_BITS(TG0)));
	f->ds = f->granule_log2 != 16 && TCR_BITS(DS);
	set_output(pe, f, (unsigned)TCR_BITS(IPS));
	p->top_byte_ignored = TCR_RANGE(TBI);
	p->disabled_range = TCR_RANGE(EPD);
	p->hierarchy_off = TCR_RANGE(HPD);
	p->sh = (uint8_t)TCR_RANGE(SH);
	f->ha = TCR_BITS(HA);
	f->hd = TCR_BITS(HD);
	return (unsigned)(p->upper ? TCR_BITS(T1SZ) : TCR_BITS(T0SZ));
}

/* Set the parameters of a regime with one VA range from TCR_EL2 with HCR_EL2.E2H 0 (D24.2.195).
 * Return T0SZ. */
static unsigned one_range(const struct request *r, struct stage1 *p, uint64_t tcr)
{
	struct format *f = &p->format;

	f->granule_log2 = (uint8_t)spemu__pe_granule_tg0(r->pe, (unsigned)TCR_BITS(TG0));
	f->ds = f->granule_log2 != 16 && bit_is_set(tcr, 32);
	set_output(r->pe, f, (unsigned)bits_get(tcr, 18, 16));
	p->top_byte_ignored = bit_is_set(tcr, 20);
	p->hierarchy_off = bit_is_set(tcr, 24);
	p->sh = (uint8_t)TCR_BITS(SH0);
	f->ha = bit_is_set(tcr, 21);
	f->hd = bit_is_set(tcr, 22);
	return (unsigned)TCR_BITS(T0SZ);
}

/* Remove the bits of TCR_EL2 that do not exist with its layout and the features. */
static uint64_t existing_tcr(const struct spemu_pe *pe, uint64_t tcr, bool two)
{
	if (!pe_has(pe, SPEMU_FEAT_LPA2))
		tcr &= ~BIT64(two ? 59 : 32);
	if (!pe_has(pe, SPEMU_FEAT_HAFDBS))
		tcr &= two ? ~BITMASK(40, 39) : ~BITMASK(22, 21);
	if (!pe_has(pe, SPEMU_FEAT_HPDS))
		tcr &= two ? ~BITMASK(42, 41) : ~BIT64(24);
	return tcr;
}

#define TCR2(F) bit_is_set(tcr2, SPEMU_TCR2_EL2_##F##_LSB)

static int stage1_extended(const struct request *r, struct stage1 *p, uint64_t tcr2)
{
	struct format *f = &p->format;

	if (TCR2(D128) && r->regime != REGIME_EL2)
		return p->enabled ? SPEMU_ERR_NOT_SUPPORTED : SPEMU_OK;
	p->aie = TCR2(AIE);
	p->pie = TCR2(PIE);
	p->poe = TCR2(POE);
	p->pnch = TCR2(PnCH);
	/* AIE, PIE and overlays, including those of EL0, switch hierarchical permissions off. */
	if (p->aie || p->pie || p->poe || (TCR2(E0POE) && r->regime != REGIME_EL2 && !p->nv1))
		p->hierarchy_off = true;
	f->haft = f->ha && TCR2(HAFT);
	p->alternate_mecid = r->regime != REGIME_EL10 && r->security == SPEMU_SS_REALM &&
	                     (p->upper ? TCR2(AMEC1) : TCR2(AMEC0));
	return SPEMU_OK;
}

int spemu__stage1_parameters(const struct request *r, struct stage1 *p, uint64_t va)
{
	const struct spemu_pe *pe = r->pe;
	bool el10 = r->regime == REGIME_EL10, two = r->regime != REGIME_EL2;
	uint64_t tcr = existing_tcr(pe, pe->reg[el10 ? SPEMU_REG_TCR_EL1 : SPEMU_REG_TCR_EL2], two);
	uint64_t sctlr = pe->reg[el10 ? SPEMU_REG_SCTLR_EL1 : SPEMU_REG_SCTLR_EL2];
	unsigned txsz, least;

	*p = (struct stage1){.upper = two && bit_is_set(va, 55)};
	stage1_registers(r, p);
	txsz = two ? two_ranges(r, p, tcr) : one_range(r, p, tcr);
	if (!spemu__pe_spe_flag_updates(pe))
		p->format.ha = false;
	p->format.hd = p->format.hd && p->format.ha;
	least = pe_has(pe, SPEMU_FEAT_LVA) && (p->format.granule_log2 == 16 || p->format.ds) ? 12
	                                                                                     : 16;
	p->fault_size = size_faults(pe, &p->format, txsz, least, pe_has(pe, SPEMU_FEAT_LVA));
	p->default_cacheable = dc(r);
	p->enabled = BITS_OF(sctlr, SCTLR_EL1, M);
	if (el10)
		p->enabled &= !dc(r) && !(r->el2 && REG_FIELD(pe, HCR_EL2, TGE));
	p->cacheable = BITS_OF(sctlr, SCTLR_EL1, C);
	p->write_implies_no_execute = BITS_OF(sctlr, SCTLR_EL1, WXN);
	p->format.big_endian = BITS_OF(sctlr, SCTLR_EL1, EE);
	p->nv1 = el10 && r->el2 && (spemu__pe_hcr_nvx(pe) & 2);
	return stage1_extended(r, p, spemu__pe_tcr2(pe, el10 ? 1 : 2, r->security));
}

/* Return the initial lookup level of {SL2, SL0}, or SL_INVALID if it is not permitted. Only a
 * granule of 4KB uses SL2. */
enum { SL_INVALID = 100 };
static int start_level(const struct spemu_pe *pe, const struct format *f, unsigned sl)
{
	unsigned pamax = spemu__pe_pamax(pe);

	if (f->granule_log2 == 12) {
		static const int8_t level[8] = {2, 1, 0, 3, -1, SL_INVALID, SL_INVALID, SL_INVALID};

		if ((sl == 4 && pamax < 52) || (sl == 2 && pamax < 44) ||
		    (sl == 3 && !pe_has(pe, SPEMU_FEAT_TTST)))
			return SL_INVALID;
		return level[sl];
	}
	if (f->granule_log2 == 14) {
		if ((sl == 3 && (!f->ds || pamax < 52)) || (sl == 2 && pamax < 42))
			return SL_INVALID;
		return 3 - (int)sl;
	}
	return sl == 3 || (sl == 2 && pamax < 44) ? SL_INVALID : 3 - (int)sl;
}

static bool start_level_faults(const struct request *r, struct stage2 *p, unsigned sl)
{
	const struct format *f = &p->format;
	int level = start_level(r->pe, f, sl);
	unsigned least, stride = f->granule_log2 - 3u;

	if (level == SL_INVALID)
		return true;
	p->start_level = (int8_t)level;
	least = (unsigned)(FINAL_LEVEL - level) * stride + f->granule_log2 + 1;
	return f->input_bits < least || f->input_bits > least + stride - 1 + 4;
}

static unsigned stage2_least_txsz(const struct spemu_pe *pe, const struct format *f)
{
	unsigned ips = spemu__pe_pamax(pe);

	if (ips >= 52)
		ips = f->granule_log2 == 16 || f->ds ? 52 : 48;
	return 64 - ips;
}

/* Set the physical address spaces of the tables and the output, for Non-secure, Secure and Realm
 * state. */
static void stage2_spaces(const struct request *r, struct stage2 *p, bool secure_ipa)
{
	const struct spemu_pe *pe = r->pe;
	bool sw, sa, nsw, nsa;

	p->table_pas = p->output_pas = r->security;
	if (r->security != SPEMU_SS_SECURE)
		return;
	sw = REG_FIELD(pe, VSTCR_EL2, SW);
	sa = REG_FIELD(pe, VSTCR_EL2, SA);
	nsw = REG_FIELD(pe, VTCR_EL2, NSW);
	nsa = REG_FIELD(pe, VTCR_EL2, NSA);
	if ((secure_ipa ? sw : nsw))
		p->table_pas = SPEMU_SS_NON_SECURE;
	if (sw || sa || (!secure_ipa && (nsw || nsa)))
		p->output_pas = SPEMU_SS_NON_SECURE;
}

bool spemu__stage2_takes_part(const struct request *r)
{
	return r->el2 && r->regime == REGIME_EL10 && !host_only(r) &&
	       (REG_FIELD(r->pe, HCR_EL2, VM) || REG_FIELD(r->pe, HCR_EL2, DC));
}

int spemu__stage2_parameters(const struct request *r, struct stage2 *p, uint8_t ipa_pas)
{
	const struct spemu_pe *pe = r->pe;
	bool secure_ipa = r->security == SPEMU_SS_SECURE && ipa_pas == SPEMU_SS_SECURE;
	bool tge = REG_FIELD(pe, HCR_EL2, TGE);
	uint64_t tcr = pe->reg[secure_ipa ? SPEMU_REG_VSTCR_EL2 : SPEMU_REG_VTCR_EL2];
	unsigned sl = (unsigned)BITS_OF(tcr, VTCR_EL2, SL0);
	struct format *f;

	*p = (struct stage2){.format.stage2 = true};
	f = &p->format;
	p->enabled = spemu__stage2_takes_part(r);
	if (!p->enabled)
		return SPEMU_OK;
	if (REG_FIELD(pe, VTCR_EL2, D128))
		return SPEMU_ERR_NOT_SUPPORTED;
	f->granule_log2 = (uint8_t)spemu__pe_granule_tg0(pe, (unsigned)BITS_OF(tcr, VTCR_EL2, TG0));
	if (f->granule_log2 == 12 && REG_FIELD(pe, VTCR_EL2, DS) && BITS_OF(tcr, VTCR_EL2, SL2))
		sl |= 4;
	f->ds = f->granule_log2 != 16 && REG_FIELD(pe, VTCR_EL2, DS);
	set_output(pe, f, (unsigned)REG_FIELD(pe, VTCR_EL2, PS));
	f->big_endian = REG_FIELD(pe, SCTLR_EL2, EE);
	f->ha = REG_FIELD(pe, VTCR_EL2, HA) && spemu__pe_spe_flag_updates(pe);
	f->hd = f->ha && REG_FIELD(pe, VTCR_EL2, HD);
	f->haft = f->ha && REG_FIELD(pe, VTCR_EL2, HAFT);
	p->fault_size = size_faults(pe, f, (unsigned)BITS_OF(tcr, VTCR_EL2, T0SZ),
	                            stage2_least_txsz(pe, f), pe_has(pe, SPEMU_FEAT_LPA)) ||
	                start_level_faults(r, p, sl);
	p->ttbr = pe->reg[secure_ipa ? SPEMU_REG_VSTTBR_EL2 : SPEMU_REG_VTTBR_EL2];
	p->sh = (uint8_t)REG_FIELD(pe, VTCR_EL2, SH0);
	p->protect_walks = !tge && REG_FIELD(pe, HCR_EL2, PTW);
	p->force_write_back = REG_FIELD(pe, HCR_EL2, FWB);
	p->cacheable = !REG_FIELD(pe, HCR_EL2, CD);
	p->pie = REG_FIELD(pe, VTCR_EL2, S2PIE);
	p->poe = p->pie && REG_FIELD(pe, VTCR_EL2, S2POE);
	p->assured_only = REG_FIELD(pe, VTCR_EL2, AssuredOnly);
	p->top_level0 = REG_FIELD(pe, VTCR_EL2, TL0);
	p->top_level1 = REG_FIELD(pe, VTCR_EL2, TL1);
	stage2_spaces(r, p, secure_ipa);
	return SPEMU_OK;
}
