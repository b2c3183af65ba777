/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "timing/uarch_object.h"
#include "uarch_fixture.h"

#define L1_MISS_EVENTS (EV(L1D_ACCESS) | EV(L1D_REFILL) | EV(L2D_ACCESS))

static void assert_source(struct uarch_result r, enum uarch_source source)
{
	assert_int_equal(r.source, source);
}

static void first_access_comes_from_memory_then_l1(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	struct uarch_result r = load(&m, 0, 0x10000);

	assert_source(r, UARCH_SRC_DRAM);
	assert_int_equal(r.latency, 200);
	assert_int_equal(r.translation_latency, 45); /* second level 5, walk 40 */
	assert_int_equal(r.accesses, 1);
	assert_true(r.events == (L1_MISS_EVENTS | EV(L2D_MISS) | EV(LLC_ACCESS) | EV(LLC_MISS) |
	                         EV(TLB_ACCESS) | EV(TLB_WALK)));
	r = load(&m, 0, 0x10038);
	assert_source(r, UARCH_SRC_L1);
	assert_int_equal(r.latency, 3);
	assert_int_equal(r.translation_latency, 0);
	assert_true(r.events == (EV(L1D_ACCESS) | EV(TLB_ACCESS)));
	machine_stop(&m);
}

/* Load an array, one word of each line, and count the loads that each level supplies. */
static void sweep(struct machine *m, uint64_t base, unsigned lines, unsigned count[])
{
	memset(count, 0, UARCH_SRC_COUNT * sizeof(count[0]));
	for (unsigned i = 0; i < lines; i++)
		count[load(m, 0, base + i * LINE).source]++;
}

