/* SPDX-License-Identifier: MIT */
/*
 * Test a host that fails or returns invalid results. The status is negative, the object continues,
 * and nothing outside the caller's memory is touched. `make check` also runs this test with the
 * sanitizers.
 */
#include "spu_fixture.h"
#include "base/prng.h"
#include "spu/spu_object.h"

#define S FIELD(PMBSR_EL1, S, 1)

struct host {
	struct fixture f; /* first member: the context of the callbacks points to it */
	uint64_t prng;
	int status; /* result of the callback under test */
	struct spemu_fault fault;
	struct spemu_translation translation;
	uint64_t sum; /* sum of all bytes that were offered to the host */
};

static struct spemu_translation good_translation(uint64_t address)
{
	return (struct spemu_translation){.physical = address,
	                                  .pas = SPEMU_SS_NON_SECURE,
	                                  .region_log2 = 12,
	                                  .memory = {.type = SPEMU_MEMORY_NORMAL}};
}

static int hostile_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                             const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct host *h = ctx;

	(void)pe;
	*result = h->translation;
	result->physical = access->address;
	*fault = h->fault;
	return h->status;
}

static int hostile_write(void *ctx, struct spemu_fault *fault,
                         const struct spemu_buffer_write *access, const void *data, size_t size)
{
	struct host *h = ctx;

	(void)access;
	for (size_t i = 0; i < size; i++)
		h->sum += ((const uint8_t *)data)[i];
	*fault = h->fault;
	return h->status;
}

static void start(struct host *h, bool translates)
{
	memset(h, 0, sizeof(*h));
	fixture_start(&h->f, "v8.2" EL1_ONLY, NULL);
	h->translation = good_translation(0);
	if (translates)
		h->f.spu->host.translate = hostile_translate;
	program(&h->f, 1);
}

/* Expect that the sample is lost with a negative status, that no event is recorded and that the
 * pointer stays. The next sample must work. */
static void expect_refused(struct host *h, int status)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_sample_result result;
	uint64_t pointer = reg(&h->f, SPEMU_REG_PMBPTR_EL1);

	assert_int_equal(spemu_spu_ops(h->f.spu, spemu_spu_ops_until_sample(h->f.spu) - 1),
	                 SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(h->f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_sample_end(h->f.spu, &result, &op), status);
	assert_int_equal(result.outcome, SPEMU_SAMPLE_LOST);
	assert_int_equal(result.written, 0);
	assert_int_equal(spemu_spu_samples_in_flight(h->f.spu), 0);
	assert_int_equal(reg(&h->f, SPEMU_REG_PMBSR_EL1), 0);
	assert_int_equal(reg(&h->f, SPEMU_REG_PMBPTR_EL1), pointer);
	h->status = 0;
	h->translation = good_translation(0);
	assert_int_equal(sample(&h->f, &op).outcome, SPEMU_SAMPLE_RECORDED);
}

static void impossible_write_results_are_refused(void **state)
{
	static const struct spemu_fault nonsense[] = {
	        {.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07, .written = 100000},
	        {.kind = SPEMU_FAULT_STAGE1, .fsc = 0x07, .written = UINT32_MAX},
	        {.kind = SPEMU_FAULT_STAGE1, .fsc = 0x3f},
	        {.kind = SPEMU_FAULT_STAGE2, .fsc = 0xff},
	        {.kind = SPEMU_FAULT_NONE},
	        {.kind = 0x1f},
	        /* Watchpoints, which the buffer does not have (D17.8.3). */
	        {.kind = 0x34, .fsc = 0x22},
	        {.kind = 0x35, .fsc = 0x22},
	        {.kind = 0x101},
	        {.kind = 0xffff},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		struct host h;

		start(&h, false);
		h.f.spu->host.buffer_write = hostile_write;
		h.status = i & 1 ? -1 : 1;
		h.fault = nonsense[i];
		expect_refused(&h, SPEMU_ERR_INVALID);
		fixture_stop(&h.f);
	}
}

/* The host reports a fault after it wrote all bytes. A fault is possible only before the last byte,
 * so the SPU refuses the report. */
