/* SPDX-License-Identifier: MIT */
/*
 * Test the image of an SPU, member by member. Every possible value of a member is saved and loaded,
 * and an impossible value is refused.
 *
 * Arm ARM: DDI 0487 M.a, D17.7.4, D17.9
 */
#include "spu_fixture.h"
#include "draw.h"
#include "spu/strict_state.h"

static struct spemu_fault a_fault(uint64_t *r)
{
	const uint16_t kinds[] = {SPEMU_FAULT_STAGE1, SPEMU_FAULT_STAGE2, SPEMU_FAULT_GPC,
	                          SPEMU_FAULT_EXTERNAL};

	return (struct spemu_fault){
	        .kind = kinds[below(r, 4)],
	        .fsc = (uint8_t)spemu_fsc(SPEMU_FT_PERMISSION, (int)below(r, 4)),
	        .top_level = coin(r),
	        .assured_only = coin(r),
	        .overlay = coin(r),
	        .dirty_bit = coin(r),
	        .external = coin(r),
	        .written = (uint32_t)prng_next(r),
	};
}

static struct injection an_injection(uint64_t *r)
{
	struct injection i = {.rule = {.size = sizeof(i.rule),
	                               .when = (uint8_t)below(r, 3),
	                               .kind = (uint8_t)below(r, SPEMU_INJECT_COLLISION + 1),
	                               .mss = (uint16_t)prng_next(r),
	                               .mss2 = (uint32_t)prng_next(r) & 0xffffff,
	                               .times = (uint32_t)prng_next(r),
	                               .rate = (uint32_t)prng_next(r) | 1,
	                               .nth = prng_next(r) | 1,
	                               .first = prng_next(r) >> 1,
	                               .last = prng_next(r) | UINT64_C(1) << 63},
	                      .countdown = prng_next(r) | 1,
	                      .happened = prng_next(r)};

	i.rule.fault = a_fault(r);
	return i;
}

static struct collected a_sample(uint64_t *r)
{
	return (struct collected){
	        .in_flight = coin(r),
	        .serial = prng_next(r),
	        .has_context1 = coin(r),
	        .has_context2 = coin(r),
	        .has_timestamp = coin(r),
	        .has_previous_target = coin(r),
	        .at_end = coin(r),
	        .has_physical = coin(r),
	        .streaming = coin(r),
	        .context1 = (uint32_t)prng_next(r),
	        .context2 = (uint32_t)prng_next(r),
	        .pc = prng_next(r),
	        .timestamp = prng_next(r),
	        .previous_target = prng_next(r),
	};
}

static void fill(struct spemu_spu *s, uint64_t *r)
{
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++)
		s->sample[i] = a_sample(r);
	s->next_random = (uint8_t)prng_next(r);
	s->has_previous_target = coin(r);
	s->next_serial = prng_next(r);
	s->previous_target = prng_next(r);
	s->restart_check_due = coin(r);
	s->asynchronous_abort = coin(r);
	s->violations = (uint8_t)below(r, 8);
	s->ended.how = (uint8_t)below(r, ENDED_LOSS + 1);
	s->ended.pointer = prng_next(r);
	s->ended.limit = prng_next(r);
	s->late_fault = coin(r) ? a_fault(r) : (struct spemu_fault){0};
	s->inject_prng = prng_next(r);
	s->injections = below(r, SPEMU_INJECTIONS_MAX + 1);
	for (unsigned i = 0; i < s->injections; i++)
		s->injection[i] = an_injection(r);
}

static struct strict_range a_range(uint64_t *r)
{
	return (struct strict_range){prng_next(r), prng_next(r), (uint8_t)below(r, STAGES)};
}

