/* SPDX-License-Identifier: MIT */
/* Read the events of a perf.data file once: queues of trace, and the events for the timeline. */
#define _GNU_SOURCE
#include "session.h"
#include "damage.h"
#include "input.h"
#include "kernel_object.h"
#include "../base/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void add_chunk(struct session *s, size_t *capacity, const struct spemu_perf_auxtrace *a)
{
	APPEND(s->chunks, s->chunk_count, *capacity) = (struct chunk){.data = a->data,
	                                                              .size = a->size,
	                                                              .offset = a->offset,
	                                                              .idx = a->idx,
	                                                              .cpu = a->cpu,
	                                                              .tid = a->tid};
}

static int compare_chunks(const void *pa, const void *pb)
{
	const struct chunk *a = pa, *b = pb;

	if (a->idx != b->idx)
		return a->idx < b->idx ? -1 : 1;
	/* Chunks lie in the mapping in the order of the file. */
	return a->data < b->data ? -1 : a->data > b->data;
}

/* Sort the chunks if they are not sorted. Most files have them in order, and qsort() copies them,
 * which is expensive for many chunks. */
static void sort_chunks(struct session *s)
{
	for (size_t i = 1; i < s->chunk_count; i++) {
		if (compare_chunks(&s->chunks[i - 1], &s->chunks[i]) > 0) {
			qsort(s->chunks, s->chunk_count, sizeof(*s->chunks), compare_chunks);
			return;
		}
	}
}

static _Noreturn void cannot_open(const char *path, int status, uint64_t where)
{
	switch (status) {
	case SPEMU_ERR_IO:
		die(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_OWN, "cannot open '%s': %s%s", path,
		    strerror(errno),
		    errno == ENOENT ? "; record one with 'spemu record -- PROGRAM'" : "");
	case SPEMU_ERR_INVALID:
		die(EXIT_OWN, "%s is not a perf.data file; give a recording of spemu or perf",
		    path);
	case SPEMU_ERR_NOT_SUPPORTED:
		die(EXIT_OWN,
		    "%s is not supported: it is big-endian, of version 1, or neither a file nor a "
		    "pipe; write it with 'perf record -o FILE'",
		    path);
	default:
		die(EXIT_DAMAGED, "%s is damaged: %s at offset %#llx; record again", path,
		    spemu_strerror(status), (unsigned long long)where);
	}
}

static void find_attr(struct session *s)
{
	struct spemu_perf_attr attr;

	for (uint32_t i = 0; spemu_perf_attr(s->file, &attr, i) == SPEMU_OK; i++) {
		if (s->has_spe && attr.type == s->info.pmu_type)
			s->attr = attr;
	}
}

/* Return true if the file has an attr of the samples that perf synthesizes from SPE trace. */
static bool is_made_of_spe(const struct spemu_perf_file *file)
{
	struct spemu_perf_attr attr;

	for (uint32_t i = 0; spemu_perf_attr(file, &attr, i) == SPEMU_OK; i++) {
		if (attr.name && strstr(attr.name, "arm_spe"))
			return true;
	}
	return false;
}

static void read_event(struct session *s, size_t *capacity, const struct spemu_perf_event *event)
{
	switch (event->type) {
	case SPEMU_PERF_AUXTRACE_INFO:
		if (event->u.auxtrace_info.type != SPEMU_PERF_AUXTRACE_SPE)
			s->foreign = event->u.auxtrace_info.type;
		break;
	case SPEMU_PERF_AUXTRACE:
		if (event->u.auxtrace.size)
			add_chunk(s, capacity, &event->u.auxtrace);
		break;
	case SPEMU_PERF_AUX:
		s->truncated += !!(event->u.aux.flags & SPEMU_PERF_AUX_TRUNCATED);
		s->collisions += !!(event->u.aux.flags & SPEMU_PERF_AUX_COLLISION);
		break;
	case SPEMU_PERF_SAMPLE:
		s->synthesized = s->synthesized || (!s->has_spe && is_made_of_spe(s->file));
		break;
	case SPEMU_PERF_LOST:
		s->lost += event->u.lost.count;
		break;
	default:
		if (!heap_add(s->heap, event))
			timeline_add(s->timeline, event);
	}
}

/* Return the name of an AUXTRACE_INFO.type: enum auxtrace_type of tools/perf/util/auxtrace.h of
 * Linux 6.1. */
static const char *trace_name(uint32_t type)
{
	static const char *const names[] = {[1] = "Intel PT",
	                                    [2] = "Intel BTS",
	                                    [3] = "Arm CoreSight",
	                                    [5] = "s390 CPU-MF",
	                                    [6] = "HiSilicon PTT"};

	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type]
	                                                              : "another kind";
}

