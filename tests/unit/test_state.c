/* SPDX-License-Identifier: MIT */
/* Test properties of the whole SPU: cached decisions equal decisions that are derived anew, and a
 * saved SPU can be loaded. */
#include "base/prng.h"
#include "spu_fixture.h"
#include "spu/spu_object.h"

/* Make a random change, as software or the PE could, or take a sample. */
static void random_step(struct fixture *f, uint64_t *r)
{
	struct spemu_access_result result;
	struct spemu_pe_state pe = {0};
	uint64_t left = spemu_spu_ops_until_sample(f->spu);
	struct spemu_op op = an_op(SPEMU_OP_LOAD);

	switch (prng_next(r) % 6) {
	case 0:
		set(f, (enum spemu_reg)(prng_next(r) % SPEMU_REG_COUNT), prng_next(r));
		break;
	case 1: /* useful values, so that profiling is enabled now and then */
		program(f, (unsigned)(prng_next(r) % 3) + 1);
		set(f, SPEMU_REG_SCR_EL3,
		    FIELD(SCR_EL3, NS, 1) | FIELD(SCR_EL3, EEL2, prng_next(r) & 1));
		set(f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
		set(f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, E2PB, prng_next(r) & 3));
		set(f, SPEMU_REG_HCR_EL2,
		    FIELD(HCR_EL2, TGE, prng_next(r) & 1) | FIELD(HCR_EL2, E2H, prng_next(r) & 1));
		set(f, SPEMU_REG_PMSCR_EL1, prng_next(r) & 0x3b);
		break;
	case 2:
		pe.el = (uint8_t)(prng_next(r) % 4);
		pe.debug = prng_next(r) % 8 == 0;
		pe.aarch32 = prng_next(r) % 8 == 0 && pe.el < 2;
		spemu_pe_set(f->pe, &pe);
		break;
	case 3:
		spemu_spu_msr(f->spu, &result, SPEMU_SYSREG_PMBLIMITR_EL1,
		              (BUFFER_BASE + BUFFER_SIZE) | (prng_next(r) & 1));
		break;
	case 4:
		if (left != UINT64_MAX && left > 1)
			assert_int_equal(spemu_spu_ops(f->spu, 1 + prng_next(r) % (left - 1)),
			                 SPEMU_OK);
		break;
	default:
		if (left != UINT64_MAX && left < 100000 &&
		    spemu__spu_owner(f->spu->pe).security == SPEMU_SS_NON_SECURE &&
		    f->spu->pe->reg[SPEMU_REG_PMBPTR_EL1] - BUFFER_BASE < BUFFER_SIZE / 2 &&
		    REG_FIELD(f->spu->pe, PMBLIMITR_EL1, LIMIT) << 12 == BUFFER_BASE + BUFFER_SIZE)
			sample(f, &op);
		break;
	}
}

static void cached_state_equals_derived_state(void **state)
{
	const char *const sets[] = {("v8.2" EL1_ONLY), "v8.2", "v8.9", "v9.6"};
	uint64_t r = 4711, enabled = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct fixture f;

		fixture_start(&f, sets[i % 4], NULL);
		/* With random choices, decisions differ from one register access to the next. */
		if (i >= 4) {
			spemu_choice_set(f.pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
			spemu_choice_set(f.pe, SPEMU_CHOICE_POINTER_RESTRICTION,
			                 SPEMU_POINTER_RESTRICTION_BUFFER_FULL);
		}
		for (unsigned n = 0; n < 25000; n++) {
			bool folded;

			random_step(&f, &r);
			folded = spemu__spu_enabled_at(f.spu->pe, f.spu->pe->state.el);
			assert_int_equal(f.spu->enabled, folded);
			assert_int_equal(spemu_spu_ops_until_sample(f.spu) != UINT64_MAX, folded);
			assert_int_equal(f.irq, spemu__signal_irq_level(f.spu->pe));
			enabled += folded;
		}
		fixture_stop(&f);
	}
	assert_in_range(enabled, 2000, 198000); /* both decisions occurred */
}

static void save_load_save_gives_the_same_image(void **state)
{
	uint64_t r = 815;
	struct fixture a, b;
	struct fixture_image *first = calloc(1, sizeof(*first)),
	                     *second = calloc(1, sizeof(*second));

	(void)state;
	fixture_start(&a, "v9.6", NULL);
	fixture_start(&b, "v9.6", NULL);
	for (unsigned n = 0; n < 2000; n++) {
		random_step(&a, &r);
		fixture_save(&a, first);
		fixture_load(&b, first);
		fixture_save(&b, second);
		assert_memory_equal(first, second, sizeof(*first));
		assert_true(spemu_spu_ops_until_sample(a.spu) == spemu_spu_ops_until_sample(b.spu));
		assert_int_equal(spemu_spu_pmbirq(a.spu), spemu_spu_pmbirq(b.spu));
		assert_int_equal(b.irq, spemu_spu_pmbirq(b.spu));
	}
	fixture_stop(&a);
	fixture_stop(&b);
	free(first);
	free(second);
}

