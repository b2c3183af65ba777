/* SPDX-License-Identifier: MIT */
/*
 * Copies of files that describe generated code: maps for perf (/tmp/perf-PID.map) and jitdump files
 * (jit-PID.dump). Processes write them, and a later process with the same number would overwrite
 * them. The recorder copies the files of a process when it ends, and at the end of the recording
 * those of all processes that still run.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Offsets in events, after the header of 8 bytes. */
enum {
	AT_MISC = 4,
	AT_PID = 8,   /* of MMAP2 and EXIT */
	AT_TID = 16,  /* of EXIT */
	AT_PROT = 64, /* of MMAP2 */
	AT_NAME = 72,
};

static uint32_t load(const uint8_t *p, unsigned size)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint32_t)p[i] << 8 * i;
	return v;
}

/* Return the entry of a process, or NULL. With `add`, a new process gets an entry if there is
 * room. */
static struct recorder_generator *find(struct recorder_copies *c, uint32_t pid, bool add)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].pid == pid)
			return &c->items[i];
	if (!add)
		return NULL;
	if (c->count == c->capacity) {
		size_t capacity = c->capacity ? 2 * c->capacity : 16;
		struct recorder_generator *items =
		        capacity > RECORDER_COPIED_PROCESSES
		                ? NULL
		                : realloc(c->items, capacity * sizeof(*items));

		if (!items) {
			c->left_out++;
			return NULL;
		}
		c->items = items;
		c->capacity = capacity;
	}
	c->items[c->count] = (struct recorder_generator){.pid = pid};
	return &c->items[c->count++];
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Return true if code without a file is at the mapping, as for mapping_is_jit() of the tools. */
static bool is_generated(const uint8_t *event, const char *name)
{
	return !(load(event + AT_MISC, 2) & SPEMU_PERF_MISC_MMAP_DATA) &&
	       (load(event + AT_PROT, 4) & PROT_EXEC) &&
	       (starts_with(name, "//anon") || starts_with(name, "/anon_hugepage") ||
	        starts_with(name, "/memfd:"));
}

/* Return true if the name is that of the process's jitdump file, jit-PID.dump. */
static bool is_dump(const char *name, uint32_t pid)
{
	const char *slash = strrchr(name, '/');
	char own[32];

	snprintf(own, sizeof(own), "jit-%u.dump", pid);
	return slash && !strcmp(slash + 1, own);
}

static void see_mapping(struct recorder_copies *c, const uint8_t *event)
{
	const char *name = (const char *)event + AT_NAME;
	uint32_t pid = load(event + AT_PID, 4);
	bool dump = is_dump(name, pid);
	struct recorder_generator *g =
	        dump || is_generated(event, name) ? find(c, pid, true) : NULL;

	if (g && dump && !g->dump)
		g->dump = strdup(name);
	else if (g && !dump)
		g->generates = true;
}

static int put(struct recorder *r, const struct spemu_perf_copy *copy)
{
	struct recorder_copies *c = &r->copies;
	struct iovec part = {c->event, 0};
	int size = spemu_perf_put_copy(c->event, sizeof(c->event), copy);

	part.iov_len = (size_t)size;
	return recorder_put(r, &part, 1, part.iov_len);
}

/* Copy size bytes of an open file. Return the number of bytes in the recording. */
static uint64_t copy_bytes(struct recorder *r, struct spemu_perf_copy *copy, int fd, uint64_t size)
{
	copy->data = r->copies.data;
	while (copy->offset < size) {
		uint64_t most = size - copy->offset;
		ssize_t n =
		        pread(fd, r->copies.data,
		              most < sizeof(r->copies.data) ? (size_t)most : sizeof(r->copies.data),
		              (off_t)copy->offset);

		copy->size = n > 0 ? (uint32_t)n : 0;
		if (n <= 0 || put(r, copy) != SPEMU_OK)
			break;
		copy->offset += copy->size;
	}
	return copy->offset;
}

/* Copy the file if it has at most *left bytes, which the process may still have. */
static void copy_file(struct recorder *r, struct spemu_perf_copy *copy, const char *path,
                      uint64_t *left)
{
	struct recorder_copies *c = &r->copies;
	uint64_t copied;
	struct stat st;
	int fd = c->open(path);

	if (fd < 0 && errno == ENOENT)
		put(r, copy);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_size >= 0) {
		if ((uint64_t)st.st_size <= *left && (uint64_t)st.st_size <= c->left) {
			copied = copy_bytes(r, copy, fd, (uint64_t)st.st_size);
			*left -= copied;
			c->left -= copied;
		} else {
			c->left_out++;
		}
	}
	close(fd);
}

static void copy_files(struct recorder *r, const struct recorder_generator *g)
{
	struct spemu_perf_copy map = {.kind = SPEMU_PERF_COPY_MAP, .pid = g->pid};
	struct spemu_perf_copy dump = {.kind = SPEMU_PERF_COPY_DUMP, .pid = g->pid};
	uint64_t left = RECORDING_COPIES_OF_PROCESS_MAX;
	char path[32];

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", g->pid);
	if (g->generates)
		copy_file(r, &map, path, &left);
	if (g->dump)
		copy_file(r, &dump, g->dump, &left);
	free(g->dump);
}

void recorder_copies_see(struct recorder *r, const uint8_t *events, size_t size)
{
	struct recorder_copies *c = &r->copies;
	struct recorder_generator *g;

	if (!c->open)
		return;
	for (size_t at = 0; at < size; at += load(events + at + 6, 2)) {
		const uint8_t *event = events + at;
		uint32_t type = load(event, 4), pid = load(event + AT_PID, 4);

		if (type == SPEMU_PERF_MMAP2)
			see_mapping(c, event);
		/* The first thread ends last. */
		if (type != SPEMU_PERF_EXIT || load(event + AT_TID, 4) != pid ||
		    !(g = find(c, pid, false)))
			continue;
		copy_files(r, g);
		*g = c->items[--c->count];
	}
}

void recorder_copies_end(struct recorder *r)
{
	struct recorder_copies *c = &r->copies;

	while (c->count)
		copy_files(r, &c->items[--c->count]);
}

void recorder_copies_free(struct recorder_copies *c)
{
	while (c->count)
		free(c->items[--c->count].dump);
	free(c->items);
}

int recording_copy_files(struct recording *rec, recording_open_fn *open)
{
	struct recorder *r = recorder_here(rec);

	if (!r || !open)
		return SPEMU_ERR_INVALID;
	pthread_mutex_lock(&r->lock);
	r->copies.open = open;
	r->copies.left = RECORDING_COPIES_MAX;
	pthread_mutex_unlock(&r->lock);
	return SPEMU_OK;
}
