/* SPDX-License-Identifier: MIT */
/*
 * The walker's interface to the host: whole translations, their cache, and its maintenance.
 *
 * An entry belongs to a context: the values of all registers that take part, and the kind of buffer
 * write. A write to one of these registers makes another context, so it takes effect at once. A
 * return to earlier values finds the earlier entries, as in a TLB with tags. Faults are not cached.
 *
 * Arm ARM:     DDI 0487 M.a, D8.1 (translation), D8.16, D8.17 (TLB maintenance), D17.7.8
 * Pseudocode:  AArch64.FullTranslate()
 */
#include <string.h>

#include "base/take.h"
#include "mmu/mmu.h"

/* The registers on which a translation depends. */
static const uint16_t taking_part[] = {
        SPEMU_REG_SCR_EL3,      SPEMU_REG_HCR_EL2,      SPEMU_REG_HCRX_EL2,
        SPEMU_REG_SCTLR_EL1,    SPEMU_REG_SCTLR_EL2,    SPEMU_REG_SCTLR2_EL2,
        SPEMU_REG_TCR_EL1,      SPEMU_REG_TCR_EL2,      SPEMU_REG_TCR2_EL1,
        SPEMU_REG_TCR2_EL2,     SPEMU_REG_TTBR0_EL1,    SPEMU_REG_TTBR1_EL1,
        SPEMU_REG_TTBR0_EL2,    SPEMU_REG_TTBR1_EL2,    SPEMU_REG_MAIR_EL1,
        SPEMU_REG_MAIR_EL2,     SPEMU_REG_MAIR2_EL1,    SPEMU_REG_MAIR2_EL2,
        SPEMU_REG_PIR_EL1,      SPEMU_REG_PIR_EL2,      SPEMU_REG_PIRE0_EL1,
        SPEMU_REG_PIRE0_EL2,    SPEMU_REG_POR_EL1,      SPEMU_REG_POR_EL2,
        SPEMU_REG_S2PIR_EL2,    SPEMU_REG_S2POR_EL1,    SPEMU_REG_VTCR_EL2,
        SPEMU_REG_VTTBR_EL2,    SPEMU_REG_VSTCR_EL2,    SPEMU_REG_VSTTBR_EL2,
        SPEMU_REG_GPCCR_EL3,    SPEMU_REG_GPTBR_EL3,    SPEMU_REG_GPCBW_EL3,
        SPEMU_REG_MECID_P0_EL2, SPEMU_REG_MECID_A0_EL2, SPEMU_REG_MECID_P1_EL2,
        SPEMU_REG_MECID_A1_EL2, SPEMU_REG_VMECID_P_EL2, SPEMU_REG_VMECID_A_EL2,
};
enum {
	REGS = sizeof(taking_part) / sizeof(*taking_part),
	CONTEXTS = 4,
	ENTRIES = 256, /* a power of two */
	PAGE_LOG2 = 12,
};

/* The kind of a buffer write: the members of struct spemu_buffer_write, except for the address. */
struct who {
	uint8_t owner_el, security, address_type, e2h;
	struct spemu_memory memory; /* for untranslated IPAs and PAs; otherwise all 0 */
};

struct context {
	uint32_t id; /* index + 1; 0 if unused */
	uint32_t used;
	uint8_t pa_bits;
	uint8_t choice[SPEMU_CHOICE_COUNT]; /* all choices are compared, because they rarely
	                                       change */
	struct who who;
	struct spemu_features features;
	uint64_t reg[REGS];
};

struct entry {
	uint32_t context; /* id of the context; 0 if the entry is free */
	bool global;
	uint64_t page;                        /* page number of the untranslated address */
	struct spemu_translation translation; /* translation of the first byte of the page */
};

struct spemu_mmu {
	struct spemu_mmu_memory memory;
	const struct spemu_pe *pe; /* PE of the current context, and its generation at that time */
	uint64_t generation;
	struct who who;
	uint32_t current, clock;
	struct context context[CONTEXTS];
	struct entry entry[ENTRIES];
};

size_t spemu_mmu_size(void)
{
	return sizeof(struct spemu_mmu);
}

int spemu_mmu_init(struct spemu_mmu **mmu, void *memory, size_t size,
                   const struct spemu_mmu_memory *memory_access)
{
	struct spemu_mmu *m = memory;
	struct spemu_mmu_memory taken;

	if (mmu)
		*mmu = NULL;
	if (!mmu || !memory || !take_struct(&taken, sizeof(taken), memory_access) || !taken.read)
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*m))
		return SPEMU_ERR_NOSPACE;
	memset(m, 0, sizeof(*m));
	m->memory = taken;
	*mmu = m;
	return SPEMU_OK;
}

