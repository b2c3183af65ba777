/* SPDX-License-Identifier: MIT */
/*
 * Test a PE that is described by text (explain.h): names and numbers, values that a state implies,
 * and the registers and choices that features leave.
 *
 * Arm ARM: DDI 0487 M.a, D1.2 (Execution states), D24
 */
#define _GNU_SOURCE
#include "pe_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <spemu/choices.h>
#include "explain/explain.h"

static void start(struct spemu_machine *m)
{
	struct spemu_machine *made;

	assert_int_equal(spemu_machine_size(), sizeof(*m));
	assert_int_equal(spemu_machine_init(&made, m, sizeof(*m)), SPEMU_OK);
	assert_ptr_equal(made, m);
}

static int set(struct spemu_machine *m, struct spemu_refusal_detail *detail, const char *text)
{
	return spemu_machine_set(m, detail, text, strlen(text));
}

static void put(struct spemu_machine *m, const char *text)
{
	struct spemu_refusal_detail detail;

	assert_int_equal(set(m, &detail, text), SPEMU_OK);
	assert_int_equal(detail.kind, 0);
}

static struct spemu_field_value value(const struct spemu_machine *m, const char *name)
{
	struct spemu_field_value v;

	assert_int_equal(spemu_explain_value(&m->pe, &v, name, strlen(name)), SPEMU_OK);
	assert_ptr_equal(v.name, name);
	assert_int_equal(v.length, strlen(name));
	return v;
}

/* Each name of the PE's state sets its own member, and has the expected width. */
static void pe_state_names_set_their_members(void **state)
{
	static const struct {
		const char *name;
		unsigned most;
	} names[] = {
	        {"PSTATE.EL", 3}, {"PSTATE.nRW", 1}, {"PSTATE.PM", 1}, {"PSTATE.SM", 1},
	        {"PE.state", 1},  {"EDSCR.SDD", 1},  {"EL1.nRW", 1},   {"EL2.nRW", 1},
	};
	enum { NAMES = sizeof(names) / sizeof(*names) };

	(void)state;
	for (unsigned i = 0; i < NAMES; i++) {
		struct spemu_refusal_detail detail;
		struct spemu_machine m;
		char text[64];

		assert_string_equal(spemu_machine_name(i), names[i].name);
		start(&m);
		assert_int_equal(value(&m, names[i].name).value, 0);
		assert_int_equal(value(&m, names[i].name).width, names[i].most == 3 ? 2 : 1);
		assert_true(value(&m, names[i].name).exists);
		if (strcmp(names[i].name, "PE.state") == 0)
			continue; /* the values of PE.state are words */
		snprintf(text, sizeof(text), "%s=%u", names[i].name, names[i].most);
		put(&m, text);
		assert_int_equal(value(&m, names[i].name).value, names[i].most);
		/* No other member changed, except for implied ones. */
		for (unsigned k = 0; k < NAMES; k++)
			if (k != i && strcmp(names[i].name, "EL2.nRW") != 0)
				assert_int_equal(value(&m, names[k].name).value, 0);
		snprintf(text, sizeof(text), "%s=0", names[i].name);
		put(&m, text);
		assert_int_equal(value(&m, names[i].name).value, 0);
		snprintf(text, sizeof(text), "%s=%u", names[i].name, names[i].most + 1);
		assert_int_equal(set(&m, &detail, text), SPEMU_ERR_INVALID);
		assert_int_equal(detail.kind, SPEMU_REFUSED_WIDTH);
		assert_int_equal(detail.width, value(&m, names[i].name).width);
	}
	assert_string_equal(spemu_machine_name(NAMES), "features");
	assert_null(spemu_machine_name(NAMES + 1));
	assert_null(spemu_machine_name(NAMES + 2));
}

