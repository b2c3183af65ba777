/* SPDX-License-Identifier: MIT */
/*
 * Input files of a command. Pipes are copied to a nameless file in $TMPDIR or /tmp, so that a
 * recording never has to fit into memory. Streams and compressed files of perf are rewritten on the
 * way (perf_stream.c).
 */
#define _GNU_SOURCE
#include "input.h"
#include "kernel_object.h"
#include "perf_stream.h"
#include "../base/common.h"
#include "../base/temporary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *open_stream(int fd, const char *mode)
{
	FILE *f = fdopen(fd, mode);

	if (!f)
		die(EXIT_OWN, "out of memory");
	return f;
}

/* Copy in to a nameless temporary file, and return that file. */
static FILE *copy_of(FILE *in)
{
	FILE *out = open_stream(temporary_file(), "w+");
	static char buf[65536];
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		stream_write(out, buf, n);
	return out;
}

/* Return a path that opens the file of out, and close in. */
static const char *finished(FILE *out, FILE *in)
{
	char *path = xasprintf("/proc/self/fd/%d", fileno(out));

	if (fflush(out))
		stream_fail();
	fclose(in);
	return path; /* out stays open, because the path refers to its descriptor */
}

static bool is_pipe(const struct stat *st)
{
	return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode);
}

/* Open a file, or standard input for "-". Return -1 with errno on failure. */
static int open_given(const char *given)
{
	static bool taken;

	if (strcmp(given, "-") != 0)
		return open(given, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (taken)
		die(EXIT_USAGE,
		    "standard input can be only one recording; give the other as a file");
	taken = true;
	return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
}

/* Open a regular file or a pipe. Return NULL for anything else. */
static FILE *open_input(const char *given, struct stat *st)
{
	int fd = -1;

	if (!strcmp(given, "-") ? fstat(STDIN_FILENO, st) : stat(given, st))
		return NULL;
	if (S_ISREG(st->st_mode) || is_pipe(st))
		fd = open_given(given);
	return fd < 0 ? NULL : open_stream(fd, "r");
}

/* Return the recording in a folder of perf record --kcore, and use the folder's kernel symbols.
 * Return given if it is not such a folder. */
static const char *data_of_folder(const char *given)
{
	char *data = xasprintf("%s/data", given), *kallsyms;

	if (access(data, F_OK)) {
		free(data);
		return given;
	}
	kallsyms = xasprintf("%s/kcore_dir/kallsyms", given);
	if (!access(kallsyms, R_OK))
		kernel_set_recorded_kallsyms(kallsyms);
	free(kallsyms);
	return data;
}

static const char *own_path(FILE *in, const char *given)
{
	if (strcmp(given, "-") != 0) {
		fclose(in);
		return given;
	}
	return xasprintf("/proc/self/fd/%d", fileno(in));
}

const char *input_recording(const char *given)
{
	struct stat st;
	FILE *in, *out;

	given = data_of_folder(given);
	in = open_input(given, &st);
	if (!in)
		return strcmp(given, "-") != 0 ? given : "/dev/stdin";
	if (is_pipe(&st) && !stream_is_pipe_mode(in)) {
		out = copy_of(in);
		given = finished(out, in);
		in = out;
		rewind(in);
	}
	if (stream_is_pipe_mode(in) || stream_is_compressed(in)) {
		out = open_stream(temporary_file(), "w+");
		stream_rewrite(out, in);
		return finished(out, in);
	}
	return is_pipe(&st) ? given : own_path(in, given);
}

const char *input_raw(const char *given)
{
	struct stat st;
	FILE *in = open_input(given, &st);

	if (!in)
		return strcmp(given, "-") != 0 ? given : "/dev/stdin";
	return is_pipe(&st) ? finished(copy_of(in), in) : own_path(in, given);
}
