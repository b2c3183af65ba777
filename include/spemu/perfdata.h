/* SPDX-License-Identifier: MIT */
/*
 * perf.data files with Arm SPE: functions that build events, and functions that read files.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h of
 * Linux 6.1. Files are little-endian ("PERFILE2"). All functions work on hosts of any byte order.
 *
 * Threads: the builders keep no state. A struct spemu_perf_file is read-only once it is open, so
 * any number of threads may read it, each with its own cursor.
 */
#ifndef SPEMU_PERFDATA_H
#define SPEMU_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/status.h>

SPEMU_BEGIN_DECLS

/* The types of events that this library decodes (perf_event_type, perf_user_event_type). */
enum spemu_perf_type {
	SPEMU_PERF_MMAP = 1,
	SPEMU_PERF_LOST = 2,
	SPEMU_PERF_COMM = 3,
	SPEMU_PERF_EXIT = 4,
	SPEMU_PERF_FORK = 7,
	SPEMU_PERF_SAMPLE = 9,
	SPEMU_PERF_MMAP2 = 10,
	SPEMU_PERF_AUX = 11,
	SPEMU_PERF_ITRACE_START = 12,
	SPEMU_PERF_HEADER_ATTR = 64,       /* streams only, as HEADER_FEATURE */
	SPEMU_PERF_HEADER_EVENT_TYPE = 65, /* obsolete in perf; carries copies and totals */
	SPEMU_PERF_HEADER_BUILD_ID = 67,
	SPEMU_PERF_FINISHED_ROUND = 68,
	SPEMU_PERF_ID_INDEX = 69,
	SPEMU_PERF_AUXTRACE_INFO = 70,
	SPEMU_PERF_AUXTRACE = 71,
	SPEMU_PERF_THREAD_MAP = 73,
	SPEMU_PERF_TIME_CONV = 79,
	SPEMU_PERF_HEADER_FEATURE = 80,
	SPEMU_PERF_COMPRESSED = 81,
};

/* Header features (HEADER_x of tools/perf/util/header.h). */
enum spemu_perf_feature {
	SPEMU_PERF_FEAT_BUILD_ID = 2,
	SPEMU_PERF_FEAT_HOSTNAME = 3,
	SPEMU_PERF_FEAT_OSRELEASE = 4,
	SPEMU_PERF_FEAT_VERSION = 5,
	SPEMU_PERF_FEAT_ARCH = 6,
	SPEMU_PERF_FEAT_NRCPUS = 7,
	SPEMU_PERF_FEAT_CPUDESC = 8,
	SPEMU_PERF_FEAT_CPUID = 9,
	SPEMU_PERF_FEAT_CMDLINE = 11,
	SPEMU_PERF_FEAT_EVENT_DESC = 12,
	SPEMU_PERF_FEAT_NUMA_TOPOLOGY = 14,
	SPEMU_PERF_FEAT_AUXTRACE = 18,
	SPEMU_PERF_FEAT_SAMPLE_TIME = 21,
	SPEMU_PERF_FEAT_MEM_TOPOLOGY = 22,
	SPEMU_PERF_FEAT_MAX = 256, /* number of feature bits in the header */
};

/* The sample_type bits (PERF_SAMPLE_x) that this library uses. */
enum spemu_perf_sample_bit {
	SPEMU_PERF_SAMPLE_IP = 1u << 0,
	SPEMU_PERF_SAMPLE_TID = 1u << 1,
	SPEMU_PERF_SAMPLE_TIME = 1u << 2,
	SPEMU_PERF_SAMPLE_ADDR = 1u << 3,
	SPEMU_PERF_SAMPLE_READ = 1u << 4,
	SPEMU_PERF_SAMPLE_CALLCHAIN = 1u << 5,
	SPEMU_PERF_SAMPLE_ID = 1u << 6,
	SPEMU_PERF_SAMPLE_CPU = 1u << 7,
	SPEMU_PERF_SAMPLE_PERIOD = 1u << 8,
	SPEMU_PERF_SAMPLE_STREAM_ID = 1u << 9,
	SPEMU_PERF_SAMPLE_RAW = 1u << 10,
	SPEMU_PERF_SAMPLE_DATA_SRC = 1u << 15,
	SPEMU_PERF_SAMPLE_IDENTIFIER = 1u << 16,
	SPEMU_PERF_SAMPLE_PHYS_ADDR = 1u << 19,
};

