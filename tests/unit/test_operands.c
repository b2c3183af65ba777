/* SPDX-License-Identifier: MIT */
/* Test which registers an instruction reads and writes. The opcodes come from binutils. The
 * expected registers are those in the assembly text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "timing/a64.h"

/* Parse a list such as "x1 sp v2 f", where f stands for the flags. */
static struct a64_registers registers(const char *text)
{
	struct a64_registers r = {0};

	while (*text) {
		const char *end = text + strcspn(text, " ");
		unsigned n = (unsigned)strtoul(text + 1, NULL, 10);

		if (*text == 'f')
			r.nzcv = true;
		else if (*text == 'v')
			r.v |= UINT32_C(1) << n;
		else
			r.x |= UINT32_C(1) << (*text == 's' ? 31 : n);
		text = *end ? end + 1 : end;
	}
	return r;
}

static bool same(struct a64_registers a, struct a64_registers b)
{
	return a.x == b.x && a.v == b.v && a.nzcv == b.nzcv;
}

static void operands_match_the_assembly(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *text, *reads, *writes;
	} rows[] = {
	        {0x10000003, "adr x3, .", "", "x3"},
	        {0x90000003, "adrp x3, .", "", "x3"},
	        {0x91001023, "add x3, x1, #4", "x1", "x3"},
	        {0x910043ff, "add sp, sp, #16", "sp", "sp"},
	        {0xf10013e3, "subs x3, sp, #4", "sp", "x3 f"},
	        {0xf1000c3f, "cmp x1, #3", "x1", "f"},
	        {0x927c0c23, "and x3, x1, #0xf0", "x1", "x3"},
	        {0x927c0c3f, "and sp, x1, #0xf0", "x1", "sp"},
	        {0xf27c0c3f, "tst x1, #0xf0", "x1", "f"},
	        {0xd2800023, "movz x3, #1", "", "x3"},
	        {0xf2800023, "movk x3, #1", "x3", "x3"},
	        {0xb37c0c23, "bfi x3, x1, #4, #4", "x1 x3", "x3"},
	        {0xd3441c23, "ubfx x3, x1, #4, #4", "x1", "x3"},
	        {0x93c21023, "extr x3, x1, x2, #4", "x1 x2", "x3"},
	        {0x8a020023, "and x3, x1, x2", "x1 x2", "x3"},
	        {0xea020023, "ands x3, x1, x2", "x1 x2", "x3 f"},
	        {0xaa0203e3, "mov x3, x2", "x2", "x3"},
	        {0x2a2203e3, "mvn w3, w2", "x2", "x3"},
	        {0x8b020023, "add x3, x1, x2", "x1 x2", "x3"},
	        {0xeb020823, "subs x3, x1, x2, lsl #2", "x1 x2", "x3 f"},
	        {0xeb02003f, "cmp x1, x2", "x1 x2", "f"},
	        {0x8b2243e3, "add x3, sp, w2, uxtw", "sp x2", "x3"},
	        {0xeb2263ff, "cmp sp, x2", "sp x2", "f"},
	        {0x9a020023, "adc x3, x1, x2", "x1 x2 f", "x3"},
	        {0xfa020023, "sbcs x3, x1, x2", "x1 x2 f", "x3 f"},
	        {0xba010423, "rmif x1, #2, #3", "x1 f", "f"},
	        {0xfa420020, "ccmp x1, x2, #0, eq", "x1 x2 f", "f"},
	        {0xfa420820, "ccmp x1, #2, #0, eq", "x1 f", "f"},
	        {0x9a820023, "csel x3, x1, x2, eq", "x1 x2 f", "x3"},
	        {0x9a9f17e3, "cset x3, eq", "f", "x3"},
	        {0x9ac22023, "lslv x3, x1, x2", "x1 x2", "x3"},
	        {0x9ac20823, "udiv x3, x1, x2", "x1 x2", "x3"},
	        {0xdac01023, "clz x3, x1", "x1", "x3"},
	        {0x5ac00823, "rev w3, w1", "x1", "x3"},
	        {0x9b021023, "madd x3, x1, x2, x4", "x1 x2 x4", "x3"},
	        {0x9b027c23, "mul x3, x1, x2", "x1 x2", "x3"},
	        {0x9bc27c23, "umulh x3, x1, x2", "x1 x2", "x3"},
	        {0x14000000, "b .", "", ""},
	        {0x94000000, "bl .", "", "x30"},
	        {0xb4000005, "cbz x5, .", "x5", ""},
	        {0x37180005, "tbnz x5, #3, .", "x5", ""},
	        {0x54000000, "b.eq .", "f", ""},
	        {0xd61f00a0, "br x5", "x5", ""},
	        {0xd63f00a0, "blr x5", "x5", "x30"},
	        {0xd65f03c0, "ret", "x30", ""},
	        {0xd53bd043, "mrs x3, tpidr_el0", "", "x3"},
	        {0xd51bd043, "msr tpidr_el0, x3", "x3", ""},
	        {0xd503201f, "nop", "", ""},
	        {0xf9400023, "ldr x3, [x1]", "x1", "x3"},
	        {0xf8408423, "ldr x3, [x1], #8", "x1", "x1 x3"},
	        {0xf8408c23, "ldr x3, [x1, #8]!", "x1", "x1 x3"},
	        {0xf8627823, "ldr x3, [x1, x2, lsl #3]", "x1 x2", "x3"},
	        {0x58000043, "ldr x3, .+8", "", "x3"},
	        {0xf9000023, "str x3, [x1]", "x1 x3", ""},
	        {0xf8008423, "str x3, [x1], #8", "x1 x3", "x1"},
	        {0x38224823, "strb w3, [x1, w2, uxtw]", "x1 x2 x3", ""},
	        {0xa8c113e3, "ldp x3, x4, [sp], #16", "sp", "sp x3 x4"},
	        {0xa9411023, "ldp x3, x4, [x1, #16]", "x1", "x3 x4"},
	        {0xa9bf13e3, "stp x3, x4, [sp, #-16]!", "sp x3 x4", "sp"},
	        {0xb9800023, "ldrsw x3, [x1]", "x1", "x3"},
	        {0xf85ff023, "ldur x3, [x1, #-1]", "x1", "x3"},
	        {0x3dc00023, "ldr q3, [x1]", "x1", "v3"},
	        {0xfc408423, "ldr d3, [x1], #8", "x1", "x1 v3"},
	        {0x3ca26823, "str q3, [x1, x2]", "x1 x2 v3", ""},
	        {0xad401023, "ldp q3, q4, [x1]", "x1", "v3 v4"},
	        {0x6d811023, "stp d3, d4, [x1, #16]!", "x1 v3 v4", "x1"},
	        {0xc85ffc23, "ldaxr x3, [x1]", "x1", "x3"},
	        {0xc802fc23, "stlxr w2, x3, [x1]", "x1 x3", "x2"},
	        {0xc87f1023, "ldxp x3, x4, [x1]", "x1", "x3 x4"},
	        {0xc8221023, "stxp w2, x3, x4, [x1]", "x1 x3 x4", "x2"},
	        {0xc8dffc23, "ldar x3, [x1]", "x1", "x3"},
	        {0xc89ffc23, "stlr x3, [x1]", "x1 x3", ""},
	        {0xf8220023, "ldadd x2, x3, [x1]", "x1 x2", "x3"},
	        {0xf822003f, "stadd x2, [x1]", "x1 x2", ""},
	        {0xf8e28023, "swpal x2, x3, [x1]", "x1 x2", "x3"},
	        {0xc8a27c23, "cas x2, x3, [x1]", "x1 x2 x3", "x2"},
	        {0x4c407023, "ld1 {v3.16b}, [x1]", "x1", "v3"},
	        {0x4cdfa023, "ld1 {v3.16b,v4.16b}, [x1], #32", "x1", "x1 v3 v4"},
	        {0x4cc20023, "ld4 {v3.16b,v4.16b,v5.16b,v6.16b}, [x1], x2", "x1 x2",
	         "x1 v3 v4 v5 v6"},
	        {0x4c00803f, "st2 {v31.16b,v0.16b}, [x1]", "x1 v31 v0", ""},
	        {0x1e622823, "fadd d3, d1, d2", "v1 v2", "v3"},
	        {0x1f421023, "fmadd d3, d1, d2, d4", "v1 v2 v4", "v3"},
	        {0x1e61c023, "fsqrt d3, d1", "v1", "v3"},
	        {0x1e60c023, "fabs d3, d1", "v1", "v3"},
	        {0x1e22c023, "fcvt d3, s1", "v1", "v3"},
	        {0x1e622020, "fcmp d1, d2", "v1 v2", "f"},
	        {0x1e602028, "fcmp d1, #0.0", "v1", "f"},
	        {0x1e620c23, "fcsel d3, d1, d2, eq", "v1 v2 f", "v3"},
	        {0x1e620420, "fccmp d1, d2, #0, eq", "v1 v2 f", "f"},
	        {0x1e6e1003, "fmov d3, #1.0", "", "v3"},
	        {0x9e660023, "fmov x3, d1", "v1", "x3"},
	        {0x9e670023, "fmov d3, x1", "x1", "v3"},
	        {0x9e620023, "scvtf d3, x1", "x1", "v3"},
	        {0x9e780023, "fcvtzs x3, d1", "v1", "x3"},
	        {0x9e42f023, "scvtf d3, x1, #4", "x1", "v3"},
	        {0x9e58f023, "fcvtzs x3, d1, #4", "v1", "x3"},
	        {0x4ea28423, "add v3.4s, v1.4s, v2.4s", "v1 v2", "v3"},
	        {0x4ea29423, "mla v3.4s, v1.4s, v2.4s", "v1 v2 v3", "v3"},
	        {0x4e22cc23, "fmla v3.4s, v1.4s, v2.4s", "v1 v2 v3", "v3"},
	        {0x6e22dc23, "fmul v3.4s, v1.4s, v2.4s", "v1 v2", "v3"},
	        {0x4fa21023, "fmla v3.4s, v1.4s, v2.s[1]", "v1 v2 v3", "v3"},
	        {0x6e621c23, "bsl v3.16b, v1.16b, v2.16b", "v1 v2 v3", "v3"},
	        {0x6e221c23, "eor v3.16b, v1.16b, v2.16b", "v1 v2", "v3"},
	        {0x4e829423, "sdot v3.4s, v1.16b, v2.16b", "v1 v2 v3", "v3"},
	        {0x4e040c23, "dup v3.4s, w1", "x1", "v3"},
	        {0x4e0c0423, "dup v3.4s, v1.s[1]", "v1", "v3"},
	        {0x4e0c1c23, "ins v3.s[1], w1", "x1 v3", "v3"},
	        {0x6e0c4423, "ins v3.s[1], v1.s[2]", "v1 v3", "v3"},
	        {0x0e0c3c23, "umov w3, v1.s[1]", "v1", "x3"},
	        {0x4e062c23, "smov x3, v1.h[1]", "v1", "x3"},
	        {0x4f000423, "movi v3.4s, #1", "", "v3"},
	        {0x4f001423, "orr v3.4s, #1", "v3", "v3"},
	        {0x4f03f603, "fmov v3.4s, #1.0", "", "v3"},
	        {0x4f225423, "shl v3.4s, v1.4s, #2", "v1", "v3"},
	        {0x4eb1b823, "addv s3, v1.4s", "v1", "v3"},
	        {0x4ea0b823, "abs v3.4s, v1.4s", "v1", "v3"},
	        {0x5ee28423, "add d3, d1, d2", "v1 v2", "v3"},
	        {0x4e284823, "aese v3.16b, v1.16b", "v1 v3", "v3"},
	        {0x6e021823, "ext v3.16b, v1.16b, v2.16b, #3", "v1 v2", "v3"},
	        {0x4e823823, "zip1 v3.4s, v1.4s, v2.4s", "v1 v2", "v3"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct a64_operands o;

		if (!a64_operands(&o, rows[i].opcode) || !same(o.reads, registers(rows[i].reads)) ||
		    !same(o.writes, registers(rows[i].writes)))
			fail_msg("%s: reads x %#x v %#x, writes x %#x v %#x", rows[i].text,
			         o.reads.x, o.reads.v, o.writes.x, o.writes.v);
	}
}

