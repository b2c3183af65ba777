/* SPDX-License-Identifier: MIT */
/* Read samples. Memory grows with the amount of sampled code, not with the number of samples. */
#include "samples.h"
#include "call_stacks.h"
#include "missing.h"
#include "../base/common.h"

#include <stdlib.h>

enum { RECENT_LOG2 = 12 };

/* A cache of places by PC and moment. */
struct recent {
	uint64_t pc;
	uint32_t moment, place; /* place is an index + 1, or 0 if the entry is empty */
};

/* The recording that is being read. */
struct reader {
	struct samples *s;
	struct recording *recording;
	bool filtered;
	const struct moment *now;
	struct recent recent[1 << RECENT_LOG2];
	struct spemu_shapes shapes;
	take_sample_fn *take;
	look_ahead_fn *ahead;
	void *to;
	uint64_t total; /* bytes of all recordings, for the progress */
	unsigned batches;
	struct stacks *stacks; /* call stacks of the recording, or NULL if none are wanted */
	/* The previous stack, the outermost caller first, because most stacks begin like the
	 * previous one. */
	uint64_t caller[SPEMU_PERF_CALLCHAIN_MAX];
	uint32_t stack[SPEMU_PERF_CALLCHAIN_MAX];
	size_t depth;
	const struct task *task;
};

static void name_sources(struct samples *s, const struct recording *r)
{
	if (!filter_set_sources(s->filter, r->sources))
		die(EXIT_OWN,
		    "%s is from a core whose data sources have no known names; give their "
		    "numbers as in 'spemu report --section sources'",
		    r->path);
}

void samples_open(struct samples *s, const char *const *paths, size_t count, struct filter *filter)
{
	*s = (struct samples){.filter = filter, .recording_count = (unsigned)count};
	s->recordings = xcalloc(count, sizeof(*s->recordings));
	/* Number 0 is the stack without a call. */
	map_add(&s->call_index, (struct map_key){0, UINT32_MAX, 0});
	GROW(s->calls, 0, s->call_capacity)[0] = (struct call){0, UINT32_MAX};
	for (size_t i = 0; i < count; i++) {
		struct recording *r = &s->recordings[i];

		r->path = paths[i];
		session_open(&r->session, r->path);
		if (spemu_perf_feature_string(r->session.file, &r->host, SPEMU_PERF_FEAT_HOSTNAME))
			r->host = "";
		r->sources = sources_of(r->session.file);
		name_sources(s, r);
	}
}

/* Return the index of the place with the task and the address of like, which is an address in
 * memory. */
static uint32_t find_place(struct reader *r, struct place *like, uint64_t time)
{
	struct samples *s = r->s;
	size_t before = s->place_index.count, i;

	like->input = (uint32_t)(r->recording - s->recordings);
	place_locate(like, &r->recording->session, time);
	/* The pointer to a task is even, so its lowest bit is free. */
	i = map_add(&s->place_index, (struct map_key){(uintptr_t)like->task | like->no_address,
	                                              (uintptr_t)like->object, like->addr});
	if (i < before)
		return (uint32_t)i;
	GROW(s->places, i, s->place_capacity)[i] = *like;
	s->places[i].wanted = filter_wants_place(s->filter, &s->places[i]);
	return (uint32_t)i;
}

static uint32_t find_sampled(struct reader *r, const struct sample *sample)
{
	const uint64_t pc = sample->record->addr[SPEMU_ADDR_PC];
	struct recent *known = &r->recent[hash_pair(pc, r->now->number, RECENT_LOG2)];
	struct place like;
	uint32_t place;

	if (known->place && known->pc == pc && known->moment == r->now->number)
		return known->place - 1;
	like = place_of_record(sample->task, sample->record);
	place = find_place(r, &like, sample->time);
	if (!like.no_address)
		*known = (struct recent){pc, r->now->number, place + 1};
	return place;
}

