/* SPDX-License-Identifier: MIT */
/*
 * A recording in progress: one perf.data file about several processes.
 *
 * The recorder (`spemu record`) creates the file and a control area. Each emulated process attaches
 * to the area by its path and brings events and trace. At the end the recorder finishes the file.
 *
 * The file is complete after every append: perf finds header, data section and the features that do
 * not depend on the data (ARCH, CPUID, NRCPUS, CMDLINE, EVENT_DESC, ...), even if all processes
 * were killed. If the recorder dies inside an append, the events are whole, but the file lacks
 * features until recording_repair(). The build-id table, the entries of the AUXTRACE index and
 * SAMPLE_TIME are missing until recording_finish() or recording_repair(). perf shows the same
 * samples without them. A reader that opens the file while it is being written may fail, or find no
 * features or an early end. It has to try again.
 *
 * How threads appear in the file
 *   perf keeps one queue of trace for each idx of an AUXTRACE event and treats cpu as the CPU.
 *   Real recordings have one queue per CPU. Emulated threads are not bound to a CPU, and each has
 *   its own SPU. So each running thread holds a *lane*: a small number, unique among the threads
 *   that run at the same time. The lane is idx and cpu of the thread's AUXTRACE events, and cpu of
 *   its trailers. tid is -1, because a record's CONTEXT packet has the thread's id. So every record
 *   must have that packet, and a Timestamp packet at its end. perf 6.1 looks up the thread by that
 *   id at the record's time, and so finds the process and its mappings. For that the file must
 *   have, at an earlier time (perf sorts by time, so file order does not matter):
 *
 *   - a process: COMM with exec, pid = tid, then MMAP2 for its pid
 *   - a fork: FORK with pid = tid = child and ppid = parent; perf copies name and mappings. Never
 *     COMM alone: if the number belonged to a thread before, perf still assigns it to that thread
 *   - a thread: FORK with pid = ppid = process and tid = thread; without it perf treats the thread
 *     as a process without mappings, and finds no symbols
 *   - an exec: COMM with exec, then MMAP2 of the new image
 *   - an end: EXIT, at a time after the thread's last record
 *
 *   NRCPUS and NUMA_TOPOLOGY cover all lanes with trace, because perf c2c uses cpu as an index
 *   without a check.
 *
 * Who writes
 *   Only the recorder has the file open. A process puts events or trace into memory that it shares
 *   with the recorder, and waits until the recorder has written them. So the program may change its
 *   root directory, its user or its limits, use all its descriptors, or close descriptors that it
 *   did not open. Only an exec attaches again, by the control path or a descriptor that the process
 *   held before it changed its user.
 *
 *   The recorder trusts nothing that the processes can write; docs/explanation/security.md
 *   describes the guarantees. A process waits for the recorder while the recorder lives, at most
 *   half a minute. After that, or when the recorder is gone, events are lost and counted as lost.
 *
 * Signals
 *   Only recording_count(), recording_switch() and recording_is_on() are async-signal-safe. A
 *   signal handler may call recording_append() while its own thread is in one. The call then
 *   returns SPEMU_ERR_STATE, and its bytes are counted as lost. The recorder's writes block
 *   SIGXFSZ, so that a file size limit appears as a write error.
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
#define RECORDING_LANES 2048          /* threads that can have their own lane at the same time */
#define RECORDING_ENV "SPEMU_CONTROL" /* environment variable that carries the control path */
#define RECORDING_PATH_MAX 64         /* bytes of a control path with its NUL */
#define RECORDING_NOTE_MAX 256        /* bytes of the first error's text with its NUL */
#define RECORDING_EVENTS_MAX 8192
#define RECORDING_APPEND_MAX 16 /* parts of one append */

