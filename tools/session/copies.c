/* SPDX-License-Identifier: MIT */
/* See copies.h. */
#define _GNU_SOURCE
#include "copies.h"
#include "../base/common.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct part {
	const uint8_t *data;
	uint32_t size;
};

struct copy {
	struct part *parts;
	size_t count, capacity;
	uint64_t size;
};

void copies_add(struct copies *copies, const struct spemu_perf_event *event)
{
	struct spemu_perf_copy part;
	struct copy *copy;
	size_t i;

	if (spemu_perf_get_copy(&part, event) != SPEMU_OK)
		return;
	if (map_insert(&copies->index, (struct map_key){part.kind, part.pid, 0}, &i))
		GROW(copies->items, i, copies->capacity)[i] = xcalloc(1, sizeof(struct copy));
	copy = copies->items[i];
	if (!part.offset)
		copy->count = copy->size = 0;
	if (!part.size || part.offset != copy->size)
		return;
	APPEND(copy->parts, copy->count, copy->capacity) = (struct part){part.data, part.size};
	copy->size += part.size;
}

const struct copy *copies_find(const struct copies *copies, enum spemu_perf_copy_kind kind,
                               uint32_t pid)
{
	size_t i = map_find(&copies->index, (struct map_key){kind, pid, 0});

	return i == MAP_NONE ? NULL : copies->items[i];
}

uint64_t copy_size(const struct copy *copy)
{
	return copy->size;
}

FILE *copy_open(const struct copy *copy)
{
	int fd = memfd_create("spemu-copy", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r+");

	for (size_t i = 0; file && i < copy->count; i++) {
		if (fwrite(copy->parts[i].data, copy->parts[i].size, 1, file) != 1)
			file = NULL;
	}
	if (!file || fflush(file))
		die(EXIT_OWN, "cannot copy a file into memory: %s", strerror(errno));
	rewind(file);
	return file;
}
