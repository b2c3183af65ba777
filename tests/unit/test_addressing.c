/* SPDX-License-Identifier: MIT */
/* Test addressing modes (C1.3.3) and the registers that an instruction writes. The opcodes come
 * from binutils. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "timing/a64.h"

#include "draw.h"

#define X(n) (0x1000ull * ((n) + 1)) /* value of register n; register 31 is the stack pointer */
#define PC UINT64_C(0x40000)
#define R(n) (UINT32_C(1) << (n))

static void addresses_follow_from_register_values(void **state)
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
	uint64_t values[32];

	(void)state;
	for (unsigned n = 0; n < 32; n++)
		values[n] = X(n);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct a64_mode mode;

		if (!a64_mode(&mode, rows[i].opcode) || a64_uses(&mode) != rows[i].uses ||
		    a64_address(&mode, PC, values) != rows[i].address)
			fail_msg("%s", rows[i].text);
	}
}

static void index_register_is_extended(void **state)
{
	uint64_t values[32] = {[7] = 0x10000, [8] = UINT64_C(0x123fffffff0)};
	struct a64_mode mode;

	(void)state;
	assert_true(a64_mode(&mode, 0xb8a8c8e6)); /* ldrsw x6, [x7, w8, sxtw] */
	assert_true(a64_address(&mode, PC, values) == 0x10000 - 16);
	assert_true(a64_mode(&mode, 0xb8a848e6)); /* ldrsw x6, [x7, w8, uxtw] */
	assert_true(a64_address(&mode, PC, values) == UINT64_C(0x10000fff0));
	assert_true(a64_mode(&mode, 0xb8a868e6)); /* ldrsw x6, [x7, x8] */
	assert_true(a64_address(&mode, PC, values) == UINT64_C(0x1240000fff0));
}

static void other_instructions_have_no_addressing_mode(void **state)
{
	static const uint32_t opcodes[] = {
	        0xc8027c20, /* stxr w2, x0, [x1] */
	        0xf9800020, /* prfm pldl1keep, [x1] */
	        0xf8200420, /* ldraa x0, [x1] */
	        0xd9200820, /* stg x0, [x1] */
	        0x8b020023, /* add x3, x1, x2 */
	        0x94000000, /* bl . */
	};
	struct a64_mode mode;

	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
		assert_false(a64_mode(&mode, opcodes[i]));
}

/*
 * The function reports at least the registers that an instruction writes. It may report more if
 * binutils would need the operand's type.
 */
static void written_registers_are_all_reported(void **state)
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
	        {0x3100043f, 0, true},           /* cmn w1, #1 */
	        {0xd10043ff, R(31), true},       /* sub sp, sp, #16 */
	        {0xb27c0c3f, R(31), true},       /* orr sp, x1, #0xf0 */
	        {0xd27c0c3f, R(31), true},       /* eor sp, x1, #0xf0 */
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
		uint32_t written = a64_written(rows[i].opcode);

		if ((written & rows[i].writes) != rows[i].writes ||
		    (rows[i].exactly && written != rows[i].writes))
			fail_msg("%08x: %08x", rows[i].opcode, written);
	}
	/* mrs x0, nzcv: writes only the named register */
	assert_int_equal(a64_written(0xd53b4200) & (R(0) | R(1) | R(29)), R(0));
}

/* An opcode built from its fields, and the expected results. */
struct form {
	uint32_t opcode;
	bool has_mode;
	uint32_t uses;
	uint64_t address;
	uint32_t writes; /* exactly these registers if `exactly`, else at least these */
	bool exactly;
};

enum { FORMS = 20000 };

static uint64_t x[32];
static uint64_t seed;

static uint32_t bits(unsigned n)
{
	return (uint32_t)(prng_next(&seed) >> 20) & ((UINT32_C(1) << n) - 1);
}

/* Draw a register. Register 31 is drawn often. */
static uint32_t some_register(void)
{
	return below(&seed, 4) ? bits(5) : 31;
}

static uint64_t times(uint32_t field, unsigned width, uint64_t scale)
{
	uint64_t sign = UINT64_C(1) << (width - 1);

	return ((field ^ sign) - sign) * scale;
}

/* Return the mask of a general-purpose source or destination register. Register 31 is the zero
 * register and has no bit. */
static uint32_t unless_zero(uint32_t reg)
{
	return reg == 31 ? 0 : R(reg);
}

/* Build a load/store pair: opc [31:30], V [26], mode [24:23] (1 is post-indexed, 3 pre-indexed), L
 * [22], imm7, Rt2, Rn, Rt. */
