/* SPDX-License-Identifier: MIT */
#include "reason.h"

#include <ctype.h>

#define EV(name) (UINT64_C(1) << SPEMU_EV_##name)
#define OP(group) (1u << OP_##group)
#define FROM(name) (1u << SOURCE_##name)
#define SMALLER "make the working set smaller, access it in order, or prefetch"

const char *const area_words[AREAS] = {
        [AREA_CONTENTION] = "contention",
        [AREA_REMOTE] = "remote memory",
        [AREA_DRAM] = "DRAM",
        [AREA_LLC] = "last-level cache",
        [AREA_L2] = "L2 cache",
        [AREA_IN_FLIGHT] = "lines in flight",
        [AREA_TLB] = "TLB",
        [AREA_STORE] = "stores",
        [AREA_BRANCH] = "misprediction",
        [AREA_L1] = "L1 cache",
        [AREA_EXECUTION] = "execution",
        [AREA_ISSUE] = "waiting to issue",
};

const struct reason_text reason_texts[REASONS] = {
        [REASON_FALSE_SHARING] = {"false sharing", AREA_CONTENTION, true,
                                  "threads write different parts of one cache line",
                                  "give each thread its own line"},
        [REASON_CONTENDED_ATOMICS] = {"contended atomics", AREA_CONTENTION, true,
                                      "threads execute atomic operations on the same data",
                                      "count per thread, or take the lock less often"},
        [REASON_DATA_SHARING] = {"data sharing", AREA_CONTENTION, true,
                                 "threads wait for data that another thread writes",
                                 "write shared data less, or keep a copy per thread"},
        [REASON_REMOTE] = {"remote memory", AREA_REMOTE, true, "data come from another socket",
                           "place memory on the socket that uses it"},
        [REASON_LATE] = {"late lines", AREA_IN_FLIGHT, true,
                         "loads wait for cache lines that are already requested",
                         "request or prefetch them earlier"},
        [REASON_DRAM] = {"DRAM loads", AREA_DRAM, true, "loads miss every cache and wait for DRAM",
                         SMALLER},
        [REASON_LLC] = {"LLC loads", AREA_LLC, true,
                        "loads miss L1 and L2 and wait for the last-level cache", SMALLER},
        [REASON_L2_MISSES] = {"L2 misses", AREA_LLC, true, "loads miss L1 and L2", SMALLER},
        [REASON_L2] = {"L2 loads", AREA_L2, true, "loads miss L1 and wait for L2", SMALLER},
        [REASON_L1_MISSES] = {"L1 misses", AREA_L2, true, "loads miss L1", SMALLER},
        [REASON_ATOMICS] = {"atomics", AREA_EXECUTION, false,
                            "atomic operations execute on data in the own L1 cache",
                            "use fewer, or count per thread"},
        [REASON_L1] = {"L1 loads", AREA_L1, false, "loads hit the L1 cache",
                       "load less, or shorten chains of dependent loads"},
        [REASON_LOADS] = {"loads", AREA_L1, false,
                          "loads execute; the records do not show where the data were",
                          "look at their addresses"},
        [REASON_STORE_MISSES] = {"store misses", AREA_STORE, true, "stores miss L1",
                                 "make the working set smaller, or store less"},
        [REASON_STORE_WAIT] = {"store buffer", AREA_STORE, true,
                               "stores wait for room in the store buffer",
                               "store less, or spread the stores over time"},
        [REASON_STORES] = {"stores", AREA_EXECUTION, false, "stores execute", "store less"},
        [REASON_MISPREDICTED] = {"mispredicted", AREA_BRANCH, true, "branches are mispredicted",
                                 "make them predictable, or use conditional selects"},
        [REASON_BRANCHES] = {"branches", AREA_EXECUTION, false, "branches execute as predicted",
                             "use fewer, for example by unrolling loops"},
        [REASON_EXECUTION] = {"execution", AREA_EXECUTION, false, "operations execute",
                              "use fewer or faster ones, for example SIMD"},
        [REASON_ISSUE] = {"issue wait", AREA_ISSUE, false,
                          "operations wait for others before they issue",
                          "shorten dependency chains"},
        [REASON_TLB_WALKS] = {"TLB walks", AREA_TLB, true,
                              "address translation misses every TLB and walks the tables",
                              "use huge pages, or touch fewer pages"},
        [REASON_TLB_REFILLS] = {"TLB refills", AREA_TLB, true,
                                "address translation misses the first-level TLB",
                                "use huge pages, or touch fewer pages"},
};

