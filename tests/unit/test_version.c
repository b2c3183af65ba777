/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <spemu/version.h>

static void version_parts_match_its_text(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.%d", SPEMU_VERSION_MAJOR, SPEMU_VERSION_MINOR,
	         SPEMU_VERSION_PATCH);
	assert_string_equal(SPEMU_VERSION, text);
}

static void headers_and_library_have_one_version(void **state)
{
	(void)state;
	assert_string_equal(spemu_version(), SPEMU_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(version_parts_match_its_text),
	        cmocka_unit_test(headers_and_library_have_one_version),
	};
	return cmocka_run_group_tests_name("version", tests, NULL, NULL);
}
