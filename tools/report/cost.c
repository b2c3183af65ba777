/* SPDX-License-Identifier: MIT */
#include "cost.h"
#include "contention.h"

/* Count the contention of a bin. Return the rest of its cycles of execution. */
static uint64_t add_contention(struct cost *cost, const struct contended *c, uint64_t execution)
{
	for (unsigned i = 0; i < CONTENTION_KINDS; i++)
		cost->cycles[REASON_FALSE_SHARING + i] += c->cycles[i];
	return execution - c->moved;
}

void cost_add(struct cost *cost, const struct profile *p, const struct bin *bin)
{
	const struct facet *f = &p->facets[bin->facet];
	const struct sums *sums = &bin->sums;
	uint64_t wait = issue_wait(p, sums), first = sums->issue - wait;
	uint64_t execution = sums->execution + first, least = p->least_store * sums->timed + first;
	enum reason reason = reason_of(facet_operation(f), f->events, f->source_name);

	if (!f->has_events || f->op_class == SPEMU_CLASS_RESERVED || !sums->timed)
		return;
	cost->cycles[REASON_ISSUE] += wait;
	cost->cycles[f->events >> SPEMU_EV_TLB_WALK & 1 ? REASON_TLB_WALKS : REASON_TLB_REFILLS] +=
	        sums->translation;
	if (bin->contended)
		execution = add_contention(cost, &p->contended[bin->contended - 1], execution);
	if (reason == REASON_STORES && execution > least) {
		cost->cycles[REASON_STORE_WAIT] += execution - least;
		execution = least;
	}
	cost->cycles[reason] += execution;
	if (reason == REASON_MISPREDICTED)
		cost->cycles[reason] += MISPREDICTION_CYCLES * sums->timed;
}

struct cost cost_of_all(const struct profile *p)
{
	struct cost cost = {0};

	for (size_t i = 0; i < p->bin_index.count; i++)
		cost_add(&cost, p, &p->bins[i]);
	return cost;
}

enum reason cost_most(const struct cost *cost)
{
	unsigned most = 0;

	for (unsigned i = 1; i < REASONS; i++) {
		if (cost->cycles[i] > cost->cycles[most])
			most = i;
	}
	return cost->cycles[most] ? (enum reason)most : REASONS;
}

uint64_t cost_sum(const struct cost *cost)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < REASONS; i++)
		sum += cost->cycles[i];
	return sum;
}

uint64_t cost_of_area(const struct cost *cost, enum area area)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < REASONS; i++)
		sum += reason_texts[i].area == area ? cost->cycles[i] : 0;
	return sum;
}

struct cost cost_in_area(const struct cost *cost, enum area area)
{
	struct cost part = {0};

	for (unsigned r = 0; r < REASONS; r++)
		part.cycles[r] = reason_texts[r].area == area ? cost->cycles[r] : 0;
	return part;
}

enum area cost_main_area(const struct cost *cost)
{
	enum area most = 0;

	for (unsigned i = 1; i < AREAS; i++)
		most = cost_of_area(cost, i) > cost_of_area(cost, most) ? i : most;
	return most;
}

uint64_t cost_avoidable(const struct cost *cost)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < REASONS; i++)
		sum += reason_texts[i].avoidable ? cost->cycles[i] : 0;
	return sum;
}

uint64_t cost_take_wait(struct cost *cost)
{
	uint64_t wait = cost->cycles[REASON_ISSUE];

	cost->cycles[REASON_ISSUE] = 0;
	return wait;
}
