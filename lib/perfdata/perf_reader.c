/* SPDX-License-Identifier: MIT */
/*
 * Opening a perf.data file and reading its data section.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c of Linux
 * 6.1. The file is untrusted: every offset and size is compared with the file's size before use, in
 * arithmetic that cannot wrap.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "perfdata/perf_file.h"

/* The maximum number of attrs. perf writes only a few; the limit bounds the work that a malicious
 * file can cause. */
#define ATTRS_MAX 4096

static int check_section(const struct spemu_perf_file *file, uint64_t at, uint64_t *offset,
                         uint64_t *size)
{
	*offset = le_load64(file->base + at);
	*size = le_load64(file->base + at + 8);
	return perf_in_file(file, *offset, *size) ? SPEMU_OK : SPEMU_ERR_TRUNCATED;
}

/* Find the data section. An incomplete copy is read up to its end. */
static int check_data(struct spemu_perf_file *file)
{
	uint64_t size;

	file->data_end = file->size;
	if (check_section(file, PERF_HDR_DATA_AT, &file->data_at, &size) == SPEMU_OK)
		file->data_end = file->data_at + size;
	else if (file->data_at > file->size || size > INT64_MAX)
		return SPEMU_ERR_TRUNCATED;
	else
		file->cut = true;
	return SPEMU_OK;
}

static int check_magic(const struct spemu_perf_file *file)
{
	if (file->size < 8)
		return SPEMU_ERR_INVALID;
	if (memcmp(file->base, PERF_MAGIC_SWAPPED, 8) == 0 ||
	    memcmp(file->base, PERF_MAGIC_OLD, 8) == 0)
		return SPEMU_ERR_NOT_SUPPORTED;
	return memcmp(file->base, PERF_MAGIC, 8) == 0 ? SPEMU_OK : SPEMU_ERR_INVALID;
}

static int check_header(struct spemu_perf_file *file, uint64_t *where)
{
	uint64_t size, attrs_size;
	int status = check_magic(file);

	*where = 0;
	if (status != SPEMU_OK)
		return status;
	*where = PERF_HDR_SIZE_AT;
	if (file->size < PERF_HDR_PIPE_SIZE)
		return SPEMU_ERR_TRUNCATED;
	size = le_load64(file->base + PERF_HDR_SIZE_AT);
	if (size == PERF_HDR_PIPE_SIZE)
		return SPEMU_ERR_NOT_SUPPORTED;
	if (size < PERF_HDR_SIZE)
		return SPEMU_ERR_CORRUPT;
	if (file->size < PERF_HDR_SIZE)
		return SPEMU_ERR_TRUNCATED;
	*where = PERF_HDR_ATTR_SIZE_AT;
	file->attr_entry = le_load64(file->base + PERF_HDR_ATTR_SIZE_AT);
	if (file->attr_entry < PERF_ATTR_SIZE_VER0 + PERF_SECTION_SIZE ||
	    file->attr_entry > PERF_EVENT_HEADER_SIZE + SPEMU_PERF_EVENT_MAX)
		return SPEMU_ERR_CORRUPT;
	*where = PERF_HDR_ATTRS_AT;
	if (check_section(file, PERF_HDR_ATTRS_AT, &file->attrs_at, &attrs_size) != SPEMU_OK)
		return SPEMU_ERR_TRUNCATED;
	if (attrs_size % file->attr_entry || attrs_size / file->attr_entry > ATTRS_MAX)
		return SPEMU_ERR_CORRUPT;
	file->n_attrs = (uint32_t)(attrs_size / file->attr_entry);
	*where = PERF_HDR_DATA_AT;
	if (check_data(file) != SPEMU_OK)
		return SPEMU_ERR_TRUNCATED;
	for (int i = 0; i < 4; i++)
		file->features[i] = le_load64(file->base + PERF_HDR_FLAGS_AT + 8 * i);
	return SPEMU_OK;
}