static const struct context *context_of(const struct spemu_mmu *m, uint32_t id)
{
	return &m->context[id - 1];
}

static void forget_context(struct spemu_mmu *m, uint32_t id)
{
	for (unsigned i = 0; i < ENTRIES; i++)
		if (m->entry[i].context == id)
			m->entry[i].context = 0;
}

static void describe(struct context *c, const struct spemu_pe *pe, const struct who *who)
{
	memset(c, 0, sizeof(*c)); /* includes padding, because contexts are compared as bytes */
	c->pa_bits = pe->pa_bits;
	memcpy(c->choice, pe->choice, sizeof(c->choice));
	memcpy(&c->who, who, sizeof(c->who));
	c->features = pe->features;
	for (unsigned i = 0; i < REGS; i++)
		c->reg[i] = pe->reg[taking_part[i]];
}

/* Return true if the context still matches the registers of the PE. After most register writes it
 * does. */
static bool still_holds(const struct context *c, const struct spemu_pe *pe)
{
	uint64_t differ = c->pa_bits ^ pe->pa_bits;

	for (unsigned i = 0; i < REGS; i++)
		differ |= c->reg[i] ^ pe->reg[taking_part[i]];
	for (unsigned i = 0; i < sizeof(c->features.word) / sizeof(*c->features.word); i++)
		differ |= c->features.word[i] ^ pe->features.word[i];
	return !differ && memcmp(c->choice, pe->choice, sizeof(c->choice)) == 0;
}

/* Make the context with these values the current one. Reuse an earlier context with the same
 * values. */
static void select_context(struct spemu_mmu *m, const struct spemu_pe *pe, const struct who *who)
{
	struct context now, *oldest = &m->context[0], *found = NULL;
	const size_t from = offsetof(struct context, pa_bits);

	describe(&now, pe, who);
	for (unsigned i = 0; i < CONTEXTS; i++) {
		struct context *c = &m->context[i];

		if (c->id && memcmp((const char *)c + from, (const char *)&now + from,
		                    sizeof(now) - from) == 0)
			found = c;
		if (c->used < oldest->used || !c->id)
			oldest = c->id ? c : oldest->id ? c : oldest;
	}
	if (!found) {
		if (oldest->id)
			forget_context(m, oldest->id);
		found = oldest;
		*found = now;
		found->id = (uint32_t)(found - m->context) + 1;
	}
	found->used = ++m->clock;
	m->current = found->id;
	m->pe = pe;
	m->generation = pe->generation;
	memcpy(&m->who, who, sizeof(m->who));
}

static struct entry *slot(struct spemu_mmu *m, uint64_t page)
{
	return &m->entry[(page ^ page >> 8 ^ m->current) % ENTRIES];
}

static bool has_stage2(const struct request *r, const struct spemu_buffer_write *access)
{
	return access->address_type != SPEMU_ADDRESS_PA && r->regime == REGIME_EL10 && r->el2;
}

/* Set the output of stage 1 for an address that stage 1 does not translate (RQJNFT). */
static int untranslated(struct request *r, struct location *out,
                        const struct spemu_buffer_write *access)
{
	unsigned pamax = spemu__pe_pamax(r->pe);
	struct mecid_context c = {.security = r->security,
	                          .el = r->regime == REGIME_EL10 ? 1 : 2,
	                          .pas = r->security};

	if (access->address >> pamax)
		return spemu__translation_fault(r, false, SPEMU_FT_ADDRESS_SIZE, 0);
	*out = (struct location){.address = access->address,
	                         .memory = access->memory,
	                         .pas = r->security,
	                         .region_log2 = (uint8_t)(pamax < 48 ? pamax : 48),
	                         .mecid = spemu__pe_mecid(r->pe, &c)};
	return 0;
}

static int full_translate(struct request *r, struct spemu_translation *result, bool *global,
                          const struct spemu_buffer_write *access)
{
	const struct stage2_access write = {.write = true};
	struct stage2_output out;
	struct location ipa;
	uint8_t region;
	int status;

	*global = false;
	if (access->address_type == SPEMU_ADDRESS_VA)
		status = spemu__stage1_translate(r, &ipa, global, access->address);
	else
		status = untranslated(r, &ipa, access);
	out = (struct stage2_output){.at = ipa};
	if (!status && has_stage2(r, access)) {
		status = spemu__stage2_translate(r, &out, &ipa, &write);
		region = ipa.region_log2;
		out.at.region_log2 = region < out.at.region_log2 ? region : out.at.region_log2;
	}
	if (!status)
		status = spemu__granule_protection_check(r, &out.at, false, SPEMU_FT_GPF, 0);
	if (status)
		return status;
	*result = (struct spemu_translation){
	        .physical = out.at.address,
	        .pas = out.at.pas,
	        .region_log2 = out.at.region_log2,
	        .mecid = out.at.mecid,
	        .has_stage2 = out.took_part,
	        .memory = out.at.memory,
	        .stage1 = ipa.memory,
	        .stage2 = out.alone,
	};
	return 0;
}

