/* SPDX-License-Identifier: MIT */
/* Compare the named profiles with the numbers that docs/reference/machines.md cites. Test the
 * limits of a custom profile, which uarch.h describes for each member. */
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

enum { NUMBERS = 8, PROFILES = 7 };

static double scale(const char *unit)
{
	const struct {
		const char *name;
		double is;
	} units[] = {{"KB", 1024},         {"K", 1024},   {"MB", 1024 * 1024},
	             {"MHz", 1e6},         {"GHz", 1e9},  {" KB", 1024},
	             {" MB", 1024 * 1024}, {" MHz", 1e6}, {" GHz", 1e9}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strncmp(unit, units[i].name, strlen(units[i].name)) == 0)
			return units[i].is;
	}
	return 1;
}

/* Parse the numbers of a table cell: sizes in bytes, frequencies in hertz, or plain numbers. Text
 * in parentheses is a comment. */
static unsigned numbers(uint64_t number[NUMBERS], const char *cell)
{
	unsigned n = 0;

	while (*cell) {
		char *end;

		if (*cell == '(') {
			cell += strcspn(cell, ")");
		} else if (*cell >= '0' && *cell <= '9') {
			double value = strtod(cell, &end);

			assert_true(n < NUMBERS);
			number[n++] = (uint64_t)(value * scale(end) + 0.5);
			cell = end;
		} else {
			cell++;
		}
	}
	return n;
}

/* Find the row of that name. Store the numbers of profile i in number[i], and return how many
 * numbers each profile has. */
static unsigned row_of(uint64_t number[PROFILES][NUMBERS], const char *name)
{
	char line[512], wanted[128];
	unsigned count = 0;
	FILE *in = fopen(SPEMU_ARCH_DIR "/../docs/reference/machines.md", "r");

	assert_non_null(in);
	snprintf(wanted, sizeof(wanted), "| %s |", name);
	while (fgets(line, sizeof(line), in)) {
		char *cell = line + strlen(wanted);

		if (strncmp(line, wanted, strlen(wanted)) != 0)
			continue;
		for (unsigned i = 0; i < PROFILES; i++) {
			char *end = strchr(cell, '|');

			assert_non_null(end);
			*end = 0;
			count = numbers(number[i], cell);
			cell = end + 1;
		}
	}
	fclose(in);
	assert_true(count > 0);
	return count;
}

static const struct uarch_profile *profile(unsigned i)
{
	const char *const names[PROFILES] = {"generic",     "neoverse-n1", "neoverse-v1",
	                                     "neoverse-n2", "neoverse-v2", "ampereone",
	                                     "cortex-a76"};
	const struct uarch_profile *p = uarch_profile(names[i]);

	assert_non_null(p);
	assert_ptr_equal(uarch_profile_at(i), p);
	return p;
}

static void sizes_are_as_documented(void **state)
{
	uint64_t line[PROFILES][NUMBERS], l1[PROFILES][NUMBERS], l2[PROFILES][NUMBERS],
	        llc[PROFILES][NUMBERS], dtlb[PROFILES][NUMBERS], l2tlb[PROFILES][NUMBERS],
	        tables[PROFILES][NUMBERS], stack[PROFILES][NUMBERS], stores[PROFILES][NUMBERS];

	(void)state;
	assert_int_equal(row_of(line, "line, page"), 2);
	assert_int_equal(row_of(l1, "L1 data"), 3);
	assert_int_equal(row_of(l2, "L2"), 3);
	assert_int_equal(row_of(llc, "last level"), 3);
	assert_int_equal(row_of(dtlb, "L1 data TLB"), 1);
	assert_int_equal(row_of(l2tlb, "L2 TLB"), 3);
	assert_int_equal(
	        row_of(tables, "predictor tables (branch, history, indirect), outcomes seen"), 4);
	row_of(stack, "return stack");
	row_of(stores, "store buffer");
	for (unsigned i = 0; i < PROFILES; i++) {
		const struct uarch_profile *p = profile(i);
		const struct {
			const struct uarch_level *level;
			const uint64_t *is;
		} caches[] = {{&p->l1d, l1[i]}, {&p->l2, l2[i]}, {&p->llc, llc[i]}};

		assert_int_equal(1u << p->line_shift, line[i][0]);
		assert_int_equal(1u << p->page_shift, line[i][1]);
		for (unsigned k = 0; k < 3; k++) {
			assert_int_equal((uint64_t)caches[k].level->entries << p->line_shift,
			                 caches[k].is[0]);
			assert_int_equal(caches[k].level->ways, caches[k].is[1]);
			assert_int_equal(caches[k].level->cycles, caches[k].is[2]);
		}
		assert_int_equal(p->dtlb.entries, dtlb[i][0]);
		assert_int_equal(p->dtlb.ways, dtlb[i][0]); /* fully associative */
		assert_int_equal(p->dtlb.cycles, 0);
		assert_int_equal(p->l2tlb.entries, l2tlb[i][0]);
		assert_int_equal(p->l2tlb.ways, l2tlb[i][1]);
		assert_int_equal(p->l2tlb.cycles, l2tlb[i][2]);
		assert_int_equal(1u << p->bimodal_shift, tables[i][0]);
		assert_int_equal(1u << p->gshare_shift, tables[i][1]);
		assert_int_equal(1u << p->indirect_shift, tables[i][2]);
		assert_int_equal(p->history_bits, tables[i][3]);
		assert_int_equal(p->ras_entries, stack[i][0]);
		assert_int_equal(p->store_entries, stores[i][0]);
	}
}

