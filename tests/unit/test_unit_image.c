/* SPDX-License-Identifier: MIT */
/*
 * Test the images of a PE and of a PMU, member by member. Every possible value of a member can be
 * saved and loaded, and an impossible value is refused. An image with fewer registers and choices
 * can be loaded.
 *
 * Arm ARM: DDI 0487 M.a, D13.9 (the state of a PMU during a Capture)
 */
#include "pmu_fixture.h"
#include "draw.h"
#include "pe/choice.h"
#include "pmu/pmu_object.h"

enum { IMAGE = 16384 };

#define EQUAL(a, b, member) assert_true((a)->member == (b)->member)
#define SAME(a, b, member) assert_memory_equal((a)->member, (b)->member, sizeof((a)->member))

static void fill_pe(struct spemu_pe *pe, uint64_t *r)
{
	pe->state = (struct spemu_pe_state){
	        .el = (uint8_t)below(r, 4),
	        .aarch32 = coin(r),
	        .debug = coin(r),
	        .edscr_sdd = coin(r),
	        .pm = coin(r),
	        .streaming = coin(r),
	        .el_aarch32 = (uint8_t)below(r, 16),
	};
	pe->spe_freeze = coin(r);
	pe->prng = prng_next(r);
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		const struct choice_desc *c = &spemu__choice_table[i];
		unsigned option = below(r, c->public.option_count);

		if (spemu_choice_permitted(&pe->features, (enum spemu_choice)i, option))
			pe->choice[i] = (uint8_t)option;
		pe->random_choice[i] = c->public.kind == SPEMU_CHOICE_KIND_UNPREDICTABLE && coin(r);
	}
	spemu__pe_masks(pe);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		pe->reg[i] = prng_next(r) & pe->mask[i];
}

static void same_pe(const struct spemu_pe *a, const struct spemu_pe *b)
{
	EQUAL(a, b, state.el);
	EQUAL(a, b, state.aarch32);
	EQUAL(a, b, state.debug);
	EQUAL(a, b, state.edscr_sdd);
	EQUAL(a, b, state.pm);
	EQUAL(a, b, state.streaming);
	EQUAL(a, b, state.el_aarch32);
	EQUAL(a, b, spe_freeze);
	EQUAL(a, b, prng);
	SAME(a, b, choice);
	SAME(a, b, random_choice);
	SAME(a, b, mask);
	SAME(a, b, reg);
}

static void every_pe_member_is_saved_and_loaded(void **state)
{
	struct spemu_pe *a = pe_make("v9.6"), *b = pe_make("v9.6");
	uint8_t *image = malloc(IMAGE);
	uint64_t r = 1, before;

	(void)state;
	for (unsigned n = 0; n < 300; n++) {
		bool any = false;

		fill_pe(a, &r);
		for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
			a->random_choice[i] = a->random_choice[i] && n;
			any = any || a->random_choice[i];
		}
		before = b->generation;
		assert_int_equal(spemu_pe_save(a, image, spemu_pe_save_size()), SPEMU_OK);
		assert_int_equal(spemu_pe_load(b, image, spemu_pe_save_size()), SPEMU_OK);
		same_pe(a, b);
		assert_true(b->any_random_choice == any);
		assert_true(b->generation != before); /* marks derived values as out of date */
	}
	assert_memory_equal(image, "spemu PE", 8);
	free(image);
	free(a);
	free(b);
}

static size_t difference(const uint8_t *a, const uint8_t *b, size_t size)
{
	size_t at = 0;

	while (at < size && a[at] == b[at])
		at++;
	assert_true(at < size);
	return at;
}

/* Check that a byte of a valid image can have this value, and that the next value is refused. */
static void most_of_pe(struct spemu_pe *pe, uint8_t *image, size_t at, uint8_t value)
{
	uint8_t before = image[at];

	image[at] = value;
	assert_int_equal(spemu_pe_load(pe, image, spemu_pe_save_size()), SPEMU_OK);
	image[at] = (uint8_t)(value + 1);
	assert_int_equal(spemu_pe_load(pe, image, spemu_pe_save_size()), SPEMU_ERR_CORRUPT);
	image[at] = before;
}

