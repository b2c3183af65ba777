/* SPDX-License-Identifier: MIT */
#include "contention.h"
#include "../session/reason.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEAST_SAMPLES = 6,  /* samples of a line by a thread that takes part in its contention */
	LEAST_SHARE = 1000, /* they are at least a 1000th of the samples of the thread */
	SHOWN_SHARE = 20,   /* a 20th of a line's samples shows its contention */
	THREADS_MAX = 64,   /* threads of a line; pairs of more threads would take long */
};

/* The samples of each thread of each recording. */
struct thread_samples {
	struct map index;
	uint64_t *of;
	size_t capacity;
};

static void count_threads(struct thread_samples *t, const struct profile *p)
{
	for (size_t i = 0; i < p->samples.place_index.count; i++) {
		const struct place *place = &p->samples.places[i];
		size_t at;

		if (map_insert(&t->index, (struct map_key){place->input, place->task->tid, 0}, &at))
			GROW(t->of, at, t->capacity)[at] = 0;
		t->of[at] += place->samples;
	}
}

/* Return true if the thread accesses the line often. Threads that run freely also meet by chance in
 * memory that a collector or an allocator reuses. */
static bool is_often(const struct thread_samples *t, const struct cache_line *line,
                     const struct line_thread *thread)
{
	size_t i = map_find(&t->index, (struct map_key){line->input, thread->tid, 0});

	return thread->samples >= LEAST_SAMPLES &&
	       (i == MAP_NONE || (uint64_t)thread->samples * LEAST_SHARE >= t->of[i]);
}

/* Return true if two threads access the line in the same part of the run. */
static bool meet(const struct line_thread *a, const struct line_thread *b)
{
	const struct line_thread *early = a->first <= b->first ? a : b, *late = early == a ? b : a;
	uint64_t gap = late->first > early->last ? late->first - early->last : 0;

	return (a->written || b->written) &&
	       (gap <= a->last - a->first || gap <= b->last - b->first);
}

static bool find_contention(const struct thread_samples *t, const struct cache_line *line)
{
	const struct line_thread *often[THREADS_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < line->thread_count && n < THREADS_MAX; i++) {
		if (is_often(t, line, line_thread(line, i)))
			often[n++] = line_thread(line, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (meet(often[i], often[k]))
				return true;
		}
	}
	return false;
}

/* Return the kind of contention on a line. Loads and stores beside atomic operations wait for
 * these, for example in the data of a lock. */
static enum contention kind_of(const struct cache_line *line)
{
	enum sharing how = line_sharing(line);

	if (how == SHARING_FALSE || how == SHARING_MAYBE)
		return CONTENTION_FALSE;
	return 10 * line->atomics >= line->samples ? CONTENTION_ATOMIC : CONTENTION_DATA;
}

static struct contended *contended_of(struct profile *p, struct bin *bin)
{
	if (!bin->contended) {
		APPEND(p->contended, p->contended_count, p->contended_capacity) =
		        (struct contended){0};
		bin->contended = (uint32_t)p->contended_count;
	}
	return &p->contended[bin->contended - 1];
}

/* Return the estimated cycles of waiting for a line, for the timed samples of a bin. */
static uint64_t estimate(const struct cache_line *line, const struct sums *sums)
{
	double fetches = (double)(line->stores + line->atomics) * (line->thread_count - 1);
	double share = fetches < (double)line->samples ? fetches / (double)line->samples : 1;

	return (uint64_t)(share * CONTENTION_CYCLES * (double)sums->timed);
}

static void add_touch(struct profile *p, struct touch *touch)
{
	struct map_key key = {touch->bin.place, touch->bin.facet, 0};
	const struct cache_line *line = &p->lines[touch->line];
	const struct facet *f = &p->facets[touch->bin.facet];
	struct bin *bins[] = {&touch->bin, &p->bins[map_find(&p->bin_index, key)]};
	const struct sums *sums = &touch->bin.sums;
	bool snooped = is_snooped(f->events, f->source_name);
	uint64_t execution = sums->execution + sums->issue - issue_wait(p, sums);
	uint64_t cycles = execution;

	if (!f->has_events || line->thread_count < 2 || (!snooped && !line->estimated))
		return;
	if (!snooped)
		cycles += estimate(line, sums);
	for (unsigned i = 0; i < 2; i++) {
		struct contended *c = contended_of(p, bins[i]);

		c->moved += execution;
		c->cycles[kind_of(line)] += cycles;
	}
}

/* Return true if the threads of the recording took turns (`spemu record --interleave N`). */
static bool is_interleaved(const struct session *s)
{
	static const char option[] = "--interleave";
	const char *word;

	for (uint32_t i = 0; spemu_perf_cmdline(s->file, &word, i) == SPEMU_OK; i++) {
		if (!strcmp(word, "--"))
			return false;
		if (!strcmp(word, option))
			return spemu_perf_cmdline(s->file, &word, i + 1) == SPEMU_OK &&
			       strcmp(word, "0") != 0;
		if (!strncmp(word, option, strlen(option)) && word[strlen(option)] == '=')
			return strcmp(word + strlen(option) + 1, "0") != 0;
	}
	return false;
}

void contention_find(struct profile *p)
{
	struct thread_samples threads = {0};
	bool interleaved = true;

	count_threads(&threads, p);
	for (unsigned i = 0; i < p->samples.recording_count; i++)
		interleaved &= is_interleaved(&p->samples.recordings[i].session);
	for (size_t i = 0; i < p->line_index.count; i++) {
		struct cache_line *line = &p->lines[i];

		line->contended =
		        (line->snooped || !interleaved) && find_contention(&threads, line);
		line->estimated = line->contended && !interleaved &&
		                  line->snooped * SHOWN_SHARE < line->samples;
	}
	for (size_t i = 0; i < p->touch_count; i++)
		add_touch(p, &p->touches[i]);
	map_free(&threads.index);
	free(threads.of);
}
