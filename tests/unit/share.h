/* SPDX-License-Identifier: MIT */
/*
 * With SPEMU_TEST_SHARE=n in the environment, a test runs only every nth case. This is for machines
 * that are emulated or instrumented.
 *
 * An odd n is best: if the bits of a case number are controls, each bit still takes both values. If
 * a test selects table rows by the case number modulo the number of rows, the test runs fewer cases
 * instead, since every nth case would miss rows.
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
