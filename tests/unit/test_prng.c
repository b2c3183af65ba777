/* SPDX-License-Identifier: MIT */
/* Test that the generator is SplitMix64 (Steele, Lea, Flood 2014) by its published sequence from
 * 1234567. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/prng.h"

static void generator_matches_published_values(void **state)
{
	static const uint64_t sequence[] = {
	        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
	        UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
	        UINT64_C(16408922859458223821)};
	uint64_t prng = 1234567;

	(void)state;
	for (unsigned i = 0; i < sizeof(sequence) / sizeof(*sequence); i++)
		assert_true(prng_next(&prng) == sequence[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(generator_matches_published_values)};

	return cmocka_run_group_tests_name("prng", tests, NULL, NULL);
}
