/* SPDX-License-Identifier: MIT */
/*
 * Test what strict mode remembers about memory: bytes that were written and that no DSB has
 * completed, and translations that changed.
 *
 * Arm ARM: DDI 0487 M.a, D17.9 (IPDDCL, IWZSLB: what software has to synchronize)
 */
#include "strict_fixture.h"
#include "spu/strict_state.h"

#define FEATURES "v8.7" EL1_ONLY
#define LIMIT (BUFFER_BASE + BUFFER_SIZE)
#define AT (BUFFER_BASE + 0x1000)

static void written(struct strict_fixture *m, uint64_t address, uint16_t size, unsigned stage)
{
	const struct held record = {.size = size, .stage = (uint8_t)stage};

	spemu__strict_written(strict_of(m->f.spu), &record, address);
}

/* Records that follow each other become one range, unless they are at different stages on their way
 * to memory. */
static void adjacent_records_merge_into_one_range(void **state)
{
	struct strict_fixture m;
	const struct strict *s;

	(void)state;
	strict_start(&m, FEATURES, 1, false);
	s = strict_of(m.f.spu);
	written(&m, AT, 64, STAGE_OPEN);
	written(&m, AT + 64, 32, STAGE_OPEN);
	assert_int_equal(s->ranges, 1);
	assert_true(s->range[0].address == AT && s->range[0].size == 96);
	written(&m, AT + 96, 64, STAGE_ORDERED);
	assert_int_equal(s->ranges, 2);
	assert_true(s->range[1].address == AT + 96 && s->range[1].size == 64);
	assert_int_equal(s->range[1].stage, STAGE_ORDERED);
	written(&m, AT + 161, 8, STAGE_ORDERED); /* one byte lies between the two */
	assert_int_equal(s->ranges, 3);
	strict_stop(&m);
}

static void oldest_range_is_forgotten(void **state)
{
	struct strict_fixture m;
	const struct strict *s;

	(void)state;
	strict_start(&m, FEATURES, 1, false);
	s = strict_of(m.f.spu);
	for (unsigned n = 0; n < STRICT_RANGES + 3; n++) {
		written(&m, AT + n * 0x100, 64, n % STAGES);
		assert_int_equal(s->ranges, n < STRICT_RANGES ? n + 1 : STRICT_RANGES);
	}
	for (unsigned i = 0; i < STRICT_RANGES; i++) {
		assert_true(s->range[i].address == AT + (i + 3) * 0x100);
		assert_int_equal(s->range[i].size, 64);
		assert_int_equal(s->range[i].stage, (i + 3) % STAGES);
	}
	strict_stop(&m);
}

/* A record is reported if its memory had a change of translation without maintenance since. A
 * change next to the record is not reported. */
static void record_over_unmaintained_change_is_reported(void **state)
{
	static const struct {
		int64_t from;
		uint64_t size;
		bool stale; /* expected for a record of 64 bytes at AT */
	} rows[] = {{-1, 1, false}, {-1, 2, true},  {0, 1, true},     {63, 1, true},
	            {64, 1, false}, {64, 9, false}, {-64, 64, false}, {-64, 65, true}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, 1, false);
		strict_program(&m, AT, LIMIT);
		strict_sample(&m, 0x1000);
		spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED,
		                        AT + (uint64_t)rows[i].from, rows[i].size);
		strict_drain(&m);
		assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 1);
		assert_int_equal(reported(&m, "buffer-translation-stale"), rows[i].stale);
		strict_stop(&m);
	}
}

static bool meet(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	uint64_t begin = a > b ? a : b, end = a + a_size < b + b_size ? a + a_size : b + b_size;

	return begin < end;
}

/* A read is reported if it includes memory to which a record was written or will be written. */
static void read_of_pending_record_is_reported(void **state)
{
	const uint64_t places[] = {0, 1, 63, 64, 65, 127, 128, 129, 200};

	(void)state;
	for (unsigned queued = 0; queued < 2; queued++)
		for (unsigned i = 0; i < 9; i++)
			for (unsigned size = 1; size < 140; size += i ? 1 : 7) {
				struct strict_fixture m;
				uint64_t from = AT + places[i];

				strict_start(&m, FEATURES, 1, false);
				if (queued) { /* 64 bytes are still to be written */
					set(&m.f, SPEMU_REG_PMBPTR_EL1, AT + 64);
					strict_of(m.f.spu)->queued = 1;
					strict_of(m.f.spu)->queued_bytes = 64;
					strict_of(m.f.spu)->queue[0].size = 64;
				} else {
					written(&m, AT + 64, 64, STAGE_FORCED);
				}
				spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_READS, from, size);
				assert_int_equal(reported(&m, "buffer-read-unsynchronized"),
				                 meet(from, size, AT + 64, 64));
				strict_stop(&m);
			}
}

