/* SPDX-License-Identifier: MIT */
/*
 * Branch prediction.
 *
 * Direction: a per-branch predictor and a history predictor (gshare), with a chooser per branch.
 * Target: a return stack; for other indirect branches a table by branch and path, and then the last
 * target of the branch. Direct targets are part of the instruction and are never mispredicted.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (event 7)
 */
#include "base/bits.h"
#include "uarch_object.h"

/* Return a two-bit counter after an outcome. */
#define TRAINED(counter, up) ((up) ? (counter) + ((counter) < 3) : (counter) - ((counter) > 0))

/* Return the prediction of a counter, or of the counters b and g with the chooser c. */
#define TAKEN(counter) ((counter) >= 2)
#define PREDICTED(c, b, g) (TAKEN(c) ? TAKEN(g) : TAKEN(b))

/*
 * The byte of a branch has its counter in bits [2:1] and its chooser in [4:3]. The chooser learns
 * from outcomes for which the two predictors differ. The byte of a history has its counter in bits
 * [6:5]. Both bytes, with the outcome in bit 0, are the index into the table after[]. An entry has
 * the new byte of the branch, the new byte of the history, and a bit for a misprediction.
 */
#define CHOOSER(c, b, g, taken) (TAKEN(b) == TAKEN(g) ? (c) : TRAINED(c, TAKEN(g) == (taken)))
#define AFTER(c, b, g, taken)                                                              \
	(TRAINED(b, taken) << 1 | CHOOSER(c, b, g, taken) << 3 | TRAINED(g, taken) << 13 | \
	 (PREDICTED(c, b, g) != (taken)) << 16)

/* The entries in the order of history counter, chooser, counter of the branch, and outcome. */
#define BY_OUTCOME(c, b, g) AFTER(c, b, g, 0), AFTER(c, b, g, 1)
#define BY_BRANCH(c, g) \
	BY_OUTCOME(c, 0, g), BY_OUTCOME(c, 1, g), BY_OUTCOME(c, 2, g), BY_OUTCOME(c, 3, g)
#define BY_CHOOSER(g) BY_BRANCH(0, g), BY_BRANCH(1, g), BY_BRANCH(2, g), BY_BRANCH(3, g)
static const uint32_t after[128] = {BY_CHOOSER(0), BY_CHOOSER(1), BY_CHOOSER(2), BY_CHOOSER(3)};

static inline bool direction_mispredicted(struct predictor *pr, uint64_t pc, bool taken)
{
	uint64_t place = pc >> 2, outcomes = pr->history, history = outcomes & pr->history_mask;
	uint8_t *by_branch = &pr->by_branch[place & pr->branch_index];
	uint8_t *by_history = &pr->by_history[(place ^ history ^ history >> pr->history_fold) &
	                                      pr->history_index];
	uint32_t then = after[*by_history | *by_branch | taken];

	*by_branch = (uint8_t)then;
	*by_history = (uint8_t)(then >> 8);
	pr->history = outcomes << 1 | taken;
	return then >> 16;
}

static void push_return(struct uarch_core *core, uint64_t address)
{
	struct predictor *pr = &core->predictor;

	pr->ras[pr->ras_top] = address;
	if (++pr->ras_top == core->profile->ras_entries)
		pr->ras_top = 0;
	if (pr->ras_depth < core->profile->ras_entries)
		pr->ras_depth++;
}

static bool return_mispredicted(struct uarch_core *core, uint64_t target)
{
	struct predictor *pr = &core->predictor;

	if (pr->ras_depth == 0)
		return true;
	pr->ras_depth--;
	pr->ras_top = (pr->ras_top ? pr->ras_top : core->profile->ras_entries) - 1;
	return pr->ras[pr->ras_top] != target;
}

static struct indirect_entry *indirect_slot(const struct uarch_core *core, uint64_t key)
{
	/* Fibonacci hashing: the high bits of the product are mixed best */
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);

	return &core->predictor.indirect[hash >> (64 - core->profile->indirect_shift)];
}

static bool indirect_mispredicted(struct uarch_core *core, uint64_t pc, uint64_t target)
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

/* Return true if the target of a taken branch was mispredicted: a return, an indirect branch, or a
 * call, which only pushes its return address. */
static ALWAYS_INLINE bool target_mispredicted(struct uarch_core *core, uint64_t pc, uint32_t flags,
                                              uint64_t target)
{
	bool mispredicted = false;

	if (flags & SPEMU_OPF_RETURN)
		mispredicted = return_mispredicted(core, target);
	else if (flags & SPEMU_OPF_INDIRECT)
		mispredicted = indirect_mispredicted(core, pc, target);
	if (flags & SPEMU_OPF_LINK)
		push_return(core, pc + 4);
	return mispredicted;
}

static ALWAYS_INLINE bool is_mispredicted(struct uarch_core *core, uint64_t pc, uint32_t flags,
                                          bool taken, uint64_t target)
{
	bool mispredicted = false;

	if (flags & SPEMU_OPF_CONDITIONAL)
		mispredicted = direction_mispredicted(&core->predictor, pc, taken);
	/* `taken` is tested last, because the host's CPU mispredicts it more often. */
	if (flags & (SPEMU_OPF_RETURN | SPEMU_OPF_INDIRECT | SPEMU_OPF_LINK) && taken)
		mispredicted |= target_mispredicted(core, pc, flags, target);
	return mispredicted;
}

/* Usually `result` is NULL. No branch of this code depends on modeled mispredictions in that
 * case, because the host's CPU could not predict them. */
INLINE_ACROSS_FILES bool uarch_branch(struct uarch_core *core, struct uarch_result *result,
                                      uint64_t pc, uint32_t flags, bool taken, uint64_t target)
{
	bool mispredicted = is_mispredicted(core, pc, flags, taken, target);

	core->totals[SPEMU_PERF_TOTAL_MISPREDICTED] += mispredicted;
	if (result && mispredicted)
		result->events |= EV(MISPREDICTED);
	return mispredicted;
}
