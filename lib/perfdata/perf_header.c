/* SPDX-License-Identifier: MIT */
/*
 * The head of a perf.data file, and of perf's stream: header, attr, and the features that do not
 * depend on the data.
 *
 * A table of sections right after the data section locates the features, with one entry per flag in
 * bit order. The contents of features may be anywhere. Features that do not depend on the data are
 * before it, so only the table moves when events are added. A copy of the table stays in the head,
 * at HEAD_SPARE_AT, for repairs of the file.
 *
 * A stream has no sections: each attr and feature is an event. A stream has neither the index of
 * the trace nor the mark after the last feature. perf has no event for the index. The number of the
 * mark differs between versions of perf, and later versions use it for a feature.
 *
 * Source: tools/perf/util/header.c (the write_x functions of each feature) and
 * drivers/perf/arm_spe_pmu.c (config bits) of Linux 6.1.
 */
#include <stdio.h>
#include <string.h>

#include <spemu/perfdata.h>

#include "base/take.h"
#include "base/bits.h"
#include "perfdata/perf_format.h"

enum {
	HEAD_ATTR_AT = PERF_HDR_SIZE,
	HEAD_IDS_AT = HEAD_ATTR_AT + PERF_ATTR_SIZE_VER7 + PERF_SECTION_SIZE,
	HEAD_SPARE_AT = HEAD_IDS_AT + 8, /* magic number, flags and table */
	HEAD_SPARE_SIZE = 16 + SPEMU_PERF_TABLE_MAX,
	HEAD_FEATURES_AT = HEAD_SPARE_AT + HEAD_SPARE_SIZE,
};
#define HEAD_SPARE_MAGIC UINT64_C(0x31434552554d4553) /* "SEMUREC1" */

#define DEFAULT_MIDR 0x413fd0c1u /* Neoverse N1 r3p1 */
#define DEFAULT_EVENT_NAME "arm_spe_0//"
#define CALLCHAIN_EVENT_NAME "callchain"

struct head_out {
	uint8_t *buf;
	size_t size, pos;
	bool full;
	struct spemu_perf_head *head; /* NULL for a stream */
};

static void put_bytes(struct head_out *o, const void *bytes, size_t n)
{
	if (o->full || n > o->size - o->pos) {
		o->full = true;
		return;
	}
	memcpy(o->buf + o->pos, bytes, n);
	o->pos += n;
}

static void put_number(struct head_out *o, uint64_t v, size_t n)
{
	uint8_t bytes[8];

	le_store(bytes, v, n);
	put_bytes(o, bytes, n);
}

static void put_zeros(struct head_out *o, size_t n)
{
	static const uint8_t zeros[PERF_NAME_ALIGN];

	while (n > sizeof(zeros)) {
		put_bytes(o, zeros, sizeof(zeros));
		n -= sizeof(zeros);
	}
	put_bytes(o, zeros, n);
}

/* Put a string of a feature: its padded length, the text, and zeros. */
static void put_string(struct head_out *o, const char *text)
{
	size_t length = strlen(text), room = (size_t)perf_align(length + 1, PERF_NAME_ALIGN);

	put_number(o, room, 4);
	put_bytes(o, text, length);
	put_zeros(o, room - length);
}

/* End the event that begins at offset `begin`. */
static void event_end(struct head_out *o, size_t begin, uint32_t type)
{
	put_zeros(o, (size_t)perf_align(o->pos, 8) - o->pos);
	o->full = o->full || o->pos - begin > SPEMU_PERF_EVENT_MAX;
	if (o->full)
		return;
	le_store32(o->buf + begin, type);
	le_store16(o->buf + begin + 6, (uint16_t)(o->pos - begin));
}

/* Begin and end the contents of a feature. Call these functions in the order of the feature
 * bits. */
static size_t feature_begin(struct head_out *o)
{
	if (o->head)
		put_zeros(o, (size_t)perf_align(o->pos, 8) - o->pos);
	else
		put_zeros(o, PERF_FEATURE_EVENT_SIZE);
	return o->pos;
}

static void feature_end(struct head_out *o, unsigned n, size_t begin)
{
	uint8_t *entry;

	if (!o->head) {
		event_end(o, begin - PERF_FEATURE_EVENT_SIZE, SPEMU_PERF_HEADER_FEATURE);
		if (!o->full)
			le_store64(o->buf + begin - 8, n);
		return;
	}
	entry = o->head->table + o->head->table_size;
	le_store64(entry, begin);
	le_store64(entry + 8, o->pos - begin);
	o->head->flags |= BIT64(n);
	o->head->table_size += PERF_SECTION_SIZE;
}