static unsigned popcount(uint64_t v)
{
	unsigned n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/* Return the offset of the entry for feature n; the table is after the data. */
static uint64_t feature_entry(const struct spemu_perf_file *file, unsigned n)
{
	unsigned before = 0;

	for (unsigned i = 0; i < n / 64; i++)
		before += popcount(file->features[i]);
	before += popcount(file->features[n / 64] & (BIT64(n % 64) - 1));
	return file->data_end + (uint64_t)before * PERF_SECTION_SIZE;
}

/* Find the section of feature n. Return false unless the section and its entry are in the file. */
static bool find_feature(const struct spemu_perf_file *file, uint64_t *offset, uint64_t *size,
                         unsigned n)
{
	uint64_t entry = feature_entry(file, n);

	return perf_in_file(file, entry, PERF_SECTION_SIZE) &&
	       check_section(file, entry, offset, size) == SPEMU_OK;
}

/*
 * Check the features. They come last, so an incomplete copy may not have them. perf writes the size
 * of the data when it ends; until then the size is 0. So the file of a killed perf has no features,
 * and its events extend to the end.
 */
static void check_features(struct spemu_perf_file *file)
{
	uint64_t offset, size;

	for (unsigned n = 0; n < SPEMU_PERF_FEAT_MAX; n++) {
		if (bit_is_set(file->features[n / 64], n % 64) &&
		    !find_feature(file, &offset, &size, n))
			file->cut = true;
	}
	if (file->cut && file->data_end == file->data_at)
		file->data_end = file->size;
}

int spemu__perf_feature(const struct spemu_perf_file *file, const uint8_t **data, uint64_t *size,
                        unsigned n)
{
	uint64_t offset, found;

	*data = NULL;
	*size = 0;
	if (n >= SPEMU_PERF_FEAT_MAX || !bit_is_set(file->features[n / 64], n % 64) ||
	    !find_feature(file, &offset, &found, n))
		return SPEMU_ERR_END;
	*data = file->base + offset;
	*size = found;
	return SPEMU_OK;
}

static uint64_t attr_word(const struct spemu_perf_file *file, uint32_t i, uint64_t at)
{
	return le_load64(file->base + file->attrs_at + i * file->attr_entry + at);
}

static int check_attrs(struct spemu_perf_file *file, uint64_t *where)
{
	for (uint32_t i = 0; i < file->n_attrs; i++) {
		uint64_t offset, size, ids;

		*where = file->attrs_at + (i + 1) * file->attr_entry - PERF_SECTION_SIZE;
		if (check_section(file, *where, &offset, &size) != SPEMU_OK)
			return SPEMU_ERR_TRUNCATED;
		ids = size / 8;
		if (size % 8 || ids != (uint32_t)ids)
			return SPEMU_ERR_CORRUPT;
		/* Sections may overlap, but the sum of their sizes must not exceed the size of the
		 * file. */
		if (ids > file->size / 8 - file->n_ids)
			return SPEMU_ERR_CORRUPT;
		file->n_ids += (size_t)ids;
	}
	if (file->n_attrs) {
		file->default_type = attr_word(file, 0, PERF_ATTR_SAMPLE_TYPE_AT);
		file->has_trailer =
		        bit_is_set(attr_word(file, 0, PERF_ATTR_FLAGS_AT), PERF_ATTR_SAMPLE_ID_ALL);
	}
	return SPEMU_OK;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = ((const struct perf_id *)a)->id, y = ((const struct perf_id *)b)->id;

	return x < y ? -1 : x > y;
}

/* Index the ids if the attrs differ. The id of an event then selects the sample_type, which
 * determines the members. The id is last in a trailer and first in a sample. */
static int index_ids(struct spemu_perf_file *file)
{
	bool differ = false, identified = file->n_attrs > 0;
	size_t n = 0;

	for (uint32_t i = 0; i < file->n_attrs; i++) {
		uint64_t type = attr_word(file, i, PERF_ATTR_SAMPLE_TYPE_AT);

		differ = differ || type != file->default_type;
		identified = identified && (type & SPEMU_PERF_SAMPLE_IDENTIFIER);
	}
	if (!differ || !identified || !file->n_ids) {
		file->n_ids = 0;
		return SPEMU_OK;
	}
	file->ids = calloc(file->n_ids, sizeof(*file->ids));
	if (!file->ids)
		return SPEMU_ERR_IO;
	for (uint32_t i = 0; i < file->n_attrs; i++) {
		uint64_t type = attr_word(file, i, PERF_ATTR_SAMPLE_TYPE_AT);
		uint64_t section = file->attr_entry - PERF_SECTION_SIZE;
		const uint8_t *ids = file->base + attr_word(file, i, section);
		uint64_t n_ids = attr_word(file, i, section + 8) / 8;

		for (uint64_t k = 0; k < n_ids; k++)
			file->ids[n++] = (struct perf_id){le_load64(ids + 8 * k), type};
	}
	qsort(file->ids, n, sizeof(*file->ids), compare_ids);
	return SPEMU_OK;
}

static int open_checked(struct spemu_perf_file *file, uint64_t *where)
{
	int status = check_header(file, where);

	if (status == SPEMU_OK)
		status = check_attrs(file, where);
	if (status != SPEMU_OK)
		return status;
	check_features(file);
	return index_ids(file);
}

int spemu_perf_open_memory(struct spemu_perf_file **file, uint64_t *where, const void *data,
                           size_t size)
{
	struct spemu_perf_file *f;
	uint64_t at = 0;
	int status;

	if (file)
		*file = NULL;
	if (where)
		*where = 0;
	if (!file || (!data && size))
		return SPEMU_ERR_INVALID;
	*file = f = calloc(1, sizeof(*f));
	if (!f)
		return SPEMU_ERR_IO;
	f->base = data;
	f->size = size;
	status = open_checked(f, &at);
	if (status != SPEMU_OK) {
		spemu_perf_close(f);
		*file = NULL;
	}
	if (where)
		*where = status == SPEMU_OK ? 0 : at;
	return status;
}

int spemu_perf_open(struct spemu_perf_file **file, uint64_t *where, const char *path)
{
	struct stat st;
	void *p = NULL;
	int fd, status;

	if (file)
		*file = NULL;
	if (where)
		*where = 0;
	if (!file || !path)
		return SPEMU_ERR_INVALID;
	/* O_NONBLOCK keeps a FIFO from blocking open(); the check below refuses it. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return SPEMU_ERR_IO;
	if (fstat(fd, &st) != 0) {
		status = SPEMU_ERR_IO;
	} else if (!S_ISREG(st.st_mode)) {
		status = SPEMU_ERR_NOT_SUPPORTED;
	} else if (st.st_size == 0) {
		status = SPEMU_ERR_INVALID;
	} else if ((uint64_t)st.st_size > SIZE_MAX) {
		status = SPEMU_ERR_IO; /* too large for an address space of 32 bits */
		errno = EFBIG;
	} else {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		status = p == MAP_FAILED ? SPEMU_ERR_IO : SPEMU_OK;
	}
	if (status == SPEMU_OK) {
		status = spemu_perf_open_memory(file, where, p, (size_t)st.st_size);
		if (status == SPEMU_OK)
			(*file)->mapped = true;
		else
			munmap(p, (size_t)st.st_size);
	}
	close(fd);
	return status;
}

