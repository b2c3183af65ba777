/* SPDX-License-Identifier: MIT */
/*
 * Stage 1 of translation: the walk of the tables of the owning regime, or the output if stage 1 is
 * disabled.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.1, D8.2, D8.3.1, D8.5 (Access flag, dirty state), D8.15
 * Implements:  RVGJHQ
 * Pseudocode:  AArch64.S1Translate(), AArch64.S1Walk(), AArch64.S1DisabledOutput(),
 *              AArch64.S1NextWalkStateTable(), AArch64.S1NextWalkStateLeaf(),
 *              AArch64.S1StartLevel(), AArch64.VAIsOutOfRange(), AArch64.S1AMECFault()
 * Choices:     the Access flag is also set if a Permission fault follows; a fault of its update
 *              comes before the Permission fault (RMJLPH, RKYXHT)
 */
#include "mmu/mmu.h"

/* The state of a walk. */
struct walk1 {
	const struct stage1 *p;
	uint64_t va;
	struct location entry; /* location of the descriptor in the output address space of stage
	                          1 */
	struct location where; /* location of the descriptor in physical memory */
	uint64_t desc;
	uint8_t table_pas;
	bool assured; /* the current table has the Assured Translation property */
	bool from_mro;
	bool non_global;
	int start, level;
	bool table_read_only; /* a table of the walk so far made the address read-only */
};

static unsigned address_top(const struct stage1 *p)
{
	return p->top_byte_ignored ? 55 : 63;
}

/* Return true if the upper bits are not zero. With two ranges, they may also be a sign extension of
 * bit 55. */
static bool out_of_range(const struct request *r, const struct stage1 *p, uint64_t va)
{
	unsigned top = address_top(p), size = p->format.input_bits;
	uint64_t rest = bits_get(va, top, size);

	if (r->regime != REGIME_EL2 && bit_is_set(va, 55))
		return rest != BITMASK(top - size, 0);
	return rest != 0;
}

static uint16_t mecid_of(const struct request *r, unsigned pas, bool upper, bool alternate)
{
	struct mecid_context c = {.security = r->security,
	                          .el = r->regime == REGIME_EL10 ? 1 : 2,
	                          .pas = (uint8_t)pas,
	                          .upper = upper && r->regime == REGIME_EL20,
	                          .alternate = alternate};

	return spemu__pe_mecid(r->pe, &c);
}

static int disabled(struct request *r, const struct stage1 *p, struct location *out, uint64_t va)
{
	*out = (struct location){.address = va & BITMASK(55, 0),
	                         .pas = r->security,
	                         .region_log2 = 48,
	                         .memory = {.type = SPEMU_MEMORY_DEVICE_NGNRNE,
	                                    .shareability = SPEMU_OUTER_SHAREABLE,
	                                    .xs = true}};
	if (bits_get(va, address_top(p), spemu__pe_pamax(r->pe)))
		return spemu__translation_fault(r, false, SPEMU_FT_ADDRESS_SIZE, 0);
	if (spemu__pe_pamax(r->pe) < out->region_log2)
		out->region_log2 = (uint8_t)spemu__pe_pamax(r->pe);
	if (p->default_cacheable) {
		out->memory = spemu__pe_default_cacheable(r->pe);
		out->memory.tagged = REG_FIELD(r->pe, HCR_EL2, DCT);
	}
	out->mecid = mecid_of(r, out->pas, false, false);
	return 0;
}

