/* SPDX-License-Identifier: MIT */
/* Test saved PEs, SPUs and PMUs: all four bytes of the version count, and a PMU with impossible
 * values is refused. */
#include "pmu_fixture.h"

#include <spemu/spu.h>

#define VERSION_AT 8

/* Change each byte of the version. All other versions are refused. Version 0 never existed. */
static void by_each_byte(uint8_t *image, size_t size, int (*load)(void *, const void *, size_t),
                         void *object)
{
	uint8_t version[4];

	memcpy(version, image + VERSION_AT, 4);
	assert_int_equal(load(object, image, size), SPEMU_OK);
	for (unsigned bit = 0; bit < 32; bit++) {
		uint8_t other[4] = {0};

		other[bit / 8] = (uint8_t)(1u << bit % 8);
		memcpy(image + VERSION_AT, other, 4);
		if (memcmp(version, other, 4) != 0)
			assert_int_equal(load(object, image, size), SPEMU_ERR_NOT_SUPPORTED);
	}
	memset(image + VERSION_AT, 0, 4);
	assert_int_equal(load(object, image, size), SPEMU_ERR_CORRUPT);
}

static int load_pe(void *object, const void *image, size_t size)
{
	return spemu_pe_load(object, image, size);
}

static int load_spu(void *object, const void *image, size_t size)
{
	return spemu_spu_load(object, image, size);
}

static int load_pmu(void *object, const void *image, size_t size)
{
	return spemu_pmu_load(object, image, size);
}

static void pe_image_of_other_version_is_refused(void **state)
{
	struct spemu_pe *pe = pe_make("v9.6");
	size_t size = spemu_pe_save_size();
	uint8_t *image = malloc(size);

	(void)state;
	assert_int_equal(spemu_pe_save(pe, image, size), SPEMU_OK);
	by_each_byte(image, size, load_pe, pe);
	free(image);
	free(pe);
}

/* Each member of the PE's state is saved and loaded without changing the other members. All values
 * of the Exception levels are tried. */
static void pe_state_members_are_saved_one_by_one(void **state)
{
	static const struct spemu_pe_state rows[] = {
	        {.el = 1},       {.el = 2},         {.el = 3},           {.aarch32 = true},
	        {.debug = true}, {.pm = true},      {.edscr_sdd = true}, {.streaming = true},
	        {.el = 0},       {.el_aarch32 = 1}, {.el_aarch32 = 3},   {.el_aarch32 = 7},
	};
	struct spemu_pe *a = pe_make("v8.7,+FEAT_SVE,+FEAT_SME"),
	                *b = pe_make("v8.7,+FEAT_SVE,+FEAT_SME");
	size_t size = spemu_pe_save_size();
	uint8_t *image = malloc(size);

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_pe_state got;

		assert_int_equal(spemu_pe_set(a, &rows[i]), SPEMU_OK);
		assert_int_equal(spemu_pe_save(a, image, size), SPEMU_OK);
		assert_int_equal(spemu_pe_load(b, image, size), SPEMU_OK);
		spemu_pe_get(b, &got);
		assert_int_equal(got.el, rows[i].el);
		assert_int_equal(got.aarch32, rows[i].aarch32);
		assert_int_equal(got.debug, rows[i].debug);
		assert_int_equal(got.edscr_sdd, rows[i].edscr_sdd);
		assert_int_equal(got.pm, rows[i].pm);
		assert_int_equal(got.streaming, rows[i].streaming);
		assert_int_equal(got.el_aarch32, rows[i].el_aarch32);
	}
	free(image);
	free(a);
	free(b);
}

