/* SPDX-License-Identifier: MIT */
/* Test the contents of each register page: the encoding of the register, where its name is
 * UNDEFINED, the bits that require a feature, and the codes of a field. All numbers are copied by
 * hand from the pages (D24.7). */
#include "spu_fixture.h"

#include <stdio.h>

#include <spemu/explain.h>
#include <spemu/memory.h>

/* Encodings, the registers that they reach, and feature sets without the register. */
static const struct page {
	uint32_t encoding, constant;
	enum spemu_reg reg;
	const char *without[2];
} pages[] = {
#define SPE "v8.2,-FEAT_SPE,-FEAT_SPE_LDS"
#define EXC "v9.5"
#define NO_EXC "-FEAT_SPEv1p5,-FEAT_SPE_EXC" /* A2.3: FEAT_SPEv1p5 implies both */
#define NO_NVM NO_EXC ",-FEAT_SPE_nVM"
#define PAGE(op1, crm, op2, name, reg, ...)                                              \
	{                                                                                \
		SPEMU_SYSREG(3, op1, 9, crm, op2), SPEMU_SYSREG_##name, SPEMU_REG_##reg, \
		{                                                                        \
			__VA_ARGS__                                                      \
		}                                                                        \
	}
        PAGE(0, 10, 7, PMBIDR_EL1, PMBIDR_EL1, SPE),
        PAGE(0, 10, 0, PMBLIMITR_EL1, PMBLIMITR_EL1, SPE),
        PAGE(0, 10, 5, PMBMAR_EL1, PMBMAR_EL1, "v9.6," NO_NVM),
        PAGE(0, 10, 1, PMBPTR_EL1, PMBPTR_EL1, SPE),
        PAGE(0, 10, 3, PMBSR_EL1, PMBSR_EL1, SPE),
        PAGE(5, 10, 3, PMBSR_EL12, PMBSR_EL1, EXC),
        PAGE(4, 10, 3, PMBSR_EL2, PMBSR_EL2, EXC),
        PAGE(6, 10, 3, PMBSR_EL3, PMBSR_EL3, EXC, "v9.6,-EL3,-FEAT_RME"),
        PAGE(0, 9, 0, PMSCR_EL1, PMSCR_EL1, SPE),
        PAGE(5, 9, 0, PMSCR_EL12, PMSCR_EL1, SPE),
        PAGE(4, 9, 0, PMSCR_EL2, PMSCR_EL2, SPE),
        PAGE(0, 10, 4, PMSDSFR_EL1, PMSDSFR_EL1, "v8.8"),
        PAGE(0, 9, 5, PMSEVFR_EL1, PMSEVFR_EL1, SPE),
        PAGE(0, 9, 4, PMSFCR_EL1, PMSFCR_EL1, SPE),
        PAGE(0, 9, 2, PMSICR_EL1, PMSICR_EL1, SPE),
        PAGE(0, 9, 7, PMSIDR_EL1, PMSIDR_EL1, SPE),
        PAGE(0, 9, 3, PMSIRR_EL1, PMSIRR_EL1, SPE),
        PAGE(0, 9, 6, PMSLATFR_EL1, PMSLATFR_EL1, SPE),
        PAGE(0, 9, 1, PMSNEVFR_EL1, PMSNEVFR_EL1, "v8.6"),
#undef PAGE
#undef EXC
#undef SPE
};
#define PAGES (sizeof(pages) / sizeof(*pages))

/* Return the outcome of an access at `el`. Store the register that it reaches in *reg. */
static unsigned access_at(const struct spemu_pe *pe, enum spemu_reg *reg, uint32_t encoding,
                          bool write, unsigned el)
{
	struct spemu_access_result result;

	assert_int_equal(spemu_explain_access(pe, &result, reg, encoding, write, el), SPEMU_OK);
	return result.outcome;
}

/* Make a PE with the EL2&0 regime, so that names that end with _EL12 exist. */
static struct spemu_pe *a_pe(const char *features)
{
	struct spemu_pe *pe = pe_make(features);

	assert_int_equal(spemu_reg_set(pe, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1)), SPEMU_OK);
	assert_int_equal(spemu_reg_set(pe, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, E2H, 1)), SPEMU_OK);
	return pe;
}

static void register_encodings_match_the_pages(void **state)
{
	struct spemu_pe *pe = a_pe("v9.6");

	(void)state;
	for (unsigned i = 0; i < PAGES; i++) {
		enum spemu_reg reg;

		assert_int_equal(pages[i].encoding, pages[i].constant);
		assert_int_equal(access_at(pe, &reg, pages[i].encoding, false, 3), SPEMU_ACCESS_OK);
		assert_int_equal(reg, pages[i].reg);
	}
	free(pe);
}

