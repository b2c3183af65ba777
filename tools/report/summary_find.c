/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "contention.h"
#include "interpreter.h"
#include "memory.h"
#include "model_error.h"
#include "startup.h"
#include "summary.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAMES_SIZE = 700,
	ENOUGH = 85, /* percent of the avoidable cycles that are enough */
	LARGE = 30,  /* a cause with a 30th of all cycles is listed in any case */
	FLAT = 60,   /* percent below which the profile is flat */
	WORTH = 10,  /* a profile is flat only if a 10th of all cycles is avoidable */
	LEAST = 200, /* a cause has at least one 200th of all cycles */
};

enum cause_kind cause_kind_of(enum reason reason)
{
	static const enum cause_kind kinds[AREAS] = {
	        [AREA_CONTENTION] = CAUSE_CONTENTION,
	        [AREA_REMOTE] = CAUSE_MEMORY,
	        [AREA_DRAM] = CAUSE_MEMORY,
	        [AREA_LLC] = CAUSE_MEMORY,
	        [AREA_L2] = CAUSE_MEMORY,
	        [AREA_IN_FLIGHT] = CAUSE_MEMORY,
	        [AREA_TLB] = CAUSE_MEMORY,
	        [AREA_STORE] = CAUSE_STORES,
	        [AREA_BRANCH] = CAUSE_BRANCHES,
	};

	return reason < REASONS && reason_texts[reason].avoidable ? kinds[reason_texts[reason].area]
	                                                          : CAUSE_KINDS;
}

/* Return the cost without the reasons of other kinds. */
static struct cost cost_of_kind(const struct cost *cost, enum cause_kind kind)
{
	struct cost part = {0};

	for (unsigned r = 0; r < REASONS; r++)
		part.cycles[r] = cause_kind_of(r) == kind ? cost->cycles[r] : 0;
	return part;
}

/* Return the cycles of this kind in a bin. */
struct cost cause_cost(const struct profile *p, const struct bin *bin, enum cause_kind kind)
{
	struct cost cost = {0};

	cost_add(&cost, p, bin);
	return cost_of_kind(&cost, kind);
}

uint64_t summary_of_kind(const struct summary *s, enum cause_kind kind)
{
	struct cost part = cost_of_kind(&s->running, kind);

	return cost_sum(&part);
}

static void cost_merge(struct cost *to, const struct cost *add)
{
	for (unsigned r = 0; r < REASONS; r++)
		to->cycles[r] += add->cycles[r];
}

/* ---- candidates ---- */

/* Possible causes of a program. */
struct candidates {
	struct cause *items;
	size_t count, capacity;
	struct map index; /* contended data */
};

/* Compare causes, the largest first. */
static int compare_causes(const void *pa, const void *pb)
{
	const struct cause *a = pa, *b = pb;

	if (a->size != b->size)
		return compare_numbers(b->size, a->size);
	return a->place->addr != b->place->addr ? compare_numbers(a->place->addr, b->place->addr)
	                                        : (int)a->kind - (int)b->kind;
}

/* Add a candidate of each kind that a function has cycles of. */
static void add_function(struct candidates *c, const struct profile *p, const struct group *g)
{
	for (unsigned kind = CAUSE_MEMORY; kind < CAUSE_KINDS; kind++) {
		struct cause cause = {.kind = kind};
		uint64_t most = 0;

		for (size_t i = 0; i < g->count; i++) {
			struct cost cost = cause_cost(p, g->members[i].bin, kind);
			uint64_t cycles = cost_sum(&cost);

			if (!cycles)
				continue;
			cost_merge(&cause.cost, &cost);
			sums_add(&cause.sums, &g->members[i].bin->sums);
			if (cycles > most)
				cause.place = member_place(p, &g->members[i]);
			most = cycles > most ? cycles : most;
		}
		cause.size = cost_sum(&cause.cost);
		if (cause.size)
			APPEND(c->items, c->count, c->capacity) = cause;
	}
}