static void fill_strict(struct spemu_spu *s, uint64_t *r)
{
	struct strict *t = strict_of(s);

	s->observer = &spemu__strict_observer;
	s->diagnosing.has_pc = coin(r);
	t->stop_was_read = coin(r);
	t->syndrome_cleared = coin(r);
	t->buffer_was_on = coin(r);
	t->may_sample = coin(r);
	t->may_restart = coin(r);
	t->overwritten = (uint8_t)below(r, 1 << STRICT_INDIRECT);
	for (unsigned i = 0; i < STAGES; i++)
		t->outstanding[i] = (uint8_t)below(r, BY_ALL + 1);
	t->prng = prng_next(r);
	s->diagnosing.pc = prng_next(r);
	t->pending = below(r, 1u << STRICT_REGISTERS);
	t->unsynchronized = (uint32_t)prng_next(r);
	t->last_syndrome = prng_next(r);
	t->last_pointer = prng_next(r);
	for (unsigned i = 0; i < STRICT_REGISTERS; i++)
		t->direct[i] = prng_next(r) & s->pe->mask[spemu__strict_register[i]];
	for (unsigned i = 0; i < STRICT_INDIRECT; i++)
		t->old[i] = prng_next(r);
	t->queued = below(r, STRICT_QUEUE + 1);
	t->queued_bytes = 0;
	for (unsigned i = 0; i < t->queued; i++) {
		t->queue[i] = (struct held){(uint16_t)(1 + below(r, STRICT_BYTES / STRICT_QUEUE)),
		                            (uint8_t)below(r, STAGES), (uint8_t)below(r, 4),
		                            (uint8_t)below(r, 1 << STRICT_STORES)};
		t->queued_bytes += t->queue[i].size;
	}
	for (unsigned i = 0; i < t->queued_bytes; i++)
		t->bytes[i] = (uint8_t)prng_next(r);
	t->ranges = below(r, STRICT_RANGES + 1);
	for (unsigned i = 0; i < t->ranges; i++)
		t->range[i] = a_range(r);
	t->changes = below(r, STRICT_CHANGES + 1);
	for (unsigned i = 0; i < t->changes; i++)
		t->change[i] = a_range(r);
	t->incomplete_stores = (uint8_t)below(r, 1 << STRICT_STORES);
	t->next_store = (uint8_t)below(r, STRICT_STORES);
	for (unsigned i = 0; i < STRICT_STORES; i++)
		t->store[i] = (struct strict_range){prng_next(r), prng_next(r), STAGE_OPEN};
}

#define SAME(a, b, member) assert_memory_equal(&(a)->member, &(b)->member, sizeof((a)->member))
#define EQUAL(a, b, member) assert_true((a)->member == (b)->member)

static void same_fault(const struct spemu_fault *a, const struct spemu_fault *b)
{
	EQUAL(a, b, kind);
	EQUAL(a, b, fsc);
	EQUAL(a, b, top_level);
	EQUAL(a, b, assured_only);
	EQUAL(a, b, overlay);
	EQUAL(a, b, dirty_bit);
	EQUAL(a, b, external);
	EQUAL(a, b, written);
}

static void same_injection(const struct injection *a, const struct injection *b)
{
	EQUAL(a, b, rule.size);
	EQUAL(a, b, rule.when);
	EQUAL(a, b, rule.kind);
	EQUAL(a, b, rule.mss);
	EQUAL(a, b, rule.mss2);
	EQUAL(a, b, rule.times);
	EQUAL(a, b, rule.nth);
	EQUAL(a, b, rule.first);
	EQUAL(a, b, rule.last);
	EQUAL(a, b, rule.rate);
	same_fault(&a->rule.fault, &b->rule.fault);
	EQUAL(a, b, countdown);
	EQUAL(a, b, happened);
}

static void same_sample(const struct collected *a, const struct collected *b)
{
	EQUAL(a, b, serial);
	EQUAL(a, b, has_context1);
	EQUAL(a, b, has_context2);
	EQUAL(a, b, has_timestamp);
	EQUAL(a, b, has_previous_target);
	EQUAL(a, b, at_end);
	EQUAL(a, b, has_physical);
	EQUAL(a, b, streaming);
	EQUAL(a, b, context1);
	EQUAL(a, b, context2);
	EQUAL(a, b, pc);
	EQUAL(a, b, timestamp);
	EQUAL(a, b, previous_target);
}

