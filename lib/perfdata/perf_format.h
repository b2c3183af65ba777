/* SPDX-License-Identifier: MIT */
/*
 * The offsets of fields in a perf.data file, for the writers and the reader.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h and
 * tools/perf/util/header.c of Linux 6.1.
 */
#ifndef SPEMU_PERFDATA_PERF_FORMAT_H
#define SPEMU_PERFDATA_PERF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spemu/perfdata.h>

#define PERF_MAGIC "PERFILE2"
#define PERF_MAGIC_SWAPPED "2ELIFREP"
#define PERF_MAGIC_OLD "PERFFILE"

/* The file header. */
enum {
	PERF_HDR_SIZE_AT = 8,
	PERF_HDR_ATTR_SIZE_AT = 16,
	PERF_HDR_ATTRS_AT = 24,
	PERF_HDR_DATA_AT = 40,
	PERF_HDR_DATA_SIZE_AT = 48,
	PERF_HDR_FLAGS_AT = 72,
	PERF_HDR_SIZE = 104,
	PERF_HDR_PIPE_SIZE = 16,
	PERF_SECTION_SIZE = 16, /* an offset and a size */
};

/* struct perf_event_attr. */
enum {
	PERF_ATTR_TYPE_AT = 0,
	PERF_ATTR_SIZE_AT = 4,
	PERF_ATTR_CONFIG_AT = 8,
	PERF_ATTR_PERIOD_AT = 16,
	PERF_ATTR_SAMPLE_TYPE_AT = 24,
	PERF_ATTR_FLAGS_AT = 40,
	PERF_ATTR_CONFIG1_AT = 56,
	PERF_ATTR_CONFIG2_AT = 64,
	PERF_ATTR_CLOCKID_AT = 92,
	PERF_ATTR_SIZE_VER0 = 64,
	PERF_ATTR_SIZE_VER7 = 128, /* size in Linux 6.1 */
};

/* The bits of attr.flags. */
enum {
	PERF_ATTR_INHERIT = 1,
	PERF_ATTR_EXCLUDE_USER = 4,
	PERF_ATTR_EXCLUDE_KERNEL = 5,
	PERF_ATTR_EXCLUDE_HV = 6,
	PERF_ATTR_MMAP = 8,
	PERF_ATTR_COMM = 9,
	PERF_ATTR_TASK = 13,
	PERF_ATTR_MMAP_DATA = 17,
	PERF_ATTR_SAMPLE_ID_ALL = 18,
	PERF_ATTR_EXCLUDE_GUEST = 20,
	PERF_ATTR_MMAP2 = 23,
	PERF_ATTR_COMM_EXEC = 24,
	PERF_ATTR_USE_CLOCKID = 25,
};

#define PERF_CLOCK_MONOTONIC 1u /* number of the clock in clock_gettime() of Linux */
#define PERF_EVENT_HEADER_SIZE 8
/* The size of a HEADER_FEATURE event before the contents of the feature: event header and
 * number. */
#define PERF_FEATURE_EVENT_SIZE 16
/* Types from this one on are perf's own events, which have no trailer. */
#define PERF_USER_TYPE_START 64
#define PERF_NAME_ALIGN 64 /* strings of features are padded to a multiple of this */
#define PERF_SPE_CPU_MAGIC UINT64_C(0x1010101010101010) /* mark of each CPU in metadata version 2 */
#define PERF_BUILD_ID_ENTRY_SIZE 36                     /* bytes before the file name */

/* The sample_type bits that have a member in a trailer. */
#define PERF_TRAILER_BITS                                                        \
	(SPEMU_PERF_SAMPLE_TID | SPEMU_PERF_SAMPLE_TIME | SPEMU_PERF_SAMPLE_ID | \
	 SPEMU_PERF_SAMPLE_STREAM_ID | SPEMU_PERF_SAMPLE_CPU | SPEMU_PERF_SAMPLE_IDENTIFIER)

/* The sample_type bits that have a member in struct spemu_perf_sample. */
#define PERF_SAMPLE_MEMBERS                                                               \
	(SPEMU_PERF_SAMPLE_IP | SPEMU_PERF_SAMPLE_TID | SPEMU_PERF_SAMPLE_TIME |          \
	 SPEMU_PERF_SAMPLE_ADDR | SPEMU_PERF_SAMPLE_ID | SPEMU_PERF_SAMPLE_CPU |          \
	 SPEMU_PERF_SAMPLE_PERIOD | SPEMU_PERF_SAMPLE_CALLCHAIN | SPEMU_PERF_SAMPLE_RAW | \
	 SPEMU_PERF_SAMPLE_IDENTIFIER)

/*
 * Get the GNU build-id of the ELF file (32 or 64 bit, any byte order) that is open at fd. The file
 * is read only with pread(2), and no heap is used. *id_size is cut to SPEMU_PERF_BUILD_ID_MAX.
 * Return SPEMU_OK; SPEMU_ERR_END if it has no build-id; SPEMU_ERR_INVALID if it is not ELF;
 * SPEMU_ERR_CORRUPT; SPEMU_ERR_IO.
 */
int spemu__elf_build_id(uint8_t id[SPEMU_PERF_BUILD_ID_MAX], size_t *id_size, int fd);

static inline uint64_t perf_align(uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

#endif