/* An SPU that loaded an image continues like the original, with jitter and a sample in flight. */
static void loaded_spu_continues_like_the_original(void **state)
{
	struct fixture a, b;
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct fixture_image image;

	(void)state;
	fixture_start(&a, "v8.2" EL1_ONLY, NULL);
	fixture_start_seeded(&b, "v8.2" EL1_ONLY, NULL, 99);
	program(&a, 2);
	set(&a, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 2) | FIELD(PMSIRR_EL1, RND, 1));
	assert_int_equal(spemu_spu_ops(a.spu, spemu_spu_ops_until_sample(a.spu) - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(a.spu, 0x1234), SPEMU_SAMPLE_STARTED);
	fixture_save(&a, &image);
	fixture_load(&b, &image);
	spemu_spu_sample_end(a.spu, NULL, &op);
	spemu_spu_sample_end(b.spu, NULL, &op);
	for (unsigned i = 0; i < 50; i++) {
		assert_true(spemu_spu_ops_until_sample(a.spu) == spemu_spu_ops_until_sample(b.spu));
		sample(&a, &op);
		sample(&b, &op);
	}
	assert_memory_equal(a.buffer, b.buffer, BUFFER_SIZE);
	fixture_stop(&a);
	fixture_stop(&b);
}

static void invalid_spu_image_changes_nothing(void **state)
{
	struct fixture f;
	uint8_t image[4096], before[4096], after[4096];
	size_t size = spemu_spu_save_size(false);

	(void)state;
	assert_true(size < sizeof(image));
	fixture_start(&f, "v8.2", NULL);
	assert_int_equal(spemu_spu_save(f.spu, image, size - 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_spu_save(f.spu, image, size), SPEMU_OK);
	spemu_spu_save(f.spu, before, size);
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(spemu_spu_load(f.spu, image, cut), SPEMU_ERR_TRUNCATED);
	image[0] ^= 1;
	assert_int_equal(spemu_spu_load(f.spu, image, size), SPEMU_ERR_CORRUPT);
	image[0] ^= 1;
	image[8]++; /* a later version */
	assert_int_equal(spemu_spu_load(f.spu, image, size), SPEMU_ERR_NOT_SUPPORTED);
	image[8]--;
	image[12] = 2; /* neither plain nor strict mode */
	assert_int_equal(spemu_spu_load(f.spu, image, size), SPEMU_ERR_CORRUPT);
	image[12] = 1; /* the part of strict mode is missing */
	assert_int_equal(spemu_spu_load(f.spu, image, size), SPEMU_ERR_TRUNCATED);
	image[12] = 0;
	spemu_spu_save(f.spu, after, size);
	assert_memory_equal(before, after, size);
	fixture_stop(&f);
}

/* Check that an image whose first byte differs is refused. Before 16 bytes are present, the image
 * counts as truncated. */
static void what_begins_otherwise(int (*load)(void *, const void *, size_t), void *object,
                                  uint8_t *image, size_t size)
{
	image[0] ^= 1;
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(load(object, image, cut),
		                 cut < 16 ? SPEMU_ERR_TRUNCATED : SPEMU_ERR_CORRUPT);
	image[0] ^= 1;
}

static int load_spu(void *object, const void *image, size_t size)
{
	return spemu_spu_load(object, image, size);
}

static int load_pe(void *object, const void *image, size_t size)
{
	return spemu_pe_load(object, image, size);
}

static void invalid_image_headers_are_refused(void **state)
{
	uint8_t image[8192];
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	assert_int_equal(spemu_spu_save(f.spu, image, sizeof(image)), SPEMU_OK);
	what_begins_otherwise(load_spu, f.spu, image, spemu_spu_save_size(false));
	assert_int_equal(spemu_pe_save(f.pe, image, sizeof(image)), SPEMU_OK);
	what_begins_otherwise(load_pe, f.pe, image, spemu_pe_save_size());
	/* An image of a PE that has no choices ends after the number of choices. */
	image[spemu_pe_save_size() - SPEMU_CHOICE_COUNT * 9 - 4] = 0;
	image[spemu_pe_save_size() - SPEMU_CHOICE_COUNT * 9 - 3] = 0;
	assert_int_equal(
	        spemu_pe_load(f.pe, image, spemu_pe_save_size() - SPEMU_CHOICE_COUNT * 9 - 1),
	        SPEMU_ERR_TRUNCATED);
	assert_int_equal(spemu_pe_load(f.pe, image, spemu_pe_save_size() - SPEMU_CHOICE_COUNT * 9),
	                 SPEMU_OK);
	fixture_stop(&f);
}

static void invalid_pe_image_changes_nothing(void **state)
{
	struct spemu_pe *pe = pe_make("v8.2");
	uint8_t image[8192], before[8192], after[8192];
	size_t size = spemu_pe_save_size(), choices = size - SPEMU_CHOICE_COUNT * 9;

	(void)state;
	assert_true(size < sizeof(image));
	assert_int_equal(spemu_pe_save(pe, image, size - 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_pe_save(pe, image, size), SPEMU_OK);
	memcpy(before, image, size);
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(spemu_pe_load(pe, image, cut), SPEMU_ERR_TRUNCATED);
	image[0] ^= 1;
	assert_int_equal(spemu_pe_load(pe, image, size), SPEMU_ERR_CORRUPT);
	image[0] ^= 1;
	image[8]++;
	assert_int_equal(spemu_pe_load(pe, image, size), SPEMU_ERR_NOT_SUPPORTED);
	image[8]--;
	image[12]++; /* one register more than the PE has */
	assert_int_equal(spemu_pe_load(pe, image, size), SPEMU_ERR_CORRUPT);
	image[12]--;
	image[16] ^= 0xff; /* not the encoding of a register */
	assert_int_equal(spemu_pe_load(pe, image, size), SPEMU_ERR_CORRUPT);
	image[16] ^= 0xff;
	image[choices - 4 - 16] = 4; /* PSTATE.EL does not exist */
	assert_int_equal(spemu_pe_load(pe, image, size), SPEMU_ERR_CORRUPT);
	image[choices - 4 - 16] = before[choices - 4 - 16];
	image[choices] ^= 0xff; /* a choice that does not exist */
	assert_int_equal(spemu_pe_load(pe, image, size), SPEMU_ERR_CORRUPT);
	image[choices] ^= 0xff;
	assert_int_equal(spemu_pe_save(pe, after, size), SPEMU_OK);
	assert_memory_equal(before, after, size);
	assert_int_equal(spemu_pe_load(pe, image, size), SPEMU_OK);
	free(pe);
}

/* D1: Exception levels that do not exist, or that this PE does not implement, are refused. */
static void impossible_pe_states_are_refused(void **state)
{
	struct spemu_pe *pe = pe_make("v8.2" EL1_ONLY);
	struct spemu_pe_state now;

	(void)state;
	for (unsigned el = 0; el < 256; el++) {
		int status = spemu_pe_set(pe, &(struct spemu_pe_state){.el = (uint8_t)el});

		assert_int_equal(status, el < 2 ? SPEMU_OK : SPEMU_ERR_INVALID);
		spemu_pe_get(pe, &now);
		assert_int_equal(now.el, el < 2 ? el : 1);
	}
	free(pe);
}

/* Structs of the caller state their size. If a struct is smaller, it lacks the last members, which
 * then count as 0. */
static void smaller_structs_are_filled_with_zeros(void **state)
{
	struct spemu_pe_config pe_config = {.size = offsetof(struct spemu_pe_config, seed)};
	struct spemu_spu_config config = {
	        .size = offsetof(struct spemu_spu_config, samples_in_flight),
	        .samples_in_flight = 17}; /* not read, because it is beyond the size */
	struct spemu_spu_host host = {.size = offsetof(struct spemu_spu_host, pmbirq)};
	void *memory = malloc(spemu_spu_size()), *pe_memory = malloc(spemu_pe_size());
	struct spemu_pe *pe;
	struct spemu_spu *spu;

	(void)state;
	assert_int_equal(spemu_features_parse(&pe_config.features, NULL, "v8.2"), SPEMU_OK);
	assert_int_equal(spemu_pe_init(&pe, pe_memory, spemu_pe_size(), &pe_config), SPEMU_OK);
	assert_int_equal(spemu_spu_init(&spu, memory, spemu_spu_size(), pe, &config, &host),
	                 SPEMU_OK);
	assert_int_equal(spu->config.samples_in_flight, 1);
	config.size = sizeof(config) + 1; /* size of a later version with unknown members */
	assert_int_equal(spemu_spu_init(&spu, memory, spemu_spu_size(), pe, &config, &host),
	                 SPEMU_ERR_INVALID);
	config.size = sizeof(config.size) - 1;
	assert_int_equal(spemu_spu_init(&spu, memory, spemu_spu_size(), pe, &config, &host),
	                 SPEMU_ERR_INVALID);
	pe_config.size = 0;
	assert_int_equal(spemu_pe_init(&pe, pe_memory, spemu_pe_size(), &pe_config),
	                 SPEMU_ERR_INVALID);
	free(memory);
	free(pe_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(cached_state_equals_derived_state),
	        cmocka_unit_test(save_load_save_gives_the_same_image),
	        cmocka_unit_test(loaded_spu_continues_like_the_original),
	        cmocka_unit_test(invalid_spu_image_changes_nothing),
	        cmocka_unit_test(invalid_image_headers_are_refused),
	        cmocka_unit_test(invalid_pe_image_changes_nothing),
	        cmocka_unit_test(impossible_pe_states_are_refused),
	        cmocka_unit_test(smaller_structs_are_filled_with_zeros),
	};
	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