/* Die unless the file has an AUXTRACE_INFO event of SPE. */
static void refuse_other_traces(const struct session *s, const char *path)
{
	if (s->foreign)
		die(EXIT_OWN,
		    "%s contains trace of %s (AUXTRACE_INFO type %u), not of Arm SPE; show it with "
		    "'perf script', or record with 'spemu record'",
		    path, trace_name(s->foreign), s->foreign);
	if (s->has_spe)
		return;
	if (s->chunk_count)
		die(EXIT_OWN,
		    "%s contains trace of an unknown kind, because it has no AUXTRACE_INFO event; "
		    "record again with 'spemu record'",
		    path);
	if (s->damage)
		cannot_open(path, s->damage, s->damage_offset);
	if (s->synthesized)
		die(EXIT_OWN,
		    "%s contains samples that 'perf inject --itrace' made from trace, but not the "
		    "trace; give the original file, or use 'perf inject -j' without --itrace",
		    path);
	die(EXIT_OWN, "%s contains no Arm SPE trace; record one with 'spemu record'", path);
}

/*
 * Release the memory of a part of the mapped file. The kernel reads it again if it is accessed. A
 * page fault also maps the pages around it, 64 KiB or a whole folio of the page cache, so this
 * releases the surrounding 2 MiB, too.
 */
static void release(const struct session *s, const uint8_t *from, const uint8_t *to)
{
	const uintptr_t around = 2 << 20, page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)from & ~(around - 1);
	uintptr_t last = ((uintptr_t)to + around - 1) & ~(around - 1);
	uintptr_t end = (uintptr_t)s->end & ~(page - 1);

	if (first < (uintptr_t)s->begin)
		first = (uintptr_t)s->begin;
	if (last > end)
		last = end;
	if (last > first)
		madvise((void *)first, last - first, MADV_DONTNEED);
}

void session_passed(struct session *s, const uint8_t *from, const uint8_t *to)
{
	const ptrdiff_t step = SESSION_STEP;

	if (s->passed && (from < s->passed_end || from - s->passed_end > step)) {
		release(s, s->passed, s->passed_end);
		s->passed = NULL;
	}
	if (!s->passed)
		s->passed = from;
	s->passed_end = to;
	if (to - s->passed < step)
		return;
	release(s, s->passed, to);
	s->passed = NULL;
}

void session_release(struct session *s, const struct chunk *c)
{
	session_passed(s, c->data, c->data + c->size);
}

/* Count the damaged records in the stretch, and empty it. */
static void count_damaged(struct session *s, struct stretch *stretch,
                          const struct spemu_decoder *dec)
{
	struct damaged damaged;
	uint64_t start = stretch->from > stretch->given ? stretch->from : stretch->given;

	if (start < stretch->to) {
		const uint8_t *p = dec->begin + (start - dec->base);

		while (damaged_next(&damaged, &p, dec->begin + (stretch->to - dec->base)))
			s->damaged++;
	}
	stretch->from = stretch->to;
}

/* Count the damage after a call of spemu_decoder_records(): in the records, then in the bytes that
 * the decoder skipped. */
static void follow_damage(struct session *s, struct stretch *stretch,
                          const struct spemu_decoder *dec, int status,
                          const struct spemu_record *records, size_t count)
{
	uint64_t offset = dec->skip_offset, size = dec->skip_size;

	if (count) {
		count_damaged(s, stretch, dec);
		stretch->given = records[count - 1].offset + records[count - 1].size;
	}
	for (size_t i = 0; i < count; i++)
		s->suspect += records[i].present / SPEMU_RECORD_SUSPECT & 1;
	if (status == SPEMU_ERR_TRUNCATED) {
		offset = dec->base + (uint64_t)(dec->pos - dec->begin);
		size = (uint64_t)(dec->end - dec->pos);
	}
	if (status == SPEMU_ERR_CORRUPT || status == SPEMU_ERR_TRUNCATED) {
		if (!stretch_continues(stretch, offset))
			count_damaged(s, stretch, dec);
		stretch_add(stretch, offset, size);
	}
	if (status != SPEMU_OK && status != SPEMU_ERR_CORRUPT)
		count_damaged(s, stretch, dec);
}

void session_warn_damaged(const struct session *s, const char *path)
{
	if (s->skipped)
		warn("%s: %llu damaged record%s left out, %llu bytes of trace; "
		     "'spemu dump --records' shows their packets",
		     path, (unsigned long long)s->damaged, s->damaged == 1 ? " is" : "s are",
		     (unsigned long long)s->skipped);
}

int session_status(const struct session *s)
{
	return s->damage || s->skipped ? EXIT_DAMAGED : 0;
}

