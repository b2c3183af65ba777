/* SPDX-License-Identifier: MIT */
/* Properties of the whole object: cached decisions are the folded ones; save and load. */
#include "spu_fixture.h"
#include "spu/spu.h"

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Something that software or the PE does, at random. Returns false if it was a sample. */
static void random_step(struct fixture *f, uint64_t *r)
{
	struct spemu_access_result result;
	struct spemu_pe_state pe = {0};
	uint64_t left = spemu_ops_until_sample(f->spu);
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	switch (next(r) % 6) {
	case 0:
		set(f, (enum spemu_reg)(next(r) % SPEMU_REG_COUNT), next(r));
		break;
	case 1: /* sensible values, so that profiling is on now and then */
		program(f, (unsigned)(next(r) % 3) + 1);
		set(f, SPEMU_REG_SCR_EL3, 1 | (next(r) & 1) << 18);
		set(f, SPEMU_REG_MDCR_EL3, 3 << 12);
		set(f, SPEMU_REG_MDCR_EL2, (next(r) & 3) << 12);
		set(f, SPEMU_REG_HCR_EL2, (next(r) & 1) << 27 | (next(r) & 1) << 34);
		set(f, SPEMU_REG_PMSCR_EL1, next(r) & 0x3b);
		break;
	case 2:
		pe.el = (uint8_t)(next(r) % 4);
		pe.debug = next(r) % 8 == 0;
		pe.aarch32 = next(r) % 8 == 0 && pe.el < 2;
		spemu_pe_set(f->spu, &pe);
		break;
	case 3:
		spemu_msr(f->spu, &result, SPEMU_SYSREG_PMBLIMITR_EL1,
		          (BUFFER_BASE + BUFFER_SIZE) | (next(r) & 1));
		break;
	case 4:
		if (left != UINT64_MAX && left > 1)
			assert_int_equal(spemu_ops(f->spu, 1 + next(r) % (left - 1)), SPEMU_OK);
		break;
	default:
		if (left != UINT64_MAX && left < 100000 &&
		    spemu__spu_owner(&f->spu->pe).security == SPEMU_SS_NON_SECURE &&
		    f->spu->pe.reg[SPEMU_REG_PMBPTR_EL1] - BUFFER_BASE < BUFFER_SIZE / 2 &&
		    REG_FIELD(&f->spu->pe, PMBLIMITR_EL1, LIMIT) << 12 == BUFFER_BASE + BUFFER_SIZE)
			sample(f, &op);
		break;
	}
}

static void cached_is_folded(void **state)
{
	const char *const sets[] = {("v8.2" EL1_ONLY), "v8.2", "v8.9", "v9.6"};
	uint64_t r = 4711, enabled = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct fixture f;

		fixture_start(&f, sets[i % 4], NULL);
		if (i >= 4) { /* what is left open differs from one access to the next */
			spemu_choice_set(f.spu, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
			spemu_choice_set(f.spu, SPEMU_CHOICE_POINTER_RESTRICTION,
			                 SPEMU_POINTER_RESTRICTION_BUFFER_FULL);
		}
		for (unsigned n = 0; n < 25000; n++) {
			bool folded;

			random_step(&f, &r);
			folded = spemu__spu_enabled_at(&f.spu->pe, f.spu->pe.state.el);
			assert_int_equal(f.spu->enabled, folded);
			assert_int_equal(spemu_ops_until_sample(f.spu) != UINT64_MAX, folded);
			assert_int_equal(f.irq, spemu__signal_irq_level(&f.spu->pe));
			enabled += folded;
		}
		fixture_stop(&f);
	}
	assert_in_range(enabled, 2000, 198000); /* both answers were met */
}

static void save_load_save_is_the_identity(void **state)
{
	uint64_t r = 815;
	struct fixture a, b;
	size_t size = spemu_save_size();
	uint8_t *first = malloc(size), *second = malloc(size);

	(void)state;
	fixture_start(&a, "v9.6", NULL);
	fixture_start(&b, "v9.6", NULL);
	for (unsigned n = 0; n < 2000; n++) {
		random_step(&a, &r);
		assert_int_equal(spemu_save(a.spu, first, size), SPEMU_OK);
		assert_int_equal(spemu_load(b.spu, first, size), SPEMU_OK);
		assert_int_equal(spemu_save(b.spu, second, size), SPEMU_OK);
		assert_memory_equal(first, second, size);
		assert_true(spemu_ops_until_sample(a.spu) == spemu_ops_until_sample(b.spu));
		assert_int_equal(spemu_pmbirq(a.spu), spemu_pmbirq(b.spu));
		assert_int_equal(b.irq, spemu_pmbirq(b.spu));
	}
	fixture_stop(&a);
	fixture_stop(&b);
	free(first);
	free(second);
}