enum {
	LOADS = OP(LOAD) | OP(ATOMIC),
	MEMORY = LOADS | OP(STORE),
	ANY = MEMORY | OP(BRANCH) | OP(OTHER)
};

/* The first rule that fits an operation, its events and its data source is its reason. */
static const struct rule {
	enum reason reason;
	unsigned ops;    /* groups of operations */
	uint64_t events; /* fitting events */
	unsigned from;   /* fitting data sources; if events and from are 0, any record fits */
} rules[] = {
        {REASON_CONTENDED_ATOMICS, OP(ATOMIC), EV(DATA_SNOOPED) | EV(CACHE_DATA_MODIFIED),
         SOURCE_OTHER_CORE},
        {REASON_DATA_SHARING, MEMORY, EV(DATA_SNOOPED) | EV(CACHE_DATA_MODIFIED),
         SOURCE_OTHER_CORE},
        {REASON_REMOTE, MEMORY, EV(REMOTE_ACCESS), FROM(REMOTE)},
        {REASON_LATE, LOADS, EV(RECENTLY_FETCHED), 0},
        {REASON_DRAM, LOADS, EV(LLC_MISS), FROM(DRAM)},
        {REASON_LLC, LOADS, EV(LLC_ACCESS), FROM(SYSTEM_CACHE)},
        {REASON_L2_MISSES, LOADS, EV(L2D_MISS), 0},
        {REASON_L2, LOADS, EV(L2D_ACCESS), FROM(L2)},
        {REASON_L1_MISSES, LOADS, EV(L1D_REFILL), 0},
        {REASON_ATOMICS, OP(ATOMIC), 0, 0},
        {REASON_L1, OP(LOAD), EV(L1D_ACCESS), FROM(L1)},
        {REASON_LOADS, OP(LOAD), 0, 0},
        {REASON_STORE_MISSES, OP(STORE), EV(L1D_REFILL) | EV(LLC_MISS), 0},
        {REASON_STORES, OP(STORE), 0, 0},
        {REASON_MISPREDICTED, OP(BRANCH), EV(MISPREDICTED), 0},
        {REASON_BRANCHES, OP(BRANCH), 0, 0},
        {REASON_EXECUTION, ANY, 0, 0},
};

bool is_snooped(uint64_t events, enum source_name source)
{
	return events & (EV(DATA_SNOOPED) | EV(CACHE_DATA_MODIFIED)) ||
	       SOURCE_OTHER_CORE >> source & 1;
}

static bool fits(const struct rule *r, enum op_group op, uint64_t events, enum source_name source)
{
	if (!(r->ops >> op & 1))
		return false;
	return (!r->events && !r->from) || events & r->events || r->from >> source & 1;
}

enum reason reason_of(enum op_group op, uint64_t events, enum source_name source)
{
	const struct rule *r = rules;

	while (!fits(r, op, events, source))
		r++;
	return r->reason;
}

enum reason reason_of_record(const struct spemu_record *rec, enum source_name source)
{
	const uint64_t needed = SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_EVENTS |
	                        SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL);
	uint64_t total = rec->counter[SPEMU_COUNTER_TOTAL];
	uint64_t issue = rec->counter[SPEMU_COUNTER_ISSUE];
	uint64_t translation = rec->counter[SPEMU_COUNTER_TRANSLATION];
	enum op_group op = op_group(rec->op_class, rec->op_subclass);

	if ((rec->present & needed) != needed)
		return REASONS;
	if (op != OP_BRANCH && 2 * translation > total - (issue < total ? issue : total))
		return rec->events & EV(TLB_WALK) ? REASON_TLB_WALKS : REASON_TLB_REFILLS;
	return reason_of(op, rec->events, source);
}

/* Compare without regard to case. A hyphen may stand for a blank. */
static bool is_same(const char *word, const char *name)
{
	while (*word && (tolower((unsigned char)*word) == tolower((unsigned char)*name) ||
	                 (*word == ' ' && *name == '-'))) {
		word++;
		name++;
	}
	return !*word && !*name;
}

unsigned reasons_named(const char *name)
{
	unsigned found = 0;

	for (unsigned r = 0; r < REASONS; r++)
		found |= (unsigned)(is_same(reason_texts[r].word, name) ||
		                    is_same(area_words[reason_texts[r].area], name))
		         << r;
	return found;
}
