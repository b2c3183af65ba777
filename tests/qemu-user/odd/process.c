/* SPDX-License-Identifier: MIT */
/* Scenes about processes and images; see odd.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "odd.h"

static void tree(int depth)
{
	busy(2000);
	for (int i = 0; depth && i < 3; i++) {
		int pid = fork();

		if (!pid) {
			tree(depth - 1);
			_exit(depth * 10 + i);
		}
		say_end(pid);
	}
}

int odd_fork_tree(char **argv)
{
	(void)argv;
	tree(2);
	return 3;
}

int odd_fork_bomb_small(char **argv)
{
	int ended = 0;

	(void)argv;
	for (int i = 0; i < 40; i++)
		if (!fork())
			_exit(0);
	while (wait(NULL) > 0)
		ended++;
	say("%d", ended);
	return 0;
}

int odd_vfork_exec(char **argv)
{
	for (int i = 0; i < 3; i++) {
		int pid = vfork();

		if (!pid) {
			execl(argv[0], argv[0], "quit", "1234567", (char *)NULL);
			_exit(99);
		}
		say_end(pid);
	}
	return 0;
}

int odd_exec_chain(char **argv)
{
	int n = argv[2] ? atoi(argv[2]) : 0;
	char next[16];

	say("link %d", n);
	if (n == 5)
		return 7;
	snprintf(next, sizeof(next), "%d", n + 1);
	again("exec_chain", next);
	return 98;
}

/* Execute with more strings than 16 bits can count, as arguments and in the environment. */
int odd_exec_many_arguments(char **argv)
{
	enum { COUNT = 70000 };
	static char *arguments[COUNT + 3], *variables[COUNT + 1];
	int pid;

	arguments[0] = argv[0];
	arguments[1] = "count";
	for (int i = 0; i < COUNT; i++)
		arguments[2 + i] = "a";
	pid = fork();
	if (!pid) {
		execve(argv[0], arguments, environ);
		_exit(errno);
	}
	say_end(pid);
	/* QEMU keeps only one variable of each name. */
	for (int i = 0; i < COUNT; i++)
		variables[i] = i < COUNT - 1 ? "ODD_SAME=1" : "ODD_LAST=1";
	arguments[2] = NULL;
	pid = fork();
	if (!pid) {
		execve(argv[0], arguments, variables);
		_exit(errno);
	}
	say_end(pid);
	return 0;
}

int odd_exec_too_large(char **argv)
{
	static char large[200000], part[100000];
	char *arguments[130] = {argv[0], "count", large};
	int pid;

	memset(large, 'x', sizeof(large) - 1);
	say("%d", execve(argv[0], arguments, environ) < 0 ? errno : 0);
	memset(part, 'y', sizeof(part) - 1);
	for (int i = 2; i < 128; i++)
		arguments[i] = part;
	say("%d", execve(argv[0], arguments, environ) < 0 ? errno : 0);
	arguments[12] = NULL;
	pid = fork();
	if (!pid) {
		execve(argv[0], arguments, environ);
		_exit(errno);
	}
	say_end(pid);
	return 0;
}

static void try_exec(const char *path)
{
	char *arguments[] = {(char *)path, NULL};

	say("%s: %d", path, execve(path, arguments, environ) < 0 ? errno : 0);
}

int odd_exec_fails(char **argv)
{
	int fd = open("odd.text", O_WRONLY | O_CREAT, 0644);

	(void)argv;
	try_exec("/nowhere");
	try_exec("/");
	try_exec("");
	try_exec("odd.text");
	fchmod(fd, 0755);
	close(fd);
	try_exec("odd.text/below");
	unlink("odd.text");
	return 0;
}

int odd_exec_script(char **argv)
{
	FILE *f = fopen("odd.script", "w");
	int pid;

	fprintf(f, "#! %s count \n", argv[0]);
	fclose(f);
	chmod("odd.script", 0755);
	pid = fork();
	if (!pid) {
		execl("./odd.script", "odd.script", "b", "c", (char *)NULL);
		_exit(errno);
	}
	say_end(pid);
	unlink("odd.script");
	return 0;
}