/* In published captures of Neoverse cores, branches that are not taken have a target. Cortex-A76,
 * which does not have SPE, makes the records of Neoverse N1. */
static void neoverse_profiles_record_targets_of_untaken_branches(void **state)
{
	(void)state;
	for (unsigned i = 0; i < PROFILES; i++)
		assert_int_equal(profile(i)->not_taken_target,
		                 strncmp(profile(i)->name, "neoverse-", 9) == 0 ||
		                         strcmp(profile(i)->name, "cortex-a76") == 0);
}

static void times_are_as_documented(void **state)
{
	uint64_t midr[PROFILES][NUMBERS], core[PROFILES][NUMBERS], timer[PROFILES][NUMBERS],
	        bits[PROFILES][NUMBERS], far[5][PROFILES][NUMBERS], integer[PROFILES][NUMBERS],
	        fp[PROFILES][NUMBERS], simd[PROFILES][NUMBERS], issue[PROFILES][NUMBERS];

	(void)state;
	row_of(midr, "MIDR_EL1");
	row_of(core, "core clock");
	row_of(timer, "CNTFRQ_EL0");
	row_of(bits, "sample counters");
	row_of(far[0], "table walk");
	row_of(far[1], "peer core");
	row_of(far[2], "DRAM");
	row_of(far[3], "another socket, added");
	row_of(far[4], "cores of a socket");
	assert_int_equal(row_of(integer, "integer, multiply, divide"), 3);
	assert_int_equal(row_of(fp, "FP, multiply-add, divide"), 3);
	assert_int_equal(row_of(simd, "SIMD integer, barrier"), 2);
	assert_int_equal(row_of(issue, "issue, store, branch, further line"), 4);
	for (unsigned i = 0; i < PROFILES; i++) {
		const struct uarch_profile *p = profile(i);
		const uint64_t is[] = {
		        midr[i][0],    core[i][0] / 1000000, timer[i][0],  bits[i][0],
		        far[0][i][0],  far[1][i][0],         far[2][i][0], integer[i][0],
		        integer[i][1], integer[i][2],        fp[i][0],     fp[i][1],
		        fp[i][2],      simd[i][0],           simd[i][1],   issue[i][0],
		        issue[i][1],   issue[i][2],          issue[i][3],  far[3][i][0],
		        far[4][i][0]};
		const uint64_t has[] = {p->midr,         p->core_mhz,      p->timer_hz,
		                        p->counter_bits, p->walk_cycles,   p->peer_cycles,
		                        p->dram_cycles,  p->int_cycles,    p->mul_cycles,
		                        p->div_cycles,   p->fp_cycles,     p->fma_cycles,
		                        p->fdiv_cycles,  p->simd_cycles,   p->barrier_cycles,
		                        p->issue_cycles, p->store_cycles,  p->branch_cycles,
		                        p->split_cycles, p->socket_cycles, p->socket_cores};

		for (unsigned k = 0; k < sizeof(is) / sizeof(is[0]); k++)
			assert_int_equal(has[k], is[k]);
	}
	assert_null(uarch_profile_at(PROFILES));
}