static void address_and_base_registers_are_named(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *address, *base;
	} rows[] = {
	        {0xf9400023, "x1", ""},    /* ldr x3, [x1] */
	        {0xf8408423, "x1", "x1"},  /* ldr x3, [x1], #8 */
	        {0xf8627823, "x1 x2", ""}, /* ldr x3, [x1, x2, lsl #3] */
	        {0xa9bf13e3, "sp", "sp"},  /* stp x3, x4, [sp, #-16]! */
	        {0x58000043, "", ""},      /* ldr x3, .+8 */
	        {0xc802fc23, "x1", ""},    /* stlxr w2, x3, [x1] */
	        {0x8b020023, "", ""},      /* add x3, x1, x2 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct a64_operands o;

		assert_true(a64_operands(&o, rows[i].opcode));
		assert_int_equal(o.address, registers(rows[i].address).x);
		assert_int_equal(o.base, registers(rows[i].base).x);
	}
}

static void unknown_opcodes_have_no_operands(void **state)
{
	static const uint32_t opcodes[] = {0x04220020 /* add z0.b, z1.b, z2.b */,
	                                   0x00000000 /* udf */};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct a64_operands o;

		assert_false(a64_operands(&o, opcodes[i]));
		assert_true(same(o.reads, registers("")) && same(o.writes, registers("")));
		assert_int_equal(o.address | o.base, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(operands_match_the_assembly),
	        cmocka_unit_test(address_and_base_registers_are_named),
	        cmocka_unit_test(unknown_opcodes_have_no_operands),
	};
	return cmocka_run_group_tests_name("operands", tests, NULL, NULL);
}
