/* SPDX-License-Identifier: MIT */
/*
 * The tail of a finished perf.data file: the features that depend on all of its events.
 *
 * Source: tools/perf/util/build-id.c (the build-id table), tools/perf/util/auxtrace.c (the index),
 * tools/perf/util/header.c (sample time) of Linux 6.1.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <spemu/perfdata.h>

#include "base/bits.h"
#include "perfdata/perf_format.h"

#define MADE_HERE 3 /* maximum features that a tail adds to those of the head */
#define TABLE_ENTRIES_MAX (SPEMU_PERF_TABLE_MAX / PERF_SECTION_SIZE)

/* A growing array of bytes. failed stays set once memory has run out. */
struct bytes {
	uint8_t *data;
	size_t size, room;
	bool failed;
};

/* A mapped file that needs a build-id. */
struct named {
	const char *name;
	uint8_t id[SPEMU_PERF_BUILD_ID_MAX];
	uint8_t id_size;
	uint8_t cpumode;
};

struct collected {
	struct bytes index;   /* entries of the AUXTRACE index */
	struct bytes files;   /* array of struct named */
	uint64_t first, last; /* time of the first and last event */
};

static uint8_t *grow(struct bytes *b, size_t n)
{
	uint8_t *data;
	size_t room = b->room ? b->room : 4096;

	if (b->failed)
		return NULL;
	while (room - b->size < n)
		room *= 2;
	if (room != b->room) {
		data = realloc(b->data, room);
		if (!data) {
			b->failed = true;
			return NULL;
		}
		b->data = data;
		b->room = room;
	}
	b->size += n;
	memset(b->data + b->size - n, 0, n);
	return b->data + b->size - n;
}

static void collect_event(struct collected *c, const struct spemu_perf_event *event)
{
	const struct spemu_perf_mmap *map = &event->u.mmap;
	struct named *file;
	uint8_t *entry;

	if (event->who.valid & SPEMU_PERF_SAMPLE_TIME) {
		c->first = event->who.time < c->first ? event->who.time : c->first;
		c->last = event->who.time > c->last ? event->who.time : c->last;
	}
	if (event->type == SPEMU_PERF_AUXTRACE) {
		entry = grow(&c->index, 16);
		if (entry) {
			le_store64(entry, event->file_offset);
			le_store64(entry + 8, event->size);
		}
	} else if (event->type == SPEMU_PERF_MMAP2 && !map->data && map->filename[0] == '/' &&
	           map->filename[1] != '/') {
		file = (struct named *)(void *)grow(&c->files, sizeof(*file));
		if (file) {
			file->name = map->filename;
			file->cpumode = map->cpumode;
			file->id_size = map->build_id_size;
			memcpy(file->id, map->build_id, sizeof(file->id));
		}
	}
}

/* Compare by name. Among equal names, a file with a build-id comes first. */
static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (int)!x->id_size - (int)!y->id_size;
}

/*
 * Open a regular file for reading, or return -1. The name comes from the profiled program. Other
 * kinds of files (a FIFO, a device) are never opened, because opening alone may hang or do harm.
 */