static void put_string_feature(struct head_out *o, unsigned n, const char *text)
{
	size_t begin;

	if (!text)
		return;
	begin = feature_begin(o);
	put_string(o, text);
	feature_end(o, n, begin);
}

static void put_cmdline(struct head_out *o, const char *const *argv)
{
	/* Leave room for the following features. */
	size_t limit = o->size - 8192, begin, n_at, n = 0;

	if (!argv)
		return;
	begin = n_at = feature_begin(o);
	if (!o->head) /* limit of one event, with room to pad the last argument */
		limit = begin + SPEMU_PERF_EVENT_MAX - PERF_FEATURE_EVENT_SIZE - 128;
	put_number(o, 0, 4);
	while (argv[n] && o->pos + strlen(argv[n]) < limit)
		put_string(o, argv[n++]);
	if (!o->full)
		le_store32(o->buf + n_at, (uint32_t)n);
	feature_end(o, SPEMU_PERF_FEAT_CMDLINE, begin);
}

void spemu_perf_put_cpus(uint8_t nrcpus[SPEMU_PERF_NRCPUS_SIZE], uint8_t numa[SPEMU_PERF_NUMA_SIZE],
                         uint32_t n)
{
	le_store32(nrcpus, n);     /* available CPUs */
	le_store32(nrcpus + 4, n); /* online CPUs */
	n--;
	for (int i = SPEMU_PERF_NUMA_SIZE - 1; i >= 0; i--, n /= 10)
		numa[i] = (uint8_t)('0' + n % 10);
}

static void put_nrcpus(struct head_out *o, uint32_t n)
{
	uint8_t nrcpus[SPEMU_PERF_NRCPUS_SIZE], numa[SPEMU_PERF_NUMA_SIZE];
	size_t begin = feature_begin(o);

	spemu_perf_put_cpus(nrcpus, numa, n);
	if (o->head)
		o->head->nrcpus_at = begin;
	put_bytes(o, nrcpus, sizeof(nrcpus));
	feature_end(o, SPEMU_PERF_FEAT_NRCPUS, begin);
}

/* Put a single node with all CPUs and unknown memory. */
static void put_numa(struct head_out *o, uint32_t n)
{
	uint8_t nrcpus[SPEMU_PERF_NRCPUS_SIZE], numa[SPEMU_PERF_NUMA_SIZE];
	char cpus[] = "0-00000";
	size_t begin = feature_begin(o);

	spemu_perf_put_cpus(nrcpus, numa, n);
	memcpy(cpus + 2, numa, sizeof(numa));
	put_number(o, 1, 4);
	put_number(o, 0, 4); /* node number */
	put_number(o, 0, 8); /* total memory in kB */
	put_number(o, 0, 8); /* free memory in kB */
	if (o->head)
		o->head->numa_at = o->pos + 4 + 2;
	put_string(o, cpus);
	feature_end(o, SPEMU_PERF_FEAT_NUMA_TOPOLOGY, begin);
}

/*
 * Put an index without entries. perf then finds the trace while it reads the data, and the flag
 * shows `perf script` that samples will have addresses. The end of the recording replaces it.
 */
static void put_auxtrace_index(struct head_out *o)
{
	size_t begin = feature_begin(o);

	put_number(o, 0, 8);
	feature_end(o, SPEMU_PERF_FEAT_AUXTRACE, begin);
}

/*
 * Put one node with all memory: block 0, of a size that no physical address exceeds. perf c2c looks
 * up the node of each physical address, even if the trace has none.
 */
static void put_mem_topology(struct head_out *o)
{
	size_t begin = feature_begin(o);

	put_number(o, 1, 8);         /* version */
	put_number(o, BIT64(56), 8); /* block size in bytes */
	put_number(o, 1, 8);         /* number of nodes */
	put_number(o, 0, 8);         /* node number */
	put_number(o, 1, 8);         /* number of blocks */
	put_number(o, 1, 8);         /* number of bits in the following map */
	put_number(o, 1, 8);         /* the map: block 0 exists */
	feature_end(o, SPEMU_PERF_FEAT_MEM_TOPOLOGY, begin);
}