/* The misc bits of an event header. */
enum spemu_perf_misc {
	SPEMU_PERF_MISC_KERNEL = 1,
	SPEMU_PERF_MISC_USER = 2,
	SPEMU_PERF_MISC_CPUMODE = 7,              /* mask of SPEMU_PERF_MISC_KERNEL, _USER and
	                                             other CPU modes */
	SPEMU_PERF_MISC_MMAP_DATA = 1u << 13,     /* MMAP, MMAP2: the mapping is not executable */
	SPEMU_PERF_MISC_COMM_EXEC = 1u << 13,     /* COMM: the name comes from an exec */
	SPEMU_PERF_MISC_MMAP_BUILD_ID = 1u << 14, /* MMAP2: has a build-id instead of an inode */
	SPEMU_PERF_MISC_BUILD_ID_SIZE = 1u << 15, /* HEADER_BUILD_ID: has the size of the
	                                             build-id */
};

/* The flags of an AUX event. */
enum spemu_perf_aux_flag {
	SPEMU_PERF_AUX_TRUNCATED = 0x1, /* data were lost because of PMBSR_EL1.DL or lack of
	                                   space */
	SPEMU_PERF_AUX_OVERWRITE = 0x2,
	SPEMU_PERF_AUX_PARTIAL = 0x4,
	SPEMU_PERF_AUX_COLLISION = 0x8, /* samples collided: PMBSR_EL1.COLL */
};

#define SPEMU_PERF_BUILD_ID_MAX 20   /* bytes; longer build-ids are cut, as in Linux */
#define SPEMU_PERF_EVENT_MAX 65528   /* bytes; the largest multiple of 8 in the 16-bit size field */
#define SPEMU_PERF_FILENAME_MAX 4095 /* characters: PATH_MAX - 1 */
#define SPEMU_PERF_AUXTRACE_SPE 4    /* AUXTRACE_INFO.type of Arm SPE */

/*
 * The values that this library writes. The type of a dynamic PMU is a number that each kernel
 * assigns, and a reader compares it only within the file. This one ("SP") is above the numbers of
 * real machines, so that perf does not mistake it for a PMU of the machine that it runs on. The
 * file has one attr with one id. Every event that the kernel would write has the same trailer of 32
 * bytes: pid and tid, time, cpu, id.
 */
#define SPEMU_PERF_PMU_TYPE 0x5350
#define SPEMU_PERF_EVENT_ID 1
#define SPEMU_PERF_TRAILER_SIZE 32
#define SPEMU_PERF_SAMPLE_TYPE                                                   \
	(SPEMU_PERF_SAMPLE_IP | SPEMU_PERF_SAMPLE_TID | SPEMU_PERF_SAMPLE_TIME | \
	 SPEMU_PERF_SAMPLE_CPU | SPEMU_PERF_SAMPLE_DATA_SRC | SPEMU_PERF_SAMPLE_IDENTIFIER)

/*
 * Call stacks are samples of a second attr, the hardware event "instructions", named "callchain".
 * Each sample belongs to a record of the trace. A reader matches the two by the thread, the perf
 * time and the PC, which the sample has in common with the record. The stack of the sample is a
 * context marker, the PC, and the return address of each caller, innermost first. The raw data of
 * the sample is a struct spemu_perf_frame.
 */
#define SPEMU_PERF_CALLCHAIN_ID 2
#define SPEMU_PERF_CALLCHAIN_SAMPLE_TYPE                                               \
	(SPEMU_PERF_SAMPLE_IP | SPEMU_PERF_SAMPLE_TID | SPEMU_PERF_SAMPLE_TIME |       \
	 SPEMU_PERF_SAMPLE_CPU | SPEMU_PERF_SAMPLE_CALLCHAIN | SPEMU_PERF_SAMPLE_RAW | \
	 SPEMU_PERF_SAMPLE_IDENTIFIER)
#define SPEMU_PERF_CALLCHAIN_MAX \
	127 /* maximum addresses of a stack, as Linux's kernel.perf_event_max_stack */
#define SPEMU_PERF_CONTEXT_MAX ((uint64_t)-4095) /* stack entries from this value up are markers */
#define SPEMU_PERF_CONTEXT_USER ((uint64_t)-512) /* marker before addresses of a program */

/*
 * The trailer of an event (sample_id): its thread, time and CPU. time is perf time in ns (struct
 * spemu_perf_time_conv). cpu also identifies the queue of the thread's trace
 * (spemu_perf_put_auxtrace()).
 */
struct spemu_perf_who {
	uint32_t pid, tid; /* process and thread */
	uint64_t time;     /* perf time in ns (struct spemu_perf_time_conv) */
	uint32_t cpu;
	uint32_t valid; /* reader: SPEMU_PERF_SAMPLE_x bits of the members that the file has;
	                   builders ignore it */
	uint64_t id;    /* readers: id of the attr, or 0 if the file has none */
};

/* The conversion of a counter value in SPE's timestamp packets to perf time: ns = time_zero +
 * ((count * time_mult) >> time_shift), modulo 2^64 and without losing high bits. */
