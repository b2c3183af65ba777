/* SPDX-License-Identifier: MIT */
/* Scenes about signals, limits and ends; see odd.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "odd.h"

static volatile int got, depth, deepest;
static sigjmp_buf back;

static void handle(int signo, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(signo, &action, NULL);
}

static void count_signal(int signo)
{
	(void)signo;
	got++;
	busy(50);
}

static void jump_back(int signo)
{
	siglongjmp(back, signo);
}

int odd_signal_stack(char **argv)
{
	static char room[65536];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};

	(void)argv;
	sigaltstack(&stack, NULL);
	handle(SIGUSR1, count_signal, SA_ONSTACK);
	for (int i = 0; i < 200; i++) {
		raise(SIGUSR1);
		busy(100);
	}
	say("%d", got);
	return 0;
}

int odd_signal_storm(char **argv)
{
	int pid;

	(void)argv;
	handle(SIGUSR2, count_signal, SA_RESTART);
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 300; i++)
			kill(getppid(), SIGUSR2);
		_exit(0);
	}
	say_end(pid);
	say("%s", got ? "some" : "none");
	return 0;
}

int odd_signal_in_call(char **argv)
{
	struct timespec time = {0, 200000000};
	int to[2], pid;
	char c;

	(void)argv;
	if (pipe(to))
		return 1;
	handle(SIGUSR1, count_signal, 0);
	pid = fork();
	if (!pid) {
		nanosleep(&time, NULL);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	say("%d %d", (int)read(to[0], &c, 1), errno == EINTR);
	say_end(pid);
	return 0;
}

int odd_signal_mask_all(char **argv)
{
	sigset_t all, waiting;

	(void)argv;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	raise(SIGTERM);
	raise(SIGINT);
	busy(300000);
	sigpending(&waiting);
	say("%d %d %d", sigismember(&waiting, SIGTERM), sigismember(&waiting, SIGINT),
	    sigismember(&waiting, SIGHUP));
	return 0;
}

static void nest(int signo)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (depth < 20)
		raise(signo);
	depth--;
}

int odd_signal_nested(char **argv)
{
	(void)argv;
	handle(SIGUSR1, nest, SA_NODEFER);
	raise(SIGUSR1);
	say("%d", deepest);
	return 0;
}

int odd_jump_from_handler(char **argv)
{
	volatile int jumps = 0;

	(void)argv;
	handle(SIGSEGV, jump_back, SA_NODEFER);
	for (volatile int i = 0; i < 200; i++) {
		if (sigsetjmp(back, 1))
			jumps++;
		else
			*(volatile int *)(unsigned long)(i + 1) = 1;
	}
	say("%d", jumps);
	return 0;
}

int odd_timer(char **argv)
{
	struct itimerval interval = {{0, 5000}, {0, 5000}};

	(void)argv;
	handle(SIGALRM, count_signal, SA_RESTART);
	setitimer(ITIMER_REAL, &interval, NULL);
	while (got < 10)
		busy(1000);
	say("ten");
	return 0;
}

int odd_die_abort(char **argv)
{
	(void)argv;
	say("before");
	abort();
}

int odd_die_segv(char **argv)
{
	(void)argv;
	say("before");
	*(volatile int *)8 = 1;
	return 0;
}

int odd_die_segv_handled(char **argv)
{
	(void)argv;
	handle(SIGSEGV, count_signal, (int)SA_RESETHAND);
	*(volatile int *)8 = 1;
	return 0;
}

int odd_die_kill(char **argv)
{
	(void)argv;
	say("before");
	kill(getpid(), SIGKILL);
	return 0;
}

int odd_die_term(char **argv)
{
	(void)argv;
	busy(100000);
	raise(SIGTERM);
	return 0;
}

int odd_die_trap(char **argv)
{
	(void)argv;
	__asm__ volatile("brk #1");
	return 0;
}

int odd_die_illegal(char **argv)
{
	(void)argv;
	__asm__ volatile(".inst 0");
	return 0;
}

static int recurse(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return recurse(n + 1) + room[0];
}

int odd_die_stack_overflow(char **argv)
{
	const struct rlimit no_core = {0, 0};

	(void)argv;
	setrlimit(RLIMIT_CORE, &no_core);
	return recurse(0);
}

int odd_die_of_pipe(char **argv)
{
	int to[2];

	(void)argv;
	if (pipe(to))
		return 1;
	close(to[0]);
	return (int)write(to[1], "x", 1);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void limit(int which, rlim_t value)
{
	const struct rlimit limit = {value, value};

	say("%d", setrlimit((unsigned)which, &limit));
}

int odd_limit_cpu(char **argv)
{
	const struct rlimit limit = {1, 2};

	(void)argv;
	handle(SIGXCPU, SIG_DFL, 0);
	setrlimit(RLIMIT_CPU, &limit);
	for (;;)
		busy(100000);
}

int odd_limit_address_space(char **argv)
{
	int n = 0;

	(void)argv;
	limit(RLIMIT_AS, 1ul << 33);
	for (; n < 10; n++)
		if (mmap(NULL, 1 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			break;
	busy(300000);
	say("%d", n);
	return 0;
}

int odd_limit_files(char **argv)
{
	int n = 0;

	(void)argv;
	limit(RLIMIT_NOFILE, 3);
	n = open("/dev/null", O_RDONLY);
	busy(300000);
	say("%d %d", n, errno);
	return fork() ? (wait(NULL), 0) : 0;
}

int odd_limit_file_size(char **argv)
{
	FILE *f = tmpfile();

	handle(SIGXFSZ, SIG_IGN, 0);
	(void)argv;
	limit(RLIMIT_FSIZE, 100);
	busy(500000);
	say("%d", (int)pwrite(fileno(f), "12345678901", 11, 95));
	say("%d", (int)pwrite(fileno(f), "12345678901", 11, 200));
	return 0;
}

int odd_limit_stack(char **argv)
{
	int pid;

	limit(RLIMIT_STACK, 1 << 20);
	pid = fork();
	if (!pid) {
		execl(argv[0], argv[0], "quit", "123", (char *)NULL);
		_exit(errno);
	}
	say_end(pid);
	return 0;
}

static void *nothing(void *unused)
{
	return unused;
}

int odd_limit_processes(char **argv)
{
	pthread_t thread;

	(void)argv;
	limit(RLIMIT_NPROC, 0);
	if (getuid() && fork() == 0)
		_exit(0);
	say("%d", getuid() ? pthread_create(&thread, NULL, nothing, NULL) : 0);
	busy(200000);
	return 0;
}

int odd_seccomp_filter(char **argv)
{
	struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
	struct sock_fprog program = {1, allow};
	int results[2];

	(void)argv;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	results[0] = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0;
	results[1] = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) ? errno : 0;
	busy(300000);
	say("%d %d", results[0], results[1]);
	return 0;
}

int odd_io_ring(char **argv)
{
	char room[120] = "";

	(void)argv;
	say("%ld %d", syscall(425, 4, room) < 0 ? -1L : 0L, errno);
	busy(100000);
	return 0;
}
