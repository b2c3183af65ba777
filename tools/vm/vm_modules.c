/* SPDX-License-Identifier: MIT */
/*
 * The modules of a user's own kernel. A build tree and /lib/modules/VERSION list them in
 * modules.order. Without that list, they are below "kernel". The .modinfo section of a module names
 * its dependencies.
 */
#define _GNU_SOURCE
#include "../base/common.h"
#include "vm.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct modules {
	const char *folder;
	struct vm_command known;  /* paths relative to the folder, "a/b.ko" */
	struct vm_command wanted; /* paths, dependencies first */
	struct vm_command begun;  /* paths whose dependencies are being added, to end circles */
};

/* Find the installed files: Debian's packages do not have a list from Linux 7.0 on. */
static void find_installed(struct modules *m)
{
	char *folder = xasprintf("%s/kernel", m->folder), *paths[] = {folder, NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	FTSENT *file;

	while (tree && (file = fts_read(tree))) {
		const char *end = strstr(file->fts_name, ".ko");

		if (file->fts_info == FTS_F && end)
			vm_command_add(
			        &m->known, "%.*s.ko",
			        (int)(strlen(file->fts_path) - strlen(m->folder) - 1 - strlen(end)),
			        file->fts_path + strlen(m->folder) + 1);
	}
	if (tree)
		fts_close(tree);
	free(folder);
}

/* Read the list. A line is "kernel/a/b.ko", or "a/b.o" in a build tree of Linux 6.5 or later. */
static void read_order(struct modules *m)
{
	char *name = xasprintf("%s/modules.order", m->folder), *line = NULL;
	FILE *f = fopen(name, "r");
	size_t room = 0;
	ssize_t n;
	int error = errno;

	if (!f)
		find_installed(m);
	if (!f && !m->known.count)
		die(EXIT_OWN, "cannot read '%s': %s; name the kernel's build tree with --modules",
		    name, strerror(error));
	while (f && (n = getline(&line, &room, f)) > 0) {
		line[strcspn(line, "\n")] = 0;
		n = (ssize_t)strlen(line);
		if (n > 2 && !strcmp(line + n - 2, ".o"))
			line[n - 2] = 0;
		else if (n > 3 && !strcmp(line + n - 3, ".ko"))
			line[n - 3] = 0;
		else
			continue;
		vm_command_add(&m->known, "%s.ko", line);
	}
	free(line);
	if (f)
		fclose(f);
	free(name);
}

/* Return true if the path ends in "NAME.ko", compressed or not. Like modprobe, accept - for _. */
static bool is_called(const char *path, const char *name, size_t length)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	if (strlen(base) < length + 3 || strncmp(base + length, ".ko", 3) ||
	    !strchr(".", base[length + 3]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (base[i] != name[i] && !(strchr("-_", base[i]) && strchr("-_", name[i])))
			return false;
	return true;
}

/* Return the path of a module, or NULL. A build tree does not have the folder "kernel". */
static char *find_module(const struct modules *m, const char *name, size_t length)
{
	for (size_t i = 0; i < m->known.count; i++) {
		const char *known = m->known.argv[i];
		char *path;

		if (!is_called(known, name, length))
			continue;
		for (unsigned part = 0; part < 2; part++) {
			path = vm_module_find(xasprintf("%s/%s", m->folder, known));
			if (path)
				return path;
			known += strncmp(known, "kernel/", 7) ? 0 : 7;
		}
	}
	return NULL;
}

static void add_module(struct modules *m, const char *name, size_t length);

/* Add the dependencies that the module at `path` lists as "depends=a,b". */
static void add_dependencies(struct modules *m, const char *path)
{
	static const char key[] = "\0depends=";
	char *data, *at, *text, *name;
	size_t size;

	data = vm_module_content(path, &size);
	at = memmem(data, size, key, sizeof(key) - 1);
	text = xstrdup(at ? at + sizeof(key) - 1 : "");
	free(data);
	for (char *rest = text; (name = strsep(&rest, ","));)
		if (*name)
			add_module(m, name, strlen(name));
	free(text);
}

static void add_module(struct modules *m, const char *name, size_t length)
{
	char *path;

	for (size_t i = 0; i < m->begun.count; i++)
		if (is_called(m->begun.argv[i], name, length))
			return;
	path = find_module(m, name, length);
	if (!path)
		return; /* The module is built in, or the guest reports it. */
	vm_command_add(&m->begun, "%s", path);
	add_dependencies(m, path);
	vm_command_add(&m->wanted, "%s", path);
	free(path);
}

char **vm_modules(const char *folder, const char *const *names)
{
	struct modules m = {.folder = folder};

	read_order(&m);
	for (size_t i = 0; names[i]; i++)
		add_module(&m, names[i], strlen(names[i]));
	vm_command_free(&m.known);
	vm_command_free(&m.begun);
	return m.wanted.argv;
}