struct spemu_perf_time_conv {
	uint64_t time_shift; /* 0..63 */
	uint64_t time_mult;  /* 1..2^32-1, because perf 6.1 divides by it */
	uint64_t time_zero;  /* perf time of counter value 0, in ns */
};

/*
 * Make the conversion for a counter with hz (1..10^12) counts per second that reads 0 at perf time
 * zero_ns. It is exact if hz divides 10^9. Otherwise the rate is within 2^-29 up to 4 GHz and
 * within 2^-22 above, because perf's arithmetic does not permit a time_shift above 32. Return
 * SPEMU_OK, or SPEMU_ERR_INVALID for hz out of range.
 */
int spemu_perf_time_conv_init(struct spemu_perf_time_conv *tc, uint64_t hz, uint64_t zero_ns);
/* Convert a counter value to perf time in ns, as perf does. If time_shift is above 63, return
 * time_zero. */
uint64_t spemu_perf_time(const struct spemu_perf_time_conv *tc, uint64_t count);

/* A mapping of a file, or of anonymous memory ("//anon", "[heap]", "[stack]", "[vdso]"). */
struct spemu_perf_mmap {
	uint32_t pid, tid;            /* process and thread */
	uint64_t start, len, pgoff;   /* address, length and offset in the file, in bytes */
	uint32_t maj, min;            /* device numbers; 0 with a build-id, and for anonymous
	                                 memory */
	uint64_t ino, ino_generation; /* inode; 0 with a build-id or for anonymous memory */
	uint32_t prot, flags;         /* as for mmap(2): PROT_x, MAP_x; 0 in a MMAP event */
	uint8_t build_id[SPEMU_PERF_BUILD_ID_MAX];
	uint8_t build_id_size; /* bytes of the build-id; 0: device and inode are given instead */
	uint8_t cpumode;       /* SPEMU_PERF_MISC_USER or _KERNEL; for builders 0 means USER */
	bool data;             /* not executable; perf uses it for data symbols if it is writable */
	const char *filename;  /* at most SPEMU_PERF_FILENAME_MAX characters and NUL */
};

/*
 * Event builders. Each writes one whole event with its trailer at buf, which may have any
 * alignment. The size of an event is a multiple of 8 bytes. Builders return the size. They return
 * SPEMU_ERR_NOSPACE if the event has more than size bytes; buf is unchanged then. They return
 * SPEMU_ERR_INVALID for a NULL pointer or a value out of range. Builders are async-signal-safe.
 */

/*
 * Build a COMM event: the name of thread who->tid of process who->pid, cut to 15 characters. exec
 * is true if the thread has just called execve. perf 6.1 then uses the new name, but keeps mappings
 * of the old image unless the new ones overlap them.
 */
int spemu_perf_put_comm(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                        const char *comm, bool exec);
/* Build an MMAP2 event: a mapping. perf uses map->pid alone as the key of a mapping; map->tid is
 * for information. */
int spemu_perf_put_mmap2(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                         const struct spemu_perf_mmap *map);
/*
 * Build a FORK or EXIT event. SPEMU_PERF_FORK: thread tid of process pid was created by ptid of
 * ppid. For a thread, pid is equal to ppid. Otherwise it is a process, and perf copies its mappings
 * from ppid's at who->time. SPEMU_PERF_EXIT: thread tid of pid ended. Return SPEMU_ERR_INVALID for
 * another type.
 */
int spemu_perf_put_task(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                        enum spemu_perf_type type, uint32_t pid, uint32_t ppid, uint32_t tid,
                        uint32_t ptid);
/* Build an AUX event: aux_size bytes of trace at stream offset aux_offset of who->cpu. flags are
 * bits SPEMU_PERF_AUX_x. */
int spemu_perf_put_aux(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                       uint64_t aux_offset, uint64_t aux_size, uint64_t flags);

/* The stack frame of a caller that contains the sample's data address. */
struct spemu_perf_frame {
	uint32_t caller; /* number of the caller, 1 for the innermost; 0: no frame is known */
	uint64_t cfa;    /* canonical frame address: the caller's stack pointer at its entry */
};
#define SPEMU_PERF_FRAME_SIZE 12 /* bytes of raw data: caller and cfa, little-endian */

/*
 * Build a SAMPLE event with a call stack: n (1..SPEMU_PERF_CALLCHAIN_MAX) addresses of user space,
 * the sampled one first. frame->caller is less than n. The event has no trailer, because the sample
 * itself contains who.
 */
int spemu_perf_put_sample(uint8_t *buf, size_t size, const struct spemu_perf_who *who,
                          const uint64_t *stack, uint32_t n, const struct spemu_perf_frame *frame);
#define SPEMU_PERF_CALLCHAIN_SIZE(n) (80 + 8 * (size_t)(n)) /* size of the event in bytes */

