/* SPDX-License-Identifier: MIT */
/* The scenes' main program; see odd.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "odd.h"

const char *odd_path;
static volatile unsigned long sink[64];

void busy(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sink[i & 63] = sink[(i + 7) & 63] * 31 + (unsigned long)i;
}

void say(const char *format, ...)
{
	char text[512];
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text, sizeof(text) - 1, format, list);
	va_end(list);
	text[n] = '\n';
	if (write(1, text, (size_t)n + 1) < 0)
		return;
}

void say_end(int pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) < 0)
		say("no child: %s", strerror(errno));
	else if (WIFSIGNALED(status))
		say("child ended by signal %d", WTERMSIG(status));
	else
		say("child ended with %d", WEXITSTATUS(status));
}

void again(const char *scene, const char *argument)
{
	execl(odd_path, odd_path, scene, argument, (char *)NULL);
}

static const struct {
	const char *name;
	int (*run)(char **argv);
} scenes[] = {
#define X(name) {#name, odd_##name},
#include "scenes.inc"
#undef X
};

int main(int argc, char **argv)
{
	odd_path = argv[0];
	if (argc < 2) {
		for (unsigned i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
			printf("%s\n", scenes[i].name);
		return 0;
	}
	if (!strcmp(argv[1], "count")) { /* print what execve() passed */
		int variables = 0;
		size_t bytes = 0;

		for (char **e = environ; *e; e++)
			if (!strncmp(*e, "ODD_", 4))
				variables++;
		for (int i = 2; i < argc; i++)
			bytes += strlen(argv[i]);
		say("%d arguments, %zu bytes, %d variables", argc - 2, bytes, variables);
		return 0;
	}
	if (!strcmp(argv[1], "quit"))
		return argc > 2 ? (int)strlen(argv[2]) : 0;
	for (unsigned i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		if (!strcmp(argv[1], scenes[i].name)) {
			busy(20000);
			return scenes[i].run(argv);
		}
	}
	fprintf(stderr, "odd: no scene %s\n", argv[1]);
	return 2;
}
