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
#define SMALLER "make the working set smaller or prefetch"

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
        {{"false sharing",
          "threads write different parts of one cache line; give each thread its own line"},
         MEMORY,
         .falsely_shared = true},
        {{"data sharing",
          "data come from another core's cache; write shared data less, or keep a copy per thread"},
         MEMORY,
         EV(DATA_SNOOPED) | EV(CACHE_DATA_MODIFIED),
         SOURCE_OTHER_CORE},
        {{"remote memory",
          "data come from another socket; place memory on the socket that uses it"},
         MEMORY,
         EV(REMOTE_ACCESS),
         FROM(REMOTE)},
        {{"late lines",
          "loads wait for cache lines already requested; request or prefetch earlier"},
         LOADS,
         EV(RECENTLY_FETCHED)},
        {{"DRAM loads", "loads miss every cache and wait for DRAM; " SMALLER},
         LOADS,
         EV(LLC_MISS),
         FROM(DRAM)},
        {{"LLC loads", "loads miss L1 and L2 and wait for the last-level cache; " SMALLER},
         LOADS,
         EV(LLC_ACCESS),
         FROM(SYSTEM_CACHE)},
        {{"L2 misses", "loads miss L1 and L2; " SMALLER}, LOADS, EV(L2D_MISS)},
        {{"L2 loads", "loads miss L1 and wait for L2; " SMALLER}, LOADS, EV(L2D_ACCESS), FROM(L2)},
        {{"L1 misses", "loads miss L1; " SMALLER}, LOADS, EV(L1D_REFILL)},
        {{"atomics", "atomic operations execute on nearby data; use fewer, or count per thread"},
         OP(ATOMIC)},
        {{"L1 loads", "loads hit L1; shorten chains of dependent loads, or load less"},
         OP(LOAD),
         EV(L1D_ACCESS),
         FROM(L1)},
        {{"loads", "loads whose data source the records do not show; check their addresses"},
         OP(LOAD)},
        {{"store misses", "stores miss L1; make the working set smaller, or store less"},
         OP(STORE),
         EV(L1D_REFILL) | EV(LLC_MISS)},
        {{"stores", "stores execute or wait for room in the store buffer; store less"}, OP(STORE)},
        {{"mispredicted",
          "branches are mispredicted; make them predictable, or use conditional selects"},
         OP(BRANCH),
         EV(MISPREDICTED)},
        {{"branches", "branches execute as predicted; use fewer, for example by unrolling loops"},
         OP(BRANCH)},
        {{"execution", "operations execute; use fewer or faster ones, for example SIMD"}, ANY},
};
enum { RULE_COUNT = sizeof(rules) / sizeof(rules[0]) };

static const struct reason parts[] = {
        {"issue wait", "operations wait for others before they issue; shorten dependency chains"},
        {"TLB walks", "address translation misses every TLB; use huge pages or fewer pages"},
        {"TLB refills", "address translation misses the L1 TLB; use huge pages or fewer pages"},
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
