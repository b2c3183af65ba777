/* SPDX-License-Identifier: MIT */
/*
 * PC Sample-based Profiling: samples at Captures and at reads of PMPCSR.
 *
 * Arm ARM:     DDI 0487 M.a, D13.9, H7.1, I5.3.46, I5.3.48
 * Implements:  RTYNSW RWSVYM IYSWSD IMXCMM
 * Pseudocode:  CreatePCSample(), SetPCSample(), PCSRSuspended(), Read_PMPCSR()
 * Choices:     pc-sample-unknown, pc-sample-first
 */
#include "pmu/pmu_object.h"

#define ALL_ONES UINT32_MAX

static unsigned security(const struct clause_context *c)
{
	return spemu__pe_security_at(c->pe, c->pe->state.el);
}

static bool security_permitted(const struct clause_context *c)
{
	static const uint8_t deny[] = {[SPEMU_SS_SECURE] = SPEMU_DENY_SECURE_NONINVASIVE,
	                               [SPEMU_SS_REALM] = SPEMU_DENY_REALM_NONINVASIVE,
	                               [SPEMU_SS_ROOT] = SPEMU_DENY_ROOT_NONINVASIVE,
	                               [SPEMU_SS_NON_SECURE] = 0};
	const struct spemu_pe *pe = c->pe;

	if (!pe_has(pe, SPEMU_EL3) || !(c->pmu->denied & deny[security(c)]))
		return true;
	return security(c) == SPEMU_SS_SECURE && pe->state.el == 0 &&
	       (pe->state.el_aarch32 & 1u << 1) && REG_FIELD(pe, SDER32_EL3, SUNIDEN);
}

#include "pmu/pcsample_clauses.h"

const struct decision spemu__pmu_pc_sampling = DECISION(FOLD_ALL, pc_sampling_clauses);

static bool allowed(const struct spemu_pmu *p)
{
	struct clause_context c = {.pe = p->pe, .pmu = p};

	return decide(&spemu__pmu_pc_sampling, &c);
}

enum { PMPCSCTL_EN = 1 << 0, PMPCSCTL_IMP = 1 << 1, PMPCSCTL_SS = 1 << 4 };

static bool sampling_on_capture(const struct spemu_pmu *p)
{
	return p->pmpcsctl & PMPCSCTL_SS;
}

static bool suspended(const struct spemu_pmu *p)
{
	if (sampling_on_capture(p))
		return false;
	/* Without PMPCSCTL.EN, PC sampling is always active (H7.2). */
	return pmu_has(p, SPEMU_FEAT_PCSRV8P9) && !p->config.pcsr_no_enable &&
	       !(p->pmpcsctl & PMPCSCTL_EN);
}

/* Record that the next sample is UNKNOWN in this state until a branch retires. */
void spemu__pcsample_state_changed(struct spemu_pmu *p)
{
	if (p->pe->state.debug || !allowed(p))
		p->branch_known = false;
	if (suspended(p)) {
		p->branch_known = false;
		p->was_suspended = true;
	}
}

static struct pc_sample sample_of(struct spemu_pmu *p, uint64_t pc)
{
	const struct spemu_pe *pe = p->pe;
	unsigned el = pe->state.el, ss = spemu__pe_security_at(pe, el);
	bool has_el2 = el != 3 && spemu__pe_el2_enabled(pe);
	bool guest = has_el2 && el < 2 && !(el == 0 && spemu__pe_el_is_in_host(pe, 0));
	struct pc_sample s = {
	        .contextidr_el1 = (uint32_t)pe->reg[SPEMU_REG_CONTEXTIDR_EL1],
	        .contextidr_el2 = has_el2 ? (uint32_t)pe->reg[SPEMU_REG_CONTEXTIDR_EL2]
	                                  : (uint32_t)pmu_random(p),
	        .vmid = guest ? (uint16_t)REG_FIELD(pe, VTTBR_EL2, VMID) : (uint16_t)pmu_random(p),
	};

