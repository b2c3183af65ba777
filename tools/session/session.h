/* SPDX-License-Identifier: MIT */
/*
 * A perf.data file as a whole: the trace of each queue, and the threads, processes and mappings
 * over time.
 *
 * The Context packets of a record have the id of its thread. The thread's process, name and
 * mappings are looked up at the record's time, because ids are reused and programs call execve().
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

/* The trace of one AUXTRACE event. */
struct chunk {
	const uint8_t *data;
	uint64_t size;   /* of mapped memory: a size_t holds it */
	uint64_t offset; /* in the queue's stream */
	uint32_t idx, cpu, tid;
};

struct session {
	struct spemu_perf_file *file;
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_attr attr; /* the attr of the SPE event; name NULL: there is none */
	bool has_spe;
	const uint8_t *begin, *end;         /* the file in memory, as far as it was read */
	const uint8_t *passed, *passed_end; /* the part that is read and not released; NULL: none */
	bool synthesized; /* the file has samples that perf made of a trace, but no trace */
	uint32_t foreign; /* AUXTRACE_INFO.type of a trace that is not SPE's; 0: none */
	int damage;       /* why reading the events stopped early, or SPEMU_OK */
	uint64_t damage_offset;
	struct chunk *chunks; /* by queue, then in the order of the file */
	size_t chunk_count;
	uint64_t truncated, collisions, lost; /* AUX events with that flag, and lost events */
	uint64_t damaged, suspect; /* records so far: skipped, and decoded but with a fault */
	uint64_t skipped;          /* bytes of trace so far that are in no record */
	struct timeline *timeline;
	struct heap *heap;
};

/* Open path (input.h: "-" is standard input) and read its events; dies when there is nothing to
 * read. */
void session_open(struct session *s, const char *path);

/*
 * Note that these bytes were read. Their memory is released after SESSION_STEP bytes, or when other
 * bytes than the next ones are read.
 */
enum { SESSION_STEP = 1 << 20 };
void session_passed(struct session *s, const uint8_t *from, const uint8_t *to);
/* Note that a whole chunk was read. */
void session_release(struct session *s, const struct chunk *c);

/* Take consecutive records of chunk c. */
typedef void session_records_fn(void *ctx, const struct chunk *c,
                                const struct spemu_record *records, size_t count);
/*
 * Hand all records of a chunk to take(), in order and many at a time, and count the damaged ones in
 * s. The chunk is released on return. shapes: one for all chunks, zeroed before the first.
 */
void session_records(struct session *s, const struct chunk *c, struct spemu_shapes *shapes,
                     session_records_fn *take, void *ctx);

/*
 * Warn, after the last record, how many records were left out because they are damaged. Suspect
 * records are not counted, because the first record of its kind is suspect even if nothing is
 * wrong. path is for the message.
 */
void session_warn_damaged(const struct session *s, const char *path);

/* Return the exit status of a command that has shown all it could read: 0, or EXIT_DAMAGED. */
int session_status(const struct session *s);

/* Return the time of a record in ns, or UINT64_MAX if the record or the file has none. */
uint64_t session_time(const struct session *s, const struct spemu_record *rec);

/* Find the first and the last time of all records: UINT64_MAX and 0 if none has a time. */
void session_times(struct session *s, uint64_t *first, uint64_t *last);

/* Return the id of the thread of a record of chunk c. */
static inline uint32_t session_tid(const struct chunk *c, const struct spemu_record *rec)
{
	/* If there are both, the host kernel's context is that of EL2 (FEAT_VHE). perf does the
	 * same. */
	if (rec->present & SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL2))
		return rec->context[SPEMU_CONTEXT_EL2];
	if (rec->present & SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL1))
		return rec->context[SPEMU_CONTEXT_EL1];
	return c->tid;
}

#endif
