/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many SPUs can sample, and since when none can; see counting.h.
 */
#include <stdint.h>
#include <time.h>

#include "config.h"
#include "counting.h"
#include "qemu_private.h"

/* How long translations are kept after the last SPU was disabled, in ns. */
#define LINGER UINT64_C(3000000000)

static unsigned needed;     /* vCPUs that can sample */
static bool counting;       /* blocks are translated with a count */
static uint64_t idle_since; /* when needed became 0 */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void counting_need(bool more)
{
	if (!more) {
		__atomic_store_n(&idle_since, now(), __ATOMIC_RELAXED);
		__atomic_sub_fetch(&needed, 1, __ATOMIC_SEQ_CST);
		return;
	}
	__atomic_add_fetch(&needed, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_exchange_n(&counting, true, __ATOMIC_SEQ_CST))
		private_flush_translations(private_current_cpu());
}

void counting_settle(void)
{
	if (!__atomic_load_n(&counting, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&needed, __ATOMIC_RELAXED) || config.strict ||
	    now() - __atomic_load_n(&idle_since, __ATOMIC_RELAXED) < LINGER)
		return;
	if (__atomic_exchange_n(&counting, false, __ATOMIC_SEQ_CST))
		private_flush_translations(private_current_cpu());
}

bool counting_on(void)
{
	return __atomic_load_n(&counting, __ATOMIC_RELAXED);
}