/* Execute a program by a descriptor that the execution closes. */
int odd_exec_descriptor(char **argv)
{
	char *arguments[] = {argv[0], "quit", "12", NULL};
	int fd = open(argv[0], O_RDONLY | O_CLOEXEC), pid = fork();

	if (!pid) {
		fexecve(fd, arguments, environ);
		_exit(errno);
	}
	say_end(pid);
	return 0;
}

int odd_exec_memory_file(char **argv)
{
	int from = open(argv[0], O_RDONLY), fd = memfd_create("odd", MFD_CLOEXEC), pid;
	char *arguments[] = {argv[0], "quit", "123", NULL};
	struct stat st;

	fstat(from, &st);
	if (ftruncate(fd, st.st_size))
		return 1;
	for (off_t at = 0; at < st.st_size;) {
		static char part[65536];
		ssize_t n = pread(from, part, sizeof(part), at);

		if (n <= 0 || pwrite(fd, part, (size_t)n, at) != n)
			return 1;
		at += n;
	}
	pid = fork();
	if (!pid) {
		fexecve(fd, arguments, environ);
		_exit(errno);
	}
	say_end(pid);
	return 0;
}

static void *exec_quit(void *path)
{
	busy(5000);
	execl(path, path, "quit", "12345", (char *)NULL);
	return NULL;
}

static void *wait_forever(void *unused)
{
	pause();
	return unused;
}

int odd_exec_from_thread(char **argv)
{
	pthread_t thread[3];

	pthread_create(&thread[0], NULL, wait_forever, NULL);
	pthread_create(&thread[1], NULL, wait_forever, NULL);
	pthread_create(&thread[2], NULL, exec_quit, argv[0]);
	pthread_join(thread[2], NULL);
	return 97;
}

int odd_spawn_many(char **argv)
{
	char *arguments[] = {argv[0], "quit", "1", NULL};
	int good = 0;

	for (int i = 0; i < 8; i++) {
		int status;
		pid_t pid;

		if (posix_spawn(&pid, argv[0], NULL, NULL, arguments, environ) == 0 &&
		    waitpid(pid, &status, 0) == pid)
			good += WIFEXITED(status) && WEXITSTATUS(status) == 1;
	}
	say("%d", good);
	return 0;
}

/* Let a grandchild with the pipe run on after its parents have ended. */
int odd_daemonize(char **argv)
{
	int to[2];
	char c = 0;

	(void)argv;
	if (pipe(to))
		return 1;
	if (!fork()) {
		setsid();
		if (fork())
			_exit(0);
		close(to[0]);
		busy(200000);
		if (write(to[1], "d", 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(to[1]);
	wait(NULL);
	if (read(to[0], &c, 1) != 1)
		return 1;
	say("%c", c);
	return read(to[0], &c, 1) == 0 ? 0 : 2;
}

int odd_orphan(char **argv)
{
	int pid = fork();

	(void)argv;
	if (!pid) {
		if (fork())
			_exit(4);
		busy(1000);
		_exit(0);
	}
	say_end(pid);
	return 0;
}

int odd_zombie(char **argv)
{
	siginfo_t info = {0};
	int pid = fork();

	(void)argv;
	if (!pid)
		_exit(5);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	busy(10000);
	say("%d %d", info.si_status, kill(pid, 0));
	say_end(pid);
	return 0;
}

/* End all members of a process group by a signal. Wait for the second member first, because QEMU
 * loses a signal for a child whose fork has just begun. */
int odd_process_group(char **argv)
{
	int ready[2], pid;
	char byte;

	(void)argv;
	if (pipe(ready))
		return 1;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		if (fork() == 0)
			write(ready[1], "", 1);
		for (;;)
			pause();
	}
	setpgid(pid, pid);
	busy(100000);
	read(ready[0], &byte, 1);
	kill(-pid, SIGTERM);
	say_end(pid);
	return 0;
}

int odd_clone_three(char **argv)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD};
	long pid = syscall(SYS_clone3, &arguments, sizeof(arguments));

	(void)argv;
	if (pid < 0) {
		say("clone3: %d", errno);
		return 0;
	}
	if (!pid)
		_exit(6);
	say_end((int)pid);
	return 0;
}