static void note_hot(struct summary *s, const struct profile *p, const struct group *g,
                     uint64_t cycles)
{
	struct hot_function hot = {member_place(p, g->members), cycles};
	unsigned at = s->hot_count;

	while (at && s->hot[at - 1].cycles < cycles)
		at--;
	if (at == HOT_FUNCTIONS)
		return;
	if (s->hot_count < HOT_FUNCTIONS)
		s->hot_count++;
	memmove(&s->hot[at + 1], &s->hot[at], (s->hot_count - 1 - at) * sizeof(hot));
	s->hot[at] = hot;
}

static struct cost group_cost(const struct profile *p, const struct group *g)
{
	struct cost cost = {0};

	for (size_t m = 0; m < g->count; m++)
		cost_add(&cost, p, g->members[m].bin);
	return cost;
}

/* Find the candidates that are functions, the start-up and the hot functions. */
static void find_functions(struct candidates *c, struct summary *s, struct profile *p)
{
	static const char *const keys[] = {"sym", NULL};
	static const struct view empty;
	struct view view = view_of(&empty, keys);
	struct groups g;

	groups_make(&g, p, &view, false, NULL);
	for (size_t i = 0; i < g.count; i++) {
		struct cost cost = group_cost(p, &g.group[i]);
		uint64_t cycles = s->whole ? cost_sum(&cost) : g.group[i].samples;

		if (is_startup(member_place(p, g.group[i].members))) {
			s->startup += cycles;
			for (unsigned r = 0; r < REASONS; r++)
				s->running.cycles[r] -= cost.cycles[r];
			continue;
		}
		note_hot(s, p, &g.group[i], cycles);
		add_function(c, p, &g.group[i]);
	}
	groups_free(&g);
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	return a->cycles != b->cycles ? compare_numbers(b->cycles, a->cycles)
	                              : strcmp(a->name, b->name);
}

/* Find the largest objects or commands, by a key. Write the largest ones to parts. */
static void find_parts(struct part parts[PARTS], const struct summary *s, struct profile *p,
                       const char *key)
{
	const char *const keys[] = {key, NULL};
	static const struct view empty;
	struct view view = view_of(&empty, keys);
	struct part *all;
	struct groups g;

	groups_make(&g, p, &view, false, NULL);
	all = xcalloc(g.count + 1, sizeof(*all));
	for (size_t i = 0; i < g.count; i++) {
		const struct place *place = member_place(p, g.group[i].members);
		struct cost cost = group_cost(p, &g.group[i]);

		all[i].name = strcmp(key, "comm") ? place_object(place) : place->task->comm;
		all[i].cycles = s->whole ? cost_sum(&cost) : g.group[i].samples;
	}
	if (g.count)
		qsort(all, g.count, sizeof(*all), compare_parts);
	for (size_t i = 0; i < g.count && i < PARTS; i++)
		parts[i] = all[i];
	free(all);
	groups_free(&g);
}

/* Find the interpreter whose objects have at least half of the cycles, or samples. */
static const struct interpreter *find_interpreter(struct profile *p)
{
	static const char *const keys[] = {"dso", NULL};
	static const struct view empty;
	struct view view = view_of(&empty, keys);
	const struct interpreter *found = NULL, *here;
	const struct place *place;
	uint64_t part = 0, whole = 0;
	struct groups g;

	groups_make(&g, p, &view, false, NULL);
	for (size_t i = 0; i < g.count; i++) {
		uint64_t size = p->all.latency ? g.group[i].latency : g.group[i].samples;

		whole += size;
		place = member_place(p, g.group[i].members);
		here = interpreter_of(place, &p->samples.recordings[place->input].session);
		if (!here || (found && here != found))
			continue;
		found = here;
		part += size;
	}
	groups_free(&g);
	return 2 * part >= whole ? found : NULL;
}

/* ---- contention ---- */