static void array_stays_in_the_level_that_holds_it(void **state)
{
	/* In a cyclic sweep with least-recently-used replacement, either all loads hit a level or
	 * none does. */
	static const struct {
		unsigned lines;
		enum uarch_source source;
	} cases[] = {
	        {64, UARCH_SRC_L1},     {80, UARCH_SRC_L2},    {256, UARCH_SRC_L2},
	        {320, UARCH_SRC_LLC},   {1024, UARCH_SRC_LLC}, {1280, UARCH_SRC_DRAM},
	        {4096, UARCH_SRC_DRAM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine m;
		unsigned count[UARCH_SRC_COUNT];

		machine_start(&m, 1);
		sweep(&m, 0x100000, cases[i].lines, count);
		assert_int_equal(count[UARCH_SRC_DRAM], cases[i].lines);
		sweep(&m, 0x100000, cases[i].lines, count);
		sweep(&m, 0x100000, cases[i].lines, count);
		assert_int_equal(count[cases[i].source], cases[i].lines);
		machine_stop(&m);
	}
}

static void unsampled_and_sampled_accesses_change_the_same_state(void **state)
{
	struct machine a, b;
	uint64_t x = 12345;

	(void)state;
	machine_start(&a, 1);
	machine_start(&b, 1);
	for (unsigned i = 0; i < 200000; i++) {
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint64_t addr = (x >> 33) % 0x8000;
		unsigned flags = x >> 62 ? UARCH_LOAD : UARCH_STORE;
		struct uarch_result ra = touch(&a, 0, addr, 8, flags), rb = {0};

		if (i % 7) {
			access_in_steps(b.core[0], NULL, addr, 8, flags);
			continue;
		}
		access_in_steps(b.core[0], &rb, addr, 8, flags);
		assert_memory_equal(&ra, &rb, sizeof(ra));
	}
	machine_stop(&a);
	machine_stop(&b);
}

/* 40 pages of 4 KB do not fit into the TLBs, which have 20 entries. In one page of 2 MB they need
 * one entry. */
static void huge_page_is_walked_once(void **state)
{
	struct uarch_profile p;
	struct machine m;

	(void)state;
	machine_profile(&p);
	assert_int_equal(uarch_set(&p, "page_size", 2 << 20), SPEMU_OK);
	machine_start_with(&m, &p, 4, 1);
	for (unsigned i = 0; i < 80; i++) {
		struct uarch_result r = load(&m, 0, (2u << 20) + i % 40 * PAGE);

		assert_int_equal(r.translation_latency, i ? 0 : 45);
		assert_int_equal(!!(r.events & EV(TLB_WALK)), i == 0);
	}
	assert_true(load(&m, 0, 4u << 20).events & EV(TLB_WALK));
	machine_stop(&m);
}

static void set_holds_its_ways_and_evicts_the_oldest(void **state)
{
	const uint64_t stride = 16 * LINE; /* 16 sets: all lines are in set 0 of L1 */
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	for (unsigned i = 0; i < 4; i++)
		load(&m, 0, i * stride);
	for (unsigned i = 0; i < 4; i++)
		assert_source(load(&m, 0, i * stride), UARCH_SRC_L1);
	load(&m, 0, 0);          /* line 1 is now the oldest */
	load(&m, 0, 4 * stride); /* replaces line 1 */
	assert_source(load(&m, 0, 0), UARCH_SRC_L1);
	assert_source(load(&m, 0, 2 * stride), UARCH_SRC_L1);
	assert_source(load(&m, 0, 3 * stride), UARCH_SRC_L1);
	assert_source(load(&m, 0, 4 * stride), UARCH_SRC_L1);
	assert_source(load(&m, 0, 1 * stride), UARCH_SRC_L2);
	machine_stop(&m);
}

static void top_byte_of_address_is_ignored(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	load(&m, 0, 0x10000);
	assert_source(load(&m, 0, UINT64_C(0xab00000000010000)), UARCH_SRC_L1);
	machine_stop(&m);
}

static void access_across_lines_and_pages_counts_all(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	struct uarch_result r = touch(&m, 0, 0x1ffc, 8, UARCH_LOAD);

	assert_int_equal(r.accesses, 2);
	assert_int_equal(r.latency, 202);
	assert_int_equal(r.translation_latency, 90); /* two page table walks, one after the other */
	assert_true(r.events & EV(MISALIGNED));
	assert_source(load(&m, 0, 0x1fc0), UARCH_SRC_L1);
	assert_source(load(&m, 0, 0x2000), UARCH_SRC_L1);

	/*
	 * Neither a misaligned access within one line nor an access to no more lines than necessary
	 * has the event (D17.6.4.6).
	 */
	assert_false(touch(&m, 0, 0x2001, 4, UARCH_LOAD).events & EV(MISALIGNED));
	r = touch(&m, 0, 0x2000, 128, UARCH_LOAD);
	assert_int_equal(r.accesses, 2);
	assert_false(r.events & EV(MISALIGNED));
	assert_true(touch(&m, 0, 0x2020, 64, UARCH_LOAD).events & EV(MISALIGNED));
	machine_stop(&m);
}

static void tlb_reach_is_its_number_of_entries(void **state)
{
	/* Load one line of each page, in different sets of the caches, so that only the translation
	 * differs. */
	static const struct {
		unsigned pages;
		uint32_t cycles;
		bool walk;
	} cases[] = {{4, 0, false}, {5, 5, false}, {16, 5, false}, {20, 45, true}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct machine m;

		machine_start(&m, 1);
		for (unsigned round = 0; round < 3; round++) {
			for (unsigned i = 0; i < cases[c].pages; i++) {
				struct uarch_result r = load(&m, 0, (uint64_t)i * PAGE + i * LINE);

				if (round == 0)
					continue;
				assert_int_equal(r.translation_latency, cases[c].cycles);
				assert_int_equal(!!(r.events & EV(TLB_WALK)), cases[c].walk);
				assert_true(r.events & EV(TLB_ACCESS));
			}
		}
		machine_stop(&m);
	}
}

static void stores_have_no_load_events(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	assert_true(store(&m, 0, 0x5000).events ==
	            (EV(L1D_ACCESS) | EV(L1D_REFILL) | EV(LLC_ACCESS) | EV(LLC_MISS) |
	             EV(TLB_ACCESS) | EV(TLB_WALK)));
	assert_true(store(&m, 0, 0x5000).events == (EV(L1D_ACCESS) | EV(TLB_ACCESS)));
	/* A line that was read is exclusive. A store makes it modified without a request. */
	load(&m, 0, 0x6000);
	assert_true(store(&m, 0, 0x6000).events == (EV(L1D_ACCESS) | EV(TLB_ACCESS)));
	machine_stop(&m);
}

static void shared_written_line_snoops_modified_data(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	store(&m, 0, 0x8000);
	for (unsigned i = 0; i < 50; i++) {
		unsigned reader = 1 - i % 2;
		/* The two cores use different words of the line (false sharing). */
		struct uarch_result r = load(&m, reader, 0x8000 + 8 * reader);

		assert_source(r, UARCH_SRC_PEER);
		assert_int_equal(r.latency, 70);
		assert_true(r.events & EV(DATA_SNOOPED));
		assert_true(r.events & EV(CACHE_DATA_MODIFIED));
		assert_true(r.events & EV(L1D_REFILL));
		/* Both cores now share the line, so a store requests it from the other core. */
		r = store(&m, reader, 0x8000 + 8 * reader);
		assert_true(r.events & EV(LLC_ACCESS));
		assert_false(r.events & (EV(DATA_SNOOPED) | EV(L1D_REFILL)));
	}
	machine_stop(&m);
}

static void separate_lines_are_never_snooped(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	for (unsigned i = 0; i < 50; i++) {
		unsigned who = i % 2;
		struct uarch_result r = load(&m, who, 0x8000 + who * LINE);

		assert_false(r.events & (EV(DATA_SNOOPED) | EV(CACHE_DATA_MODIFIED)));
		if (i >= 2)
			assert_source(r, UARCH_SRC_L1);
		store(&m, who, 0x8000 + who * LINE);
	}
	machine_stop(&m);
}

static void readers_share_without_snoops(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 3);
	load(&m, 0, 0x8000); /* core 0 has the line exclusive and clean */
	struct uarch_result r = load(&m, 1, 0x8000);

	assert_source(r, UARCH_SRC_PEER);
	assert_true(r.events & EV(DATA_SNOOPED));
	assert_false(r.events & EV(CACHE_DATA_MODIFIED));
	r = load(&m, 2, 0x8000); /* no core owns the line now */
	assert_source(r, UARCH_SRC_LLC);
	assert_false(r.events & EV(DATA_SNOOPED));
	for (unsigned round = 0; round < 3; round++)
		for (unsigned core = 0; core < 3; core++)
			assert_source(load(&m, core, 0x8000), UARCH_SRC_L1);
	/* A store by one core removes the line from the other cores. */
	store(&m, 0, 0x8000);
	assert_source(load(&m, 1, 0x8000), UARCH_SRC_PEER);
	assert_source(load(&m, 2, 0x8000), UARCH_SRC_LLC);
	machine_stop(&m);
}

