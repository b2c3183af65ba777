/* SPDX-License-Identifier: MIT */
/* Test the previous branch target: the target of the last branch that was taken and retired
 * (D17.6.3.1, FEAT_SPE_PBT). */
#include "spu_fixture.h"

#define PBT "v8.7,+FEAT_SPE_PBT"
#define NONE UINT64_MAX

/*
 * Sample `op`. Return the raw previous branch target in the record, or NONE if the record has none.
 */
static uint64_t previous(struct fixture *f, const struct spemu_op *op)
{
	struct spemu_record rec;

	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE);
	assert_int_equal(sample(f, op).outcome, SPEMU_SAMPLE_RECORDED);
	rec = record_at(f, BUFFER_BASE);
	return rec.present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PREV_BRANCH_TARGET)
	               ? rec.addr[SPEMU_ADDR_PREV_BRANCH_TARGET]
	               : NONE;
}

static void start(struct fixture *f)
{
	fixture_start(f, PBT EL1_ONLY, NULL);
	program(f, 1);
	set(f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	at_el(f, 1);
}

static void previous_branch_is_the_last_with_its_context(void **state)
{
	const uint64_t ns_el1 = UINT64_C(0xa0) << 56, ns_el0 = UINT64_C(0x80) << 56;
	struct spemu_op branch = an_op(SPEMU_OP_BRANCH), load = an_op(SPEMU_OP_LOAD);
	struct spemu_pe_state el0 = {.el = 0};
	struct fixture f;

	(void)state;
	branch.cond_pass = true;
	branch.target = 0x5000;
	branch.valid = SPEMU_OPV_TARGET;
	start(&f);
	assert_int_equal(reg(&f, SPEMU_REG_PMSIDR_EL1) >> 24 & 1, 1);
	assert_true(previous(&f, &branch) == NONE); /* there was no branch yet */
	spemu_spu_branch(f.spu, 0x1111, 0, NULL);
	spemu_spu_branch(f.spu, UINT64_C(0xffff000012345678), SPEMU_OPF_LINK, NULL);
	assert_true(previous(&f, &branch) == (ns_el1 | UINT64_C(0xff000012345678)));
	assert_true(previous(&f, &load) == (ns_el1 | UINT64_C(0xff000012345678)));
	/* The target of an exception return has the context to which it returned. */
	spemu_spu_branch(f.spu, 0x2000, SPEMU_OPF_ERET, &el0);
	spemu_pe_set(f.pe, &el0);
	assert_true(previous(&f, &load) == (ns_el0 | 0x2000));
	fixture_stop(&f);
}

/* The previous branch of a sampled branch is neither the branch itself nor a later branch. */
static void previous_branch_precedes_the_sampled_operation(void **state)
{
	struct spemu_op branch = an_op(SPEMU_OP_BRANCH);
	struct spemu_record rec;
	struct fixture f;

	(void)state;
	branch.cond_pass = true;
	start(&f);
	spemu_spu_branch(f.spu, 0x1000, 0, NULL);
	assert_int_equal(spemu_spu_ops(f.spu, 255), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(f.spu, 0x400), SPEMU_SAMPLE_STARTED);
	spemu_spu_branch(f.spu, 0x2000, 0, NULL);
	spemu_spu_branch(f.spu, 0x3000, 0, NULL);
	assert_int_equal(spemu_spu_sample_end(f.spu, NULL, &branch), SPEMU_OK);
	rec = record_at(&f, BUFFER_BASE);
	assert_int_equal(rec.addr[SPEMU_ADDR_PREV_BRANCH_TARGET] & 0xffff, 0x1000);
	assert_int_equal(previous(&f, &branch) & 0xffff, 0x3000);
	fixture_stop(&f);
}

/* Some branches are not recorded: a branch while profiling is disabled, a sampled branch that does
 * not retire, and a branch that the host does not know. */
static void untracked_branches_are_not_previous_branch(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_BRANCH);
	struct fixture f;

	(void)state;
	op.cond_pass = true;
	start(&f);
	spemu_spu_branch(f.spu, 0x1000, 0, NULL);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E0SPE, 1)); /* EL1 is not profiled */
	spemu_spu_branch(f.spu, 0x2000, 0, NULL);
	set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, E1SPE, 1) | FIELD(PMSCR_EL1, E0SPE, 1));
	assert_true(previous(&f, &op) == NONE);
	spemu_spu_branch(f.spu, 0x3000, 0, NULL);
	op.retired = false;
	assert_true(previous(&f, &op) == NONE);
	op.retired = true;
	assert_int_equal(previous(&f, &op) & 0xffff, 0x3000);
	spemu_spu_branch_unknown(f.spu);
	assert_true(previous(&f, &op) == NONE);
	spemu_spu_branch(f.spu, 0x4000, 0, NULL);
	assert_int_equal(previous(&f, &op) & 0xffff, 0x4000);
	fixture_stop(&f);

	fixture_start(&f, "v8.7" EL1_ONLY, NULL); /* without FEAT_SPE_PBT */
	program(&f, 1);
	spemu_spu_branch(f.spu, 0x1000, 0, NULL);
	assert_true(previous(&f, &op) == NONE);
	fixture_stop(&f);
}

/* The previous branch is saved with the SPU. The previous branch of a sample in flight is saved,
 * too. */
static void previous_branch_is_saved_and_loaded(void **state)
{
	struct spemu_op op = an_op(SPEMU_OP_LOAD);
	struct fixture_image image;
	struct fixture a, b;

	(void)state;
	start(&a);
	start(&b);
	spemu_spu_branch(a.spu, 0x1000, 0, NULL);
	assert_int_equal(spemu_spu_ops(a.spu, 255), SPEMU_OK);
	assert_int_equal(spemu_spu_sample_begin(a.spu, 0x400), SPEMU_SAMPLE_STARTED);
	spemu_spu_branch(a.spu, 0x2000, 0, NULL);
	fixture_save(&a, &image);
	fixture_load(&b, &image);
	assert_int_equal(spemu_spu_sample_end(b.spu, NULL, &op), SPEMU_OK);
	assert_int_equal(record_at(&b, BUFFER_BASE).addr[SPEMU_ADDR_PREV_BRANCH_TARGET] & 0xffff,
	                 0x1000);
	assert_int_equal(previous(&b, &op) & 0xffff, 0x2000);
	fixture_stop(&a);
	fixture_stop(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(previous_branch_is_the_last_with_its_context),
	        cmocka_unit_test(previous_branch_precedes_the_sampled_operation),
	        cmocka_unit_test(untracked_branches_are_not_previous_branch),
	        cmocka_unit_test(previous_branch_is_saved_and_loaded),
	};
	return cmocka_run_group_tests_name("prev_branch", tests, NULL, NULL);
}