/* Counters to which the processes add. */
enum recording_counter {
	RECORDING_SAMPLES = 0,      /* records written to a Profiling Buffer */
	RECORDING_FILTERED,         /* samples removed by a filter */
	RECORDING_COLLISIONS,       /* samples lost because another was in flight */
	RECORDING_LOST_RECORDS,     /* records that did not reach the file */
	RECORDING_LOST_BYTES,       /* bytes that did not reach the file; counted by append */
	RECORDING_AUX_BYTES,        /* bytes of trace in the file; counted by append_aux */
	RECORDING_OPERATIONS,       /* population: operations executed while enabled */
	RECORDING_MANAGEMENT,       /* buffer management events */
	RECORDING_PROCESSES,        /* processes that attached, and their forked children */
	RECORDING_THREADS,          /* threads that got a lane; counted by lane_get */
	RECORDING_WRITE_ERRORS,     /* failed appends; counted by append */
	RECORDING_APPENDS,          /* successful appends; counted by append */
	RECORDING_SALVAGED_BYTES,   /* bytes of trace that dead threads had not delivered */
	RECORDING_STACKS,           /* call stacks in the file; counted by append_stacks */
	RECORDING_STACKS_CUT,       /* call stacks in the file that are cut */
	RECORDING_STACKS_LOST,      /* call stacks that did not reach the file */
	RECORDING_PREVIOUS_MISSING, /* records whose previous taken branch is unknown */
	RECORDING_SWITCHES,         /* times that a thread was switched on, if it can be off */
	RECORDING_SNAPSHOTS,        /* snapshots; counted by snapshot */
	RECORDING_MISSED,           /* records in no snapshot; counted by the recorder */
	RECORDING_COUNTERS = 24,    /* some are reserved */
};

#define RECORDING_STACKS_MAX 262144 /* bytes of call stacks of a lane */

enum recording_flag {
	RECORDING_PHYS_ADDR = 1u << 0, /* records have physical addresses; sample_type shows it */
	RECORDING_NO_FOLLOW = 1u << 1, /* children do not attach */
	/* The SPUs are in strict mode (<spemu/strict.h>), with `seed`. Diagnostics about the host's
	 * driver become the note. */
	RECORDING_STRICT = 1u << 2,
	RECORDING_SWITCHED = 1u << 3, /* the recorder switches threads; see recording_is_on() */
	RECORDING_HEAP = 1u << 4,     /* user-mode hosts: heap objects by allocation site */
	/* Samples have call stacks, from frame records or from calls and returns. */
	RECORDING_STACKS_FP = 1u << 5,
	RECORDING_STACKS_SHADOW = 1u << 6,
	RECORDING_SAMPLED = 1u << 7, /* user-mode hosts: sampled fidelity of the timing model */
	/* User-mode hosts write totals of the timing model (spemu_perf_put_totals()). */
	RECORDING_TOTALS = 1u << 8,
	/* User-mode hosts: memory callbacks on every memory access instead of restarted blocks.
	 * Slower, with the same records. For QEMUs with other internals, tests and measurements. */
	RECORDING_MEMORY_CALLBACKS = 1u << 16,
};

/* Kinds of regions of interest. */
enum recording_region_kind {
	RECORDING_EVERYWHERE = 0,
	RECORDING_MARKERS, /* between the instructions of <spemu/region.h> */
	RECORDING_CALL,    /* from begin until the function returns */
	RECORDING_RANGE,   /* from begin until end is reached */
};

struct recording_region {
	uint32_t kind; /* enum recording_region_kind */
	uint32_t spare;
	uint64_t begin, end; /* relative to the file's first executable segment */
	uint64_t dev, ino;   /* device and inode of the file */
};

/*
 * Parameters of a recording, fixed when it is created and read by every process. Zero means the
 * default where a default is named.
 */
struct recording_params {
	uint32_t flags;       /* enum recording_flag */
	uint32_t buffer_size; /* bytes of each thread's Profiling Buffer; 0: 65536 */
	uint64_t period;      /* operations between samples, PMSIRR_EL1.INTERVAL * 256 */
	uint64_t jitter;      /* PMSIRR_EL1.RND: 0 or 1 */
	uint64_t seed;        /* seed of the random interval, mixed with each thread's number */
	uint64_t pmscr;       /* register values as the guest's kernel would have set them */
	uint64_t pmsfcr;
	uint64_t pmsevfr;
	uint64_t pmsnevfr;
	uint64_t pmslatfr;
	uint64_t pmsdsfr;
	uint64_t min_latency; /* cycles; 0: none */
	uint64_t midr;        /* written as CPUID; 0: Neoverse N1 r3p1, 0x413fd0c1 */
	uint64_t counter_hz;  /* frequency of the counter in Timestamp packets; 0: 10^9 */
	uint64_t time_zero;   /* perf time in ns at which that counter was 0 */
	char profile[64];     /* machine profile's name; NUL-terminated */
	char features[128];   /* features of the emulated PE; "": those that are needed */
	/* Choices, by enum spemu_choice of the build that both sides share: 0 for the default, 1 +
	 * an option, or SPEMU_CHOICE_RANDOM. */
	uint8_t choice[120];
	char uarch[192]; /* uarch_parse(): changes of the profile; NUL-terminated */
	char layout[96]; /* spemu_layout_parse(); "": neoverse; NUL-terminated */
	struct recording_region region;
	uint64_t interleave; /* operations of a thread's turn; 0: no turns */
};