/* Load four lines of the L2 set that contains line 0. In the last level, only one of them is in the
 * set of line 0. */
static void push_line_0_out_of_l2(struct machine *m, unsigned core, bool keep_in_l1)
{
	for (unsigned i = 1; i <= 4; i++) {
		load(m, core, (uint64_t)i * 64 * LINE);
		if (keep_in_l1 && i < 4)
			assert_source(load(m, core, 0), UARCH_SRC_L1);
	}
}

static void evicted_modified_line_comes_from_last_level(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	store(&m, 0, 0);
	push_line_0_out_of_l2(&m, 0, false);
	struct uarch_result r = load(&m, 1, 0);

	assert_source(r, UARCH_SRC_LLC);
	assert_false(r.events & (EV(DATA_SNOOPED) | EV(LLC_MISS)));
	machine_stop(&m);
}

static void atomic_takes_the_line_from_the_other_core(void **state)
{
	const unsigned both = UARCH_LOAD | UARCH_STORE;
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	touch(&m, 0, 0x8000, 8, both);
	for (unsigned i = 0; i < 10; i++) {
		struct uarch_result r = touch(&m, (i + 1) % 2, 0x8000, 8, both);

		assert_source(r, UARCH_SRC_PEER);
		assert_true(r.events & EV(DATA_SNOOPED));
		assert_true(r.events & EV(CACHE_DATA_MODIFIED));
	}
	machine_stop(&m);
}

static void cores_sharing_a_directory_bit_stay_coherent(void **state)
{
	struct uarch_profile p;
	struct machine m;

	(void)state;
	machine_profile(&p);
	machine_start_with_ids(&m, &p, 192, 3, 64);
	store(&m, 0, 0x8000);
	assert_source(load(&m, 1, 0x8000), UARCH_SRC_PEER);
	assert_source(load(&m, 1, 0x8000), UARCH_SRC_L1);
	store(&m, 2, 0x8000);
	assert_source(load(&m, 0, 0x8000), UARCH_SRC_PEER);
	assert_source(load(&m, 1, 0x8000), UARCH_SRC_LLC);
	store(&m, 1, 0x8000);
	assert_source(load(&m, 0, 0x8000), UARCH_SRC_PEER);
	machine_stop(&m);
}