void session_records(struct session *s, const struct chunk *c, struct spemu_shapes *shapes,
                     session_records_fn *take, void *ctx)
{
	struct spemu_decoder dec;
	struct spemu_record records[64];
	const uint8_t *passed = c->data;
	struct stretch stretch = {0};
	unsigned n = 0;
	size_t count;
	int status;

	spemu_decoder_init(&dec, c->data, (size_t)c->size, c->offset);
	do {
		status = spemu_decoder_records(&dec, &count, records,
		                               sizeof(records) / sizeof(records[0]), shapes);
		take(ctx, c, records, count);
		follow_damage(s, &stretch, &dec, status, records, count);
		if (++n % 256 == 0) {
			session_passed(s, passed, dec.pos);
			passed = dec.pos;
		}
	} while (status == SPEMU_OK || status == SPEMU_ERR_CORRUPT);
	session_passed(s, passed, c->data + c->size);
	s->skipped += dec.skipped;
	if (status == SPEMU_ERR_TRUNCATED)
		s->skipped += (uint64_t)(dec.end - dec.pos);
}

/* Record the end of the event, and that the event was read. */
static void pass_event(struct session *s, const struct spemu_perf_event *event)
{
	const uint8_t *end = event->body - 8 + event->size;

	/* The trace follows its event, but it is read later. */
	s->end = event->type == SPEMU_PERF_AUXTRACE
	                 ? event->u.auxtrace.data + event->u.auxtrace.size
	                 : end;
	if (!s->begin)
		s->begin = event->body - 8 - event->file_offset;
	session_passed(s, event->body - 8, end);
}

void session_open(struct session *s, const char *path)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	const char *version;
	size_t capacity = 0;
	uint64_t where = 0;
	int status;

	memset(s, 0, sizeof(*s));
	status = spemu_perf_open(&s->file, &where, input_recording(path));
	if (status)
		cannot_open(path, status, where);
	status = spemu_perf_find_spe(s->file, &s->info, &s->conv);
	s->has_spe = status == SPEMU_OK;
	find_attr(s);
	if (spemu_perf_feature_string(s->file, &version, SPEMU_PERF_FEAT_OSRELEASE) == SPEMU_OK)
		kernel_set_release(version);
	s->timeline = timeline_new();
	s->heap = heap_new();
	while ((status = spemu_perf_next(s->file, &event, &cursor)) == SPEMU_OK) {
		/* input.c expands these events, unless the header does not announce them. */
		if (event.type == SPEMU_PERF_COMPRESSED) {
			status = SPEMU_ERR_CORRUPT;
			break;
		}
		read_event(s, &capacity, &event);
		pass_event(s, &event);
	}
	if (status != SPEMU_ERR_END) {
		s->damage = status;
		s->damage_offset = cursor.offset;
	}
	refuse_other_traces(s, path);
	if (s->damage)
		warn("%s is damaged: %s at offset %#llx; only the part before it is used", path,
		     spemu_strerror(s->damage), (unsigned long long)s->damage_offset);
	sort_chunks(s);
	timeline_finish(s->timeline, s->file);
	heap_finish(s->heap);
}

char *session_command_line(const struct session *s)
{
	char *line = xstrdup(""), *longer;
	const char *word;

	for (uint32_t i = 0; spemu_perf_cmdline(s->file, &word, i) == SPEMU_OK; i++) {
		longer = xasprintf("%s%s%s", line, i ? " " : "", word);
		free(line);
		line = longer;
	}
	return line;
}

uint64_t session_time(const struct session *s, const struct spemu_record *rec)
{
	if (!(rec->present & SPEMU_RECORD_TIMESTAMP) || !s->conv.time_mult)
		return UINT64_MAX;
	return spemu_perf_time(&s->conv, rec->timestamp);
}

struct times {
	const struct session *session;
	uint64_t first, last;
};

static void look_at_times(void *of, const struct chunk *c, const struct spemu_record *records,
                          size_t count)
{
	struct times *times = of;

	(void)c;
	for (size_t i = 0; i < count; i++) {
		uint64_t time = session_time(times->session, &records[i]);

		if (time == UINT64_MAX)
			continue;
		times->first = time < times->first ? time : times->first;
		times->last = time > times->last ? time : times->last;
	}
}

void session_times(struct session *s, uint64_t *first, uint64_t *last)
{
	const uint64_t skipped = s->skipped, damaged = s->damaged, suspect = s->suspect;
	struct times times = {.session = s, .first = UINT64_MAX};
	struct spemu_shapes shapes = {0};

	for (size_t i = 0; i < s->chunk_count; i++)
		session_records(s, &s->chunks[i], &shapes, look_at_times, &times);
	s->skipped = skipped; /* damage counts when the records are read again */
	s->damaged = damaged;
	s->suspect = suspect;
	*first = times.first;
	*last = times.last;
}
