/* SPDX-License-Identifier: MIT */
/* Test files that are built in memory from a head, events and a tail, by reading them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/perfdata.h>
#include "perfdata/perf_file.h"

static const char *const arguments[] = {"tool", "an argument", NULL};
static const struct spemu_perf_head_config config = {
        .size = sizeof(config),
        .period = 1024,
        .pmsfcr = UINT64_C(0x20002), /* FT, LD */
        .min_latency = 7,
        .physical_addresses = true,
        .argv = arguments,
        .event_name = "spe/load/",
};
static uint8_t file[SPEMU_PERF_HEAD_MAX + 4096];
static struct spemu_perf_head head;

/* Write the head, two EXIT events and 16 bytes of trace. Return the size of the data section. */
static uint64_t begin(void)
{
	struct spemu_perf_who who = {.pid = 1, .tid = 2, .time = 500, .cpu = 3};
	size_t size = (size_t)spemu_perf_put_head(file, sizeof(file), &head, &config);

	assert_int_equal(size, head.data_at);
	size += (size_t)spemu_perf_put_task(file + size, 4096, &who, SPEMU_PERF_EXIT, 1, 0, 2, 1);
	who.time = 400;
	size += (size_t)spemu_perf_put_task(file + size, 4096, &who, SPEMU_PERF_EXIT, 1, 0, 3, 1);
	size += (size_t)spemu_perf_put_auxtrace(file + size, 4096, 3, 0, 16);
	memset(file + size, 0, 16);
	size += 16;
	memcpy(file + size, head.table, head.table_size);
	spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, size - head.data_at, head.flags);
	return size - head.data_at;
}

static unsigned count_events(struct spemu_perf_file *f)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	unsigned n = 0;
	int status;

	while ((status = spemu_perf_next(f, &event, &cursor)) == SPEMU_OK)
		n++;
	assert_int_equal(status, SPEMU_ERR_END);
	return n;
}

static void head_and_feature_table_are_a_file(void **state)
{
	uint64_t data_size = begin(), size;
	struct spemu_perf_file *f;
	struct spemu_perf_attr attr;
	const uint8_t *data;
	const char *text;

	(void)state;
	assert_int_equal(
	        spemu_perf_open_memory(&f, NULL, file,
	                               (size_t)(head.data_at + data_size + head.table_size)),
	        SPEMU_OK);
	assert_int_equal(count_events(f), 3);
	assert_int_equal(spemu_perf_attr(f, &attr, 0), SPEMU_OK);
	assert_int_equal(attr.sample_period, 1024);
	assert_int_equal(attr.config, UINT64_C(0x200000003)); /* load 33, pa 1, ts 0 */
	assert_int_equal(attr.config2, 7);
	assert_true(attr.sample_type & SPEMU_PERF_SAMPLE_PHYS_ADDR);
	assert_string_equal(attr.name, "spe/load/");
	assert_int_equal(spemu_perf_cmdline(f, &text, 1), SPEMU_OK);
	assert_string_equal(text, "an argument");
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_HOSTNAME),
	                 SPEMU_ERR_END);
	spemu_perf_close(f);
}

static void cpus_can_be_added_to_metadata(void **state)
{
	uint64_t data_size = begin(), size;
	struct spemu_perf_file *f;
	const uint8_t *data;

	(void)state;
	spemu_perf_put_cpus(file + head.nrcpus_at, file + head.numa_at, 1235);
	assert_int_equal(
	        spemu_perf_open_memory(&f, NULL, file,
	                               (size_t)(head.data_at + data_size + head.table_size)),
	        SPEMU_OK);
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_NRCPUS), SPEMU_OK);
	assert_int_equal(size, 8);
	assert_memory_equal(data, "\xd3\x04\0\0\xd3\x04\0\0", 8);
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_NUMA_TOPOLOGY),
	                 SPEMU_OK);
	/* The text follows the number of nodes, the number of the node, its total and free memory
	 * and the length of the text. */
	assert_string_equal((const char *)data + 4 + 4 + 8 + 8 + 4, "0-01234");
	spemu_perf_close(f);
}