void spemu_perf_close(struct spemu_perf_file *file)
{
	if (!file)
		return;
	if (file->mapped)
		munmap((void *)(uintptr_t)file->base, (size_t)file->size);
	free(file->ids);
	free(file);
}

static int read_event(struct spemu_perf_file *file, struct spemu_perf_event *event,
                      struct spemu_perf_cursor *cursor)
{
	uint64_t at = cursor->offset ? cursor->offset : file->data_at, left, size;
	int status;

	if (at < file->data_at || at > file->data_end)
		return SPEMU_ERR_INVALID;
	cursor->offset = at;
	left = file->data_end - at;
	if (!left)
		return file->cut ? SPEMU_ERR_TRUNCATED : SPEMU_ERR_END;
	if (left < PERF_EVENT_HEADER_SIZE)
		return SPEMU_ERR_TRUNCATED;
	memset(event, 0, sizeof(*event));
	event->file_offset = at;
	event->type = le_load32(file->base + at);
	event->misc = le_load16(file->base + at + 4);
	event->size = le_load16(file->base + at + 6);
	if (event->size < PERF_EVENT_HEADER_SIZE)
		return SPEMU_ERR_CORRUPT;
	if (event->size > left)
		return SPEMU_ERR_TRUNCATED;
	event->body = file->base + at + PERF_EVENT_HEADER_SIZE;
	status = spemu__perf_view_decode(file, event);
	if (status != SPEMU_OK)
		return status;
	size = event->size;
	if (event->type == SPEMU_PERF_AUXTRACE) {
		if (event->u.auxtrace.size > left - size)
			return SPEMU_ERR_TRUNCATED;
		event->u.auxtrace.data = file->base + at + size;
		size += event->u.auxtrace.size;
	}
	cursor->offset = at + size;
	return SPEMU_OK;
}

int spemu_perf_next(struct spemu_perf_file *file, struct spemu_perf_event *event,
                    struct spemu_perf_cursor *cursor)
{
	int status = read_event(file, event, cursor);

	if (status != SPEMU_OK)
		memset(event, 0, sizeof(*event));
	return status;
}
