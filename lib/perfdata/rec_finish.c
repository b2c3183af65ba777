/* SPDX-License-Identifier: MIT */
/*
 * The end of a recording: what depends on all of the data is written behind it.
 *
 * Source: tools/perf/util/build-id.c (the build-id table), tools/perf/util/auxtrace.c (the index),
 * tools/perf/util/header.c (sample time) of Linux 6.1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "perfdata/rec_control.h"

/* Bytes that grow. failed stays set once memory ran out. */
struct bytes {
	uint8_t *data;
	size_t size, room;
	bool failed;
};

/* A mapped file that wants a build-id. */
struct named {
	const char *name;
	uint8_t id[SPEMU_PERF_BUILD_ID_MAX];
	uint8_t id_size;
	uint8_t cpumode;
};

struct collected {
	struct bytes index;   /* entries of the AUXTRACE index */
	struct bytes files;   /* struct named */
	uint64_t first, last; /* time */
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
			le_store(entry, event->file_offset, 8);
			le_store(entry + 8, event->size, 8);
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

/* By name, those that have a build-id first. */
static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (int)!x->id_size - (int)!y->id_size;
}

static void look_up_build_id(struct named *file)
{
	struct stat st;
	size_t size = 0;
	int fd;

	if (file->id_size)
		return;
	fd = open(file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    spemu_elf_build_id(file->id, &size, fd) == SPEMU_OK)
		file->id_size = (uint8_t)size;
	close(fd);
}

static void put_build_id(struct bytes *out, const struct named *file)
{
	size_t length = strlen(file->name);
	size_t size = PERF_BUILD_ID_ENTRY_SIZE + (size_t)perf_align(length + 1, PERF_NAME_ALIGN);
	uint8_t *entry = grow(out, size);

	if (!entry)
		return;
	le_store(entry + 4,
	         (file->cpumode ? file->cpumode : SPEMU_PERF_MISC_USER) |
	                 SPEMU_PERF_MISC_BUILD_ID_SIZE,
	         2);
	le_store(entry + 6, size, 2);
	le_store(entry + 8, UINT32_MAX, 4); /* the host */
	memcpy(entry + 12, file->id, file->id_size);
	entry[12 + SPEMU_PERF_BUILD_ID_MAX] = file->id_size;
	memcpy(entry + PERF_BUILD_ID_ENTRY_SIZE, file->name, length);
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

/* A table of features that is kept in bit order. */
struct feature_table {
	uint64_t flags;
	uint8_t entries[HEAD_FEATURES_MAX * PERF_SECTION_SIZE];
	unsigned n;
};

/* Set where the contents of a feature are: a new one, or one that the head had. */
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
	le_store(at, offset, 8);
	le_store(at + 8, size, 8);
}

/* Everything behind the data: table, then contents. */
static void build_tail(struct bytes *tail, struct feature_table *table, struct collected *c,
                       uint64_t tail_at)
{
	const size_t table_size = (table->n + 3) * PERF_SECTION_SIZE;
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
			le_store(p, c->index.size / 16, 8);
			memcpy(p + 8, c->index.data, c->index.size);
			set_feature(table, SPEMU_PERF_FEAT_AUXTRACE, tail_at + begin,
			            tail->size - begin);
		}
	}
	if (c->first <= c->last) {
		begin = tail->size;
		p = grow(tail, 16);
		if (p) {
			le_store(p, c->first, 8);
			le_store(p + 8, c->last, 8);
			set_feature(table, SPEMU_PERF_FEAT_SAMPLE_TIME, tail_at + begin, 16);
		}
	}
	if (!tail->failed)
		memcpy(tail->data, table->entries, table->n * PERF_SECTION_SIZE);
}

/* Read the data section. Returns an errno. */
static int collect(struct collected *c, const void *map, size_t size)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_file *file;
	int status = spemu_perf_open_memory(&file, map, size, NULL);

	if (status != SPEMU_OK)
		return EUCLEAN;
	while ((status = spemu_perf_next(file, &cursor, &event)) == SPEMU_OK)
		collect_event(c, &event);
	spemu_perf_close(file);
	if (c->index.failed || c->files.failed)
		return ENOMEM;
	return status == SPEMU_ERR_END ? 0 : EUCLEAN;
}