static void tail_has_index_and_times(void **state)
{
	static const uint8_t times[16] = {0x90, 1, 0, 0, 0, 0, 0, 0, 0xf4, 1}; /* 400, 500 */
	uint64_t data_size = begin(), size;
	struct spemu_perf_tail tail;
	struct spemu_perf_file *f;
	const uint8_t *data;
	const char *text;

	(void)state;
	assert_int_equal(spemu_perf_make_tail(&tail, &head, data_size, file), SPEMU_OK);
	memcpy(file + head.data_at + data_size, tail.bytes, tail.size);
	spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, data_size, tail.flags);
	assert_int_equal(spemu_perf_open_memory(&f, NULL, file,
	                                        (size_t)(head.data_at + data_size + tail.size)),
	                 SPEMU_OK);
	assert_int_equal(count_events(f), 3);
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_AUXTRACE), SPEMU_OK);
	assert_int_equal(size, 8 + 16);
	assert_int_equal(data[0], 1);
	assert_int_equal(data[8 + 8], 48); /* size of the event */
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_SAMPLE_TIME),
	                 SPEMU_OK);
	assert_memory_equal(data, times, 16);
	assert_int_equal(spemu_perf_feature_string(f, &text, SPEMU_PERF_FEAT_ARCH), SPEMU_OK);
	assert_string_equal(text, "aarch64");
	spemu_perf_close(f);
	free(tail.bytes);
	/* If the events are damaged, no tail is made. */
	memset(file + head.data_at, 0, 8);
	assert_int_equal(spemu_perf_make_tail(&tail, &head, data_size, file), SPEMU_ERR_CORRUPT);
	assert_null(tail.bytes);
}

static uint64_t number(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 8; i--;)
		v = v << 8 | p[i];
	return v;
}

/*
 * The config of the attr has the bits that Linux's arm_spe_pmu defines. config: ts_enable 0,
 * pa_enable 1, jitter 16, branch_filter 32, load_filter 33, store_filter 34. config1: event_filter.
 * config2: min_latency 0 to 11. They describe PMSFCR_EL1, where FT is bit 1, B 16, LD 17, ST 18,
 * and PMSCR_EL1, where E0SPE is bit 0 and E1SPE bit 1.
 */
static void attr_config_describes_sampling(void **state)
{
	enum {
		EXCLUDE_USER = 4,
		EXCLUDE_KERNEL = 5,
		USE_CLOCKID = 25,
		CLOCKID_AT = 92,
		MONOTONIC = 1
	};

	(void)state;
	for (unsigned n = 0; n < 256; n++) {
		unsigned pmscr = n & 3, types = n >> 2 & 7, filtered = n >> 5 & 1;
		struct spemu_perf_head_config c = config;
		uint64_t want = 1 | (uint64_t)(n >> 6 & 1) << 1 | (uint64_t)(n >> 7) << 16;
		struct spemu_perf_attr attr;
		struct spemu_perf_file *f;

		c.pmscr = pmscr;
		c.pmsfcr = (uint64_t)types << 16 | filtered << 1;
		c.pmsevfr = 0x80 + n;
		c.min_latency = 0xf000 | n;
		c.physical_addresses = n >> 6 & 1;
		c.jitter = n >> 7;
		c.period = 1000 + n;
		c.monotonic = n >> 4 & 1;
		c.callchains = n >> 3 & 1;
		want |= filtered ? (uint64_t)types << 32 : 0;
		spemu_perf_put_head(file, sizeof(file), &head, &c);
		memcpy(file + head.data_at, head.table, head.table_size);
		spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, 0, head.flags);
		assert_int_equal(spemu_perf_open_memory(&f, NULL, file,
		                                        (size_t)head.data_at + head.table_size),
		                 SPEMU_OK);
		assert_int_equal(spemu_perf_attr(f, &attr, 0), SPEMU_OK);
		assert_true(attr.config == want);
		assert_true(attr.config1 == 0x80 + n && attr.config2 == n);
		assert_int_equal(attr.sample_period, 1000 + n);
		assert_int_equal(attr.flags >> EXCLUDE_USER & 1, pmscr == 2);
		assert_int_equal(attr.flags >> EXCLUDE_KERNEL & 1, pmscr < 2);
		assert_int_equal(!!(attr.sample_type & SPEMU_PERF_SAMPLE_PHYS_ADDR), n >> 6 & 1);
		for (uint32_t i = 0; i <= (n >> 3 & 1); i++) {
			/*
			 * The header gives the place of the attrs. Each attr is followed by the
			 * section of its ids.
			 */
			const uint8_t *raw = file + number(file + 24) + i * number(file + 16);

			assert_int_equal(spemu_perf_attr(f, &attr, i), SPEMU_OK);
			assert_int_equal(attr.flags >> USE_CLOCKID & 1, n >> 4 & 1);
			assert_int_equal(number(raw + CLOCKID_AT) & 0xffffffff,
			                 n >> 4 & 1 ? MONOTONIC : 0);
		}
		spemu_perf_close(f);
	}
}