static struct form pair_form(void)
{
	uint32_t opc = bits(2), v = bits(1), mode = bits(2), load = bits(1), imm = bits(7);
	uint32_t rt2 = some_register(), rn = some_register(), rt = some_register();
	uint64_t bytes = v ? 4u << opc : opc == 2 ? 8 : 4;
	bool tags = !v && opc == 1 && !load; /* STGP */
	bool unallocated = opc == 3;
	struct form f = {.opcode = opc << 30 | UINT32_C(5) << 27 | v << 26 | mode << 23 |
	                           load << 22 | imm << 15 | rt2 << 10 | rn << 5 | rt,
	                 .has_mode = !tags && !unallocated,
	                 .uses = R(rn),
	                 .address = x[rn] + (mode == 1 ? 0 : times(imm, 7, bytes)),
	                 .exactly = !unallocated};

	if (f.exactly)
		f.writes = (load && !v ? unless_zero(rt) | unless_zero(rt2) : 0) |
		           (mode & 1 ? R(rn) : 0);
	return f;
}

/* Build a load or store of one register: size [31:30], 0b111 in [29:27], V [26], opc [23:22], Rn,
 * Rt. */
static struct form one_register_form(void)
{
	uint32_t v = bits(1), size = bits(2), opc = bits(2), rn = some_register(),
	         rt = some_register();
	bool whole = v && size == 0 && opc >= 2; /* a Q register */
	bool prefetch = !v && size == 3 && opc == 2;
	unsigned scale = whole ? 4 : size;
	uint32_t kind = below(&seed, 3), imm9 = bits(9), imm12 = bits(12), mode = bits(2);
	uint32_t rm = some_register(), option = bits(3), shift = bits(1);
	uint64_t index = rm == 31 ? 0 : x[rm];
	struct form f = {.opcode = size << 30 | UINT32_C(7) << 27 | v << 26 | opc << 22 | rn << 5 |
	                           rt,
	                 .has_mode = !prefetch,
	                 .uses = R(rn),
	                 .address = x[rn],
	                 .writes = !v && opc ? unless_zero(rt) : 0,
	                 .exactly = !prefetch};

	if (v ? opc >= 2 && size : opc == 3 && size >= 2) /* unallocated */
		return one_register_form();
	if (kind == 0) { /* unsigned offset */
		f.opcode |= 1u << 24 | imm12 << 10;
		f.address += (uint64_t)imm12 << scale;
	} else if (kind == 1) { /* unscaled, post-indexed, unprivileged or pre-indexed by mode */
		mode = (v || prefetch) && mode != 0 ? v ? mode | 1 : 0 : mode;
		f.opcode |= imm9 << 12 | mode << 10;
		f.address += mode == 1 ? 0 : times(imm9, 9, 1);
		f.writes |= mode & 1 ? R(rn) : 0;
	} else { /* register offset, option: UXTW 2, LSL 3, SXTW 6, SXTX 7 */
		f.opcode |= 1u << 21 | rm << 16 | option << 13 | shift << 12 | 2u << 10;
		f.has_mode = f.has_mode && (option & 2);
		f.uses |= unless_zero(rm);
		index = option == 2   ? (uint32_t)index
		        : option == 6 ? times((uint32_t)index, 32, 1)
		                      : index;
		f.address += index << (shift ? scale : 0);
	}
	return f;
}

/* Build a literal load (opc [31:30], V [26], imm19, Rt) or an LDAPUR or STLUR (size, opc [23:22],
 * imm9). */
static struct form offset_form(void)
{
	uint32_t opc = bits(2), v = opc == 3 ? 0 : bits(1), imm19 = bits(19), imm9 = bits(9);
	uint32_t rn = some_register(), rt = some_register();
	struct form f = {.opcode = opc << 30 | UINT32_C(3) << 27};

	if (coin(&seed)) {
		f.opcode |= v << 26 | imm19 << 5 | rt;
		f.has_mode = v || opc != 3; /* PRFM has no addressing mode */
		f.address = PC + times(imm19, 19, 4);
		f.writes = v ? 0 : unless_zero(rt);
		f.exactly = f.has_mode;
		return f;
	}
	f.opcode |= 1u << 24 | bits(2) << 22 | imm9 << 12 | rn << 5 | rt;
	f.has_mode = true;
	f.uses = R(rn);
	f.address = x[rn] + times(imm9, 9, 1);
	f.writes = unless_zero(rt);
	f.exactly = f.opcode >> 22 & 3; /* a load */
	return f;
}

/* Build an instruction whose address is the base register alone. Such instructions are exclusive
 * and ordered accesses (o2 [23], L [22]), compare and swap, Advanced SIMD structures and atomics. A
 * store exclusive may access nothing. */