static void registers_are_undefined_at_el0(void **state)
{
	struct spemu_pe *pe = a_pe("v9.6");
	enum spemu_reg reg;

	(void)state;
	for (unsigned i = 0; i < 2 * PAGES; i++)
		assert_int_equal(access_at(pe, &reg, pages[i / 2].encoding, i & 1, 0),
		                 SPEMU_ACCESS_UNDEFINED);
	free(pe);
}

/* "This register is present only when". Without EL3, PMBSR_EL3 is accessed at EL2. */
static void registers_are_undefined_without_their_feature(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4 * PAGES; i++) {
		const char *features = pages[i / 4].without[i & 1];
		struct spemu_pe *pe;
		enum spemu_reg reg;

		if (!features)
			continue;
		pe = a_pe(features);
		assert_int_equal(access_at(pe, &reg, pages[i / 4].encoding, i & 2, i & 1 ? 2 : 3),
		                 SPEMU_ACCESS_UNDEFINED);
		free(pe);
	}
}

/* The bits of a register that can be written, without and with a feature that a field requires. */
static void fields_need_their_features(void **state)
{
	const uint64_t limit = ~UINT64_C(0xfff);
	const struct {
		const char *features;
		enum spemu_reg reg;
		uint64_t bits;
	} rows[] = {
	        {"v8.5", SPEMU_REG_PMSCR_EL1, 0x7b}, /* FEAT_ECV adds PCT[1] */
	        {"v8.5", SPEMU_REG_PMSCR_EL2, 0x7b},
	        {"v9.5", SPEMU_REG_PMSCR_EL1, 0xfb},
	        {"v9.5", SPEMU_REG_PMSCR_EL2, 0xfb},
	        {"v9.6," NO_NVM, SPEMU_REG_PMSCR_EL1, 0xfb},
	        {"v9.6," NO_NVM, SPEMU_REG_PMSCR_EL2, 0xfb},
	        {"v9.6," NO_NVM, SPEMU_REG_PMBLIMITR_EL1, limit | 0x27},
	        {"v9.6,-FEAT_NV,-FEAT_NV2", SPEMU_REG_PMSCR_EL1, 0x7fb},
	        {"v9.6,-FEAT_NV,-FEAT_NV2", SPEMU_REG_PMSCR_EL2, 0xffb},
	        {"v9.6," NO_EXC, SPEMU_REG_PMSCR_EL1, 0x8fb},
	        {"v9.6," NO_EXC, SPEMU_REG_PMSCR_EL2, 0x8fb},
	        {"v9.6", SPEMU_REG_PMSCR_EL1, 0xffb},
	        {"v9.6", SPEMU_REG_PMSCR_EL2, 0xffb},
	        {"v8.6", SPEMU_REG_PMBLIMITR_EL1, limit | 0x07},
	        {"v8.7", SPEMU_REG_PMBLIMITR_EL1, limit | 0x27},
	        {"v9.6", SPEMU_REG_PMBLIMITR_EL1, limit | 0xa7},
	        {"v8.6", SPEMU_REG_PMSFCR_EL1, 0x70007},
	        {"v8.8", SPEMU_REG_PMSFCR_EL1, 0x7000f},
	        {"v9.4", SPEMU_REG_PMSFCR_EL1, 0x7001f},
	        {"v9.5", SPEMU_REG_PMSFCR_EL1, UINT64_C(0x1f) << 48 | 0x1f001f},
	        {"v8.2", SPEMU_REG_PMSICR_EL1, 0xffffffff},
	        {"v8.2,+FEAT_SPE_ERnd", SPEMU_REG_PMSICR_EL1, UINT64_C(0xff) << 56 | 0xffffffff},
	        {"v8.2", SPEMU_REG_PMSIRR_EL1, 0xffffff01},
	        {"v8.2", SPEMU_REG_PMSLATFR_EL1, 0xfff},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;

		fixture_start(&f, rows[i].features, NULL);
		set(&f, SPEMU_REG_MDCR_EL2, 0);
		set(&f, rows[i].reg, ~UINT64_C(0));
		if (reg(&f, rows[i].reg) != rows[i].bits)
			fail_msg("%s with %s: %#llx", spemu_reg_name(rows[i].reg), rows[i].features,
			         (unsigned long long)reg(&f, rows[i].reg));
		fixture_stop(&f);
	}
}

/* D24.7.16: MINLAT[15:12] exist with 16-bit counters. */
static void minlat_has_16_bits_with_16_bit_counters(void **state)
{
	struct spemu_spu_config config = {.counter_bits = 16};
	struct fixture f;

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, &config);
	set(&f, SPEMU_REG_PMSLATFR_EL1, ~UINT64_C(0));
	assert_int_equal(reg(&f, SPEMU_REG_PMSLATFR_EL1), 0xffff);
	fixture_stop(&f);
}