/* An entry has 36 bytes and the name (tools/perf/util/build-id.c). The name ends with at least one
 * NUL and is padded to a multiple of 64 bytes. */
static void build_id_names_are_terminated(void **state)
{
	(void)state;
	for (size_t length = 1; length < 200; length++) {
		struct spemu_perf_who who = {.pid = 1, .tid = 2, .time = 500, .cpu = 3};
		char name[256] = {0};
		struct spemu_perf_mmap map = {
		        .pid = 1, .len = 4096, .prot = 5, .build_id_size = 20, .filename = name};
		struct spemu_perf_build_id id;
		struct spemu_perf_tail tail;
		struct spemu_perf_file *f;
		const uint8_t *data;
		uint64_t data_size, size, pos = 0;

		memset(name, 'a', length);
		name[0] = '/';
		for (unsigned i = 0; i < 20; i++)
			map.build_id[i] = (uint8_t)(length + i);
		data_size = begin();
		data_size += (uint64_t)spemu_perf_put_mmap2(file + head.data_at + data_size, 4096,
		                                            &who, &map);
		memcpy(file + head.data_at + data_size, head.table, head.table_size);
		spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, data_size, head.flags);
		assert_int_equal(spemu_perf_make_tail(&tail, &head, data_size, file), SPEMU_OK);
		memcpy(file + head.data_at + data_size, tail.bytes, tail.size);
		spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, data_size, tail.flags);
		assert_int_equal(
		        spemu_perf_open_memory(&f, NULL, file,
		                               (size_t)(head.data_at + data_size + tail.size)),
		        SPEMU_OK);
		assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_BUILD_ID),
		                 SPEMU_OK);
		assert_int_equal(size, 36 + (length / 64 + 1) * 64);
		assert_int_equal(spemu_perf_next_build_id(f, &id, &pos), SPEMU_OK);
		assert_string_equal(id.filename, name);
		assert_int_equal(id.size, 20);
		assert_memory_equal(id.id, map.build_id, 20);
		assert_int_equal(id.pid, UINT32_MAX);
		assert_int_equal(id.cpumode, SPEMU_PERF_MISC_USER);
		assert_int_equal(spemu_perf_next_build_id(f, &id, &pos), SPEMU_ERR_END);
		spemu_perf_close(f);
		free(tail.bytes);
	}
}

/*
 * A head keeps a copy of its flags and its table. After the header (104 bytes), the attr with the
 * section of its ids (144) and the id (8) come a magic number, the flags and 256 bytes of table.
 * The features follow.
 */
enum {
	MAGIC_AT = 104 + 144 + 8,
	FLAGS_AT = MAGIC_AT + 8,
	FEATURES_AT = MAGIC_AT + 16 + SPEMU_PERF_TABLE_MAX
};

/* The data section has a first and a last possible start, and the table has a maximum number of
 * features. */
static void damaged_head_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		int status;
	} rows[] = {
	        {40, FEATURES_AT, SPEMU_OK},
	        {40, FEATURES_AT - 1, SPEMU_ERR_CORRUPT},
	        {40, SPEMU_PERF_HEAD_MAX + SPEMU_PERF_EVENT_MAX, SPEMU_OK},
	        {40, SPEMU_PERF_HEAD_MAX + SPEMU_PERF_EVENT_MAX + 1, SPEMU_ERR_CORRUPT},
	        {40, 0, SPEMU_ERR_CORRUPT},
	        {FLAGS_AT, 0xffff, SPEMU_OK},
	        {FLAGS_AT, UINT64_C(0xffff) << 48, SPEMU_OK},
	        {FLAGS_AT, 0x1ffff, SPEMU_ERR_CORRUPT},
	        {FLAGS_AT, UINT64_MAX, SPEMU_ERR_CORRUPT},
	        {FLAGS_AT, 0, SPEMU_OK},
	        {MAGIC_AT, 0, SPEMU_ERR_CORRUPT},
	        {0, 0, SPEMU_ERR_CORRUPT},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_perf_head got;
		uint64_t size;

		begin();
		for (unsigned k = 0; k < 8; k++)
			file[rows[i].at + k] = (uint8_t)(rows[i].value >> (8 * k));
		assert_int_equal(spemu_perf_get_head(&got, &size, file, sizeof(file)),
		                 rows[i].status);
		if (rows[i].status == SPEMU_OK && rows[i].at == 40)
			assert_int_equal(got.data_at, rows[i].value);
		if (rows[i].status == SPEMU_OK && rows[i].at == FLAGS_AT)
			assert_int_equal(got.table_size, rows[i].value ? 256 : 0);
	}
}

