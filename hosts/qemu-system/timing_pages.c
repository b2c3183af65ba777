/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page sizes of the guest for the timing model; see timing_pages.h.
 *
 * The model asks for a page size when the first level of its TLB misses. The results of walks are
 * cached until a TLBI of any vCPU.
 *
 * Arm ARM: DDI 0487 M.a, D8.1 (translation regimes), D8.17 (TLB maintenance).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <spemu/sysreg.h>

#include "buffer_memory.h"
#include "regime.h"
#include "timing_pages.h"
#include "tlbi.h"

#define UPPER_HALF(va) ((va) >> 55 & 1)
#define SPACE_SHIFT 48
#define SPACE_MASK UINT64_C(0x7f)
#define ADDRESS_MASK ((UINT64_C(1) << SPACE_SHIFT) - 1)
#define UPPER_BITS (UINT64_C(0xff) << 56)
#define HALF (UINT64_C(1) << 55)

#define HCR_E2H (UINT64_C(1) << 34)
#define TCR_A1 (UINT64_C(1) << 22)
#define TCR_AS (UINT64_C(1) << 36)
#define TCR_DS (UINT64_C(1) << 59)

#define PAGE_SHIFT 12
#define KEPT 1024 /* a power of two */

struct timing_pages {
	ptrdiff_t ttbr0, ttbr1, tcr; /* offsets of the EL1 registers in env */
	unsigned seen;               /* memory_tlbis() when kept[] was last emptied */
	struct {
		uint64_t page; /* page number plus 1, with bit 63 set for EL2; 0: free */
		unsigned log2;
	} kept[KEPT];
};

static pthread_mutex_t broadcast_lock = PTHREAD_MUTEX_INITIALIZER;

/* Return a few bits that differ between address spaces, from the page of their translation
 * table. */
static uint64_t space_of(const struct vcpu *vcpu)
{
	uint64_t table = (private_value_at(vcpu->env, vcpu->pages->ttbr0) & ADDRESS_MASK) >> 12;

	return (table ^ table >> 7 ^ table >> 14 ^ table >> 21) & SPACE_MASK;
}

uint64_t timing_address(const struct vcpu *vcpu, uint64_t va)
{
	return UPPER_HALF(va) ? va : (va & ADDRESS_MASK) | space_of(vcpu) << SPACE_SHIFT;
}

static uint64_t va_of(uint64_t addr)
{
	return UPPER_HALF(addr) ? addr | UPPER_BITS : addr & ADDRESS_MASK;
}

/* Return log2 of the page size in the tables of the vCPU's regime, or 0 if there is none. */
static unsigned walk(struct vcpu *vcpu, uint64_t va)
{
	struct spemu_buffer_write access = {.address = va, .privileged = true};
	uint64_t hcr = arm_hcr_el2_eff(vcpu->env);
	bool host = private_in_host(hcr);
	unsigned el = private_el(vcpu->env), page_log2 = 0;
	struct spemu_fault fault;

	if (el == 3)
		return 0;
	access.owner_el = el == 2 || (el == 0 && host) ? 2 : 1;
	access.e2h = access.owner_el == 2 && (hcr & HCR_E2H);
	access.security = (uint8_t)private_security(vcpu->env);
	regime_update(vcpu);
	if (access.owner_el == 1 && vcpu->state.el_aarch32 & 2)
		return 0; /* AArch32 tables have another format */
	if (spemu_mmu_page(vcpu->mmu, &page_log2, &fault, vcpu->pe, &access))
		return 0;
	return page_log2;
}

static unsigned page_log2(void *ctx, uint64_t addr)
{
	struct vcpu *vcpu = ctx;
	struct timing_pages *pages = vcpu->pages;
	unsigned now = memory_tlbis();
	uint64_t page = (addr >> PAGE_SHIFT) + 1;
	unsigned slot = (page ^ page >> 10) % KEPT;

	if (private_el(vcpu->env) >= 2)
		page |= UINT64_C(1) << 63;
	if (pages->seen != now) {
		memset(pages->kept, 0, sizeof(pages->kept));
		pages->seen = now;
	}
	if (pages->kept[slot].page != page) {
		pages->kept[slot].log2 = walk(vcpu, va_of(addr));
		pages->kept[slot].page = page;
	}
	return pages->kept[slot].log2;
}

bool timing_pages_start(struct vcpu *vcpu)
{
	struct timing_pages *pages = vcpu->pages = calloc(1, sizeof(*pages));

	if (!pages)
		return false;
	pages->ttbr0 = private_reg_offset(vcpu->env, SPEMU_SYSREG_TTBR0_EL1);
	pages->ttbr1 = private_reg_offset(vcpu->env, SPEMU_SYSREG_TTBR1_EL1);
	pages->tcr = private_reg_offset(vcpu->env, SPEMU_SYSREG_TCR_EL1);
	uarch_look_up_pages(vcpu->core, page_log2, vcpu);
	return true;
}

/* Return true if the vCPU is at EL1 and uses this ASID. */
static bool is_present(const struct vcpu *vcpu, unsigned asid)
{
	const struct timing_pages *pages = vcpu->pages;
	uint64_t tcr = private_value_at(vcpu->env, pages->tcr);
	uint64_t ttbr = private_value_at(vcpu->env, tcr & TCR_A1 ? pages->ttbr1 : pages->ttbr0);
	unsigned mask = tcr & TCR_AS ? 0xffff : 0xff;

	return private_el(vcpu->env) == 1 && ((ttbr >> 48 ^ asid) & mask) == 0;
}

/* Forget translations. The bits [54:48] of another address space are unknown, so a TLBI for it
 * forgets all of EL0's half. */
static void forget(struct vcpu *vcpu, const struct tlbi_scope *scope)
{
	uint64_t start = 0, size = 2 * HALF;

	if (scope->by_va && UPPER_HALF(scope->first)) {
		start = scope->first & ~UPPER_BITS;
		size = scope->last - scope->first + 1;
	} else if (scope->by_asid && is_present(vcpu, scope->asid)) {
		start = timing_address(vcpu, scope->by_va ? scope->first : 0);
		size = scope->by_va ? scope->last - scope->first + 1 : UINT64_C(1) << SPACE_SHIFT;
	} else if (scope->by_va || scope->by_asid) {
		size = HALF;
	}
	if (size > 2 * HALF - start)
		size = 2 * HALF - start;
	uarch_tlb_invalidate(vcpu->core, start, size, scope->broadcast);
}

void timing_pages_reset(struct vcpu *vcpu)
{
	if (!vcpu->pages)
		return;
	memset(vcpu->pages->kept, 0, sizeof(vcpu->pages->kept));
	uarch_tlb_invalidate(vcpu->core, 0, 2 * HALF, false);
}

void timing_pages_tlbi(struct vcpu *vcpu, const struct private_reg *tlbi, uint64_t value)
{
	struct tlbi_scope scope;

	if (!vcpu->pages)
		return;
	scope = tlbi_scope(tlbi->op1, tlbi->crm, tlbi->op2, value,
	                   private_value_at(vcpu->env, vcpu->pages->tcr) & TCR_DS);
	pthread_mutex_lock(&broadcast_lock);
	forget(vcpu, &scope);
	pthread_mutex_unlock(&broadcast_lock);
}