/* D24.7.14: the fields of PMSIDR_EL1 that identify optional features, without and with each
 * feature. */
static void pmsidr_identifies_optional_features(void **state)
{
	static const struct {
		const char *without, *with;
		uint64_t bits;
	} rows[] = {
	        {"v9.2,+FEAT_SME" EL1_ONLY, "v9.2,+FEAT_SME,+FEAT_SPE_SME" EL1_ONLY,
	         UINT64_C(1) << 32},
	        {"v8.7" EL1_ONLY, "v8.7,+FEAT_SPE_ALTCLK" EL1_ONLY, UINT64_C(15) << 28},
	        {"v9.4" EL1_ONLY, "v9.4,+FEAT_SPE_FPF,+FEAT_SPE_EFT" EL1_ONLY, 1 << 27 | 1 << 26},
	        {"v8.7" EL1_ONLY, "v8.7,+FEAT_SPE_PBT" EL1_ONLY, 1 << 24},
	        {"v8.9,-FEAT_SPE_FDS,-FEAT_SPE_LDS" EL1_ONLY, "v8.9" EL1_ONLY, 1 << 7 | 1 << 4},
	        {"v8.2" EL1_ONLY, "v8.2,+FEAT_SPE_ERnd" EL1_ONLY, 1 << 5},
	        {"v8.2,-FEAT_SPE_LDS" EL1_ONLY, "v8.2" EL1_ONLY, 1 << 4},
	        {"v8.2" EL1_ONLY, "v8.2,+FEAT_SPE_ArchInst" EL1_ONLY, 1 << 3},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;
		uint64_t pmsidr;

		fixture_start(&f, rows[i].without, NULL);
		pmsidr = reg(&f, SPEMU_REG_PMSIDR_EL1);
		assert_int_equal(pmsidr & rows[i].bits, 0);
		fixture_stop(&f);
		fixture_start(&f, rows[i].with, NULL);
		/* MaxSize depends on the members that a record can have. */
		assert_int_equal((reg(&f, SPEMU_REG_PMSIDR_EL1) ^ pmsidr) & ~UINT64_C(0xf000),
		                 rows[i].bits);
		fixture_stop(&f);
	}
}

/* D24.7.5 to D24.7.7: the rows of the table of FSC. */
static const struct {
	uint8_t fsc, type;
	int8_t level;
} codes[] = {
        {0x00, SPEMU_FT_ADDRESS_SIZE, 0},
        {0x01, SPEMU_FT_ADDRESS_SIZE, 1},
        {0x02, SPEMU_FT_ADDRESS_SIZE, 2},
        {0x03, SPEMU_FT_ADDRESS_SIZE, 3},
        {0x04, SPEMU_FT_TRANSLATION, 0},
        {0x05, SPEMU_FT_TRANSLATION, 1},
        {0x06, SPEMU_FT_TRANSLATION, 2},
        {0x07, SPEMU_FT_TRANSLATION, 3},
        {0x08, SPEMU_FT_ACCESS_FLAG, 0},
        {0x09, SPEMU_FT_ACCESS_FLAG, 1},
        {0x0a, SPEMU_FT_ACCESS_FLAG, 2},
        {0x0b, SPEMU_FT_ACCESS_FLAG, 3},
        {0x0c, SPEMU_FT_PERMISSION, 0},
        {0x0d, SPEMU_FT_PERMISSION, 1},
        {0x0e, SPEMU_FT_PERMISSION, 2},
        {0x0f, SPEMU_FT_PERMISSION, 3},
        {0x12, SPEMU_FT_EXTERNAL_ON_WALK, -2},
        {0x13, SPEMU_FT_EXTERNAL_ON_WALK, -1},
        {0x14, SPEMU_FT_EXTERNAL_ON_WALK, 0},
        {0x15, SPEMU_FT_EXTERNAL_ON_WALK, 1},
        {0x16, SPEMU_FT_EXTERNAL_ON_WALK, 2},
        {0x17, SPEMU_FT_EXTERNAL_ON_WALK, 3},
        {0x1b, SPEMU_FT_PARITY_ON_WALK, -1},
        {0x21, SPEMU_FT_ALIGNMENT, 0},
        {0x22, SPEMU_FT_GPF_ON_WALK, -2},
        {0x23, SPEMU_FT_GPF_ON_WALK, -1},
        {0x24, SPEMU_FT_GPF_ON_WALK, 0},
        {0x25, SPEMU_FT_GPF_ON_WALK, 1},
        {0x26, SPEMU_FT_GPF_ON_WALK, 2},
        {0x27, SPEMU_FT_GPF_ON_WALK, 3},
        {0x28, SPEMU_FT_GPF, 0},
        {0x29, SPEMU_FT_ADDRESS_SIZE, -1},
        {0x2a, SPEMU_FT_TRANSLATION, -2},
        {0x2b, SPEMU_FT_TRANSLATION, -1},
        {0x2c, SPEMU_FT_ADDRESS_SIZE, -2},
        {0x30, SPEMU_FT_TLB_CONFLICT, 0},
        {0x31, SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE, 0},
};