/*
 * Builders of events without a trailer. Each returns the size of the event; SPEMU_ERR_NOSPACE if it
 * has more than size bytes; or SPEMU_ERR_INVALID for a NULL pointer or a value out of range.
 * Builders are async-signal-safe.
 */

/* Build a TIME_CONV event, which belongs before AUXTRACE_INFO. Its mask of cycles is all ones, so
 * the counter does not wrap. */
int spemu_perf_put_time_conv(uint8_t *buf, size_t size, const struct spemu_perf_time_conv *tc);
/* A CPU in metadata of version 2. */
struct spemu_perf_spe_cpu {
	uint64_t cpu, midr;    /* number of the CPU, and its MIDR_EL1 */
	uint64_t pmu_type;     /* number of the PMU for this CPU's SPE */
	uint64_t min_interval; /* PMSIDR_EL1.Interval in operations */
	uint64_t event_filter; /* writable bits of PMSEVFR_EL1, for newer perf; else 0 */
};
/*
 * Build an AUXTRACE_INFO event. If n is 0, it has metadata of version 1, which every perf since
 * 4.20 reads, and cpus is not read. Otherwise it has metadata of version 2 with n CPUs, up to
 * SPEMU_PERF_SPE_CPUS_MAX; perf since 6.13 reads it, and older versions do not. If the cpu of an
 * AUXTRACE event is not among them, perf shows no data sources for it.
 */
int spemu_perf_put_auxtrace_info(uint8_t *buf, size_t size, uint32_t pmu_type,
                                 const struct spemu_perf_spe_cpu *cpus, uint32_t n);
#define SPEMU_PERF_SPE_CPUS_MAX 1169
#define SPEMU_PERF_AUXTRACE_INFO_CPUS_SIZE(n) (48 + 56 * (size_t)(n)) /* bytes of the event */
/*
 * Build an AUXTRACE event: the 48 bytes in front of trace_size bytes of trace. The caller appends
 * the trace, padded with zero bytes (SPE's padding) to a multiple of 8. trace_size is the padded
 * size. The trace must contain whole records. offset is the stream offset, and lane the number of
 * the queue and the CPU.
 */
int spemu_perf_put_auxtrace(uint8_t *buf, size_t size, uint32_t lane, uint64_t offset,
                            uint64_t trace_size);
#define SPEMU_PERF_AUXTRACE_SIZE 48

/* Files that describe the generated code of a process. */
enum spemu_perf_copy_kind {
	SPEMU_PERF_COPY_MAP,  /* /tmp/perf-PID.map: lines of start, size and name */
	SPEMU_PERF_COPY_DUMP, /* jit-PID.dump: a jitdump file */
};

/*
 * A part of the copy of a file. The parts of a file follow each other in the order of their
 * offsets. A part at offset 0 begins a new copy. A single part without bytes means that the process
 * left no such file.
 */
struct spemu_perf_copy {
	uint32_t kind; /* enum spemu_perf_copy_kind */
	uint32_t pid;
	uint64_t offset; /* offset of the part in the file */
	uint32_t size;   /* bytes of data, at most SPEMU_PERF_COPY_MAX */
	const uint8_t *data;
};
#define SPEMU_PERF_COPY_MAX 65488
/*
 * Build an event with a part of a copy. perf has no event for such data. The event has the type
 * HEADER_EVENT_TYPE, which every perf since 3.11 skips in files and streams, and a mark of spemu as
 * event_id.
 */
int spemu_perf_put_copy(uint8_t *buf, size_t size, const struct spemu_perf_copy *copy);

/*
 * Exact numbers of the timing model, also of operations without a sample. Names of numbers of
 * stores end in _STORES, and the name before has loads and atomics. Prefetches do not count. An
 * access to two lines may add 2 to a number of lines.
 */
enum spemu_perf_total {
	SPEMU_PERF_TOTAL_ACCESSES, /* memory accesses; a load of a pair may be two */
	SPEMU_PERF_TOTAL_REFILLS,  /* lines that L1 did not have */
	SPEMU_PERF_TOTAL_REFILLS_STORES,
	SPEMU_PERF_TOTAL_L2_MISSES, /* of these, lines that L2 did not have */
	SPEMU_PERF_TOTAL_L2_MISSES_STORES,
	SPEMU_PERF_TOTAL_LLC_MISSES, /* lines from memory or another core's cache */
	SPEMU_PERF_TOTAL_LLC_MISSES_STORES,
	SPEMU_PERF_TOTAL_SNOOPED, /* lines from another core's cache */
	SPEMU_PERF_TOTAL_SNOOPED_STORES,
	SPEMU_PERF_TOTAL_WALKS,        /* walks of translation tables */
	SPEMU_PERF_TOTAL_MISPREDICTED, /* mispredicted branches */
	SPEMU_PERF_TOTAL_CYCLES,       /* time in the timing model, without front end and
	                                  execution */
	SPEMU_PERF_TOTAL_SAMPLES,      /* records that were delivered with the other numbers */
	SPEMU_PERF_TOTALS
};
/* A part of a thread's totals. The sum of its events is the whole. */
struct spemu_perf_totals {
	uint32_t pid, tid;
	uint64_t of[SPEMU_PERF_TOTALS]; /* by enum spemu_perf_total */
};
/* Build an event with totals. It has the form of a copy's event, with another mark. */
int spemu_perf_put_totals(uint8_t *buf, size_t size, const struct spemu_perf_totals *totals);
#define SPEMU_PERF_TOTALS_SIZE (32 + 8 * (size_t)SPEMU_PERF_TOTALS) /* size of the event */