/* Facts about how the file was made. Strings are copied. NULL leaves the feature out. */
struct recording_about {
	const char *const
	        *argv;       /* NULL-terminated; CMDLINE; arguments beyond some 240 KB are cut */
	const char *version; /* VERSION: version of the tool */
	const char *osrelease;
	const char *hostname;
	const char *cpu_desc;
	const char *event_name; /* NULL: "arm_spe_0//" */
	/* Description of each CPU for version 2 of the trace's metadata, without number and PMU.
	 * NULL selects version 1. */
	const struct spemu_perf_spe_cpu *cpu;
};

/* Handle of a process, in the caller's memory. Members are private. */
struct recording {
	struct recording_area *area;
	uint8_t *room;  /* room of lane 0; the others follow */
	uint32_t rooms; /* lanes that have a room */
	int area_fd;    /* of the recorder, or of recording_hold(); else -1 */
	int32_t recorder_pid;
	uint64_t proc_device, pid_namespace; /* of the recorder; see recording_who.h */
	_Atomic uint32_t *numbers_made;      /* in the control area */
	int32_t pid, local_pid; /* of this process, in the recorder's PID namespace and its own */
	bool is_foreign;        /* its PID namespace differs from the recorder's */
	bool sees_proc;         /* its /proc is the recorder's */
	struct recorder *recorder; /* NULL except in the recorder */
	_Atomic bool gone;         /* the recorder does not reply any more */
	char control_path[RECORDING_PATH_MAX];
	struct recording_params params;
};

/*
 * Create the file at path (replaced if it exists; mode 0600, like perf's) and the control area. The
 * file then has header, TIME_CONV and AUXTRACE_INFO only. Return SPEMU_OK, SPEMU_ERR_IO (errno) or
 * SPEMU_ERR_INVALID. After an error at most an empty file is left. The caller becomes the recorder:
 * one of its threads, with all signals blocked, writes the data of the processes. If the recorder
 * dies, the file has everything appended until then.
 */
int recording_create(struct recording *rec, const char *path, const struct recording_params *params,
                     const struct recording_about *about);
/*
 * Create a stream in perf's pipe mode instead of a file. fd is a pipe or any other writable
 * descriptor. It belongs to the caller and stays open until recording_detach(). No program may have
 * it, because only the recorder writes into the stream. Differences to a file:
 *
 * - A stream is complete only at its end. A killed recorder leaves one without build-ids.
 * - Every RECORDING_LIVE_MS the stream gets the records that running threads have published in the
 *   Profiling Buffers of recording_buffer(), unless recording_keep() was called.
 * - A write waits for a slow reader, and so do the processes. A reader that goes away causes a
 *   write error, after which nothing is written. No signal is raised.
 * - Version 2 of the trace's metadata describes as many CPUs as it can, not only the used ones.
 */
int recording_create_stream(struct recording *rec, int fd, const struct recording_params *params,
                            const struct recording_about *about);
#define RECORDING_LIVE_MS 200
/* Return the path for emulated processes, which they get in RECORDING_ENV, for instance. */
const char *recording_control_path(const struct recording *rec);

/*
 * Attach to a recording. Call this once in each process after each exec. A child of fork()
 * continues with the parent's handle, and counts itself with RECORDING_PROCESSES. Lanes of an
 * earlier image of this process are freed. Return SPEMU_OK; SPEMU_ERR_IO (errno) if the recorder is
 * gone or belongs to another user; SPEMU_ERR_NOT_SUPPORTED for another layout; SPEMU_ERR_CORRUPT if
 * this is not a control area.
 */
int recording_attach(struct recording *rec, const char *control_path);
/* Return true if this process can open the control path, as it must after an exec if it holds no
 * descriptor. */