static uint32_t find_call(struct samples *s, uint32_t caller, uint32_t place)
{
	size_t i;

	if (map_insert(&s->call_index, (struct map_key){caller, place, 0}, &i))
		GROW(s->calls, i, s->call_capacity)[i] = (struct call){caller, place};
	return (uint32_t)i;
}

/* Return the stack of the caller. Reuse the callers that the previous stack begins with, too. */
static uint32_t find_callers(struct reader *r, const struct sample *sample,
                             const struct spemu_perf_sample *chain)
{
	uint64_t addresses[SPEMU_PERF_CALLCHAIN_MAX];
	size_t count = stack_calls(chain, addresses);
	bool same = r->task == sample->task;
	uint32_t stack = 0;

	for (size_t i = 0; i < count; i++) {
		same = same && i < r->depth && r->caller[i] == addresses[i];
		if (!same) {
			struct place like = {.task = sample->task, .addr = addresses[i]};

			r->caller[i] = addresses[i];
			r->stack[i] = find_call(r->s, stack, find_place(r, &like, sample->time));
		}
		stack = r->stack[i];
	}
	r->task = sample->task;
	r->depth = count;
	r->s->cut_stack += count >= SPEMU_PERF_CALLCHAIN_MAX - 1;
	return stack;
}

/* Return the index + 1 of the slot that has the data address, or 0. The callers were found. */
static uint32_t find_slot(struct reader *r, const struct spemu_record *rec,
                          const struct spemu_perf_sample *chain)
{
	struct samples *s = r->s;
	struct spemu_perf_frame frame;
	struct frame_slot slot;
	size_t i;

	/* With context markers among the callers, the number of the caller does not tell it. */
	if (!(rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)) ||
	    spemu_perf_sample_frame(&frame, chain) != SPEMU_OK || frame.caller > r->depth ||
	    r->depth + 2 != chain->n_chain)
		return 0;
	slot.place = s->calls[r->stack[r->depth - frame.caller]].place;
	slot.offset = (int64_t)(spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]) - frame.cfa);
	if (map_insert(&s->slot_index, (struct map_key){slot.place, (uint64_t)slot.offset, 0}, &i))
		GROW(s->slots, i, s->slot_capacity)[i] = slot;
	return (uint32_t)i + 1;
}

/* Set the stack of a sample, and the slot in it that has the data. */
static void find_stack(struct reader *r, struct sample *sample)
{
	const struct spemu_record *rec = sample->record;
	struct spemu_perf_sample chain;
	uint32_t caller = 0;

	if (r->stacks && rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) &&
	    stacks_find(r->stacks, &chain, sample->task->tid, sample->time,
	                spemu_addr_va(rec->addr[SPEMU_ADDR_PC]))) {
		caller = find_callers(r, sample, &chain);
		sample->slot = find_slot(r, rec, &chain);
	} else {
		r->s->without_stack++;
	}
	sample->stack = find_call(r->s, caller, sample->place);
}

static void leave_out(struct reader *r)
{
	r->s->left_out++;
	r->recording->left_out++;
}

static void take_record(struct reader *r, const struct chunk *chunk, const struct spemu_record *rec)
{
	struct samples *s = r->s;
	struct session *session = &r->recording->session;
	struct sample sample = {.recording = r->recording,
	                        .chunk = chunk,
	                        .record = rec,
	                        .time = session_time(session, rec)};
	uint32_t tid = session_tid(chunk, rec);

	if (!r->now || !moment_has(r->now, tid, sample.time))
		r->now = timeline_moment(session->timeline, tid, sample.time);
	sample.moment = r->now;
	sample.task = r->now->task;
	sample.place = find_sampled(r, &sample);
	if (r->filtered && (!s->places[sample.place].wanted ||
	                    !filter_wants_record(s->filter, chunk->cpu, sample.time, rec))) {
		leave_out(r);
		return;
	}
	if (s->want_stacks)
		find_stack(r, &sample);
	if (s->wants && !s->wants(s->wants_of, &sample)) {
		leave_out(r);
		return;
	}
	s->places[sample.place].samples++;
	s->count++;
	s->timed += record_has_counter(rec, SPEMU_COUNTER_TOTAL);
	r->recording->samples++;
	r->take(r->to, &sample);
}