/* Check that PMBSR_ELx of `el` records each fault. MDCR_EL3.PMSEE or PMSCR_EL2.EE routes all faults
 * there. */
static void fault_codes(unsigned el)
{
	static const enum spemu_reg pmbsr[] = {0, SPEMU_REG_PMBSR_EL1, SPEMU_REG_PMBSR_EL2,
	                                       SPEMU_REG_PMBSR_EL3};
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	struct fixture f;

	fixture_start(&f, "v9.6", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_HCR_EL2, 0);
	set(&f, SPEMU_REG_MDCR_EL3,
	    FIELD(MDCR_EL3, PMSEE, el == 3 ? 3 : el - 1) | FIELD(MDCR_EL3, NSPB, 3));
	set(&f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	set(&f, SPEMU_REG_PMSCR_EL2, el == 2 ? NAMED(PMSCR_EL2, EE, TRAP_ALL) : 0);
	for (unsigned i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		for (unsigned n = 1; n <= 3; n++)
			set(&f, pmbsr[n], 0);
		program(&f, 1);
		f.fault_at = BUFFER_BASE;
		f.fault = (struct spemu_fault){
		        .kind = SPEMU_FAULT_STAGE1,
		        .fsc = (uint8_t)spemu_fsc((enum spemu_fault_type)codes[i].type,
		                                  codes[i].level)};
		sample(&f, &op);
		for (unsigned n = 1; n <= 3; n++)
			/* Ignore DL and EA. */
			assert_int_equal(reg(&f, pmbsr[n]) & ~(UINT64_C(5) << 18),
			                 n == el ? UINT64_C(0x24) << 26 | 1 << 17 | codes[i].fsc
			                         : 0);
	}
	fixture_stop(&f);
}

static void fault_codes_of_pmbsr_el1(void **state)
{
	(void)state;
	fault_codes(1);
}

static void fault_codes_of_pmbsr_el2(void **state)
{
	(void)state;
	fault_codes(2);
}

static void fault_codes_of_pmbsr_el3(void **state)
{
	(void)state;
	fault_codes(3);
}

/* The name of a register has the encoding of the register. In an array, name n has the n-th
 * encoding after the first. */
static void register_names_have_their_encodings(void **state)
{
	struct spemu_reg_description reg;
	unsigned index = 0;

	(void)state;
	for (; spemu_reg_describe(&reg, index) == SPEMU_OK; index++) {
		const char *hole = strstr(reg.name, "<n>");
		char name[64];

		assert_int_equal(spemu_reg_encoding(reg.name), reg.encoding);
		for (unsigned n = 0; hole && n <= reg.count; n++) {
			snprintf(name, sizeof(name), "%.*s%u%s", (int)(hole - reg.name), reg.name,
			         n, hole + 3);
			assert_int_equal(spemu_reg_encoding(name),
			                 n < reg.count ? (int)(reg.encoding + n) : -1);
		}
		snprintf(name, sizeof(name), "%sx", reg.name);
		assert_int_equal(spemu_reg_encoding(name), -1);
	}
	assert_true(index > 30);
	assert_int_equal(spemu_reg_encoding(NULL), -1);
	assert_int_equal(spemu_reg_encoding(""), -1);
	assert_int_equal(spemu_reg_encoding("PMEVCNTR_EL0"), -1);
	assert_int_equal(spemu_reg_encoding("PMEVCNTR00_EL0"), -1);
	assert_int_equal(spemu_reg_encoding("PMEVCNTR0_EL"), -1);
	assert_int_equal(spemu_reg_encoding("PMEVCNTR100_EL0"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(register_encodings_match_the_pages),
	        cmocka_unit_test(registers_are_undefined_at_el0),
	        cmocka_unit_test(registers_are_undefined_without_their_feature),
	        cmocka_unit_test(fields_need_their_features),
	        cmocka_unit_test(minlat_has_16_bits_with_16_bit_counters),
	        cmocka_unit_test(pmsidr_identifies_optional_features),
	        cmocka_unit_test(fault_codes_of_pmbsr_el1),
	        cmocka_unit_test(fault_codes_of_pmbsr_el2),
	        cmocka_unit_test(fault_codes_of_pmbsr_el3),
	        cmocka_unit_test(register_names_have_their_encodings),
	};
	return cmocka_run_group_tests_name("register_page", tests, NULL, NULL);
}
