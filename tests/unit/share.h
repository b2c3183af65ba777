/* SPDX-License-Identifier: MIT */
/*
 * SPEMU_TEST_SHARE=n: every nth of a test's cases, for machines that are emulated or watched. An
 * odd n is best: where cases are numbers whose bits are controls, each bit then still has both
 * values. Where cases go round tables by %, a test takes fewer of them instead: every nth would
 * leave rows out.
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