static struct request request_of(const struct spemu_mmu *m, struct spemu_fault *fault,
                                 const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	return (struct request){.memory = &m->memory,
	                        .pe = pe,
	                        .fault = fault,
	                        .security = access->security,
	                        .regime = access->owner_el == 1 ? REGIME_EL10
	                                  : access->e2h         ? REGIME_EL20
	                                                        : REGIME_EL2,
	                        .el2 = spemu__pe_el2_in_security(pe, access->security)};
}

/* Return true if the regime is one of EL2, but EL2 is not enabled. */
static bool has_no_regime(const struct request *r)
{
	return r->regime != REGIME_EL10 && !r->el2;
}

static int miss(struct spemu_mmu *m, struct spemu_translation *result, struct spemu_fault *fault,
                const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct request r = request_of(m, fault, pe, access);
	uint64_t page = access->address >> PAGE_LOG2;
	uint32_t context = m->current;
	struct entry *e = slot(m, page);
	bool global;
	int status;

	if (has_no_regime(&r))
		return SPEMU_ERR_INVALID;
	status = full_translate(&r, result, &global, access);
	if (status || m->current != context)
		return status;
	e->context = context;
	e->page = page;
	e->global = global;
	e->translation = *result;
	e->translation.physical &= ~BITMASK(PAGE_LOG2 - 1, 0);
	return 0;
}

static bool access_is_valid(const struct spemu_buffer_write *access)
{
	return access && (access->owner_el == 1 || access->owner_el == 2) &&
	       access->address_type <= SPEMU_ADDRESS_PA && access->security <= SPEMU_SS_REALM &&
	       access->security != SPEMU_SS_ROOT &&
	       (access->address_type == SPEMU_ADDRESS_VA ||
	        access->memory.type <= SPEMU_MEMORY_NORMAL);
}

static bool same_who(const struct who *who, const struct spemu_buffer_write *access)
{
	bool e2h = access->owner_el == 2 && access->e2h;

	return who->owner_el == access->owner_el && who->security == access->security &&
	       who->address_type == access->address_type && who->e2h == e2h &&
	       (access->address_type == SPEMU_ADDRESS_VA ||
	        memcmp(&who->memory, &access->memory, sizeof(who->memory)) == 0);
}

static struct who who_accesses(const struct spemu_buffer_write *access)
{
	struct who who;

	memset(&who, 0, sizeof(who));
	who.owner_el = access->owner_el;
	who.security = access->security;
	who.address_type = access->address_type;
	who.e2h = access->owner_el == 2 && access->e2h;
	if (access->address_type != SPEMU_ADDRESS_VA)
		who.memory = access->memory;
	return who;
}

static void change_context(struct spemu_mmu *m, const struct spemu_pe *pe,
                           const struct spemu_buffer_write *access)
{
	struct who who;

	if (m->current && same_who(&m->who, access) && still_holds(context_of(m, m->current), pe)) {
		m->pe = pe;
		m->generation = pe->generation;
		return;
	}
	who = who_accesses(access);
	select_context(m, pe, &who);
}

int spemu_mmu_translate(struct spemu_mmu *mmu, struct spemu_translation *result,
                        struct spemu_fault *fault, const struct spemu_pe *pe,
                        const struct spemu_buffer_write *access)
{
	uint64_t page;
	struct entry *e;
	int status;

	if (fault)
		*fault = (struct spemu_fault){0};
	if (!mmu || !result || !fault || !pe || !access_is_valid(access)) {
		if (result)
			*result = (struct spemu_translation){0};
		return SPEMU_ERR_INVALID;
	}
	if (mmu->pe != pe || mmu->generation != pe->generation || !same_who(&mmu->who, access))
		change_context(mmu, pe, access);
	page = access->address >> PAGE_LOG2;
	e = slot(mmu, page);
	if (e->context != mmu->current || e->page != page) {
		status = miss(mmu, result, fault, pe, access);
		if (status)
			*result = (struct spemu_translation){0};
		return status;
	}
	*result = e->translation;
	result->physical |= access->address & BITMASK(PAGE_LOG2 - 1, 0);
	return 0;
}