static struct form base_form(void)
{
	uint32_t rs = some_register(), rt2 = some_register(), rn = some_register(),
	         rt = some_register();
	uint32_t registers = rs << 16 | rt2 << 10 | rn << 5 | rt, size = bits(2) << 30;
	struct form f = {.uses = R(rn), .address = x[rn], .has_mode = true};

	switch (below(&seed, 4)) {
	case 0: /* o0 [15]: ordered; o1 [21]: a pair, or CAS of one register (o2 1) or two (o2 0) */
		f.opcode = size | UINT32_C(0x08) << 24 | bits(3) << 21 | bits(1) << 15 | registers;
		f.has_mode = f.opcode >> 22 & 3;
		f.writes = unless_zero(rt) | unless_zero(rt2) | unless_zero(rs) |
		           (rs < 30 ? R(rs + 1) : 0);
		break;
	case 1: /* post-indexed forms write rn, too */
		f.opcode = bits(1) << 30 | UINT32_C(0x0c) << 24 | bits(2) << 23 | bits(2) << 21 |
		           registers;
		f.writes = R(rn);
		break;
	default: /* acquire and release are in [23:22] */
		f.opcode = size | UINT32_C(0x38) << 24 | bits(2) << 22 | 1u << 21 | rs << 16 |
		           bits(4) << 12 | rn << 5 | rt;
		f.writes = unless_zero(rt);
	}
	return f;
}

/* Build an LD64B, which writes eight registers. The first is even and at most 22. */
static struct form block_form(void)
{
	uint32_t rn = some_register(), rt = 2 * below(&seed, 12);

	return (struct form){.opcode = UINT32_C(0xf83fd000) | rn << 5 | rt,
	                     .has_mode = true,
	                     .uses = R(rn),
	                     .address = x[rn],
	                     .writes = UINT32_C(0xff) << rt,
	                     .exactly = true};
}

/* Build an instruction that is not a load or store. Data processing writes at most Rd. Some SIMD
 * and FP operations write general-purpose registers. */
static struct form other_form(void)
{
	static const uint32_t groups[] = {8, 9, 5, 13, 7, 15, 10, 11};
	uint32_t group = groups[below(&seed, 8)], rd = some_register();
	struct form f = {.opcode = bits(3) << 29 | group << 25 | bits(20) << 5 | rd};

	f.exactly = (group & 14) != 10;
	f.writes = unless_zero(rd);
	if ((group & 14) == 10) /* system instructions: hints authenticate x16, x17 and x30 */
		f.writes |= R(16) | R(17) | R(30);
	if (rd == 31 && (group == 8 || group == 9 || group == 5 || group == 13))
		return other_form(); /* Rd 31 may be SP; the rows above test it */
	return f;
}

static void random_registers_and_offsets_match_the_encoding(void **state)
{
	static struct form (*const forms[])(void) = {pair_form, one_register_form, offset_form,
	                                             base_form, block_form,        other_form};

	(void)state;
	seed = 1;
	for (unsigned i = 0; i < 6 * FORMS; i++) {
		struct a64_mode mode;
		struct form f;
		uint32_t written;

		for (unsigned n = 0; n < 32; n++)
			x[n] = prng_next(&seed);
		f = forms[i % 6]();
		if (a64_mode(&mode, f.opcode) != f.has_mode)
			fail_msg("%08x: address %d", f.opcode, f.has_mode);
		if (f.has_mode &&
		    (a64_uses(&mode) != f.uses || a64_address(&mode, PC, x) != f.address))
			fail_msg("%08x: address", f.opcode);
		written = a64_written(f.opcode);
		if ((written & f.writes) != f.writes || (f.exactly && written != f.writes))
			fail_msg("%08x: writes %08x, not %08x", f.opcode, written, f.writes);
	}
}

/* SVE, SME and reserved opcodes are reported to write every register. */
static void sve_sme_and_reserved_opcodes_may_write_anything(void **state)
{
	static const uint32_t groups[] = {0, 1, 2, 3};
	struct a64_mode mode;

	(void)state;
	seed = 2;
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t opcode = bits(3) << 29 | groups[i % 4] << 25 | bits(25);

		assert_int_equal(a64_written(opcode), UINT32_MAX);
		assert_false(a64_mode(&mode, opcode));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(addresses_follow_from_register_values),
	        cmocka_unit_test(index_register_is_extended),
	        cmocka_unit_test(other_instructions_have_no_addressing_mode),
	        cmocka_unit_test(written_registers_are_all_reported),
	        cmocka_unit_test(random_registers_and_offsets_match_the_encoding),
	        cmocka_unit_test(sve_sme_and_reserved_opcodes_may_write_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
