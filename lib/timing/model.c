/* SPDX-License-Identifier: MIT */
/* Construction of the shared object and the cores in the caller's memory. */
#include <string.h>
#include <spemu/status.h>
#include "base/take.h"
#include "core_clock.h"
#include "uarch_object.h"

#define ALIGNMENT 64

/* An allocator of aligned parts of the memory at base. If base is NULL, it only adds up their
 * sizes. */
struct carver {
	char *base;
	size_t used;
};

static void *carve(struct carver *carver, size_t size)
{
	size_t at = carver->used;

	carver->used = (at + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return carver->base ? carver->base + at : NULL;
}

static struct uarch_shared *carve_shared(struct carver *carver, const struct uarch_profile *p,
                                         unsigned max_cores)
{
	struct uarch_shared *shared = carve(carver, sizeof(*shared));
	uint32_t sets = p->llc.entries / p->llc.ways;
	void *cores = carve(carver, max_cores * sizeof(*shared->cores));
	void *locks = carve(carver, sets * sizeof(*shared->locks));
	struct directory directory = {.set_mask = sets - 1, .ways = p->llc.ways};

	directory.tags = carve(carver, p->llc.entries * sizeof(*directory.tags));
	directory.sharers = carve(carver, p->llc.entries * sizeof(*directory.sharers));
	directory.order = carve(carver, sets * sizeof(*directory.order));
	struct page_table *table = carve(carver, 2 * sizeof(*table));

	if (shared) {
		shared->profile = *p;
		shared->max_cores = max_cores;
		shared->cores = cores;
		shared->locks = locks;
		shared->directory = directory;
		shared->pages.table = table;
	}
	return shared;
}

static void carve_cache(struct carver *carver, struct tag_cache *cache,
                        const struct uarch_level *level)
{
	uint32_t sets = level->entries / level->ways;

	cache->tags = carve(carver, level->entries * sizeof(*cache->tags));
	cache->set_mask = sets - 1;
	cache->ways = level->ways;
}

/* Carve the order of the ways of each set, initially the identity. */
static uint64_t *carve_order(struct carver *carver, uint32_t sets)
{
	uint64_t *order = carve(carver, sets * sizeof(*order));

	for (uint32_t i = 0; carver->base && i < sets; i++)
		order[i] = ORDER_INITIAL;
	return order;
}

/* Carve the times of use and the guesses of L1. Lines whose numbers differ by less than sixteen
 * times the number of sets have separate guesses. */
static void carve_l1_use(struct carver *carver, struct l1_use *use, const struct uarch_level *level)
{
	uint32_t guesses = 16 * (level->entries / level->ways);

	use->when = carve(carver, level->entries * sizeof(*use->when));
	use->unused = carve(carver, level->entries);
	use->index = carve(carver, guesses * sizeof(*use->index));
	use->index_mask = guesses - 1;
}

static void carve_tlb(struct carver *carver, struct tlb *tlb, const struct uarch_profile *p)
{
	uint32_t sets = p->l2tlb.entries ? p->l2tlb.entries / p->l2tlb.ways : 0;

	tlb->entries = p->dtlb.entries;
	tlb->l2_ways = sets ? p->l2tlb.ways : 0;
	tlb->l2_set_mask = sets - 1; /* unused if there are no sets */
	tlb->l2_page = carve(carver, p->l2tlb.entries * sizeof(*tlb->l2_page));
	tlb->l2_order = carve_order(carver, sets);
	tlb->next_alias = ALIASES;
	for (unsigned slot = 1; slot < ALIASES; slot++)
		tlb->when[slot] = slot <= tlb->entries ? slot : UINT64_MAX;
}

/* Carve the store buffer. Only forwarding needs the places that stores write. */
static void carve_stores(struct carver *carver, struct store_buffer *stores,
                         const struct uarch_profile *p)
{
	stores->entries = p->store_entries;
	stores->leaves = carve(carver, p->store_entries * sizeof(*stores->leaves));
	if (p->forward_cycles)
		stores->place = carve(carver, p->store_entries * sizeof(*stores->place));
}

static void carve_predictor(struct carver *carver, struct predictor *pr,
                            const struct uarch_profile *p)
{
	pr->by_branch = carve(carver, (size_t)1 << p->bimodal_shift);
	pr->by_history = carve(carver, (size_t)1 << p->gshare_shift);
	pr->indirect = carve(carver, sizeof(*pr->indirect) << p->indirect_shift);
	pr->branch_index = (UINT64_C(1) << p->bimodal_shift) - 1;
	pr->history_index = (UINT64_C(1) << p->gshare_shift) - 1;
	pr->history_mask = (UINT64_C(1) << p->history_bits) - 1;
	pr->history_fold = p->gshare_shift;
}

static void carve_prefetcher(struct carver *carver, struct prefetcher *pf,
                             const struct uarch_profile *p)
{
	pf->streams = p->stream_entries;
	pf->strides = p->stride_entries;
	pf->on = pf->streams || pf->strides;
	pf->stride_mask = p->stride_entries - UINT64_C(1); /* unused if there are no entries */
	pf->stream_mask = p->stream_entries - UINT64_C(1);
	pf->stride = carve(carver, p->stride_entries * sizeof(*pf->stride));
	pf->slot = carve(carver, pf->on ? PREFETCHED_SLOTS * sizeof(*pf->slot) : 0);
}

/* Carve all parts of a core; *core is the first one. Without a base, a scratch core receives the
 * other parts. */
static struct uarch_core *carve_core(struct carver *carver, const struct uarch_profile *p)
{
	struct uarch_core scratch = {0}, *core = carve(carver, sizeof(*core));
	struct uarch_core *c = core ? core : &scratch;

	carve_cache(carver, &c->l1d, &p->l1d);
	carve_l1_use(carver, &c->l1_use, &p->l1d);
	carve_cache(carver, &c->l2, &p->l2);
	c->l2_order = carve_order(carver, p->l2.entries / p->l2.ways);
	c->l2_used = carve(carver, p->l2.entries * sizeof(*c->l2_used));
	carve_tlb(carver, &c->tlb, p);
	carve_stores(carver, &c->stores, p);
	carve_predictor(carver, &c->predictor, p);
	carve_prefetcher(carver, &c->prefetcher, p);
	c->fills.entries = p->fill_entries;
	c->overlaps = c->prefetcher.on || p->fill_entries || p->forward_cycles ||
	              p->window_accesses || p->l2_gap || p->llc_gap || p->dram_gap;
	c->pass = TICKS;
	return core;
}

size_t uarch_shared_size(const struct uarch_profile *profile, unsigned max_cores)
{
	struct carver carver = {NULL, 0};
	struct uarch_profile taken;

	if (uarch_check(profile, NULL) != SPEMU_OK || max_cores == 0 || max_cores > UARCH_MAX_CORES)
		return 0;
	(void)take_struct(&taken, sizeof(taken), profile);
	carve_shared(&carver, &taken, max_cores);
	return carver.used;
}

int uarch_shared_init(struct uarch_shared **shared, void *mem, size_t size,
                      const struct uarch_profile *profile, unsigned max_cores)
{
	size_t needed = uarch_shared_size(profile, max_cores);
	struct carver carver = {mem, 0}, counter = {NULL, 0};
	struct uarch_profile taken;

	if (shared)
		*shared = NULL;
	if (!shared || !mem || needed == 0 || (uintptr_t)mem % ALIGNMENT)
		return SPEMU_ERR_INVALID;
	if (size < needed)
		return SPEMU_ERR_NOSPACE;
	(void)take_struct(&taken, sizeof(taken), profile);
	*shared = carve_shared(&carver, &taken, max_cores);
	carve_core(&counter, &taken);
	(*shared)->core_size = counter.used;
	return SPEMU_OK;
}

size_t uarch_core_size(const struct uarch_shared *shared)
{
	return shared->core_size;
}

int uarch_core_init(struct uarch_core **core, void *mem, size_t size, struct uarch_shared *shared,
                    unsigned id)
{
	struct carver carver = {mem, 0};
	struct uarch_core *none = NULL, *made;

	if (core)
		*core = NULL;
	if (!core || !mem || !shared || id >= shared->max_cores || (uintptr_t)mem % ALIGNMENT)
		return SPEMU_ERR_INVALID;
	if (size < shared->core_size)
		return SPEMU_ERR_NOSPACE;
	if (atomic_load_explicit(&shared->cores[id], memory_order_relaxed))
		return SPEMU_ERR_STATE;
	made = carve_core(&carver, &shared->profile);
	made->shared = shared;
	made->profile = &shared->profile;
	made->id = id;
	made->absent = UINT64_MAX;
	made->line_shift = shared->profile.line_shift;
	made->page_shift = shared->profile.page_shift;
	made->page_lines = made->page_shift - made->line_shift;
	/* From here on, the other cores see this core. The limit is set last, because the others
	 * search up to it. */
	unsigned limit = atomic_load_explicit(&shared->id_limit, memory_order_relaxed);

	while (limit <= id && !atomic_compare_exchange_weak(&shared->id_limit, &limit, id + 1))
		continue;
	if (!atomic_compare_exchange_strong_explicit(&shared->cores[id], &none, made,
	                                             memory_order_release, memory_order_relaxed))
		return SPEMU_ERR_STATE;
	*core = made;
	return SPEMU_OK;
}
