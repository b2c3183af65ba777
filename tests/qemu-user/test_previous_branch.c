/* SPDX-License-Identifier: MIT */
/*
 * Test hosts/qemu/previous_branch.c alone: it derives the previously taken branch from the sequence
 * of executed blocks (DDI 0487 M.a, D17.6.3.1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <spemu/choices.h>

#include "pe_fixture.h"
#include "previous_branch.h"

enum { FIRST = 0x1000, INSNS = 4, LAST = 0x100c, NEXT = 0x1010, FAR = 0x8000, OLD = 0x4444 };
enum { OTHER = SPEMU_OP_OTHER, BRANCH = SPEMU_OP_BRANCH };
enum { SAME, TAKEN, NONE, UNKNOWN };

static const struct {
	const char *text;
	unsigned type;
	uint32_t flags;
	int32_t offset;
	uint64_t next;
	int expected, midway; /* the result, and the result if a block may end early */
} cases[] = {
        {"a branch to its target", BRANCH, 0, FAR - LAST, FAR, TAKEN, TAKEN},
        {"backward", BRANCH, SPEMU_OPF_LINK, -8, LAST - 8, TAKEN, TAKEN},
        {"to its own block's first instruction", BRANCH, 0, FIRST - LAST, FIRST, TAKEN, TAKEN},
        {"an exception at a branch", BRANCH, 0, 0x100, FAR, NONE, NONE},
        {"its handler is the next instruction", BRANCH, 0, 0x100, NEXT, NONE, NONE},
        {"a conditional branch", BRANCH, SPEMU_OPF_CONDITIONAL, 0x100, LAST + 0x100, TAKEN, TAKEN},
        {"that is not taken", BRANCH, SPEMU_OPF_CONDITIONAL, 0x100, NEXT, SAME, SAME},
        {"an exception at it", BRANCH, SPEMU_OPF_CONDITIONAL, 0x100, FAR, NONE, NONE},
        {"an indirect branch", BRANCH, SPEMU_OPF_INDIRECT, 0, FAR, TAKEN, TAKEN},
        {"to the next instruction", BRANCH, SPEMU_OPF_INDIRECT, 0, NEXT, TAKEN, TAKEN},
        {"to its block's first one", BRANCH, SPEMU_OPF_INDIRECT, 0, FIRST, TAKEN, TAKEN},
        {"or second one", BRANCH, SPEMU_OPF_INDIRECT, 0, FIRST + 4, TAKEN, UNKNOWN},
        {"or to itself", BRANCH, SPEMU_OPF_INDIRECT, 0, LAST, TAKEN, UNKNOWN},
        {"an exception return", BRANCH, SPEMU_OPF_ERET, 0, FAR, TAKEN, TAKEN},
        {"no branch", OTHER, 0, 0, NEXT, SAME, SAME},
        {"an exception after it", OTHER, 0, 0, FAR, NONE, NONE},
        {"at its block's first instruction", OTHER, 0, 0, FIRST, NONE, NONE},
        {"at the second one", OTHER, 0, 0, FIRST + 4, NONE, SAME},
        {"at the last one", OTHER, 0, 0, LAST, NONE, SAME},
        {"SVC whose handler is next", OTHER, SPEMU_OPF_EXCEPTION, 0, NEXT, NONE, NONE},
        {"SVC", OTHER, SPEMU_OPF_EXCEPTION, 0, FAR, NONE, NONE},
        {"a branch that is left before it", BRANCH, 0, 0x100, LAST, NONE, SAME},
};

static void make_block(struct block *block, unsigned type, uint32_t flags, int32_t offset)
{
	*block = (struct block){
	        .pc = FIRST,
	        .insns = INSNS,
	        .last = {.type = (uint8_t)type, .flags = flags, .branch_offset = offset}};
}

static struct previous_branch fresh(bool midway)
{
	return (struct previous_branch){
	        .known = PREVIOUS_BRANCH_TAKEN, .target = OLD, .midway = midway};
}

