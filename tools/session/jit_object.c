/* SPDX-License-Identifier: MIT */
/*
 * Code that a process made itself: names from /tmp/perf-PID.map, which runtimes write on request.
 *
 * The file is taken from a folder in which everybody may write. As perf does, it is read if it
 * belongs to who asks or to root, and is a regular file under that very name.
 */
#define _GNU_SOURCE
#include "object.h"
#include "../base/common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char advice[] = "the runtime writes it if asked (node --perf-basic-prof, python -X "
                             "perf, java with perf-map-agent)";

/* NULL: obj->problem says why. */
static FILE *open_map(struct object *obj, const char *path)
{
	struct stat st;
	int fd;

	if (lstat(path, &st)) {
		obj->problem = xasprintf("%s: %s", path, strerror(errno));
		obj->remedy = xstrdup(advice);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		obj->problem = xasprintf("%s is not a regular file", path);
		return NULL;
	}
	/* It may be another one by now. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		obj->problem = xasprintf("%s cannot be read", path);
	else if (st.st_uid && st.st_uid != geteuid())
		obj->problem = xasprintf("%s belongs to another user", path);
	else if (st.st_size > PERF_MAP_SIZE_MAX)
		obj->problem = xasprintf("%s is larger than %d MiB", path, PERF_MAP_SIZE_MAX >> 20);
	else
		return fdopen(fd, "r");
	if (fd >= 0)
		close(fd);
	return NULL;
}

void jit_load(struct object *obj)
{
	const char *root = objects_sysroot();
	char *path = xasprintf("%s%s", root ? root : "", obj->path);
	FILE *f;

	f = open_map(obj, access(path, F_OK) ? obj->path : path);
	if (f && !perf_map_load(obj, f))
		obj->problem = xasprintf("%s is not a list of START SIZE NAME", path);
	if (f)
		fclose(f);
	free(path);
	object_finish(obj);
}
