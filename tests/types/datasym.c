/* SPDX-License-Identifier: MIT */
/* A loop that changes one member of a static structure and adds it to another one, 55 bytes apart.
 * `perf test -w datasym` describes this work. Usage: datasym TRUTH */
#include "truth.h"

struct buffer {
	char data1;
	char reserved[55];
	char data2;
} __attribute__((aligned(64)));

static volatile struct buffer buf1 = {.data1 = 1};

__attribute__((noinline)) static void change_members(void)
{
	for (long i = 0; i < 4000000; i++) {
		buf1.data1++;
		if (buf1.data1 == 123)
			buf1.data1 += 10;
		buf1.data2 += buf1.data1;
	}
}

int main(int argc, char **argv)
{
	TRUTH(&buf1, 1, struct buffer);
	change_members();
	return truth_write(argc > 1 ? argv[1] : NULL);
}
