/* SPDX-License-Identifier: MIT */
/* Open files that a recorded process left for the tools (object.h). */
#define _GNU_SOURCE
#include "object.h"
#include "../base/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *open_path(struct object *obj, const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st)) {
		obj->problem = xasprintf("%s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		obj->problem = xasprintf("%s is not a regular file", path);
		return NULL;
	}
	/* Check again after opening, because the file may have been replaced. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		obj->problem = xasprintf("%s cannot be read", path);
	else if (st.st_uid && st.st_uid != geteuid())
		obj->problem = xasprintf("%s belongs to another user", path);
	else if (st.st_size > OWN_FILE_SIZE_MAX)
		obj->problem = xasprintf("%s is larger than %d MiB", path, OWN_FILE_SIZE_MAX >> 20);
	else
		return fdopen(fd, "r");
	if (fd >= 0)
		close(fd);
	return NULL;
}

FILE *own_file_open(struct object *obj)
{
	const char *root = objects_sysroot();
	char *path = xasprintf("%s%s", root ? root : "", obj->path);
	FILE *file = open_path(obj, access(path, F_OK) ? obj->path : path);

	free(path);
	return file;
}