static void fault_after_all_bytes_is_refused(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct spemu_sample_result result;
	struct host h;
	uint64_t size;

	(void)state;
	start(&h, false);
	h.f.spu->host.buffer_write = hostile_write;
	size = sample(&h.f, &op).written;
	h.status = 1;
	h.fault = (struct spemu_fault){
	        .kind = SPEMU_FAULT_STAGE1, .fsc = 0x07, .written = (uint32_t)size};
	assert_int_equal(spemu_spu_ops(h.f.spu, spemu_spu_ops_until_sample(h.f.spu) - 1), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(h.f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
	assert_int_equal(spemu_spu_sample_end(h.f.spu, &result, &op), SPEMU_ERR_INVALID);
	h.fault.written = (uint32_t)size - 1;
	assert_int_equal(sample(&h.f, &op).outcome, SPEMU_SAMPLE_LOST);
	assert_int_equal(reg(&h.f, SPEMU_REG_PMBPTR_EL1), BUFFER_BASE + size + size - 1);
	fixture_stop(&h.f);
}

static int write_faults(void *ctx, struct spemu_fault *fault,
                        const struct spemu_buffer_write *access, const void *data, size_t size)
{
	(void)hostile_write(ctx, fault, access, data, size);
	return 1;
}

/* The same error, for a record that continues in the next page. The host is called once for each
 * part. */
static void fault_after_all_bytes_of_a_part_is_refused(void **state)
{
	const uint64_t left = 8; /* bytes of the record in the first page */

	(void)state;
	for (unsigned written = 0; written <= left + 1; written++) {
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct spemu_sample_result result;
		struct host h;

		start(&h, true);
		h.f.spu->host.buffer_write = write_faults;
		set(&h.f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + 0x1000 - left);
		assert_int_equal(spemu_spu_ops(h.f.spu, spemu_spu_ops_until_sample(h.f.spu) - 1),
		                 SPEMU_OK);
		assert_int_equal(spemu_spu_sample_begin(h.f.spu, 0x1000), SPEMU_SAMPLE_STARTED);
		h.fault = (struct spemu_fault){
		        .kind = SPEMU_FAULT_EXTERNAL, .fsc = 0x10, .written = written};
		assert_int_equal(spemu_spu_sample_end(h.f.spu, &result, &op),
		                 written < left ? SPEMU_OK : SPEMU_ERR_INVALID);
		assert_true(reg(&h.f, SPEMU_REG_PMBPTR_EL1) ==
		            BUFFER_BASE + 0x1000 - left + (written < left ? written : 0));
		fixture_stop(&h.f);
	}
}

static void impossible_translations_are_refused(void **state)
{
	static const int statuses[] = {SPEMU_FAULT_EXTERNAL, 1, 0x1f, 0x10024, INT32_MAX};
	struct host h;

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		start(&h, true);
		if (i < 5)
			h.status = statuses[i];
		else if (i == 5)
			h.translation.region_log2 = 11;
		else if (i == 6)
			h.translation.region_log2 = 64;
		else if (i == 7)
			h.translation.pas = 4;
		else
			h.translation.memory.type = SPEMU_MEMORY_NORMAL + 1;
		h.fault = (struct spemu_fault){.fsc = 0x07};
		expect_refused(&h, SPEMU_ERR_INVALID);
		fixture_stop(&h.f);
	}
	start(&h, true);
	h.status = SPEMU_FAULT_STAGE1;
	h.fault = (struct spemu_fault){.fsc = 0x3e};
	expect_refused(&h, SPEMU_ERR_INVALID);
	h.status = SPEMU_ERR_IO; /* the host cannot answer */
	expect_refused(&h, SPEMU_ERR_IO);
	fixture_stop(&h.f);
}

static void garbage(struct host *h, void *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)p)[i] = (uint8_t)(prng_next(&h->prng) >> 24);
}

/* Fill the fault with random bytes. Members of type bool are 0 or 1, because any other value would
 * be an error of the host alone. */
static void garbage_fault(struct host *h, struct spemu_fault *fault)
{
	uint64_t bits = prng_next(&h->prng);

	garbage(h, fault, sizeof(*fault));
	fault->top_level = bits & 1;
	fault->assured_only = bits >> 1 & 1;
	fault->overlay = bits >> 2 & 1;
	fault->dirty_bit = bits >> 3 & 1;
	fault->external = bits >> 4 & 1;
	if (bits & 0x20)
		fault->written &= 63;
	if (bits & 0x40)
		fault->fsc &= 63;
	if (bits & 0x80)
		fault->kind = bits & 0x100   ? SPEMU_FAULT_STAGE1
		              : bits & 0x200 ? SPEMU_FAULT_EXTERNAL
		                             : SPEMU_FAULT_GPC;
}

static int garbage_status(struct host *h)
{
	uint64_t bits = prng_next(&h->prng);

	return bits & 3 ? 0 : bits & 4 ? (int)(bits >> 8) : (int)(bits >> 8 & 0x3f) - 8;
}

