/* SPDX-License-Identifier: MIT */
/* See regular.h. */
#define _GNU_SOURCE
#include "regular.h"
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	/* Another file may have the name by now, so check the open file too. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int open_own(const char *path, char **problem)
{
	struct stat st;
	int fd = -1, why = EPERM;

	*problem = NULL;
	if (lstat(path, &st)) {
		why = errno;
		*problem = xasprintf("%s: %s", path, strerror(why));
	} else if (!S_ISREG(st.st_mode)) {
		*problem = xasprintf("%s is not a regular file", path);
	} else {
		/* Check again after opening, because the file may have been replaced. */
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
		if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
			*problem = xasprintf("%s cannot be read", path);
		else if (st.st_uid && st.st_uid != geteuid())
			*problem = xasprintf("%s belongs to another user", path);
	}
	if (!*problem)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}
