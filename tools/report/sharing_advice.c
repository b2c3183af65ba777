/* SPDX-License-Identifier: MIT */
/*
 * Advice about false sharing. If threads use different objects in one cache line, padding gives
 * each object its own line. If they use different members of one object, the members move apart.
 * Data that threads really share keep their cost.
 */
#define _GNU_SOURCE
#include "advice.h"
#include "contention.h"
#include "memory.h"
#include "line_users.h"

#include "../base/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Standard deviations in half of a 95 % interval. */
static const double INTERVAL = 1.96;

/* The cost of false sharing that one kind of change saves. */
struct saving {
	double cycles, squares;
	uint64_t samples;
	const struct touch *most; /* touch that saves the most */
	double most_cycles;
};

struct savings {
	struct saving pad, separate;
	uint64_t samples, weak;
};

/* Return the bytes of a line, in 64ths, that threads share: a thread writes them, and another one
 * accesses them. */
static uint64_t shared_parts(const struct cache_line *line)
{
	uint64_t once = 0, more = 0, written = 0;

	for (uint32_t i = 0; i < line->thread_count; i++) {
		const struct line_thread *t = line_thread(line, i);

		more |= once & (t->read | t->written);
		once |= t->read | t->written;
		written |= t->written;
	}
	return more & written;
}

/* Return the cycles that a touch would save if no other thread used its line. */
static double saved_by(const struct profile *p, const struct touch *t)
{
	const struct cache_line *line = &p->lines[t->line];
	const struct contended *c;
	double cycles = 0, rest;

	if (!t->bin.contended || shared_parts(line) >> t->offset * 64 / p->line_size & 1)
		return 0;
	c = &p->contended[t->bin.contended - 1];
	for (unsigned i = 0; i < CONTENTION_KINDS; i++)
		cycles += (double)c->cycles[i];
	rest = (double)t->bin.sums.timed * (facet_operation(&p->facets[t->bin.facet]) == OP_STORE
	                                            ? (double)p->least_store
	                                            : L1_CYCLES);
	return cycles > rest ? cycles - rest : 0;
}

static void save(struct saving *s, const struct touch *t, double cycles)
{
	s->cycles += cycles;
	s->squares += (double)t->bin.sums.latency_squares;
	s->samples += t->bin.sums.samples;
	if (cycles > s->most_cycles) {
		s->most_cycles = cycles;
		s->most = t;
	}
}

static void find_savings(struct savings *s, struct profile *p, const struct group *group)
{
	struct line_users users;

	line_users_find(&users, p, group);
	for (size_t i = 0; i < group->count; i++) {
		const struct touch *t = member_touch(&group->members[i]);
		double cycles = saved_by(p, t);

		s->samples += t->bin.sums.samples;
		if (cycles <= 0)
			continue;
		if (line_users_meet(&users, p, t))
			save(&s->separate, t, cycles);
		else
			save(&s->pad, t, cycles);
	}
	line_users_free(&users);
}

static char *pad_text(struct profile *p, const struct data_type *type, const struct touch *most)
{
	uint64_t size = type->type->size, line = p->line_size;
	struct memory m = memory_of_touch(p, most);

	if (!type_is_aggregate(type->type))
		return xasprintf("give each thread's element of %s a separate cache line "
		                 "(%llu bytes)",
		                 m.name, (unsigned long long)line);
	return xasprintf("give each object a separate cache line: alignas(%llu) makes it %llu "
	                 "instead of %llu bytes",
	                 (unsigned long long)line,
	                 (unsigned long long)((size + line - 1) / line * line),
	                 (unsigned long long)size);
}

static void add(struct advices *list, struct profile *p, enum advice_kind kind,
                const struct saving *s, const struct group *group, const struct savings *all)
{
	const struct data_type *type;
	char text[LINE_USERS_TEXT];
	struct line_users users;

	if (!s->most)
		return;
	type = data_type_of_touch(p, s->most);
	line_users_find(&users, p, group);
	line_users_text(text, &users, p, s->most);
	advices_add(
	        list, p,
	        &(struct advice){.kind = kind,
	                         .type = type,
	                         .place = &p->samples.places[s->most->bin.place],
	                         .cycles = s->cycles,
	                         .error = INTERVAL * sqrt(s->squares),
	                         .samples = s->samples,
	                         .weak = (double)all->weak / (double)(all->weak + all->samples),
	                         .seen = users.objects,
	                         .objects = (double)users.objects,
	                         .what = kind == ADVICE_PAD
	                                         ? pad_text(p, type, s->most)
	                                         : xasprintf("move members that different threads "
	                                                     "use to different cache lines: "
	                                                     "alignas(%u)",
	                                                     p->line_size),
	                         .why = xstrdup(text)});
	line_users_free(&users);
}

void sharing_advice(struct advices *list, struct profile *p, const struct group *group)
{
	struct savings s = {
	        .weak = weak_samples(p, data_type_of_touch(p, member_touch(group->members)))};

	find_savings(&s, p, group);
	add(list, p, ADVICE_PAD, &s.pad, group, &s);
	add(list, p, ADVICE_SEPARATE, &s.separate, group, &s);
}
