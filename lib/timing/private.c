/* SPDX-License-Identifier: MIT */
/*
 * The caches of one core: L1 data, and L2, which includes it. Write-back, write-allocate, true LRU.
 * A line that is modified in L1 is modified in L2, too.
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
		if ((tag & 3) == LINE_MODIFIED ||
		    tag_swap(core, cache, index, tag, line << 2 | LINE_MODIFIED))
			return true;
		tag = tag_load(cache, index);
	}
	return false;
}

bool uarch__l1_to_modified(struct uarch_core *core, uint32_t index, uint64_t line)
{
	uint32_t in_l2;

	if (tag_load(&core->l1d, index) == (line << 2 | LINE_MODIFIED))
		return true;
	if (!uarch__to_modified(core, &core->l1d, index, line))
		return false;
	if (tag_find(&core->l2, line, &in_l2) != LINE_INVALID)
		uarch__to_modified(core, &core->l2, in_l2, line);
	return true;
}

/* Return the place in L1 of an invalid line in line's set, or else of the least recently used
 * line. Times are multiples of USE, so the way has room in the bits below. */
static uint32_t longest_ago_in_l1(const struct uarch_core *core, uint64_t line)
{
	const struct tag_cache *l1d = &core->l1d;
	uint32_t base = ((uint32_t)line & l1d->set_mask) * l1d->ways;
	uint64_t longest_ago = UINT64_MAX;

	for (uint32_t way = 0; way < l1d->ways; way++) {
		uint64_t valid = tag_load(l1d, base + way) ? UINT64_MAX : 0;
		uint64_t when = (core->l1_use.when[base + way] & valid) | way;

		longest_ago = when < longest_ago ? when : longest_ago;
	}
	return base + (uint32_t)(longest_ago % USE);
}

/*
 * Put a line into L1. It replaces an invalid line or, if there is none, the least recently used
 * one. Return its place. If the line is already in L1, only its state changes. A replaced line
 * needs no further care, because L2 has its state.
 */
uint32_t uarch__fill_l1(struct uarch_core *core, uint64_t line, enum line_state state, bool absent)
{
	uint32_t index;

	if (absent || tag_find(&core->l1d, line, &index) == LINE_INVALID)
		index = longest_ago_in_l1(core, line);
	tag_store(&core->l1d, index, line << 2 | state);
	l1_used(core, line, index);
	core->absent = UINT64_MAX;
	return index;
}

/* Put line into L2 in the same way. Return the tag of the replaced line, or 0. */
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
 * Another core may take or downgrade the line at the same time. It changes L2 and then looks at L1
 * (uarch__probe). This function writes L1 and then looks at L2. So one of the two sees the change
 * of the other, and L1 never has more rights than L2.
 */
void uarch__fill_l1_from_l2(struct uarch_core *core, uint64_t line, enum line_state state,
                            uint32_t in_l2)
{
	uint32_t index = uarch__fill_l1(core, line, state, true);
	uint64_t tag;

	if (core->shared->alone)
		return;
	atomic_thread_fence(memory_order_seq_cst);
	tag = tag_load(&core->l2, in_l2);
	if (!tag_is(tag, line, state > LINE_SHARED ? LINE_EXCLUSIVE : LINE_SHARED))
		tag_swap(core, &core->l1d, index, line << 2 | state, 0);
}

void uarch__fill_l2(struct uarch_core *core, uint64_t line, enum line_state state, bool absent)
{
	uint64_t victim = replace_in_l2(core, line, state, absent);
	uint32_t index;

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