/* Open a file that has the head described by `c` and no data. */
static struct spemu_perf_file *open_head(uint8_t *bytes, size_t size,
                                         const struct spemu_perf_head_config *c)
{
	struct spemu_perf_file *f;
	int made = spemu_perf_put_head(bytes, size - SPEMU_PERF_TABLE_MAX, &head, c);

	assert_int_equal(made, head.data_at);
	memcpy(bytes + head.data_at, head.table, head.table_size);
	spemu_perf_put_sizes(bytes + SPEMU_PERF_SIZES_AT, 0, head.flags);
	assert_int_equal(
	        spemu_perf_open_memory(&f, NULL, bytes, (size_t)head.data_at + head.table_size),
	        SPEMU_OK);
	return f;
}

/* A string consists of a length that is a multiple of 64 and of that many bytes, which are text and
 * zeros (tools/perf/util/header.c). */
static void strings_are_padded_to_64_bytes(void **state)
{
	(void)state;
	for (size_t length = 0; length < 200; length++) {
		char host[200] = {0}, release[200] = {0}, version[200] = {0}, cpu[200] = {0};
		const char *const texts[] = {host, release, version, cpu};
		const unsigned bits[] = {SPEMU_PERF_FEAT_HOSTNAME, SPEMU_PERF_FEAT_OSRELEASE,
		                         SPEMU_PERF_FEAT_VERSION, SPEMU_PERF_FEAT_CPUDESC};
		struct spemu_perf_head_config c = config;
		struct spemu_perf_file *f;
		const uint8_t *data;
		const char *text;
		uint64_t size;

		memset(host, 'h', length);
		memset(release, 'r', length / 2);
		memset(version, 'v', length / 3);
		memset(cpu, 'c', length / 4);
		c.hostname = host;
		c.osrelease = release;
		c.version = version;
		c.cpu_desc = cpu;
		memset(file, 0xa5, sizeof(file));
		f = open_head(file, sizeof(file), &c);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(spemu_perf_feature_string(f, &text, bits[i]), SPEMU_OK);
			assert_string_equal(text, texts[i]);
			assert_int_equal(spemu__perf_feature(f, &data, &size, bits[i]), SPEMU_OK);
			assert_int_equal(size, 4 + (strlen(text) / 64 + 1) * 64);
			assert_int_equal((uint32_t)number(data), size - 4);
			for (const char *end = text + strlen(text); end < text + size - 4; end++)
				assert_int_equal(*end, 0);
		}
		for (unsigned n = 0; n < head.table_size / 16; n++)
			assert_int_equal(number(head.table + 16 * n) % 8, 0);
		assert_int_equal(head.data_at % 8, 0);
		spemu_perf_close(f);
	}
}

/* If a command line is too long, the first arguments are kept. The following features are
 * intact. */
static void long_command_lines_keep_first_arguments(void **state)
{
	enum { ARGUMENTS = 4000 };
	static char words[ARGUMENTS][128];
	static const char *argv[ARGUMENTS + 1];

	(void)state;
	for (unsigned n = 0; n < ARGUMENTS; n++) {
		memset(words[n], 'a' + (int)(n % 26), 100 + n % 27);
		argv[n] = words[n];
	}
	for (unsigned given = 1; given <= ARGUMENTS; given = given * 3 / 2 + 1) {
		struct spemu_perf_head_config c = config;
		struct spemu_perf_attr attr;
		struct spemu_perf_file *f;
		const char *text, *end = argv[given];
		unsigned n = 0;

		argv[given] = NULL;
		c.argv = argv;
		f = open_head(file, SPEMU_PERF_HEAD_MAX + SPEMU_PERF_TABLE_MAX, &c);
		while (spemu_perf_cmdline(f, &text, n) == SPEMU_OK)
			assert_string_equal(text, argv[n++]);
		assert_true(n == given || (n > 1200 && head.data_at > SPEMU_PERF_HEAD_MAX - 16384));
		assert_int_equal(spemu_perf_cmdline(f, &text, n), SPEMU_ERR_END);
		assert_int_equal(spemu_perf_attr(f, &attr, 0), SPEMU_OK);
		assert_string_equal(attr.name, "spe/load/");
		spemu_perf_close(f);
		argv[given] = end;
	}
}

