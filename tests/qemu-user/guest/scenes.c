/* SPDX-License-Identifier: MIT */
/*
 * Guest programs for the tests of the QEMU plugin, with one scene for each argument. A scene
 * returns 0 if it ran as without a profiler, so the exit status shows a disturbance.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *self;

/* Work for samples, in a function with a different name for each user. */
#define WORK(name)                                                                   \
	__attribute__((noinline)) static uint64_t name(volatile uint64_t *p, long n) \
	{                                                                            \
		uint64_t sum = 0;                                                    \
		for (long i = 0; i < n; i++) {                                       \
			p[i & 63] += (uint64_t)i;                                    \
			sum += p[(i * 7) & 63];                                      \
		}                                                                    \
		return sum;                                                          \
	}
WORK(work_main)
WORK(work_child)
WORK(work_handler)
WORK(work_thread)
static volatile uint64_t data[64];

#define THREADS 4
#define ROUNDS 200000
static uint64_t shared_counter;

static void *contend(void *arg)
{
	volatile uint64_t own[64] = {0};

	for (long i = 0; i < ROUNDS; i++)
		__atomic_fetch_add(&shared_counter, 1, __ATOMIC_SEQ_CST);
	work_thread(own, 200000);
	return arg;
}

static int threads(void)
{
	pthread_t t[THREADS];
	void *result;

	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, contend, (void *)(i + 1)))
			return 1;
	for (long i = 0; i < THREADS; i++)
		if (pthread_join(t[i], &result) || (long)result != i + 1)
			return 2;
	return shared_counter == (uint64_t)THREADS * ROUNDS ? 0 : 3;
}

/* Start and end many threads, so that vcpu indices are reused. */
static void *brief(void *arg)
{
	volatile uint64_t own[64] = {0};

	work_thread(own, 5000);
	return arg;
}

static int churn(void)
{
	for (long i = 0; i < 200; i++) {
		pthread_t a, b;

		if (pthread_create(&a, NULL, brief, NULL) || pthread_create(&b, NULL, brief, NULL))
			return 1;
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
	return 0;
}

static int forks(void)
{
	int status;
	pid_t child;

	work_main(data, 100000);
	child = fork();
	if (child == 0) {
		work_child(data, 300000);
		_exit(7);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
		return 1;
	work_main(data, 100000);
	return waitpid(-1, &status, 0) == -1 ? 0 : 2;
}

static void *thread_forks(void *arg)
{
	(void)arg;
	return (void *)(long)forks();
}

static int fork_in_thread(void)
{
	pthread_t noise, t;
	void *result;

	pthread_create(&noise, NULL, contend, NULL);
	pthread_create(&t, NULL, thread_forks, NULL);
	pthread_join(t, &result);
	pthread_join(noise, NULL);
	return (int)(long)result;
}

static int child_scene(void)
{
	work_child(data, 300000);
	return 9;
}

static int spawned(const char *path, char *const argv[], int expect)
{
	int status;
	pid_t child;

	if (posix_spawn(&child, path, NULL, NULL, argv, environ))
		return 10;
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 11;
	return WEXITSTATUS(status) == expect ? 0 : WEXITSTATUS(status);
}

static int spawn(void)
{
	char *argv[] = {(char *)(uintptr_t) "another name", (char *)(uintptr_t) "child", NULL};

	work_main(data, 10000);
	return spawned(self, argv, 9);
}

static int exec_self(void)
{
	work_main(data, 100000);
	execl(self, self, "child", NULL);
	return 1;
}

static int exec_missing(void)
{
	work_main(data, 10000);
	execl("/nonexistent/program", "program", NULL);
	work_main(data, 100000);
	return 0;
}

static void on_alarm(int sig)
{
	(void)sig;
	work_handler(data, 200);
}

static int signals(void)
{
	struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm};
	volatile uint64_t own[64] = {0};
	uint64_t expect = work_main(own, 3000000), got;

	memset((void *)(uintptr_t)own, 0, sizeof(own));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	got = work_main(own, 3000000);
	setitimer(ITIMER_REAL, &never, NULL);
	return got == expect ? 0 : 1;
}

static sigjmp_buf back;
static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

static int faults(void)
{
	struct sigaction action = {.sa_handler = on_fault};
	volatile int *null = NULL;
	volatile int caught = 0;

	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 3000; i++) {
		if (sigsetjmp(back, 1) == 0)
			*null = i;
		else
			caught++;
		work_main(data, 20);
	}
	return caught == 3000 ? 0 : 1;
}

static int crash(void)
{
	work_main(data, 500000);
	*(volatile int *)NULL = 1;
	return 0;
}

static int aborts(void)
{
	work_main(data, 500000);
	abort();
}

static int killed(void)
{
	work_main(data, 500000);
	__builtin_trap();
}

/* Write code (mov w0, #n; ret), run it, change it in place and run it again. */
static int jit(void)
{
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	if (code == MAP_FAILED)
		return 1;
	for (uint32_t i = 0; i < 300; i++) {
		code[0] = 0x52800000u | i << 5;
		code[1] = 0xd65f03c0u;
		__builtin___clear_cache((char *)code, (char *)(code + 2));
		for (int n = 0; n < 100; n++)
			sum += ((int (*)(void))code)();
	}
	return sum == 100l * 299 * 300 / 2 ? 0 : 2;
}

static int closes(void)
{
	for (int fd = 3; fd < 70000; fd++)
		close(fd);
	work_main(data, 1000000);
	return open("/dev/null", O_RDONLY) == 3 ? 0 : 1;
}

static int loads(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);
	long (*f)(long) = handle ? (long (*)(long))dlsym(handle, "work_library") : NULL;

	if (!f)
		return 1;
	return f(1000000) == 1000000 ? 0 : 2;
}

static int from_thread_exit(void);
static void *exit_all(void *arg)
{
	(void)arg;
	work_thread(data, 100000);
	exit(5);
}

static int from_thread_exit(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exit_all, NULL);
	for (;;)
		work_main(data, 1000);
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";

	self = argc > 2 ? argv[2] : "/proc/self/exe";
	if (!strcmp(scene, "threads"))
		return threads();
	if (!strcmp(scene, "churn"))
		return churn();
	if (!strcmp(scene, "fork"))
		return forks();
	if (!strcmp(scene, "fork-in-thread"))
		return fork_in_thread();
	if (!strcmp(scene, "child"))
		return strcmp(argv[0], "another name") == 0 || strcmp(argv[0], "script") != 0
		               ? child_scene()
		               : 77;
	if (!strcmp(scene, "spawn"))
		return spawn();
	if (!strcmp(scene, "exec"))
		return exec_self();
	if (!strcmp(scene, "exec-missing"))
		return exec_missing();
	if (!strcmp(scene, "script")) {
		char *args[] = {(char *)(uintptr_t) "script", NULL};

		return spawned(argv[2], args, 9);
	}
	if (!strcmp(scene, "signals"))
		return signals();
	if (!strcmp(scene, "faults"))
		return faults();
	if (!strcmp(scene, "crash"))
		return crash();
	if (!strcmp(scene, "abort"))
		return aborts();
	if (!strcmp(scene, "trap"))
		return killed();
	if (!strcmp(scene, "jit"))
		return jit();
	if (!strcmp(scene, "closes"))
		return closes();
	if (!strcmp(scene, "dlopen"))
		return loads(argv[2]);
	if (!strcmp(scene, "exit-from-thread"))
		return from_thread_exit();
	return 99;
}
