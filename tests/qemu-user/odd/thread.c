/* SPDX-License-Identifier: MIT */
/* Scenes about threads, descriptors and the environment; see odd.h. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "odd.h"

static atomic_long total;
static __thread long own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *add(void *n)
{
	for (long i = 0; i < (long)n; i++)
		atomic_fetch_add(&total, 1);
	return NULL;
}

int odd_threads_many(char **argv)
{
	pthread_t thread[50];

	(void)argv;
	for (int i = 0; i < 50; i++)
		pthread_create(&thread[i], NULL, add, (void *)1000);
	for (int i = 0; i < 50; i++)
		pthread_join(thread[i], NULL);
	say("%ld", atomic_load(&total));
	return 0;
}

int odd_threads_short(char **argv)
{
	pthread_t thread;

	(void)argv;
	for (int i = 0; i < 300; i++) {
		pthread_create(&thread, NULL, add, (void *)3);
		pthread_join(thread, NULL);
	}
	say("%ld", atomic_load(&total));
	return 0;
}

static void *finish_later(void *unused)
{
	busy(300000);
	say("the other one");
	return unused;
}

int odd_main_thread_exits(char **argv)
{
	pthread_t thread;

	(void)argv;
	pthread_create(&thread, NULL, finish_later, NULL);
	pthread_exit(NULL);
}

static void *exit_now(void *unused)
{
	busy(50000);
	exit(9);
	return unused;
}

int odd_thread_exits_process(char **argv)
{
	pthread_t thread;

	(void)argv;
	pthread_create(&thread, NULL, exit_now, NULL);
	pause();
	return 0;
}

static void *count_own(void *n)
{
	for (long i = 0; i < (long)n; i++)
		own++;
	return (void *)own;
}

int odd_thread_local_data(char **argv)
{
	pthread_t thread[4];
	long sum = 0;

	(void)argv;
	for (long i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, count_own, (void *)(i * 1000));
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(thread[i], &result);
		sum += (long)result;
	}
	say("%ld %ld", sum, own);
	return 0;
}

static void *hold(void *lock)
{
	pthread_mutex_lock(lock);
	return NULL;
}

int odd_robust_mutex(char **argv)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t lock;
	pthread_t thread;

	(void)argv;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &attributes);
	pthread_create(&thread, NULL, hold, &lock);
	pthread_join(thread, NULL);
	/* qemu-aarch64 does not pass on the list of robust mutexes, so a lock would wait
	 * forever. */
	say("%d", pthread_mutex_trylock(&lock) != 0);
	return 0;
}

static void *take_turns(void *me)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != (int)(long)me)
			pthread_cond_wait(&changed, &mutex);
		turn = !turn;
		atomic_fetch_add(&total, 1);
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int odd_condition(char **argv)
{
	pthread_t thread[2];

	(void)argv;
	pthread_create(&thread[0], NULL, take_turns, (void *)0);
	pthread_create(&thread[1], NULL, take_turns, (void *)1);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	say("%ld", atomic_load(&total));
	return 0;
}

int odd_thread_names(char **argv)
{
	char name[20] = "";

	(void)argv;
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "name %d\n\"\\", i);
		prctl(PR_SET_NAME, name);
	}
	prctl(PR_SET_NAME, "a name that is much too long for a thread");
	prctl(PR_GET_NAME, name);
	say("%s", name);
	return 0;
}

static void *wait_long(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int odd_thread_cancelled(char **argv)
{
	pthread_t thread;
	void *result;

	(void)argv;
	pthread_create(&thread, NULL, wait_long, NULL);
	busy(100000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	say("%d", result == PTHREAD_CANCELED);
	return 0;
}

static atomic_int going = 1;

static void *work(void *unused)
{
	while (atomic_load(&going))
		busy(100);
	return unused;
}

int odd_fork_with_threads(char **argv)
{
	pthread_t thread[3];

	(void)argv;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 10; i++) {
		int pid = fork();

		if (!pid) {
			busy(3000);
			_exit(i);
		}
		say_end(pid);
	}
	atomic_store(&going, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

int odd_closed_descriptors(char **argv)
{
	int kept = dup(1), pid;

	(void)argv;
	for (int fd = 0; fd < 1024; fd++)
		if (fd != kept)
			close(fd);
	busy(300000);
	pid = fork();
	if (!pid) {
		busy(300000);
		_exit(5);
	}
	dup2(kept, 1);
	say_end(pid);
	say("%d", open("/dev/null", O_RDONLY));
	return 0;
}

int odd_closed_output(char **argv)
{
	(void)argv;
	close(1);
	busy(100000);
	return write(1, "x", 1) < 0 ? errno : 0;
}

/* Use all descriptors. There is no execution, because QEMU itself would need descriptors for it. */
int odd_full_descriptors(char **argv)
{
	int n = 0, pid;

	(void)argv;
	while (open("/dev/null", O_RDONLY) >= 0)
		n++;
	busy(300000);
	pid = fork();
	if (!pid) {
		busy(300000);
		_exit(2);
	}
	say("%s", n > 3 ? "many" : "few");
	say_end(pid);
	return 0;
}

int odd_program_path(char **argv)
{
	char path[4096] = "";
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	say("%d", n > 0 && !strcmp(strrchr(path, '/'), strrchr(argv[0], '/')));
	execl("/proc/self/exe", argv[0], "quit", "1234", (char *)NULL);
	return 99;
}

int odd_atomics(char **argv)
{
	unsigned long value = 5;
	int lse = (getauxval(AT_HWCAP) & HWCAP_ATOMICS) != 0;

	(void)argv;
	for (int i = 0; i < 1000; i++)
		__atomic_compare_exchange_n(&value, &(unsigned long){5 + (unsigned long)i},
		                            6 + (unsigned long)i, 0, __ATOMIC_SEQ_CST,
		                            __ATOMIC_SEQ_CST);
	say("%lu %d", value, lse);
	return 0;
}

static jmp_buf back;

static void dive(int n)
{
	busy(1);
	if (!n)
		longjmp(back, 1);
	dive(n - 1);
	busy(1);
}

int odd_set_jump(char **argv)
{
	volatile int jumps = 0;

	(void)argv;
	while (jumps < 500) {
		if (!setjmp(back))
			dive(30);
		jumps++;
	}
	say("%d", jumps);
	return 0;
}

int odd_auxiliary_vector(char **argv)
{
	say("%lu %lx %lx %s", getauxval(AT_PAGESZ), getauxval(AT_HWCAP), getauxval(AT_HWCAP2),
	    strrchr((char *)getauxval(AT_EXECFN), '/'));
	say("%s", strrchr(argv[0], '/'));
	return 0;
}

/* Use variables that the recorder or QEMU could mistake for its own. */
int odd_long_environment(char **argv)
{
	char *large = malloc(100001);
	int pid;

	memset(large, 'v', 100000);
	large[100000] = 0;
	setenv("ODD_LARGE", large, 1);
	setenv("ODD_EMPTY", "", 1);
	setenv("LD_DEBUG_OUTPUT", "odd,with,commas", 1);
	setenv("LD_ODD", "plain", 1);
	setenv("QEMU_ODD", "1", 1);
	pid = fork();
	if (!pid) {
		execl(argv[0], argv[0], "count", getenv("LD_ODD"), getenv("LD_DEBUG_OUTPUT"),
		      (char *)NULL);
		_exit(errno);
	}
	say_end(pid);
	return 0;
}