/* The name just fits, and then the buffer is one byte too small. Nothing is written past the end of
 * the buffer. */
static void head_without_room_is_refused(void **state)
{
	enum { LONG = SPEMU_PERF_HEAD_MAX + 1000, ROOM = LONG + 4096 };
	struct spemu_perf_head_config c = config;
	uint8_t *bytes = malloc(ROOM);
	char *name = malloc(LONG + 1);
	int size;

	(void)state;
	assert_true(bytes && name);
	memset(name, 'n', LONG);
	name[LONG] = 0;
	c.argv = NULL;
	for (unsigned which = 0; which < 3; which++) {
		c.hostname = which == 0 ? name : NULL;
		c.cpu_desc = which == 1 ? name : NULL;
		c.event_name = which == 2 ? name : NULL;
		size = spemu_perf_put_head(bytes, ROOM, &head, &c);
		assert_in_range(size, LONG, ROOM);
		assert_int_equal(spemu_perf_put_head(bytes, (size_t)size, &head, &c), size);
		for (int less = size - 1; less > SPEMU_PERF_HEAD_MAX; less -= 37) {
			memset(bytes + less, 0x5a, (size_t)(ROOM - less));
			assert_int_equal(spemu_perf_put_head(bytes, (size_t)less, &head, &c),
			                 SPEMU_ERR_NOSPACE);
			for (int i = less; i < ROOM; i++)
				assert_int_equal(bytes[i], 0x5a);
		}
	}
	free(bytes);
	free(name);
}

/* perf's CPUID is MIDR_EL1 in hexadecimal. If the caller has none, it is the one of a Neoverse
 * N1. */
static void cpuid_is_the_midr(void **state)
{
	static const struct {
		uint64_t midr;
		const char *text;
	} rows[] = {{0x410fd4f1, "0x00000000410fd4f1"},
	            {0, "0x00000000413fd0c1"},
	            {UINT64_C(0x123456789abcdef0), "0x123456789abcdef0"}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct spemu_perf_head_config c = config;
		struct spemu_perf_file *f;
		const char *text;

		c.midr = rows[i].midr;
		f = open_head(file, sizeof(file), &c);
		assert_int_equal(spemu_perf_feature_string(f, &text, SPEMU_PERF_FEAT_CPUID),
		                 SPEMU_OK);
		assert_string_equal(text, rows[i].text);
		spemu_perf_close(f);
	}
}

/* NRCPUS has the numbers of available and of online CPUs. NUMA_TOPOLOGY has one node with number 0,
 * no known memory, and the CPUs "0-0000n". AUXTRACE has no entries. */
static void head_has_one_cpu_and_one_node(void **state)
{
	static const uint8_t cpus[8] = {1, 0, 0, 0, 1}, node[28] = {1, [24] = 64};
	struct spemu_perf_file *f = open_head(file, sizeof(file), &config);
	const uint8_t *data;
	uint64_t size;

	(void)state;
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_NRCPUS), SPEMU_OK);
	assert_int_equal(size, 8);
	assert_memory_equal(data, cpus, 8);
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_NUMA_TOPOLOGY),
	                 SPEMU_OK);
	assert_int_equal(size, 28 + 64);
	assert_memory_equal(data, node, 28);
	assert_string_equal((const char *)data + 28, "0-00000");
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_AUXTRACE), SPEMU_OK);
	assert_int_equal(size, 8);
	assert_true(number(data) == 0);
	spemu_perf_close(f);
}

/*
 * MEM_TOPOLOGY has a version, the size of a block and the number of nodes (write_mem_topology() of
 * tools/perf/util/header.c). Each node has its number, the number of its blocks, and a bitmap
 * preceded by its number of bits. Block 0 contains every physical address, which has at most 56
 * bits.
 */