static void same(const struct spemu_spu *a, const struct spemu_spu *b)
{
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++) {
		EQUAL(a, b, sample[i].in_flight);
		same_sample(&a->sample[i], &b->sample[i]);
	}
	EQUAL(a, b, next_random);
	EQUAL(a, b, has_previous_target);
	EQUAL(a, b, next_serial);
	EQUAL(a, b, previous_target);
	EQUAL(a, b, restart_check_due);
	EQUAL(a, b, asynchronous_abort);
	EQUAL(a, b, violations);
	EQUAL(a, b, ended.how);
	EQUAL(a, b, ended.pointer);
	EQUAL(a, b, ended.limit);
	same_fault(&a->late_fault, &b->late_fault);
	EQUAL(a, b, inject_prng);
	EQUAL(a, b, injections);
	for (unsigned i = 0; i < a->injections; i++)
		same_injection(&a->injection[i], &b->injection[i]);
}

static void same_range(const struct strict_range *a, const struct strict_range *b)
{
	EQUAL(a, b, address);
	EQUAL(a, b, size);
	EQUAL(a, b, stage);
}

static void same_strict(const struct strict *a, const struct strict *b)
{
	EQUAL(a->spu, b->spu, diagnosing.has_pc);
	EQUAL(a, b, stop_was_read);
	EQUAL(a, b, syndrome_cleared);
	EQUAL(a, b, buffer_was_on);
	EQUAL(a, b, may_sample);
	EQUAL(a, b, may_restart);
	EQUAL(a, b, overwritten);
	SAME(a, b, outstanding);
	EQUAL(a, b, prng);
	EQUAL(a->spu, b->spu, diagnosing.pc);
	EQUAL(a, b, pending);
	EQUAL(a, b, unsynchronized);
	EQUAL(a, b, last_syndrome);
	EQUAL(a, b, last_pointer);
	SAME(a, b, direct);
	SAME(a, b, old);
	EQUAL(a, b, queued);
	EQUAL(a, b, queued_bytes);
	for (unsigned i = 0; i < a->queued; i++) {
		EQUAL(a, b, queue[i].size);
		EQUAL(a, b, queue[i].stage);
		EQUAL(a, b, queue[i].security);
		EQUAL(a, b, queue[i].stores);
	}
	assert_memory_equal(a->bytes, b->bytes, a->queued_bytes);
	EQUAL(a, b, ranges);
	for (unsigned i = 0; i < a->ranges; i++)
		same_range(&a->range[i], &b->range[i]);
	EQUAL(a, b, changes);
	for (unsigned i = 0; i < a->changes; i++)
		same_range(&a->change[i], &b->change[i]);
	EQUAL(a, b, incomplete_stores);
	EQUAL(a, b, next_store);
	for (unsigned i = 0; i < STRICT_STORES; i++)
		same_range(&a->store[i], &b->store[i]);
}

/* Two SPUs and an image. SPU a has everything that can be saved. */
struct pair {
	struct fixture a, b;
	uint8_t image[16384];
};

static struct pair *pair_start(unsigned b_in_flight)
{
	struct pair *p = calloc(1, sizeof(*p));
	struct spemu_spu_config many = {.samples_in_flight = SPEMU_IN_FLIGHT_MAX},
	                        few = {.samples_in_flight = (uint8_t)b_in_flight};

	assert_non_null(p);
	fixture_start(&p->a, "v9.6", &many);
	fixture_start(&p->b, "v9.6", &few);
	return p;
}

static void pair_stop(struct pair *p)
{
	fixture_stop(&p->a);
	fixture_stop(&p->b);
	free(p);
}

/* Save a, and load the image into b. Return the status. */
static int moved(struct pair *p)
{
	assert_int_equal(spemu_spu_save(p->a.spu, p->image, sizeof(p->image)), SPEMU_OK);
	return spemu__state_load(p->b.spu, p->image, sizeof(p->image));
}

