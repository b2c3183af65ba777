/* SPDX-License-Identifier: MIT */
/*
 * The last level cache, which the cores share. It includes their caches, and so is their directory.
 *
 * A request locks one set for some tens of nanoseconds. It asks the cores that may have the line
 * (MESI), and fills the caches of the requesting core before it unlocks, so that later requests
 * find them.
 *
 * Limits: once a core has an id of 64 or more, each bit of the sharers stands for several cores.
 */
#include <string.h>
#include "uarch_object.h"

/*
 * The number of attempts after which a lock counts as abandoned. fork() copies memory but not
 * threads, so a lock may belong to a thread that does not exist. The attempts take some tenths of a
 * second; with fewer, a holder that is not running at the moment would be mistaken for an abandoned
 * lock. Taking the lock from a live holder causes at worst a wrong result of the model.
 */
#define LOCK_PATIENCE (1u << 28)

static void lock(struct uarch_shared *shared, uint32_t set)
{
	atomic_uchar *byte = &shared->locks[set];

	for (unsigned i = 0; i < LOCK_PATIENCE && !shared->alone; i++) {
		if (!atomic_load_explicit(byte, memory_order_relaxed) &&
		    !atomic_exchange_explicit(byte, 1, memory_order_acquire))
			return;
	}
}

static void unlock(struct uarch_shared *shared, uint32_t set)
{
	if (!shared->alone)
		atomic_store_explicit(&shared->locks[set], 0, memory_order_release);
}

/* Return the smallest number above the ids of all cores. exact() returns true if each core has its
 * own bit. */
static unsigned id_limit(struct uarch_shared *shared)
{
	return atomic_load_explicit(&shared->id_limit, memory_order_relaxed);
}

static bool exact(struct uarch_shared *shared)
{
	return id_limit(shared) <= 64;
}

/* The copy of a line in the highest state in another core, and that core; LINE_INVALID: no core
 * had one. */
struct peer_copy {
	enum line_state state;
	unsigned id;
};

/* Make every core in sharers except self give up line down to the state `left`. Return the
 * highest copy. */
static struct peer_copy ask(struct uarch_shared *shared, const struct uarch_core *self,
                            uint64_t sharers, uint64_t line, enum line_state left)
{
	struct peer_copy found = {LINE_INVALID, 0};
	unsigned limit = id_limit(shared);

	for (unsigned bit = 0; sharers >> bit; bit++) {
		if (!(sharers >> bit & 1))
			continue;
		for (unsigned id = bit; id < limit; id += 64) {
			struct uarch_core *core =
			        atomic_load_explicit(&shared->cores[id], memory_order_acquire);

			if (core == NULL || core == self)
				continue;
			enum line_state state = uarch__probe(core, line, left);

			if (state > found.state)
				found = (struct peer_copy){state, id};
		}
		if (bit == 63)
			break;
	}
	return found;
}

/* Return the way of the line in its set, or the number of ways if it is not there. */
static uint32_t way_of(const struct directory *d, uint32_t set, uint64_t line)
{
	const uint64_t *tags = &d->tags[(size_t)set * d->ways];
	uint32_t way = 0;

	while (way < d->ways && (tags[way] >> 2 != line || !tags[way]))
		way++;
	return way;
}

/*
 * Return the index of line, and make it the most recently used. A new line replaces the least
 * recently used one. The copies of the replaced line are removed from all cores (inclusion). The
 * new line has no sharers yet. The caller sets its tag.
 */
static size_t line_used(struct uarch_shared *shared, uint32_t set, uint64_t line, bool *hit)
{
	struct directory *d = &shared->directory;
	uint64_t order = d->order[set] ^ ORDER_INITIAL;
	uint32_t way = way_of(d, set, line);
	size_t index;

	*hit = way < d->ways;
	if (!*hit)
		way = order >> (4 * (d->ways - 1)) & 15;
	index = (size_t)set * d->ways + way;
	if (!*hit) {
		if (d->tags[index])
			ask(shared, NULL, d->sharers[index], d->tags[index] >> 2, LINE_INVALID);
		d->sharers[index] = 0;
	}
	d->order[set] = order_touch(order, way) ^ ORDER_INITIAL;
	return index;
}