static void l2_includes_l1(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	load(&m, 0, 0);
	push_line_0_out_of_l2(&m, 0, true);
	assert_source(load(&m, 0, 0), UARCH_SRC_LLC);
	machine_stop(&m);
}

static void last_level_includes_the_others(void **state)
{
	struct uarch_profile p;
	struct machine m;

	(void)state;
	machine_profile(&p);
	p.llc = (struct uarch_level){512, 2, 30}; /* 256 sets */
	machine_start_with(&m, &p, 2, 1);
	/* The three lines are in one set of the last level, which has two ways. The sets of L1 and
	 * L2 have four ways. */
	for (unsigned i = 0; i < 3; i++)
		load(&m, 0, (uint64_t)i * 256 * LINE);
	assert_source(load(&m, 0, 2 * 256 * LINE), UARCH_SRC_L1);
	assert_source(load(&m, 0, 256 * LINE), UARCH_SRC_L1);
	assert_source(load(&m, 0, 0), UARCH_SRC_DRAM);
	machine_stop(&m);
}

static void l2_remembers_lines_modified_in_l1(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	load(&m, 0, 0);  /* exclusive in L1 and L2 */
	store(&m, 0, 0); /* modified in both */
	for (unsigned i = 1; i <= 4; i++)
		/* Evicts line 0 from L1 but not from L2, which has more sets. */
		load(&m, 0, (uint64_t)i * 16 * LINE);
	struct uarch_result r = load(&m, 1, 0);

	assert_source(r, UARCH_SRC_PEER);
	assert_true(r.events & EV(CACHE_DATA_MODIFIED));
	machine_stop(&m);
}

/* A line that was only read remains unmodified when L1 evicts it and refills it from L2. */
static void clean_line_refilled_from_l2_stays_clean(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	load(&m, 0, 0);
	for (unsigned i = 1; i <= 4; i++)
		load(&m, 0, (uint64_t)i * 16 * LINE);
	assert_source(load(&m, 0, 0), UARCH_SRC_L2);
	assert_false(load(&m, 1, 0).events & EV(CACHE_DATA_MODIFIED));
	machine_stop(&m);
}

/* When L1 is filled from L2, another core may already have taken the line from L2, or the right to
 * write the line. L1 then does not get the line. A line that is exclusive in L2 may be modified in
 * L1. */
static void l1_has_no_more_rights_than_l2(void **state)
{
	const uint64_t line = 0x8000 / LINE;

	(void)state;
	for (unsigned l2 = LINE_INVALID; l2 <= LINE_MODIFIED; l2++) {
		for (unsigned l1 = LINE_SHARED; l1 <= LINE_MODIFIED; l1++) {
			bool more = l2 < l1 && l2 != LINE_EXCLUSIVE;
			struct machine m;
			uint32_t index;

			machine_start(&m, 2);
			if (l2 == LINE_MODIFIED)
				store(&m, 0, 0x8000);
			else if (l2 != LINE_INVALID)
				load(&m, 0, 0x8000);
			if (l2 == LINE_SHARED)
				load(&m, 1, 0x8000);
			if (tag_find(&m.core[0]->l1d, line, &index) != LINE_INVALID)
				m.core[0]->l1d.tags[index] = 0;
			assert_int_equal(tag_find(&m.core[0]->l2, line, &index), l2);
			uarch__fill_l1_from_l2(m.core[0], line, (enum line_state)l1, index);
			assert_int_equal(tag_find(&m.core[0]->l1d, line, &index),
			                 more ? LINE_INVALID : l1);
			assert_int_equal(tag_find(&m.core[0]->l2, line, &index), l2);
			machine_stop(&m);
		}
	}
}

/* This does not depend on the number of cores. */
static void line_without_sharers_is_exclusive_again(void **state)
{
	struct uarch_profile p;
	struct machine m;

	(void)state;
	machine_profile(&p);
	machine_start_with_ids(&m, &p, UARCH_MAX_CORES, 2, 1);
	load(&m, 0, 0);
	load(&m, 1, 0);
	push_line_0_out_of_l2(&m, 0, false);
	push_line_0_out_of_l2(&m, 1, false);
	assert_source(load(&m, 0, 0), UARCH_SRC_LLC);
	assert_true(store(&m, 0, 0).events == (EV(L1D_ACCESS) | EV(TLB_ACCESS)));
	machine_stop(&m);
}

