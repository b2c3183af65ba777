/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/a64.h>

struct expected {
	uint32_t opcode;
	uint8_t type;
	uint8_t ldst;
	uint16_t size;
	uint32_t flags;
	uint32_t vector_bits;
	int32_t offset;
};

#define LOAD SPEMU_OP_LOAD
#define STORE SPEMU_OP_STORE
#define ATOMIC SPEMU_OP_LOAD_ATOMIC
#define OTHER SPEMU_OP_OTHER
#define BRANCH SPEMU_OP_BRANCH
#define SVE SPEMU_OP_OTHER_SVE
#define SME SPEMU_OP_OTHER_SME
#define NONE 0
#define GENERAL SPEMU_LDST_GENERAL
#define EXTENDED SPEMU_LDST_EXTENDED
#define SIMDFP SPEMU_LDST_SIMDFP
#define SVESME SPEMU_LDST_SVESME
#define UNSPEC SPEMU_LDST_UNSPECIFIED
#define TAGS SPEMU_LDST_TAGS
#define COPY SPEMU_LDST_MEMCOPY
#define SET SPEMU_LDST_MEMSET
#define GCS SPEMU_LDST_GCS
#define COND SPEMU_OPF_CONDITIONAL
#define FP SPEMU_OPF_FP
#define SIMD SPEMU_OPF_SIMD
#define AR SPEMU_OPF_ACQUIRE_RELEASE
#define EX SPEMU_OPF_EXCLUSIVE
#define AT SPEMU_OPF_ATOMIC
#define PRED SPEMU_OPF_PREDICATED
#define GS SPEMU_OPF_GATHER_SCATTER
#define IND SPEMU_OPF_INDIRECT
#define LINK SPEMU_OPF_LINK
#define RET SPEMU_OPF_RETURN
#define ERET SPEMU_OPF_ERET
#define ISB SPEMU_OPF_ISB
#define EXC SPEMU_OPF_EXCEPTION
#define PAIR SPEMU_OPF_PAIR
#define PREF SPEMU_OPF_PREFETCH
#define ZERO SPEMU_OPF_DC_ZERO
#define STATUS SPEMU_OPF_STATUS_RESULT
#define ZA SPEMU_OPF_SME
#define ZT SPEMU_OPF_ZT
#define ALL_ZA SPEMU_OPF_WHOLE_ZA
#define V(n) SPEMU_OPF_VECTORS(n)

static const struct expected table[] = {
#include "a64_expected.h"
};

#define COUNT (sizeof(table) / sizeof(table[0]))

static void each_opcode_has_the_attributes_of_the_manual(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		const struct expected *e = &table[i];
		struct spemu_op_kind k;

		memset(&k, 0xa5, sizeof(k)); /* filled whole */
		spemu_a64_classify(&k, e->opcode, 256);
		if (k.type == e->type && k.ldst == e->ldst && k.access_size == e->size &&
		    k.flags == e->flags && k.vector_bits == e->vector_bits &&
		    k.branch_offset == e->offset)
			continue;
		wrong++;
		print_error("row %zu 0x%08x: type %u/%u ldst %u/%u size %u/%u flags 0x%x/0x%x "
		            "vector %u/%u offset %d/%d (got/expected)\n",
		            i, (unsigned)e->opcode, k.type, e->type, k.ldst, e->ldst, k.access_size,
		            e->size, (unsigned)k.flags, (unsigned)e->flags, (unsigned)k.vector_bits,
		            (unsigned)e->vector_bits, (int)k.branch_offset, (int)e->offset);
	}
	assert_int_equal(wrong, 0);
}

static void vector_length_zero_means_128(void **state)
{
	struct spemu_op_kind k;

	(void)state;
	spemu_a64_classify(&k, 0x85804020, 0); /* ldr z0, [x1] */
	assert_int_equal(k.vector_bits, 128);
	assert_int_equal(k.access_size, 16);
	spemu_a64_classify(&k, 0x85804020, 2048);
	assert_int_equal(k.vector_bits, 2048);
	assert_int_equal(k.access_size, 256);
}

/* Attributes that exclude each other, or need each other, over a walk through all encodings. */
static void attributes_are_consistent_everywhere(void **state)
{
	const uint32_t branch_flags = IND | LINK | RET | ERET;

	(void)state;
	for (uint64_t op = 0; op <= UINT32_MAX; op += 4093) { /* a prime: all fields vary */
		struct spemu_op_kind k;

		spemu_a64_classify(&k, (uint32_t)op, 512);
		int memory = k.type == LOAD || k.type == STORE || k.type == ATOMIC;

		if (!memory && (k.ldst || k.access_size || k.flags & (AR | EX | AT | GS | PAIR)))
			fail_msg("0x%08x has memory attributes without an access", (unsigned)op);
		if (k.type != BRANCH && (k.flags & branch_flags || k.branch_offset))
			fail_msg("0x%08x has branch attributes and is none", (unsigned)op);
		if (k.flags & (AR | EX | AT) && k.ldst != EXTENDED)
			fail_msg("0x%08x is ordered but not extended", (unsigned)op);
		if (k.type == ATOMIC && !(k.flags & AT))
			fail_msg("0x%08x is atomic without its flag", (unsigned)op);
		if (k.flags & EXC && k.type != OTHER)
			fail_msg("0x%08x raises an exception and is not other", (unsigned)op);
		if ((k.type == SVE || k.type == SME || k.ldst == SVESME) != (k.vector_bits != 0))
			fail_msg("0x%08x: vector length without a vector", (unsigned)op);
		if (k.branch_offset % 4)
			fail_msg("0x%08x: offset of a part of an instruction", (unsigned)op);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_opcode_has_the_attributes_of_the_manual),
	        cmocka_unit_test(vector_length_zero_means_128),
	        cmocka_unit_test(attributes_are_consistent_everywhere),
	};
	return cmocka_run_group_tests_name("a64", tests, NULL, NULL);
}
