/* SPDX-License-Identifier: MIT */
/* Test a64_classify(): every attribute of an operation that the function derives from an A64
 * opcode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "timing/a64.h"

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
#include "a64_expected_base.h"
#include "a64_expected_sve_sme.h"
};

#define COUNT (sizeof(table) / sizeof(table[0]))

static void opcode_classes_match_the_manual(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		const struct expected *e = &table[i];
		struct spemu_op_kind k;

		memset(&k, 0xa5, sizeof(k)); /* a64_classify() fills the whole struct */
		a64_classify(&k, e->opcode, 256);
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

/* Return true if bits [4:0] of the opcode do not name a register. */
static bool has_no_first_register(uint32_t opcode)
{
	bool system = (opcode >> 26 & 7) == 5;

	return (system && (opcode & 0xffd80000) != 0xd5080000 &&
	        (opcode & 0x7c000000) != 0x34000000) ||
	       opcode >> 25 == 0 ||                          /* reserved */
	       (opcode & 0xff203c00) == 0x1e202000 ||        /* FCMP */
	       (opcode & 0xffa0fc0f) == 0x25a02000 ||        /* CTERMEQ, CTERMNE */
	       opcode == 0xe11f8020 || opcode == 0xe13f8020; /* LDR and STR of ZT0 */
}

/* Register 1 in bits [4:0] gives the same attributes as any other register. The exception is
 * register 31, which is the zero register in atomics. */
static void class_is_independent_of_first_register(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t opcode = table[i].opcode;
		struct spemu_op_kind k, one;

		if (has_no_first_register(opcode) || opcode % 32 == 31)
			continue;
		a64_classify(&k, opcode, 256);
		a64_classify(&one, opcode | 1, 256);
		if (memcmp(&k, &one, sizeof(k)) != 0)
			fail_msg("row %zu 0x%08x", i, (unsigned)opcode);
	}
}

/* The attributes do not depend on the base register of a load or store, bits [9:5]. For SVE they do
 * not depend on the governing predicate, [12:10], or on the offset in [19:16] either. */
static void class_is_independent_of_address_registers(void **state)
{
	unsigned accesses = 0, sve = 0;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t opcode = table[i].opcode;
		bool of_sve = (opcode >> 25 & 0xf) == 2 && opcode >> 31;
		struct spemu_op_kind k, other;

		if (!of_sve && (opcode >> 25 & 5) != 4)
			continue;
		a64_classify(&k, opcode, 256);
		for (unsigned bit = 5; bit < 20; bit++) {
			if (bit > 9 && (!of_sve || (bit > 12 && bit < 16)))
				continue;
			a64_classify(&other, opcode ^ 1u << bit, 256);
			if (memcmp(&k, &other, sizeof(k)) != 0)
				fail_msg("row %zu 0x%08x, bit %u", i, (unsigned)opcode, bit);
		}
		accesses++;
		sve += of_sve;
	}
	assert_true(accesses > 200 && sve > 80);
}

/*
 * C4.1.96, Advanced SIMD. A row gives a field by its lowest bit `lo` and its `width`, the values of
 * the field that are FP instructions, and the values of other or unallocated instructions. The
 * remaining values are not tested.
 */