static void check_known(const char *text, const struct previous_branch *p, int expected,
                        uint64_t next, uint32_t flags)
{
	static const uint8_t known[] = {
	        [SAME] = PREVIOUS_BRANCH_TAKEN,
	        [TAKEN] = PREVIOUS_BRANCH_TAKEN,
	        [NONE] = PREVIOUS_BRANCH_NONE,
	        [UNKNOWN] = PREVIOUS_BRANCH_UNKNOWN,
	};

	if (p->known != known[expected])
		fail_msg("%s: %u is known", text, p->known);
	if (p->known == PREVIOUS_BRANCH_TAKEN &&
	    p->target != (expected == SAME ? (uint64_t)OLD : next))
		fail_msg("%s: target %llx", text, (unsigned long long)p->target);
	if (expected == TAKEN && p->flags != flags)
		fail_msg("%s: flags %x", text, p->flags);
}

static void between_blocks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const bool midway = i & 1;
		const int expected = midway ? cases[i / 2].midway : cases[i / 2].expected;
		struct block block, next = {.pc = cases[i / 2].next, .insns = 1};
		struct previous_branch p = fresh(midway), left, again;

		make_block(&block, cases[i / 2].type, cases[i / 2].flags, cases[i / 2].offset);
		assert_false(previous_branch_block(&p, &block, false)); /* the first block */
		left = again = p;
		left.left = true;
		if (expected == TAKEN)
			p.known = PREVIOUS_BRANCH_UNKNOWN;
		if (previous_branch_block(&p, &next, false) != (expected != SAME))
			fail_msg("%s: wrong whether it is new", cases[i / 2].text);
		check_known(cases[i / 2].text, &p, expected, next.pc, cases[i / 2].flags);
		/* A block whose last instruction was not executed gives no information. */
		assert_false(previous_branch_block(&left, &next, false));
		check_known("left", &left, SAME, 0, 0);
		assert_false(left.left);
		assert_false(previous_branch_block(&again, &next, true));
		check_known("again", &again, SAME, 0, 0);
	}
}

/* Two blocks that branch to each other. The second has one instruction. */
static void chain(void **state)
{
	struct block block;
	struct block second = {.pc = FAR,
	                       .insns = 1,
	                       .last = {.type = SPEMU_OP_BRANCH, .branch_offset = FIRST - FAR}};
	struct previous_branch p = fresh(false);

	(void)state;
	make_block(&block, BRANCH, 0, FAR - LAST);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(previous_branch_block(&p, &block, false), i > 0);
		assert_int_equal(p.target, i ? FIRST : OLD);
		assert_true(previous_branch_block(&p, &second, false));
		assert_int_equal(p.target, FAR);
	}
}

static void isb(void **state)
{
	static const struct {
		unsigned synchronization, branch;
		int expected;
	} by_choice[] = {
	        {SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_NOT_RECORDED,
	         SPEMU_PREVIOUS_TARGET_OF_ISB_NO_BRANCH, NONE},
	        {SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_RECORDED,
	         SPEMU_PREVIOUS_TARGET_OF_ISB_NO_BRANCH, SAME},
	        {SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_RECORDED,
	         SPEMU_PREVIOUS_TARGET_OF_ISB_RECORDED, TAKEN},
	};
	struct block block, next = {.pc = NEXT, .insns = 1}, after = {.pc = NEXT + 4, .insns = 1};

	(void)state;
	make_block(&block, OTHER, SPEMU_OPF_ISB, 0);
	for (unsigned i = 0; i < sizeof(by_choice) / sizeof(by_choice[0]); i++) {
		struct spemu_pe *pe = pe_make("v9.4");
		struct previous_branch p = fresh(false);

		assert_int_equal(
		        spemu_choice_set(pe, SPEMU_CHOICE_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION,
		                         by_choice[i].synchronization),
		        SPEMU_OK);
		assert_int_equal(spemu_choice_set(pe, SPEMU_CHOICE_PREVIOUS_TARGET_OF_ISB,
		                                  by_choice[i].branch),
		                 SPEMU_OK);
		p.isb = 0xff;
		previous_branch_start(&p, pe);
		check_known("start", &p, NONE, 0, 0);
		p.known = PREVIOUS_BRANCH_TAKEN;
		assert_false(previous_branch_block(&p, &block, false));
		assert_int_equal(previous_branch_block(&p, &next, false),
		                 by_choice[i].expected != SAME);
		check_known("ISB", &p, by_choice[i].expected, NEXT, SPEMU_OPF_ISB);
		assert_false(previous_branch_block(&p, &after, false)); /* no ISB in between */
		free(pe);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(between_blocks),
	        cmocka_unit_test(chain),
	        cmocka_unit_test(isb),
	};

	return cmocka_run_group_tests_name("previous_branch", tests, NULL, NULL);
}