static void every_member_is_saved_and_loaded(void **state)
{
	struct pair *p = pair_start(SPEMU_IN_FLIGHT_MAX);
	uint64_t r = 1;

	(void)state;
	for (unsigned n = 0; n < 500; n++) {
		fill(p->a.spu, &r);
		if (n & 1)
			fill_strict(p->a.spu, &r);
		else
			p->a.spu->observer = NULL;
		assert_int_equal(moved(p), SPEMU_OK);
		same(p->a.spu, p->b.spu);
		assert_true(spemu_spu_strict(p->b.spu) == (n & 1));
		if (n & 1)
			same_strict(strict_of(p->a.spu), strict_of(p->b.spu));
		else
			assert_int_equal(strict_of(p->b.spu)->queued | strict_of(p->b.spu)->ranges,
			                 0);
	}
	pair_stop(p);
}

/* Saving writes exactly as many bytes as the save size states. Unused bytes are zeros. */
static void save_writes_exactly_the_image_size(void **state)
{
	struct pair *p = pair_start(SPEMU_IN_FLIGHT_MAX);
	uint8_t other[sizeof(p->image)];
	uint64_t r = 2;

	(void)state;
	for (unsigned strict = 0; strict < 2; strict++) {
		size_t size = spemu_spu_save_size(strict);

		fill(p->a.spu, &r);
		if (strict)
			fill_strict(p->a.spu, &r);
		memset(p->image, 0x55, sizeof(p->image));
		memset(other, 0xaa, sizeof(other));
		assert_int_equal(spemu_spu_save(p->a.spu, p->image, size), SPEMU_OK);
		assert_int_equal(spemu_spu_save(p->a.spu, other, size), SPEMU_OK);
		assert_memory_equal(p->image, other, size);
		for (size_t i = size; i < sizeof(other); i++)
			assert_true(p->image[i] == 0x55 && other[i] == 0xaa);
		assert_memory_equal(p->image, "spemuSPU", 8);
		assert_int_equal(spemu__state_load(p->b.spu, p->image, size), SPEMU_OK);
		assert_int_equal(spemu__state_load(p->b.spu, p->image, size - 1),
		                 SPEMU_ERR_TRUNCATED);
		assert_int_equal(spemu_spu_save(p->a.spu, other, size - 1), SPEMU_ERR_NOSPACE);
	}
	pair_stop(p);
}

/* Old contents of a list are not saved. Entries after the end of the list do not affect the
 * image. */
static void stale_list_entries_are_not_saved(void **state)
{
	struct pair *p = pair_start(SPEMU_IN_FLIGHT_MAX);
	struct strict *t = strict_of(p->a.spu), *other = strict_of(p->b.spu);
	size_t size = spemu_spu_save_size(true);
	uint8_t *image = malloc(size);

	(void)state;
	assert_int_equal(spemu_spu_set_strict(p->a.spu, true, 1), SPEMU_OK);
	assert_int_equal(moved(p), SPEMU_OK);
	for (unsigned n = 0; n < 3; n++) {
		t->ranges = other->ranges = n;
		t->changes = other->changes = n;
		t->queued = other->queued = n;
		t->queued_bytes = other->queued_bytes = n * 64;
		for (unsigned i = 0; i < 3; i++) {
			t->range[i] = t->change[i] = (struct strict_range){~0u, ~0u, STAGE_FORCED};
			t->queue[i] = (struct held){64, STAGE_FORCED, 3, 1};
			if (i >= n)
				continue;
			other->range[i] = t->range[i];
			other->change[i] = t->change[i];
			other->queue[i] = t->queue[i];
		}
		memset(t->bytes, 0x55, sizeof(t->bytes));
		memset(other->bytes, 0x55, n * 64);
		assert_int_equal(spemu_spu_save(p->a.spu, p->image, size), SPEMU_OK);
		assert_int_equal(spemu_spu_save(p->b.spu, image, size), SPEMU_OK);
		assert_memory_equal(p->image, image, size);
	}
	free(image);
	pair_stop(p);
}

/* Save a again, after one member has changed. Return the offset of the byte that changed in the
 * image. */
