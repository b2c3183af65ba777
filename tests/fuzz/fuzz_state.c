/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: arbitrary bytes as the image of a PE, an SPU or a PMU, alone or as changes to a good
 * one.
 *
 * Invariants: a bad image is rejected with a documented status and leaves the object unchanged. A
 * loaded image round-trips: saving it, loading it into another object and saving it again gives the
 * same bytes. The loaded object keeps working through the usual calls of software and its host.
 */
#include <string.h>

#include <spemu/choices.h>
#include <spemu/inject.h>
#include <spemu/strict.h>
#include "fuzz_world.h"

enum { IMAGE_SIZE = 16384 };

enum kind { IMAGE_PE, IMAGE_SPU, IMAGE_PMU, IMAGES };

static bool irq, freeze; /* levels that the host was told */
static unsigned target;

/* ---- a well-behaved host ---- */

static int host_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                      const void *data, size_t size)
{
	(void)ctx, (void)fault, (void)data;
	REQUIRE(size >= 1 && size <= SPEMU_RECORD_MAX && access->privileged);
	return 0;
}

static int host_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                          const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	(void)ctx, (void)fault, (void)pe;
	*result = (struct spemu_translation){.physical = access->address,
	                                     .pas = access->security,
	                                     .region_log2 = 12,
	                                     .memory = {.type = SPEMU_MEMORY_NORMAL}};
	return 0;
}

static void host_irq(void *ctx, bool level)
{
	(void)ctx;
	irq = level;
}

static void host_freeze(void *ctx, bool level)
{
	(void)ctx;
	freeze = level;
}

static void host_exception(void *ctx, unsigned el)
{
	(void)ctx;
	target = el;
}

static const struct spemu_spu_host host = {.size = sizeof(host),
                                           .buffer_write = host_write,
                                           .pmbirq = host_irq,
                                           .translate = host_translate,
                                           .profiling_exception = host_exception,
                                           .pmu_freeze = host_freeze};
/* The host of the object that loads an image saved by the other one. */
static const struct spemu_spu_host silent = {
        .size = sizeof(silent), .buffer_write = host_write, .translate = host_translate};

/* ---- images ---- */

static size_t image_size(enum kind kind, const struct fuzz_world *w)
{
	return kind == IMAGE_PE    ? spemu_pe_save_size()
	       : kind == IMAGE_PMU ? spemu_pmu_save_size()
	                           : spemu_spu_save_size(spemu_spu_strict(w->spu));
}

static void save(uint8_t *image, enum kind kind, const struct fuzz_world *w)
{
	size_t size = image_size(kind, w);
	int status = kind == IMAGE_PE    ? spemu_pe_save(w->pe, image, size)
	             : kind == IMAGE_SPU ? spemu_spu_save(w->spu, image, size)
	                                 : spemu_pmu_save(w->pmu, image, size);

	REQUIRE(status == SPEMU_OK);
}

static int load(const struct fuzz_world *w, enum kind kind, const uint8_t *image, size_t size)
{
	return kind == IMAGE_PE    ? spemu_pe_load(w->pe, image, size)
	       : kind == IMAGE_SPU ? spemu_spu_load(w->spu, image, size)
	                           : spemu_pmu_load(w->pmu, image, size);
}

