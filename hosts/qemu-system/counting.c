/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many SPUs can sample, and since when none can; see counting.h.
 */
#include <stdint.h>
#include <time.h>

#include "config.h"
#include "counting.h"
#include "plugin_callbacks.h"
#include "qemu_private.h"

/* Nanoseconds for which translations are kept after the last SPU was disabled. */
#define LINGER UINT64_C(3000000000)

/*
 * OFF -> ASKED: new translations count, those of before are still there; every vCPU that can sample
 * asks for the flush, which it waits for at the end of its block. ASKED -> ON: they are gone. ON ->
 * OFF.
 */
enum { OFF, ASKED, ON };

static unsigned needed; /* vCPUs that can sample */
static int state = OFF;
static uint64_t idle_since; /* when needed became 0 */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool moves(int from, int to)
{
	return __atomic_compare_exchange_n(&state, &from, to, false, __ATOMIC_SEQ_CST,
	                                   __ATOMIC_SEQ_CST);
}

/* Ask for counting translations, on the thread of a vCPU that can sample: it runs no other
 * block. */
static void ask(void)
{
	if (moves(OFF, ASKED))
		plugin_callbacks_translate(true); /* each vCPU learns of it before it runs again */
	else if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == ON)
		return;
	private_flush_translations(private_current_cpu());
}

void counting_need(bool more)
{
	if (more) {
		__atomic_add_fetch(&needed, 1, __ATOMIC_SEQ_CST);
		ask();
		return;
	}
	__atomic_store_n(&idle_since, now(), __ATOMIC_RELAXED);
	__atomic_sub_fetch(&needed, 1, __ATOMIC_SEQ_CST);
}

void counting_drop_unneeded(void)
{
	if (__atomic_load_n(&state, __ATOMIC_RELAXED) != ON ||
	    __atomic_load_n(&needed, __ATOMIC_RELAXED) || config.strict ||
	    now() - __atomic_load_n(&idle_since, __ATOMIC_RELAXED) < LINGER || !moves(ON, OFF))
		return;
	if (__atomic_load_n(&needed, __ATOMIC_SEQ_CST))
		ask(); /* another has begun, and saw it on */
	else
		private_flush_translations(private_current_cpu());
}

bool counting_on(void)
{
	return __atomic_load_n(&state, __ATOMIC_RELAXED) != OFF;
}

/* Return true if code has to be seen even when it does not count. */
static bool always_seen(void)
{
	return config.strict || config.barriers || config.serror || config.profiling_exceptions;
}

void counting_flushed(void)
{
	if (moves(ASKED, ON) || counting_on() || always_seen())
		return;
	plugin_callbacks_translate(false);
	if (counting_on()) /* a vCPU that wakes up has asked meanwhile */
		plugin_callbacks_translate(true);
}

void counting_start(void)
{
	private_flush_translations(private_current_cpu());
}
