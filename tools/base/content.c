/* SPDX-License-Identifier: MIT */
/* See content.h. */
#define _GNU_SOURCE
#include "content.h"

#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_ROOM 65536

char *read_content(int fd, size_t *size, size_t most)
{
	size_t room = most < FIRST_ROOM ? most : FIRST_ROOM;
	char *data = xcalloc(1, room + 1);
	ssize_t n = 1;

	for (*size = 0; *size < most && n; *size += (size_t)n) {
		if (*size == room) {
			room = room < most / 2 ? 2 * room : most;
			data = xreallocarray(data, room + 1, 1);
		}
		n = read(fd, data + *size, room - *size);
		if (n < 0 && errno != EINTR) {
			int error = errno;

			free(data);
			errno = error;
			return NULL;
		}
		if (n < 0) {
			n = 1;
			*size -= 1;
		}
	}
	data[*size] = 0;
	return data;
}

char *read_named(const char *path, size_t *size, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;
	char *data = fd < 0 ? NULL : read_content(fd, size, most);

	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return data;
}
