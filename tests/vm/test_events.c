/* SPDX-License-Identifier: MIT */
/*
 * hosts/qemu-system/events.c with a slow reader. The pipe to `spemu vm` is full, and signals
 * interrupt the thread that waits for room. Every line arrives once and completely.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../hosts/qemu-system/config.h"
#include "../../hosts/qemu-system/events.h"

#define LINES 8000 /* more than fit into a pipe */
#define MOST 80    /* bytes of one of these lines */

struct config config = {.events_fd = -1, .trace = true};

unsigned private_security(struct CPUArchState *env)
{
	(void)env;
	return 1;
}

uint64_t private_time(void)
{
	return 1234567;
}

unsigned private_el(const struct CPUArchState *env)
{
	(void)env;
	return 2;
}

struct reading {
	int fd;
	size_t used;
	char text[LINES * MOST];
};

static volatile sig_atomic_t interruptions;

static void interrupted(int sig)
{
	(void)sig;
	interruptions++;
}

static void *read_late(void *arg)
{
	struct reading *r = arg;
	ssize_t n;

	usleep(200000);
	while ((n = read(r->fd, r->text + r->used, sizeof(r->text) - r->used)) > 0)
		r->used += (size_t)n;
	return NULL;
}

/* Send two thousand signals per second to this thread. The reader has blocked them. */
static void signals(bool on)
{
	const struct itimerval timer = {.it_interval = {.tv_usec = on ? 500 : 0},
	                                .it_value = {.tv_usec = on ? 500 : 0}};
	const struct sigaction action = {.sa_handler = interrupted}; /* no SA_RESTART */

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static void start_reader(pthread_t *thread, struct reading *r)
{
	sigset_t alarm, before;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, &before);
	assert_int_equal(pthread_create(thread, NULL, read_late, r), 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void interrupted_writes(void **state)
{
	static struct reading r;
	static char expected[LINES * MOST];
	static struct vcpu vcpu;
	size_t size = 0;
	pthread_t thread;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	r.fd = ends[0];
	config.events_fd = ends[1];
	start_reader(&thread, &r);
	signals(true);
	for (unsigned i = 0; i < LINES; i++) {
		vcpu.index = i;
		events_interrupt(&vcpu, i & 1);
		size += (size_t)snprintf(
		        expected + size, MOST,
		        "{\"type\":\"interrupt\",\"vcpu\":%u,\"time\":1234567,\"level\":%s}\n", i,
		        i & 1 ? "true" : "false");
	}
	signals(false);
	assert_int_equal(config.events_fd, ends[1]);
	close(ends[1]);
	pthread_join(thread, NULL);
	assert_true(interruptions > 10);
	assert_int_equal(r.used, size);
	assert_memory_equal(r.text, expected, size);
	close(ends[0]);
}

/* Without a reader, no call blocks, and nothing is written to a later file with the same
 * descriptor. */
static void gone_reader(void **state)
{
	static struct vcpu vcpu;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	config.events_fd = ends[1];
	close(ends[0]);
	events_interrupt(&vcpu, true);
	assert_int_equal(config.events_fd, -1);
	events_interrupt(&vcpu, true);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(interrupted_writes),
	        cmocka_unit_test(gone_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