static uint64_t attr_flags(const struct spemu_perf_head_config *config)
{
	uint64_t flags = BIT64(PERF_ATTR_INHERIT) | BIT64(PERF_ATTR_EXCLUDE_HV) |
	                 BIT64(PERF_ATTR_MMAP) | BIT64(PERF_ATTR_COMM) | BIT64(PERF_ATTR_TASK) |
	                 BIT64(PERF_ATTR_MMAP_DATA) | BIT64(PERF_ATTR_SAMPLE_ID_ALL) |
	                 BIT64(PERF_ATTR_EXCLUDE_GUEST) | BIT64(PERF_ATTR_MMAP2) |
	                 BIT64(PERF_ATTR_COMM_EXEC);

	/* PMSCR_EL1: E0SPE is bit 0, E1SPE is bit 1. 0 means that the caller did not set the
	 * value. */
	if (config->pmscr && !bit_is_set(config->pmscr, 0))
		flags |= BIT64(PERF_ATTR_EXCLUDE_USER);
	if (!bit_is_set(config->pmscr, 1))
		flags |= BIT64(PERF_ATTR_EXCLUDE_KERNEL);
	return flags;
}

/* Return config with the bits of arm_spe_pmu: ts 0, pa 1, jitter 16, branch 32, load 33, store
 * 34. */
static uint64_t attr_config(const struct spemu_perf_head_config *config)
{
	uint64_t bits = 1;

	if (config->physical_addresses)
		bits |= BIT64(1);
	if (config->jitter)
		bits |= BIT64(16);
	if (bit_is_set(config->pmsfcr, 1)) /* PMSFCR_EL1.FT is set: use B (bit 16), LD (17) and
	                                      ST (18) */
		bits |= bits_get(config->pmsfcr, 18, 16) << 32;
	return bits;
}

struct attr {
	uint32_t type;
	uint64_t config, config1, config2, sample_type, flags;
};

static void put_one_attr(struct head_out *o, const struct spemu_perf_head_config *config,
                         struct attr a)
{
	uint8_t attr[PERF_ATTR_SIZE_VER7] = {0};

	if (config->monotonic) {
		a.flags |= BIT64(PERF_ATTR_USE_CLOCKID);
		le_store32(attr + PERF_ATTR_CLOCKID_AT, PERF_CLOCK_MONOTONIC);
	}
	le_store32(attr + PERF_ATTR_TYPE_AT, a.type);
	le_store32(attr + PERF_ATTR_SIZE_AT, sizeof(attr));
	le_store64(attr + PERF_ATTR_CONFIG_AT, a.config);
	le_store64(attr + PERF_ATTR_PERIOD_AT, config->period);
	le_store64(attr + PERF_ATTR_SAMPLE_TYPE_AT, a.sample_type);
	le_store64(attr + PERF_ATTR_FLAGS_AT, a.flags);
	le_store64(attr + PERF_ATTR_CONFIG1_AT, a.config1);
	le_store64(attr + PERF_ATTR_CONFIG2_AT, a.config2);
	put_bytes(o, attr, sizeof(attr));
}

static void put_attr(struct head_out *o, const struct spemu_perf_head_config *config)
{
	uint64_t physical = config->physical_addresses ? SPEMU_PERF_SAMPLE_PHYS_ADDR : 0;

	put_one_attr(o, config,
	             (struct attr){.type = SPEMU_PERF_PMU_TYPE,
	                           .config = attr_config(config),
	                           .config1 = config->pmsevfr,
	                           .config2 = bits_get(config->min_latency, 11, 0),
	                           .sample_type = SPEMU_PERF_SAMPLE_TYPE | physical,
	                           .flags = attr_flags(config)});
}

/* Write the attr of call stacks: PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS. A sample
 * represents period instructions. */
static void put_callchain_attr(struct head_out *o, const struct spemu_perf_head_config *config)
{
	put_one_attr(o, config,
	             (struct attr){
	                     .config = 1,
	                     .sample_type = SPEMU_PERF_CALLCHAIN_SAMPLE_TYPE,
	                     .flags = BIT64(PERF_ATTR_INHERIT) | BIT64(PERF_ATTR_EXCLUDE_KERNEL) |
	                              BIT64(PERF_ATTR_EXCLUDE_HV) | BIT64(PERF_ATTR_EXCLUDE_GUEST) |
	                              BIT64(PERF_ATTR_SAMPLE_ID_ALL)});
}

/* Put both attrs with the sections of their ids, and return their position. A single attr has a
 * fixed position, for repairs of files. */
