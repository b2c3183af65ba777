/* SPDX-License-Identifier: MIT */
/* Open files that a recorded process left for the tools, or the recording's copy (object.h). */
#define _GNU_SOURCE
#include "copies.h"
#include "object.h"
#include "../base/common.h"
#include "../base/regular.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *open_path(struct object *obj, const char *path)
{
	struct stat st;
	int fd = open_own(path, &obj->problem);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size <= OWN_FILE_SIZE_MAX)
		return fdopen(fd, "r");
	obj->problem = xasprintf("%s is larger than %d MiB", path, OWN_FILE_SIZE_MAX >> 20);
	close(fd);
	return NULL;
}

/* Open the file on the disk, below the sysroot first. */
static FILE *open_on_disk(struct object *obj)
{
	const char *root = objects_sysroot();
	char *below = root ? xasprintf("%s%s", root, obj->path) : NULL;
	FILE *file = NULL;

	if (below && !access(below, F_OK))
		file = open_path(obj, below);
	else if (!obj->copy)
		file = open_path(obj, obj->path);
	else /* a file of this name belongs to a later process */
		obj->problem = xasprintf("the process left no %s", obj->path);
	free(below);
	return file;
}

FILE *own_file_open(struct object *obj)
{
	if (obj->copy && copy_size(obj->copy))
		return copy_open(obj->copy);
	return open_on_disk(obj);
}
