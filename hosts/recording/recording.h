/* SPDX-License-Identifier: MIT */
/*
 * A recording in progress: one perf.data file about several processes.
 *
 * The recorder (`spemu record`) creates the file and a control area. Each emulated process attaches
 * to the area by its path and brings events and trace. At the end the recorder finishes the file.
 *
 * The file is complete after every append: perf finds header, data section and the features that do
 * not depend on the data (ARCH, CPUID, NRCPUS, CMDLINE, EVENT_DESC, ...), even if all processes
 * were killed. Only if the recorder dies inside an append does the file lack features (its events
 * are whole) until recording_repair(). The build-id table, the entries of the AUXTRACE index and
 * SAMPLE_TIME are missing until recording_finish() or recording_repair(); perf shows the same
 * samples without them. Opening the file while it is being written may fail, or find no features or
 * an early end: try again.
 *
 * How threads appear in the file
 *   perf keeps one queue of trace for each idx of an AUXTRACE event and takes cpu for the CPU. Real
 *   recordings have one queue per CPU. Emulated threads are not bound to a CPU and each has its own
 *   SPU, so each running thread holds a *lane*: a small number, unique among the threads that run
 *   at the same time, that is idx and cpu of its AUXTRACE events and cpu of its trailers. tid is
 *   -1: a record's CONTEXT packet has the thread's id. So every record must carry that packet, and
 *   a Timestamp packet at its end. perf 6.1 looks the thread up by that id at the record's time and
 *   so finds the process and its mappings. For that the file must have, at an earlier time (file
 *   order does not matter, perf sorts by time):
 *
 *   - a process: COMM with exec, pid = tid, then MMAP2 for its pid
 *   - a fork: FORK with pid = tid = child and ppid = parent; perf copies name and mappings. Never
 *     COMM alone: if the number was a thread's before, perf goes on taking it for that thread
 *   - a thread: FORK with pid = ppid = process and tid = thread; without it perf takes the thread
 *     for a process of its own that has no mappings, and finds no symbols
 *   - an exec: COMM with exec, then MMAP2 of the new image
 *   - an end: EXIT, at a time after the thread's last record
 *
 *   NRCPUS and NUMA_TOPOLOGY cover all lanes that trace came from: perf c2c indexes by cpu without
 *   a check.
 *
 * Who writes
 *   Only the recorder has the file open. A process puts events or trace into memory that both share
 *   and waits until the recorder has written them. So the program may change its root directory,
 *   its user or its limits, use all its descriptors, or close those that are not its own. Only an
 *   exec attaches anew, by the control path, and needs the right to open it.
 *
 *   The recorder trusts nothing that the processes can write; docs/explanation/security.md describes the
 *   guarantees. A process waits for the recorder as long as it lives, half a minute at most. After
 *   that, or when the recorder is gone, events are lost and counted as lost.
 *
 * Signals
 *   Only recording_count(), recording_switch() and recording_is_on() are async-signal-safe. A
 *   signal handler that calls recording_append() while its own thread is in one gets
 *   SPEMU_ERR_STATE, and its bytes are counted as lost; nothing hangs. The recorder's writes block
 *   SIGXFSZ, so that a file size limit shows as a write error.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <spemu/perfdata.h>
#include <spemu/status.h>

struct iovec;

#define RECORDING_LAYOUT 5            /* version of the control area; attach refuses others */
#define RECORDING_LANES 2048          /* threads with a lane of their own at the same time */
#define RECORDING_ENV "SPEMU_CONTROL" /* environment variable that carries the control path */
#define RECORDING_PATH_MAX 64         /* bytes of a control path with its NUL */
#define RECORDING_NOTE_MAX 256        /* bytes of the first error's text with its NUL */
#define RECORDING_EVENTS_MAX 8192
#define RECORDING_APPEND_MAX 16 /* parts of one append */