static void overlap_is_as_documented(void **state)
{
	uint64_t numbers[PROFILES][NUMBERS], fills[PROFILES][NUMBERS], forward[PROFILES][NUMBERS];

	(void)state;
	assert_int_equal(
	        row_of(numbers, "prefetchers: strides, streams, distance, out of the page"), 4);
	row_of(fills, "line fill buffers");
	assert_int_equal(row_of(forward, "forwarded from a store, a store stays"), 2);
	for (unsigned i = 0; i < PROFILES; i++) {
		assert_int_equal(profile(i)->stride_entries, numbers[i][0]);
		assert_int_equal(profile(i)->stream_entries, numbers[i][1]);
		assert_int_equal(profile(i)->prefetch_distance, numbers[i][2]);
		assert_int_equal(profile(i)->prefetch_pages, numbers[i][3]);
		assert_int_equal(profile(i)->fill_entries, fills[i][0]);
		assert_int_equal(profile(i)->forward_cycles, forward[i][0]);
		assert_int_equal(profile(i)->retire_cycles, forward[i][1]);
	}
}

static void data_sources_are_those_of_the_core(void **state)
{
	/* ARM_SPE_COMMON_DS_* of Linux: L1D, L2, PEER_CORE, SYS_CACHE, DRAM, REMOTE. */
	static const uint16_t common[] = {0x0, 0x8, 0x9, 0xb, 0xe, 0xd};
	/* ARM_SPE_AMPEREONE_* of Linux: L1D, L2D, LOCAL_CHIP_CACHE_OR_DEVICE, SLC, DDR,
	 * REMOTE_CHIP_CACHE. */
	static const uint16_t ampereone[] = {0x8, 0x9, 0x0, 0x3, 0x7, 0x5};

	(void)state;
	for (unsigned i = 0; i < PROFILES; i++) {
		const struct uarch_profile *p = profile(i);
		const uint16_t *is = strcmp(p->name, "ampereone") == 0 ? ampereone : common;

		assert_int_equal(p->data_source[UARCH_SRC_L1], is[0]);
		assert_int_equal(p->data_source[UARCH_SRC_L2], is[1]);
		assert_int_equal(p->data_source[UARCH_SRC_PEER], is[2]);
		assert_int_equal(p->data_source[UARCH_SRC_LLC], is[3]);
		assert_int_equal(p->data_source[UARCH_SRC_DRAM], is[4]);
		assert_int_equal(p->remote_source, is[5]);
		assert_int_equal(p->sockets, 0);
	}
}

/* A member of the profile with its minimum and its maximum. */
struct range {
	size_t offset, size;
	uint64_t least, most;
	const char *why;
};

#define RANGE(member, least, most, why)                                               \
	{                                                                             \
		offsetof(struct uarch_profile, member),                               \
		        sizeof(((struct uarch_profile *)0)->member), least, most, why \
	}

static const char *refused(const struct range *r, uint64_t value)
{
	struct uarch_profile p = *uarch_profile("generic");
	uint8_t small = (uint8_t)value;
	uint32_t large = (uint32_t)value;
	const char *why = "not set";
	int status;

	p.l2.ways = p.llc.ways = p.l1d.ways = 1; /* allows any power of two of entries */
	memcpy((char *)&p + r->offset, r->size == 1 ? (void *)&small : (void *)&large, r->size);
	if (r->offset == offsetof(struct uarch_profile, dtlb.entries))
		p.dtlb.ways = large;
	status = uarch_check(&p, &why);
	assert_int_equal(status, why ? SPEMU_ERR_INVALID : SPEMU_OK);
	assert_int_equal(uarch_check(&p, NULL), status);
	return why;
}

static void profile_members_are_bounded(void **state)
{
	const struct range ranges[] = {
	        RANGE(line_shift, 4, 8, "line size"),
	        RANGE(page_shift, 12, 30, "page size"),
	        RANGE(ras_entries, 1, 64, "return stack"),
	        RANGE(bimodal_shift, 4, 20, "branch predictor"),
	        RANGE(gshare_shift, 4, 20, "branch predictor"),
	        RANGE(history_bits, 1, 32, "branch predictor"),
	        RANGE(indirect_shift, 4, 16, "branch predictor"),
	        RANGE(store_entries, 1, 256, "store buffer"),
	        RANGE(dtlb.entries, 1, 64, "L1 data TLB"),
	        RANGE(huge_pages, 0, 2, "huge pages"),
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct range *r = &ranges[i];

		assert_null(refused(r, r->least));
		assert_null(refused(r, r->most));
		assert_string_equal(refused(r, r->least - 1), r->why);
		assert_string_equal(refused(r, r->most + 1), r->why);
	}
}

