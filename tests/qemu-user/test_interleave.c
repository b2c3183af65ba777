/* SPDX-License-Identifier: MIT */
/*
 * Test which system calls interleaving classifies as waiting or waking. The functions are private
 * to hosts/qemu-user/interleave.c, so this file includes it. The expected values come from Linux's
 * manual pages, linux/futex.h and asm-generic/unistd.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>

#include "interleave.c"

struct process process;

static bool blocks(int64_t num, uint64_t first, uint64_t second)
{
	const uint64_t argument[8] = {first, second};

	return may_block(num, argument);
}

static void futex_operations(void **state)
{
	/* FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2; FUTEX_WAKE, WAKE_OP,
	 * WAKE_BITSET */
	const uint32_t wait = 1u << 0 | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13;
	const uint32_t wake = 1u << 1 | 1u << 5 | 1u << 10;

	(void)state;
	for (unsigned op = 0; op < 14; op++) {
		for (unsigned flags = 0; flags < 4; flags++) { /* PRIVATE 128, CLOCK_REALTIME 256 */
			assert_int_equal(blocks(__NR_futex, 0x1000, op | flags << 7),
			                 wait >> op & 1);
			assert_int_equal(waits_for_futex(__NR_futex, op | flags << 7),
			                 wait >> op & 1);
			assert_int_equal(wakes_by_futex(__NR_futex, op | flags << 7),
			                 wake >> op & 1);
		}
		assert_false(waits_for_futex(__NR_read, op) || wakes_by_futex(__NR_read, op));
	}
}

static void locks_of_files(void **state)
{
	(void)state;
	for (unsigned command = 0; command < 64; command++) {
		bool waits = command == 7 || command == 38; /* F_SETLKW, F_OFD_SETLKW */

		assert_int_equal(blocks(__NR_fcntl, 3, command), waits);
		assert_int_equal(blocks(__NR_fcntl, command, 1), false);
	}
}

static void reading_and_writing(void **state)
{
	static const int64_t calls[] = {__NR_read, __NR_readv, __NR_write, __NR_writev};
	int ends[2], file = open("/proc/self/exe", O_RDONLY), folder = open("/", O_RDONLY);

	(void)state;
	assert_int_equal(pipe(ends), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(blocks(calls[i], (uint64_t)ends[0], 0));
		assert_true(blocks(calls[i], (uint64_t)ends[1], 0));
		assert_false(blocks(calls[i], (uint64_t)file, 0));
		assert_false(blocks(calls[i], (uint64_t)folder, 0));
		assert_false(blocks(calls[i], 9999, 0)); /* a closed descriptor */
	}
	close(ends[0]);
	close(ends[1]);
	close(file);
	close(folder);
}

/* System calls by the numbers of asm-generic/unistd.h. */
static void calls_that_wait(void **state)
{
	static const short waits[] = {22 /* epoll_pwait */,
	                              32 /* flock */,
	                              72 /* pselect6 */,
	                              73 /* ppoll */,
	                              95 /* waitid */,
	                              101 /* nanosleep */,
	                              115 /* clock_nanosleep */,
	                              133 /* rt_sigsuspend */,
	                              137 /* rt_sigtimedwait */,
	                              202 /* accept */,
	                              203 /* connect */,
	                              206 /* sendto */,
	                              207 /* recvfrom */,
	                              211 /* sendmsg */,
	                              212 /* recvmsg */,
	                              242 /* accept4 */,
	                              243 /* recvmmsg */,
	                              260 /* wait4 */,
	                              441 /* epoll_pwait2 */};
	static const short goes_on[] = {56 /* openat */,  57 /* close */, 113 /* clock_gettime */,
	                                172 /* getpid */, 214 /* brk */,  222 /* mmap */};

	(void)state;
	for (unsigned i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		assert_true(blocks(waits[i], 0, 0));
	for (unsigned i = 0; i < sizeof(goes_on) / sizeof(*goes_on); i++)
		assert_false(blocks(goes_on[i], 0, 0));
}

/* More than a second, so that the nanoseconds carry into the seconds. */
static void a_wait_takes_its_time(void **state)
{
	pthread_condattr_t clock;
	pthread_cond_t never;
	uint64_t begin = now_ms();

	(void)state;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&never, &clock);
	pthread_mutex_lock(&lock);
	wait_ms(&never, 1100);
	pthread_mutex_unlock(&lock);
	assert_in_range(now_ms() - begin, 1100, 60000);
	pthread_cond_destroy(&never);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(futex_operations),      cmocka_unit_test(locks_of_files),
	        cmocka_unit_test(reading_and_writing),   cmocka_unit_test(calls_that_wait),
	        cmocka_unit_test(a_wait_takes_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