static void named_profiles_are_valid_and_modifiable(void **state)
{
	struct uarch_profile p;
	const char *why;

	(void)state;
	for (size_t i = 0; uarch_profile_at(i); i++) {
		const struct uarch_profile *named = uarch_profile_at(i);

		assert_ptr_equal(uarch_profile(named->name), named);
		assert_int_equal(uarch_check(named, &why), SPEMU_OK);
		assert_null(why);
	}
	assert_null(uarch_profile("pentium"));
	assert_null(uarch_profile(NULL));
	p = *uarch_profile("neoverse-n1");
	assert_int_equal(p.l1d.entries * 64, 64 * 1024);
	assert_int_equal(uarch_set(&p, "l2_size", 512 * 1024), SPEMU_OK);
	assert_int_equal(p.l2.entries, 8192);
	assert_int_equal(uarch_set(&p, "page_size", 65536), SPEMU_OK);
	assert_int_equal(p.page_shift, 16);
	assert_int_equal(uarch_set(&p, "dtlb_entries", 20), SPEMU_OK);
	assert_int_equal(uarch_check(&p, NULL), SPEMU_OK);
	assert_int_equal(uarch_set(&p, "page_size", 5000), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_set(&p, "color", 1), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_set(&p, "l1d_size", 48 * 1024), SPEMU_OK); /* 192 sets */
	assert_int_equal(uarch_check(&p, &why), SPEMU_ERR_INVALID);
	assert_string_equal(why, "L1 data cache");
	assert_int_equal(uarch_shared_size(&p, 4), 0);
}

static size_t piece(size_t size)
{
	return (size + 63) / 64 * 64;
}

static size_t cache_size(struct uarch_level level)
{
	return piece(level.entries * 8) + piece(level.entries / level.ways * 8);
}

/*
 * Each table of a core and of the shared memory begins at a multiple of 64 bytes.
 *
 * Tables of a core: a word for each line of a cache, each page of a TLB and each set. L1 has two
 * words for each line and 32 bytes for each set instead. L2 has half a word more for each line.
 * Each store has one word, or two if loads read the store buffer. Each counter of the branch
 * predictor has a byte and each indirect target two words. The prefetcher has an entry for each
 * instruction with a stride, and 256 entries for prefetched lines.
 *
 * Shared tables: a pointer for each core, and two page tables. The last level has two words for
 * each line, and a word and a byte for each set.
 */
static void memory_size_is_the_sum_of_tables(void **state)
{
	struct uarch_profile p;
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		unsigned max_cores = 1 + below(&seed, 100);
		struct machine m;

		machine_profile(&p);
		p.store_entries = 1 + below(&seed, 256);
		p.bimodal_shift = (uint8_t)(4 + below(&seed, 8));
		p.gshare_shift = (uint8_t)(4 + below(&seed, 8));
		p.indirect_shift = (uint8_t)(4 + below(&seed, 8));
		p.dtlb.entries = p.dtlb.ways = 1 + below(&seed, 64);
		p.l1d = (struct uarch_level){3u << below(&seed, 6), 3, 1};
		p.l2 = (struct uarch_level){5u << (5 + below(&seed, 6)), 5, 1};
		p.llc = (struct uarch_level){7u << below(&seed, 8), 7, 1};
		p.l2tlb = (struct uarch_level){coin(&seed) ? 3u << below(&seed, 5) : 0, 3, 1};
		p.stride_entries = (uint8_t)(coin(&seed) ? 1u << below(&seed, 8) : 0);
		p.stream_entries = (uint8_t)(coin(&seed) ? 4 : 0);
		p.forward_cycles = (uint8_t)(coin(&seed) ? 5 : 0);
		machine_start_with(&m, &p, max_cores, 1);
		assert_int_equal(m.shared_size,
		                 piece(sizeof(*m.shared)) + piece(max_cores * sizeof(void *)) +
		                         piece(p.llc.entries / 7) + cache_size(p.llc) +
		                         piece(p.llc.entries * 8) +
		                         piece(2 * sizeof(struct page_table)));
		assert_int_equal(m.core_size,
		                 piece(sizeof(*m.core[0])) + 2 * piece(p.l1d.entries * 8) +
		                         piece(p.l1d.entries) + piece(p.l1d.entries / 3 * 32) +
		                         cache_size(p.l2) + piece(p.l2.entries * 4) +
		                         cache_size(p.l2tlb) +
		                         (p.forward_cycles ? 2 : 1) * piece(p.store_entries * 8) +
		                         piece((size_t)1 << p.bimodal_shift) +
		                         piece((size_t)1 << p.gshare_shift) +
		                         piece((size_t)16 << p.indirect_shift) +
		                         piece(p.stride_entries * sizeof(struct stride_entry)) +
		                         (p.stride_entries || p.stream_entries
		                                  ? piece(256 * sizeof(struct prefetched))
		                                  : 0));
		machine_stop(&m);
	}
}