int odd_namespaces(char **argv)
{
	int pid;

	(void)argv;
	if (unshare(CLONE_NEWPID | CLONE_NEWNS)) {
		say("unshare: %d", errno);
		return 0;
	}
	for (int i = 0; i < 2; i++) {
		pid = fork();
		if (!pid) {
			int child = fork();

			busy(50000);
			if (!child)
				_exit(i + 20);
			say("pid %d child %d", getpid(), child);
			say_end(child);
			_exit(i + 10);
		}
		say_end(pid);
	}
	return 0;
}

int odd_chroot_empty(char **argv)
{
	char folder[] = "odd.root.XXXXXX";

	(void)argv;
	if (!mkdtemp(folder) || chroot(folder) || chdir("/")) {
		say("chroot: %d", errno);
		return 0;
	}
	busy(200000);
	say("%d", access("/proc", F_OK));
	return 0;
}

int odd_deleted_folder(char **argv)
{
	char folder[] = "odd.gone.XXXXXX", path[100];

	(void)argv;
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	snprintf(path, sizeof(path), "../%s", folder);
	say("%d", rmdir(path));
	busy(100000);
	say("%d", getcwd(path, sizeof(path)) ? 0 : errno);
	return 0;
}

int odd_deleted_program(char **argv)
{
	const char *copy = "odd.copy";
	int pid;

	if (argv[2]) {
		unlink(argv[0]);
		busy(300000);
		say("deleted");
		return 11;
	}
	pid = fork();
	if (!pid) {
		int from = open(argv[0], O_RDONLY),
		    to = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0755);
		static char part[65536];
		ssize_t n;

		while ((n = read(from, part, sizeof(part))) > 0)
			if (write(to, part, (size_t)n) != n)
				_exit(1);
		close(to);
		execl("./odd.copy", "./odd.copy", "deleted_program", "now", (char *)NULL);
		_exit(errno);
	}
	say_end(pid);
	return 0;
}

int odd_change_user(char **argv)
{
	(void)argv;
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534)) {
		say("setuid: %d", errno);
		return 0;
	}
	busy(200000);
	say("%d %d", getuid(), geteuid());
	return 0;
}

int odd_exit_codes(char **argv)
{
	(void)argv;
	for (int i = 0; i < 256; i += 51) {
		int pid = fork();

		if (!pid)
			_exit(i);
		say_end(pid);
	}
	return 255;
}

int odd_traced(char **argv)
{
	int pid = fork();

	(void)argv;
	if (!pid) {
		long r = ptrace(PTRACE_TRACEME, 0, NULL, NULL);

		_exit(r ? 30 : 31);
	}
	say_end(pid);
	prctl(PR_SET_DUMPABLE, 0);
	busy(200000);
	return 0;
}

int odd_pipes(char **argv)
{
	int to[2], sum = 0, pid;
	unsigned char part[1000];
	ssize_t n;

	(void)argv;
	if (pipe(to))
		return 1;
	pid = fork();
	if (!pid) {
		close(to[0]);
		for (int i = 0; i < 200; i++) {
			memset(part, i, sizeof(part));
			if (write(to[1], part, sizeof(part)) != sizeof(part))
				_exit(1);
		}
		_exit(0);
	}
	close(to[1]);
	while ((n = read(to[0], part, sizeof(part))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum += part[i];
	say("%d", sum);
	say_end(pid);
	return 0;
}