/* Returns an errno, with the old table back in place. */
static int write_tail(int fd, const struct perf_head *head, uint64_t data_size,
                      const struct bytes *tail, const struct feature_table *table)
{
	uint64_t tail_at = head->data_at + data_size;
	int error = rec_write_flags(fd, 0);

	if (!error)
		error = rec_pwrite(fd, tail->data, tail->size, tail_at);
	if (!error && ftruncate(fd, (off_t)(tail_at + tail->size)) != 0)
		error = errno;
	if (!error)
		error = rec_write_flags(fd, table->flags);
	if (!error)
		return 0;
	if (rec_pwrite(fd, head->table, head->n_features * PERF_SECTION_SIZE, tail_at) == 0)
		rec_write_flags(fd, head->flags);
	return error;
}

int rec_finish_file(int fd, const struct perf_head *head, uint64_t data_size)
{
	struct collected c = {.first = UINT64_MAX};
	struct feature_table table = {.flags = head->flags, .n = head->n_features};
	struct bytes tail = {0};
	size_t size = (size_t)(head->data_at + data_size + head->n_features * PERF_SECTION_SIZE);
	void *map;
	int error;

	if (head->n_features + 3 > HEAD_FEATURES_MAX)
		return EOVERFLOW;
	memcpy(table.entries, head->table, sizeof(head->table));
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return errno;
	error = collect(&c, map, size);
	if (!error) {
		build_tail(&tail, &table, &c, head->data_at + data_size);
		error = tail.failed ? ENOMEM : write_tail(fd, head, data_size, &tail, &table);
	}
	munmap(map, size);
	free(tail.data);
	free(c.index.data);
	free(c.files.data);
	return error;
}

int spemu_rec_finish(struct spemu_rec *rec, struct spemu_rec_totals *totals)
{
	struct spemu_rec_control *control = rec->control;
	int fd, error, status;

	if (!rec->owner)
		return SPEMU_ERR_STATE;
	for (uint32_t i = 0; i < SPEMU_REC_LANES; i++)
		rec_salvage(rec, i);
	status = rec_lock(rec);
	if (status != SPEMU_OK)
		return status;
	if (control->finished) {
		rec_unlock(rec);
		return SPEMU_ERR_STATE;
	}
	control->finished = true;
	fd = rec_file(rec);
	error = fd < 0 ? errno : rec_finish_file(fd, &control->head, control->data_size);
	rec_unlock(rec);
	if (totals)
		spemu_rec_totals(totals, rec);
	errno = error ? error : errno;
	return error ? SPEMU_ERR_IO : SPEMU_OK;
}

/* The head of a file that this library began. Returns false if it did not. */
static bool read_head(int fd, struct perf_head *head, uint64_t *data_size)
{
	uint8_t bytes[HEAD_FEATURES_AT];
	struct stat st;

	memset(head, 0, sizeof(*head));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    pread(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes) ||
	    memcmp(bytes, PERF_MAGIC, 8) != 0 ||
	    le_load(bytes + HEAD_SPARE_AT, 8) != HEAD_SPARE_MAGIC)
		return false;
	head->data_at = le_load(bytes + PERF_HDR_DATA_AT, 8);
	*data_size = le_load(bytes + PERF_HDR_DATA_SIZE_AT, 8);
	head->flags = le_load(bytes + HEAD_SPARE_AT + 8, 8);
	for (uint64_t flags = head->flags; flags; flags &= flags - 1)
		head->n_features++;
	memcpy(head->table, bytes + HEAD_SPARE_AT + 16, sizeof(head->table));
	return head->n_features + 3 <= HEAD_FEATURES_MAX && head->data_at >= HEAD_FEATURES_AT &&
	       head->data_at <= HEAD_SIZE_MAX && *data_size <= (uint64_t)st.st_size &&
	       head->data_at + *data_size <= (uint64_t)st.st_size;
}

int spemu_rec_repair(const char *path)
{
	struct perf_head head;
	uint64_t data_size;
	int fd, error, status = SPEMU_ERR_CORRUPT;

	if (!path)
		return SPEMU_ERR_INVALID;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return SPEMU_ERR_IO;
	if (read_head(fd, &head, &data_size)) {
		/* The table may be half overwritten: put it back, then go on as a recorder would.
		 */
		error = rec_pwrite(fd, head.table, head.n_features * PERF_SECTION_SIZE,
		                   head.data_at + data_size);
		if (!error)
			error = rec_write_flags(fd, head.flags);
		if (!error)
			error = rec_finish_file(fd, &head, data_size);
		status = error ? SPEMU_ERR_IO : SPEMU_OK;
		if (error == EUCLEAN)
			status = SPEMU_ERR_CORRUPT;
		errno = error ? error : errno;
	}
	close(fd);
	return status;
}