const uint64_t *sample_totals(const struct recording *recording)
{
	const uint64_t *of = timeline_totals(recording->session.timeline);

	return of && of[SPEMU_PERF_TOTAL_SAMPLES] == recording->samples ? of : NULL;
}

static void take_records(void *reader, const struct chunk *c, const struct spemu_record *records,
                         size_t count)
{
	struct reader *r = reader;

	if (r->ahead)
		r->ahead(r->to, r->recording, r->now, records, count);
	for (size_t i = 0; i < count; i++)
		take_record(r, c, &records[i]);
	if (++r->batches % 256 == 0 && count)
		progress("reading records", r->s->bytes + records[count - 1].offset - c->offset,
		         r->total);
}

static void read_recording(struct reader *r)
{
	struct samples *s = r->s;
	struct session *session = &r->recording->session;
	uint64_t first, last;

	name_sources(s, r->recording);
	if (s->want_stacks)
		r->stacks = stacks_read(session);
	s->has_stacks = s->has_stacks || r->stacks;
	if (filter_needs_times(s->filter)) {
		session_times(session, &first, &last);
		filter_set_times(s->filter, first, last);
	}
	for (size_t i = 0; i < session->chunk_count; i++) {
		session_records(session, &session->chunks[i], &r->shapes, take_records, r);
		s->bytes += session->chunks[i].size;
		progress("reading records", s->bytes, r->total);
	}
	stacks_free(r->stacks);
}

void samples_read(struct samples *s, take_sample_fn *take, look_ahead_fn *ahead, void *to)
{
	uint64_t total = 0;

	for (unsigned n = 0; n < s->recording_count; n++) {
		for (size_t i = 0; i < s->recordings[n].session.chunk_count; i++)
			total += s->recordings[n].session.chunks[i].size;
	}
	for (unsigned n = 0; n < s->recording_count; n++) {
		struct reader *r = xcalloc(1, sizeof(*r));

		*r = (struct reader){.s = s,
		                     .recording = &s->recordings[n],
		                     .filtered = !filter_is_empty(s->filter),
		                     .take = take,
		                     .ahead = ahead,
		                     .to = to,
		                     .total = total};
		read_recording(r);
		free(r);
	}
	progress_end();
}

void samples_rewind(struct samples *s)
{
	s->count = s->left_out = s->timed = s->without_stack = s->cut_stack = s->bytes = 0;
	for (size_t i = 0; i < s->place_index.count; i++)
		s->places[i].samples = 0;
	for (unsigned i = 0; i < s->recording_count; i++) {
		struct session *session = &s->recordings[i].session;

		s->recordings[i].samples = s->recordings[i].left_out = 0;
		session->damaged = session->suspect = session->skipped = 0;
	}
}

int samples_status(const struct samples *s)
{
	int status = 0;

	for (unsigned i = 0; i < s->recording_count && !status; i++)
		status = session_status(&s->recordings[i].session);
	return status;
}

void samples_warn(struct samples *s)
{
	uint64_t samples = 0;

	for (unsigned i = 0; i < s->recording_count; i++)
		session_warn_damaged(&s->recordings[i].session, s->recordings[i].path);
	if (!s->count && s->left_out)
		warn("the filters leave out all %llu samples; relax a filter",
		     (unsigned long long)s->left_out);
	for (size_t i = 0; i < s->place_index.count; i++) {
		struct place *place = &s->places[i];

		if (!place->samples)
			continue;
		samples += place->samples;
		if (!place->resolved || !object_has_symbol(place->object, place->addr))
			missing_count(place->object, place->samples);
	}
	missing_warn(samples);
}