/*
 * Return the sharers of a line without those that no longer have it. A core whose L2 gives up a
 * line tells nobody, because that would cost a lock and a cache miss of the host for each line. The
 * first sharer that has the line decides for a load, so the ones after it stay.
 */
static uint64_t still_sharers(struct uarch_shared *shared, uint64_t sharers, uint64_t line)
{
	for (uint64_t left = sharers; left; left &= left - 1) {
		const struct uarch_core *core = atomic_load_explicit(
		        &shared->cores[__builtin_ctzll(left)], memory_order_acquire);
		uint32_t index;

		if (core && tag_find(&core->l2, line, &index))
			return left;
	}
	return 0;
}

void uarch_alone(struct uarch_shared *shared, bool alone)
{
	shared->alone = alone;
}

static unsigned socket_of(const struct uarch_profile *p, unsigned id)
{
	return id / p->socket_cores % p->sockets;
}

bool uarch__is_remote(const struct uarch_core *core, uint64_t line, enum uarch_source source,
                      unsigned peer)
{
	const struct uarch_profile *p = core->profile;
	unsigned socket;

	if (p->sockets <= 1)
		return false;
	socket = source == UARCH_SRC_PEER ? socket_of(p, peer)
	                                  : (unsigned)((line >> core->page_lines) % p->sockets);

	return socket != socket_of(p, core->id);
}

struct fetched uarch__fetch(struct uarch_core *core, uint64_t line, unsigned how)
{
	bool exclusive = how & FETCH_EXCLUSIVE, absent = how & FETCH_ABSENT;
	struct uarch_shared *shared = core->shared;
	struct directory *d = &shared->directory;
	uint32_t set = (uint32_t)line & d->set_mask;
	uint64_t self = UINT64_C(1) << core->id % 64, others;
	struct fetched got = {UARCH_SRC_LLC, false};
	enum line_state state = LINE_MODIFIED;
	struct peer_copy peer = {LINE_INVALID, 0};
	bool hit;

	/* Prefetch the sharers, which are needed once the line is found. Both are far from the
	 * host's CPU. */
	for (uint32_t way = 0; way < d->ways; way += 8)
		__builtin_prefetch(&d->sharers[(size_t)set * d->ways + way]);
	lock(shared, set);
	size_t at = line_used(shared, set, line, &hit);

	if (!hit)
		got.source = UARCH_SRC_DRAM;
	/* A bit that several cores share may represent another core. */
	others = d->sharers[at] & (exact(shared) ? ~self : ~UINT64_C(0));
	if (others && !exclusive && exact(shared))
		others = still_sharers(shared, others, line);
	if (others && (exclusive || d->tags[at] & DIRECTORY_OWNED)) {
		peer = ask(shared, core, others, line, exclusive ? LINE_INVALID : LINE_SHARED);
		if (peer.state >= LINE_EXCLUSIVE)
			got.source = UARCH_SRC_PEER;
		got.modified = peer.state == LINE_MODIFIED;
	}
	if (!exclusive)
		state = others ? LINE_SHARED : LINE_EXCLUSIVE;
	d->sharers[at] = (exclusive ? 0 : others) | self;
	d->tags[at] = line << 2 | (state == LINE_SHARED ? 0 : DIRECTORY_OWNED) | 1;
	uarch__fill_l2(core, line, state, absent);
	if (!(how & FETCH_L2))
		uarch__fill_l1(core, line, state, absent);
	unlock(shared, set);
	if (uarch__is_remote(core, line, got.source, peer.id))
		got.source |= UARCH_SRC_REMOTE;
	return got;
}
