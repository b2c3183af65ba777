/* SPDX-License-Identifier: MIT */
/*
 * Recordings as streams: spemu record -o -, and outputs that are pipes or character devices such as
 * /dev/null. Only the recorder writes to a stream: the program and its children do not inherit the
 * descriptor. If their standard output is the stream, their output goes to standard error, as with
 * perf.
 */
#define _GNU_SOURCE
#include "record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REMEDY                                                                                     \
	"pipe it to a command, as in 'spemu record -o - -- PROGRAM | spemu report -i -', or name " \
	"a file with -o"

/* Return true if output to fd would mix with the stream `out`. Output to /dev/null does not. */
static bool mixes(int fd, const struct stat *out)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == out->st_dev && st.st_ino == out->st_ino &&
	       !S_ISCHR(st.st_mode) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* Keep the program from inheriting other descriptors of the stream, which a shell may have left
 * open. */
static void close_in_program(const struct stat *out)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir)
		die(EXIT_OWN, "cannot list /proc/self/fd: %s; mount /proc", strerror(errno));
	while ((entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && mixes(fd, out))
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	closedir(dir);
}

int record_open_stream(const char *path)
{
	static const char *const names[] = {"standard input", "standard output", "standard error"};
	struct stat out;
	int fd;

	if (stat(path, &out) || !(S_ISFIFO(out.st_mode) || S_ISCHR(out.st_mode)))
		return -1;
	/* open() waits for the reader of a FIFO, like a redirection by a shell. */
	do
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 || fstat(fd, &out))
		die(EXIT_OWN, "cannot write to '%s': %s; name another file with -o", path,
		    strerror(errno));
	if (isatty(fd))
		die(EXIT_OWN, "'%s' is a terminal, which cannot show a recording; " REMEDY, path);
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
		if (mixes(i, &out))
			die(EXIT_OWN,
			    "'%s' is also %s, so the program could write into the recording; name "
			    "another file, or give -o - for standard output",
			    path, names[i]);
	}
	close_in_program(&out);
	return fd;
}

int record_take_stdout(void)
{
	struct stat out;
	int fd, instead;

	/* If standard output was closed, it is /dev/null, open for reading (tools/spemu.c). */
	if (fstat(STDOUT_FILENO, &out) || (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
		die(EXIT_OWN, "standard output is closed, or cannot be written to; " REMEDY);
	if (isatty(STDOUT_FILENO))
		die(EXIT_OWN,
		    "standard output is a terminal, which cannot show a recording; " REMEDY);
	if (mixes(STDERR_FILENO, &out))
		die(EXIT_OWN, "standard error goes where the recording goes, and messages would "
		              "damage it; send it elsewhere, as with 2>FILE");
	if (mixes(STDIN_FILENO, &out))
		die(EXIT_OWN,
		    "the program could write to standard input, where the recording goes; "
		    "give it another one, as with </dev/null");
	close_in_program(&out);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	instead = fcntl(STDERR_FILENO, F_GETFD) < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC)
	                                            : STDERR_FILENO;
	if (fd < 0 || instead < 0 || dup2(instead, STDOUT_FILENO) < 0)
		die(EXIT_OWN,
		    "cannot keep the program from standard output: %s; close other "
		    "descriptors",
		    strerror(errno));
	return fd;
}
