/* SPDX-License-Identifier: MIT */
/*
 * A perf.data file as a whole: the trace of each queue, and who ran what where at which time.
 *
 * Threads are known by the id in their records' Context packets; a thread's process, name and
 * mappings are looked up at the record's time, since ids are reused and programs call execve().
 */
#ifndef TOOLS_SESSION_H
#define TOOLS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include "allocations.h"
#include "timeline.h"

/* Trace of one AUXTRACE event. */
struct chunk {
	const uint8_t *data;
	uint64_t size;   /* of what is in memory: a size_t holds it */
	uint64_t offset; /* in the queue's stream */
	uint32_t idx, cpu, tid;
};

struct session {
	struct spemu_perf_file *file;
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_attr attr; /* the SPE event's; name NULL if there is none */
	bool has_spe;
	const uint8_t *begin, *end;         /* where the file is in memory, as far as it was read */
	const uint8_t *passed, *passed_end; /* of it, read but not given back; NULL: none */
	bool synthesized; /* samples that perf made of a trace, which is not there */
	uint32_t foreign; /* AUXTRACE_INFO.type of a trace that is not SPE's; 0: none */
	int damage;       /* why reading the events stopped early, or SPEMU_OK */
	uint64_t damage_offset;
	struct chunk *chunks; /* by queue, then in the order of the file */
	size_t chunk_count;
	uint64_t truncated, collisions, lost; /* AUX and LOST events that say so */
	uint64_t damaged, suspect; /* records so far: skipped, and given but with a fault */
	uint64_t skipped;          /* bytes of trace so far that are in no record */
	struct timeline *timeline;
	struct heap *heap;
};

/* Open path (input.h: "-" is standard input) and read its events; dies when there is nothing to
 * read. */
void session_open(struct session *s, const char *path);

/*
 * These bytes have been read: what of the file is in memory for them is not needed. After
 * SESSION_STEP bytes, or where others than the next ones come, it is given back.
 */
enum { SESSION_STEP = 1 << 20 };
void session_passed(struct session *s, const uint8_t *from, const uint8_t *to);
/* All of a chunk. */
void session_release(struct session *s, const struct chunk *c);

/* Takes records of chunk c that follow each other. */
typedef void session_records_fn(void *ctx, const struct chunk *c,
                                const struct spemu_record *records, size_t count);
/*
 * Gives take() all records of a chunk, in order and many at a time, and counts in s those that are
 * damaged. The chunk has been released when it returns. shapes: one for all chunks, zeroed before
 * the first.
 */
void session_records(struct session *s, const struct chunk *c, struct spemu_shapes *shapes,
                     session_records_fn *take, void *ctx);

/*
 * Warns, after the last record, how many records were left out because they are damaged. It does
 * not count suspect records, because the first record of its kind is suspect even if nothing is
 * wrong. path: of the file, for the message.
 */
void session_warn_damaged(const struct session *s, const char *path);

/* The exit status of a command that has shown what it could read: 0, or EXIT_DAMAGED. */
int session_status(const struct session *s);

/* The time of a record in ns; UINT64_MAX (the end) if the record or the file has none. */
uint64_t session_time(const struct session *s, const struct spemu_record *rec);

/* The first and the last time of all records; UINT64_MAX and 0 if none has one. */
void session_times(struct session *s, uint64_t *first, uint64_t *last);

/* The id of the thread of a record of chunk c. */
static inline uint32_t session_tid(const struct chunk *c, const struct spemu_record *rec)
{
	/* With both, the host kernel's is the one of EL2 (FEAT_VHE); perf takes the last as
	 * well. */
	if (rec->present & SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL2))
		return rec->context[SPEMU_CONTEXT_EL2];
	if (rec->present & SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL1))
		return rec->context[SPEMU_CONTEXT_EL1];
	return c->tid;
}

#endif