/* Prepare an SPU with a state that is worth saving. */
static void prepare(const struct fuzz_world *w, struct fuzz_input *in)
{
	unsigned form = fuzz_u8(in);
	struct spemu_injection injection = {.size = sizeof(injection),
	                                    .kind = form >> 5 & 1,
	                                    .nth = 3,
	                                    .fault = {.kind = SPEMU_FAULT_STAGE1, .fsc = 7}};

	if (form & 1)
		REQUIRE(spemu_spu_set_strict(w->spu, true, form) == SPEMU_OK);
	for (unsigned n = form >> 1 & 3; n > 0; n--)
		REQUIRE(spemu_spu_inject(w->spu, NULL, &injection) == SPEMU_OK);
	if (form & 8)
		(void)spemu_reg_set(w->pe, SPEMU_REG_PMBLIMITR_EL1, 0x7f001);
	if (form & 16)
		(void)spemu_choice_set(w->pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
}

/* The image under test ends with the array, so a sanitizer detects a read past its end. */
static uint8_t array[IMAGE_SIZE];

static const uint8_t *make_image(size_t *size, enum kind kind, const struct fuzz_world *w,
                                 struct fuzz_input *in)
{
	static uint8_t good[IMAGE_SIZE];
	unsigned cut = (unsigned)fuzz_uint(in, 2);

	*size = image_size(kind, w);
	REQUIRE(*size <= IMAGE_SIZE);
	save(good, kind, w);
	while (!fuzz_ended(in)) {
		size_t at = (size_t)fuzz_uint(in, 2) % *size;

		good[at] = fuzz_u8(in);
	}
	*size -= cut < *size ? cut : 0;
	memcpy(array + IMAGE_SIZE - *size, good, *size);
	return array + IMAGE_SIZE - *size;
}

static const uint8_t *take_image(size_t *size, const struct fuzz_input *in)
{
	*size = (size_t)(in->end - in->p);
	*size = *size < IMAGE_SIZE ? *size : IMAGE_SIZE;
	if (*size)
		memcpy(array + IMAGE_SIZE - *size, in->p, *size);
	return array + IMAGE_SIZE - *size;
}

static uint8_t before[IMAGES][IMAGE_SIZE], after[IMAGE_SIZE];

static void check_unchanged(const struct fuzz_world *w)
{
	for (int k = 0; k < IMAGES; k++) {
		save(after, (enum kind)k, w);
		REQUIRE(memcmp(before[k], after, image_size((enum kind)k, w)) == 0);
	}
}

/* Check that another object of the same kind loads all three images and saves equal images. */
static void check_round_trip(const struct fuzz_world *w, unsigned number)
{
	struct fuzz_world other = fuzz_world(number, 1, &silent, NULL);

	for (int k = 0; k < IMAGES; k++)
		save(before[k], (enum kind)k, w);
	for (int k = 0; k < IMAGES; k++)
		REQUIRE(load(&other, (enum kind)k, before[k], image_size((enum kind)k, w)) ==
		        SPEMU_OK);
	REQUIRE(spemu_spu_strict(other.spu) == spemu_spu_strict(w->spu));
	check_unchanged(&other);
}

/* ---- use of the loaded objects ---- */

static void check_told(const struct fuzz_world *w)
{
	REQUIRE(irq == spemu_spu_pmbirq(w->spu));
	REQUIRE(freeze == spemu_spu_pmu_freeze(w->spu));
	REQUIRE(target == spemu_spu_profiling_exception_target(w->spu));
}

static void sample(const struct fuzz_world *w)
{
	uint64_t n = spemu_spu_ops_until_sample(w->spu);
	struct spemu_op op = {.kind.type = SPEMU_OP_LOAD, .retired = true, .valid = SPEMU_OPV_VA};
	struct spemu_sample_result result;

	REQUIRE(n > 0);
	if (n == UINT64_MAX)
		return;
	REQUIRE(spemu_spu_ops(w->spu, n) == SPEMU_ERR_INVALID);
	REQUIRE(spemu_spu_ops(w->spu, n - 1) == SPEMU_OK);
	if (spemu_spu_sample_begin(w->spu, 0x400000) < 0)
		return;
	while (spemu_spu_samples_in_flight(w->spu) > 0) {
		unsigned flight = spemu_spu_samples_in_flight(w->spu);

		REQUIRE(spemu_spu_sample_end(w->spu, &result, &op) == SPEMU_OK);
		REQUIRE(spemu_spu_samples_in_flight(w->spu) == flight - 1);
	}
}

static void go_on(const struct fuzz_world *w)
{
	struct spemu_access_result result;
	uint64_t value;

	check_told(w);
	sample(w);
	REQUIRE(spemu_spu_mrs(w->spu, &result, &value, SPEMU_SYSREG_PMBPTR_EL1) == SPEMU_OK);
	spemu_spu_psb_csync(w->spu);
	spemu_spu_dsb(w->spu);
	spemu_pe_isb(w->pe);
	REQUIRE(spemu_pmu_count(w->pmu, SPEMU_PMU_CPU_CYCLES, 1000) == SPEMU_OK);
	(void)spemu_pmu_capture_request(w->pmu);
	REQUIRE(spemu_reg_set(w->pe, SPEMU_REG_PMBSR_EL1, 0) == SPEMU_OK);
	sample(w);
	check_told(w);
	REQUIRE(spemu_spu_set_strict(w->spu, false, 0) == SPEMU_OK);
	check_told(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, data + size};
	unsigned number = fuzz_below(&in, FUZZ_WORLDS), form = fuzz_u8(&in);
	struct fuzz_world w = fuzz_world(number, 0, &host, NULL);
	enum kind kind = (enum kind)((form & 127) % IMAGES);
	const uint8_t *image;
	size_t length;
	int status;

	irq = spemu_spu_pmbirq(w.spu);
	freeze = spemu_spu_pmu_freeze(w.spu);
	target = spemu_spu_profiling_exception_target(w.spu);
	prepare(&w, &in);
	image = form & 128 ? take_image(&length, &in) : make_image(&length, kind, &w, &in);
	for (int k = 0; k < IMAGES; k++)
		save(before[k], (enum kind)k, &w);
	status = load(&w, kind, image, length);
	if (status) {
		REQUIRE(status == SPEMU_ERR_TRUNCATED || status == SPEMU_ERR_CORRUPT ||
		        status == SPEMU_ERR_NOT_SUPPORTED);
		check_unchanged(&w);
		return 0;
	}
	/* Objects attached to a PE are loaded after the PE. */
	if (kind == IMAGE_PE) {
		REQUIRE(load(&w, IMAGE_SPU, before[IMAGE_SPU], image_size(IMAGE_SPU, &w)) ==
		        SPEMU_OK);
		REQUIRE(load(&w, IMAGE_PMU, before[IMAGE_PMU], image_size(IMAGE_PMU, &w)) ==
		        SPEMU_OK);
	}
	check_round_trip(&w, number);
	go_on(&w);
	return 0;
}
