/* SPDX-License-Identifier: MIT */
/* Copies of files that describe the generated code of recorded processes. */
#define _GNU_SOURCE
#include "record.h"
#include "../base/regular.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Coarsest time stamp of a file system in seconds, that of FAT. */
enum { COARSE = 2 };

static struct {
	const char *sysroot; /* NULL if there is none */
	time_t begin;        /* older files belong to earlier processes */
} recorded;

/* Open a file that was written during the recording. */
static int open_written(const char *path)
{
	char *problem;
	struct stat st;
	int fd = open_own(path, &problem), error = errno;

	free(problem);
	if (fd >= 0 && (fstat(fd, &st) || st.st_mtime + COARSE < recorded.begin)) {
		close(fd);
		fd = -1;
		error = ENOENT;
	}
	errno = error;
	return fd;
}

/* Open the file below the sysroot first, where a program that changed its root wrote it. */
static int open_left(const char *path)
{
	char *below = recorded.sysroot ? xasprintf("%s%s", recorded.sysroot, path) : NULL;
	int fd = below ? open_written(below) : -1;

	free(below);
	return fd >= 0 ? fd : open_written(path);
}

void record_copy_files(struct recording *rec, const char *sysroot)
{
	recorded.sysroot = sysroot;
	recorded.begin = time(NULL);
	recording_copy_files(rec, open_left);
}

void record_check_copies(const struct recording_totals *totals)
{
	if (totals->left_out)
		warn("the recording lacks %llu file%s with names of generated code, because a "
		     "process may have %llu MiB and a recording %llu MiB of them; keep "
		     "/tmp/perf-PID.map and jit-PID.dump",
		     (unsigned long long)totals->left_out, totals->left_out == 1 ? "" : "s",
		     (unsigned long long)RECORDING_COPIES_OF_PROCESS_MAX >> 20,
		     (unsigned long long)RECORDING_COPIES_MAX >> 20);
}
