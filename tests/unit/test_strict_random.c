/* SPDX-License-Identifier: MIT */
/* Test random software in strict mode (D17.9). Software that synchronizes everything sees the same
 * results as in plain mode. Strict mode can be saved and loaded. */
#include "base/prng.h"
#include "spu/spu_object.h"
#include "strict_fixture.h"

#define SEEDS 64
#define FEATURES "v8.7" EL1_ONLY
#define LIMIT (BUFFER_BASE + BUFFER_SIZE)

/* Run a random session that synchronizes everything. The same r gives the same session. */
static void random_session(struct strict_fixture *m, uint64_t *r)
{
	uint64_t pages = 1 + prng_next(r) % 4;
	unsigned samples = (unsigned)(prng_next(r) % (pages * 64 - 1));

	MSR(m, PMBSR_EL1, 0);
	MSR(m, PMBPTR_EL1, BUFFER_BASE);
	MSR(m, PMBLIMITR_EL1, (BUFFER_BASE + pages * 4096) | FIELD(PMBLIMITR_EL1, E, 1));
	MSR(m, PMSFCR_EL1,
	    prng_next(r) & 2 ? FIELD(PMSFCR_EL1, LD, 1) | FIELD(PMSFCR_EL1, FT, 1) : 0);
	MSR(m, PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, 1 + prng_next(r) % 3) | (prng_next(r) & 1));
	ISB(m);
	MSR(m, PMSICR_EL1, 0);
	ISB(m);
	MSR(m, PMSCR_EL1, E1SPE | E0SPE);
	ISB(m);
	at_el(&m->f, (unsigned)(prng_next(r) & 1));
	/* Take one sample less than fit. An event in the middle would stop plain mode earlier than
	 * strict mode. */
	for (unsigned i = 0; i < samples; i++)
		assert_true(strict_sample(m, 0x4000 + (prng_next(r) & 0xffff)) >= 0);
	if (prng_next(r) & 1) { /* in half of the sessions the buffer is exactly full at the end */
		for (unsigned i = samples; i < pages * 64; i++)
			assert_true(strict_sample(m, 0x8000 + i) >= 0);
		spemu_spu_drain(m->f.spu);
	}
	at_el(&m->f, 1);
	strict_drain(m);
	for (unsigned i = 0; i < 5; i++)
		(void)MRS(m, PMBSR_EL1);
}

/*
 * If everything is synchronized, records and registers are the same as in plain mode, and there is
 * no diagnostic.
 */
static void synchronized_software_sees_plain_mode(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct strict_fixture a, b;
		uint64_t r = seed * 7919, ra, rb;

		strict_start(&a, FEATURES, 0, true);
		strict_start(&b, FEATURES, seed, false);
		for (unsigned n = 0; n < 6; n++) {
			ra = rb = r;
			random_session(&a, &ra);
			random_session(&b, &rb);
			r = ra;
			assert_true(ra == rb);
			for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
				assert_true(reg(&a.f, (enum spemu_reg)i) ==
				            reg(&b.f, (enum spemu_reg)i));
			assert_memory_equal(a.f.buffer, b.f.buffer, BUFFER_SIZE);
			assert_memory_equal(a.done, b.done, sizeof(a.done));
			assert_int_equal(a.f.irq, b.f.irq);
		}
		assert_int_equal(a.diagnostics, 0);
		assert_int_equal(b.diagnostics, 0);
		strict_stop(&a);
		strict_stop(&b);
	}
}

/* Accept a write at any address. One page in eight causes a fault. */
static int write_anywhere(void *ctx, struct spemu_fault *fault,
                          const struct spemu_buffer_write *access, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	if ((access->address >> 12 & 7) != 7)
		return 0;
	*fault = (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1, .fsc = 7};
	return 1;
}

/* Make a random step of software, which may be right or wrong. */
static void random_step(struct strict_fixture *m, uint64_t *r, unsigned *begun)
{
	static const uint32_t written[] = {
	        SPEMU_SYSREG_PMBPTR_EL1, SPEMU_SYSREG_PMBLIMITR_EL1, SPEMU_SYSREG_PMBSR_EL1,
	        SPEMU_SYSREG_PMSCR_EL1,  SPEMU_SYSREG_PMSICR_EL1,    SPEMU_SYSREG_PMSIRR_EL1,
	        SPEMU_SYSREG_PMSFCR_EL1, SPEMU_SYSREG_PMSLATFR_EL1,
	};
	struct spemu_access_result result;
	uint64_t value = prng_next(r), page = BUFFER_BASE + (prng_next(r) & 3) * 4096;

	switch (prng_next(r) % 12) {
	case 0:
		spemu_spu_msr(m->f.spu, &result, written[value % 8],
		              value >> 8 & 1 ? prng_next(r) & 0xff : page | (prng_next(r) & 1));
		break;
	case 1: /* useful values, so that profiling is enabled */
		strict_program(m, BUFFER_BASE, LIMIT);
		break;
	case 2:
		spemu_spu_mrs(m->f.spu, &result, &value, written[value % 8]);
		break;
	case 3:
		ISB(m);
		break;
	case 4:
		PSB(m);
		break;
	case 5:
		DSB(m);
		break;
	case 6:
		spemu_spu_report_memory(m->f.spu, SPEMU_SOFTWARE_READS, page, prng_next(r) & 0xfff);
		break;
	case 7:
		if (value & 1)
			spemu_spu_report_memory(m->f.spu, SPEMU_TRANSLATION_CHANGED, page, 4096);
		else
			spemu_spu_report_memory(m->f.spu, SPEMU_TRANSLATION_MAINTAINED, page, 8192);
		break;
	case 8:
		set(&m->f, value & 1 ? SPEMU_REG_CONTEXTIDR_EL1 : SPEMU_REG_PMBSR_EL1, 0);
		break;
	default:
		if (spemu_spu_ops_until_sample(m->f.spu) < 100000)
			*begun += strict_sample(m, 0x1000) >= 0;
		break;
	}
}