/*
 * Whole files. A file is a head, which contains what all events have in common; the data section,
 * which contains events; and a tail. While events are added, the tail is the head's table. Written
 * after the last event, with matching sizes in the header, it completes a file that perf reads.
 * spemu_perf_make_tail() makes the tail of a finished file. It adds build-ids, an index, and the
 * time of the first and last event.
 */

#define SPEMU_PERF_HEAD_MAX (256 * 1024) /* bytes of a head; longer command lines are cut */
#define SPEMU_PERF_TABLE_MAX 256         /* bytes of the table after the last event */

/* The contents of a head. Strings are copied. If a string is NULL, the file does not have the
 * feature, unless the comment says otherwise. */
struct spemu_perf_head_config {
	size_t size;     /* sizeof(struct spemu_perf_head_config); members that a smaller struct
	                    lacks are 0 */
	uint64_t period; /* operations between samples */
	/* Values of the SPU's registers during sampling, for the attr. If pmscr is 0, they are
	 * unknown. */
	uint64_t pmscr, pmsfcr, pmsevfr;
	uint64_t min_latency; /* minimum latency filter, in cycles */
	uint64_t midr;        /* MIDR_EL1 of the CPU, for CPUID; 0: Neoverse N1 r3p1, 0x413fd0c1 */
	bool jitter;          /* random interval between samples */
	bool physical_addresses; /* the trace has physical addresses */
	const char *const *argv; /* feature CMDLINE: words of the command, NULL-terminated */
	const char *version;     /* feature VERSION: version of the tool */
	const char *osrelease;   /* feature OSRELEASE */
	const char *hostname;    /* feature HOSTNAME */
	const char *cpu_desc;    /* feature CPUDESC */
	const char *event_name;  /* feature EVENT_DESC; NULL means "arm_spe_0//" */
	bool callchains;         /* the file has a second attr, for call stacks */
	bool monotonic;          /* perf time is CLOCK_MONOTONIC, as in perf record -k 1 */
};

/* The state that a writer keeps about its head. */
struct spemu_perf_head {
	uint64_t data_at; /* file offset of the data section; at first the size of the head in
	                     bytes */
	uint64_t flags;   /* features in the table, for spemu_perf_put_sizes() */
	uint64_t nrcpus_at, numa_at;         /* file offsets of the bytes that spemu_perf_put_cpus()
	                                        makes; 0 if unknown */
	uint32_t table_size;                 /* bytes of table */
	uint8_t table[SPEMU_PERF_TABLE_MAX]; /* bytes after the last event */
};

/*
 * Write the head of a file with one CPU and an empty data section to buf, and fill *head. size must
 * be at least SPEMU_PERF_HEAD_MAX. Return the size of the head in bytes, SPEMU_ERR_NOSPACE if size
 * is too small, or SPEMU_ERR_INVALID for a bad argument.
 */
int spemu_perf_put_head(uint8_t *buf, size_t size, struct spemu_perf_head *head,
                        const struct spemu_perf_head_config *config);
/*
 * Read the head from the beginning of a file that spemu_perf_put_head() began, and the size of its
 * data section. nrcpus_at and numa_at become 0. Return SPEMU_OK, or SPEMU_ERR_CORRUPT if
 * spemu_perf_put_head() did not make it.
 */
int spemu_perf_get_head(struct spemu_perf_head *head, uint64_t *data_size, const uint8_t *file,
                        size_t size);

/*
 * Build the bytes of the header with the place of the data section, for file offset
 * SPEMU_PERF_PLACE_AT. The bytes of spemu_perf_put_sizes() follow them.
 */
#define SPEMU_PERF_PLACE_AT 40
#define SPEMU_PERF_PLACE_SIZE 8
void spemu_perf_put_place(uint8_t place[SPEMU_PERF_PLACE_SIZE], uint64_t data_at);
/* Make the header's sizes and feature flags. Write them at file offset SPEMU_PERF_SIZES_AT. If
 * flags is 0, readers ignore the tail. */