static int start_walk(struct request *r, struct walk1 *w)
{
	const struct format *f = &w->p->format;
	unsigned stride = f->granule_log2 - 3u;
	uint64_t base;
	bool a1_low = r->regime == REGIME_EL20 && !bit_is_set(r->pe->reg[SPEMU_REG_TCR_EL2], 22);

	if (w->p->fault_size || out_of_range(r, w->p, w->va) || w->p->disabled_range)
		return spemu__translation_fault(r, false, SPEMU_FT_TRANSLATION, 0);
	w->start = w->level = FINAL_LEVEL - (int)((f->input_bits - 1u - f->granule_log2) / stride);
	base = spemu__first_table(f, w->p->ttbr, w->start);
	w->table_pas = r->security;
	w->assured =
	        r->el2 && r->regime == REGIME_EL10 &&
	        (w->p->upper ? REG_FIELD(r->pe, VTCR_EL2, TL1) : REG_FIELD(r->pe, VTCR_EL2, TL0));
	w->entry = (struct location){
	        .address = spemu__entry_address(f, base, w->va, w->level, true),
	        .pas = w->table_pas,
	        .mecid = mecid_of(r, w->table_pas, a1_low, false),
	        .region_log2 = 48,
	        .memory = spemu__pe_default_cacheable(r->pe),
	};
	if (spemu__output_out_of_range(f, w->entry.address))
		return spemu__translation_fault(r, false, SPEMU_FT_ADDRESS_SIZE, 0);
	return 0;
}

/* Translate the location of the descriptor with stage 2. */
static int locate(struct request *r, struct walk1 *w, bool update)
{
	struct stage2_access access = {.walk = true,
	                               .write = update,
	                               .top_level = !update && w->level == w->start,
	                               .upper = w->p->upper};
	struct stage2_output out;
	int status;

	w->entry.assured = w->assured;
	w->where = w->entry;
	w->from_mro = false;
	if (r->regime != REGIME_EL10 || !r->el2)
		return 0;
	status = spemu__stage2_translate(r, &out, &w->entry, &access);
	w->where = out.at;
	w->from_mro = out.mmu_read_only;
	return status;
}

static int read_entry(struct request *r, struct walk1 *w)
{
	int status = locate(r, w, false);

	return status ? status
	              : spemu__fetch_descriptor(r, &w->desc, &w->p->format, &w->where, w->level);
}

static int write_entry(struct request *r, struct walk1 *w, uint64_t desired)
{
	bool from_mro = w->from_mro;
	int status = locate(r, w, true);

	w->from_mro = from_mro;
	return status ? status
	              : spemu__update_descriptor(r, &w->p->format, &w->where, w->desc, desired,
	                                         w->level);
}

static bool next_assured(const struct walk1 *w)
{
	return w->assured && w->from_mro && w->p->pnch && bit_is_set(w->desc, 52);
}

/* Go from a Table descriptor to the entry at the next level. */
static int step_down(struct request *r, struct walk1 *w)
{
	const struct format *f = &w->p->format;
	uint64_t next = spemu__entry_address(f, spemu__next_table(r, f, w->desc), w->va,
	                                     w->level + 1, false);

	if (spemu__output_out_of_range(f, next))
		return spemu__translation_fault(r, false, SPEMU_FT_ADDRESS_SIZE, w->level);
	if (f->haft && !bit_is_set(w->desc, DESC_AF) && !r->look) {
		int status = write_entry(r, w, w->desc | BIT64(DESC_AF));

		if (status)
			return status;
	}
	if (w->table_pas == SPEMU_SS_SECURE && bit_is_set(w->desc, 63)) {
		w->table_pas = SPEMU_SS_NON_SECURE;
		w->non_global = true;
	}
	w->table_read_only |= spemu__stage1_table_read_only(w->p, w->desc);
	w->assured = next_assured(w);
	w->level++;
	w->entry.address = next;
	w->entry.pas = w->table_pas;
	return 0;
}

static uint8_t output_space(const struct request *r, const struct walk1 *w)
{
	bool ns = bit_is_set(w->desc, 5);

	if (w->table_pas == SPEMU_SS_SECURE)
		return ns ? SPEMU_SS_NON_SECURE : SPEMU_SS_SECURE;
	if (w->table_pas == SPEMU_SS_REALM)
		return ns && r->regime != REGIME_EL10 ? SPEMU_SS_NON_SECURE : SPEMU_SS_REALM;
	return SPEMU_SS_NON_SECURE;
}

static struct spemu_memory attributes(const struct request *r, const struct walk1 *w)
{
	const struct stage1 *p = w->p;
	enum spemu_reg mair = p->aie && bit_is_set(w->desc, 59) ? p->mair2 : p->mair;
	unsigned index = (unsigned)bits_get(w->desc, 4, 2);
	unsigned sh = p->format.ds ? p->sh : (unsigned)bits_get(w->desc, 9, 8);
	struct spemu_memory m = spemu__pe_memory_attributes(
	        r->pe, (unsigned)(r->pe->reg[mair] >> (8 * index)) & 0xff, sh);

