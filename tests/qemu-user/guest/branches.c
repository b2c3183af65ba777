/* SPDX-License-Identifier: MIT */
/*
 * Branches of all kinds in four threads. Signals come from the thread itself and from a timer, and
 * the handlers are also called as functions.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

#define ROUNDS 2500

static volatile uint64_t sink;
static volatile sig_atomic_t ticks;

__attribute__((noinline)) void on_alarm(int signo)
{
	for (int i = 0; i < 20; i++)
		if (i & 2)
			ticks += signo;
}

__attribute__((noinline)) void on_user(int signo)
{
	__asm__ volatile(".rept 60\n\tnop\n\t.endr");
	ticks += signo;
}

__attribute__((noinline)) static uint64_t add(uint64_t x)
{
	return x + sink;
}

__attribute__((noinline)) static uint64_t recurse(uint64_t x)
{
	return x & 7 ? recurse(x - 1) + 1 : x;
}

__attribute__((noinline)) static uint64_t straight(uint64_t x)
{
	__asm__ volatile(".rept 150\n\tadd %0, %0, #1\n\t.endr" : "+r"(x));
	return x;
}

static uint64_t (*volatile table[])(uint64_t) = {add, recurse, recurse, straight};

static void *work(void *argument)
{
	uint64_t seed = (uintptr_t)argument;

	for (int i = 0; i < ROUNDS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		sink = table[seed >> 61 & 3](seed >> 33);
		if (seed >> 40 & 1)
			sink += 3;
		if ((seed >> 41 & 31) == 0)
			pthread_kill(pthread_self(), SIGUSR1);
		if ((seed >> 47 & 31) == 0)
			on_user(0);
	}
	return NULL;
}

int main(void)
{
	struct itimerval timer = {{0, 2000}, {0, 2000}};
	struct sigaction action = {.sa_flags = SA_RESTART};
	pthread_t thread[3];

	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	action.sa_handler = on_user;
	sigaction(SIGUSR1, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i + 1));
	work((void *)9);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	return ticks ? 0 : 1;
}