#define SPEMU_PERF_SIZES_AT 48
#define SPEMU_PERF_SIZES_SIZE 32
void spemu_perf_put_sizes(uint8_t sizes[SPEMU_PERF_SIZES_SIZE], uint64_t data_size, uint64_t flags);

/*
 * Make the contents of NRCPUS and the digits of NUMA_TOPOLOGY for CPUs 0..n-1 (n >= 1). Write them
 * at nrcpus_at and numa_at of struct spemu_perf_head. n must be above the cpu of every AUXTRACE
 * event, because perf c2c uses it as an index without a check.
 */
#define SPEMU_PERF_NRCPUS_SIZE 8
#define SPEMU_PERF_NUMA_SIZE 5
void spemu_perf_put_cpus(uint8_t nrcpus[SPEMU_PERF_NRCPUS_SIZE], uint8_t numa[SPEMU_PERF_NUMA_SIZE],
                         uint32_t n);

/* A tail: size bytes to write after the data section. The caller frees bytes with free(). */
struct spemu_perf_tail {
	uint8_t *bytes;
	size_t size;
	uint64_t flags; /* flags for spemu_perf_put_sizes() */
};
/*
 * Make the tail of a file: the build-id table (of the ELF files that MMAP2 events name, which are
 * opened), the AUXTRACE index and SAMPLE_TIME. file is the head, data_size bytes of events and the
 * head's table, as in the file. Return SPEMU_OK; SPEMU_ERR_CORRUPT if it is not such a file;
 * SPEMU_ERR_IO if memory is exhausted.
 */
int spemu_perf_make_tail(struct spemu_perf_tail *tail, const struct spemu_perf_head *head,
                         uint64_t data_size, const uint8_t *file);

/*
 * Streams. They are perf's pipe mode, which `perf record -o -` writes and `perf report -i -` reads.
 * A stream is a head followed by events. As in a file, the trace follows its AUXTRACE event. No
 * part is changed after it was written, so a stream can go into a pipe. Events replace parts of a
 * file's head and tail: attrs (HEADER_ATTR), features (HEADER_FEATURE) and build-ids
 * (HEADER_BUILD_ID). perf has no event for the AUXTRACE index, which only makes reading faster.
 */

/*
 * Write the head of a stream with one CPU. size must be at least SPEMU_PERF_HEAD_MAX. Command lines
 * above about 64 KB are cut. Return the size of the head in bytes, SPEMU_ERR_NOSPACE if size is too
 * small, or SPEMU_ERR_INVALID for a bad argument.
 */
int spemu_perf_put_stream_head(uint8_t *buf, size_t size,
                               const struct spemu_perf_head_config *config);
/*
 * Build NRCPUS and NUMA_TOPOLOGY again for CPUs 0..n-1 (n >= 1). A stream needs these events before
 * the first event of a new CPU. Return the size of both events in bytes; SPEMU_ERR_NOSPACE if they
 * have more than size bytes; or SPEMU_ERR_INVALID for a bad argument.
 */
int spemu_perf_put_stream_cpus(uint8_t *buf, size_t size, uint32_t n);
#define SPEMU_PERF_STREAM_CPUS_SIZE 136 /* size of these two events in bytes */
/*
 * Build a HEADER_BUILD_ID event with the build-id of a mapped file, which is opened if it is a
 * regular file. The event may be anywhere in the stream. Return its bytes; SPEMU_ERR_END if the
 * file has no build-id or cannot be read; SPEMU_ERR_NOSPACE; SPEMU_ERR_INVALID. The function is not
 * async-signal-safe.
 */
int spemu_perf_put_build_id(uint8_t *buf, size_t size, const char *filename);
#define SPEMU_PERF_BUILD_ID_EVENT_MAX 4136 /* largest size of the event in bytes */

/* Reading files: from spemu_perf_open() to spemu_perf_close(). */

/* An attr of a file. */
struct spemu_perf_attr {
	uint32_t type; /* perf_type_id, or the number of a dynamic PMU */
	uint64_t config, config1, config2;
	uint64_t sample_period; /* period, or frequency */
	uint64_t sample_type;
	uint64_t flags; /* bit field after read_format */
	uint32_t n_ids;
	const uint8_t *ids; /* n_ids little-endian 64-bit numbers, unaligned; NULL if there are
	                       none */
	const char *name;   /* name from EVENT_DESC; NULL if unknown */
};

