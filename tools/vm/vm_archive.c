/* SPDX-License-Identifier: MIT */
/*
 * The guest's initial file system: the archive of scripts/fetch guest, followed by an archive with
 * the task. Linux unpacks both; a later file replaces an earlier one with the same name.
 */
#define _GNU_SOURCE
#include "../base/content.h"
#include "vm.h"
#include "vm_protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER 040755
#define FILE_MODE 0100644
#define CONTENT_MAX (1 << 30)
#define FIRST_NUMBER 1000000 /* first inode number; scripts/guest/initramfs counts from 1 */

struct archive {
	int fd;
	size_t size;
	unsigned files;
};

static void put(struct archive *a, const void *data, size_t size)
{
	a->size += size;
	if (!write_all(a->fd, data, size))
		die(EXIT_OWN, "cannot make the guest's initial file system: %s", strerror(errno));
}

static void pad(struct archive *a)
{
	put(a, "\0\0\0", -a->size & 3);
}

/* Add a file in the format "newc": thirteen hexadecimal numbers, the name, the data. */
static void entry(struct archive *a, const char *name, unsigned mode, const void *data, size_t size)
{
	char *header = xasprintf("070701%08X%08X%08X%08X%08X%08X%08zX%08X%08X%08X%08X%08zX%08X",
	                         FIRST_NUMBER + a->files++, mode, 0, 0, 1, 0, size, 0, 0, 0, 0,
	                         strlen(name) + 1, 0);

	put(a, header, strlen(header));
	put(a, name, strlen(name) + 1);
	pad(a);
	put(a, data, size);
	pad(a);
	free(header);
}

static void text_entry(struct archive *a, const char *name, const char *text)
{
	entry(a, name, FILE_MODE, text, strlen(text));
}

/* Return the content of a file, for the caller to free. Die if it cannot be read. */
static char *content(const char *path, size_t *size)
{
	char *data = read_named(path, size, CONTENT_MAX);

	if (!data)
		die(EXIT_OWN, "cannot read '%s': %s", path, strerror(errno));
	return data;
}

/* Add modules that replace those of the packaged kernel. The first list of modules names all of
 * them, and the other lists are empty. */
static void add_modules(struct archive *a, char *const *modules)
{
	char *list = xstrdup("");

	for (size_t i = 0; modules[i]; i++) {
		char *name = xstrdup(strrchr(modules[i], '/') + 1), *file, *longer, *data;
		size_t size;

		name[strcspn(name, ".")] = 0;
		for (char *p = name; *p; p++)
			*p = *p == '-' ? '_' : *p;
		file = xasprintf("modules/%s.ko", name);
		data = vm_module_content(modules[i], &size);
		entry(a, file, FILE_MODE, data, size);
		free(data);
		longer = xasprintf("%s%s\n", list, name);
		free(list);
		list = longer;
		free(file);
		free(name);
	}
	for (size_t i = 0; vm_module_names[i]; i++) {
		char *file = xasprintf("modules/%s.load", vm_module_names[i]);

		text_entry(a, file, i ? "" : list);
		free(file);
	}
	free(list);
}

static void add_shares(struct archive *a, char *const *shares)
{
	char *list = xstrdup("");

	for (size_t i = 0; shares[i]; i++) {
		char *longer = xasprintf("%s%s\n", list, shares[i]);

		free(list);
		list = longer;
	}
	text_entry(a, VM_TASK_SHARES, list);
	free(list);
}

int vm_archive(const struct vm_guest *guest, const char *command, bool input)
{
	struct archive a = {.fd = vm_memory_file("initrd", "", 0)};
	size_t size;
	char *data = content(guest->initrd, &size);

	put(&a, data, size);
	free(data);
	pad(&a);
	entry(&a, VM_TASK, FOLDER, "", 0);
	text_entry(&a, VM_TASK_COMMAND, command);
	text_entry(&a, VM_TASK_DIRECTORY, guest->directory);
	add_shares(&a, guest->shares);
	if (input)
		text_entry(&a, VM_TASK_INPUT, "");
	if (guest->root)
		text_entry(&a, VM_TASK_ROOT, "");
	if (guest->modules)
		add_modules(&a, guest->modules);
	entry(&a, "TRAILER!!!", 0, "", 0);
	return a.fd;
}
