/* SPDX-License-Identifier: MIT */
/* C1.3.3: addressing modes, and which registers an instruction writes. Opcodes are binutils'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <spemu/a64.h>

#define X(n) (0x1000ull * ((n) + 1)) /* what register n holds; 31 is the stack pointer */
#define PC UINT64_C(0x40000)
#define R(n) (UINT32_C(1) << (n))

static void addresses_follow_from_registers(void **state)
{
	static const struct {
		uint32_t opcode, uses;
		uint64_t address;
		const char *text;
	} rows[] = {
	        {0xf9400820, R(1), X(1) + 16, "ldr x0, [x1, #16]"},
	        {0xb8625820, R(1) | R(2), X(1) + (X(2) << 2), "ldr w0, [x1, w2, uxtw #2]"},
	        {0xf8408420, R(1), X(1), "ldr x0, [x1], #8"},
	        {0xf85f8c20, R(1), X(1) - 8, "ldr x0, [x1, #-8]!"},
	        {0xa94207e0, R(31), X(31) + 32, "ldp x0, x1, [sp, #32]"},
	        {0xa9bf7bfd, R(31), X(31) - 16, "stp x29, x30, [sp, #-16]!"},
	        {0x58000040, 0, PC + 8, "ldr x0, .+8"},
	        {0xc85ffc20, R(1), X(1), "ldaxr x0, [x1]"},
	        {0x4c407000, R(0), X(0), "ld1 {v0.16b}, [x0]"},
	        {0xf8200041, R(2), X(2), "ldadd x0, x1, [x2]"},
	        {0x3ce57883, R(4) | R(5), X(4) + (X(5) << 4), "ldr q3, [x4, x5, lsl #4]"},
	        {0xb8a8c8e6, R(7) | R(8), X(7) + X(8), "ldrsw x6, [x7, w8, sxtw]"},
	        {0x785fd820, R(1), X(1) - 3, "ldtrh w0, [x1, #-3]"},
	        {0xc89ffd49, R(10), X(10), "stlr x9, [x10]"},
	        {0xa8810440, R(2), X(2), "stp x0, x1, [x2], #16"},
	};
	uint64_t x[32];

	(void)state;
	for (unsigned n = 0; n < 32; n++)
		x[n] = X(n);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_a64_mode mode;

		if (!spemu_a64_mode(&mode, rows[i].opcode) ||
		    spemu_a64_uses(&mode) != rows[i].uses ||
		    spemu_a64_address(&mode, PC, x) != rows[i].address)
			fail_msg("%s", rows[i].text);
	}
}

static void an_index_is_extended(void **state)
{
	uint64_t x[32] = {[7] = 0x10000, [8] = UINT64_C(0x123fffffff0)};
	struct spemu_a64_mode mode;

	(void)state;
	assert_true(spemu_a64_mode(&mode, 0xb8a8c8e6)); /* ldrsw x6, [x7, w8, sxtw] */
	assert_true(spemu_a64_address(&mode, PC, x) == 0x10000 - 16);
	assert_true(spemu_a64_mode(&mode, 0xb8a848e6)); /* ldrsw x6, [x7, w8, uxtw] */
	assert_true(spemu_a64_address(&mode, PC, x) == UINT64_C(0x10000fff0));
	assert_true(spemu_a64_mode(&mode, 0xb8a868e6)); /* ldrsw x6, [x7, x8] */
	assert_true(spemu_a64_address(&mode, PC, x) == UINT64_C(0x1240000fff0));
}

static void others_have_no_mode(void **state)
{
	static const uint32_t opcodes[] = {
	        0xc8027c20, /* stxr w2, x0, [x1] */
	        0xf9800020, /* prfm pldl1keep, [x1] */
	        0xf8200420, /* ldraa x0, [x1] */
	        0xd9200820, /* stg x0, [x1] */
	        0x8b020023, /* add x3, x1, x2 */
	        0x94000000, /* bl . */
	};
	struct spemu_a64_mode mode;

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
		assert_false(spemu_a64_mode(&mode, opcodes[i]));
}

/* At most these: more may be named where binutils would need the operand's type. */
static void writes_are_not_missed(void **state)
{
	static const struct {
		uint32_t opcode, writes;
		bool exactly;
	} rows[] = {
	        {0x8b020023, R(3), true},        /* add x3, x1, x2 */
	        {0xeb02003f, 0, true},           /* cmp x1, x2 */
	        {0x910043ff, R(31), true},       /* add sp, sp, #16 */
	        {0x927c0c3f, R(31), true},       /* and sp, x1, #0xf0 */
	        {0xf27c0c3f, 0, false},          /* tst x1, #0xf0 */
	        {0xf9400420, R(0), true},        /* ldr x0, [x1, #8] */
	        {0xf9000420, 0, true},           /* str x0, [x1, #8] */
	        {0xf8408420, R(0) | R(1), true}, /* ldr x0, [x1], #8 */
	        {0xa8810440, R(2), true},        /* stp x0, x1, [x2], #16 */
	        {0xa94207e0, R(0) | R(1), true}, /* ldp x0, x1, [sp, #32] */
	        {0xa9bf7bfd, R(31), true},       /* stp x29, x30, [sp, #-16]! */
	        {0x9a820029, R(9), true},        /* csel x9, x1, x2, eq */
	        {0xdac10107, R(7), true},        /* pacia x7, x8 */
	        {0x9e660005, R(5), false},       /* fmov x5, d0 */
	        {0xd503233f, R(30), false},      /* paciasp */
	        {0xf8200041, R(1), false},       /* ldadd x0, x1, [x2] */
	        {0xc8027c20, R(2), false},       /* stxr w2, x0, [x1] */
	        {0x94000000, R(30), false},      /* bl . */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t written = spemu_a64_written(rows[i].opcode);

		if ((written & rows[i].writes) != rows[i].writes ||
		    (rows[i].exactly && written != rows[i].writes))
			fail_msg("%08x: %08x", rows[i].opcode, written);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(addresses_follow_from_registers),
	        cmocka_unit_test(an_index_is_extended),
	        cmocka_unit_test(others_have_no_mode),
	        cmocka_unit_test(writes_are_not_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
