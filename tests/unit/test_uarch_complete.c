/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "timing/a64.h"
#include "uarch_fixture.h"

#define LATENCIES (SPEMU_OPV_TOTAL_LATENCY | SPEMU_OPV_ISSUE_LATENCY)

/* Start with a different number of cycles for each class, so that the test detects a wrong
 * class. */
static void start(struct machine *m)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.issue_cycles = 1000;
	p.store_cycles = 11;
	p.branch_cycles = 12;
	p.int_cycles = 13;
	p.mul_cycles = 14;
	p.div_cycles = 15;
	p.fp_cycles = 16;
	p.fma_cycles = 17;
	p.fdiv_cycles = 18;
	p.simd_cycles = 19;
	p.barrier_cycles = 20;
	p.data_source[UARCH_SRC_L1] = 0x51;
	p.data_source[UARCH_SRC_L2] = 0x52;
	p.data_source[UARCH_SRC_PEER] = 0x53;
	p.data_source[UARCH_SRC_LLC] = 0x54;
	p.data_source[UARCH_SRC_DRAM] = 0x55;
	machine_start_with(m, &p, 2, 2);
}

static struct spemu_op complete(struct machine *m, uint32_t opcode, struct uarch_result *r)
{
	struct spemu_op op;

	memset(&op, 0, sizeof(op));
	a64_classify(&op.kind, opcode, 0);
	r->opcode = opcode;
	uarch_complete(m->core[0], &op, r);
	assert_int_equal(op.issue_latency, 1000);
	assert_int_equal(op.valid & LATENCIES, LATENCIES);
	return op;
}

static void load_has_source_and_three_latencies(void **state)
{
	const uint32_t ldr = 0xf9400020;
	struct machine m;

	(void)state;
	start(&m);
	struct uarch_result r = load(&m, 0, 0x9000);
	struct spemu_op op = complete(&m, ldr, &r);

	assert_int_equal(op.data_source, 0x55);
	assert_int_equal(op.translation_latency, 45);
	assert_int_equal(op.total_latency, 1000 + 45 + 200);
	assert_int_equal(op.valid,
	                 LATENCIES | SPEMU_OPV_TRANSLATION_LATENCY | SPEMU_OPV_DATA_SOURCE);
	assert_true(op.events & EV(L1D_REFILL));
	/* The SPU sets these events (bits 0, 1 and 6), not the model. */
	assert_false(op.events & (EV(EXCEPTION) | EV(RETIRED) | EV(NOT_TAKEN)));

	r = load(&m, 0, 0x9000);
	op = complete(&m, ldr, &r);
	assert_int_equal(op.data_source, 0x51);
	assert_int_equal(op.total_latency, 1000 + 3);

	store(&m, 1, 0x9000);
	r = load(&m, 0, 0x9000);
	op = complete(&m, ldr, &r);
	assert_int_equal(op.data_source, 0x53);
	assert_int_equal(op.total_latency, 1000 + 70);
	machine_stop(&m);
}

static void store_has_no_source(void **state)
{
	struct machine m;

	(void)state;
	start(&m);
	struct uarch_result r = store(&m, 0, 0x9000);
	struct spemu_op op = complete(&m, 0xf9000020, &r); /* str x0, [x1] */

	assert_int_equal(op.valid, LATENCIES | SPEMU_OPV_TRANSLATION_LATENCY);
	assert_int_equal(op.total_latency, 1000 + 45 + 11);
	r = store(&m, 0, 0x9000);
	op = complete(&m, 0xc8027c20, &r); /* stxr w2, x0, [x1] has a status */
	assert_int_equal(op.total_latency, 1000 + 11 + 3);
	r = store(&m, 0, 0x9000);
	op = complete(&m, 0xf822b020, &r); /* st64bv x2, x0, [x1] too (D17.6.4.4) */
	assert_int_equal(op.total_latency, 1000 + 11 + 3);
	r = store(&m, 0, 0x9000);
	op = complete(&m, 0xf83f9020, &r); /* st64b x0, [x1] */
	assert_int_equal(op.total_latency, 1000 + 11);
	machine_stop(&m);
}

static void unperformed_access_has_no_translation_latency(void **state)
{
	struct uarch_result r = {0};
	struct machine m;

	(void)state;
	start(&m);
	struct spemu_op op = complete(&m, 0xf9400020, &r);

	assert_int_equal(op.valid, LATENCIES);
	assert_true(op.events == 0);
	op = complete(&m, 0xc8027c20, &r); /* a Store-Exclusive that failed */
	assert_int_equal(op.valid, LATENCIES);
	machine_stop(&m);
}