/* If there are more changes than strict mode remembers, it forgets the oldest. It also forgets a
 * change after maintenance of the whole range. */
static void oldest_translation_change_is_forgotten(void **state)
{
	struct strict_fixture m;
	const struct strict *s;

	(void)state;
	strict_start(&m, FEATURES, 1, false);
	s = strict_of(m.f.spu);
	for (unsigned n = 0; n < STRICT_CHANGES + 2; n++)
		spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED, AT + n * 0x10000,
		                        0x1000 * (n + 1));
	assert_int_equal(s->changes, STRICT_CHANGES);
	for (unsigned i = 0; i < STRICT_CHANGES; i++) {
		assert_true(s->change[i].address == AT + (i + 2) * 0x10000);
		assert_true(s->change[i].size == 0x1000 * (i + 3));
	}
	/* The maintenance begins a byte too late, ends a byte too early, and then covers the range
	 * exactly. */
	spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_MAINTAINED, AT + 0x30001, 0x4000);
	spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_MAINTAINED, AT + 0x30000, 0x4000 - 1);
	assert_int_equal(s->changes, STRICT_CHANGES);
	spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_MAINTAINED, AT + 0x30000, 0x4000);
	assert_int_equal(s->changes, STRICT_CHANGES - 1);
	assert_true(s->change[0].address == AT + 0x20000 && s->change[1].address == AT + 0x40000);
	/* The maintenance covers more than one change. */
	spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_MAINTAINED, AT + 0x3ffff, 0x20000);
	assert_int_equal(s->changes, 1);
	assert_true(s->change[0].address == AT + 0x20000);
	spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_MAINTAINED, 0, UINT64_MAX);
	assert_int_equal(s->changes, 0);
	strict_stop(&m);
}

/* While the buffer is in use, a change is reported if it affects the unused part of the buffer. */
static void translation_change_of_buffer_in_use_is_reported(void **state)
{
	const uint64_t from[] = {BUFFER_BASE - 0x1000, BUFFER_BASE, AT - 1, AT, LIMIT - 1, LIMIT};

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		for (unsigned k = 0; k < 3; k++) {
			const uint64_t sizes[] = {1, 0x1000, 0x2000}, size = sizes[k];
			struct strict_fixture m;

			strict_start(&m, FEATURES, 1, false);
			set(&m.f, SPEMU_REG_PMBPTR_EL1, AT);
			spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED, from[i], size);
			assert_false(reported(&m, "buffer-translation-changed"));
			set(&m.f, SPEMU_REG_PMBLIMITR_EL1, LIMIT | 1);
			spemu_spu_report_memory(m.f.spu, SPEMU_TRANSLATION_CHANGED, from[i], size);
			assert_int_equal(reported(&m, "buffer-translation-changed"),
			                 meet(from[i], size, AT, LIMIT - AT));
			strict_stop(&m);
		}
}

/* INRNSL: a record over a store is reported, unless a DSB came after the store and before the
 * operation of the record finished. */
static void inrnsl_record_over_store_without_dsb_is_reported(void **state)
{
	enum { NO_DSB, DSB_ST, DSB_ALL, DSB_LATE };
	const uint64_t places[] = {0, 1, 63, 64, 65, 127, 128, 129, 200};

	(void)state;
	for (unsigned i = 0; i < 9; i++)
		for (unsigned size = 1; size < 140; size += 23)
			for (unsigned dsb = NO_DSB; dsb <= DSB_LATE; dsb++) {
				struct strict_fixture m;
				uint64_t from = AT + places[i];

				strict_start(&m, FEATURES, i, false);
				strict_program(&m, AT + 64, LIMIT);
				spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_WRITES, from, size);
				if (dsb == DSB_ST)
					spemu_spu_dsb_st(m.f.spu);
				if (dsb == DSB_ALL)
					DSB(&m);
				assert_true(strict_sample(&m, 0x1000) >= 0);
				if (dsb == DSB_LATE)
					DSB(&m);
				strict_drain(&m);
				assert_int_equal(m.done[SPEMU_SAMPLE_RECORDED], 1);
				assert_int_equal(reported(&m, "buffer-written-unsynchronized"),
				                 meet(from, size, AT + 64, 64) &&
				                         (dsb == NO_DSB || dsb == DSB_LATE));
				strict_stop(&m);
			}
}