/* Counters that the processes add to. */
enum recording_counter {
	RECORDING_SAMPLES = 0,    /* records written to a Profiling Buffer */
	RECORDING_FILTERED,       /* samples removed by a filter */
	RECORDING_COLLISIONS,     /* samples lost because one was in flight */
	RECORDING_LOST_RECORDS,   /* records that did not reach the file */
	RECORDING_LOST_BYTES,     /* bytes that did not; kept by append */
	RECORDING_AUX_BYTES,      /* bytes of trace in the file; kept by append_aux */
	RECORDING_OPERATIONS,     /* the population: operations executed while enabled */
	RECORDING_MANAGEMENT,     /* buffer management events */
	RECORDING_PROCESSES,      /* processes that attached or were forked from one that had */
	RECORDING_THREADS,        /* threads that got a lane; kept by lane_get */
	RECORDING_WRITE_ERRORS,   /* appends that failed; kept by append */
	RECORDING_APPENDS,        /* appends that succeeded; kept by append */
	RECORDING_SALVAGED_BYTES, /* bytes of trace of threads that died with records undelivered */
	RECORDING_STACKS,         /* call stacks in the file; kept by append_stacks */
	RECORDING_STACKS_CUT, /* of those, deeper than SPEMU_PERF_CALLCHAIN_MAX or than was followed */
	RECORDING_STACKS_LOST,      /* that did not reach it */
	RECORDING_PREVIOUS_MISSING, /* records whose branch taken before lies too far back */
	RECORDING_SWITCHES,         /* times that a thread was switched on, where it can be off */
	RECORDING_SNAPSHOTS,        /* kept by snapshot */
	RECORDING_MISSED,           /* records that no snapshot had; kept by the recorder */
	RECORDING_COUNTERS = 24,    /* the rest is free for later */
};

#define RECORDING_STACKS_MAX 262144 /* bytes of call stacks that a lane holds */

enum recording_flag {
	RECORDING_PHYS_ADDR = 1u << 0, /* records carry physical addresses: in sample_type too */
	RECORDING_NO_FOLLOW = 1u << 1, /* children do not attach */
	/* The SPUs are in strict mode (<spemu/strict.h>), with `seed`. Diagnostics about the host's
	 * own driver become the note. */
	RECORDING_STRICT = 1u << 2,
	RECORDING_SWITCHED = 1u << 3, /* the recorder switches: ask recording_is_on() */
	RECORDING_HEAP = 1u << 4,     /* user-mode hosts: heap objects by allocation site */
	/* Call stacks of the samples: from frame records, or from calls and returns. */
	RECORDING_STACKS_FP = 1u << 5,
	RECORDING_STACKS_SHADOW = 1u << 6,
	RECORDING_SAMPLED = 1u << 7, /* user-mode hosts: sampled fidelity of the timing model */
	/* User-mode hosts: memory callbacks on every access instead of restarted blocks. Slower,
	 * with the same records; for QEMUs whose internals differ, tests and measurements. */
	RECORDING_MEMORY_CALLBACKS = 1u << 16,
};

/* Kinds of regions in which a thread is recorded. */
enum recording_region_kind {
	RECORDING_EVERYWHERE = 0,
	RECORDING_MARKERS, /* between the instructions of <spemu/region.h> */
	RECORDING_CALL,    /* from begin until that call returns */
	RECORDING_RANGE,   /* from begin until end is reached */
};

struct recording_region {
	uint32_t kind; /* enum recording_region_kind */
	uint32_t spare;
	uint64_t begin, end; /* less the address of the file's first executable segment */
	uint64_t dev, ino;   /* of the file */
};

/*
 * Parameters of a recording, fixed when it is created and read by every process. Zero means the
 * default wherever a default is named. Members may be added at the end, out of reserved.
 */