static int garbage_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                             const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct host *h = ctx;
	uint64_t bits = prng_next(&h->prng);

	(void)pe;
	(void)access;
	garbage(h, result, sizeof(*result));
	result->has_stage2 = bits & 1;
	result->memory.xs = result->stage1.xs = result->stage2.xs = bits >> 1 & 1;
	result->memory.tagged = result->stage1.tagged = result->stage2.tagged = bits >> 2 & 1;
	if (bits & 0x300)
		result->region_log2 = (uint8_t)(12 + (bits >> 10) % 52);
	if (bits & 0x3000)
		result->pas &= 3;
	if (bits & 0x30000)
		result->memory.type &= 3;
	garbage_fault(h, fault);
	return garbage_status(h);
}

static int garbage_write(void *ctx, struct spemu_fault *fault,
                         const struct spemu_buffer_write *access, const void *data, size_t size)
{
	struct host *h = ctx;

	assert_in_range(size, 1, SPEMU_RECORD_MAX);
	(void)hostile_write(ctx, fault, access, data, size);
	garbage_fault(h, fault);
	return garbage_status(h);
}

static uint64_t garbage_counter(void *ctx)
{
	return prng_next(&((struct host *)ctx)->prng);
}

static void check_sample(struct host *h)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct spemu_sample_result result;
	uint64_t n = spemu_spu_ops_until_sample(h->f.spu);
	int status;

	if (n == UINT64_MAX) {
		set(&h->f, SPEMU_REG_PMBSR_EL1, 0);
		set(&h->f, SPEMU_REG_PMBSR_EL2, 0);
		set(&h->f, SPEMU_REG_PMBSR_EL3, 0);
		set(&h->f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + (prng_next(&h->prng) & 0x1fff) * 2);
		return;
	}
	assert_int_equal(spemu_spu_ops(h->f.spu, n - 1), SPEMU_OK);
	if (spemu_spu_sample_begin(h->f.spu, 0x1000) != SPEMU_SAMPLE_STARTED)
		return;
	status = spemu_spu_sample_end(h->f.spu, &result, &op);
	assert_in_range(result.outcome, SPEMU_SAMPLE_RECORDED, SPEMU_SAMPLE_LOST);
	assert_in_range(result.written, 0, SPEMU_RECORD_MAX);
	assert_true(status <= 0);
	if (status < 0)
		assert_int_equal(result.outcome, SPEMU_SAMPLE_LOST);
	assert_int_equal(spemu_spu_samples_in_flight(h->f.spu), 0);
}

static void random_host_results_break_nothing(void **state)
{
	static const char el1_only[] = "v8.2" EL1_ONLY;
	static const char *const features[] = {el1_only, "v8.7", "v9.6"};

	(void)state;
	for (unsigned n = 0; n < 60; n++) {
		struct spemu_spu_config config = {.layout = n & 1 ? spemu_layout_dense
		                                                  : spemu_layout_neoverse,
		                                  .max_size_log2 = (uint8_t)(6 + n % 6)};
		struct host h = {.prng = n};

		fixture_start_seeded(&h.f, features[n % 3], &config, n);
		h.f.spu->host.buffer_write = garbage_write;
		h.f.spu->host.translate = n & 2 ? garbage_translate : NULL;
		h.f.spu->host.counter = garbage_counter;
		h.f.spu->host.pmbirq = NULL;
		set(&h.f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
		set(&h.f, SPEMU_REG_HCR_EL2, 0);
		set(&h.f, SPEMU_REG_MDCR_EL3,
		    FIELD(MDCR_EL3, NSPB, 3) | FIELD(MDCR_EL3, PMSEE, n & 3));
		set(&h.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
		program(&h.f, 1);
		if (n & 4)
			spemu_choice_set(h.f.pe, SPEMU_CHOICE_COUNT, SPEMU_CHOICE_RANDOM);
		for (unsigned i = 0; i < 2000; i++)
			check_sample(&h);
		fixture_stop(&h.f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(impossible_write_results_are_refused),
	        cmocka_unit_test(fault_after_all_bytes_is_refused),
	        cmocka_unit_test(fault_after_all_bytes_of_a_part_is_refused),
	        cmocka_unit_test(impossible_translations_are_refused),
	        cmocka_unit_test(random_host_results_break_nothing),
	};
	return cmocka_run_group_tests_name("hostile_host", tests, NULL, NULL);
}