/* What goes on from an image is what goes on from the original: jitter and a sample in flight. */
static void a_loaded_object_goes_on_alike(void **state)
{
	struct fixture a, b;
	struct spemu_config seeded = {.seed = 99};
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	uint8_t image[4096];

	(void)state;
	fixture_start(&a, "v8.2" EL1_ONLY, NULL);
	fixture_start(&b, "v8.2" EL1_ONLY, &seeded);
	program(&a, 2);
	set(&a, SPEMU_REG_PMSIRR_EL1, 0x201);
	assert_int_equal(spemu_ops(a.spu, spemu_ops_until_sample(a.spu) - 1), SPEMU_OK);
	assert_int_equal(spemu_sample_begin(a.spu, 0x1234), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_save(a.spu, image, sizeof(image)), SPEMU_OK);
	assert_int_equal(spemu_load(b.spu, image, sizeof(image)), SPEMU_OK);
	spemu_sample_end(a.spu, &op, NULL);
	spemu_sample_end(b.spu, &op, NULL);
	for (unsigned i = 0; i < 50; i++) {
		assert_true(spemu_ops_until_sample(a.spu) == spemu_ops_until_sample(b.spu));
		sample(&a, &op);
		sample(&b, &op);
	}
	assert_memory_equal(a.buffer, b.buffer, BUFFER_SIZE);
	fixture_stop(&a);
	fixture_stop(&b);
}

static void bad_images_change_nothing(void **state)
{
	struct fixture f;
	uint8_t image[4096], before[4096], after[4096];
	size_t size = spemu_save_size();

	(void)state;
	assert_true(size < sizeof(image));
	fixture_start(&f, "v8.2", NULL);
	assert_int_equal(spemu_save(f.spu, image, size - 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_save(f.spu, image, size), SPEMU_OK);
	spemu_save(f.spu, before, size);
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(spemu_load(f.spu, image, cut), SPEMU_ERR_TRUNCATED);
	image[0] ^= 1;
	assert_int_equal(spemu_load(f.spu, image, size), SPEMU_ERR_CORRUPT);
	image[0] ^= 1;
	image[8] += 2;
	assert_int_equal(spemu_load(f.spu, image, size), SPEMU_ERR_NOT_SUPPORTED);
	image[8] -= 2;
	image[12]++;
	assert_int_equal(spemu_load(f.spu, image, size), SPEMU_ERR_CORRUPT);
	image[12]--;
	image[16] ^= 0xff; /* an encoding that is no register */
	assert_int_equal(spemu_load(f.spu, image, size), SPEMU_ERR_CORRUPT);
	image[16] ^= 0xff;
	image[size - 4 - SPEMU_CHOICE_COUNT * 9 - 64] = 4; /* PSTATE.EL */
	assert_int_equal(spemu_load(f.spu, image, size), SPEMU_ERR_CORRUPT);
	spemu_save(f.spu, after, size);
	assert_memory_equal(before, after, size);
	fixture_stop(&f);
}

static void put(uint8_t *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* Version 1: registers, then a tail with the one sample in flight; every choice had its default. */
static void version_1_is_read(void **state)
{
	struct fixture a, b;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	const size_t registers = 16 + SPEMU_REG_COUNT * 10;
	uint8_t image[8192], *tail = image + registers;

	(void)state;
	fixture_start(&a, "v8.2" EL1_ONLY, NULL);
	fixture_start(&b, "v8.2" EL1_ONLY, NULL);
	program(&a, 1);
	assert_int_equal(spemu_save(a.spu, image, sizeof(image)), SPEMU_OK);
	put(image + 8, 1, 4);
	memset(tail, 0, 64);
	tail[4] = 1 | 1 << 1 | 1 << 3; /* in flight, CONTEXTIDR_EL1, timestamp */
	put(tail + 8, 1234, 8);        /* the generator */
	put(tail + 16, 0xabcd, 4);
	put(tail + 24, 0x4000, 8);
	put(tail + 32, 0x777, 8);
	spemu_choice_set(b.spu, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
	for (size_t cut = 0; cut < registers + 64; cut++)
		assert_int_equal(spemu_load(b.spu, image, cut), SPEMU_ERR_TRUNCATED);
	assert_int_equal(spemu_load(b.spu, image, registers + 64), SPEMU_OK);
	for (unsigned c = 0; c < SPEMU_CHOICE_COUNT; c++) {
		enum spemu_choice choice = (enum spemu_choice)c;

		assert_false(spemu_choice_is_random(b.spu, choice));
		assert_int_equal(spemu_choice_get(b.spu, choice),
		                 spemu_choice_default(&b.spu->pe.features, choice));
	}
	assert_int_equal(reg(&b, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE);
	assert_int_equal(spemu_sample_end(b.spu, &op, NULL), SPEMU_OK);
	assert_true(record_at(&b, BUFFER_BASE).addr[SPEMU_ADDR_PC] == 0x4000);
	assert_int_equal(record_at(&b, BUFFER_BASE).context[0], 0xabcd);
	assert_int_equal(record_at(&b, BUFFER_BASE).timestamp, 0x777);
	fixture_stop(&a);
	fixture_stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(cached_is_folded),
	        cmocka_unit_test(save_load_save_is_the_identity),
	        cmocka_unit_test(a_loaded_object_goes_on_alike),
	        cmocka_unit_test(bad_images_change_nothing),
	        cmocka_unit_test(version_1_is_read),
	};
	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
