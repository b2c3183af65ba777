/* SPDX-License-Identifier: MIT */
/*
 * Test buffer management events by name, and PMBSR_ELx.{EC, FSC, BSC} in words. The codes are those
 * that EncodeLDFSC() gives to faults.
 *
 * Arm ARM: DDI 0487 M.a, D24.7.5 (EC, FSC, BSC)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/explain.h>
#include <spemu/memory.h>

enum { OTHER = 0, GPC = 0x1e, IMPDEF = 0x1f, STAGE1 = 0x24, STAGE2 = 0x25 };

/* A type of fault, the levels that it can have, and its text without the level. */
static const struct fault {
	enum spemu_fault_type type;
	int lowest, highest; /* range of levels; both are -3 if the fault has no level */
	const char *text;
} faults[] = {
        {SPEMU_FT_ADDRESS_SIZE, -2, 3, "Address size fault"},
        {SPEMU_FT_TRANSLATION, -2, 3, "Translation fault"},
        {SPEMU_FT_ACCESS_FLAG, 0, 3, "Access flag fault"},
        {SPEMU_FT_PERMISSION, 0, 3, "Permission fault"},
        {SPEMU_FT_EXTERNAL_ON_WALK, -2, 3, "synchronous External abort on a table walk"},
        {SPEMU_FT_PARITY_ON_WALK, -1, -1, "synchronous parity or ECC error on a table walk"},
        {SPEMU_FT_GPF_ON_WALK, -2, 3, "Granule Protection Fault on a table walk"},
        {SPEMU_FT_GPF, -3, -3, "Granule Protection Fault on the write"},
        {SPEMU_FT_ALIGNMENT, -3, -3, "Alignment fault"},
        {SPEMU_FT_TLB_CONFLICT, -3, -3, "TLB conflict abort"},
        {SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE, -3, -3, "unsupported atomic hardware update"},
        {SPEMU_FT_EXTERNAL, -3, -3, "synchronous External abort on the write"},
        {SPEMU_FT_EXTERNAL_ASYNC, -3, -3, "asynchronous External abort"},
};

static void event_codes_have_their_words(void **state)
{
	uint64_t named = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		for (int level = faults[i].lowest; level <= faults[i].highest; level++) {
			int fsc = spemu_fsc(faults[i].type, level);
			char text[96];

			if (level == -3)
				snprintf(text, sizeof(text), "%s", faults[i].text);
			else
				snprintf(text, sizeof(text), "%s, level %d", faults[i].text, level);
			assert_in_range(fsc, 0, 63);
			assert_string_equal(
			        spemu_management_event_status_text(STAGE1, (unsigned)fsc), text);
			assert_string_equal(
			        spemu_management_event_status_text(STAGE2, (unsigned)fsc), text);
			named |= UINT64_C(1) << fsc;
		}
	for (unsigned fsc = 0; fsc < 64; fsc++)
		if (!(named >> fsc & 1))
			assert_string_equal(spemu_management_event_status_text(STAGE1, fsc),
			                    "reserved");
	assert_string_equal(spemu_management_event_status_text(OTHER, 0),
	                    "access to the Profiling Buffer not allowed");
	assert_string_equal(spemu_management_event_status_text(OTHER, 1),
	                    "Profiling Buffer filled");
	assert_string_equal(spemu_management_event_status_text(OTHER, 2), "reserved");
	assert_string_equal(spemu_management_event_status_text(GPC, 0), "reserved");
}

/* D24.7.5: a level that the table does not list has no code. */
static void fault_codes_have_only_levels_of_the_table(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		for (int level = -4; level <= 5; level++) {
			int fsc = spemu_fsc(faults[i].type, level);

			if (faults[i].lowest == -3)
				continue;
			if (level >= faults[i].lowest && level <= faults[i].highest)
				assert_true(fsc >= 0);
			else
				assert_int_equal(fsc, -1);
		}
	assert_int_equal(spemu_fsc((enum spemu_fault_type)1000, 0), -1);
}

static void event_classes_have_their_text(void **state)
{
	(void)state;
	for (unsigned ec = 0; ec < 64; ec++) {
		const char *text = spemu_management_event_class_text(ec);

		assert_string_equal(text,
		                    ec == OTHER ? "other management event"
		                    : ec == GPC ? "Granule Protection Check fault other than a GPF"
		                    : ec == IMPDEF ? "IMPLEMENTATION DEFINED management event"
		                    : ec == STAGE1 ? "stage 1 Data Abort"
		                    : ec == STAGE2 ? "stage 2 Data Abort"
		                                   : "reserved");
	}
}

/*
 * Scenarios and explanations accept these names. If the fault has a level, a name without a level
 * means level 3.
 */
static void event_names_round_trip_with_level(void **state)
{
	static const struct {
		const char *words;
		enum spemu_fault_type type;
	} kinds[] = {
	        {"address size fault", SPEMU_FT_ADDRESS_SIZE},
	        {"translation fault", SPEMU_FT_TRANSLATION},
	        {"access flag fault", SPEMU_FT_ACCESS_FLAG},
	        {"permission fault", SPEMU_FT_PERMISSION},
	        {"alignment fault", SPEMU_FT_ALIGNMENT},
	        {"tlb conflict", SPEMU_FT_TLB_CONFLICT},
	        {"unsupported atomic update", SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE},
	        {"asynchronous external abort", SPEMU_FT_EXTERNAL_ASYNC},
	        {"external abort on write", SPEMU_FT_EXTERNAL},
	        {"external abort on walk", SPEMU_FT_EXTERNAL_ON_WALK},
	        {"gpf on walk", SPEMU_FT_GPF_ON_WALK},
	        {"gpf", SPEMU_FT_GPF},
	};
	struct spemu_management_event_description d;
	unsigned n = 0, found = 0;

	(void)state;
	for (; spemu_management_event_describe(&d, n) == SPEMU_OK; n++) {
		assert_int_equal(d.collision, strcmp(d.name, "collision") == 0);
		if (strcmp(d.name, "buffer full") == 0 || strcmp(d.name, "buffer too large") == 0 ||
		    strcmp(d.name, "access not allowed") == 0 || strcmp(d.name, "collision") == 0) {
			assert_int_equal(d.ec, OTHER);
			assert_int_equal(d.fsc, strcmp(d.name, "buffer full") == 0        ? 1
			                        : strcmp(d.name, "buffer too large") == 0 ? 4
			                                                                  : 0);
			continue;
		}
		if (strcmp(d.name, "implementation defined") == 0) {
			assert_true(d.ec == 0x1f && d.fsc == 0);
			continue;
		}
		if (strcmp(d.name, "gpc fault") == 0) {
			assert_true(d.ec == GPC && d.fsc == 0);
			continue;
		}
		assert_int_equal(d.ec, strncmp(d.name, "stage 2", 7) == 0 ? STAGE2 : STAGE1);
		for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
			size_t size = strlen(kinds[i].words), length = strlen(d.name);

			if (length < size || strcmp(d.name + length - size, kinds[i].words) != 0)
				continue;
			assert_int_equal(d.fsc, spemu_fsc(kinds[i].type, 3));
			found++;
			break;
		}
	}
	assert_int_equal(spemu_management_event_describe(&d, n), SPEMU_ERR_END);
	assert_int_equal(found, n - 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(event_codes_have_their_words),
	        cmocka_unit_test(fault_codes_have_only_levels_of_the_table),
	        cmocka_unit_test(event_classes_have_their_text),
	        cmocka_unit_test(event_names_round_trip_with_level),
	};
	return cmocka_run_group_tests_name("management_event", tests, NULL, NULL);
}
