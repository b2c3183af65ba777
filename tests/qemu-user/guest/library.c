/* SPDX-License-Identifier: MIT */
/* A library that a scene opens while it runs. */
long work_library(long n);

static volatile long cell;

long work_library(long n)
{
	cell = 0;
	for (long i = 0; i < n; i++)
		cell++;
	return cell;
}