struct recording_params {
	uint32_t flags;       /* enum recording_flag */
	uint32_t buffer_size; /* Profiling Buffer of each thread, bytes; 0: 65536 */
	uint64_t period;      /* operations between samples, PMSIRR_EL1.INTERVAL * 256 */
	uint64_t jitter;      /* PMSIRR_EL1.RND: 0 or 1 */
	uint64_t seed;        /* of the random interval, mixed with each thread's number */
	uint64_t pmscr;       /* register values as the guest's kernel would have set them */
	uint64_t pmsfcr;
	uint64_t pmsevfr;
	uint64_t pmsnevfr;
	uint64_t pmslatfr;
	uint64_t pmsdsfr;
	uint64_t min_latency; /* cycles; 0: none */
	uint64_t midr;        /* written as CPUID; 0: Neoverse N1 r3p1, 0x413fd0c1 */
	uint64_t counter_hz;  /* of the timestamp packets; 0: 10^9 */
	uint64_t time_zero;   /* perf time at which that counter read 0, ns */
	char profile[64];     /* machine profile's name; NUL-terminated */
	char features[128];   /* spemu_features_parse(): of the emulated PE; "": the least that the
	                          other members need */
	/* By enum spemu_choice of the build that both sides share: 0 the default, 1 + an option, or
	 * SPEMU_CHOICE_RANDOM. */
	uint8_t choice[120];
	char uarch[192]; /* uarch_parse(): what differs from the profile; NUL-terminated */
	char layout[96]; /* spemu_layout_parse(): of the records; "": neoverse; NUL-terminated */
	struct recording_region region;
	uint64_t interleave; /* operations of a thread's turn; 0: threads run at once */
};

/* Facts about the making of the file. Strings are copied; NULL leaves the feature out. */
struct recording_about {
	const char *const
	        *argv;       /* NULL-terminated; CMDLINE; arguments beyond some 240 KB are cut */
	const char *version; /* VERSION: the tool's */
	const char *osrelease;
	const char *hostname;
	const char *cpu_desc;
	const char *event_name; /* NULL: "arm_spe_0//" */
	/* Description of each CPU in version 2 of the trace's metadata, without number and PMU;
	 * NULL: version 1. */
	const struct spemu_perf_spe_cpu *cpu;
};

/* Handle of one process; the caller's memory. Members are private. */
struct recording {
	struct recording_area *area;
	uint8_t *room;  /* of lane 0; the others follow */
	uint32_t rooms; /* lanes that have one */
	int area_fd;
	int32_t recorder_pid;
	uint64_t proc_device, pid_namespace; /* of the recorder; see recording_who.h */
	_Atomic uint32_t *numbers_made;      /* in the control area */
	int32_t pid,
	        local_pid; /* of this process, in the recorder's PID namespace and in its own */
	bool is_foreign;   /* its PID namespace is another one */
	bool sees_proc;    /* its /proc is the recorder's */
	struct recorder *recorder; /* in the recorder itself */
	_Atomic bool gone;         /* the recorder does not reply any more */
	char control_path[RECORDING_PATH_MAX];
	struct recording_params params;
};

/*
 * Create the file at path (replaced if it exists; mode 0600, as perf's) and the control area. The
 * file then has header, TIME_CONV and AUXTRACE_INFO only. Return SPEMU_OK, SPEMU_ERR_IO (errno) or
 * SPEMU_ERR_INVALID; after an error at most an empty file is left. The caller is the recorder: a
 * thread of it, in which all signals are blocked, writes what the processes bring. If the recorder
 * dies, everything appended until then is in the file.
 */
int recording_create(struct recording *rec, const char *path, const struct recording_params *params,
                     const struct recording_about *about);
/*
 * Do the same into a stream, in perf's pipe mode, through the descriptor fd: a pipe, or anything
 * else that can be written. fd stays the caller's and open until recording_detach(). No program may
 * have it: only the recorder writes into the stream. Differences:
 *
 * - A stream is complete only at its end. A recorder that is killed leaves one without build-ids.
 * - Every RECORDING_LIVE_MS the stream gets what running threads have published in the Profiling
 *   Buffers of recording_buffer(), unless recording_keep() was called.
 * - A write waits for a slow reader, and so do the processes. When the reader goes away, that is a
 *   write error, after which nothing is written. No signal is raised.
 * - Version 2 of the trace's metadata describes as many CPUs as it can, not those that were used.
 */