bool recording_is_reachable(const struct recording *rec);
/*
 * Hold a descriptor of the control area for a later exec. Call this before the process changes its
 * user, because another user cannot open the control path. The descriptor has a high number and is
 * closed by an exec; the caller of the exec changes that. Repeated calls have no effect.
 */
void recording_hold(struct recording *rec);
/* Return the held descriptor. Return -1 if there is none, or if the program has closed it. */
int recording_held(const struct recording *rec);
/* Attach by the descriptor that the image before held, and hold it. If fd is -1, open the path. */
int recording_attach_held(struct recording *rec, const char *control_path, int fd);
/* Unmap and close the recording. The recorder calls this after recording_finish(). No other thread
 * may use rec. */
void recording_detach(struct recording *rec);

const struct recording_params *recording_params(const struct recording *rec);
/* Add n to a counter: relaxed, atomic, async-signal-safe. Unknown counters are ignored. */
void recording_count(struct recording *rec, enum recording_counter counter, uint64_t n);

/*
 * Append whole events in n parts (1..RECORDING_APPEND_MAX). Together they are a multiple of 8
 * bytes, at most RECORDING_EVENTS_MAX bytes of COMM, EXIT, FORK, ITRACE_START and MMAP2. On return
 * all or none of them are in the file. Return SPEMU_OK; SPEMU_ERR_IO if they were not written (and
 * are counted as lost), because of a write error or because the recorder is gone;
 * SPEMU_ERR_STATE if the recording is finished or this thread is already in an append;
 * SPEMU_ERR_INVALID. After a write error (disk full) nothing more is written. Uses no heap and
 * preserves errno.
 */
int recording_append(struct recording *rec, const struct iovec *parts, int n);

/*
 * Append size bytes of trace (a multiple of 8; whole records, padded with zero bytes) as an AUX and
 * an AUXTRACE event. `who` has the thread, a time not before its last record, and its lane as cpu.
 * `flags` are SPEMU_PERF_AUX_x. Size 0 with flags writes only the AUX event. size is at most a
 * Profiling Buffer with its padding, except in the recorder itself. Return the same as
 * recording_append().
 */
int recording_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                         const uint8_t *data, size_t size, uint64_t flags);

/*
 * Enter snapshot mode, as in `perf record --snapshot`. Called by the recorder before a process
 * attaches. The recorder's memory keeps at most the newest `bytes` bytes of each lane's trace, in
 * whole records. Other events are written as usual. Return SPEMU_OK, or SPEMU_ERR_INVALID if bytes
 * is 0 or the recording has call stacks, which cannot be kept.
 */
int recording_keep(struct recording *rec, uint64_t bytes, bool at_end);
/*
 * Write a snapshot. Called by the recorder, on any thread. A snapshot consists of the kept trace
 * and of the records in the Profiling Buffers of running threads (those of recording_buffer()).
 * Each delivery becomes an AUX event with SPEMU_PERF_AUX_OVERWRITE and its trace. Afterwards no
 * trace is kept, so no record is in the file twice. recording_finish() takes a snapshot, too, if
 * at_end was set. Return SPEMU_OK; SPEMU_ERR_IO if some trace was lost, and counted as lost;
 * SPEMU_ERR_STATE outside snapshot mode or after the end.
 */
int recording_snapshot(struct recording *rec);

/*
 * Copy files that describe generated code into the recording (spemu_perf_put_copy()), when their
 * process ends or at the end of the recording. The recorder calls this before a process attaches.
 * open() opens such a file for reading. It returns -1 if the file must not be read, with errno
 * ENOENT if the process left none. A process has at most RECORDING_COPIES_OF_PROCESS_MAX bytes, and
 * all processes have RECORDING_COPIES_MAX; larger files are left out and counted. Return SPEMU_OK
 * or SPEMU_ERR_INVALID.
 */
typedef int recording_open_fn(const char *path);
int recording_copy_files(struct recording *rec, recording_open_fn *open);
#define RECORDING_COPIES_OF_PROCESS_MAX (UINT64_C(64) << 20)
#define RECORDING_COPIES_MAX (UINT64_C(256) << 20)

/* Switch recording in all processes on or off, in the recorder; return true if it is on. It is on
 * at first. Processes ask only with RECORDING_SWITCHED. Async-signal-safe. */
void recording_switch(struct recording *rec, bool on);
bool recording_is_on(const struct recording *rec);