/* A store is reported if a pending record was written there or will be written there, and no DSB
 * has completed the record. */
static void store_over_pending_record_is_reported(void **state)
{
	const uint64_t places[] = {0, 1, 63, 64, 65, 127, 128, 129, 200};

	(void)state;
	for (unsigned queued = 0; queued < 2; queued++)
		for (unsigned i = 0; i < 9; i++)
			for (unsigned size = 1; size < 140; size += 3) {
				struct strict_fixture m;

				strict_start(&m, FEATURES, 1, false);
				if (queued) {
					set(&m.f, SPEMU_REG_PMBPTR_EL1, AT + 64);
					strict_of(m.f.spu)->queued = 1;
					strict_of(m.f.spu)->queued_bytes = 64;
					strict_of(m.f.spu)->queue[0].size = 64;
				} else {
					written(&m, AT + 64, 64, STAGE_FORCED);
				}
				spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_WRITES,
				                        AT + places[i], size);
				assert_int_equal(reported(&m, "buffer-written-unsynchronized"),
				                 meet(AT + places[i], size, AT + 64, 64));
				strict_stop(&m);
			}
}

/* Strict mode remembers four stores. A store that continues at the end of the latest one becomes a
 * part of it. A fifth store replaces the oldest, also for a record that is waiting. In plain mode,
 * and for 0 bytes, nothing is remembered. */
static void four_latest_stores_are_remembered(void **state)
{
	(void)state;
	for (unsigned stores = 1; stores <= STRICT_STORES + 1; stores++)
		for (unsigned sampled = 0; sampled < 2; sampled++) {
			bool first_is_forgotten = stores > STRICT_STORES;
			struct strict_fixture m;

			strict_start(&m, FEATURES, 3, false);
			strict_program(&m, AT, LIMIT);
			spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_WRITES, AT - 64, 64);
			spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_WRITES, AT, 1);
			for (unsigned n = 1; n < stores; n++) {
				if (sampled && n == STRICT_STORES) {
					struct held waits = {.size = 64, .stores = 0xf};

					strict_of(m.f.spu)->queue[0] = waits;
					strict_of(m.f.spu)->queued = 1;
				}
				spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_WRITES,
				                        LIMIT + n * 0x1000, 0x1000 - 1);
			}
			if (sampled && first_is_forgotten)
				assert_int_equal(strict_of(m.f.spu)->queue[0].stores, 0xe);
			strict_of(m.f.spu)->queued = 0;
			assert_true(strict_sample(&m, 0x1000) >= 0);
			strict_drain(&m);
			assert_int_equal(reported(&m, "buffer-written-unsynchronized"),
			                 !first_is_forgotten);
			strict_stop(&m);
		}
	for (unsigned plain = 0; plain < 2; plain++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, 3, plain);
		strict_program(&m, AT, LIMIT);
		spemu_spu_report_memory(m.f.spu, SPEMU_SOFTWARE_WRITES, AT, plain ? 64 : 0);
		assert_int_equal(strict_of(m.f.spu)->incomplete_stores, 0);
		strict_stop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(adjacent_records_merge_into_one_range),
	        cmocka_unit_test(oldest_range_is_forgotten),
	        cmocka_unit_test(read_of_pending_record_is_reported),
	        cmocka_unit_test(oldest_translation_change_is_forgotten),
	        cmocka_unit_test(record_over_unmaintained_change_is_reported),
	        cmocka_unit_test(translation_change_of_buffer_in_use_is_reported),
	        cmocka_unit_test(inrnsl_record_over_store_without_dsb_is_reported),
	        cmocka_unit_test(store_over_pending_record_is_reported),
	        cmocka_unit_test(four_latest_stores_are_remembered),
	};
	return cmocka_run_group_tests_name("strict_range", tests, NULL, NULL);
}