int recording_create_stream(struct recording *rec, int fd, const struct recording_params *params,
                            const struct recording_about *about);
#define RECORDING_LIVE_MS 200
/* Return the path to hand to emulated processes, in RECORDING_ENV for instance. */
const char *recording_control_path(const struct recording *rec);

/*
 * Attach to a recording. Call once in each process after each exec; a child of fork() goes on with
 * the parent's handle, and counts itself with RECORDING_PROCESSES. Lanes that an earlier image of
 * this process held are freed. Return SPEMU_OK; SPEMU_ERR_IO (errno: the recorder is gone, or it is
 * another user's); SPEMU_ERR_NOT_SUPPORTED: another layout; SPEMU_ERR_CORRUPT: not a control area.
 */
int recording_attach(struct recording *rec, const char *control_path);
/* Return true if this process could attach anew, as it must after an exec. */
bool recording_is_reachable(const struct recording *rec);
/* Unmap and close. The recorder calls it after recording_finish(). Not while others use rec. */
void recording_detach(struct recording *rec);

const struct recording_params *recording_params(const struct recording *rec);
/* Add n to a counter: relaxed, atomic, async-signal-safe. An unknown counter is ignored. */
void recording_count(struct recording *rec, enum recording_counter counter, uint64_t n);

/*
 * Append whole events: n parts (1..RECORDING_APPEND_MAX) that together are a multiple of 8 bytes,
 * at most RECORDING_EVENTS_MAX bytes of COMM, EXIT, FORK, ITRACE_START and MMAP2. All of them or
 * none are in the file on return. Return SPEMU_OK; SPEMU_ERR_IO: not written, counted as lost,
 * errno as in recording_totals, or the recorder is gone; SPEMU_ERR_STATE: the recording is
 * finished, or this thread is already in an append; SPEMU_ERR_INVALID. After an error of the file
 * (disk full) nothing more is written. No heap; errno is preserved.
 */
int recording_append(struct recording *rec, const struct iovec *parts, int n);

/*
 * Append size bytes (multiple of 8, whole records, padded with zero bytes) of trace as one AUX and
 * one AUXTRACE event. who: the thread, the time (not before its last record) and its lane in cpu.
 * flags: SPEMU_PERF_AUX_x. size 0 with flags writes the AUX event alone. size is at most a
 * Profiling Buffer and its padding, except in the recorder itself. Return as recording_append().
 */
int recording_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                         const uint8_t *data, size_t size, uint64_t flags);

/*
 * Enter snapshot mode, as of `perf record --snapshot`. For the recorder, before a process attaches.
 * Trace stays in the recorder's memory: of each lane the newest `bytes` bytes at most, in whole
 * records. Other events are written as usual. Return SPEMU_OK, or SPEMU_ERR_INVALID: bytes 0, or a
 * recording with call stacks, which are not kept.
 */
int recording_keep(struct recording *rec, uint64_t bytes, bool at_end);
/*
 * Write a snapshot. For the recorder, from any thread. It consists of the kept trace and of what
 * running threads have in their Profiling Buffers (those of recording_buffer()), each delivery as
 * an AUX event with SPEMU_PERF_AUX_OVERWRITE and its trace. Then nothing is kept: no record is in
 * the file twice. recording_finish() is a snapshot, too, if at_end was set. Return SPEMU_OK;
 * SPEMU_ERR_IO: some trace was lost, and counted as lost; SPEMU_ERR_STATE: not in snapshot mode, or
 * finished.
 */
int recording_snapshot(struct recording *rec);

/* Switch recording in all processes on or off, which is the recorder's, and return whether it is
 * on. At first it is on. Processes ask only with RECORDING_SWITCHED. Async-signal-safe. */
void recording_switch(struct recording *rec, bool on);
bool recording_is_on(const struct recording *rec);

/*
 * Return the memory for the call stacks of the thread that has the lane: SAMPLE events of
 * spemu_perf_put_sample() with the lane as their CPU. It has RECORDING_STACKS_MAX bytes and is
 * shared as the lane's Profiling Buffer is. Return NULL if the recording has no call stacks, or
 * there is no memory for this lane.
 */