	s.pmpcsr = pc & (pe->state.aarch32 ? BITMASK(31, 0) : BITMASK(55, 0));
	s.pmpcsr = bits_set(s.pmpcsr, 62, 61, el);
	s.pmpcsr = bits_set(s.pmpcsr, 63, 63, ss & 1);
	if (pe_has(pe, SPEMU_FEAT_RME))
		s.pmpcsr = bits_set(s.pmpcsr, 59, 59, ss >> 1);
	return s;
}

static struct pc_sample unknown_sample(struct spemu_pmu *p)
{
	return (struct pc_sample){.pmpcsr = pmu_random(p) & ~(BIT64(60) | BITMASK(58, 56)),
	                          .contextidr_el1 = (uint32_t)pmu_random(p),
	                          .contextidr_el2 = (uint32_t)pmu_random(p),
	                          .vmid = (uint16_t)pmu_random(p)};
}

void spemu_pmu_branch(struct spemu_pmu *p, uint64_t target)
{
	if (!pmu_has(p, SPEMU_FEAT_PCSRV8P2))
		return;
	if (p->pe->state.debug || !allowed(p) || suspended(p))
		return;
	p->recent = sample_of(p, target);
	p->branch_known = true;
	p->was_suspended = false;
}

static void all_ones(struct spemu_pmu *p)
{
	p->sample.pmpcsr |= ALL_ONES;
}

/* Take a sample of the most recent branch target. If no branch has retired, the choices decide
 * about the sample. */
static void take_sample(struct spemu_pmu *p)
{
	if (!p->branch_known && p->was_suspended &&
	    pe_choice(p->pe, SPEMU_CHOICE_PC_SAMPLE_FIRST) == SPEMU_PC_SAMPLE_FIRST_ALL_ONES)
		all_ones(p);
	else if (p->branch_known ||
	         pe_choice(p->pe, SPEMU_CHOICE_PC_SAMPLE_UNKNOWN) == SPEMU_PC_SAMPLE_UNKNOWN_LAST)
		p->sample = p->recent;
	else
		p->sample = unknown_sample(p);
	p->branch_known = false;
	p->was_suspended = false;
}

void spemu__pcsample_capture(struct spemu_pmu *p)
{
	if (!sampling_on_capture(p))
		return;
	if (allowed(p) && !p->pe->state.debug)
		take_sample(p);
	else
		all_ones(p);
}

/* Read PMPCSR. A read that includes bits 31:0 takes a sample, unless Captures take samples. */
uint64_t spemu__pcsample_read(struct spemu_pmu *p, bool samples)
{
	bool was_suspended = suspended(p);

	if (!samples || sampling_on_capture(p))
		return p->sample.pmpcsr;
	if (was_suspended && allowed(p))
		p->pmpcsctl |= PMPCSCTL_EN;
	if (was_suspended || p->pe->state.debug || !allowed(p)) {
		p->sample = unknown_sample(p);
		all_ones(p);
	} else {
		take_sample(p);
	}
	return p->sample.pmpcsr;
}

uint64_t spemu__pcsample_control(const struct spemu_pmu *p)
{
	return p->pmpcsctl | (p->config.pcsr_no_enable ? 0 : PMPCSCTL_IMP);
}

void spemu__pcsample_set_control(struct spemu_pmu *p, uint64_t value)
{
	unsigned mask = p->config.pcsr_no_enable ? 0 : PMPCSCTL_EN;
	bool before = sampling_on_capture(p);

	if (pmu_has(p, SPEMU_FEAT_PMUV3_SS))
		mask |= PMPCSCTL_SS;
	p->pmpcsctl = (uint8_t)(value & mask);
	if (!before && sampling_on_capture(p)) {
		p->branch_known = false;
		p->was_suspended = true;
	}
	spemu__pcsample_state_changed(p);
}

void spemu_pmu_authenticate(struct spemu_pmu *p, unsigned denied)
{
	p->denied = (uint8_t)denied;
	spemu__pcsample_state_changed(p);
}