static void impossible_pe_values_are_refused(void **state)
{
	struct spemu_pe *a = pe_make("v9.6"), *b = pe_make("v9.6");
	size_t size = spemu_pe_save_size();
	uint8_t *image = calloc(1, IMAGE), *other = calloc(1, IMAGE);
	const enum spemu_choice last = (enum spemu_choice)(SPEMU_CHOICE_COUNT - 1);

	(void)state;
	spemu_pe_save(a, image, size);
	a->state.el = 1;
	spemu_pe_save(a, other, size);
	most_of_pe(b, image, difference(image, other, size), 3);
	a->state.el = 3;
	a->state.debug = !a->state.debug;
	spemu_pe_save(a, other, size);
	most_of_pe(b, image, difference(image, other, size), 63); /* six flags */
	a->state.debug = !a->state.debug;
	a->state.el_aarch32 ^= 1;
	spemu_pe_save(a, other, size);
	most_of_pe(b, image, difference(image, other, size), 15); /* EL0 to EL3 */
	a->state.el_aarch32 ^= 1;
	/*
	 * The last byte of the image says whether the last choice is random. IMPLEMENTATION DEFINED
	 * choices cannot be random in an image, because their option is drawn once.
	 */
	most_of_pe(b, image, size - 1,
	           spemu_choice_describe(last)->kind == SPEMU_CHOICE_KIND_UNPREDICTABLE);
	image[size - 2] ^= 0x80; /* an option that the last choice does not have */
	assert_int_equal(spemu_pe_load(b, image, size), SPEMU_ERR_CORRUPT);
	image[size - 2] ^= 0x80;
	memset(image + 8, 0, 4);
	assert_int_equal(spemu_pe_load(b, image, size), SPEMU_ERR_CORRUPT); /* no version */
	assert_int_equal(spemu_pe_load(NULL, image, size), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pe_load(b, NULL, size), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pe_save(NULL, image, size), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pe_save(a, NULL, size), SPEMU_ERR_INVALID);
	free(image);
	free(other);
	free(a);
	free(b);
}

/*
 * Load an image of an earlier version, with one register and one choice less. The number of
 * registers follows the magic number and the version, and each register has an encoding and a
 * value. The number of choices follows 16 bytes of state.
 */
static void image_of_earlier_version_with_fewer_registers_loads(void **state)
{
	enum { HEADER = 16, REGISTER = 2 + 8, STATE = 16, CHOICE = 4 + 4 + 1 };
	struct spemu_pe *a = pe_make("v9.6"), *b = pe_make("v9.6");
	uint8_t *image = calloc(1, IMAGE), *fewer = calloc(1, IMAGE);
	size_t tail = HEADER + SPEMU_REG_COUNT * REGISTER, size = tail - REGISTER;
	uint64_t r = 7, before;
	unsigned dropped = SPEMU_REG_COUNT - 1;

	(void)state;
	fill_pe(a, &r);
	spemu_pe_save(a, image, IMAGE);
	memcpy(fewer, image, size);
	fewer[12]--; /* leave out the last register */
	memcpy(fewer + size, image + tail, STATE + 4 + SPEMU_CHOICE_COUNT * CHOICE);
	size += STATE;
	fewer[size]--; /* leave out the last choice */
	size += 4 + (SPEMU_CHOICE_COUNT - 1) * CHOICE;
	b->reg[dropped] = before = b->mask[dropped];
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(spemu_pe_load(b, fewer, cut), SPEMU_ERR_TRUNCATED);
	assert_int_equal(spemu_pe_load(b, fewer, size), SPEMU_OK);
	for (unsigned i = 0; i < dropped; i++)
		assert_true(b->reg[i] == a->reg[i]);
	assert_true(b->reg[dropped] == (before & b->mask[dropped]));
	for (unsigned i = 0; i + 1 < SPEMU_CHOICE_COUNT; i++)
		assert_true(b->choice[i] == a->choice[i]);
	assert_false(b->random_choice[SPEMU_CHOICE_COUNT - 1]);
	fewer[size - (SPEMU_CHOICE_COUNT - 1) * CHOICE - 4] = SPEMU_CHOICE_COUNT + 1;
	assert_int_equal(spemu_pe_load(b, fewer, IMAGE), SPEMU_ERR_CORRUPT);
	free(image);
	free(fewer);
	free(a);
	free(b);
}

/* Bits that the features do not have are dropped when an image is loaded, as by a register
 * write. */
static void bits_of_absent_features_are_dropped_on_load(void **state)
{
	struct spemu_pe *a = pe_make("v9.6"), *b = pe_make("v8.2");
	uint8_t *image = malloc(IMAGE);
	unsigned fewer = 0;

	(void)state;
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		a->reg[i] = UINT64_MAX;
	assert_int_equal(spemu_pe_save(a, image, IMAGE), SPEMU_OK);
	assert_int_equal(spemu_pe_load(b, image, IMAGE), SPEMU_OK);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
		const struct sysreg_desc *d = spemu__sysreg_desc_of((enum spemu_reg)i);

		assert_true(b->reg[i] == spemu__sysreg_mask(d, &b->features));
		fewer += b->reg[i] != spemu__sysreg_mask(d, &a->features);
	}
	assert_true(fewer > 20);
	free(image);
	free(a);
	free(b);
}

