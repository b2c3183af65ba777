/* SPDX-License-Identifier: MIT */
/*
 * Write an unsymbolized profile of llvm-profgen: the number of executed ranges of code, the ranges
 * as "FIRST-LAST:COUNT", the number of branches into the program, and the branches as
 * "FROM->TO:COUNT". Addresses are hexadecimal, relative to the page of the first executable
 * segment; 1 is an address outside the program.
 */
#include "profiles.h"

#include <stdlib.h>

enum { PAGE_SIZE_ASSUMED = 4096, OUTSIDE = 1 };

void profgen_write(const struct branches *b, struct out *o)
{
	struct run *runs;
	size_t n = branches_runs(b, &runs), count = 0;
	uint64_t base = 0;

	if (object_code_base(b->program, &base))
		base &= ~(uint64_t)(PAGE_SIZE_ASSUMED - 1);
	out_fmt(o, "%zu\n", n);
	for (size_t i = 0; i < n; i++)
		out_fmt(o, "%llx-%llx:%llu\n", (unsigned long long)(runs[i].first - base),
		        (unsigned long long)(runs[i].last - base),
		        (unsigned long long)runs[i].count);
	for (size_t i = 0; i < b->count; i++)
		count += b->list[i].to_inside;
	out_fmt(o, "%zu\n", count);
	for (size_t i = 0; i < b->count; i++) {
		const struct branch *branch = &b->list[i];
		uint64_t from = branch->from_inside ? branch->from : OUTSIDE;

		if (branch->to_inside)
			out_fmt(o, "%llx->%llx:%llu\n", (unsigned long long)(from - base),
			        (unsigned long long)(branch->to - base),
			        (unsigned long long)branch->count);
	}
	free(runs);
}
