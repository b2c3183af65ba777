/* SPDX-License-Identifier: MIT */
/*
 * Test the effects of instructions on addresses (tools/types/effect.h). The opcodes are those of
 * binutils' assembler for the instruction in the comment; the expectations are the operations of
 * Arm ARM, DDI 0487 M.a, C6.2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../tools/types/effect.h"

#define Z REGISTER_ZERO
#define SP REGISTER_SP
enum { PC = 0x400000 };

static struct effect effect(uint32_t opcode)
{
	struct effect e;

	effect_of(&e, opcode, PC);
	return e;
}

/* The registers and the number of an instruction without a memory access. */
static const struct {
	uint32_t opcode;
	enum effect_kind kind;
	uint8_t d, n, m, a, shift;
	bool narrow;
	int64_t value;
} computing[] = {
        {0x91004020, EFFECT_ADD, 0, 1, Z, Z, 0, false, 16},            /* add x0, x1, #16 */
        {0x91400420, EFFECT_ADD, 0, 1, Z, Z, 0, false, 4096},          /* add x0, x1, #1, lsl #12 */
        {0xd10083ff, EFFECT_ADD, SP, SP, Z, Z, 0, false, -32},         /* sub sp, sp, #32 */
        {0xb100107f, EFFECT_ADD, Z, 3, Z, Z, 0, false, 4},             /* adds xzr, x3, #4 */
        {0x910003e0, EFFECT_ADD, 0, SP, Z, Z, 0, false, 0},            /* mov x0, sp */
        {0x8b020020, EFFECT_ADD_REGISTER, 0, 1, 2, Z, 0, false, 0},    /* add x0, x1, x2 */
        {0x8b020c20, EFFECT_ADD_REGISTER, 0, 1, 2, Z, 3, false, 0},    /* ..., lsl #3 */
        {0x8b22cbe0, EFFECT_ADD_REGISTER, 0, SP, 2, Z, 2, false, 0},   /* add x0, sp, w2, sxtw #2 */
        {0xcb021020, EFFECT_SUBTRACT, 0, 1, 2, Z, 4, false, 0},        /* sub x0, x1, x2, lsl #4 */
        {0xaa0103e0, EFFECT_MOVE, 0, 1, 1, Z, 0, false, 0},            /* mov x0, x1 */
        {0x2a0103e0, EFFECT_MOVE, 0, 1, 1, Z, 0, true, 0},             /* mov w0, w1 */
        {0xd2800300, EFFECT_NUMBER, 0, Z, Z, Z, 0, false, 24},         /* mov x0, #24 */
        {0x92800005, EFFECT_NUMBER, 5, Z, Z, Z, 0, false, -1},         /* mov x5, #-1 */
        {0xd37df020, EFFECT_SHIFT, 0, 1, Z, Z, 3, false, 0},           /* lsl x0, x1, #3 */
        {0x93407c20, EFFECT_SHIFT, 0, 1, Z, Z, 0, false, 0},           /* sxtw x0, w1 */
        {0xd37c1c20, EFFECT_SHIFT, 0, 1, Z, Z, 4, false, 0},           /* ubfiz x0, x1, #4, #8 */
        {0x9b020c20, EFFECT_MULTIPLY, 0, 1, 2, 3, 0, false, 0},        /* madd x0, x1, x2, x3 */
        {0x9b220c20, EFFECT_MULTIPLY, 0, 1, 2, 3, 0, false, 0},        /* smaddl x0, w1, w2, x3 */
        {0x9a820020, EFFECT_SELECT, 0, 1, 2, Z, 0, false, 0},          /* csel x0, x1, x2, eq */
        {0xd53bd040, EFFECT_THREAD, 0, Z, Z, Z, 0, false, 0},          /* mrs x0, tpidr_el0 */
        {0xb0000000, EFFECT_ADDRESS, 0, Z, Z, Z, 0, false, PC + 4096}, /* adrp x0, .+4096 */
        {0x10000040, EFFECT_ADDRESS, 0, Z, Z, Z, 0, false, PC + 8},    /* adr x0, .+8 */
        {0xd4200020, EFFECT_TRAP, Z, Z, Z, Z, 0, false, 0},            /* brk #1, of LLVM */
        {0xd4207d00, EFFECT_TRAP, Z, Z, Z, Z, 0, false, 0},            /* brk #1000, of GCC */
        {0xd4210000, EFFECT_OTHER, Z, Z, Z, Z, 0, false, 0},           /* brk #0x800, of Linux */
        {0x00000000, EFFECT_TRAP, Z, Z, Z, Z, 0, false, 0},            /* udf #0 */
};

static void operands_of_computations_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(computing) / sizeof(computing[0]); i++) {
		struct effect e = effect(computing[i].opcode);

		assert_int_equal(e.kind, computing[i].kind);
		assert_int_equal(e.d, computing[i].d);
		assert_int_equal(e.narrow, computing[i].narrow);
		assert_int_equal(e.value, computing[i].value);
		assert_int_equal(e.shift, computing[i].shift);
		if (computing[i].n != Z)
			assert_int_equal(e.n, computing[i].n);
		if (computing[i].m != Z)
			assert_int_equal(e.m, computing[i].m);
		if (computing[i].a != Z)
			assert_int_equal(e.a, computing[i].a);
		assert_false(effect_accesses(&e));
		if (computing[i].d != Z)
			assert_int_equal(e.written, UINT32_C(1) << computing[i].d);
	}
}