static struct pc_sample a_pc_sample(uint64_t *r)
{
	return (struct pc_sample){prng_next(r), (uint32_t)prng_next(r), (uint32_t)prng_next(r),
	                          (uint16_t)prng_next(r)};
}

static void fill_pmu(struct spemu_pmu *p, uint64_t *r)
{
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++) {
		p->counter[n] = prng_next(r);
		p->type[n] =
		        bit_is_set(pmu_mask(p), n) ? prng_next(r) & spemu__pmu_type_mask(p, n) : 0;
		p->saved[n] = prng_next(r);
		p->visible[n] = prng_next(r);
	}
	p->powered = coin(r);
	p->ongoing = coin(r);
	p->by_software = coin(r);
	p->branch_known = coin(r);
	p->was_suspended = coin(r);
	p->denied = (uint8_t)prng_next(r);
	p->clock = (uint8_t)below(r, 64);
	p->polls = (uint8_t)prng_next(r);
	p->order = (uint8_t)below(r, ORDER_OBSERVED + 1);
	p->prng = prng_next(r);
	p->recent = a_pc_sample(r);
	p->sample = a_pc_sample(r);
}

static void same_pc_sample(const struct pc_sample *a, const struct pc_sample *b)
{
	EQUAL(a, b, pmpcsr);
	EQUAL(a, b, contextidr_el1);
	EQUAL(a, b, contextidr_el2);
	EQUAL(a, b, vmid);
}

static void every_pmu_member_is_saved_and_loaded(void **state)
{
	struct pmu_fixture a, b;
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(IMAGE), *other = malloc(IMAGE);
	uint64_t r = 1, before;

	(void)state;
	pmu_start(&a, "v9.6");
	pmu_start(&b, "v9.6");
	for (unsigned n = 0; n < 300; n++) {
		fill_pmu(a.pmu, &r);
		memset(image, 0x55, IMAGE);
		memset(other, 0xaa, IMAGE);
		before = b.pe->generation;
		assert_int_equal(spemu_pmu_save(a.pmu, image, size), SPEMU_OK);
		assert_int_equal(spemu_pmu_save(a.pmu, other, size), SPEMU_OK);
		assert_memory_equal(image, other, size);
		assert_true(image[size] == 0x55 && other[size] == 0xaa);
		assert_int_equal(spemu_pmu_load(b.pmu, image, size), SPEMU_OK);
		SAME(a.pmu, b.pmu, counter);
		SAME(a.pmu, b.pmu, type);
		SAME(a.pmu, b.pmu, saved);
		SAME(a.pmu, b.pmu, visible);
		EQUAL(a.pmu, b.pmu, powered);
		EQUAL(a.pmu, b.pmu, ongoing);
		EQUAL(a.pmu, b.pmu, by_software);
		EQUAL(a.pmu, b.pmu, denied);
		EQUAL(a.pmu, b.pmu, clock);
		EQUAL(a.pmu, b.pmu, polls);
		EQUAL(a.pmu, b.pmu, order);
		EQUAL(a.pmu, b.pmu, prng);
		same_pc_sample(&a.pmu->recent, &b.pmu->recent);
		same_pc_sample(&a.pmu->sample, &b.pmu->sample);
		assert_true(REG_FIELD(b.pe, PMSSCR_EL1, SS) == a.pmu->ongoing);
		assert_true(b.pe->generation != before);
	}
	assert_memory_equal(image, "spemuPMU", 8);
	pmu_stop(&a);
	pmu_stop(&b);
	free(image);
	free(other);
}

/* Check that a byte of a valid image can have this value, and that the next value is refused. */
static void most_of_pmu(struct pmu_fixture *f, uint8_t *image, size_t at, uint8_t value)
{
	uint8_t before = image[at];

	image[at] = value;
	assert_int_equal(spemu_pmu_load(f->pmu, image, spemu_pmu_save_size()), SPEMU_OK);
	image[at] = (uint8_t)(value + 1);
	assert_int_equal(spemu_pmu_load(f->pmu, image, spemu_pmu_save_size()), SPEMU_ERR_CORRUPT);
	image[at] = before;
}

