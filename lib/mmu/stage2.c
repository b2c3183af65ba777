/* SPDX-License-Identifier: MIT */
/*
 * Stage 2 of translation.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.3, D8.2, D8.3.2, D8.5, D8.15
 * Implements:  RDQTTB
 * Pseudocode:  AArch64.S2Translate(), AArch64.S2Walk(), AArch64.S2NextWalkStateTable(),
 *              AArch64.S2NextWalkStateLeaf(), AArch64.IPAIsOutOfRange()
 */
#include "mmu/mmu.h"

struct walk2 {
	const struct stage2 *p;
	const struct location *ipa;
	const struct stage2_access *access;
	struct location entry;
	uint64_t desc;
	int level;
};

static uint16_t mecid_of(const struct request *r, unsigned pas, bool alternate)
{
	struct mecid_context c = {.security = r->security,
	                          .el = 1,
	                          .pas = (uint8_t)pas,
	                          .stage2 = true,
	                          .alternate = alternate};

	return spemu__pe_mecid(r->pe, &c);
}

static int start_walk(struct request *r, struct walk2 *w)
{
	const struct format *f = &w->p->format;

	if (w->p->fault_size || w->ipa->address >> f->input_bits)
		return spemu__translation_fault(r, true, SPEMU_FT_TRANSLATION, 0);
	w->level = w->p->start_level;
	w->entry = (struct location){
	        .address = spemu__entry_address(f, spemu__first_table(f, w->p->ttbr, w->level),
	                                        w->ipa->address, w->level, true),
	        .pas = w->p->table_pas,
	        .mecid = mecid_of(r, r->security, false),
	};
	if (spemu__output_out_of_range(f, w->entry.address))
		return spemu__translation_fault(r, true, SPEMU_FT_ADDRESS_SIZE, 0);
	return 0;
}

static int step_down(struct request *r, struct walk2 *w)
{
	const struct format *f = &w->p->format;
	uint64_t next = spemu__entry_address(f, spemu__next_table(r, f, w->desc), w->ipa->address,
	                                     w->level + 1, false);
	int status = 0;

	if (spemu__output_out_of_range(f, next))
		return spemu__translation_fault(r, true, SPEMU_FT_ADDRESS_SIZE, w->level);
	if (f->haft && !bit_is_set(w->desc, DESC_AF) && !r->look)
		status = spemu__update_descriptor(r, f, &w->entry, w->desc,
		                                  w->desc | BIT64(DESC_AF), w->level);
	if (status)
		return status;
	w->entry.address = next;
	w->level++;
	return 0;
}

static int use_leaf(struct request *r, struct walk2 *w, const struct stage2_permission *permission)
{
	const struct format *f = &w->p->format;
	bool write = !w->access->walk || w->access->write;
	uint64_t desired = f->ha ? w->desc | BIT64(DESC_AF) : w->desc;
	int status;

	if (!permission->refused && write && f->hd && (w->p->pie || bit_is_set(w->desc, DESC_DBM)))
		desired |= BIT64(7);
	if (desired != w->desc) {
		status = spemu__update_descriptor(r, f, &w->entry, w->desc, desired, w->level);
		if (status && !(permission->refused && status == UPDATE_RACED))
			return status;
	}
	if (!permission->refused)
		return 0;
	spemu__translation_fault(r, true, SPEMU_FT_PERMISSION, w->level);
	r->fault->top_level = permission->top_level;
	r->fault->assured_only = permission->assured_only;
	r->fault->overlay = permission->overlay;
	r->fault->dirty_bit = permission->dirty_bit;
	return r->fault->kind;
}

static int finish(struct request *r, struct walk2 *w, struct stage2_output *out)
{
	const struct format *f = &w->p->format;
	unsigned size = spemu__level_shift(f, w->level);
	struct stage2_permission permission;
	int status;

	out->at.address = spemu__leaf_base(r, f, w->desc, w->level) |
	                  (w->ipa->address & BITMASK(size - 1, 0));
	out->at.pas = r->security == SPEMU_SS_REALM && bit_is_set(w->desc, 55) ? SPEMU_SS_NON_SECURE
	                                                                       : w->p->output_pas;
	out->at.region_log2 = spemu__leaf_region_log2(f, w->level);
	status = spemu__check_leaf(r, f, w->desc, out->at.address, w->level);
	if (status)
		return status;
	permission = spemu__stage2_check(r, w->p, w->ipa, out->at.pas, w->access, w->desc);
	status = r->look ? 0 : use_leaf(r, w, &permission);
	if (status)
		return status;
	out->mmu_read_only = permission.mmu_read_only;
	out->alone = spemu__stage2_alone(r, w->p, w->desc);
	out->at.memory = spemu__stage2_combine(r, w->p, &w->ipa->memory, w->desc);
	out->at.mecid = mecid_of(r, out->at.pas, bit_is_set(w->desc, 63));
	return 0;
}

static int walk_tables(struct request *r, struct walk2 *w, struct stage2_output *out)
{
	int status = start_walk(r, w);

	while (!status) {
		status = spemu__fetch_descriptor(r, &w->desc, &w->p->format, &w->entry, w->level);
		if (status)
			break;
		switch (spemu__descriptor_kind(r, &w->p->format, w->desc, w->level)) {
		case DESC_KIND_TABLE:
			status = step_down(r, w);
			break;
		case DESC_KIND_LEAF:
			return finish(r, w, out);
		default:
			return spemu__translation_fault(r, true, SPEMU_FT_TRANSLATION, w->level);
		}
	}
	return status;
}

int spemu__stage2_translate(struct request *r, struct stage2_output *out,
                            const struct location *ipa, const struct stage2_access *access)
{
	struct stage2 p;
	int status = spemu__stage2_parameters(r, &p, ipa->pas);

	*out = (struct stage2_output){.at = *ipa};
	if (status || !p.enabled)
		return status;
	out->took_part = true;
	do {
		struct walk2 w = {.p = &p, .ipa = ipa, .access = access};

		status = walk_tables(r, &w, out);
	} while (status == UPDATE_RACED);
	return status;
}
