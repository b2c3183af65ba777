/* SPDX-License-Identifier: MIT */
/*
 * SPEMU_TEST_SHARE=n runs every nth case of a test, for machines that are emulated or instrumented.
 * An odd n is best: where the bits of a case number are controls, each bit still takes both values.
 * Where cases select table rows by %, the test runs fewer cases instead, since every nth case would
 * miss rows.
 */
#ifndef SHARE_H
#define SHARE_H

#include <stdlib.h>

static inline unsigned test_share(void)
{
	const char *text = getenv("SPEMU_TEST_SHARE");
	unsigned long n = text ? strtoul(text, NULL, 10) : 1;

	return n >= 1 && n <= 1000 ? (unsigned)n : 1;
}

#endif
