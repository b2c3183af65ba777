/* SPDX-License-Identifier: MIT */
/* See child.h. */
#define _GNU_SOURCE
#include "child.h"

#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child_pid, last_signal;
static int own_signal; /* the signal that child_keep_signal() keeps; 0 if none */
static void (*own_action)(void);
static void (*xfsz_before)(int) = SIG_DFL;

/*
 * The terminal sends a signal to the whole foreground group, so the program already has it. A
 * signal that was sent to this process alone (si_code <= 0) is passed on.
 */
static void forward(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (sig == own_signal) {
		own_action();
		errno = saved;
		return;
	}
	last_signal = sig;
	if (info->si_code <= 0 && child_pid > 0)
		kill((pid_t)child_pid, sig);
	errno = saved;
}

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define FORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < FORWARDED; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

void child_keep_signal(int sig, void (*action)(void))
{
	own_action = action;
	own_signal = sig;
}

void child_signals(sigset_t *before)
{
	struct sigaction sa = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigemptyset(&sa.sa_mask);
	/* Block signals between fork() and the assignment of child_pid. */
	block_signals(before);
	for (size_t i = 0; i < FORWARDED; i++) {
		struct sigaction old;

		/* An ignored signal stays ignored, also in the program: nohup and similar commands
		 * rely on it. */
		if (!sigaction(forwarded[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		sigaction(forwarded[i], &sa, NULL);
	}
}

void child_signals_end(void)
{
	for (size_t i = 0; i < FORWARDED; i++) {
		struct sigaction now;

		if (forwarded[i] != own_signal && !sigaction(forwarded[i], NULL, &now) &&
		    now.sa_handler != SIG_IGN)
			signal(forwarded[i], SIG_DFL);
	}
}

void child_keep_file_limit(void)
{
	xfsz_before = signal(SIGXFSZ, SIG_IGN);
}

static bool ends_with_parent;

void child_end_with_parent(void)
{
	ends_with_parent = true;
}

/* Make the kernel end this process with its parent. The parent may have ended before. */
static void watch_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_CANNOT_RUN);
}

static _Noreturn void become(char **argv, const sigset_t *signals, const int *redirect, int report,
                             pid_t parent)
{
	int error;

	for (int i = 0; redirect && i < 3; i++)
		if (redirect[i] >= 0 && dup2(redirect[i], i) < 0)
			_exit(EXIT_CANNOT_RUN);
	if (ends_with_parent)
		watch_parent(parent);
	/* A signal that arrives before exec ends the child. The handler of this process would drop
	 * it. Ignored and blocked signals stay ignored and blocked. */
	own_signal = 0;
	child_signals_end();
	signal(SIGXFSZ, xfsz_before);
	sigprocmask(SIG_SETMASK, signals, NULL);
	execv(argv[0], argv);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(EXIT_CANNOT_RUN);
	_exit(EXIT_CANNOT_RUN);
}

pid_t child_start(char **argv, const sigset_t *signals, const int *redirect)
{
	int report[2], error = 0;
	sigset_t ignored;
	pid_t parent = getpid(), pid;

	if (pipe2(report, O_CLOEXEC))
		die(EXIT_OWN, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	block_signals(&ignored);
	pid = fork();
	if (pid < 0)
		die(EXIT_OWN, "cannot fork: %s", strerror(errno));
	if (!pid)
		become(argv, signals, redirect, report[1], parent);
	child_pid = pid;
	sigprocmask(SIG_SETMASK, signals, NULL);
	close(report[1]);
	while (read(report[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (error) {
		waitpid(pid, NULL, 0);
		die(EXIT_CANNOT_RUN, "cannot run %s: %s", argv[0], strerror(error));
	}
	return pid;
}

int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			die(EXIT_OWN, "cannot wait for the program: %s", strerror(errno));
	}
	child_pid = 0;
	return status;
}

void child_stop(void)
{
	if (child_pid > 0)
		kill((pid_t)child_pid, SIGTERM);
}

int child_signal(void)
{
	return last_signal;
}

int child_end_by(int sig)
{
	sigset_t set;

	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return 128 + sig;
}

int child_end_like(int status)
{
	struct rlimit none = {0, 0};

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* Only the core dump of the program is useful, so spemu makes none. */
	setrlimit(RLIMIT_CORE, &none);
	return child_end_by(WTERMSIG(status));
}
