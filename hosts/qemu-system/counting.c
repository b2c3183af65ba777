/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of vCPUs that can sample, and the time since none can; see counting.h.
 */
#include <stdint.h>
#include <time.h>

#include "config.h"
#include "counting.h"
#include "plugin_callbacks.h"
#include "qemu_private.h"

/* Nanoseconds for which counting translations are kept after the last SPU was disabled. */
#define LINGER UINT64_C(3000000000)

/*
 * In state OFF translations do not count. In ASKED new translations count but old ones may still
 * exist. Each vCPU that can sample then requests a flush and waits for it at the end of its block.
 * In ON only counting translations exist.
 */
enum { OFF, ASKED, ON };

static unsigned needed; /* vCPUs that can sample */
static int state = OFF;
static uint64_t idle_since; /* time when `needed` became 0 */

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

/* Request counting translations, on the thread of a vCPU that can sample. The vCPU runs no other
 * block before it gets them. */
static void ask(void)
{
	if (moves(OFF, ASKED))
		plugin_callbacks_translate(true); /* takes effect on each vCPU before it runs
                                                   * again */
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
		ask(); /* another vCPU has begun to sample, and saw ON */
	else
		private_flush_translations(private_current_cpu());
}

bool counting_on(void)
{
	return __atomic_load_n(&state, __ATOMIC_RELAXED) != OFF;
}

/* Return true if the plugin must see translations even while they do not count. */
static bool always_seen(void)
{
	return config.strict || config.barriers || config.serror || config.profiling_exceptions;
}

void counting_flushed(void)
{
	if (moves(ASKED, ON) || counting_on() || always_seen())
		return;
	plugin_callbacks_translate(false);
	if (counting_on()) /* a vCPU that wakes up has requested counting meanwhile */
		plugin_callbacks_translate(true);
}

void counting_start(void)
{
	private_flush_translations(private_current_cpu());
}