static void spu_image_of_other_version_is_refused(void **state)
{
	const struct spemu_spu_config config = {.size = sizeof(config)};
	const struct spemu_spu_host host = {.size = sizeof(host)};
	struct spemu_pe *pe = pe_make("v9.6");
	size_t size = spemu_spu_save_size(false);
	uint8_t *image = malloc(size);
	void *memory = malloc(spemu_spu_size());
	struct spemu_spu *spu;

	(void)state;
	assert_int_equal(spemu_spu_init(&spu, memory, spemu_spu_size(), pe, &config, &host),
	                 SPEMU_OK);
	assert_int_equal(spemu_spu_save(spu, image, size), SPEMU_OK);
	by_each_byte(image, size, load_spu, spu);
	free(memory);
	free(image);
	free(pe);
}

static void pmu_image_of_other_version_is_refused(void **state)
{
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size);
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	assert_int_equal(spemu_pmu_save(f.pmu, image, size), SPEMU_OK);
	by_each_byte(image, size, load_pmu, f.pmu);
	pmu_stop(&f);
	free(image);
}

/* Check a byte of a saved PMU, given by its offset from the end. `value` is accepted and the next
 * greater value is refused. */
static void most(struct pmu_fixture *f, size_t from_end, uint8_t value)
{
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size);

	assert_int_equal(spemu_pmu_save(f->pmu, image, size), SPEMU_OK);
	image[size - from_end] = value;
	assert_int_equal(spemu_pmu_load(f->pmu, image, size), SPEMU_OK);
	image[size - from_end] = (uint8_t)(value + 1);
	assert_int_equal(spemu_pmu_load(f->pmu, image, size), SPEMU_ERR_CORRUPT);
	free(image);
}

/* The bytes are six flags, the cycles since the last multiple of 64, and the ordering of snapshot
 * reads. */
static void impossible_pmu_values_are_refused(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	most(&f, 64, 63);
	most(&f, 62, 63);
	most(&f, 60, 2);
	pmu_stop(&f);
}

/* The image has more event type bits than the PMU that loads it. Bits that the PMU does not have
 * are dropped. */
static void event_type_bits_absent_on_load_are_dropped(void **state)
{
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size), *again = malloc(size);
	struct pmu_fixture wide, narrow;

	(void)state;
	pmu_start(&wide, "v9.6,+FEAT_SME,+FEAT_PMUv3_SME");
	pmu_start(&narrow, "v8.2");
	for (unsigned n = 0; n < 6; n++) {
		pmu_set(&wide, SPEMU_SYSREG_PMEVTYPERn_EL0(n), ~UINT64_C(0));
		pmu_set(&narrow, SPEMU_SYSREG_PMEVTYPERn_EL0(n), ~UINT64_C(0));
	}
	assert_true(pmu_get(&wide, SPEMU_SYSREG_PMEVTYPERn_EL0(0)) !=
	            pmu_get(&narrow, SPEMU_SYSREG_PMEVTYPERn_EL0(0)));
	for (unsigned n = 0; n < 6; n++) {
		uint64_t all = pmu_get(&narrow, SPEMU_SYSREG_PMEVTYPERn_EL0(n)), value;

		assert_int_equal(spemu_pmu_save(wide.pmu, image, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_load(narrow.pmu, image, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_save(narrow.pmu, again, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_load(wide.pmu, again, size), SPEMU_OK);
		value = pmu_get(&wide, SPEMU_SYSREG_PMEVTYPERn_EL0(n));
		assert_true(value == all);
		pmu_set(&wide, SPEMU_SYSREG_PMEVTYPERn_EL0(n), ~UINT64_C(0));
	}
	pmu_stop(&wide);
	pmu_stop(&narrow);
	free(image);
	free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pe_image_of_other_version_is_refused),
	        cmocka_unit_test(pe_state_members_are_saved_one_by_one),
	        cmocka_unit_test(spu_image_of_other_version_is_refused),
	        cmocka_unit_test(pmu_image_of_other_version_is_refused),
	        cmocka_unit_test(impossible_pmu_values_are_refused),
	        cmocka_unit_test(event_type_bits_absent_on_load_are_dropped),
	};
	return cmocka_run_group_tests_name("image_version", tests, NULL, NULL);
}