/* Whatever software does, every sample has an outcome, and cached state follows the rules. */
static void random_software_loses_no_sample(void **state)
{
	unsigned begun_in_all = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct strict_fixture m;
		uint64_t r = seed * 104729;
		unsigned begun = 0, ended = 0;

		strict_start(&m, FEATURES, seed, false);
		m.f.spu->host.buffer_write = write_anywhere;
		if (seed & 1)
			spemu_choice_set(m.f.pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
		/* The option as-disabled is not tested, because the decision itself does not show
		 * the effect of the option. */
		spemu_choice_set(m.f.pe, SPEMU_CHOICE_POINTER_RESTRICTION,
		                 SPEMU_POINTER_RESTRICTION_BUFFER_FULL);
		for (unsigned n = 0; n < 3000; n++) {
			random_step(&m, &r, &begun);
			assert_int_equal(m.f.spu->enabled, spemu__spu_enabled_at(m.f.spu->pe, 1));
			assert_int_equal(m.f.irq, spemu_spu_pmbirq(m.f.spu));
		}
		spemu_spu_set_strict(m.f.spu, false, 0);
		for (unsigned i = 0; i < 8; i++)
			ended += m.done[i];
		assert_int_equal(begun, ended);
		begun_in_all += begun;
		strict_stop(&m);
	}
	assert_in_range(begun_in_all, 1000, 90000);
}

/* Two SPUs with the same seed receive the same calls. One of them gets its state by loading an
 * image. */
static void strict_mode_is_saved_and_loaded(void **state)
{
	struct fixture_image image;

	(void)state;
	assert_true(spemu_spu_save_size(true) <= sizeof(image.spu));
	for (uint64_t seed = 0; seed < 16; seed++) {
		struct strict_fixture a, b;

		strict_start(&a, FEATURES, seed, false);
		strict_start(&b, FEATURES, 99, true);
		strict_program(&a, BUFFER_BASE, LIMIT);
		for (unsigned i = 0; i < 7; i++)
			strict_sample(&a, 0x1000 + i);
		MSR(&a, PMSCR_EL1, 0);
		assert_int_equal(spemu_spu_save(a.f.spu, image.spu, spemu_spu_save_size(false)),
		                 SPEMU_ERR_NOSPACE);
		fixture_save(&a.f, &image);
		for (size_t cut = 0; cut < spemu_spu_save_size(true); cut += 61)
			assert_int_equal(spemu_spu_load(b.f.spu, image.spu, cut),
			                 SPEMU_ERR_TRUNCATED);
		assert_false(spemu_spu_strict(b.f.spu));
		fixture_load(&b.f, &image);
		assert_true(spemu_spu_strict(b.f.spu));
		memcpy(b.f.buffer, a.f.buffer, BUFFER_SIZE);
		memcpy(b.done, a.done, sizeof(a.done));
		assert_true(MRS(&a, PMBPTR_EL1) == MRS(&b, PMBPTR_EL1));
		for (struct strict_fixture *m = &a; m; m = m == &a ? &b : NULL) {
			ISB(m);
			PSB(m);
			assert_int_equal(MRS(m, PMSCR_EL1) & 3, 0);
			DSB(m);
			ISB(m);
			assert_int_equal(m->done[SPEMU_SAMPLE_RECORDED], 7);
			assert_true(MRS(m, PMBPTR_EL1) == BUFFER_BASE + 7 * 64);
		}
		assert_memory_equal(a.f.buffer, b.f.buffer, BUFFER_SIZE);
		strict_stop(&a);
		strict_stop(&b);
	}
}

/* A damaged image of strict mode is refused and changes nothing. */
static void invalid_strict_images_change_nothing(void **state)
{
	struct strict_fixture m;
	uint8_t image[16384];
	uint8_t *strict = image + spemu_spu_save_size(false);

	(void)state;
	strict_start(&m, FEATURES, 1, false);
	strict_program(&m, BUFFER_BASE, LIMIT);
	strict_sample(&m, 0x1000);
	assert_int_equal(spemu_spu_save(m.f.spu, image, sizeof(image)), SPEMU_OK);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t before = strict[i];

		strict[i] = 0xff;
		assert_int_equal(spemu_spu_load(m.f.spu, image, sizeof(image)), SPEMU_ERR_CORRUPT);
		strict[i] = before;
	}
	assert_int_equal(spemu_spu_load(m.f.spu, image, sizeof(image)), SPEMU_OK);
	strict_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(synchronized_software_sees_plain_mode),
	        cmocka_unit_test(random_software_loses_no_sample),
	        cmocka_unit_test(strict_mode_is_saved_and_loaded),
	        cmocka_unit_test(invalid_strict_images_change_nothing),
	};
	return cmocka_run_group_tests_name("strict_random", tests, NULL, NULL);
}
