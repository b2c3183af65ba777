/* SPDX-License-Identifier: MIT */
/*
 * The caches of one core: L1 data, and L2, which includes it. Write-back, write-allocate, true LRU.
 *
 * Another core may take a line away at any time (uarch__probe). So every change of a tag that
 * depends on its old value is a compare-and-swap, and a failed one means that the line is gone.
 */
#include "uarch_object.h"

static void tag_store(struct tag_cache *cache, uint32_t index, uint64_t tag)
{
	atomic_store_explicit(&cache->tags[index], tag, memory_order_relaxed);
}

/* Replace old by tag. Return false if another core changed it, which cannot happen while one core
 * is alone. */
static bool tag_swap(const struct uarch_core *core, struct tag_cache *cache, uint32_t index,
                     uint64_t old, uint64_t tag)
{
	if (core->shared->alone) {
		tag_store(cache, index, tag);
		return true;
	}
	return atomic_compare_exchange_strong_explicit(&cache->tags[index], &old, tag,
	                                               memory_order_relaxed, memory_order_relaxed);
}

bool uarch__to_modified(const struct uarch_core *core, struct tag_cache *cache, uint32_t index,
                        uint64_t line)
{
	uint64_t tag = tag_load(cache, index);

	while (tag >> 2 == line && (tag & 3) >= LINE_EXCLUSIVE) {
		if (tag_swap(core, cache, index, tag, line << 2 | LINE_MODIFIED))
			return true;
		tag = tag_load(cache, index);
	}
	return false;
}

/* Return the place in L1 of an invalid line in line's set, or else of the least recently used
 * line. */
static uint32_t longest_ago_in_l1(struct uarch_core *core, uint64_t line)
{
	struct tag_cache *l1d = &core->l1d;
	uint32_t base = ((uint32_t)line & l1d->set_mask) * l1d->ways, index = base;
	uint64_t longest_ago = UINT64_MAX;

	for (uint32_t i = base; i < base + l1d->ways; i++) {
		uint64_t when = tag_load(l1d, i) ? core->l1_use.when[i] : 0;

		if (when < longest_ago) {
			longest_ago = when;
			index = i;
		}
	}
	return index;
}

/*
 * Put a line into L1. It replaces an invalid line or, if there is none, the least recently used
 * one. Return the tag of the replaced line, or 0. If the line is already in L1, only its state
 * changes.
 */
static uint64_t replace_in_l1(struct uarch_core *core, uint64_t line, enum line_state state,
                              bool absent)
{
	struct tag_cache *l1d = &core->l1d;
	uint64_t victim;
	uint32_t index;

	if (absent || tag_find(l1d, line, &index) == LINE_INVALID)
		index = longest_ago_in_l1(core, line);
	victim = tag_load(l1d, index);
	tag_store(l1d, index, line << 2 | state);
	l1_used(core, line, index);
	return victim >> 2 == line ? 0 : victim;
}

/* Put line into L2 in the same way. */
static uint64_t replace_in_l2(struct uarch_core *core, uint64_t line, enum line_state state,
                              bool absent)
{
	struct tag_cache *cache = &core->l2;
	uint32_t set = (uint32_t)line & cache->set_mask, base = set * cache->ways;
	uint32_t way = core->l2_order[set] >> (4 * (cache->ways - 1)) & 15, index;
	uint64_t victim = 0;

	if (!absent && tag_find(cache, line, &index) != LINE_INVALID) {
		way = index - base;
	} else {
		for (uint32_t i = 0; i < cache->ways; i++) {
			if ((tag_load(cache, base + i) & 3) == LINE_INVALID) {
				way = i;
				break;
			}
		}
		victim = tag_load(cache, base + way);
	}
	tag_store(cache, base + way, line << 2 | state);
	core->l2_order[set] = order_touch(core->l2_order[set], way);
	return victim;
}

/*
 * Put line, which L2 has, into L1. If the replaced line was modified, its state is copied to L2.
 *
 * Another core may take or downgrade the line at the same time. It changes L2 and then looks at L1
 * (uarch__probe). This function writes L1 and then looks at L2. So one of the two sees the change
 * of the other, and L1 never has more rights than L2.
 */
void uarch__fill_l1(struct uarch_core *core, uint64_t line, enum line_state state, bool absent)
{
	uint64_t victim = replace_in_l1(core, line, state, absent);
	uint32_t index;

	if ((victim & 3) == LINE_MODIFIED &&
	    tag_find(&core->l2, victim >> 2, &index) != LINE_INVALID)
		uarch__to_modified(core, &core->l2, index, victim >> 2);
	if (core->shared->alone)
		return;
	atomic_thread_fence(memory_order_seq_cst);
	enum line_state in_l2 = tag_find(&core->l2, line, &index);

	if ((in_l2 == LINE_INVALID || (in_l2 == LINE_SHARED && state > LINE_SHARED)) &&
	    tag_find(&core->l1d, line, &index) != LINE_INVALID)
		tag_swap(core, &core->l1d, index, line << 2 | state, 0);
}

/* Put line into L2 alone. *dropped becomes 1 + the number of the line that L2 gave up for it, or
 * 0. */
void uarch__fill_l2(struct uarch_core *core, uint64_t line, enum line_state state, bool absent,
                    uint64_t *dropped)
{
	uint64_t victim = replace_in_l2(core, line, state, absent);
	uint32_t index;

	*dropped = victim ? (victim >> 2) + 1 : 0;
	if (victim && tag_find(&core->l1d, victim >> 2, &index) != LINE_INVALID)
		tag_store(&core->l1d, index, 0);
}

/* Downgrade line for another core to `left` (invalid or shared). Return the state that it had.
 * L2 comes first; see uarch__fill_l1(). */
enum line_state uarch__probe(struct uarch_core *core, uint64_t line, enum line_state left)
{
	struct tag_cache *caches[] = {&core->l2, &core->l1d};
	enum line_state found = LINE_INVALID;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t index;
		enum line_state state = tag_find(caches[i], line, &index);

		while (state != LINE_INVALID &&
		       !tag_swap(core, caches[i], index, line << 2 | state,
		                 left == LINE_INVALID ? 0 : line << 2 | left))
			state = tag_find(caches[i], line, &index);
		if (state > found)
			found = state;
		if (!core->shared->alone)
			atomic_thread_fence(memory_order_seq_cst);
	}
	return found;
}
