/* SPDX-License-Identifier: MIT */
/* Test uarch_set() and uarch_parse(), which change a profile by names and numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/status.h>
#include "timing/uarch.h"

/* For each name, the member that uarch_set() changes and the form in which it keeps the value.
 * Sizes are kept as lines. The entries of predictors, line sizes and page sizes are kept as
 * logarithms. */
enum kept { AS_IT_IS, AS_LINES, AS_POWER, AS_BYTE, AS_HALF, AS_HUGE };
#define NAME(name, member, kept)                                          \
	{                                                                 \
		name, offsetof(struct uarch_profile, member),             \
		        sizeof(((struct uarch_profile *)0)->member), kept \
	}
static const struct named {
	const char *name;
	size_t offset, size;
	enum kept kept;
} named[] = {
        NAME("l1d_size", l1d.entries, AS_LINES),
        NAME("l1d_ways", l1d.ways, AS_IT_IS),
        NAME("l1d_cycles", l1d.cycles, AS_IT_IS),
        NAME("l2_size", l2.entries, AS_LINES),
        NAME("l2_ways", l2.ways, AS_IT_IS),
        NAME("l2_cycles", l2.cycles, AS_IT_IS),
        NAME("llc_size", llc.entries, AS_LINES),
        NAME("llc_ways", llc.ways, AS_IT_IS),
        NAME("llc_cycles", llc.cycles, AS_IT_IS),
        NAME("dtlb_entries", dtlb.entries, AS_IT_IS),
        NAME("dtlb_cycles", dtlb.cycles, AS_IT_IS),
        NAME("l2tlb_entries", l2tlb.entries, AS_IT_IS),
        NAME("l2tlb_ways", l2tlb.ways, AS_IT_IS),
        NAME("l2tlb_cycles", l2tlb.cycles, AS_IT_IS),
        NAME("walk_cycles", walk_cycles, AS_IT_IS),
        NAME("store_entries", store_entries, AS_IT_IS),
        NAME("store_cycles", store_cycles, AS_IT_IS),
        NAME("return_entries", ras_entries, AS_BYTE),
        NAME("bimodal_entries", bimodal_shift, AS_POWER),
        NAME("gshare_entries", gshare_shift, AS_POWER),
        NAME("history_bits", history_bits, AS_BYTE),
        NAME("indirect_entries", indirect_shift, AS_POWER),
        NAME("line_size", line_shift, AS_POWER),
        NAME("page_size", page_shift, AS_POWER),
        NAME("peer_cycles", peer_cycles, AS_IT_IS),
        NAME("dram_cycles", dram_cycles, AS_IT_IS),
        NAME("core_mhz", core_mhz, AS_IT_IS),
        NAME("sockets", sockets, AS_BYTE),
        NAME("socket_cores", socket_cores, AS_BYTE),
        NAME("socket_cycles", socket_cycles, AS_HALF),
        NAME("stride_entries", stride_entries, AS_BYTE),
        NAME("stream_entries", stream_entries, AS_BYTE),
        NAME("prefetch_distance", prefetch_distance, AS_BYTE),
        NAME("prefetch_pages", prefetch_pages, AS_BYTE),
        NAME("l2_prefetch_after", l2_prefetch_after, AS_BYTE),
        NAME("l1_prefetch_after", l1_prefetch_after, AS_BYTE),
        NAME("l1_prefetch_distance", l1_prefetch_distance, AS_BYTE),
        NAME("fill_entries", fill_entries, AS_BYTE),
        NAME("window_accesses", window_accesses, AS_BYTE),
        NAME("dispatch_width", dispatch_width, AS_BYTE),
        NAME("l2_gap", l2_gap, AS_BYTE),
        NAME("llc_gap", llc_gap, AS_BYTE),
        NAME("dram_gap", dram_gap, AS_BYTE),
        NAME("forward_cycles", forward_cycles, AS_BYTE),
        NAME("retire_cycles", retire_cycles, AS_BYTE),
        NAME("huge_pages", huge_pages, AS_HUGE),
};
enum { NAMED = sizeof(named) / sizeof(named[0]) };