/* The contents of AUXTRACE_INFO. */
struct spemu_perf_auxtrace_info {
	uint32_t type;    /* SPEMU_PERF_AUXTRACE_SPE, or the type of another trace */
	uint32_t version; /* version of SPE's metadata: 1, 2, or the value in the file; 0 if not
	                     SPE */
	uint32_t pmu_type;
	uint32_t n_cpus;     /* number of CPUs, from version 2 on; 0 in version 1 */
	const uint8_t *priv; /* private part of the event, priv_size bytes */
	uint32_t priv_size;
};

/* Get CPU i (0..n_cpus-1) of the metadata. Return SPEMU_OK; SPEMU_ERR_END past the last CPU; or
 * SPEMU_ERR_CORRUPT. */
int spemu_perf_spe_cpu(struct spemu_perf_spe_cpu *cpu, const struct spemu_perf_auxtrace_info *info,
                       uint32_t i);

/* An AUXTRACE event. Its data stay in the mapping of the file. */
struct spemu_perf_auxtrace {
	uint64_t offset, reference;
	uint32_t idx, tid, cpu; /* tid, cpu: (uint32_t)-1 means any */
	const uint8_t *data;
	uint64_t size;
};

/* A COMM event: the name of a thread. exec: because of an execve. */
struct spemu_perf_comm {
	uint32_t pid, tid;
	bool exec;
	const char *comm;
};

