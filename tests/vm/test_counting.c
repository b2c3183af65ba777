/* SPDX-License-Identifier: MIT */
/*
 * hosts/qemu-system/counting.c with two vCPUs, in every order of events. No vCPU that can sample
 * ever runs a translation that does not count, or makes one that the plugin does not see. This test
 * plays QEMU. A vCPU has translations until all are dropped. They are dropped when every vCPU has
 * reached the end of its block. A vCPU that has requested the flush does not continue before it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "../../hosts/qemu-system/config.h"
#include "../../hosts/qemu-system/counting.h"
#include "../../hosts/qemu-system/qemu_private.h"
#include "../../hosts/qemu/plugin_callbacks.h"

struct config config;

static int64_t seconds; /* time of the clock */
static unsigned self;   /* the vCPU whose thread runs */
static bool asked[2], old_code;
static bool seen = true; /* the plugin sees translations */

static void (*meanwhile)(void);     /* called once, during counting_drop_unneeded() */
static void (*before_unseen)(void); /* called once, before translations become invisible */

int clock_gettime(clockid_t id, struct timespec *t)
{
	void (*call)(void) = meanwhile;

	(void)id;
	meanwhile = NULL;
	if (call)
		call();
	*t = (struct timespec){.tv_sec = seconds};
	return 0;
}

struct CPUState *private_current_cpu(void)
{
	return (struct CPUState *)&asked[self];
}

void private_flush_translations(struct CPUState *cpu)
{
	*(bool *)cpu = true;
}

void plugin_callbacks_translate(bool on)
{
	void (*call)(void) = before_unseen;

	before_unseen = NULL;
	if (call && !on)
		call();
	seen = on;
}

static void need(unsigned vcpu, bool more)
{
	self = vcpu;
	counting_need(more);
}

static bool flush_comes(void)
{
	if (!asked[0] && !asked[1])
		return false;
	asked[0] = asked[1] = false;
	old_code = !counting_on();
	counting_flushed();
	assert_true(seen || !counting_on());
	return true;
}

/* Return true if this vCPU may execute code without counting. This ends when it has requested the
 * flush. */
static bool samples_uncounted(unsigned vcpu)
{
	assert_true(seen);
	return !asked[vcpu] && old_code;
}

static int from_the_start(void **state)
{
	(void)state;
	if (counting_on()) { /* undo the effects of the previous test */
		seconds += 10;
		counting_drop_unneeded();
		flush_comes();
	}
	assert_false(counting_on());
	asked[0] = asked[1] = false;
	old_code = true;
	return 0;
}

static void second_before_the_flush(void **state)
{
	(void)state;
	need(0, true);
	assert_false(samples_uncounted(0));
	need(1, true);
	/* The second vCPU must wait for the flush that the first one requested. */
	assert_false(samples_uncounted(1));
	assert_true(flush_comes());
	assert_true(counting_on());
	assert_false(samples_uncounted(0) || samples_uncounted(1));
	need(0, false);
	need(1, false);
}

static void second_after_the_flush(void **state)
{
	(void)state;
	need(0, true);
	assert_true(flush_comes());
	need(1, true);
	assert_false(asked[1]); /* there are no translations to drop */
	assert_false(samples_uncounted(1));
	need(0, false);
	need(1, false);
}

static void again_before_the_flush(void **state)
{
	(void)state;
	need(0, true);
	need(0, false);
	need(1, true);
	assert_true(asked[1]);
	assert_true(flush_comes());
	assert_false(samples_uncounted(1));
	need(1, false);
}

static void lingering(void **state)
{
	(void)state;
	need(0, true);
	assert_true(flush_comes());
	need(0, false);
	seconds += 2;
	counting_drop_unneeded();
	assert_true(counting_on());
	need(0, true);
	assert_false(asked[0]);
	seconds += 10;
	counting_drop_unneeded();
	assert_true(counting_on() && !asked[0]); /* a vCPU can sample */
	need(0, false);
	seconds += 4;
	counting_drop_unneeded();
	assert_true(!counting_on() && asked[0]);
	assert_true(flush_comes());
	need(1, true);
	assert_true(counting_on() && asked[1]);
	flush_comes();
	need(1, false);
}

static void second_begins(void)
{
	need(1, true);
	self = 0;
}

static void begins_while_the_other_settles(void **state)
{
	(void)state;
	need(0, true);
	flush_comes();
	need(0, false);
	seconds += 10;
	meanwhile = second_begins;
	counting_drop_unneeded();
	assert_true(counting_on());
	flush_comes();
	assert_true(counting_on());
	assert_false(samples_uncounted(1));
	need(1, false);
}

/* Diagnostics of strict mode require unchanged translations. */
static void strict_keeps_them(void **state)
{
	(void)state;
	need(0, true);
	flush_comes();
	need(0, false);
	config.strict = true;
	seconds += 10;
	counting_drop_unneeded();
	config.strict = false;
	assert_true(counting_on());
}

/* The plugin does not see translations until a vCPU can sample, and again after no vCPU could
 * sample for a while. */
static void seen_while_counted(void **state)
{
	(void)state;
	counting_start();
	assert_true(flush_comes());
	assert_false(seen);
	need(0, true);
	assert_true(seen); /* translations of the other vCPU before the flush count */
	assert_true(flush_comes());
	assert_true(seen);
	need(0, false);
	seconds += 10;
	counting_drop_unneeded();
	assert_true(flush_comes());
	assert_false(seen);
}

static void seen_for_other_reasons(void **state)
{
	bool *const reasons[] = {&config.strict, &config.barriers, &config.serror,
	                         &config.profiling_exceptions};

	(void)state;
	plugin_callbacks_translate(true);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		*reasons[i] = true;
		counting_start();
		assert_true(flush_comes());
		assert_true(seen);
		*reasons[i] = false;
	}
}

/* The flush does not stop a vCPU that wakes up with a saved state. */
static void begins_while_the_other_flushes(void **state)
{
	(void)state;
	counting_start();
	before_unseen = second_begins;
	assert_true(flush_comes());
	assert_true(counting_on() && seen && asked[1]);
	assert_true(flush_comes());
	assert_false(samples_uncounted(1));
	need(1, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(second_before_the_flush, from_the_start),
	        cmocka_unit_test_setup(second_after_the_flush, from_the_start),
	        cmocka_unit_test_setup(again_before_the_flush, from_the_start),
	        cmocka_unit_test_setup(lingering, from_the_start),
	        cmocka_unit_test_setup(begins_while_the_other_settles, from_the_start),
	        cmocka_unit_test_setup(strict_keeps_them, from_the_start),
	        cmocka_unit_test_setup(seen_while_counted, from_the_start),
	        cmocka_unit_test_setup(seen_for_other_reasons, from_the_start),
	        cmocka_unit_test_setup(begins_while_the_other_flushes, from_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