static void advanced_simd_fp_instructions_match_opcode_tables(void **state)
{
	static const struct {
		uint32_t opcode;
		unsigned lo, width;
		uint32_t fp, other;
		const char *text;
	} groups[] = {
	        {0x0e200400, 11, 5, 0xff000000, 0x00ffffff, "three same"},
	        {0x2e200400, 11, 5, 0xff000000, 0x00ffffff, "three same, U"},
	        {0x5e200400, 11, 5, 0xff000000, 0x00ffffff, "scalar three same"},
	        {0x2e008400, 11, 4, 0xdf00, 0x003f, "three same extra, U"},
	        {0x0e008400, 11, 4, 0, 0x003f, "three same extra"},
	        /* FCVTN, FCVTL, FRINTN, FRINTM, FCVTNS, FCVTMS, FCVTAS, SCVTF, FRINT32Z,
	         * FRINT64Z */
	        {0x0e200800, 12, 5, 0xffc00000, 0x003f0fff, "two-register, size 0x"},
	        /* FCMGT, FCMEQ, FCMLT, FABS; BFCVTN; FRINTP, FRINTZ, FCVTPS, FCVTZS; URECPE;
	         * FRECPE, FSQRT */
	        {0x0ea00800, 12, 5, 0xaf40f000, 0x103f0fff, "two-register, size 1x"},
	        {0x2ea00800, 12, 5, 0xaf00f000, 0x103f0fff, "two-register, U, size 1x"},
	        {0x5ea00800, 12, 5, 0x2c007000, 0x001f0fff, "scalar two-register, size 1x"},
	        {0x0e300800, 12, 5, 0x00009000, 0x0c000408, "across lanes"},
	        {0x2e300800, 12, 5, 0x00009000, 0x04000408, "across lanes, U"},
	        {0x7e300800, 12, 5, 0x0000b000, 0, "scalar pairwise"},
	        {0x5ef00800, 12, 5, 0, 0x08000000, "scalar pairwise ADDP"},
	        {0x0f000400, 12, 4, 0x8000, 0x7fff, "modified immediate"},
	        {0x0f100400, 11, 5, 0x90000000, 0x6fffffff, "shift by immediate"},
	        {0x5f100400, 11, 5, 0x90000000, 0x6fffffff, "scalar shift by immediate"},
	        {0x0f000000, 12, 4, 0x0233, 0xfdcc, "indexed, size 00: SUDOT"},
	        {0x0f800000, 12, 4, 0x0233, 0xfdcc, "indexed, size 10: USDOT"},
	        {0x0f400000, 12, 4, 0x8233, 0x7dcc, "indexed, size 01: BFDOT"},
	        {0x0fc00000, 12, 4, 0x8233, 0x7dcc, "indexed, size 11: BFMLAL"},
	        {0x2f800000, 12, 4, 0x13aa, 0xe455, "indexed, U"},
	        {0x2f400000, 12, 4, 0x13aa, 0xe455, "indexed, U, size 01"},
	        {0x5f800000, 12, 4, 0x0222, 0x3888, "scalar indexed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		for (uint32_t value = 0; value >> groups[i].width == 0; value++) {
			uint32_t opcode = groups[i].opcode | value << groups[i].lo;
			unsigned fp = groups[i].fp >> value & 1;
			struct spemu_op_kind k;

			a64_classify(&k, opcode | 0x3e1, 256); /* registers 1 and 31 */
			if (!fp && !(groups[i].other >> value & 1))
				continue;
			if (k.type != OTHER || k.flags != (SIMD | (fp ? FP : 0)) || k.vector_bits ||
			    k.ldst)
				fail_msg("%s 0x%x: flags 0x%x", groups[i].text, (unsigned)value,
				         (unsigned)k.flags);
		}
	}
}

static void vector_length_zero_means_128_bits(void **state)
{
	struct spemu_op_kind k;

	(void)state;
	a64_classify(&k, 0x85804020, 0); /* ldr z0, [x1] */
	assert_int_equal(k.vector_bits, 128);
	assert_int_equal(k.access_size, 16);
	a64_classify(&k, 0x85804020, 2048);
	assert_int_equal(k.vector_bits, 2048);
	assert_int_equal(k.access_size, 256);
}

/* Some attributes exclude or require each other. Check this over a walk through all encodings. */
static void attributes_of_any_opcode_are_consistent(void **state)
{
	const uint32_t branch_flags = IND | LINK | RET | ERET;

	(void)state;
	/* The step is prime, so all fields vary. */
	for (uint64_t op = 0; op <= UINT32_MAX; op += 4093) {
		struct spemu_op_kind k;

		a64_classify(&k, (uint32_t)op, 512);
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
	        cmocka_unit_test(opcode_classes_match_the_manual),
	        cmocka_unit_test(class_is_independent_of_first_register),
	        cmocka_unit_test(class_is_independent_of_address_registers),
	        cmocka_unit_test(advanced_simd_fp_instructions_match_opcode_tables),
	        cmocka_unit_test(vector_length_zero_means_128_bits),
	        cmocka_unit_test(attributes_of_any_opcode_are_consistent),
	};
	return cmocka_run_group_tests_name("a64", tests, NULL, NULL);
}