static void every_socket_needs_a_core(void **state)
{
	struct uarch_profile p = *uarch_profile("generic");
	const char *why;

	(void)state;
	for (unsigned i = 0; i < 65536; i++) {
		bool good;

		p.sockets = (uint8_t)i;
		p.socket_cores = (uint8_t)(i >> 8);
		good = p.sockets <= 1 || (p.sockets <= 8 && p.socket_cores >= 1);
		assert_int_equal(uarch_check(&p, &why), good ? SPEMU_OK : SPEMU_ERR_INVALID);
		if (!good)
			assert_string_equal(why, "sockets");
	}
}

static void prefetchers_are_bounded(void **state)
{
	(void)state;
	for (unsigned strides = 0; strides < 256; strides++) {
		for (unsigned streams = 0; streams < 256; streams++) {
			struct uarch_profile p = *uarch_profile("generic");
			bool any = strides || streams;
			bool known = (strides & (strides - 1)) == 0 &&
			             (streams & (streams - 1)) == 0 && streams <= 64;
			const char *why;

			p.stride_entries = (uint8_t)strides;
			p.stream_entries = (uint8_t)streams;
			for (unsigned distance = 0; distance < 70; distance++) {
				bool far = distance < 1 || distance > 64;

				p.prefetch_distance = (uint8_t)distance;
				p.prefetch_pages = (uint8_t)(distance % 3);
				uarch_check(&p, &why);
				assert_int_equal(!why, !any || (known && !far));
			}
			p.prefetch_distance = 1;
			p.prefetch_pages = 3;
			uarch_check(&p, &why);
			assert_int_equal(!why, !any);
			p.prefetch_pages = 2;
			p.l1_prefetch_distance = 64;
			uarch_check(&p, &why);
			assert_int_equal(!why, !any || known);
			p.l1_prefetch_distance = 65;
			uarch_check(&p, &why);
			assert_int_equal(!why, !any);
			p.l1_prefetch_distance = 1;
			p.l1d = (struct uarch_level){1, 1, 3}; /* no room for the prefetched line */
			uarch_check(&p, &why);
			assert_int_equal(!why, !any);
			p.l1d.entries = 2;
			uarch_check(&p, &why);
			assert_int_equal(!why, !any || known);
		}
	}
}

static void fill_buffers_are_bounded(void **state)
{
	struct uarch_profile p = *uarch_profile("generic");
	const char *why;

	(void)state;
	for (unsigned i = 0; i < 256; i++) {
		p.fill_entries = (uint8_t)i;
		assert_int_equal(uarch_check(&p, &why), i <= 64 ? SPEMU_OK : SPEMU_ERR_INVALID);
		if (i > 64)
			assert_string_equal(why, "line fill buffers");
	}
}

static const char *refused_level(size_t offset, struct uarch_level level)
{
	struct uarch_profile p = *uarch_profile("generic");
	const char *why;

	memcpy((char *)&p + offset, &level, sizeof(level));
	uarch_check(&p, &why);
	return why;
}