static size_t difference(struct pair *p)
{
	uint8_t before[sizeof(p->image)];
	size_t at = 0;

	memcpy(before, p->image, sizeof(before));
	assert_int_equal(spemu_spu_save(p->a.spu, p->image, sizeof(p->image)), SPEMU_OK);
	while (at < sizeof(before) && before[at] == p->image[at])
		at++;
	assert_true(at < sizeof(before));
	return at;
}

/* Check that `value` at this offset of a valid image is accepted, and that the next greater value
 * is refused. */
static void most(struct pair *p, size_t at, uint8_t value)
{
	uint8_t before = p->image[at];

	p->image[at] = value;
	assert_int_equal(spemu__state_load(p->b.spu, p->image, sizeof(p->image)), SPEMU_OK);
	p->image[at] = (uint8_t)(value + 1);
	assert_int_equal(spemu__state_load(p->b.spu, p->image, sizeof(p->image)),
	                 SPEMU_ERR_CORRUPT);
	p->image[at] = before;
}

static void impossible_buffer_values_are_refused(void **state)
{
	struct pair *p = pair_start(SPEMU_IN_FLIGHT_MAX);
	struct spemu_spu *s = p->a.spu;
	uint64_t r = 3;

	(void)state;
	assert_int_equal(moved(p), SPEMU_OK);
	s->restart_check_due = !s->restart_check_due;
	most(p, difference(p), 3); /* two flags */
	s->violations ^= 1;
	most(p, difference(p), 7); /* three flags */
	s->ended.how = ENDED_FULL;
	most(p, difference(p), ENDED_LOSS);
	for (unsigned i = 0; i < SPEMU_INJECTIONS_MAX; i++)
		s->injection[i] = an_injection(&r);
	s->injections = SPEMU_INJECTIONS_MAX - 1;
	assert_int_equal(moved(p), SPEMU_OK);
	s->injections++;
	most(p, difference(p), SPEMU_INJECTIONS_MAX);
	s->has_previous_target = !s->has_previous_target;
	most(p, difference(p), 1);
	s->late_fault = (struct spemu_fault){.kind = SPEMU_FAULT_GPC};
	assert_int_equal(moved(p), SPEMU_OK);
	s->late_fault.kind = 0xffff;
	assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
	s->late_fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 0x3f};
	assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
	pair_stop(p);
}

/* Every injection of an image is checked. An injection that counts records must have a count. */
static void impossible_injections_are_refused(void **state)
{
	struct pair *p = pair_start(SPEMU_IN_FLIGHT_MAX);
	struct spemu_spu *s = p->a.spu;
	uint64_t r = 4;

	(void)state;
	for (unsigned i = 0; i < SPEMU_INJECTIONS_MAX; i++)
		s->injection[i] = an_injection(&r);
	s->injections = SPEMU_INJECTIONS_MAX;
	for (unsigned i = 0; i < SPEMU_INJECTIONS_MAX; i++) {
		struct injection before = s->injection[i];

		s->injection[i].rule.kind = SPEMU_INJECT_COLLISION + 1;
		assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
		s->injection[i] = before;
		s->injection[i].rule.when = SPEMU_INJECT_NTH;
		assert_int_equal(moved(p), SPEMU_OK);
		s->injection[i].countdown = 0;
		assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
		s->injection[i].rule.when = SPEMU_INJECT_RATE;
		assert_int_equal(moved(p), SPEMU_OK);
		s->injection[i] = before;
	}
	/* An injection beyond the number of injections is not checked. */
	s->injections--;
	s->injection[s->injections].rule.kind = SPEMU_INJECT_COLLISION + 1;
	assert_int_equal(moved(p), SPEMU_OK);
	pair_stop(p);
}

