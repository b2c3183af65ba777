/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of sampling windows, and the changes of threads between translations; see
 * sampled_window.h. */
#include <pthread.h>
#include <stdatomic.h>

#include "fresh_memory.h"
#include "previous_target.h"
#include "qemu_series.h"
#include "qemu_symbols.h"
#include "restart_block.h"
#include "sampled_window.h"

/* The bit of the translation flags that differs within sampling windows: a bit of the cluster's
 * number. */
#define WINDOW_BIT 0x01000000u

/*
 * Lengths of sampling windows, in operations. The first sampling window begins with the program and
 * is complete (uarch_window()). Among the later ones that begin at their time, each fourth is long,
 * for large caches. Any other becomes long if it misses much in code of which too little is known.
 * Sampling windows that begin sooner are the shortest. They are long enough for L1, and there are
 * twice as many for the same operations, so that they meet short phases, too.
 */
#define FIRST (UINT64_C(1) << 18)
#define SHORT (UINT64_C(1) << 18)
#define LONG (UINT64_C(1) << 20)
#define SOONER (UINT64_C(1) << 17)
#define LONG_EACH 4
#define STARTING (LONG * 2) /* code is new: none becomes long or begins sooner */

/* From DEEP_FIRST on, a sampling window continues for L2 up to DEEP operations, but at most for a
 * DEEP_PART-th of the operations executed so far. The next such sampling window begins DEEP_APART
 * times as far from the start. */
#define DEEP (UINT64_C(1) << 23)
#define DEEP_FIRST (DEEP * 8)
#define DEEP_PART 8
#define DEEP_APART 4

/* Distance from the end of a sampling window to the next, in units of SHORT. It doubles after a
 * sampling window at its time that saw only known code, and halves after one that did not. */
#define APART_LEAST 12
#define APART_MOST 768

/*
 * The next sampling window begins at once after UNKNOWN_MOST successive samples of unknown
 * instructions, which indicate a new phase. It also begins when such samples are an eighth of the
 * recent ones. These sampling windows take at most a SOONER_APART-th of the operations, plus SPARE
 * for short programs.
 */
#define UNKNOWN_MOST 4
#define UNKNOWN_SHARE 8
#define LATE_SAMPLES 64
#define SOONER_APART 64
#define SPARE (UINT64_C(1) << 21)

/* Statistics of instructions, in the order in which they are met, because the instructions of a
 * block are used together. Each takes as few of the host's cache lines as possible. `slots` is a
 * hash table: the index of a place plus 1, or 0. */
#define SLOTS_SHIFT 17
#define SLOTS (1u << SLOTS_SHIFT)
#define INSNS (SLOTS / 4 * 3)
struct place {
	_Alignas(128) struct insn_stats stats;
};
struct insn_table {
	struct place place[INSNS];
	uint32_t slots[SLOTS];
	uint32_t used;
};

/* State of the process's sampling windows; changed under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t executed, change_at = FIRST;
static _Atomic bool wanted = true; /* a sampling window is in force */
static uint64_t length = FIRST;
static uint64_t ended;
static unsigned windows;     /* sampling windows that began at their time */
static bool complete = true; /* the present sampling window is the first */
static bool begins_sooner;
static bool is_deep;                  /* the sampling window continues for L2 */
static uint64_t deep_at = DEEP_FIRST; /* earliest start of the next for L2 */
static unsigned apart = APART_LEAST;
static uint32_t distances; /* distances computed so far */
/* Samples since the sampling window ended, with more weight on recent ones: the estimated samples,
 * the samples of unknown instructions, and the unknown ones after the last known one. */
static unsigned estimated, unknown, unknown_last;
static uint64_t sooner; /* operations of sampling windows that began sooner */

static uint32_t outside; /* value of WINDOW_BIT outside sampling windows */

static uint32_t flags_in_force(void)
{
	return qemu_word(current_cpu, CPU_TCG_CFLAGS);
}

bool window_translating(void)
{
	return process.calibrated && (flags_in_force() & WINDOW_BIT) != outside;
}

static void change_flags(void)
{
	uint32_t flags = flags_in_force() ^ WINDOW_BIT;

	memcpy(qemu_member(current_cpu, CPU_TCG_CFLAGS), &flags, sizeof(flags));
}

void window_thread_starts(struct vcpu *vcpu)
{
	static bool known;

	if (!known)
		outside = flags_in_force() & WINDOW_BIT;
	known = true;
	if (window_translating())
		change_flags();
	vcpu->windowed = false;
}

/* Return true if a sampling window has to begin because of unknown instructions. */
static bool is_due(uint64_t now)
{
	if (wanted || now < STARTING || now >= change_at || unknown < UNKNOWN_MOST ||
	    now < ended + SHORT)
		return false;
	return (unknown_last >= UNKNOWN_MOST || unknown * UNKNOWN_SHARE >= estimated) &&
	       sooner + SOONER <= now / SOONER_APART + SPARE;
}