static void ways_and_sets_of_levels_are_checked(void **state)
{
	const struct {
		size_t offset;
		const char *why;

	} levels[] = {
	        {offsetof(struct uarch_profile, l1d), "L1 data cache"},
	        {offsetof(struct uarch_profile, l2), "L2 cache"},
	        {offsetof(struct uarch_profile, llc), "last level cache"},
	        {offsetof(struct uarch_profile, l2tlb), "L2 TLB"},
	};
	struct uarch_profile p = *uarch_profile("generic");

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		size_t at = levels[i].offset;
		const char *why = levels[i].why;

		assert_null(refused_level(at, (struct uarch_level){4096, 1, 4}));
		assert_null(refused_level(at, (struct uarch_level){4096, 16, 4}));
		assert_null(refused_level(at, (struct uarch_level){1024 * 5, 5, 4}));
		assert_string_equal(refused_level(at, (struct uarch_level){4096, 0, 4}), why);
		assert_string_equal(refused_level(at, (struct uarch_level){256 * 17, 17, 4}), why);
		assert_string_equal(refused_level(at, (struct uarch_level){4095, 2, 4}), why);
		assert_string_equal(refused_level(at, (struct uarch_level){3 * 2048, 2, 4}), why);
		assert_string_equal(refused_level(at, (struct uarch_level){1u << 27, 1, 4}), why);
	}
	/* Levels other than L2 may have a single entry. L2 must not have fewer entries than L1.
	 * 2^26 entries are the maximum. */
	assert_null(refused_level(levels[0].offset, (struct uarch_level){1, 1, 4}));
	assert_null(refused_level(levels[2].offset, (struct uarch_level){1, 1, 4}));
	assert_null(refused_level(levels[3].offset, (struct uarch_level){1, 1, 4}));
	for (unsigned i = 1; i < 4; i++) {
		assert_null(refused_level(levels[i].offset, (struct uarch_level){1u << 26, 1, 4}));
		assert_string_equal(
		        refused_level(levels[i].offset, (struct uarch_level){5u << 24, 5, 4}),
		        levels[i].why);
	}
	/* Only the L2 TLB may be absent. */
	assert_null(refused_level(levels[3].offset, (struct uarch_level){0, 0, 0}));
	assert_string_equal(refused_level(levels[2].offset, (struct uarch_level){0, 1, 0}),
	                    "last level cache");
	/* L2 must have at least as many lines as L1. */
	p.l2 = (struct uarch_level){p.l1d.entries, 4, 12};
	assert_int_equal(uarch_check(&p, NULL), SPEMU_OK);
	p.l2.entries /= 2;
	assert_int_equal(uarch_check(&p, NULL), SPEMU_ERR_INVALID);
	p = *uarch_profile("generic");
	p.dtlb.ways = p.dtlb.entries / 2;
	assert_int_equal(uarch_check(&p, NULL), SPEMU_ERR_INVALID);
}

static void clocks_and_counter_sizes_are_checked(void **state)
{
	struct uarch_profile p = *uarch_profile("generic");
	const char *why;

	(void)state;
	for (unsigned bits = 0; bits < 32; bits++) {
		p.counter_bits = (uint8_t)bits;
		assert_int_equal(uarch_check(&p, &why),
		                 bits == 12 || bits == 16 ? SPEMU_OK : SPEMU_ERR_INVALID);
		if (why)
			assert_string_equal(why, "counter size");
	}
	p = *uarch_profile("generic");
	p.core_mhz = 0;
	uarch_check(&p, &why);
	assert_string_equal(why, "frequency");
	p = *uarch_profile("generic");
	p.timer_hz = 0;
	uarch_check(&p, &why);
	assert_string_equal(why, "frequency");
	p.timer_hz = p.core_mhz = 1;
	assert_int_equal(uarch_check(&p, &why), SPEMU_OK);
	p.size = 1;
	uarch_check(&p, &why);
	assert_string_equal(why, "size of the profile");
	/* In a profile of this size, all members after `size` are 0, so the lines have one byte. */
	p.size = sizeof(p.size);
	uarch_check(&p, &why);
	assert_string_equal(why, "line size");
	p.size--;
	uarch_check(&p, &why);
	assert_string_equal(why, "size of the profile");
	/* The profile of an older caller has no store buffer, whatever follows it in memory. */
	p = *uarch_profile("generic");
	p.size = offsetof(struct uarch_profile, store_entries);
	uarch_check(&p, &why);
	assert_string_equal(why, "store buffer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sizes_are_as_documented),
	        cmocka_unit_test(neoverse_profiles_record_targets_of_untaken_branches),
	        cmocka_unit_test(times_are_as_documented),
	        cmocka_unit_test(overlap_is_as_documented),
	        cmocka_unit_test(data_sources_are_those_of_the_core),
	        cmocka_unit_test(profile_members_are_bounded),
	        cmocka_unit_test(ways_and_sets_of_levels_are_checked),
	        cmocka_unit_test(every_socket_needs_a_core),
	        cmocka_unit_test(prefetchers_are_bounded),
	        cmocka_unit_test(fill_buffers_are_bounded),
	        cmocka_unit_test(clocks_and_counter_sizes_are_checked),
	};
	return cmocka_run_group_tests_name("uarch_profile", tests, NULL, NULL);
}
