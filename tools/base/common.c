/* SPDX-License-Identifier: MIT */
/* Messages, memory, names and numbers for every sub-command. */
#define _GNU_SOURCE
#include "common.h"
#include "clean.h"
#include "../../hosts/scenario/nearest.h"

#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *command_name;
int verbosity = 1;
bool color_on;

static void message(const char *fmt, va_list ap)
{
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	/* A message must be one line, even if a name in it contains line ends. */
	fprintf(stderr, "spemu%s%s: %s\n", command_name ? " " : "",
	        command_name ? command_name : "", clean_text(text));
}

_Noreturn void die(int status, const char *fmt, ...)
{
	va_list ap;

	progress_end();
	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
	exit(status);
}

void write_message(int least, const char *fmt, ...)
{
	va_list ap;

	if (verbosity < least)
		return;
	progress_end();
	va_start(ap, fmt);
	message(fmt, ap);
	va_end(ap);
}

static void *checked(void *p)
{
	if (!p)
		die(EXIT_OWN, "out of memory");
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return checked(reallocarray(p, n, size));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	if (vasprintf(&p, fmt, ap) < 0)
		die(EXIT_OWN, "out of memory");
	va_end(ap);
	return p;
}

void tree_add(void **tree, const void *item, int (*compare)(const void *, const void *))
{
	checked(tsearch(item, tree, compare));
}

const char *suggestion(const char *word, const char *const *names)
{
	static char text[256];

	suggest_name(text, sizeof(text), word, strlen(word), names);
	return text;
}

unsigned find_name(const char *what, const char *word, const char *const *names)
{
	for (unsigned i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	die(EXIT_USAGE, "unknown %s '%s'%s", what, word, suggestion(word, names));
}

bool parse_number(uint64_t *value, const char *text, unsigned unit)
{
	unsigned long long v, scale = 1;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno)
		return false;
	if (*end == 'k' || *end == 'K')
		scale = unit;
	else if (*end == 'm' || *end == 'M')
		scale = (unsigned long long)unit * unit;
	else if (*end == 'g' || *end == 'G')
		scale = (unsigned long long)unit * unit * unit;
	if (scale > 1)
		end++;
	if (*end || (v && scale > UINT64_MAX / v))
		return false;
	*value = v * scale;
	return true;
}

void color_setup(const char *when)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (when && strcmp(when, "auto"))
		color_on = !strcmp(when, "always");
	else
		color_on = !(no_color && *no_color) && isatty(STDOUT_FILENO) && term &&
		           strcmp(term, "dumb");
}

double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool progress_shown;

void progress(const char *what, uint64_t done, uint64_t total)
{
	static double start, last;
	static int terminal = -1;
	double now;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO) && verbosity > 0;
	if (!terminal)
		return;
	now = clock_seconds();
	if (start == 0)
		start = last = now;
	if (now - start < 1 || (progress_shown && now - last < 0.2))
		return;
	last = now;
	progress_shown = true;
	if (total)
		fprintf(stderr, "\r\033[K%s: %u %%", what,
		        (unsigned)(100.0 * (double)done / (double)total));
	else
		fprintf(stderr, "\r\033[K%s: %llu", what, (unsigned long long)done);
}

void progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}
