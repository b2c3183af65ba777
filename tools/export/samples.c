/* SPDX-License-Identifier: MIT */
/* See samples.h. Memory grows with the code that has samples, not with their number. */
#define _GNU_SOURCE
#include "samples.h"
#include "../base/common.h"
#include "../session/call_stacks.h"
#include "../session/missing.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT = 4096 };

/* What was found for a PC in a moment, so that it is not looked up again for the next samples. */
struct recent {
	uint64_t pc;
	uint32_t moment, code; /* code: index + 1 */
};

struct reader {
	struct samples *s;
	struct recording *recording;
	uint32_t index;
	bool filtered;
	const struct moment *now;
	struct recent recent[RECENT];
	struct spemu_shapes shapes;
	void (*take)(void *to, const struct sample *sample);
	void *to;
	uint64_t bytes, total; /* for the progress */
	unsigned batches;
};

void samples_open(struct samples *s, const char *const *paths, size_t count, struct filter *filter)
{
	*s = (struct samples){.filter = filter, .recording_count = (unsigned)count};
	s->recordings = xcalloc(count, sizeof(*s->recordings));
	/* The stack without any call is number 0. */
	map_add(&s->call_index, (struct map_key){0, UINT32_MAX, 0});
	GROW(s->calls, 0, s->call_capacity)[0] = (struct call){0, UINT32_MAX};
	for (size_t i = 0; i < count; i++) {
		struct recording *r = &s->recordings[i];

		r->path = paths[i];
		session_open(&r->session, r->path);
		if (spemu_perf_feature_string(r->session.file, &r->host, SPEMU_PERF_FEAT_HOSTNAME))
			r->host = "";
		r->sources = sources_of(r->session.file);
		r->stacks = stacks_read(&r->session);
		if (!filter_set_sources(filter, r->sources))
			die(EXIT_OWN,
			    "%s is of a core whose data sources have no known names; give their "
			    "numbers, which 'spemu report --section sources' shows",
			    r->path);
	}
}

/* The index of the instruction of like, whose address is in memory if it has one. */
static uint32_t find_code(struct reader *r, struct place *like, uint64_t time)
{
	struct samples *s = r->s;
	size_t before = s->code_index.count, i;
	struct code *code;

	place_locate(like, &r->recording->session, time);
	/* A task lies at an even address. */
	i = map_add(&s->code_index, (struct map_key){(uintptr_t)like->task | like->no_address,
	                                             (uintptr_t)like->object, like->addr});
	if (i < before)
		return (uint32_t)i;
	code = &GROW(s->codes, i, s->code_capacity)[i];
	*code = (struct code){.place = *like};
	code->place.wanted = filter_wants_place(s->filter, &code->place);
	return (uint32_t)i;
}

static uint32_t find_sampled(struct reader *r, const struct spemu_record *rec, uint64_t time)
{
	const uint64_t pc = rec->addr[SPEMU_ADDR_PC];
	const struct map_key key = {pc, r->now->number, 0};
	struct recent *known = &r->recent[map_hash(&key) % RECENT];
	struct place like;
	uint32_t code;

	if (known->code && known->pc == pc && known->moment == r->now->number)
		return known->code - 1;
	like = place_of_record(r->now->task, r->index, rec);
	code = find_code(r, &like, time);
	if (!like.no_address)
		*known = (struct recent){pc, r->now->number, code + 1};
	return code;
}

static uint32_t find_call(struct samples *s, uint32_t caller, uint32_t code)
{
	size_t before = s->call_index.count;
	size_t i = map_add(&s->call_index, (struct map_key){caller, code, 0});

	if (i == before)
		GROW(s->calls, i, s->call_capacity)[i] = (struct call){caller, code};
	return (uint32_t)i;
}

static uint32_t find_stack(struct reader *r, const struct spemu_record *rec, uint64_t time,
                           uint32_t code)
{
	uint64_t addresses[SPEMU_PERF_CALLCHAIN_MAX];
	const struct task *task = r->now->task;
	struct spemu_perf_sample chain;
	uint32_t stack = 0;
	size_t n = 0;

	if (r->recording->stacks && rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) &&
	    stacks_find(r->recording->stacks, &chain, task->tid, time,
	                spemu_addr_va(rec->addr[SPEMU_ADDR_PC])))
		n = stack_calls(&chain, addresses);
	for (size_t i = 0; i < n; i++) {
		struct place like = {.task = task, .input = r->index, .addr = addresses[i]};

		stack = find_call(r->s, stack, find_code(r, &like, time));
	}
	return find_call(r->s, stack, code);
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
	sample.task = r->now->task;
	sample.code = find_sampled(r, rec, sample.time);
	if (r->filtered && (!s->codes[sample.code].place.wanted ||
	                    !filter_wants_record(s->filter, chunk->cpu, sample.time, rec))) {
		s->left_out++;
		return;
	}
	sample.stack = find_stack(r, rec, sample.time, sample.code);
	s->codes[sample.code].samples++;
	s->count++;
	s->timed += record_has_counter(rec, SPEMU_COUNTER_TOTAL);
	r->take(r->to, &sample);
}

