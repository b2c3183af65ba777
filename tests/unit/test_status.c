/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/status.h>

static void every_status_has_a_distinct_text(void **state)
{
	(void)state;
	for (int a = SPEMU_ERR_END; a <= SPEMU_OK; a++) {
		assert_string_not_equal(spemu_strerror(a), "unknown status");
		for (int b = a + 1; b <= SPEMU_OK; b++)
			assert_string_not_equal(spemu_strerror(a), spemu_strerror(b));
	}
}

static void other_values_are_named_unknown(void **state)
{
	(void)state;
	assert_string_equal(spemu_strerror(1), "unknown status");
	assert_string_equal(spemu_strerror(SPEMU_ERR_END - 1), "unknown status");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_status_has_a_distinct_text),
	        cmocka_unit_test(other_values_are_named_unknown),
	};
	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