	if (!p->cacheable && m.type == SPEMU_MEMORY_NORMAL)
		return spemu__normal_non_cacheable(r->pe, m.xs);
	return m;
}

/* Check a Block or Page descriptor for faults that come before permissions. */
static int check_leaf(struct request *r, const struct walk1 *w, const struct location *out)
{
	bool amec = r->regime != REGIME_EL10 && out->pas == SPEMU_SS_REALM &&
	            spemu__pe_emec(r->pe, r->security) && !w->p->alternate_mecid &&
	            bit_is_set(w->desc, 63);

	if (amec)
		return spemu__translation_fault(r, false, SPEMU_FT_TRANSLATION, w->level);
	return spemu__check_leaf(r, &w->p->format, w->desc, out->address, w->level);
}

/* Check the permissions of a leaf, and update its Access flag and dirty state. */
static int use_leaf(struct request *r, struct walk1 *w)
{
	const struct format *f = &w->p->format;
	uint64_t desired = f->ha ? w->desc | BIT64(DESC_AF) : w->desc;
	struct spemu_fault refusal = {0};
	bool refused;
	int status;

	*r->fault = refusal;
	refused = spemu__stage1_refuses(r, w->p, w->table_read_only, w->desc);
	refusal = *r->fault;
	if (!refused && f->hd && (w->p->pie || bit_is_set(w->desc, DESC_DBM)))
		desired &= ~BIT64(DESC_READ_ONLY);
	if (desired != w->desc) {
		status = write_entry(r, w, desired);
		if (status && !(refused && status == UPDATE_RACED))
			return status;
	}
	if (!refused)
		return 0;
	spemu__translation_fault(r, false, SPEMU_FT_PERMISSION, w->level);
	r->fault->overlay = refusal.overlay;
	r->fault->dirty_bit = refusal.dirty_bit;
	return r->fault->kind;
}

static int finish(struct request *r, struct walk1 *w, struct location *out)
{
	const struct format *f = &w->p->format;
	unsigned size = spemu__level_shift(f, w->level);
	int status;

	*out = (struct location){
	        .address =
	                spemu__leaf_base(r, f, w->desc, w->level) | (w->va & BITMASK(size - 1, 0)),
	        .pas = output_space(r, w),
	        .region_log2 = spemu__leaf_region_log2(f, w->level),
	};
	status = check_leaf(r, w, out);
	if (!status && !r->look)
		status = use_leaf(r, w);
	if (status)
		return status;
	out->memory = attributes(r, w);
	out->mecid = mecid_of(r, out->pas, w->p->upper, bit_is_set(w->desc, 63));
	out->assured = next_assured(w);
	return 0;
}

static int walk_tables(struct request *r, struct walk1 *w, struct location *out)
{
	int status = start_walk(r, w);

	while (!status) {
		status = read_entry(r, w);
		if (status)
			break;
		switch (spemu__descriptor_kind(r, &w->p->format, w->desc, w->level)) {
		case DESC_KIND_TABLE:
			status = step_down(r, w);
			break;
		case DESC_KIND_LEAF:
			return finish(r, w, out);
		default:
			return spemu__translation_fault(r, false, SPEMU_FT_TRANSLATION, w->level);
		}
	}
	return status;
}

int spemu__stage1_translate(struct request *r, struct location *out, bool *global, uint64_t va)
{
	struct stage1 p;
	int status = spemu__stage1_parameters(r, &p, va);

	*global = r->regime == REGIME_EL2;
	if (status)
		return status;
	if (!p.enabled)
		return disabled(r, &p, out, va);
	do {
		struct walk1 w = {.p = &p, .va = va};

		status = walk_tables(r, &w, out);
		*global = r->regime == REGIME_EL2 || (!w.non_global && !bit_is_set(w.desc, 11));
	} while (status == UPDATE_RACED);
	return status;
}
