/* SPDX-License-Identifier: MIT */
#include "metrics.h"
#include "../session/data_source.h"
#include "../base/common.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

static enum event_base event_base(unsigned bit)
{
	static const uint8_t bases[64] = {
	        [SPEMU_EV_L1D_ACCESS] = BASE_MEMORY,
	        [SPEMU_EV_L1D_REFILL] = BASE_MEMORY,
	        [SPEMU_EV_TLB_ACCESS] = BASE_MEMORY,
	        [SPEMU_EV_TLB_WALK] = BASE_MEMORY,
	        [SPEMU_EV_LLC_ACCESS] = BASE_MEMORY,
	        [SPEMU_EV_LLC_MISS] = BASE_MEMORY,
	        [SPEMU_EV_REMOTE_ACCESS] = BASE_MEMORY,
	        [SPEMU_EV_MISALIGNED] = BASE_MEMORY,
	        [SPEMU_EV_L2D_ACCESS] = BASE_MEMORY,
	        [SPEMU_EV_L2D_MISS] = BASE_MEMORY,
	        [SPEMU_EV_DATA_SNOOPED] = BASE_MEMORY,
	        [SPEMU_EV_RECENTLY_FETCHED] = BASE_MEMORY,
	        [SPEMU_EV_NOT_TAKEN] = BASE_BRANCHES,
	        [SPEMU_EV_MISPREDICTED] = BASE_BRANCHES,
	        [SPEMU_EV_CACHE_DATA_MODIFIED] = BASE_MEMORY,
	};

	return (enum event_base)bases[bit & 63];
}

static void make_room(struct metrics *m, unsigned count)
{
	m->sources = xreallocarray(m->sources, count, sizeof(*m->sources));
	memset(m->sources + m->source_count, 0, (count - m->source_count) * sizeof(*m->sources));
	m->source_count = count;
}

/* Return the events of a facet. Data from another core's cache are snooped on every core, even if
 * the core only records the data source. */
static uint64_t events_of(const struct facet *f)
{
	bool snooped = is_snooped(f->events, f->source_name);

	return f->events | (uint64_t)snooped << SPEMU_EV_DATA_SNOOPED;
}

void metrics_add(struct metrics *m, const struct profile *p, const struct bin *bin)
{
	const struct facet *f = &p->facets[bin->facet];
	enum op_group group = facet_operation(f);
	enum event_base base = group == OP_BRANCH  ? BASE_BRANCHES
	                       : group == OP_OTHER ? BASE_SAMPLES
	                                           : BASE_MEMORY;
	uint64_t samples = bin->sums.samples;
	unsigned source;

	sums_add(&m->sums, &bin->sums);
	m->base[BASE_SAMPLES] += samples;
	if (base != BASE_SAMPLES)
		m->base[base] += samples;
	for (uint64_t events = events_of(f); events; events &= events - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(events);

		m->events[bit] += samples;
		if (event_base(bit) == BASE_SAMPLES || event_base(bit) == base)
			m->of_base[bit] += samples;
	}
	cost_add(&m->cost, p, bin);
	if (!f->has_source)
		return;
	source = source_group(f->source_name, f->source);
	if (source >= m->source_count)
		make_room(m, source + 1);
	m->sources[source] += samples;
	m->sourced += samples;
}

void metrics_free(struct metrics *m)
{
	free(m->sources);
	m->sources = NULL;
	m->source_count = 0;
}

bool metrics_rate(double *rate, const struct metrics *m, unsigned bit)
{
	uint64_t whole = m->base[event_base(bit)];

	if (!whole)
		return false;
	*rate = (double)m->of_base[bit] / (double)whole;
	return true;
}

int metrics_commonest_source(const struct metrics *m)
{
	unsigned most = 0;

	if (!m->sourced)
		return -1;
	for (unsigned i = 1; i < m->source_count; i++) {
		if (m->sources[i] > m->sources[most])
			most = i;
	}
	return (int)most;
}

const char *metrics_source(char *text, size_t size, const struct metrics *m)
{
	int most = metrics_commonest_source(m);
	enum source_name name;

	if (most < 0)
		return NULL;
	name = source_index_name((unsigned)most);
	if (name != SOURCE_UNKNOWN)
		return source_names[name].word;
	snprintf(text, size, "0x%x", source_index_payload((unsigned)most));
	return text;
}

const char *metrics_reason(double *share, const struct metrics *m)
{
	enum reason most = cost_most(&m->cost);

	if (most == REASONS)
		return NULL;
	if (share)
		*share = (double)m->cost.cycles[most] / (double)cost_sum(&m->cost);
	return reason_texts[most].word;
}
