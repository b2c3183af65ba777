/* SPDX-License-Identifier: MIT */
/* Deterministic random sample records for the codec tests, and a comparison of records. Include
 * this file after cmocka.h. */
#ifndef SPEMU_TESTS_CODEC_RANDOM_H
#define SPEMU_TESTS_CODEC_RANDOM_H

#include <stdint.h>
#include <string.h>
#include <spemu/codec.h>

/* Return the next number of the generator splitmix64. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The bits of spemu_record.present whose members random_record() can fill. */
#define RANDOM_RECORD_MEMBERS                                                \
	(UINT32_C(0x0003ffff) | SPEMU_RECORD_EVENTS | SPEMU_RECORD_OP_TYPE | \
	 SPEMU_RECORD_DATA_SOURCE | SPEMU_RECORD_TIMESTAMP)

/* Fill the members in `present` with random values, some of them of full width. Set the other
 * members to 0, as the decoder does. */
static inline void random_record(struct spemu_record *rec, uint64_t *state, uint32_t present)
{
	memset(rec, 0, sizeof(*rec));
	rec->present = present;
	for (unsigned i = 0; i < 8; i++) {
		if (present & SPEMU_RECORD_ADDR(i))
			rec->addr[i] = random_next(state);
		if (present & SPEMU_RECORD_COUNTER(i))
			rec->counter[i] = (uint16_t)random_next(state);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (present & SPEMU_RECORD_CONTEXT(i))
			rec->context[i] = (uint32_t)random_next(state);
	}
	if (present & SPEMU_RECORD_EVENTS) {
		unsigned size_log2 = random_next(state) % 4;

		rec->events_size = (uint8_t)(1u << size_log2);
		rec->events = random_next(state) >> (64 - (8u << size_log2));
	}
	if (present & SPEMU_RECORD_OP_TYPE) {
		rec->op_class = random_next(state) % 4;
		rec->op_subclass = (uint8_t)random_next(state);
	}
	if (present & SPEMU_RECORD_DATA_SOURCE) {
		rec->data_source_size = (uint8_t)(1 + random_next(state) % 2);
		rec->data_source = (uint16_t)(random_next(state) &
		                              (rec->data_source_size == 2 ? 0xffff : 0xff));
	}
	if (present & SPEMU_RECORD_TIMESTAMP)
		rec->timestamp = random_next(state);
}

/* Assert that two records are equal except for offset and size. */
static inline void assert_same_record(const struct spemu_record *a, const struct spemu_record *b)
{
	assert_int_equal(a->present, b->present);
	assert_memory_equal(a->addr, b->addr, sizeof(a->addr));
	assert_memory_equal(a->counter, b->counter, sizeof(a->counter));
	assert_memory_equal(a->context, b->context, sizeof(a->context));
	assert_true(a->events == b->events);
	assert_true(a->timestamp == b->timestamp);
	assert_int_equal(a->data_source, b->data_source);
	assert_int_equal(a->op_class, b->op_class);
	assert_int_equal(a->op_subclass, b->op_subclass);
	assert_int_equal(a->events_size, b->events_size);
	assert_int_equal(a->data_source_size, b->data_source_size);
}

#endif