/* A FORK or EXIT event, as in spemu_perf_put_task(). */
struct spemu_perf_task {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* An AUX event: size bytes of trace at a stream offset, with SPEMU_PERF_AUX_x flags. */
struct spemu_perf_aux {
	uint64_t offset, size, flags;
};

/* An event of a file. Pointers lead into the mapping and are valid until spemu_perf_close(). */
struct spemu_perf_event {
	uint64_t file_offset; /* file offset of the event's header */
	uint32_t type;        /* enum spemu_perf_type, or another type */
	uint16_t misc;
	uint16_t size;             /* bytes with the header, without AUXTRACE data */
	const uint8_t *body;       /* size - 8 bytes after the header */
	struct spemu_perf_who who; /* valid for kernel events (type below 64) other than SAMPLE */
	union {
		struct spemu_perf_mmap mmap; /* MMAP, MMAP2 */
		struct spemu_perf_comm comm;
		struct spemu_perf_task task; /* FORK, EXIT */
		struct spemu_perf_aux aux;
		struct spemu_perf_auxtrace_info auxtrace_info;
		struct spemu_perf_auxtrace auxtrace;
		struct spemu_perf_time_conv time_conv;
		struct { /* LOST */
			uint64_t id, count;
		} lost;
		struct { /* ITRACE_START */
			uint32_t pid, tid;
		} itrace_start;
	} u; /* contents by type; unused for other types */
};

/* An open file. */
struct spemu_perf_file;

/*
 * Open, check and map the file at path. On success, the caller passes *file to spemu_perf_close().
 * After an error *file is NULL, and *where (may be NULL) is the file offset of the problem, or 0.
 * Return one of:
 * - SPEMU_OK.
 * - SPEMU_ERR_IO: a system call failed; errno has the reason.
 * - SPEMU_ERR_TRUNCATED: the file ends before its events begin.
 * - SPEMU_ERR_CORRUPT: the file is damaged.
 * - SPEMU_ERR_NOT_SUPPORTED: pipe mode, big-endian, version 1, or not a regular file.
 * - SPEMU_ERR_INVALID: not a perf.data file.
 *
 * A truncated file, such as an interrupted copy, can be opened. spemu_perf_next() then returns the
 * complete events, followed by SPEMU_ERR_TRUNCATED, and missing features are absent
 * (SPEMU_ERR_END). The same holds for the file of a killed perf, whose header claims that it has no
 * data.
 *
 * The functions never read outside the file, and no content makes a loop endless. If the file is
 * truncated while it is open, the reader is killed with SIGBUS, as with every mapped file.
 */
int spemu_perf_open(struct spemu_perf_file **file, uint64_t *where, const char *path);
/* Open a file of size bytes in memory at data, as spemu_perf_open() does. The caller keeps the
 * memory, and frees it only after spemu_perf_close(). */
int spemu_perf_open_memory(struct spemu_perf_file **file, uint64_t *where, const void *data,
                           size_t size);
/* Unmap and free a file of spemu_perf_open() or spemu_perf_open_memory(). file may be NULL. */
void spemu_perf_close(struct spemu_perf_file *file);

/* A position in the data section. Set it to zero before the first use. The struct may be copied. */
struct spemu_perf_cursor {
	uint64_t offset; /* file offset of the next event; after an error, of the faulty event */
};

/*
 * Read the next event in file order, which may differ from time order; sort by who.time if needed.
 * Return SPEMU_OK or SPEMU_ERR_END. Return SPEMU_ERR_TRUNCATED or SPEMU_ERR_CORRUPT if the event is
 * bad; the cursor then stays there, and reading cannot continue. SPEMU_ERR_TRUNCATED also means
 * that the data section ends inside an event, as a killed writer leaves it, or that the file was
 * cut.
 */
int spemu_perf_next(struct spemu_perf_file *file, struct spemu_perf_event *event,
                    struct spemu_perf_cursor *cursor);

/* A SAMPLE event, with the members that its attr's sample_type describes. */
struct spemu_perf_sample {
	uint64_t valid; /* SPEMU_PERF_SAMPLE_x bits of the members below that the event has */
	uint64_t id, ip, time, addr, period;
	uint32_t pid, tid, cpu;
	uint32_t n_chain;     /* number of entries in the call stack, context markers included */
	uint32_t raw_size;    /* bytes of raw data */
	const uint8_t *chain; /* n_chain little-endian 64-bit numbers, unaligned; NULL if there
	                         are none */
	const uint8_t *raw;   /* NULL if there are none */
};
/*
 * Decode a SAMPLE event of this file. Return SPEMU_OK; SPEMU_ERR_INVALID if the event is not a
 * SAMPLE; or SPEMU_ERR_CORRUPT. In an event with read values (PERF_SAMPLE_READ), the members after
 * these values are not decoded.
 */
int spemu_perf_sample(const struct spemu_perf_file *file, struct spemu_perf_sample *sample,
                      const struct spemu_perf_event *event);
/* Return entry i of the call stack of a sample, or 0 past the last. */
uint64_t spemu_perf_sample_chain(const struct spemu_perf_sample *sample, uint32_t i);
/* Get the frame of a sample of spemu_perf_put_sample(). Return SPEMU_OK, or SPEMU_ERR_INVALID if
 * the sample does not have one. */
int spemu_perf_sample_frame(struct spemu_perf_frame *frame, const struct spemu_perf_sample *sample);

/* Decode an event of spemu_perf_put_copy(). data stays in the mapping of the file. Return SPEMU_OK;
 * SPEMU_ERR_INVALID if the event is not of this kind; or SPEMU_ERR_CORRUPT. */
int spemu_perf_get_copy(struct spemu_perf_copy *copy, const struct spemu_perf_event *event);

/* Decode an event of spemu_perf_put_totals(). Numbers that the event lacks are 0, and further ones
 * are ignored. Return SPEMU_OK; SPEMU_ERR_INVALID if the event is not of this kind; or
 * SPEMU_ERR_CORRUPT. */
int spemu_perf_get_totals(struct spemu_perf_totals *totals, const struct spemu_perf_event *event);

/* Get the attr with index i. Return SPEMU_OK, or SPEMU_ERR_END past the last. */
int spemu_perf_attr(const struct spemu_perf_file *file, struct spemu_perf_attr *attr, uint32_t i);

/*
 * Find the file's Arm SPE trace. Fill in *info and, if conv is not NULL, *conv; its time_mult is 0
 * if the file has no TIME_CONV. Reading ends when both are found, or at the first AUXTRACE event
 * after AUXTRACE_INFO. Return SPEMU_OK; SPEMU_ERR_END if the file has no such trace; or an error of
 * spemu_perf_next() if the events before AUXTRACE_INFO are damaged.
 */
int spemu_perf_find_spe(struct spemu_perf_file *file, struct spemu_perf_auxtrace_info *info,
                        struct spemu_perf_time_conv *conv);

/* Get feature n if it is one string (ARCH, CPUID, ...). Return SPEMU_OK; SPEMU_ERR_END if the file
 * does not have the feature; or SPEMU_ERR_CORRUPT. */
int spemu_perf_feature_string(const struct spemu_perf_file *file, const char **text, unsigned n);
/* Get argument i of CMDLINE. Return SPEMU_OK, SPEMU_ERR_END after the last, SPEMU_ERR_CORRUPT,
 * or SPEMU_ERR_NOT_SUPPORTED for more than 65536 arguments. */
int spemu_perf_cmdline(const struct spemu_perf_file *file, const char **text, uint32_t i);

struct spemu_perf_build_id {
	uint32_t pid;    /* (uint32_t)-1 for the host, otherwise the process of a guest */
	uint8_t cpumode; /* SPEMU_PERF_MISC_USER or _KERNEL */
	uint8_t size;    /* bytes of id */
	uint8_t id[SPEMU_PERF_BUILD_ID_MAX];
	const char *filename;
};
/* Get the next entry of BUILD_ID. Set *pos to 0 before the first call. Return SPEMU_OK;
 * SPEMU_ERR_END past the last entry; or SPEMU_ERR_CORRUPT. */
int spemu_perf_next_build_id(const struct spemu_perf_file *file, struct spemu_perf_build_id *entry,
                             uint64_t *pos);

SPEMU_END_DECLS
#endif
