/* SPDX-License-Identifier: MIT */
/*
 * The reason of each cycle. A total latency has three parts: issue, translation and execution.
 *   issue        cycles beyond the shortest issue latency of the recordings are "issue wait"; every
 *                operation pays the shortest one, which counts as execution
 *   translation  "TLB walks" with the TLB walk event, else "TLB refills"
 *   execution    the first row of the table that fits the operation, its events and its data source
 * A mispredicted branch counts MISPREDICTION_CYCLES more.
 */
#include "reason.h"
#include "../session/data_source.h"
#include "../base/optext.h"

#define EV(name) (UINT64_C(1) << SPEMU_EV_##name)
#define OP(group) (1u << OP_##group)
#define FROM(name) (1u << SOURCE_##name)

enum {
	LOADS = OP(LOAD) | OP(ATOMIC),
	MEMORY = LOADS | OP(STORE),
	ANY = MEMORY | OP(BRANCH) | OP(OTHER)
};

static const struct rule {
	struct reason reason;
	unsigned ops;        /* groups of operations */
	uint64_t events;     /* fitting events */
	unsigned from;       /* fitting data sources; if events and from are 0, any record fits */
	bool falsely_shared; /* true to require data of another core on a falsely shared line */
} rules[] = {
        {{"false sharing", "threads write different parts of one cache line"},
         MEMORY,
         .falsely_shared = true},
        {{"data sharing", "the data are in the cache of another core"},
         MEMORY,
         EV(DATA_SNOOPED) | EV(CACHE_DATA_MODIFIED),
         SOURCE_OTHER_CORE},
        {{"remote memory", "the data are with another socket"},
         MEMORY,
         EV(REMOTE_ACCESS),
         FROM(REMOTE)},
        {{"late lines", "the lines were asked for before, and have not come yet"},
         LOADS,
         EV(RECENTLY_FETCHED)},
        {{"DRAM loads", "the data are in no cache"}, LOADS, EV(LLC_MISS), FROM(DRAM)},
        {{"LLC loads", "the data are in the last level cache alone"},
         LOADS,
         EV(LLC_ACCESS),
         FROM(SYSTEM_CACHE)},
        {{"L2 misses", "the data are not in the level 2 cache"}, LOADS, EV(L2D_MISS)},
        {{"L2 loads", "the data are in the level 2 cache, not in level 1"},
         LOADS,
         EV(L2D_ACCESS),
         FROM(L2)},
        {{"L1 misses", "the data are not in the level 1 cache"}, LOADS, EV(L1D_REFILL)},
        {{"atomics", "atomic operations whose data are near"}, OP(ATOMIC)},
        {{"L1 loads", "the data are in the level 1 cache"}, OP(LOAD), EV(L1D_ACCESS), FROM(L1)},
        {{"loads", "no event says where the data are"}, OP(LOAD)},
        {{"store misses", "the lines to write are not in the level 1 cache"},
         OP(STORE),
         EV(L1D_REFILL) | EV(LLC_MISS)},
        {{"stores", "stores are executed, and wait for room in the store buffer"}, OP(STORE)},
        {{"mispredicted", "branches go another way than predicted"}, OP(BRANCH), EV(MISPREDICTED)},
        {{"branches", "branches are executed, as predicted"}, OP(BRANCH)},
        {{"execution", "operations are executed"}, ANY},
};
enum { RULE_COUNT = sizeof(rules) / sizeof(rules[0]) };

static const struct reason parts[] = {
        {"issue wait", "operations wait for others before they are issued"},
        {"TLB walks", "the pages are in no TLB"},
        {"TLB refills", "the pages are not in the first TLB"},
};
enum { ISSUE_WAIT = RULE_COUNT, TLB_WALKS, TLB_REFILLS, REASONS };

unsigned reason_count(void)
{
	return REASONS;
}

const struct reason *reason_at(unsigned index)
{
	return index < RULE_COUNT ? &rules[index].reason : &parts[index - RULE_COUNT];
}

static bool is_falsely_shared(const struct profile *p, const struct facet *f)
{
	enum sharing how = f->line ? line_sharing(&p->lines[f->line - 1]) : SHARING_NONE;

	return how == SHARING_FALSE || how == SHARING_MAYBE;
}

static bool fits(const struct rule *r, const struct profile *p, const struct facet *f)
{
	if (!(r->ops & 1u << facet_operation(f)))
		return false;
	if (r->falsely_shared)
		return is_falsely_shared(p, f);
	if (!r->events && !r->from)
		return true;
	return f->events & r->events || r->from & 1u << f->source_name;
}

/* Return the reason of the execution cycles of samples of a facet. */
static unsigned reason_of_execution(const struct profile *p, const struct facet *f)
{
	unsigned i = 0;

	while (!fits(&rules[i], p, f))
		i++;
	return i;
}

void reason_add(uint64_t cycles[REASON_MAX], const struct profile *p, const struct facet *f,
                const struct sums *sums)
{
	uint64_t least = p->least_issue * sums->issue_known, wait;

	_Static_assert((int)REASONS <= (int)REASON_MAX, "room for every reason");
	if (!f->has_events || f->op_class == SPEMU_CLASS_RESERVED || !sums->timed)
		return;
	wait = sums->issue > least ? sums->issue - least : 0;
	cycles[ISSUE_WAIT] += wait;
	cycles[f->events & EV(TLB_WALK) ? TLB_WALKS : TLB_REFILLS] += sums->translation;
	cycles[reason_of_execution(p, f)] += sums->execution + sums->issue - wait;
	if (facet_operation(f) == OP_BRANCH && f->events & EV(MISPREDICTED))
		cycles[reason_of_execution(p, f)] += MISPREDICTION_CYCLES * sums->timed;
}

unsigned reason_most(const uint64_t cycles[REASON_MAX])
{
	unsigned most = 0;

	for (unsigned i = 1; i < REASONS; i++) {
		if (cycles[i] > cycles[most])
			most = i;
	}
	return cycles[most] ? most : REASON_MAX;
}

uint64_t reason_take_wait(uint64_t cycles[REASON_MAX])
{
	uint64_t wait = cycles[ISSUE_WAIT];

	cycles[ISSUE_WAIT] = 0;
	return wait;
}

uint64_t reason_sum(const uint64_t cycles[REASON_MAX])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < REASONS; i++)
		sum += cycles[i];
	return sum;
}