static void impossible_pmu_values_are_refused(void **state)
{
	struct pmu_fixture f;
	size_t size = spemu_pmu_save_size();
	uint8_t *image = calloc(1, IMAGE), *other = calloc(1, IMAGE);

	(void)state;
	pmu_start(&f, "v9.6");
	spemu_pmu_save(f.pmu, image, size);
	f.pmu->by_software = !f.pmu->by_software;
	spemu_pmu_save(f.pmu, other, size);
	most_of_pmu(&f, image, difference(image, other, size), 63); /* six flags */
	spemu_pmu_save(f.pmu, image, size);
	f.pmu->clock ^= 1;
	spemu_pmu_save(f.pmu, other, size);
	most_of_pmu(&f, image, difference(image, other, size), 63); /* cycles modulo 64 */
	spemu_pmu_save(f.pmu, image, size);
	f.pmu->order ^= 1;
	spemu_pmu_save(f.pmu, other, size);
	most_of_pmu(&f, image, difference(image, other, size), ORDER_OBSERVED);
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(spemu_pmu_load(f.pmu, image, cut), SPEMU_ERR_TRUNCATED);
	assert_int_equal(spemu_pmu_save(f.pmu, image, size - 1), SPEMU_ERR_NOSPACE);
	image[8]--; /* the earlier version, whose images had registers */
	assert_int_equal(spemu_pmu_load(f.pmu, image, size), SPEMU_ERR_NOT_SUPPORTED);
	image[8] += 2;
	assert_int_equal(spemu_pmu_load(f.pmu, image, size), SPEMU_ERR_NOT_SUPPORTED);
	memset(image + 8, 0, 4);
	assert_int_equal(spemu_pmu_load(f.pmu, image, size), SPEMU_ERR_CORRUPT);
	memcpy(image, other, size);
	image[7] ^= 1;
	assert_int_equal(spemu_pmu_load(f.pmu, image, size), SPEMU_ERR_CORRUPT);
	assert_int_equal(spemu_pmu_load(NULL, other, size), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_load(f.pmu, NULL, size), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_save(NULL, image, size), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_pmu_save(f.pmu, NULL, size), SPEMU_ERR_INVALID);
	pmu_stop(&f);
	free(image);
	free(other);
}

/* RVLKCZ: if the PMU has fewer counters, values of counters that it does not have are dropped. */
static void rvlkcz_absent_counters_are_dropped_on_load(void **state)
{
	const struct spemu_pmu_config few = {.event_counters = 4};
	const uint64_t there =
	        0xf | BIT64(SPEMU_PMU_CYCLE_COUNTER) | BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
	struct pmu_fixture a, b;
	size_t size = spemu_pmu_save_size();
	uint8_t *image = malloc(size);
	uint64_t r = 5;

	(void)state;
	pmu_start(&a, "v9.6");
	pmu_start_with(&b, "v9.6", &few);
	fill_pmu(a.pmu, &r);
	spemu_pmu_save(a.pmu, image, size);
	b.pe->reg[SPEMU_REG_PMCNTENSET_EL0] = UINT64_MAX;
	b.pe->reg[SPEMU_REG_PMINTENSET_EL1] = UINT64_MAX;
	b.pe->reg[SPEMU_REG_PMOVSSET_EL0] = UINT64_MAX;
	assert_int_equal(spemu_pmu_load(b.pmu, image, size), SPEMU_OK);
	assert_true(b.pe->reg[SPEMU_REG_PMCNTENSET_EL0] == there);
	assert_true(b.pe->reg[SPEMU_REG_PMINTENSET_EL1] == there);
	assert_true(b.pe->reg[SPEMU_REG_PMOVSSET_EL0] == there);
	assert_int_equal(REG_FIELD(b.pe, PMCR_EL0, N), 4);
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		assert_true(b.pmu->type[n] == (bit_is_set(there, n) ? a.pmu->type[n] : 0));
	pmu_stop(&a);
	pmu_stop(&b);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_pe_member_is_saved_and_loaded),
	        cmocka_unit_test(impossible_pe_values_are_refused),
	        cmocka_unit_test(image_of_earlier_version_with_fewer_registers_loads),
	        cmocka_unit_test(bits_of_absent_features_are_dropped_on_load),
	        cmocka_unit_test(every_pmu_member_is_saved_and_loaded),
	        cmocka_unit_test(impossible_pmu_values_are_refused),
	        cmocka_unit_test(rvlkcz_absent_counters_are_dropped_on_load),
	};
	return cmocka_run_group_tests_name("unit_image", tests, NULL, NULL);
}