/* uarch_access() accepts sizes from 1 to 65536 bytes. It treats 0 as 1 and larger sizes as
 * 65536. */
static void access_sizes_are_clamped(void **state)
{
	static const struct {
		uint64_t addr;
		uint32_t size, lines;
	} rows[] = {{63, 0, 1},
	            {63, 1, 1},
	            {63, 2, 2},
	            {0, 65536, 1024},
	            {0, 65537, 1024},
	            {1, 65536, 1025},
	            {0, UINT32_MAX, 1024},
	            {1, 65537, 1025}};
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(touch(&m, 0, rows[i].addr, rows[i].size, UARCH_LOAD).accesses,
		                 rows[i].lines);
	machine_stop(&m);
}

static void invalid_arguments_are_refused(void **state)
{
	struct uarch_profile p;
	struct uarch_core *core;
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	machine_profile(&p);
	size_t size = uarch_core_size(m.shared);
	char *mem = machine_memory(size + 64);

	assert_int_equal(uarch_core_init(&core, mem, size, m.shared, 0), SPEMU_ERR_STATE);
	assert_int_equal(uarch_core_init(&core, mem, size, m.shared, 4), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_core_init(&core, mem, size - 1, m.shared, 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(uarch_core_init(&core, mem + 8, size, m.shared, 1), SPEMU_ERR_INVALID);
	assert_int_equal(uarch_core_init(&core, mem, size, m.shared, 1), SPEMU_OK);
	assert_int_equal(uarch_shared_size(&p, 0), 0);
	assert_int_equal(uarch_shared_size(&p, UARCH_MAX_CORES + 1), 0);
	p.size = 1;
	assert_int_equal(uarch_shared_size(&p, 1), 0);
	assert_int_equal(uarch_shared_init(&(struct uarch_shared *){NULL}, mem, size, &p, 1),
	                 SPEMU_ERR_INVALID);
	free(mem);
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(first_access_comes_from_memory_then_l1),
	        cmocka_unit_test(huge_page_is_walked_once),
	        cmocka_unit_test(array_stays_in_the_level_that_holds_it),
	        cmocka_unit_test(unsampled_and_sampled_accesses_change_the_same_state),
	        cmocka_unit_test(set_holds_its_ways_and_evicts_the_oldest),
	        cmocka_unit_test(top_byte_of_address_is_ignored),
	        cmocka_unit_test(access_across_lines_and_pages_counts_all),
	        cmocka_unit_test(tlb_reach_is_its_number_of_entries),
	        cmocka_unit_test(stores_have_no_load_events),
	        cmocka_unit_test(shared_written_line_snoops_modified_data),
	        cmocka_unit_test(separate_lines_are_never_snooped),
	        cmocka_unit_test(readers_share_without_snoops),
	        cmocka_unit_test(evicted_modified_line_comes_from_last_level),
	        cmocka_unit_test(atomic_takes_the_line_from_the_other_core),
	        cmocka_unit_test(cores_sharing_a_directory_bit_stay_coherent),
	        cmocka_unit_test(l2_includes_l1),
	        cmocka_unit_test(last_level_includes_the_others),
	        cmocka_unit_test(l2_remembers_lines_modified_in_l1),
	        cmocka_unit_test(clean_line_refilled_from_l2_stays_clean),
	        cmocka_unit_test(l1_has_no_more_rights_than_l2),
	        cmocka_unit_test(line_without_sharers_is_exclusive_again),
	        cmocka_unit_test(named_profiles_are_valid_and_modifiable),
	        cmocka_unit_test(memory_size_is_the_sum_of_tables),
	        cmocka_unit_test(access_sizes_are_clamped),
	        cmocka_unit_test(invalid_arguments_are_refused),
	};
	return cmocka_run_group_tests_name("uarch_cache", tests, NULL, NULL);
}
