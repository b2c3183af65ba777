/* SPDX-License-Identifier: MIT */
/* A perf.data file as `perf record -e arm_spe//` writes it, with two attributes and SPE metadata of
 * either version. The file is made by hand, and is opened from memory that ends at an unmapped
 * page. */
#ifndef TESTS_PERFDATA_IMAGE_H
#define TESTS_PERFDATA_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include <spemu/perfdata.h>

static uint8_t image[8192];
static size_t used;

static void put(uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		image[used++] = i < 8 ? (uint8_t)(v >> (8 * i)) : 0;
}

static void put_at(size_t at, uint64_t v, size_t n)
{
	size_t end = used;

	used = at;
	put(v, n);
	used = end;
}

static void text(const char *s, size_t room)
{
	memset(image + used, 0, room);
	memcpy(image + used, s, strlen(s));
	used += room;
}

static void event_header(uint32_t type, uint16_t misc, uint16_t size)
{
	put(type, 4);
	put(misc, 2);
	put(size, 2);
}

enum {
	SPE_ID = 0x101,   /* trailer: TID, TIME, CPU, IDENTIFIER */
	DUMMY_ID = 0x201, /* trailer: TID, TIME, IDENTIFIER */
};

static void put_attr(uint32_t type, uint64_t sample_type, uint64_t ids_at, unsigned n_ids)
{
	size_t begin = used;

	memset(image + begin, 0, 144);
	put(type, 4);
	put(128, 4);
	put(0x10001, 8); /* config */
	put(1024, 8);    /* period */
	put(sample_type, 8);
	put(0, 8);
	put(UINT64_C(1) << 18, 8); /* sample_id_all */
	used = begin + 128;
	put(ids_at, 8);
	put(8 * n_ids, 8);
}

/* Append the AUXTRACE_INFO event, and return its offset. */
static size_t put_info(int version)
{
	size_t at = used;

	if (version == 1) {
		event_header(70, 0, 32);
		put(4, 8);
		put(11, 8);
		put(1, 8);
		return at;
	}
	event_header(70, 0, 16 + 8 * (4 + 6 + 7));
	put(4, 8);
	put(2, 8);
	put(4, 8);
	put(11, 8);
	put(2, 8);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		put(UINT64_C(0x1010101010101010), 8);
		put(cpu, 8);
		put(3 + cpu, 8); /* number of parameters; newer perf writes 4, as for CPU 1 */
		put(0x413fd0c1, 8);
		put(11, 8);
		put(256, 8);
		if (cpu)
			put(0xfe, 8);
	}
	return at;
}

static void put_data(int version)
{
	event_header(79, 0, 56); /* TIME_CONV */
	put(2, 8);
	put(40, 8);
	put(1000, 8);
	put(0, 24);
	put_info(version);
	event_header(3, 0x2000, 8 + 16 + 24); /* COMM, exec, trailer of the dummy event */
	put(7, 4);
	put(7, 4);
	text("prog", 8);
	put(7, 4);
	put(7, 4);
	put(5000, 8);
	put(DUMMY_ID, 8);
	event_header(1, 2, 8 + 40 + 24); /* MMAP */
	put(7, 4);
	put(7, 4);
	put(0x400000, 8);
	put(0x2000, 8);
	put(0x1000, 8);
	text("/x/prog", 8);
	put(7, 4);
	put(7, 4);
	put(5001, 8);
	put(DUMMY_ID, 8);
	event_header(11, 0, 8 + 24 + 32); /* AUX, trailer of the SPE event */
	put(0, 8);
	put(16, 8);
	put(8, 8);
	put(7, 4);
	put(8, 4);
	put(6000, 8);
	put(2, 8);
	put(SPE_ID, 8);
	event_header(71, 0, 48); /* AUXTRACE */
	put(16, 8);
	put(0x30, 8);
	put(0x77, 8);
	put(2, 4);
	put(UINT32_MAX, 4);
	put(2, 8);
	for (uint8_t i = 0; i < 16; i++)
		put(i, 1);
	event_header(4, 0, 8 + 24 + 24); /* EXIT */
	put(7, 4);
	put(1, 4);
	put(7, 4);
	put(1, 4);
	put(7000, 8);
	put(7, 4);
	put(7, 4);
	put(7000, 8);
	put(DUMMY_ID, 8);
}

static size_t features_at;

static void section(unsigned i, size_t begin)
{
	put_at(features_at + 16 * i, begin, 8);
	put_at(features_at + 16 * i + 8, used - begin, 8);
}

static void put_features(void)
{
	size_t begin;

	features_at = used;
	put(0, 8);
	put(0, 64 - 8);
	begin = used; /* BUILD_ID */
	event_header(0, 0x8002, 36 + 12);
	put(UINT32_MAX, 4);
	text("\x11\x22\x33", 20);
	put(3, 4);
	text("/x/prog", 12);
	section(0, begin);
	begin = used; /* CPUID */
	put(24, 4);
	text("0x00000000413fd0c1", 24);
	section(1, begin);
	begin = used; /* CMDLINE */
	put(2, 4);
	put(8, 4);
	text("perf", 8);
	put(8, 4);
	text("record", 8);
	section(2, begin);
	begin = used; /* EVENT_DESC */
	put(1, 4);
	put(128, 4);
	text("", 128);
	put(1, 4);
	put(16, 4);
	text("arm_spe_0//", 16);
	put(SPE_ID, 8);
	section(3, begin);
}

static void build(int version)
{
	size_t data_at;

	memset(image, 0, sizeof(image));
	used = 0;
	text("PERFILE2", 8);
	put(104, 8);
	put(144, 8);
	put(120, 8); /* offset of the attributes, which follow the IDs */
	put(288, 8);
	put(0, 32);
	put(1u << 2 | 1u << 9 | 1u << 11 | 1u << 12, 32);
	used = 104;
	put(SPE_ID, 8);
	put(DUMMY_ID, 8);
	put_attr(11, 0x10086 | 0x8000, 104, 1);
	put_attr(1, 0x10006, 112, 1);
	data_at = used;
	put_data(version);
	put_at(40, data_at, 8);
	put_at(48, used - data_at, 8);
	put_features();
}

static uint8_t *guarded; /* end of the memory, at a page that cannot be read */
#define GUARDED_SIZE 8192

static int set_up(void **state)
{
	uint8_t *p = mmap(NULL, GUARDED_SIZE + 4096, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (p == MAP_FAILED || mprotect(p + GUARDED_SIZE, 4096, PROT_NONE) != 0)
		return -1;
	guarded = p + GUARDED_SIZE;
	return 0;
}

static int open_image(struct spemu_perf_file **file, size_t size, uint64_t *where)
{
	memcpy(guarded - size, image, size);
	return spemu_perf_open_memory(file, where, guarded - size, size);
}

#endif
