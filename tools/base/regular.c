/* SPDX-License-Identifier: MIT */
/* See regular.h. */
#define _GNU_SOURCE
#include "regular.h"

#include <fcntl.h>
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