/* Set the value in a profile by hand. Return false if the member cannot have the value. */
static bool expect(struct uarch_profile *p, const struct named *n, uint64_t value)
{
	const uint64_t most[] = {UINT32_MAX, UINT32_MAX * UINT64_C(64) + 63, 0, 255, 65535, 2};
	uint64_t kept = n->kept == AS_LINES ? value / 64 : value;
	uint32_t large;
	uint16_t half;
	uint8_t small;

	if (n->kept == AS_POWER) {
		for (kept = 0; kept < 64 && UINT64_C(1) << kept != value; kept++)
			continue;
		if (kept == 64)
			return false;
	} else if (value > most[n->kept]) {
		return false;
	}
	large = (uint32_t)kept;
	small = (uint8_t)kept;
	half = (uint16_t)kept;
	memcpy((char *)p + n->offset,
	       n->size == 1   ? (void *)&small
	       : n->size == 2 ? (void *)&half
	                      : (void *)&large,
	       n->size);
	if (n->offset == offsetof(struct uarch_profile, dtlb.entries))
		p->dtlb.ways = large; /* the TLB is fully associative */
	return true;
}

static void every_option_changes_its_member(void **state)
{
	static const uint64_t values[] = {0,
	                                  1,
	                                  2,
	                                  3,
	                                  63,
	                                  64,
	                                  65,
	                                  128,
	                                  200,
	                                  254,
	                                  255,
	                                  256,
	                                  4096,
	                                  65535,
	                                  65536,
	                                  1 << 20,
	                                  UINT32_MAX - 1,
	                                  UINT32_MAX,
	                                  UINT64_C(1) << 32,
	                                  UINT32_MAX * UINT64_C(64) + 63,
	                                  UINT64_C(1) << 38,
	                                  UINT64_C(1) << 63,
	                                  UINT64_MAX};

	(void)state;
	for (unsigned i = 0; i < NAMED; i++) {
		for (unsigned k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			struct uarch_profile p = *uarch_profile("generic"), expected = p;
			bool can = expect(&expected, &named[i], values[k]);

			assert_int_equal(uarch_set(&p, named[i].name, values[k]),
			                 can ? SPEMU_OK : SPEMU_ERR_INVALID);
			assert_memory_equal(&p, &expected, sizeof(p));
		}
	}
	for (size_t i = 0; i < NAMED; i++)
		assert_string_equal(uarch_option_at(i), named[i].name);
	for (size_t i = NAMED; i < NAMED + 5; i++)
		assert_null(uarch_option_at(i));
}

/* uarch_parse() accepts decimal numbers with K or M, and reports the offset of an error in the
 * text. */