/*
 * Return the memory for the call stacks of the lane's thread: RECORDING_STACKS_MAX bytes for SAMPLE
 * events of spemu_perf_put_sample(), with the lane as their CPU. The recorder shares it, like the
 * lane's Profiling Buffer. Return NULL if the recording has no call stacks or the lane has no
 * memory.
 */
uint8_t *recording_stacks(const struct recording *rec, uint32_t lane);
/* Publish n call stacks in `used` bytes. Published stacks reach the file even if the process
 * dies. */
void recording_publish_stacks(struct recording *rec, uint32_t lane, uint64_t used, uint64_t n);
/* Append and withdraw the published call stacks. Return the same as recording_append(). */
int recording_append_stacks(struct recording *rec, uint32_t lane);

/* Return the present time of perf's clock: CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t recording_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Return the number of this process or of the calling thread in the recorder's PID namespace;
 * events have these numbers. recording_forked() looks up this process's number again and returns
 * it. It must be the first call in the child of a fork().
 */
int32_t recording_process_number(struct recording *rec);
int32_t recording_thread_number(struct recording *rec);
int32_t recording_forked(struct recording *rec);

/*
 * Get a lane for the calling thread: the lowest free one, or otherwise a lane of a dead process. If
 * no lane is free, the last one is shared, which affects only the order of records with equal
 * times. Give the lane back when the thread ends. A child of fork() gets its own.
 */
uint32_t recording_lane_get(struct recording *rec);
void recording_lane_put(struct recording *rec, uint32_t lane);

/*
 * Return the Profiling Buffer of a lane, in memory that outlives the process. If a thread dies, its
 * published records are delivered when another thread takes the lane, after an exec, or by
 * recording_finish(). *size is params.buffer_size rounded up to pages. A page for padding follows
 * the buffer. Return NULL if the lane does not have a buffer; the caller then uses its own memory.
 * The pointer is valid in this process until recording_detach().
 */
uint8_t *recording_buffer(struct recording *rec, uint32_t lane, size_t *size);
/* Contents of a thread's buffer that are not in the counters yet. */
struct recording_state {
	uint32_t pid, tid;
	uint64_t used;       /* bytes of whole records, from the buffer's beginning */
	uint64_t samples;    /* for RECORDING_SAMPLES */
	uint64_t operations; /* for RECORDING_OPERATIONS */
};
/* Publish the state after each record, by a few stores. recording_append_aux() for the lane
 * withdraws it. */
void recording_publish(struct recording *rec, uint32_t lane, const struct recording_state *state);

/* Keep the text (cut to RECORDING_NOTE_MAX - 1 bytes) if it is the first note. Any thread of any
 * process may call this. */
void recording_note(struct recording *rec, const char *text);

/* Changes by others to the file's name and contents. */
enum recording_fate {
	RECORDING_IN_PLACE,
	RECORDING_RENAMED, /* its name belongs to another file, or to none */
	RECORDING_REMOVED, /* the file has no name any more */
	RECORDING_CUT,     /* the file was shortened, so recorded data are lost */
};

/* The counters of a recording. The program can falsify the counters that it writes itself. */
struct recording_totals {
	uint64_t counter[RECORDING_COUNTERS];
	uint64_t data_bytes; /* bytes of the data section */
	uint64_t file_bytes; /* bytes of the file, or bytes written to the stream */
	uint32_t lanes;      /* highest lane with trace, plus 1 */
	uint64_t left_out;   /* files of recording_copy_files() that are too large or too many */
	int write_errno;     /* errno of the first failed write, or 0 */
	enum recording_fate fate;
	char note[RECORDING_NOTE_MAX]; /* "" if none; printable ASCII */
};
/* Get the totals. Called by the recorder only. */
void recording_totals(struct recording_totals *totals, const struct recording *rec);

/*
 * Write the build-id table (from the ELF files that MMAP2 events name), the AUXTRACE index and
 * SAMPLE_TIME after the data section. Called by the recorder only. Further appends of attached
 * processes get SPEMU_ERR_STATE. totals may be NULL. Return SPEMU_OK; SPEMU_ERR_IO, with the file
 * unchanged and readable; SPEMU_ERR_STATE if already finished. Uses the heap.
 */
int recording_finish(struct recording *rec, struct recording_totals *totals);

/* Finish a file whose recorder died. No process may write it meanwhile. */
int recording_repair(const char *path);

#endif
