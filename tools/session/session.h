/* SPDX-License-Identifier: MIT */
/*
 * A session: one perf.data file with the trace of each queue, and with threads, processes and
 * mappings over time.
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
	uint64_t size;   /* bytes of mapped memory, which fit a size_t */
	uint64_t offset; /* offset in the queue's stream */
	uint32_t idx, cpu, tid;
};

struct session {
	struct spemu_perf_file *file;
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_attr attr; /* attr of the SPE event; its name is NULL if there is none */
	bool has_spe;                /* true if the file says that it has SPE trace */
	const uint8_t *begin, *end;  /* part of the file in memory that was read */
	const uint8_t *passed, *passed_end; /* part that was read but not released, or NULL */
	bool synthesized; /* true if the file has samples that perf made from trace, but no trace */
	uint32_t foreign; /* AUXTRACE_INFO.type of a trace that is not of SPE, or 0 */
	int damage;       /* error that stopped reading the events, or SPEMU_OK */
	uint64_t damage_offset;
	struct chunk *chunks; /* chunks by queue, then in the order of the file */
	size_t chunk_count;
	uint64_t truncated, collisions, lost; /* AUX events with these flags, and lost events */
	uint64_t damaged, suspect; /* records skipped so far, and records decoded with a fault */
	uint64_t skipped;          /* bytes of trace that belong to no record so far */
	struct timeline *timeline;
	struct heap *heap;
};

/* Open path, or standard input for "-" (input.h), and read its events. Die if it has no SPE
 * trace. */
void session_open(struct session *s, const char *path);

/*
 * Record that these bytes were read. Their memory is released after SESSION_STEP bytes, or when
 * reading continues elsewhere.
 */
enum { SESSION_STEP = 1 << 20 };
void session_passed(struct session *s, const uint8_t *from, const uint8_t *to);
/* Record that a whole chunk was read. */
void session_release(struct session *s, const struct chunk *c);

/* Take consecutive records of chunk c. */
typedef void session_records_fn(void *ctx, const struct chunk *c,
                                const struct spemu_record *records, size_t count);
/*
 * Pass all records of a chunk to take(), in order and many at a time, and count the damaged ones in
 * s. The chunk is released on return. Use the same shapes for all chunks; zero it before the first.
 */
void session_records(struct session *s, const struct chunk *c, struct spemu_shapes *shapes,
                     session_records_fn *take, void *ctx);

/*
 * Warn of the damaged records that were left out. Call this after the last record. Suspect records
 * do not count, because the first record of a shape is suspect even if nothing is wrong. path is
 * for the message.
 */
void session_warn_damaged(const struct session *s, const char *path);

/* Return the exit status of a command that succeeded: 0, or EXIT_DAMAGED if a part could not be
 * read. */
int session_status(const struct session *s);

/* Return the words of the command that made the recording, separated by blanks, or "" if they are
 * unknown. The caller frees the text. */
char *session_command_line(const struct session *s);

/* Return the time of a record in ns, or UINT64_MAX if the record or the file has none. */
uint64_t session_time(const struct session *s, const struct spemu_record *rec);

/* Find the first and the last time of all records: UINT64_MAX and 0 if none has a time. */
void session_times(struct session *s, uint64_t *first, uint64_t *last);

/* Return the id of the thread of a record of chunk c. */
static inline uint32_t session_tid(const struct chunk *c, const struct spemu_record *rec)
{
	/* If a record has both, the host kernel runs at EL2 (FEAT_VHE). perf does the same. */
	if (rec->present & SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL2))
		return rec->context[SPEMU_CONTEXT_EL2];
	if (rec->present & SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL1))
		return rec->context[SPEMU_CONTEXT_EL1];
	return c->tid;
}

#endif