static void option_numbers_parse_with_k_and_m(void **state)
{
	static const struct {
		const char *text;
		uint32_t value; /* value of walk_cycles, which was 7 before */
		size_t wrong;   /* offset of the error, if any */
	} rows[] = {
	        {"walk_cycles=0", 0, 0},
	        {"walk_cycles=9", 9, 0},
	        {"walk_cycles=10", 10, 0},
	        {"walk_cycles=1k", 1024, 0},
	        {"walk_cycles=3K", 3072, 0},
	        {"walk_cycles=2M", 2097152, 0},
	        {"walk_cycles=4294967295", UINT32_MAX, 0},
	        {"walk_cycles=4294967296", 7, 12},
	        {"walk_cycles=42949672950", 7, 12},
	        {"walk_cycles=429496729500", 7, 12},
	        {"walk_cycles=4194304K", 7, 12},
	        {"walk_cycles=4194303K", 4194303u << 10, 0},
	        {"walk_cycles=4095M", 4095u << 20, 0},
	        {"walk_cycles=4096M", 7, 12},
	        {"walk_cycles=1m", 7, 12},
	        {"walk_cycles=1KK", 7, 12},
	        {"walk_cycles=:", 7, 12},
	        {"walk_cycles=/", 7, 12},
	        {"walk_cycles=1:", 7, 12},
	        {"walk_cycles=1/", 7, 12},
	        {"walk_cycles=5,", 5, 0},
	        {"walk_cycles=5,walk_cycles=6", 6, 0},
	        {"walk_cycles=5,walk=6", 5, 14},
	        {"walk_cycle=6", 7, 0},
	        {"walk_cycles0=6", 7, 0},
	        {"walk_cycles,6", 7, 0},
	        {"walk_cycles=5,huge_pages=always,walk_cycles=6", 6, 0},
	        {"walk_cycles=5,huge_pages=allways,walk_cycles=6", 5, 25},
	        {"walk_cycles=5,huge_pages=3", 5, 25},
	};
	struct uarch_profile p = *uarch_profile("generic");

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool good = rows[i].value != 7 && !rows[i].wrong;
		size_t offset = 99;

		p.walk_cycles = 7;
		assert_int_equal(uarch_parse(&p, &offset, rows[i].text),
		                 good ? SPEMU_OK : SPEMU_ERR_INVALID);
		assert_int_equal(offset, good ? 0 : rows[i].wrong);
		assert_int_equal(p.walk_cycles, rows[i].value);
		p.walk_cycles = 7;
		assert_int_equal(uarch_parse(&p, NULL, rows[i].text),
		                 good ? SPEMU_OK : SPEMU_ERR_INVALID);
		assert_int_equal(p.walk_cycles, rows[i].value);
	}
	/* A size may have one digit more than UINT32_MAX, because it is kept in lines of 64 bytes.
	 * The next larger number is refused. */
	assert_int_equal(uarch_parse(&p, NULL, "llc_size=42949672959"), SPEMU_OK);
	assert_int_equal(p.llc.entries, 671088639); /* in lines of 64 bytes */
	assert_int_equal(uarch_parse(&p, NULL, "llc_size=42949672960"), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_parse(NULL, NULL, "walk_cycles=1"), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_parse(&p, NULL, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_set(NULL, "walk_cycles", 1), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_set(&p, NULL, 1), SPEMU_ERR_INVALID);
}

static void huge_pages_option_takes_words_or_numbers(void **state)
{
	static const struct {
		const char *text;
		unsigned value; /* expected value; 9 if the text is refused */
	} rows[] = {{"huge_pages=never", UARCH_HUGE_NEVER},
	            {"huge_pages=madvise", UARCH_HUGE_MADVISE},
	            {"huge_pages=always,", UARCH_HUGE_ALWAYS},
	            {"huge_pages=0", UARCH_HUGE_NEVER},
	            {"huge_pages=1", UARCH_HUGE_MADVISE},
	            {"huge_pages=2,l2_cycles=1", UARCH_HUGE_ALWAYS},
	            {"huge_pages=3", 9},
	            {"huge_pages=", 9},
	            {"huge_pages=neve", 9},
	            {"huge_pages=nevers", 9},
	            {"huge_pages=always=", 9},
	            {"huge_pages=Always", 9}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch_profile p = *uarch_profile("neoverse-n1");

		assert_int_equal(p.huge_pages, UARCH_HUGE_MADVISE);
		p.huge_pages = 9;
		assert_int_equal(uarch_check(&p, NULL), SPEMU_ERR_INVALID);
		assert_int_equal(uarch_parse(&p, NULL, rows[i].text),
		                 rows[i].value == 9 ? SPEMU_ERR_INVALID : SPEMU_OK);
		assert_int_equal(p.huge_pages, rows[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_option_changes_its_member),
	        cmocka_unit_test(option_numbers_parse_with_k_and_m),
	        cmocka_unit_test(huge_pages_option_takes_words_or_numbers),
	};
	return cmocka_run_group_tests_name("uarch_option", tests, NULL, NULL);
}