/* Return the candidate of the data on a contended line. Lines of one object are one candidate. */
static size_t data_candidate(struct candidates *c, struct profile *p, const struct touch *t)
{
	struct memory m = memory_of_touch(p, t);
	const struct cache_line *line = &p->lines[t->line];
	struct map_key key = memory_key(&m);
	size_t i;

	/* Memory without a name may contain many objects, so each of its lines is separate. */
	if (m.kind != MEMORY_GLOBAL && m.kind != MEMORY_HEAP)
		key.b = line->addr;
	key.c = line->pid;
	if (!map_insert(&c->index, key, &i))
		return i;
	APPEND(c->items, c->count, c->capacity) =
	        (struct cause){.kind = CAUSE_CONTENTION,
	                       .place = &p->samples.places[t->bin.place],
	                       .contended = line,
	                       .estimated = line->estimated};
	return i;
}

/* Return the touch with the most samples of each contended line. */
static uint32_t *hottest_touches(const struct profile *p)
{
	uint32_t *hottest = xcalloc(p->line_index.count, sizeof(*hottest));

	for (size_t i = 0; i < p->touch_count; i++) {
		const struct touch *t = &p->touches[i];
		uint32_t *known = &hottest[t->line];

		if (t->bin.contended &&
		    (!*known || p->touches[*known - 1].bin.sums.samples < t->bin.sums.samples))
			*known = (uint32_t)i + 1;
	}
	return hottest;
}

/* Find the candidates that are data. They are the first ones, in the order of the index. */
static void find_contention(struct candidates *c, struct summary *s, struct profile *p)
{
	uint32_t *hottest = hottest_touches(p);

	for (size_t i = 0; i < p->touch_count; i++) {
		const struct touch *t = &p->touches[i];
		const struct cache_line *line = &p->lines[t->line];
		struct cost cost;
		struct cause *cause;
		size_t at;

		if (!t->bin.contended)
			continue;
		at = data_candidate(c, p, &p->touches[hottest[t->line] - 1]);
		cause = &c->items[at];
		cost = cause_cost(p, &t->bin, CAUSE_CONTENTION);
		cost_merge(&cause->cost, &cost);
		cause->size += cost_sum(&cost);
		s->estimated |= cause->estimated && cost_sum(&cost);
		sums_add(&cause->sums, &t->bin.sums);
		if (line->thread_count > cause->threads)
			cause->threads = line->thread_count;
	}
	free(hottest);
}

/* ---- a flat profile ---- */

/* Replace the candidates by whole objects. Contended data stay as they are. */
static void merge_objects(struct candidates *c)
{
	struct candidates merged = {0};

	for (size_t i = 0; i < c->count; i++) {
		const struct cause *from = &c->items[i];
		struct map_key key = {(uintptr_t)from->place->object, from->kind, 0};
		struct cause *to;
		size_t at;

		if (from->kind == CAUSE_CONTENTION)
			key = (struct map_key){i, CAUSE_CONTENTION, 1};
		if (map_insert(&merged.index, key, &at)) {
			APPEND(merged.items, merged.count, merged.capacity) = *from;
			merged.items[at].functions = from->kind != CAUSE_CONTENTION;
			continue;
		}
		to = &merged.items[at];
		cost_merge(&to->cost, &from->cost);
		sums_add(&to->sums, &from->sums);
		to->size += from->size;
		to->functions++;
	}
	map_free(&merged.index);
	free(c->items);
	c->items = merged.items;
	c->count = merged.count;
}

/* Take the largest candidates until they are enough. */
static void choose(struct summary *s, const struct candidates *c)
{
	s->count = 0;
	s->covered = 0;
	for (size_t i = 0; i < c->count && s->count < CAUSES && s->whole; i++) {
		const struct cause *cause = &c->items[i];

		bool enough = s->covered * 100 >= s->avoidable * ENOUGH;

		if (cause->size * (enough ? LARGE : LEAST) < s->whole)
			break;
		s->causes[s->count++] = *cause;
		s->covered += cause->size;
	}
}