static void other_instructions_only_write(void **state)
{
	/* movk x5, #1, lsl #16; lsr x0, x1, #3; msub x0, x1, x2, x3; csinc x0, x1, x2, eq */
	static const uint32_t opcodes[] = {0xf2a00025, 0xd343fc20, 0x9b028c20, 0x9a820420};

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		struct effect e = effect(opcodes[i]);

		assert_int_equal(e.kind, EFFECT_OTHER);
		assert_int_equal(e.written, UINT32_C(1) << (i ? 0 : 5));
	}
	/* prfm pldl1keep, [x1] */
	assert_int_equal(effect(0xf9800020).kind, EFFECT_OTHER);
	assert_int_equal(effect(0xf9800020).written, 0);
}

/* A load or store. step is 0 without write-back. */
static const struct {
	uint32_t opcode;
	enum effect_kind kind;
	uint8_t base, index, index_shift, count;
	uint16_t size;
	uint8_t data[2];
	int64_t offset, step;
	bool pre;
} accessing[] = {
        {0xf9400420, EFFECT_LOAD, 1, Z, 0, 1, 8, {0, Z}, 8, 0, false},   /* ldr x0, [x1, #8] */
        {0xb8404420, EFFECT_LOAD, 1, Z, 0, 1, 4, {0, Z}, 0, 4, false},   /* ldr w0, [x1], #4 */
        {0xf81f0c20, EFFECT_STORE, 1, Z, 0, 1, 8, {0, Z}, 0, -16, true}, /* str x0, [x1, #-16]! */
        {0xa9410440, EFFECT_LOAD, 2, Z, 0, 2, 8, {0, 1}, 16, 0, false},  /* ldp x0, x1, [x2, #16] */
        {0xa9be7bfd, EFFECT_STORE, SP, Z, 0, 2, 8, {29, 30}, 0, -32, true}, /* stp x29, x30,
                                                                               [sp, #-32]! */
        {0x28c10440, EFFECT_LOAD, 2, Z, 0, 2, 4, {0, 1}, 0, 8, false},   /* ldp w0, w1, [x2], #8 */
        {0xf8627820, EFFECT_LOAD, 1, 2, 3, 1, 8, {0, Z}, 0, 0, false},   /* ldr x0, [x1, x2,
                                                                             lsl #3] */
        {0x38624820, EFFECT_LOAD, 1, 2, 0, 1, 1, {0, Z}, 0, 0, false},   /* ldrb w0, [x1, w2,
                                                                             uxtw] */
        {0x3dc00820, EFFECT_LOAD, 1, Z, 0, 1, 16, {Z, Z}, 32, 0, false}, /* ldr q0, [x1, #32] */
        {0xc85ffc20, EFFECT_LOAD, 1, Z, 0, 1, 8, {0, Z}, 0, 0, false},   /* ldaxr x0, [x1] */
        {0xc802fc20, EFFECT_STORE, 1, Z, 0, 1, 8, {0, Z}, 0, 0, false},  /* stlxr w2, x0, [x1] */
        {0xf8200041, EFFECT_ATOMIC, 2, Z, 0, 1, 8, {1, Z}, 0, 0, false}, /* ldadd x0, x1, [x2] */
        {0xc8a07c41, EFFECT_ATOMIC, 2, Z, 0, 1, 8, {0, Z}, 0, 0, false}, /* cas x0, x1, [x2] */
        {0x4cdf7020, EFFECT_LOAD, 1, Z, 0, 1, 16, {Z, Z}, 0, 16, false}, /* ld1 {v0.16b}, [x1],
                                                                             #16 */
};

static void addresses_of_accesses_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(accessing) / sizeof(accessing[0]); i++) {
		struct effect e = effect(accessing[i].opcode);

		assert_int_equal(e.kind, accessing[i].kind);
		assert_true(effect_accesses(&e));
		assert_int_equal(e.base, accessing[i].base);
		assert_int_equal(e.index, accessing[i].index);
		assert_int_equal(e.index_shift, accessing[i].index_shift);
		assert_int_equal(e.count, accessing[i].count);
		assert_int_equal(e.size, accessing[i].size);
		assert_int_equal(e.data[0], accessing[i].data[0]);
		assert_int_equal(e.data[1], accessing[i].data[1]);
		assert_int_equal(e.offset, accessing[i].offset);
		assert_int_equal(e.pre || e.post ? e.step : 0, accessing[i].step);
		assert_int_equal(e.pre, accessing[i].pre);
	}
}

static void branches_have_their_targets(void **state)
{
	struct effect e = effect(0x94000004); /* bl .+16 */

	(void)state;
	assert_int_equal(e.kind, EFFECT_CALL);
	assert_true(e.direct);
	assert_int_equal(e.target, PC + 16);
	e = effect(0x54ffffe0); /* b.eq .-4 */
	assert_int_equal(e.kind, EFFECT_BRANCH);
	assert_true(e.direct && e.conditional);
	assert_int_equal(e.target, PC - 4);
	e = effect(0x14000002); /* b .+8 */
	assert_true(e.kind == EFFECT_BRANCH && e.direct && !e.conditional);
	e = effect(0xd63f0060); /* blr x3 */
	assert_true(e.kind == EFFECT_CALL && !e.direct);
	assert_int_equal(e.n, 3);
	e = effect(0xd61f0080); /* br x4 */
	assert_true(e.kind == EFFECT_BRANCH && !e.direct && !e.conditional);
	assert_int_equal(effect(0xd65f03c0).kind, EFFECT_RETURN); /* ret */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(operands_of_computations_are_known),
	        cmocka_unit_test(other_instructions_only_write),
	        cmocka_unit_test(addresses_of_accesses_are_known),
	        cmocka_unit_test(branches_have_their_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
