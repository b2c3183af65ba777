/* SPDX-License-Identifier: MIT */
/* The part of a perf.data file in front of its data section, as this library writes it. */
#ifndef SPEMU_PERFDATA_PERF_HEADER_H
#define SPEMU_PERFDATA_PERF_HEADER_H

#include <spemu/recording.h>

#include "perfdata/perf_format.h"

/*
 * Features are found by a table of sections right behind the data section, one for each flag in
 * bit order; their contents may be anywhere. Those that do not depend on the data stand in front of
 * it, so that only the table moves when data are appended. A copy of the table stays in the head,
 * at HEAD_SPARE_AT, for who must repair the file.
 */
enum {
	HEAD_FEATURES_MAX = 16,
	HEAD_ATTR_AT = PERF_HDR_SIZE,
	HEAD_IDS_AT = HEAD_ATTR_AT + PERF_ATTR_SIZE_VER7 + PERF_SECTION_SIZE,
	HEAD_SPARE_AT = HEAD_IDS_AT + 8, /* magic, flags, table */
	HEAD_SPARE_SIZE = 16 + HEAD_FEATURES_MAX * PERF_SECTION_SIZE,
	HEAD_FEATURES_AT = HEAD_SPARE_AT + HEAD_SPARE_SIZE,
	HEAD_SIZE_MAX = 256 * 1024, /* longer command lines are cut */
};
#define HEAD_SPARE_MAGIC UINT64_C(0x31434552554d4553) /* "SEMUREC1" */

struct perf_head {
	uint64_t flags; /* of the features in front of the data */
	uint32_t n_features;
	uint64_t data_at;
	uint64_t nrcpus_at; /* file offset of the contents of NRCPUS */
	uint64_t numa_at;   /* and of the digits in NUMA_TOPOLOGY that say the last CPU */
	uint8_t table[HEAD_FEATURES_MAX * PERF_SECTION_SIZE];
};

/* Digits of the last CPU's number in NUMA_TOPOLOGY. */
#define HEAD_NUMA_DIGITS 5

/*
 * Write the head for params and about at buf (size at least HEAD_SIZE_MAX). Returns the bytes
 * written, which is head->data_at, or SPEMU_ERR_NOSPACE.
 */
int spemu__perf_head_build(uint8_t *buf, size_t size, struct perf_head *head,
                           const struct spemu_rec_params *params,
                           const struct spemu_rec_about *about);

/* The contents of NRCPUS and the digits for NUMA_TOPOLOGY when CPUs 0..n-1 exist (n >= 1). */
void spemu__perf_head_cpus(uint8_t nrcpus[8], uint8_t digits[HEAD_NUMA_DIGITS], uint32_t n);

#endif
