/* SPDX-License-Identifier: MIT */
/* Test which predicate governs an SVE instruction. The opcodes come from binutils. Those with
 * 128-bit elements in memory come from their pages in DDI 0487 M.a. The assembly text has the
 * expected values: the Governing predicate (B1.3.2) and the widest element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "timing/a64.h"

static void predicates_match_the_assembly(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *text;
		uint8_t number;
		char element;
		uint8_t bytes; /* size of the piece of memory that is loaded, for LD1RQ and LD1RO */
	} rows[] = {
	        {0x040095a1, "asr z1.b, p5/m, z1.b, #3", 5, 'b', 0},
	        {0x040096e1, "asr z1.h, p5/m, z1.h, #9", 5, 'h', 0},
	        {0x044189e1, "lsr z1.s, p2/m, z1.s, #17", 2, 's', 0},
	        {0x04c38901, "lsl z1.d, p2/m, z1.d, #40", 2, 'd', 0},
	        {0x04400c41, "add z1.h, p3/m, z1.h, z2.h", 3, 'h', 0},
	        {0x04803841, "saddv d1, p6, z2.s", 6, 's', 0},
	        {0x04d6bc41, "abs z1.d, p7/m, z2.d", 7, 'd', 0},
	        {0x04834441, "mla z1.s, p1/m, z2.s, z3.s", 1, 's', 0},
	        {0x05dbce01, "fmov z1.d, p11/m, #1.0", 11, 'd', 0},
	        {0x055940a1, "mov z1.h, p9/m, #5", 9, 'h', 0},
	        {0x059400a1, "mov z1.s, p4/z, #5", 4, 's', 0},
	        {0x05a09441, "mov z1.s, p5/m, s2", 5, 's', 0},
	        {0x05e19841, "compact z1.d, p6, z2.d", 6, 'd', 0},
	        {0x05628c41, "lasta h1, p3, z2.h", 3, 'h', 0},
	        {0x0521ac41, "lastb w1, p3, z2.b", 3, 'b', 0},
	        {0x05648841, "revb z1.h, p2/m, z2.h", 2, 'h', 0},
	        {0x05278841, "rbit z1.b, p2/m, z2.b", 2, 'b', 0},
	        {0x05e68441, "revw z1.d, p1/m, z2.d", 1, 'd', 0},
	        {0x05aa9041, "clasta s1, p4, s1, z2.s", 4, 's', 0},
	        {0x05299041, "clastb z1.b, p4, z1.b, z2.b", 4, 'b', 0},
	        {0x05f0b441, "clasta x1, p5, x1, z2.d", 5, 'd', 0},
	        {0x0568b861, "mov z1.h, p6/m, w3", 6, 'h', 0},
	        {0x2442a821, "cmpeq p1.h, p2/z, z1.h, z2.h", 2, 'h', 0},
	        {0x24826c21, "cmplt p1.s, p3/z, z1.s, z2.d", 3, 's', 0},
	        {0x24e15031, "cmphi p1.d, p4/z, z1.d, #5", 4, 'd', 0},
	        {0x25051c21, "cmpge p1.b, p7/z, z1.b, #5", 7, 'b', 0},
	        {0x25036441, "and p1.b, p9/z, p2.b, p3.b", 9, 'b', 0},
	        {0x25837041, "orr p1.b, p12/z, p2.b, p3.b", 12, 'b', 0},
	        {0x25106871, "brka p1.b, p10/m, p3.b", 10, 'b', 0},
	        {0x25d06861, "brkbs p1.b, p10/z, p3.b", 10, 'b', 0},
	        {0x25186c41, "brkn p1.b, p11/z, p2.b, p1.b", 11, 'b', 0},
	        {0x2503f441, "brkpa p1.b, p13/z, p2.b, p3.b", 13, 'b', 0},
	        {0x2550f840, "ptest p14, p2.b", 14, 'b', 0},
	        {0x2558c121, "pfirst p1.b, p9, p1.b", 9, 'b', 0},
	        {0x2518f101, "rdffr p1.b, p8/z", 8, 'b', 0},
	        {0x25a0b441, "cntp x1, p13, p2.s", 13, 's', 0},
	        {0x44948c41, "srhadd z1.s, p3/m, z1.s, z2.s", 3, 's', 0},
	        {0x4480b441, "urecpe z1.s, p5/m, z2.s", 5, 's', 0},
	        {0x44c4b041, "sadalp z1.d, p4/m, z2.s", 4, 'd', 0},
	        {0x45628821, "match p1.h, p2/z, z1.h, z2.h", 2, 'h', 0},
	        {0x45229831, "nmatch p1.b, p6/z, z1.b, z2.b", 6, 'b', 0},
	        {0x45e3cc41, "histcnt z1.d, p3/z, z2.d, z3.d", 3, 'd', 0},
	        {0x64432841, "fcmla z1.h, p2/m, z2.h, z3.h, #90", 2, 'h', 0},
	        {0x64809441, "fcadd z1.s, p5/m, z1.s, z2.s, #90", 5, 's', 0},
	        {0x64cab041, "fcvtnt z1.s, p4/m, z2.d", 4, 'd', 0},
	        {0x6489b841, "fcvtlt z1.s, p6/m, z2.h", 6, 's', 0},
	        {0x640aa441, "fcvtxnt z1.s, p1/m, z2.d", 1, 'd', 0},
	        {0x64d09c41, "faddp z1.d, p7/m, z1.d, z2.d", 7, 'd', 0},
	        {0x65630441, "fmla z1.h, p1/m, z2.h, z3.h", 1, 'h', 0},
	        {0x65a3e841, "fnmsb z1.s, p2/m, z2.s, z3.s", 2, 's', 0},
	        {0x65c24c21, "fcmge p1.d, p3/z, z1.d, z2.d", 3, 'd', 0},
	        {0x65403041, "faddv h1, p4, z2.h", 4, 'h', 0},
	        {0x65863041, "fmaxv s1, p4, z2.s", 4, 's', 0},
	        {0x65523441, "fcmeq p1.h, p5/z, z2.h, #0.0", 5, 'h', 0},
	        {0x65d83841, "fadda d1, p6, d1, z2.d", 6, 'd', 0},
	        {0x65808c41, "fadd z1.s, p3/m, z1.s, z2.s", 3, 's', 0},
	        {0x65c28c41, "fmul z1.d, p3/m, z1.d, z2.d", 3, 'd', 0},
	        {0x65588c01, "fadd z1.h, p3/m, z1.h, #0.5", 3, 'h', 0},
	        {0x6589a841, "fcvt z1.s, p2/m, z2.h", 2, 's', 0},
	        {0x65c8a841, "fcvt z1.h, p2/m, z2.d", 2, 'd', 0},
	        {0x65cba841, "fcvt z1.d, p2/m, z2.s", 2, 'd', 0},
	        {0x650ab441, "fcvtx z1.s, p5/m, z2.d", 5, 'd', 0},
	        {0x6554a441, "scvtf z1.h, p1/m, z2.s", 1, 's', 0},
	        {0x6552a441, "scvtf z1.h, p1/m, z2.h", 1, 'h', 0},
	        {0x65d0a441, "scvtf z1.d, p1/m, z2.s", 1, 'd', 0},
	        {0x65d5a441, "ucvtf z1.s, p1/m, z2.d", 1, 'd', 0},
	        {0x6595a441, "ucvtf z1.s, p1/m, z2.s", 1, 's', 0},
	        {0x6557a441, "ucvtf z1.h, p1/m, z2.d", 1, 'd', 0},
	        {0x651ab041, "flogb z1.h, p4/m, z2.h", 4, 'h', 0},
	        {0x651cb041, "flogb z1.s, p4/m, z2.s", 4, 's', 0},
	        {0x651eb041, "flogb z1.d, p4/m, z2.d", 4, 'd', 0},
	        {0x655aac41, "fcvtzs z1.h, p3/m, z2.h", 3, 'h', 0},
	        {0x655cac41, "fcvtzs z1.s, p3/m, z2.h", 3, 's', 0},
	        {0x655fac41, "fcvtzu z1.d, p3/m, z2.h", 3, 'd', 0},
	        {0x659cac41, "fcvtzs z1.s, p3/m, z2.s", 3, 's', 0},
	        {0x65dcac41, "fcvtzs z1.d, p3/m, z2.s", 3, 'd', 0},
	        {0x65d8ac41, "fcvtzs z1.s, p3/m, z2.d", 3, 'd', 0},
	        {0x6584b841, "frinta z1.s, p6/m, z2.s", 6, 's', 0},
	        {0x654cb841, "frecpx z1.h, p6/m, z2.h", 6, 'h', 0},
	        {0x65cdbc41, "fsqrt z1.d, p7/m, z2.d", 7, 'd', 0},
	        {0x85c40c20, "prfb pldl1keep, p3, [x1, #4, mul vl]", 3, 'b', 0},
	        {0x85c43020, "prfh pldl1keep, p4, [x1, #4, mul vl]", 4, 'h', 0},
	        {0x85c47420, "prfd pldl1keep, p5, [x1, #4, mul vl]", 5, 'd', 0},
	        {0x84225420, "prfw pldl1keep, p5, [x1, z2.s, uxtw #2]", 5, 's', 0},
	        {0x8482c820, "prfh pldl1keep, p2, [x1, x2, lsl #1]", 2, 'h', 0},
	        {0x8502c820, "prfw pldl1keep, p2, [x1, x2, lsl #2]", 2, 's', 0},
	        {0x8581f820, "prfd pldl1keep, p6, [z1.s, #8]", 6, 's', 0},
	        {0x84408441, "ld1rb {z1.b}, p1/z, [x2]", 1, 'b', 0},
	        {0x8440a441, "ld1rb {z1.h}, p1/z, [x2]", 1, 'h', 0},
	        {0x8440c441, "ld1rb {z1.s}, p1/z, [x2]", 1, 's', 0},
	        {0x8440e441, "ld1rb {z1.d}, p1/z, [x2]", 1, 'd', 0},
	        {0x84c08841, "ld1rsw {z1.d}, p2/z, [x2]", 2, 'd', 0},
	        {0x84c0ac41, "ld1rh {z1.h}, p3/z, [x2]", 3, 'h', 0},
	        {0x84c0cc41, "ld1rh {z1.s}, p3/z, [x2]", 3, 's', 0},
	        {0x85408c41, "ld1rsh {z1.d}, p3/z, [x2]", 3, 'd', 0},
	        {0x85c0cc41, "ld1rsb {z1.h}, p3/z, [x2]", 3, 'h', 0},
	        {0x8540d041, "ld1rw {z1.s}, p4/z, [x2]", 4, 's', 0},
	        {0x85c0f041, "ld1rd {z1.d}, p4/z, [x2]", 4, 'd', 0},
	        {0x85635441, "ld1w {z1.s}, p5/z, [x2, z3.s, sxtw #2]", 5, 's', 0},
	        {0x8424d461, "ld1b {z1.s}, p5/z, [z3.s, #4]", 5, 's', 0},
	        {0xa4013841, "ld1rqb {z1.b}, p6/z, [x2, #16]", 6, 'b', 16},
	        {0xa4831841, "ld1rqh {z1.h}, p6/z, [x2, x3, lsl #1]", 6, 'h', 16},
	        {0xa5013841, "ld1rqw {z1.s}, p6/z, [x2, #16]", 6, 's', 16},
	        {0xa5813841, "ld1rqd {z1.d}, p6/z, [x2, #16]", 6, 'd', 16},
	        {0xa5213c41, "ld1row {z1.s}, p7/z, [x2, #32]", 7, 's', 32},
	        {0xa4231c41, "ld1rob {z1.b}, p7/z, [x2, x3]", 7, 'b', 32},
	        {0xa400a441, "ld1b {z1.b}, p1/z, [x2]", 1, 'b', 0},
	        {0xa420a441, "ld1b {z1.h}, p1/z, [x2]", 1, 'h', 0},
	        {0xa4434441, "ld1b {z1.s}, p1/z, [x2, x3]", 1, 's', 0},
	        {0xa460a441, "ld1b {z1.d}, p1/z, [x2]", 1, 'd', 0},
	        {0xa480a841, "ld1sw {z1.d}, p2/z, [x2]", 2, 'd', 0},
	        {0xa4a0a841, "ld1h {z1.h}, p2/z, [x2]", 2, 'h', 0},
	        {0xa4c0a841, "ld1h {z1.s}, p2/z, [x2]", 2, 's', 0},
	        {0xa4e0a841, "ld1h {z1.d}, p2/z, [x2]", 2, 'd', 0},
	        {0xa500a841, "ld1sh {z1.d}, p2/z, [x2]", 2, 'd', 0},
	        {0xa520a841, "ld1sh {z1.s}, p2/z, [x2]", 2, 's', 0},
	        {0xa540a841, "ld1w {z1.s}, p2/z, [x2]", 2, 's', 0},
	        {0xa560a841, "ld1w {z1.d}, p2/z, [x2]", 2, 'd', 0},
	        {0xa580a841, "ld1sb {z1.d}, p2/z, [x2]", 2, 'd', 0},
	        {0xa5a0a841, "ld1sb {z1.s}, p2/z, [x2]", 2, 's', 0},
	        {0xa5c0a841, "ld1sb {z1.h}, p2/z, [x2]", 2, 'h', 0},
	        {0xa5e0a841, "ld1d {z1.d}, p2/z, [x2]", 2, 'd', 0},
	        {0xa4c36c41, "ldff1h {z1.s}, p3/z, [x2, x3, lsl #1]", 3, 's', 0},
	        {0xa570ac41, "ldnf1w {z1.d}, p3/z, [x2]", 3, 'd', 0},
	        {0xa480f041, "ldnt1h {z1.h}, p4/z, [x2]", 4, 'h', 0},
	        {0xa420f441, "ld2b {z1.b, z2.b}, p5/z, [x2]", 5, 'b', 0},
	        {0xa4c3d441, "ld3h {z1.h-z3.h}, p5/z, [x2, x3, lsl #1]", 5, 'h', 0},
	        {0xa5e0f441, "ld4d {z1.d-z4.d}, p5/z, [x2]", 5, 'd', 0},
	        {0xc443d841, "ld1b {z1.d}, p6/z, [x2, z3.d]", 6, 'd', 0},
	        {0xc5a1d861, "ld1d {z1.d}, p6/z, [z3.d, #8]", 6, 'd', 0},
	        {0xe4438441, "st1b {z1.s}, p1, [x2, z3.s, uxtw]", 1, 's', 0},
	        {0xe403a441, "st1b {z1.d}, p1, [x2, z3.d]", 1, 'd', 0},
	        {0xe562a861, "st1w {z1.s}, p2, [z3.s, #8]", 2, 's', 0},
	        {0xe542a861, "st1w {z1.d}, p2, [z3.d, #8]", 2, 'd', 0},
	        {0xe4a3a841, "st1h {z1.d}, p2, [x2, z3.d, lsl #1]", 2, 'd', 0},
	        {0xe4e3c841, "st1h {z1.s}, p2, [x2, z3.s, sxtw #1]", 2, 's', 0},
	        {0xe5a3c841, "st1d {z1.d}, p2, [x2, z3.d, sxtw #3]", 2, 'd', 0},
	        {0xe5432c41, "stnt1w {z1.s}, p3, [z2.s, x3]", 3, 's', 0},
	        {0xe5032c41, "stnt1w {z1.d}, p3, [z2.d, x3]", 3, 'd', 0},
	        {0xe400f041, "st1b {z1.b}, p4, [x2]", 4, 'b', 0},
	        {0xe420f041, "st1b {z1.h}, p4, [x2]", 4, 'h', 0},
	        {0xe4435041, "st1b {z1.s}, p4, [x2, x3]", 4, 's', 0},
	        {0xe460f041, "st1b {z1.d}, p4, [x2]", 4, 'd', 0},
	        {0xe4a0f041, "st1h {z1.h}, p4, [x2]", 4, 'h', 0},
	        {0xe4c35041, "st1h {z1.s}, p4, [x2, x3, lsl #1]", 4, 's', 0},
	        {0xe4e0f041, "st1h {z1.d}, p4, [x2]", 4, 'd', 0},
	        {0xe540f041, "st1w {z1.s}, p4, [x2]", 4, 's', 0},
	        {0xe5635041, "st1w {z1.d}, p4, [x2, x3, lsl #2]", 4, 'd', 0},
	        {0xe5e0f041, "st1d {z1.d}, p4, [x2]", 4, 'd', 0},
	        {0xe410f441, "stnt1b {z1.b}, p5, [x2]", 5, 'b', 0},
	        {0xe5837441, "stnt1d {z1.d}, p5, [x2, x3, lsl #3]", 5, 'd', 0},
	        {0xe4b0f841, "st2h {z1.h, z2.h}, p6, [x2]", 6, 'h', 0},
	        {0xe5437841, "st3w {z1.s-z3.s}, p6, [x2, x3, lsl #2]", 6, 's', 0},
	        {0xe470f841, "st4b {z1.b-z4.b}, p6, [x2]", 6, 'b', 0},
	        {0x052e8c41, "revd z1.q, p3/m, z2.q", 3, 'q', 0},
	        {0x04902c41, "movprfx z1.s, p3/z, z2.s", 3, 's', 0},
	        {0xa5102c41, "ld1w {z1.q}, p3/z, [x2]", 3, 'q', 0},
	        {0xa5902c41, "ld1d {z1.q}, p3/z, [x2]", 3, 'q', 0},
	        {0xe500ec41, "st1w {z1.q}, p3, [x2]", 3, 'q', 0},
	        {0xe5c0ec41, "st1d {z1.q}, p3, [x2]", 3, 'q', 0},
	        {0xc404ac41, "ld1q {z1.q}, p3/z, [z2.d, x4]", 3, 'q', 0},
	};
	static const char letters[] = "bhsdq";

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct a64_predicate p;

		if (!a64_predicate(&p, rows[i].opcode))
			fail_msg("no predicate: %s", rows[i].text);
		if (p.number != rows[i].number || letters[p.element] != rows[i].element ||
		    p.bytes != rows[i].bytes)
			fail_msg("%s: p%u, %c, %u bytes", rows[i].text, p.number,
			         letters[p.element], p.bytes);
	}
}

static void others_have_none(void **state)
{
	static const struct {
		uint32_t opcode;
		const char *text;
	} rows[] = {
	        {0x85800c22, "ldr p2, [x1, #3, mul vl]"},
	        {0x85804c22, "ldr z2, [x1, #3, mul vl]"},
	        {0xe5800c22, "str p2, [x1, #3, mul vl]"},
	        {0xe5804c22, "str z2, [x1, #3, mul vl]"},
	        {0x04a30041, "add z1.s, z2.s, z3.s"},
	        {0x25a21c21, "whilelo p1.s, x1, x2"},
	        {0x2558e3e1, "ptrue p1.h"},
	        {0x04e0e3e1, "cntd x1"},
	        {0x8b030041, "add x1, x2, x3"},
	        {0x3dc00041, "ldr q1, [x2]"},
	        {0x05a1cc41, "mov z1.s, p3/m, z2.s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct a64_predicate p;

		if (a64_predicate(&p, rows[i].opcode))
			fail_msg("p%u governs %s", p.number, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(predicates_match_the_assembly),
	        cmocka_unit_test(others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
