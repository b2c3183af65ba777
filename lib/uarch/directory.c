// SPDX-License-Identifier: MIT
/*
 * The last level cache, shared by the cores, which includes their caches and so knows who has what.
 *
 * A request locks one set for some tens of nanoseconds. It asks the cores that may have the line
 * (MESI), and fills the caches of the asking core before it unlocks, so that no later request can
 * miss them.
 *
 * Limits: once a core has an id of 64 or more, a bit of the sharers is that of several cores.
 */
#include <string.h>
#include "uarch_object.h"

/*
 * A lock seen taken this often, some tenths of a second, belongs to a thread that is gone: fork()
 * copies memory but not threads. Shorter would mistake a holder that the system does not run just
 * now. Taking over from a live one costs at worst a wrong answer of the model.
 */
#define LOCK_PATIENCE (1u << 28)

static void lock(atomic_uchar *lock_byte)
{
	for (unsigned i = 0; i < LOCK_PATIENCE; i++) {
		if (!atomic_load_explicit(lock_byte, memory_order_relaxed) &&
		    !atomic_exchange_explicit(lock_byte, 1, memory_order_acquire))
			return;
	}
}

static void unlock(atomic_uchar *lock_byte)
{
	atomic_store_explicit(lock_byte, 0, memory_order_release);
}

/* The ids of the cores there are, and whether each has a bit of its own. */
static unsigned id_limit(struct spemu_uarch_shared *shared)
{
	return atomic_load_explicit(&shared->id_limit, memory_order_relaxed);
}

static bool exact(struct spemu_uarch_shared *shared)
{
	return id_limit(shared) <= 64;
}

/* Ask every core in sharers but self for line. Returns the highest state that one had. */
static enum line_state ask(struct spemu_uarch_shared *shared, const struct spemu_uarch_core *self,
                           uint64_t sharers, uint64_t line, enum line_state left)
{
	enum line_state found = LINE_INVALID;
	unsigned limit = id_limit(shared);

	for (unsigned bit = 0; sharers >> bit; bit++) {
		if (!(sharers >> bit & 1))
			continue;
		for (unsigned id = bit; id < limit; id += 64) {
			struct spemu_uarch_core *core =
			        atomic_load_explicit(&shared->cores[id], memory_order_acquire);

			if (core == NULL || core == self)
				continue;
			enum line_state state = spemu__uarch_probe(core, line, left);

			if (state > found)
				found = state;
		}
		if (bit == 63)
			break;
	}
	return found;
}

/* The entry of line in its set, moved to the front; a new one, whose tag the caller sets, replaces the last, whose
 * copies go with it (inclusion). */
static struct directory_entry *entry_at_front(struct spemu_uarch_shared *shared, uint64_t line,
                                              bool *hit)
{
	struct directory_entry *set =
	        &shared->entries[(size_t)((uint32_t)line & shared->set_mask) * shared->ways];
	static const struct directory_entry unshared;
	struct directory_entry entry;
	uint32_t i;

	for (i = 0; i < shared->ways - 1; i++) {
		if (set[i].tag >> 2 == line || set[i].tag == 0)
			break;
	}
	*hit = set[i].tag != 0 && set[i].tag >> 2 == line;
	entry = *hit ? set[i] : unshared;
	if (!*hit && set[i].tag)
		ask(shared, NULL, set[i].sharers, set[i].tag >> 2, LINE_INVALID);
	memmove(&set[1], &set[0], i * sizeof(set[0]));
	set[0] = entry;
	return &set[0];
}

/* The core's L2 gave up line. With shared bits the other cores of the bit may still have it. */
static void drop(struct spemu_uarch_core *core, uint64_t line)
{
	struct spemu_uarch_shared *shared = core->shared;
	uint32_t set = (uint32_t)line & shared->set_mask;
	struct directory_entry *entries = &shared->entries[(size_t)set * shared->ways];

	if (!exact(shared))
		return;
	lock(&shared->locks[set]);
	for (uint32_t i = 0; i < shared->ways; i++) {
		if (entries[i].tag == 0 || entries[i].tag >> 2 != line)
			continue;
		entries[i].sharers &= ~(UINT64_C(1) << core->id);
		break;
	}
	unlock(&shared->locks[set]);
}

struct fetched spemu__uarch_fetch(struct spemu_uarch_core *core, uint64_t line, bool exclusive)
{
	struct spemu_uarch_shared *shared = core->shared;
	uint32_t set = (uint32_t)line & shared->set_mask;
	uint64_t self = UINT64_C(1) << core->id % 64, dropped;
	struct fetched got = {SPEMU_UARCH_SRC_LLC, false};
	enum line_state state = LINE_MODIFIED;
	bool hit;

	lock(&shared->locks[set]);
	struct directory_entry *entry = entry_at_front(shared, line, &hit);

	if (!hit)
		got.source = SPEMU_UARCH_SRC_DRAM;
	if (exclusive || entry->tag & DIRECTORY_OWNED) {
		enum line_state peer = ask(shared, core, entry->sharers, line,
		                           exclusive ? LINE_INVALID : LINE_SHARED);

		if (peer >= LINE_EXCLUSIVE)
			got.source = SPEMU_UARCH_SRC_PEER;
		got.modified = peer == LINE_MODIFIED;
	}
	if (exclusive) {
		entry->sharers = self;
	} else {
		/* alone: exclusive; a bit of several cores is never alone twice */
		bool alone = (entry->sharers & (exact(shared) ? ~self : ~UINT64_C(0))) == 0;

		state = alone ? LINE_EXCLUSIVE : LINE_SHARED;
		entry->sharers |= self;
	}
	entry->tag = line << 2 | (state == LINE_SHARED ? 0 : DIRECTORY_OWNED) | 1;
	spemu__uarch_fill(core, line, state, &dropped);
	unlock(&shared->locks[set]);
	if (dropped)
		drop(core, dropped - 1);
	return got;
}
