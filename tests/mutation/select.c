/* SPDX-License-Identifier: MIT */
/*
 * Run a single case of a program of tests/unit. scripts/checks/statements preloads this code and
 * names the case in $MUTATION_CASE.
 */
#include <stdlib.h>

void cmocka_set_test_filter(const char *pattern) __attribute__((weak));

__attribute__((constructor)) static void select_case(void)
{
	if (cmocka_set_test_filter)
		cmocka_set_test_filter(getenv("MUTATION_CASE"));
}