void window_estimated(bool known)
{
	pthread_mutex_lock(&lock);
	if (++estimated == LATE_SAMPLES) {
		estimated /= 2;
		unknown /= 2;
	}
	unknown += !known;
	unknown_last = known ? 0 : unknown_last + 1;
	if (is_due(executed)) {
		sooner += SOONER;
		begins_sooner = true;
		change_at = executed;
	}
	pthread_mutex_unlock(&lock);
}

/* Begin a sampling window, whose time has come. */
static void begin_window(uint64_t now)
{
	wanted = true;
	complete = false;
	if (begins_sooner)
		length = SOONER;
	else
		length = ++windows % LONG_EACH ? SHORT : LONG;
	begins_sooner = is_deep = false;
	change_at = now + length;
}

/* Return true if the sampling window continues for L2. */
static bool goes_deep(const struct vcpu *vcpu, uint64_t now)
{
	uint64_t most = now / DEEP_PART < DEEP ? now / DEEP_PART : DEEP;

	if (!is_deep && (now < deep_at || length < SHORT))
		return false;
	if (vcpu->windowed && length < most && uarch_wants_l2(vcpu->core)) {
		is_deep = true;
		deep_at = now * DEEP_APART;
		return true;
	}
	return false;
}

/*
 * Return the operations until the next sampling window: half of the distance, plus a part of the
 * distance from an evenly spread sequence, so that sampling windows do not keep step with the
 * program's phases.
 */
static uint64_t distance(void)
{
	const uint32_t golden = 0x9e3779b9u;
	uint64_t usual = (apart - 1) * SHORT;

	return usual / 2 + (usual * (++distances * golden >> 16) >> 16);
}

/* End the sampling window or let it continue. */
static void end_window(struct vcpu *vcpu, uint64_t now)
{
	if (length < LONG && now >= STARTING && vcpu->windowed && uarch_wants_more(vcpu->core)) {
		change_at = now + LONG - length;
		length = LONG;
		return;
	}
	if (goes_deep(vcpu, now)) {
		change_at = now + SHORT;
		length += SHORT;
		return;
	}
	if (!vcpu->windowed || !uarch_as_known(vcpu->core))
		apart = apart / 2 > APART_LEAST ? apart / 2 : APART_LEAST;
	else if (length >= SHORT)
		apart = apart * 2 < APART_MOST ? apart * 2 : APART_MOST;
	wanted = false;
	ended = now;
	estimated = unknown = unknown_last = 0;
	change_at = now + distance();
}

void window_executed(struct vcpu *vcpu, uint64_t operations)
{
	uint64_t now = atomic_fetch_add(&executed, operations) + operations;

	if (now < change_at)
		return;
	pthread_mutex_lock(&lock);
	if (now >= change_at && wanted) /* otherwise another thread has handled it */
		end_window(vcpu, now);
	else if (now >= change_at)
		begin_window(now);
	pthread_mutex_unlock(&lock);
}

void window_follow(struct vcpu *vcpu, const struct block *block, uintptr_t ra)
{
	if (vcpu->windowed == wanted || vcpu->flight.active || vcpu->dead || !vcpu->core ||
	    !restart_block_allowed(current_cpu))
		return;
	previous_target_release(vcpu);
	vcpu->windowed = !vcpu->windowed;
	if (vcpu->windowed)
		uarch_window(vcpu->core, complete);
	change_flags();
	previous_target_hold(vcpu);
	vcpu->previous.followed = false;
	vcpu->previous.known = PREVIOUS_BRANCH_UNKNOWN;
	countdown[vcpu->index].branch_flags = 0;
	*countdown_left(vcpu->index) += block->insns;
	leave_block(current_cpu, ra);
}

/* Return the slot of pc, or the free slot for it. */
static uint32_t *slot_of(struct insn_table *table, uint64_t pc)
{
	uint64_t hash = (pc >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOTS_SHIFT);

	while (table->slots[hash] && table->place[table->slots[hash] - 1].stats.pc != pc)
		hash = (hash + 1) % SLOTS;
	return &table->slots[hash];
}

struct insn_stats *window_insn_stats(uint64_t pc)
{
	static struct insn_table *table;
	static struct insn_stats others;
	struct insn_stats *stats = &others;
	uint32_t *slot;

	pthread_mutex_lock(&lock);
	if (!table)
		table = fresh_memory(sizeof(*table), MAP_NORESERVE);
	if (table) {
		slot = slot_of(table, pc);
		if (!*slot && table->used < INSNS) {
			table->place[table->used].stats.pc = pc;
			*slot = ++table->used;
		}
		if (*slot)
			stats = &table->place[*slot - 1].stats;
	}
	pthread_mutex_unlock(&lock);
	return stats;
}
