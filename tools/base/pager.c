/* SPDX-License-Identifier: MIT */
/* See pager.h. Like git, run the command in a shell. */
#define _GNU_SOURCE
#include "pager.h"
#include "common.h"
#include "find.h"
#include "fit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pager;

static const char *pager_command(void)
{
	const char *command = getenv("SPEMU_PAGER");
	char *less = find_in_path("less");

	if (!command)
		command = getenv("PAGER");
	if (!command && less)
		command = "less";
	free(less);
	return command && *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Wait until the user leaves the pager. Signals of the terminal are for the pager. */
static void wait_for_pager(void)
{
	out_flush(&out_stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
}

static _Noreturn void run_pager(const char *command, int input)
{
	dup2(input, STDIN_FILENO);
	close(input);
	/* Like git: exit at once if the text fits the screen, pass colors on, and keep the
	 * screen. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(EXIT_NOT_FOUND);
}

void pager_start(void)
{
	const char *command = isatty(STDOUT_FILENO) ? pager_command() : NULL;
	char columns[16];
	int ends[2];

	if (!command)
		return;
	snprintf(columns, sizeof(columns), "%u", screen_width());
	if (pipe2(ends, O_CLOEXEC))
		die(EXIT_OWN, "cannot make a pipe to the pager: %s", strerror(errno));
	pager = fork();
	if (pager < 0)
		die(EXIT_OWN, "cannot start the pager: %s", strerror(errno));
	if (!pager)
		run_pager(command, ends[0]);
	close(ends[0]);
	if (dup2(ends[1], STDOUT_FILENO) < 0)
		die(EXIT_OWN, "cannot write to the pager: %s", strerror(errno));
	close(ends[1]);
	setenv("COLUMNS", columns, 1);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_DFL); /* A user who leaves the pager wants no more output. */
	atexit(wait_for_pager);
}