static void pe_state_values_are_words(void **state)
{
	struct spemu_refusal_detail detail;
	struct spemu_machine m;

	(void)state;
	start(&m);
	assert_string_equal(value(&m, "PE.state").label, "non-debug");
	put(&m, "PE.state=debug");
	assert_true(m.pe.state.debug);
	assert_string_equal(value(&m, "PE.state").label, "debug");
	put(&m, "pe.STATE=Non-Debug");
	assert_false(m.pe.state.debug);
	assert_int_equal(set(&m, &detail, "PE.state=debugging"), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_VALUE);
	assert_int_equal(detail.offset, 9);
	assert_int_equal(detail.length, 9);
	assert_int_equal(set(&m, &detail, "PE.state=1"), SPEMU_ERR_INVALID);
	assert_int_equal(set(&m, &detail, "PE.state="), SPEMU_ERR_INVALID);
	assert_false(m.pe.state.debug);
	put(&m, "PSTATE.EL=EL2");
	assert_int_equal(m.pe.state.el, 2);
	put(&m, "PSTATE.EL=el3");
	assert_int_equal(m.pe.state.el, 3);
	assert_int_equal(set(&m, &detail, "PSTATE.EL=EL4"), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_WIDTH);
	assert_int_equal(set(&m, &detail, "PSTATE.EL=EL"), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_VALUE);
	assert_int_equal(set(&m, &detail, "PSTATE.EL=EL11"), SPEMU_ERR_INVALID);
	assert_int_equal(set(&m, &detail, "PSTATE.EL=LE1"), SPEMU_ERR_INVALID);
	assert_int_equal(m.pe.state.el, 3);
	/* A register field accepts the names of its values. A name that is a number is not accepted
	 * as a word. */
	assert_int_equal(set(&m, &detail, "MDCR_EL3.NSPB=nothing"), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_VALUE);
	put(&m, "PMBLIMITR_EL1.FM=discard");
	assert_int_equal(value(&m, "PMBLIMITR_EL1.FM").value, SPEMU_PMBLIMITR_EL1_FM_DISCARD);
	assert_string_equal(value(&m, "PMBLIMITR_EL1.FM").label, "DISCARD");
}

static void numbers_parse_in_three_bases(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
	        {"0", 0},
	        {"9", 9},
	        {"10", 10},
	        {"0x10", 16},
	        {"0XfF", 255},
	        {"0xabcdef", 0xabcdef},
	        {"0b101", 5},
	        {"0B1", 1},
	        {"007", 7},
	        {"18446744073709551615", UINT64_MAX},
	        {"0xffffffffffffffff", UINT64_MAX},
	        {"0x0000ffffffffffffffff", UINT64_MAX},
	};
	static const char *const bad[] = {"",
	                                  "0x",
	                                  "0b",
	                                  "0b2",
	                                  "0x1g",
	                                  "1a",
	                                  "0xffffffffffffffff0",
	                                  "18446744073709551616",
	                                  "18446744073709551620",
	                                  "0x10000000000000000",
	                                  " 1",
	                                  "1 ",
	                                  "+1",
	                                  ":",
	                                  "/",
	                                  "0x:",
	                                  "@",
	                                  "0x`"};
	struct spemu_refusal_detail detail;
	struct spemu_machine m;
	char text[64];

	(void)state;
	start(&m);
	for (unsigned i = 0; i < sizeof(good) / sizeof(*good); i++) {
		snprintf(text, sizeof(text), "PMSCR_EL1=%s", good[i].text);
		put(&m, text);
		assert_true(m.written[SPEMU_REG_PMSCR_EL1] == good[i].value);
	}
	m.written[SPEMU_REG_PMSCR_EL1] = 77;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "PMSCR_EL1=%s", bad[i]);
		if (set(&m, &detail, text) != SPEMU_ERR_INVALID)
			fail_msg("'%s' is taken", bad[i]);
		assert_int_equal(detail.kind, SPEMU_REFUSED_VALUE);
		assert_int_equal(detail.offset, 10);
		assert_int_equal(detail.length, strlen(bad[i]));
	}
	assert_true(m.written[SPEMU_REG_PMSCR_EL1] == 77);
}

/* D1.2: if an Exception level uses AArch32, all lower levels use AArch32. */
static void levels_below_aarch32_use_aarch32(void **state)
{
	static const struct {
		struct spemu_pe_state written;
		uint8_t el_aarch32;
	} rows[] = {
	        {{.el = 0}, 0},
	        {{.el = 0, .aarch32 = true}, 1},
	        {{.el = 1, .aarch32 = true}, 3},
	        {{.el = 2, .aarch32 = true}, 7},
	        {{.el = 3, .aarch32 = true}, 15},
	        {{.el = 1, .el_aarch32 = 4}, 7},
	        {{.el = 3, .el_aarch32 = 2}, 3},
	        {{.el = 3, .el_aarch32 = 1}, 1},
	        {{.el = 2, .el_aarch32 = 8}, 15},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_pe_state back;
		struct spemu_machine m;

		start(&m);
		spemu_machine_set_state(&m, &rows[i].written);
		assert_int_equal(m.pe.state.el_aarch32, rows[i].el_aarch32);
		assert_int_equal(m.pe.state.el, rows[i].written.el);
		spemu_machine_get_state(&m, &back); /* the state is returned as it was written */
		assert_int_equal(back.el_aarch32, rows[i].written.el_aarch32);
		assert_ptr_equal(spemu_machine_pe(&m), &m.pe);
	}
}

