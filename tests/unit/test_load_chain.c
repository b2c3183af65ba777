/* SPDX-License-Identifier: MIT */
/* Test which loads the address of a load depends on (hosts/qemu/load_chain.h). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../hosts/qemu/load_chain.h"

#define X(n) (UINT32_C(1) << (n))

/* The loop of a program that advances by a stride plus the loaded byte. */
static const uint32_t walk[] = {
        0x38616802, /* ldrb w2, [x0, x1] */
        0x91000463, /* add  x3, x3, #1 */
        0x91070042, /* add  x2, x2, #448 */
        0x8b010041, /* add  x1, x2, x1 */
        0x92405c21, /* and  x1, x1, #0xffffff */
        0xeb03027f, /* cmp  x19, x3 */
};

static void loop_depends_on_its_previous_run(void **state)
{
	struct block_registers registers[6];

	(void)state;
	load_chain(registers, walk, 6, false);
	assert_int_equal(registers[0].from, X(0) | X(1));
	assert_int_equal(registers[0].to, X(2));
	for (unsigned i = 1; i < 6; i++) {
		assert_int_equal(registers[i].from, 0);
		assert_int_equal(registers[i].to, 0);
	}
	load_chain(registers, walk, 6, true);
	assert_int_equal(registers[0].from, X(0) | X(1) | X(2));
	assert_int_equal(registers[0].to, X(2));
}

/* Values pass through moves, and through the base register that a load updates. The stack pointer
 * and constants come from no load. */
static void values_pass_through_a_block(void **state)
{
	static const struct {
		uint32_t opcode, from, to;
	} step[] = {
	        {0xf84084a4, X(5), X(4)},         /* ldr x4, [x5], #8 */
	        {0xa9401c86, X(4), X(6) | X(7)},  /* ldp x6, x7, [x4] */
	        {0xaa0603e8, 0, 0},               /* mov x8, x6 */
	        {0xf86a4909, X(6) | X(10), X(9)}, /* ldr x9, [x8, w10, uxtw] */
	        {0xf9000129, X(9), 0},            /* str x9, [x9] */
	        {0xf84084a4, X(5), X(4)},         /* ldr x4, [x5], #8 */
	        {0x9000000b, 0, 0},               /* adrp x11 */
	        {0xf940016c, 0, X(12)},           /* ldr x12, [x11] */
	        {0xfd400180, X(12), 0},           /* ldr d0, [x12] */
	        {0x910043ef, 0, 0},               /* add x15, sp, #16 */
	        {0xf94001f0, 0, X(16)},           /* ldr x16, [x15] */
	};
	enum { STEPS = sizeof(step) / sizeof(step[0]) };
	struct block_registers registers[STEPS];
	uint32_t opcode[STEPS];

	(void)state;
	for (unsigned i = 0; i < STEPS; i++)
		opcode[i] = step[i].opcode;
	load_chain(registers, opcode, STEPS, false);
	for (unsigned i = 0; i < STEPS; i++) {
		assert_int_equal(registers[i].from, step[i].from);
		assert_int_equal(registers[i].to, step[i].to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(loop_depends_on_its_previous_run),
	        cmocka_unit_test(values_pass_through_a_block),
	};
	return cmocka_run_group_tests_name("load_chain", tests, NULL, NULL);
}