static void parts_of_an_operation_merge(void **state)
{
	struct uarch_result r = {0};
	struct machine m;

	(void)state;
	start(&m);
	load(&m, 0, 0x9000);
	access_in_steps(m.core[0], &r, 0x9000, 8, UARCH_LOAD); /* hits */
	access_in_steps(m.core[0], &r, 0x9040, 8, UARCH_LOAD); /* misses */
	access_in_steps(m.core[0], &r, 0x9008, 8, UARCH_LOAD); /* hits */
	assert_int_equal(r.accesses, 3);
	struct spemu_op op = complete(&m, 0xa9400420, &r); /* ldp x0, x1, [x1] */

	assert_int_equal(op.data_source, 0x55); /* the farthest source */
	assert_int_equal(op.total_latency, 1000 + 200);
	machine_stop(&m);
}

static void other_operations_take_latency_of_their_class(void **state)
{
	static const struct {
		uint32_t opcode;
		uint32_t cycles;
	} cases[] = {
	        {0x8b020020, 13}, /* add x0, x1, x2 */
	        {0x9a820020, 13}, /* csel x0, x1, x2, eq */
	        {0x9b020c20, 14}, /* madd x0, x1, x2, x3 */
	        {0x9bc27c20, 14}, /* umulh x0, x1, x2 */
	        {0x9ac20820, 15}, /* udiv x0, x1, x2 */
	        {0x1ac20c20, 15}, /* sdiv w0, w1, w2 */
	        {0x1e622820, 16}, /* fadd d0, d1, d2 */
	        {0x1f420c20, 17}, /* fmadd d0, d1, d2, d3 */
	        {0x4e22cc20, 17}, /* fmla v0.4s, v1.4s, v2.4s */
	        {0x1e221820, 18}, /* fdiv s0, s1, s2 */
	        {0x1e61c020, 18}, /* fsqrt d0, d1 */
	        {0x6e62fc20, 18}, /* fdiv v0.2d, v1.2d, v2.2d */
	        {0x6ea1f820, 18}, /* fsqrt v0.4s, v1.4s */
	        {0x4ea28420, 19}, /* add v0.4s, v1.4s, v2.4s */
	        {0xd5033bbf, 20}, /* dmb ish */
	        {0xd5033f9f, 20}, /* dsb sy */
	        {0xd5033fdf, 20}, /* isb */
	        {0xd503201f, 13}, /* nop */
	};
	struct machine m;

	(void)state;
	start(&m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct uarch_result r = {0};
		struct spemu_op op = complete(&m, cases[i].opcode, &r);

		assert_int_equal(op.total_latency, 1000 + cases[i].cycles);
		assert_int_equal(op.valid, LATENCIES);
		op = complete(&m, cases[i].opcode | 1, &r); /* another destination register */
		assert_int_equal(op.total_latency, 1000 + cases[i].cycles);
	}
	machine_stop(&m);
}

static void branch_records_its_misprediction(void **state)
{
	struct uarch_result r = {0};
	struct machine m;

	(void)state;
	start(&m);
	uarch_branch(m.core[0], &r, 0x1000, SPEMU_OPF_INDIRECT, true, 0x2000);
	struct spemu_op op = complete(&m, 0xd61f0000, &r); /* br x0 */

	assert_true(op.events == EV(MISPREDICTED));
	assert_int_equal(op.total_latency, 1000 + 12);
	assert_int_equal(op.valid, LATENCIES);
	machine_stop(&m);
}

static void host_events_are_kept_without_result(void **state)
{
	struct spemu_op op;
	struct machine m;

	(void)state;
	start(&m);
	memset(&op, 0, sizeof(op));
	op.events = EV(PARTIAL_PREDICATE);
	op.valid = SPEMU_OPV_VA;
	uarch_complete(m.core[0], &op, NULL);
	assert_true(op.events == EV(PARTIAL_PREDICATE));
	assert_int_equal(op.valid, LATENCIES | SPEMU_OPV_VA);
	assert_int_equal(op.total_latency, 1000 + 13);
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(load_has_source_and_three_latencies),
	        cmocka_unit_test(store_has_no_source),
	        cmocka_unit_test(unperformed_access_has_no_translation_latency),
	        cmocka_unit_test(parts_of_an_operation_merge),
	        cmocka_unit_test(other_operations_take_latency_of_their_class),
	        cmocka_unit_test(branch_records_its_misprediction),
	        cmocka_unit_test(host_events_are_kept_without_result),
	};
	return cmocka_run_group_tests_name("uarch_complete", tests, NULL, NULL);
}