/* While the features hide a register or a choice, its written value is kept. */
static void hidden_registers_and_choices_keep_their_values(void **state)
{
	const enum spemu_choice abort = SPEMU_CHOICE_EXTERNAL_ABORT;
	struct spemu_refusal_detail detail;
	struct spemu_machine m, other;

	(void)state;
	start(&m);
	put(&m, "PMSCR_EL2.EE=3"); /* this field requires FEAT_SPE_EXC */
	assert_true(value(&m, "PMSCR_EL2.EE").exists);
	assert_int_equal(value(&m, "PMSCR_EL2.EE").value, 3);
	put(&m, "features=v8.2");
	assert_false(value(&m, "PMSCR_EL2.EE").exists);
	assert_int_equal(value(&m, "PMSCR_EL2.EE").value, 0);
	start(&other);
	spemu_machine_copy_features(&m, &other);
	assert_int_equal(value(&m, "PMSCR_EL2.EE").value, 3);
	put(&m, "features=v8.2"); /* without FEAT_SPE_EXC only PMBSR_EL1 exists */
	assert_false(value(&m, "PMBSR_EL2").exists);
	assert_false(value(&m, "PMBSR_EL2.S").exists);
	assert_true(value(&m, "PMSCR_EL1").exists);
	assert_int_equal(value(&m, "PMSCR_EL1").width, 64);
	/* RJFYNW: an External abort can be reported as an SPE event only without FEAT_SPEv1p3. */
	put(&m, "features=v8.2");
	assert_int_equal(spemu_machine_chosen(&m, abort), SPEMU_ERR_INVALID);
	assert_int_equal(
	        spemu_machine_choose(&m, abort, SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY),
	        SPEMU_OK);
	assert_int_equal(spemu_machine_chosen(&m, abort),
	                 SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY);
	assert_int_equal(m.pe.choice[abort], SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY);
	put(&m, "features=v9.6");
	assert_int_equal(spemu_choice_permitted(&m.pe.features, abort, m.pe.choice[abort]), true);
	put(&m, "features=v8.2");
	assert_int_equal(m.pe.choice[abort], SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY);
	assert_int_equal(
	        spemu_machine_choose(&m, abort, spemu_choice_describe(abort)->option_count),
	        SPEMU_ERR_INVALID);
	assert_int_equal(spemu_machine_choose(&m, SPEMU_CHOICE_COUNT, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_machine_chosen(&m, SPEMU_CHOICE_COUNT), SPEMU_ERR_INVALID);
	assert_int_equal(set(&m, &detail, "features=v8.2,-FEAT_SPE"), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_MACHINE);
	assert_non_null(detail.rule);
	spemu_machine_copy(&other, &m);
	assert_memory_equal(&other, &m, sizeof(m));
}

static void refusals_have_kind_and_place(void **state)
{
	struct spemu_machine m, *made;
	struct spemu_refusal_detail detail;
	struct spemu_field_value v;
	uint64_t before;

	(void)state;
	start(&m);
	assert_int_equal(spemu_machine_init(NULL, &m, sizeof(m)), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_machine_init(&made, NULL, sizeof(m)), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_machine_init(&made, &m, sizeof(m) - 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_machine_set_reg(&m, SPEMU_REG_COUNT, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_explain_value(&m.pe, &v, "PSTATE.X", 8), SPEMU_ERR_INVALID);
	/* Writing a field does not change the other fields of its register. */
	put(&m, "PMSCR_EL1=0xffffffffffffffff");
	before = m.written[SPEMU_REG_PMSCR_EL1];
	put(&m, "PMSCR_EL1.PCT=0");
	assert_true(m.written[SPEMU_REG_PMSCR_EL1] ==
	            (before & ~(UINT64_C(3) << SPEMU_PMSCR_EL1_PCT_LSB)));
	/* The refusal points at the part after the dot if the field is unknown, and at the whole
	 * name if the register is. */
	assert_int_equal(set(&m, &detail, "PMSCR_EL1.NONE=1"), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_FIELD);
	assert_int_equal(detail.offset, 10);
	assert_int_equal(detail.length, 4);
	assert_true(detail.reg_index != ~0u);
	assert_int_equal(set(&m, &detail, "NONE.EE=1"), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_NAME);
	assert_int_equal(detail.length, 7);
	assert_true(detail.reg_index == ~0u);
	assert_int_equal(spemu_machine_set(&m, &detail, "features=v9.6\0", 14), SPEMU_ERR_INVALID);
	assert_int_equal(detail.kind, SPEMU_REFUSED_FEATURE);
}

/* Choose every option of every choice. If the features do not permit the option, the default
 * applies. */
static void every_option_is_taken_or_default_by_features(void **state)
{
	static const char *const features[] = {"features=v8.2", "features=v9.6",
	                                       "features=v8.4,-EL2"};

	(void)state;
	for (unsigned f = 0; f < 3; f++) {
		for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
			enum spemu_choice choice = (enum spemu_choice)i;

			for (unsigned option = 0;
			     option < spemu_choice_describe(choice)->option_count; option++) {
				struct spemu_machine m, fresh;
				bool has;

				start(&fresh);
				put(&fresh, features[f]);
				has = spemu_choice_permitted(&fresh.pe.features, choice, option);
				/* Choose the option before the features are set, and after. */
				start(&m);
				assert_int_equal(spemu_machine_choose(&m, choice, option),
				                 SPEMU_OK);
				put(&m, features[f]);
				assert_int_equal(m.pe.choice[i], has ? option : fresh.pe.choice[i]);
				assert_int_equal(spemu_machine_choose(&fresh, choice, option),
				                 SPEMU_OK);
				assert_memory_equal(m.pe.choice, fresh.pe.choice,
				                    sizeof(m.pe.choice));
				for (unsigned k = 0; k < SPEMU_CHOICE_COUNT; k++)
					assert_int_equal(
					        spemu_machine_chosen(&m, (enum spemu_choice)k),
					        k == i ? (int)option : SPEMU_ERR_INVALID);
			}
		}
	}
}

/* Exception levels below a level that uses AArch32 use AArch32, too. Levels above it are not
 * affected. */
static void aarch32_applies_to_lower_levels_only(void **state)
{
	static const struct {
		const char *text;
		unsigned levels;
	} rows[] = {{"EL1.nRW=0", 0}, {"EL1.nRW=1", 3}, {"EL2.nRW=1", 7}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct spemu_machine m;

		start(&m);
		put(&m, rows[i].text);
		assert_int_equal(m.pe.state.el_aarch32, rows[i].levels);
	}
}

/* A refusal because of the field, the value or its width also names the register. */
static void refusals_name_the_register(void **state)
{
	static const char *const texts[] = {"PMSCR_EL2.X=1", "PMSCR_EL2=x", "PMSCR_EL2.EE=4",
	                                    "PMSCR_EL2.EE="};
	unsigned index;
	int field;

	(void)state;
	assert_int_equal(spemu_reg_find(&index, &field, "PMSCR_EL2", 9), SPEMU_OK);
	for (unsigned i = 0; i < 4; i++) {
		struct spemu_refusal_detail detail;
		struct spemu_machine m;

		start(&m);
		assert_int_equal(set(&m, &detail, texts[i]), SPEMU_ERR_INVALID);
		assert_int_equal(detail.reg_index, index);
	}
}

/* The text ends only by its length. Nothing after it is read. */
static void text_is_not_read_beyond_its_length(void **state)
{
	static const char *const texts[] = {"features=v8.2",        "features=v9.6,-FEAT_RME",
	                                    "PMSCR_EL1=0x3",        "PMSCR_EL1.EE=3",
	                                    "PSTATE.EL=EL2",        "PE.state=debug",
	                                    "SCR_EL3.NS=1",         "EL1.nRW=1",
	                                    "PMSCR_EL2.EE=DISABLED"};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
	        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct spemu_machine m;

	(void)state;
	assert_true(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		for (size_t length = strlen(texts[i]) + 1; length--;) {
			struct spemu_refusal_detail detail;
			char *text = pages + page - length;

			start(&m);
			memcpy(text, texts[i], length);
			if (spemu_machine_set(&m, &detail, text, length) != SPEMU_OK)
				assert_true(detail.offset <= length &&
				            detail.length <= length - detail.offset);
			else
				assert_int_equal(detail.kind, 0);
		}
	}
	munmap(pages, 2 * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_option_is_taken_or_default_by_features),
	        cmocka_unit_test(aarch32_applies_to_lower_levels_only),
	        cmocka_unit_test(refusals_name_the_register),
	        cmocka_unit_test(text_is_not_read_beyond_its_length),
	        cmocka_unit_test(pe_state_names_set_their_members),
	        cmocka_unit_test(pe_state_values_are_words),
	        cmocka_unit_test(numbers_parse_in_three_bases),
	        cmocka_unit_test(levels_below_aarch32_use_aarch32),
	        cmocka_unit_test(hidden_registers_and_choices_keep_their_values),
	        cmocka_unit_test(refusals_have_kind_and_place),
	};
	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