static void sort_and_choose(struct summary *s, const struct candidates *c)
{
	if (c->count)
		qsort(c->items, c->count, sizeof(*c->items), compare_causes);
	choose(s, c);
}

/* ---- details of the causes ---- */

bool cause_has(const struct place *place, const struct cause *c)
{
	const struct place *like = c->place;

	return place->object == like->object &&
	       (c->functions || !place_compare_functions(place, like, false));
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct cause_line *a = pa, *b = pb;

	return a->cycles != b->cycles ? compare_numbers(b->cycles, a->cycles)
	                              : compare_numbers((uint64_t)a->line, (uint64_t)b->line);
}

/* Find the source lines of a function that have the most cycles of the cause. */
static void find_lines(struct cause *c, struct profile *p)
{
	struct cause_line *lines = NULL;
	struct map index = {0};
	size_t capacity = 0, count, at;

	for (size_t i = 0; i < p->bin_index.count; i++) {
		struct place *place = &p->samples.places[p->bins[i].place];
		struct map_key key;
		struct cost cost;

		if (!cause_has(place, c))
			continue;
		cost = cause_cost(p, &p->bins[i], c->kind);
		place_find_line(place);
		if (!place->file || !cost_sum(&cost))
			continue;
		key = (struct map_key){(uintptr_t)place->file, (uint64_t)place->line, 0};
		if (map_insert(&index, key, &at))
			GROW(lines, at, capacity)
		[at] = (struct cause_line){.file = place->file, .line = place->line};
		lines[at].cycles += cost_sum(&cost);
	}
	count = index.count;
	if (count)
		qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count && i < CAUSE_LINES; i++)
		c->lines[i] = lines[i];
	map_free(&index);
	free(lines);
}

static void find_details(struct cause *c, struct profile *p)
{
	char names[NAMES_SIZE];

	if (!c->functions)
		summary_layout(c, p);
	if (c->kind == CAUSE_CONTENTION) {
		place_find_line(c->place);
		c->lines[0] = (struct cause_line){c->place->file, c->place->line, c->size};
		line_names(names, sizeof(names), p, c->contended);
		c->data = xstrdup(names);
		return;
	}
	if (!c->functions)
		find_lines(c, p);
	if (c->kind == CAUSE_MEMORY)
		summary_data(c, p);
}

void summary_find(struct summary *s, struct profile *p)
{
	struct candidates c = {0};

	*s = (struct summary){.cost = cost_of_all(p),
	                      .latency = p->all.latency,
	                      .samples = p->all.samples,
	                      .input = p->samples.recordings[0].path};
	s->whole = cost_sum(&s->cost);
	s->running = s->cost;
	for (unsigned i = 0; i < p->samples.recording_count; i++) {
		const struct session *session = &p->samples.recordings[i].session;

		s->threads_met |= timeline_thread_count(session->timeline) >
		                  timeline_process_count(session->timeline);
	}
	for (unsigned i = 0; i < AREAS; i++)
		s->errors[i] = model_error(p, (enum area)i);
	s->interpreter = find_interpreter(p);
	find_parts(s->objects, s, p, "dso");
	find_parts(s->commands, s, p, "comm");
	find_contention(&c, s, p);
	find_functions(&c, s, p);
	s->avoidable = cost_avoidable(&s->running);
	sort_and_choose(s, &c);
	if (s->covered * 100 < s->avoidable * FLAT && s->avoidable * WORTH >= s->whole) {
		s->flat = true;
		merge_objects(&c);
		sort_and_choose(s, &c);
	}
	for (unsigned i = 0; i < s->count; i++)
		find_details(&s->causes[i], p);
	map_free(&c.index);
	free(c.items);
}

void summary_free(struct summary *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		free(s->causes[i].members);
		free(s->causes[i].data);
	}
}
