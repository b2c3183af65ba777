// SPDX-License-Identifier: MIT
/*
 * Branch prediction.
 *
 * Direction: a per-branch predictor and one that sees recent outcomes (gshare), chosen between by
 * branch. Target: a return stack; for other indirect branches a table by branch and path, and the
 * last target of the branch after it. Direct targets come with the instruction and never miss.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (event 7)
 */
#include <spemu/codec.h>
#include "uarch_object.h"

static void train(uint8_t *counter, bool up)
{
	if (up)
		*counter = (uint8_t)(*counter + (*counter < 3));
	else
		*counter = (uint8_t)(*counter - (*counter > 0));
}

static bool direction_mispredicted(struct spemu_uarch_core *core, uint64_t pc, bool taken)
{
	const struct spemu_uarch_profile *p = core->profile;
	struct predictor *pr = &core->predictor;
	uint64_t history = pr->history & ((UINT64_C(1) << p->history_bits) - 1);
	uint64_t by_branch = (pc >> 2) & ((1u << p->bimodal_shift) - 1);
	uint64_t by_history =
	        ((pc >> 2) ^ history ^ history >> p->gshare_shift) & ((1u << p->gshare_shift) - 1);
	bool bimodal = pr->bimodal[by_branch] >= 2, gshare = pr->gshare[by_history] >= 2;
	bool predicted = pr->chooser[by_branch] >= 2 ? gshare : bimodal;

	if (bimodal != gshare)
		train(&pr->chooser[by_branch], gshare == taken);
	train(&pr->bimodal[by_branch], taken);
	train(&pr->gshare[by_history], taken);
	pr->history = pr->history << 1 | taken;
	return predicted != taken;
}

static void push_return(struct spemu_uarch_core *core, uint64_t address)
{
	struct predictor *pr = &core->predictor;

	pr->ras[pr->ras_top] = address;
	pr->ras_top = (pr->ras_top + 1) % core->profile->ras_entries;
	if (pr->ras_depth < core->profile->ras_entries)
		pr->ras_depth++;
}

static bool return_mispredicted(struct spemu_uarch_core *core, uint64_t target)
{
	struct predictor *pr = &core->predictor;

	if (pr->ras_depth == 0)
		return true;
	pr->ras_depth--;
	pr->ras_top = (pr->ras_top + core->profile->ras_entries - 1) % core->profile->ras_entries;
	return pr->ras[pr->ras_top] != target;
}

static struct indirect_entry *indirect_slot(const struct spemu_uarch_core *core, uint64_t key)
{
	/* Fibonacci hashing: the high bits of the product are the best mixed */
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);

	return &core->predictor.indirect[hash >> (64 - core->profile->indirect_shift)];
}

static bool indirect_mispredicted(struct spemu_uarch_core *core, uint64_t pc, uint64_t target)
{
	struct predictor *pr = &core->predictor;
	uint64_t path_key = (pc ^ pr->path << 34) | 1, last_key = pc | 2;
	struct indirect_entry *by_path = indirect_slot(core, path_key);
	struct indirect_entry *by_branch = indirect_slot(core, last_key);
	bool correct = by_path->key == path_key
	                       ? by_path->target == target
	                       : by_branch->key == last_key && by_branch->target == target;

	*by_branch = (struct indirect_entry){last_key, target};
	*by_path = (struct indirect_entry){path_key, target};
	pr->path = (pr->path << 7 ^ target >> 2) & ((UINT64_C(1) << 28) - 1);
	return !correct;
}

bool spemu_uarch_branch(struct spemu_uarch_core *core, struct spemu_uarch_result *result,
                        uint64_t pc, uint32_t flags, bool taken, uint64_t target)
{
	bool mispredicted = false;

	if (flags & SPEMU_OPF_CONDITIONAL)
		mispredicted = direction_mispredicted(core, pc, taken);
	if (taken && flags & SPEMU_OPF_RETURN)
		mispredicted = return_mispredicted(core, target);
	else if (taken && flags & SPEMU_OPF_INDIRECT)
		mispredicted = indirect_mispredicted(core, pc, target);
	if (taken && flags & SPEMU_OPF_LINK)
		push_return(core, pc + 4);
	if (mispredicted && result)
		result->events |= UINT64_C(1) << SPEMU_EV_MISPREDICTED;
	return mispredicted;
}