static void mem_topology_has_one_node_with_all_memory(void **state)
{
	static const uint8_t expected[56] = {
	        1, [8 + 7] = 1, [16] = 1, [32] = 1, [40] = 1, [48] = 1};
	struct spemu_perf_file *f = open_head(file, sizeof(file), &config);
	const uint8_t *data;
	uint64_t size;

	(void)state;
	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_MEM_TOPOLOGY),
	                 SPEMU_OK);
	assert_int_equal(size, sizeof(expected));
	assert_memory_equal(data, expected, sizeof(expected));
	spemu_perf_close(f);
}

/* The data section may begin later than necessary. The bytes before it are not read. */
static void data_section_may_begin_later(void **state)
{
	uint64_t data_size = begin();
	uint8_t header[SPEMU_PERF_PLACE_SIZE + SPEMU_PERF_SIZES_SIZE];
	const uint64_t event = 8 + 24 + SPEMU_PERF_TRAILER_SIZE;
	struct spemu_perf_file *f;
	struct spemu_perf_head got;
	uint64_t got_size;

	(void)state;
	spemu_perf_put_place(header, head.data_at + event);
	spemu_perf_put_sizes(header + SPEMU_PERF_PLACE_SIZE, data_size - event, head.flags);
	memcpy(file + SPEMU_PERF_PLACE_AT, header, sizeof(header));
	assert_int_equal(
	        spemu_perf_open_memory(&f, NULL, file,
	                               (size_t)(head.data_at + data_size + head.table_size)),
	        SPEMU_OK);
	assert_int_equal(count_events(f), 2);
	spemu_perf_close(f);
	assert_int_equal(spemu_perf_get_head(&got, &got_size, file, sizeof(file)), SPEMU_OK);
	assert_int_equal(got.data_at, head.data_at + event);
	assert_int_equal(got_size, data_size - event);
}

static void head_is_read_back(void **state)
{
	uint64_t data_size = begin(), got_size;
	struct spemu_perf_head got;

	(void)state;
	assert_int_equal(spemu_perf_get_head(&got, &got_size, file, sizeof(file)), SPEMU_OK);
	assert_int_equal(got_size, data_size);
	assert_int_equal(got.data_at, head.data_at);
	assert_int_equal(got.flags, head.flags);
	assert_int_equal(got.table_size, head.table_size);
	assert_memory_equal(got.table, head.table, sizeof(head.table));
	for (size_t size = 0; size < FEATURES_AT; size++)
		assert_int_equal(spemu_perf_get_head(&got, &got_size, file, size),
		                 SPEMU_ERR_CORRUPT);
	assert_int_equal(spemu_perf_get_head(&got, &got_size, file, FEATURES_AT), SPEMU_OK);
	file[0] ^= 1;
	assert_int_equal(spemu_perf_get_head(&got, &got_size, file, sizeof(file)),
	                 SPEMU_ERR_CORRUPT);
}

static void wrong_arguments_are_refused(void **state)
{
	struct spemu_perf_head_config other = config;

	(void)state;
	assert_int_equal(spemu_perf_put_head(file, SPEMU_PERF_HEAD_MAX - 1, &head, &config),
	                 SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_perf_put_head(NULL, sizeof(file), &head, &config),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_head(file, sizeof(file), &head, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_head(file, sizeof(file), NULL, &config), SPEMU_ERR_INVALID);
	assert_true(spemu_perf_put_head(file, SPEMU_PERF_HEAD_MAX, &head, &config) > 0);
	other.size++;
	assert_int_equal(spemu_perf_put_head(file, sizeof(file), &head, &other), SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(head_and_feature_table_are_a_file),
	        cmocka_unit_test(cpus_can_be_added_to_metadata),
	        cmocka_unit_test(tail_has_index_and_times),
	        cmocka_unit_test(attr_config_describes_sampling),
	        cmocka_unit_test(build_id_names_are_terminated),
	        cmocka_unit_test(mem_topology_has_one_node_with_all_memory),
	        cmocka_unit_test(data_section_may_begin_later),
	        cmocka_unit_test(head_is_read_back),
	        cmocka_unit_test(damaged_head_is_refused),
	        cmocka_unit_test(strings_are_padded_to_64_bytes),
	        cmocka_unit_test(long_command_lines_keep_first_arguments),
	        cmocka_unit_test(head_without_room_is_refused),
	        cmocka_unit_test(cpuid_is_the_midr),
	        cmocka_unit_test(head_has_one_cpu_and_one_node),
	        cmocka_unit_test(wrong_arguments_are_refused),
	};
	return cmocka_run_group_tests_name("perf.data files", tests, NULL, NULL);
}