static void take_records(void *reader, const struct chunk *c, const struct spemu_record *records,
                         size_t count)
{
	struct reader *r = reader;

	for (size_t i = 0; i < count; i++)
		take_record(r, c, &records[i]);
	if (++r->batches % 256 == 0 && count)
		progress("reading records", r->bytes + records[count - 1].offset - c->offset,
		         r->total);
}

static void read_chunk(struct reader *r, const struct chunk *c)
{
	session_records(&r->recording->session, c, &r->shapes, take_records, r);
	r->bytes += c->size;
}

static void read_recording(struct reader *r)
{
	struct session *session = &r->recording->session;
	uint64_t first, last;

	(void)filter_set_sources(r->s->filter, r->recording->sources);
	if (filter_needs_times(r->s->filter)) {
		session_times(session, &first, &last);
		filter_set_times(r->s->filter, first, last);
	}
	for (size_t i = 0; i < session->chunk_count; i++) {
		read_chunk(r, &session->chunks[i]);
		progress("reading records", r->bytes, r->total);
	}
}

void samples_read(struct samples *s, void (*take)(void *to, const struct sample *sample), void *to)
{
	uint64_t bytes = 0, total = 0;

	for (unsigned n = 0; n < s->recording_count; n++) {
		for (size_t i = 0; i < s->recordings[n].session.chunk_count; i++)
			total += s->recordings[n].session.chunks[i].size;
	}
	for (unsigned n = 0; n < s->recording_count; n++) {
		struct reader *r = xcalloc(1, sizeof(*r));

		*r = (struct reader){.s = s,
		                     .recording = &s->recordings[n],
		                     .index = n,
		                     .filtered = !filter_is_empty(s->filter),
		                     .take = take,
		                     .to = to,
		                     .bytes = bytes,
		                     .total = total};
		read_recording(r);
		bytes = r->bytes;
		free(r);
	}
	progress_end();
}

int samples_status(const struct samples *s)
{
	int status = 0;

	for (unsigned i = 0; i < s->recording_count && !status; i++)
		status = session_status(&s->recordings[i].session);
	return status;
}

void samples_warn(const struct samples *s)
{
	struct missing *m = missing_new();

	for (unsigned i = 0; i < s->recording_count; i++)
		session_warn_damaged(&s->recordings[i].session, s->recordings[i].path);
	if (!s->count && s->left_out)
		warn("the filters leave out all %llu samples", (unsigned long long)s->left_out);
	for (size_t i = 0; i < s->code_index.count; i++) {
		const struct code *code = &s->codes[i];

		if (code->samples && code->found)
			missing_count(m, code->place.object, code->samples, code->place.symbol);
	}
	missing_tell(m);
}

static void find_frames(struct code *code)
{
	struct frame frames[CODE_FRAMES_MAX];
	const struct place *place = &code->place;

	if (!place->resolved)
		return;
	code->frame_count =
	        (uint32_t)object_frames(place->object, frames, CODE_FRAMES_MAX, place->addr);
	if (!code->frame_count)
		return;
	code->frames = xcalloc(code->frame_count, sizeof(*frames));
	for (uint32_t i = 0; i < code->frame_count; i++)
		code->frames[i] = frames[i];
}

const struct code *samples_code(struct samples *s, uint32_t index)
{
	struct code *code = &s->codes[index];
	const char *object;

	if (code->found)
		return code;
	code->found = true;
	place_find_symbol(&code->place);
	place_find_line(&code->place);
	find_frames(code);
	code->function = code->place.symbol;
	if (code->function)
		return code;
	object = place_object(&code->place);
	code->function = *object == '[' ? object : xasprintf("[%s]", object);
	return code;
}

uint32_t code_frames(const struct code *code)
{
	return code->frame_count ? code->frame_count : 1;
}

const char *code_frame(const struct code *code, uint32_t number, const char **file, int *line)
{
	const struct frame *frame = code->frame_count ? &code->frames[number] : NULL;

	*file = frame ? frame->file : code->place.file;
	*line = frame ? frame->line : code->place.line;
	/* The outermost is named as everywhere else. */
	if (!frame || number + 1 == code->frame_count || !frame->function)
		return code->function;
	return frame->function;
}

/* The functions of an instruction after those of its callers. */
static void add_names(struct bytes *text, const struct code *code)
{
	for (uint32_t n = code_frames(code); n-- > 0;) {
		const char *file, *name;
		size_t start;
		int line;

		name = code_frame(code, n, &file, &line);
		if (text->size)
			bytes_byte(text, ';');
		start = text->size;
		bytes_add(text, name, strlen(name));
		for (; start < text->size; start++)
			if (text->data[start] == ';')
				text->data[start] = ':';
	}
}

const char *samples_stack_text(struct samples *s, uint32_t stack)
{
	uint32_t path[SPEMU_PERF_CALLCHAIN_MAX + 1];
	size_t n = 0;

	for (uint32_t at = stack; at; at = s->calls[at].caller)
		path[n++] = s->calls[at].code;
	s->text.size = 0;
	while (n-- > 0)
		add_names(&s->text, samples_code(s, path[n]));
	bytes_byte(&s->text, 0);
	return (const char *)s->text.data;
}

char *build_id_text(char text[BUILD_ID_TEXT], const struct object *object)
{
	size_t size;
	const uint8_t *id = object_build_id(object, &size);

	text[0] = 0;
	for (size_t i = 0; i < size && i < SPEMU_PERF_BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return text;
}