static size_t put_attrs(struct head_out *o, const struct spemu_perf_head_config *config)
{
	size_t ids = o->pos, attrs = ids + 8;

	put_number(o, SPEMU_PERF_CALLCHAIN_ID, 8);
	put_attr(o, config);
	put_number(o, HEAD_IDS_AT, 8);
	put_number(o, 8, 8);
	put_callchain_attr(o, config);
	put_number(o, ids, 8);
	put_number(o, 8, 8);
	return attrs;
}

static void put_event_desc(struct head_out *o, const struct spemu_perf_head_config *config)
{
	size_t begin = feature_begin(o);

	put_number(o, config->callchains ? 2 : 1, 4);
	put_number(o, PERF_ATTR_SIZE_VER7, 4);
	put_attr(o, config);
	put_number(o, 1, 4);
	put_string(o, config->event_name ? config->event_name : DEFAULT_EVENT_NAME);
	put_number(o, SPEMU_PERF_EVENT_ID, 8);
	if (config->callchains) {
		put_callchain_attr(o, config);
		put_number(o, 1, 4);
		put_string(o, CALLCHAIN_EVENT_NAME);
		put_number(o, SPEMU_PERF_CALLCHAIN_ID, 8);
	}
	feature_end(o, SPEMU_PERF_FEAT_EVENT_DESC, begin);
}

static void put_features(struct head_out *o, const struct spemu_perf_head_config *config)
{
	char cpuid[24];

	snprintf(cpuid, sizeof(cpuid), "0x%016llx",
	         (unsigned long long)(config->midr ? config->midr : DEFAULT_MIDR));
	put_string_feature(o, SPEMU_PERF_FEAT_HOSTNAME, config->hostname);
	put_string_feature(o, SPEMU_PERF_FEAT_OSRELEASE, config->osrelease);
	put_string_feature(o, SPEMU_PERF_FEAT_VERSION, config->version);
	put_string_feature(o, SPEMU_PERF_FEAT_ARCH, "aarch64");
	put_nrcpus(o, 1);
	put_string_feature(o, SPEMU_PERF_FEAT_CPUDESC, config->cpu_desc);
	put_string_feature(o, SPEMU_PERF_FEAT_CPUID, cpuid);
	put_cmdline(o, config->argv);
	put_event_desc(o, config);
	put_numa(o, 1);
	if (o->head)
		put_auxtrace_index(o);
	put_mem_topology(o);
	put_zeros(o, (size_t)perf_align(o->pos, 8) - o->pos);
}

/* Put the attrs of a stream: events with the attr and its id. */
static void put_attr_events(struct head_out *o, const struct spemu_perf_head_config *config)
{
	size_t begin = o->pos;

	put_zeros(o, PERF_EVENT_HEADER_SIZE);
	put_attr(o, config);
	put_number(o, SPEMU_PERF_EVENT_ID, 8);
	event_end(o, begin, SPEMU_PERF_HEADER_ATTR);
	if (!config->callchains)
		return;
	begin = o->pos;
	put_zeros(o, PERF_EVENT_HEADER_SIZE);
	put_callchain_attr(o, config);
	put_number(o, SPEMU_PERF_CALLCHAIN_ID, 8);
	event_end(o, begin, SPEMU_PERF_HEADER_ATTR);
}

static void fill_header(uint8_t *buf, const struct spemu_perf_head *head, size_t attrs, size_t n)
{
	memcpy(buf, PERF_MAGIC, 8);
	le_store64(buf + PERF_HDR_SIZE_AT, PERF_HDR_SIZE);
	le_store64(buf + PERF_HDR_ATTR_SIZE_AT, PERF_ATTR_SIZE_VER7 + PERF_SECTION_SIZE);
	le_store64(buf + PERF_HDR_ATTRS_AT, attrs);
	le_store64(buf + PERF_HDR_ATTRS_AT + 8, n * (PERF_ATTR_SIZE_VER7 + PERF_SECTION_SIZE));
	le_store64(buf + PERF_HDR_DATA_AT, head->data_at);
	le_store64(buf + PERF_HDR_FLAGS_AT, head->flags);
	le_store64(buf + HEAD_SPARE_AT, HEAD_SPARE_MAGIC);
	le_store64(buf + HEAD_SPARE_AT + 8, head->flags);
	memcpy(buf + HEAD_SPARE_AT + 16, head->table, sizeof(head->table));
}