uint8_t *recording_stacks(const struct recording *rec, uint32_t lane);
/* Publish n call stacks in `used` bytes: published stacks reach the file even if the process
 * dies. */
void recording_publish_stacks(struct recording *rec, uint32_t lane, uint64_t used, uint64_t n);
/* Append the published call stacks, which are then published no more. Return as
 * recording_append(). */
int recording_append_stacks(struct recording *rec, uint32_t lane);

/* Return the present time as perf has it: CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t recording_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Return the number of this process, and of the calling thread, as the recorder's PID namespace has
 * them; events have these numbers. recording_forked() finds this process's number anew and returns
 * it. It must be the first call in the child of a fork().
 */
int32_t recording_process_number(struct recording *rec);
int32_t recording_thread_number(struct recording *rec);
int32_t recording_forked(struct recording *rec);

/*
 * Get a lane for the calling thread, the lowest free number first, else one of a process that died.
 * If all are held the last one is shared, which costs nothing but the order of records of equal
 * time. Give the lane back when the thread ends; a child of fork() gets its own.
 */
uint32_t recording_lane_get(struct recording *rec);
void recording_lane_put(struct recording *rec, uint32_t lane);

/*
 * Return the Profiling Buffer of a lane, in memory that outlives the process. If a thread dies,
 * published records that were not delivered are delivered when another takes the lane, after an
 * exec, or by recording_finish(). *size: bytes, params.buffer_size rounded up to pages; after them
 * is a page for padding. Return NULL if there is none for this lane: use memory of your own then,
 * and deliver in time. The pointer is valid in this process until detach.
 */
uint8_t *recording_buffer(struct recording *rec, uint32_t lane, size_t *size);
/* Contents of a thread's buffer that it has not added to the counters yet. */
struct recording_state {
	uint32_t pid, tid;
	uint64_t used;       /* bytes of whole records, from the buffer's beginning */
	uint64_t samples;    /* for RECORDING_SAMPLES */
	uint64_t operations; /* for RECORDING_OPERATIONS */
};
/* Publish the state, after each record: a few stores. recording_append_aux() for the lane withdraws
 * it. */
void recording_publish(struct recording *rec, uint32_t lane, const struct recording_state *state);

/* Keep text (cut to RECORDING_NOTE_MAX - 1 bytes) if it is the first. Any process, any thread. */
void recording_note(struct recording *rec, const char *text);

/* Changes by others to the file's name and contents. */
enum recording_fate {
	RECORDING_IN_PLACE,
	RECORDING_RENAMED, /* another file, or none, has its name */
	RECORDING_REMOVED, /* it has no name any more */
	RECORDING_CUT,     /* it was made shorter: what had been recorded is lost */
};

/* The counters of a recording. The program can falsify those that it writes itself. */
struct recording_totals {
	uint64_t counter[RECORDING_COUNTERS];
	uint64_t data_bytes; /* of the data section */
	uint64_t file_bytes; /* of the file, or written to the stream */
	uint32_t lanes;      /* one more than the highest that trace came from */
	int write_errno;     /* of the first failed write; 0 if none */
	enum recording_fate fate;
	char note[RECORDING_NOTE_MAX]; /* "" if none; printable ASCII */
};
/* Recorder only. */
void recording_totals(struct recording_totals *totals, const struct recording *rec);

/*
 * Recorder only: write the build-id table (from the ELF files that MMAP2 events name), the
 * AUXTRACE index and SAMPLE_TIME after the data section. Processes that are still attached get
 * SPEMU_ERR_STATE for further appends. totals may be NULL. SPEMU_OK, SPEMU_ERR_IO (the file stays
 * as it was, readable), SPEMU_ERR_STATE when already finished. Uses the heap.
 */
int recording_finish(struct recording *rec, struct recording_totals *totals);

/* The same for a file whose recorder died before it finished. Nothing else may write it. */
int recording_repair(const char *path);

#endif