static int open_regular(const char *name)
{
	char path[32];
	struct stat st;
	int fd = -1, found = open(name, O_PATH | O_CLOEXEC);

	if (found < 0)
		return found;
	if (fstat(found, &st) == 0 && S_ISREG(st.st_mode)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	close(found);
	return fd;
}

static void look_up_build_id(struct named *file)
{
	size_t size = 0;
	int fd;

	if (file->id_size)
		return;
	fd = open_regular(file->name);
	if (fd < 0)
		return;
	if (spemu__elf_build_id(file->id, &size, fd) == SPEMU_OK)
		file->id_size = (uint8_t)size;
	close(fd);
}

static size_t entry_size(const struct named *file)
{
	return PERF_BUILD_ID_ENTRY_SIZE +
	       (size_t)perf_align(strlen(file->name) + 1, PERF_NAME_ALIGN);
}

/* Fill in an entry of the table. All bytes of entry are 0 before. In a stream the entry is an
 * event, with another type. */
static void fill_build_id(uint8_t *entry, const struct named *file)
{
	le_store16(entry + 4, (file->cpumode ? file->cpumode : SPEMU_PERF_MISC_USER) |
	                              SPEMU_PERF_MISC_BUILD_ID_SIZE);
	le_store16(entry + 6, (uint16_t)entry_size(file));
	le_store32(entry + 8, UINT32_MAX); /* (uint32_t)-1 means the host */
	memcpy(entry + 12, file->id, file->id_size);
	entry[12 + SPEMU_PERF_BUILD_ID_MAX] = file->id_size;
	memcpy(entry + PERF_BUILD_ID_ENTRY_SIZE, file->name, strlen(file->name));
}

static void put_build_id(struct bytes *out, const struct named *file)
{
	uint8_t *entry = grow(out, entry_size(file));

	if (entry)
		fill_build_id(entry, file);
}

int spemu_perf_put_build_id(uint8_t *buf, size_t size, const char *filename)
{
	struct named file = {.name = filename};
	size_t whole;

	if (!buf || !filename || strlen(filename) > SPEMU_PERF_FILENAME_MAX)
		return SPEMU_ERR_INVALID;
	whole = (size_t)perf_align(entry_size(&file), 8);
	if (size < whole)
		return SPEMU_ERR_NOSPACE;
	look_up_build_id(&file);
	if (!file.id_size)
		return SPEMU_ERR_END;
	memset(buf, 0, whole);
	fill_build_id(buf, &file);
	le_store32(buf, SPEMU_PERF_HEADER_BUILD_ID);
	le_store16(buf + 6, (uint16_t)whole);
	return (int)whole;
}

static void put_build_ids(struct bytes *out, struct bytes *files)
{
	struct named *file = (struct named *)(void *)files->data;
	size_t n = files->size / sizeof(*file);

	if (!n)
		return;
	qsort(file, n, sizeof(*file), compare_named);
	for (size_t i = 0; i < n; i++) {
		if (i && strcmp(file[i - 1].name, file[i].name) == 0)
			continue;
		look_up_build_id(&file[i]);
		if (file[i].id_size)
			put_build_id(out, &file[i]);
	}
}

/* A table of features in bit order. */
struct feature_table {
	uint64_t flags;
	uint8_t entries[SPEMU_PERF_TABLE_MAX];
	unsigned n;
};

/* Set the place of the contents of a feature, which is new or already in the head. */
static void set_feature(struct feature_table *table, unsigned bit, uint64_t offset, uint64_t size)
{
	unsigned before = 0;
	uint8_t *at;

	for (uint64_t flags = table->flags & (BIT64(bit) - 1); flags; flags &= flags - 1)
		before++;
	at = table->entries + before * PERF_SECTION_SIZE;
	if (!bit_is_set(table->flags, bit)) {
		memmove(at + PERF_SECTION_SIZE, at, (table->n - before) * PERF_SECTION_SIZE);
		table->flags |= BIT64(bit);
		table->n++;
	}
	le_store64(at, offset);
	le_store64(at + 8, size);
}

/* Build everything after the data: the table, followed by the contents. */
static void build_tail(struct bytes *tail, struct feature_table *table, struct collected *c,
                       uint64_t tail_at)
{
	const size_t table_size = (table->n + MADE_HERE) * PERF_SECTION_SIZE;
	size_t begin;
	uint8_t *p;

	grow(tail, table_size);
	begin = tail->size;
	put_build_ids(tail, &c->files);
	if (tail->size > begin)
		set_feature(table, SPEMU_PERF_FEAT_BUILD_ID, tail_at + begin, tail->size - begin);
	if (c->index.size) {
		begin = tail->size;
		p = grow(tail, 8 + c->index.size);
		if (p) {
			le_store64(p, c->index.size / 16);
			memcpy(p + 8, c->index.data, c->index.size);
			set_feature(table, SPEMU_PERF_FEAT_AUXTRACE, tail_at + begin,
			            tail->size - begin);
		}
	}
	if (c->first <= c->last) {
		begin = tail->size;
		p = grow(tail, 16);
		if (p) {
			le_store64(p, c->first);
			le_store64(p + 8, c->last);
			set_feature(table, SPEMU_PERF_FEAT_SAMPLE_TIME, tail_at + begin, 16);
		}
	}
	if (!tail->failed)
		memcpy(tail->data, table->entries, table->n * PERF_SECTION_SIZE);
}

/* Collect index entries, file names and times from the data section. */
static int collect(struct collected *c, const void *map, size_t size)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_file *file;
	int status = spemu_perf_open_memory(&file, NULL, map, size);

	if (status != SPEMU_OK)
		return SPEMU_ERR_CORRUPT;
	while ((status = spemu_perf_next(file, &event, &cursor)) == SPEMU_OK)
		collect_event(c, &event);
	spemu_perf_close(file);
	if (c->index.failed || c->files.failed)
		return SPEMU_ERR_IO;
	return status == SPEMU_ERR_END ? SPEMU_OK : SPEMU_ERR_CORRUPT;
}

int spemu_perf_make_tail(struct spemu_perf_tail *tail, const struct spemu_perf_head *head,
                         uint64_t data_size, const uint8_t *file)
{
	struct collected c = {.first = UINT64_MAX};
	struct feature_table table = {.flags = head->flags,
	                              .n = head->table_size / PERF_SECTION_SIZE};
	struct bytes bytes = {0};
	int status;

	*tail = (struct spemu_perf_tail){0};
	if (head->table_size / PERF_SECTION_SIZE + MADE_HERE > TABLE_ENTRIES_MAX)
		return SPEMU_ERR_CORRUPT;
	memcpy(table.entries, head->table, sizeof(head->table));
	status = collect(&c, file, (size_t)(head->data_at + data_size + head->table_size));
	if (status == SPEMU_OK) {
		build_tail(&bytes, &table, &c, head->data_at + data_size);
		status = bytes.failed ? SPEMU_ERR_IO : SPEMU_OK;
	}
	free(c.index.data);
	free(c.files.data);
	if (status == SPEMU_OK)
		*tail = (struct spemu_perf_tail){bytes.data, bytes.size, table.flags};
	else
		free(bytes.data);
	return status;
}