int spemu_mmu_page(struct spemu_mmu *mmu, unsigned *page_log2, struct spemu_fault *fault,
                   const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct spemu_translation result;
	struct request r;
	bool global;
	int status;

	if (page_log2)
		*page_log2 = 0;
	if (fault)
		*fault = (struct spemu_fault){0};
	if (!mmu || !page_log2 || !fault || !pe || !access_is_valid(access))
		return SPEMU_ERR_INVALID;
	r = request_of(mmu, fault, pe, access);
	r.look = true;
	if (has_no_regime(&r))
		return SPEMU_ERR_INVALID;
	status = full_translate(&r, &result, &global, access);
	if (!status)
		*page_log2 = result.region_log2;
	return status;
}

static uint64_t reg_of(const struct context *c, enum spemu_reg reg)
{
	for (unsigned i = 0; i < REGS; i++)
		if (taking_part[i] == (unsigned)reg)
			return c->reg[i];
	return 0;
}

enum { TCR_AS = 36, VTCR_VS = 19 };

/* Return the ASID or VMID at the top of a TTBR. It has 16 bits if large is true. Otherwise it has 8
 * bits, and the others are ignored. */
static unsigned identifier(uint64_t ttbr, bool large)
{
	return (unsigned)(ttbr >> 48) & (large ? 0xffff : 0xff);
}

/* Return the ASID of a context, from the TTBR that TCR_ELx.A1 selects. TCR_ELx.AS gives its
 * size. */
static unsigned asid_of(const struct context *c)
{
	bool el1 = c->who.owner_el == 1;
	uint64_t tcr = reg_of(c, el1 ? SPEMU_REG_TCR_EL1 : SPEMU_REG_TCR_EL2);
	bool a1 = bits_get(tcr, 22, 22);
	enum spemu_reg ttbr = el1 ? (a1 ? SPEMU_REG_TTBR1_EL1 : SPEMU_REG_TTBR0_EL1)
	                          : (a1 ? SPEMU_REG_TTBR1_EL2 : SPEMU_REG_TTBR0_EL2);

	return identifier(reg_of(c, ttbr), bit_is_set(tcr, TCR_AS));
}

static bool same_regime(const struct context *c, const struct spemu_mmu_scope *s)
{
	bool large = bit_is_set(reg_of(c, SPEMU_REG_VTCR_EL2), VTCR_VS);

	if (c->who.security != s->security || c->who.owner_el != s->el)
		return false;
	return s->el != 1 || identifier(reg_of(c, SPEMU_REG_VTTBR_EL2), large) == s->vmid ||
	       !(reg_of(c, SPEMU_REG_HCR_EL2) & (BIT64(0) | BIT64(12)));
}

/* Return true if the aligned region around an address overlaps the range first..last. */
static bool meets(uint64_t address, unsigned region_log2, const struct spemu_mmu_scope *s,
                  unsigned top)
{
	uint64_t mask = BITMASK(region_log2 - 1u, 0), bits = BITMASK(top, 0);

	return (address & bits & ~mask) <= (s->last & bits) &&
	       ((address | mask) & bits) >= (s->first & bits);
}

static bool is_named(const struct entry *e, const struct context *c,
                     const struct spemu_mmu_scope *s)
{
	uint64_t va = e->page << PAGE_LOG2;
	bool asid = c->who.e2h || c->who.owner_el == 1 ? asid_of(c) == s->asid : true;

	switch (s->by) {
	case SPEMU_TLBI_REGIME:
		return same_regime(c, s);
	case SPEMU_TLBI_ASID:
		return same_regime(c, s) && asid && !e->global;
	case SPEMU_TLBI_VA:
		return same_regime(c, s) && (asid || e->global) &&
		       meets(va, e->translation.region_log2, s, 55);
	case SPEMU_TLBI_VA_ALL_ASIDS:
		return same_regime(c, s) && meets(va, e->translation.region_log2, s, 55);
	case SPEMU_TLBI_IPA:
		return same_regime(c, s) && e->translation.has_stage2;
	case SPEMU_TLBI_PA:
		return meets(e->translation.physical, e->translation.region_log2, s, 63);
	default:
		return true;
	}
}

void spemu_mmu_invalidate(struct spemu_mmu *mmu, const struct spemu_mmu_scope *scope)
{
	for (unsigned i = 0; mmu && scope && i < ENTRIES; i++) {
		struct entry *e = &mmu->entry[i];

		if (e->context && is_named(e, context_of(mmu, e->context), scope))
			e->context = 0;
	}
}