int spemu_perf_put_head(uint8_t *buf, size_t size, struct spemu_perf_head *head,
                        const struct spemu_perf_head_config *config)
{
	struct head_out o = {buf, size, 0, false, head};
	struct spemu_perf_head_config taken;
	size_t attrs = HEAD_ATTR_AT;

	if (head)
		memset(head, 0, sizeof(*head));
	if (!buf || !head || !take_struct(&taken, sizeof(taken), config))
		return SPEMU_ERR_INVALID;
	config = &taken;
	if (size < SPEMU_PERF_HEAD_MAX)
		return SPEMU_ERR_NOSPACE;
	put_zeros(&o, HEAD_ATTR_AT);
	put_attr(&o, config);
	put_number(&o, HEAD_IDS_AT, 8); /* section of this attr's ids */
	put_number(&o, 8, 8);
	put_number(&o, SPEMU_PERF_EVENT_ID, 8);
	put_zeros(&o, HEAD_SPARE_SIZE);
	if (config->callchains)
		attrs = put_attrs(&o, config);
	put_features(&o, config);
	if (o.full) {
		memset(head, 0, sizeof(*head));
		return SPEMU_ERR_NOSPACE;
	}
	head->data_at = o.pos;
	fill_header(buf, head, attrs, config->callchains ? 2 : 1);
	return (int)o.pos;
}

int spemu_perf_put_stream_head(uint8_t *buf, size_t size,
                               const struct spemu_perf_head_config *config)
{
	struct head_out o = {buf, size, 0, false, NULL};
	struct spemu_perf_head_config taken;

	if (!buf || !take_struct(&taken, sizeof(taken), config))
		return SPEMU_ERR_INVALID;
	if (size < SPEMU_PERF_HEAD_MAX)
		return SPEMU_ERR_NOSPACE;
	put_bytes(&o, PERF_MAGIC, 8);
	put_number(&o, PERF_HDR_PIPE_SIZE, 8);
	put_attr_events(&o, &taken);
	put_features(&o, &taken);
	return o.full ? SPEMU_ERR_NOSPACE : (int)o.pos;
}

int spemu_perf_put_stream_cpus(uint8_t *buf, size_t size, uint32_t n)
{
	struct head_out o = {buf, size, 0, false, NULL};

	if (!buf || !n)
		return SPEMU_ERR_INVALID;
	if (size < SPEMU_PERF_STREAM_CPUS_SIZE)
		return SPEMU_ERR_NOSPACE;
	put_nrcpus(&o, n);
	put_numa(&o, n);
	return (int)o.pos;
}

static int read_head(struct spemu_perf_head *head, uint64_t *data_size, const uint8_t *file,
                     size_t size)
{
	if (size < HEAD_FEATURES_AT || memcmp(file, PERF_MAGIC, 8) != 0 ||
	    le_load64(file + HEAD_SPARE_AT) != HEAD_SPARE_MAGIC)
		return SPEMU_ERR_CORRUPT;
	head->data_at = le_load64(file + PERF_HDR_DATA_AT);
	*data_size = le_load64(file + PERF_HDR_DATA_SIZE_AT);
	head->flags = le_load64(file + HEAD_SPARE_AT + 8);
	for (uint64_t flags = head->flags; flags; flags &= flags - 1)
		head->table_size += PERF_SECTION_SIZE;
	memcpy(head->table, file + HEAD_SPARE_AT + 16, sizeof(head->table));
	if (head->table_size > sizeof(head->table) || head->data_at < HEAD_FEATURES_AT ||
	    head->data_at > SPEMU_PERF_HEAD_MAX + SPEMU_PERF_EVENT_MAX)
		return SPEMU_ERR_CORRUPT;
	return SPEMU_OK;
}

int spemu_perf_get_head(struct spemu_perf_head *head, uint64_t *data_size, const uint8_t *file,
                        size_t size)
{
	struct spemu_perf_head read = {0};
	uint64_t read_size = 0;
	int status = read_head(&read, &read_size, file, size);

	*head = status ? (struct spemu_perf_head){0} : read;
	*data_size = status ? 0 : read_size;
	return status;
}

void spemu_perf_put_place(uint8_t place[SPEMU_PERF_PLACE_SIZE], uint64_t data_at)
{
	le_store64(place, data_at);
}

void spemu_perf_put_sizes(uint8_t sizes[SPEMU_PERF_SIZES_SIZE], uint64_t data_size, uint64_t flags)
{
	/* Data size, the unused section of event types, and flags are one write within one page. */
	memset(sizes, 0, SPEMU_PERF_SIZES_SIZE);
	le_store64(sizes, data_size);
	le_store64(sizes + PERF_HDR_FLAGS_AT - PERF_HDR_DATA_SIZE_AT, flags);
}