static void impossible_strict_mode_values_are_refused(void **state)
{
	struct pair *p = pair_start(SPEMU_IN_FLIGHT_MAX);
	struct strict *t = strict_of(p->a.spu);

	(void)state;
	assert_int_equal(spemu_spu_set_strict(p->a.spu, true, 1), SPEMU_OK);
	t->queued = t->ranges = t->changes = 1;
	t->queue[0] = (struct held){64, STAGE_FORCED, 3};
	t->queued_bytes = 64;
	assert_int_equal(moved(p), SPEMU_OK);
	t->stop_was_read = !t->stop_was_read;
	most(p, difference(p), 63); /* six flags */
	t->overwritten ^= 1;
	most(p, difference(p), (1 << STRICT_INDIRECT) - 1);
	for (unsigned i = 0; i < STAGES; i++) {
		t->outstanding[i] ^= 1;
		most(p, difference(p), BY_ALL);
	}
	t->ranges = 2;
	most(p, difference(p), STRICT_RANGES);
	t->changes = 2;
	most(p, difference(p), STRICT_CHANGES);
	t->queue[0].stage = STAGE_OPEN;
	most(p, difference(p), STAGES - 1);
	t->queue[0].security = 0;
	most(p, difference(p), 3);
	t->range[1].stage = 1;
	most(p, difference(p), STAGES - 1);
	t->changes = 0;
	assert_int_equal(moved(p), SPEMU_OK);
	t->ranges = STRICT_RANGES;
	for (unsigned i = 0; i < STRICT_RANGES; i++) {
		t->range[i].stage = STAGES;
		assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
		t->range[i].stage = STAGE_OPEN;
		assert_int_equal(moved(p), SPEMU_OK);
	}
	t->pending = (1u << STRICT_REGISTERS) - 1;
	assert_int_equal(moved(p), SPEMU_OK);
	t->pending++;
	assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
	pair_stop(p);
}

/* A record in the queue has at least 1 byte and at most the maximum. Together the records must fit
 * into the queue. */
static void impossible_record_queues_are_refused(void **state)
{
	struct pair *p = pair_start(SPEMU_IN_FLIGHT_MAX);
	struct strict *t = strict_of(p->a.spu);

	(void)state;
	assert_int_equal(spemu_spu_set_strict(p->a.spu, true, 1), SPEMU_OK);
	t->queued = 2;
	t->queue[0] = t->queue[1] = (struct held){SPEMU_RECORD_MAX, STAGE_OPEN, 0};
	t->queued_bytes = STRICT_BYTES;
	assert_int_equal(moved(p), SPEMU_OK);
	assert_int_equal(strict_of(p->b.spu)->queued_bytes, 2 * SPEMU_RECORD_MAX);
	t->queue[1].size++;
	assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
	t->queue[1].size = 0;
	assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
	t->queue[1].size = 1;
	assert_int_equal(moved(p), SPEMU_OK);
	t->queued = 3;
	t->queue[1].size = SPEMU_RECORD_MAX - 1;
	t->queue[2].size = 1;
	assert_int_equal(moved(p), SPEMU_OK);
	t->queue[2].size = 2; /* one byte too many in total */
	assert_int_equal(moved(p), SPEMU_ERR_CORRUPT);
	t->queued = STRICT_QUEUE;
	for (unsigned i = 0; i < STRICT_QUEUE; i++)
		t->queue[i].size = STRICT_BYTES / STRICT_QUEUE;
	assert_int_equal(moved(p), SPEMU_OK);
	pair_stop(p);
}

/* Samples in slots that the SPU does not have are dropped. */
static void slots_beyond_configuration_are_dropped(void **state)
{
	enum { FEW = 2 };
	struct pair *p = pair_start(FEW);

	(void)state;
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++)
		p->a.spu->sample[i].in_flight = true;
	assert_int_equal(moved(p), SPEMU_OK);
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++)
		assert_true(p->b.spu->sample[i].in_flight == (i < FEW));
	pair_stop(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_member_is_saved_and_loaded),
	        cmocka_unit_test(save_writes_exactly_the_image_size),
	        cmocka_unit_test(stale_list_entries_are_not_saved),
	        cmocka_unit_test(impossible_buffer_values_are_refused),
	        cmocka_unit_test(impossible_injections_are_refused),
	        cmocka_unit_test(impossible_strict_mode_values_are_refused),
	        cmocka_unit_test(impossible_record_queues_are_refused),
	        cmocka_unit_test(slots_beyond_configuration_are_dropped),
	};
	return cmocka_run_group_tests_name("state_image", tests, NULL, NULL);
}
