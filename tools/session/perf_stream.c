/* SPDX-License-Identifier: MIT */
/*
 * Rewrite perf's streams and compressed files as plain files. The format is described in
 * tools/perf/Documentation/perf.data-file-format.txt of Linux 6.1; COMPRESSED2 is from
 * tools/lib/perf/include/perf/event.h of Linux 6.16.
 *
 * A stream has no sections: attrs and features are events. The plain file has its attrs and
 * features after the data. The COMPRESSED events of a file together are one zstd stream, so an
 * event may begin in one of them and end in the next.
 */
#define _GNU_SOURCE
#include "perf_stream.h"
#include "../base/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	HEADER_SIZE = 104,
	PIPE_HEADER_SIZE = 16,
	FEATURES = 256,
	FEATURE_BUILD_ID = 2,
	FEATURE_AUXTRACE = 18, /* index of offsets, which the rewritten file invalidates */
	FEATURE_COMPRESSED = 27,
	SECTION_MAX = 64 << 20,  /* limit of the bytes of a feature, or of all attrs */
	EXPANDED_MAX = 64 << 20, /* limit of one expanded COMPRESSED event, a ring buffer in perf */
	/*
	 * COMPRESSED events may contain this many events, and one more for each byte: a reader
	 * keeps data for each event, however well it is compressed. Real events differ at least in
	 * their time, for which zstd needs 4.5 bytes.
	 */
	EVENTS_FREE = 8192,
	EVENT_MAX = 65536,
};

enum {
	EVENT_HEADER_ATTR = 64,
	EVENT_TRACING_DATA = 66,
	EVENT_BUILD_ID = 67,
	EVENT_AUXTRACE = 71,
	EVENT_HEADER_FEATURE = 80,
	EVENT_COMPRESSED = 81,
	EVENT_COMPRESSED2 = 83,
};

struct bytes {
	uint8_t *data;
	size_t size, capacity;
};

struct rewrite {
	FILE *in, *out;
	bool pipe;
	uint64_t unnamed; /* bytes of a plain file that no section has claimed so far */
	uint64_t left;    /* bytes of a plain file's data that are still to be read */
	bool cut;         /* true if the plain file ends before its features */
	bool ends_inside; /* true if the input ends inside a trace, which the reader will notice */
	uint64_t data_size;
	uint8_t header[HEADER_SIZE];
	uint64_t attr_size;      /* size of an attr, without the section of its ids */
	struct bytes attrs, ids; /* all attrs, and the ids of all attrs */
	struct bytes id_sizes;   /* size of the ids of each attr, as a 64-bit number */
	struct bytes features[FEATURES];
	bool has_feature[FEATURES];
	ZSTD_DStream *zstd;
	uint64_t may_hold;    /* number of events that COMPRESSED events may still contain */
	struct bytes pending; /* expanded bytes that are not yet a whole event */
};

static uint64_t number(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | p[size];
	return v;
}

static void put_number(uint8_t *p, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++, v >>= 8)
		p[i] = (uint8_t)v;
}

static bool append(struct bytes *b, const void *data, size_t size)
{
	if (size > SECTION_MAX - b->size)
		return false;
	if (b->size + size > b->capacity) {
		b->capacity = 2 * (b->size + size);
		b->data = xreallocarray(b->data, b->capacity, 1);
	}
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
	return true;
}

void stream_fail(void)
{
	die(EXIT_OWN, "cannot write a temporary file: %s; set TMPDIR to another folder",
	    strerror(errno));
}

void stream_write(FILE *out, const void *data, size_t size)
{
	if (size && fwrite(data, 1, size, out) != size)
		stream_fail();
}

static void write_data(struct rewrite *w, const void *data, size_t size)
{
	stream_write(w->out, data, size);
	w->data_size += size;
}

/* Read up to size bytes of the data. */
static size_t read_data(struct rewrite *w, void *data, size_t size)
{
	size_t n;

	if (!w->pipe && size > w->left)
		size = (size_t)w->left;
	n = fread(data, 1, size, w->in);
	w->left -= n;
	return n;
}

/* Skip or copy the bytes after an event that belong to it. */
static bool pass_on(struct rewrite *w, uint64_t size, bool keep)
{
	static uint8_t buf[65536];

	while (size) {
		size_t n = read_data(w, buf, size < sizeof(buf) ? (size_t)size : sizeof(buf));

		if (!n) {
			w->ends_inside = keep;
			return false;
		}
		if (keep)
			write_data(w, buf, n);
		size -= n;
	}
	return true;
}

/* Write the whole events among the expanded bytes. */
static bool write_whole(struct rewrite *w)
{
	size_t at = 0;

	while (w->pending.size - at >= 8) {
		size_t size = (size_t)number(w->pending.data + at + 6, 2);

		if (size < 8)
			return false;
		if (size > w->pending.size - at)
			break;
		if (!w->may_hold--)
			return false;
		at += size;
	}
	write_data(w, w->pending.data, at);
	memmove(w->pending.data, w->pending.data + at, w->pending.size - at);
	w->pending.size -= at;
	return true;
}

static bool expand(struct rewrite *w, const uint8_t *data, size_t size)
{
	static uint8_t buf[65536];
	ZSTD_inBuffer in = {data, size, 0};
	size_t all = 0;

	if (!w->zstd) {
		w->zstd = ZSTD_createDStream();
		w->may_hold = EVENTS_FREE;
	}
	if (!w->zstd)
		die(EXIT_OWN, "out of memory");
	w->may_hold += size;
	for (;;) {
		ZSTD_outBuffer out = {buf, sizeof(buf), 0};

		if (ZSTD_isError(ZSTD_decompressStream(w->zstd, &out, &in)))
			return false;
		all += out.pos;
		if (all > EXPANDED_MAX || !append(&w->pending, buf, out.pos) || !write_whole(w))
			return false;
		if (in.pos == in.size && out.pos < out.size)
			return true;
	}
}

/* Take an attr and its ids. */
static bool take_attr(struct rewrite *w, const uint8_t *body, size_t size)
{
	uint64_t attr_size = size >= 64 ? number(body + 4, 4) : 0, ids;
	uint8_t ids_size[8];

	attr_size = attr_size ? attr_size : 64;
	if (attr_size > size || (w->attr_size && attr_size != w->attr_size))
		return false;
	w->attr_size = attr_size;
	ids = (size - attr_size) & ~UINT64_C(7);
	put_number(ids_size, ids, 8);
	return append(&w->attrs, body, (size_t)attr_size) &&
	       append(&w->ids, body + attr_size, (size_t)ids) && append(&w->id_sizes, ids_size, 8);
}

static bool take_feature(struct rewrite *w, const uint8_t *body, size_t size)
{
	uint64_t n = size >= 8 ? number(body, 8) : FEATURES;

	if (n >= FEATURES)
		return n != FEATURES; /* ignore a feature of a later perf */
	w->features[n].size = 0;
	w->has_feature[n] = true;
	return append(&w->features[n], body + 8, size - 8);
}

/* Take an event of size bytes. Return false if reading cannot continue. */
static bool take_event(struct rewrite *w, const uint8_t *event, size_t size)
{
	const uint8_t *body = event + 8;
	size_t left = size - 8;

	switch (number(event, 4)) {
	case EVENT_HEADER_ATTR:
		return take_attr(w, body, left);
	case EVENT_HEADER_FEATURE:
		return take_feature(w, body, left);
	case EVENT_BUILD_ID:
		w->has_feature[FEATURE_BUILD_ID] = true;
		return append(&w->features[FEATURE_BUILD_ID], event, size);
	case EVENT_TRACING_DATA:
		return left >= 4 && pass_on(w, (number(body, 4) + 7) & ~UINT64_C(7), false);
	case EVENT_COMPRESSED:
		return expand(w, body, left);
	case EVENT_COMPRESSED2:
		return left >= 8 && number(body, 8) <= left - 8 &&
		       expand(w, body + 8, (size_t)number(body, 8));
	case EVENT_AUXTRACE:
		write_data(w, event, size);
		return left >= 8 && pass_on(w, number(body, 8), true);
	default:
		write_data(w, event, size);
		return true;
	}
}

/* Write an event that ends early, so that the reader reports damage. */
static void write_damage(struct rewrite *w)
{
	static const uint8_t bad[8];

	write_data(w, bad, sizeof(bad));
}

static void rewrite_events(struct rewrite *w)
{
	static uint8_t event[EVENT_MAX];
	size_t n, size;

	for (;;) {
		n = read_data(w, event, 8);
		if (!n)
			break;
		size = n == 8 ? (size_t)number(event + 6, 2) : 0;
		if (size < 8 || read_data(w, event + 8, size - 8) != size - 8 ||
		    !take_event(w, event, size)) {
			if (!w->ends_inside)
				write_damage(w);
			return;
		}
	}
	if (w->pending.size)
		write_damage(w);
	else if (w->cut || (!w->pipe && w->left))
		write_data(w, "", 1); /* the reader reports an event that ends early */
}

/*
 * Read a section of size bytes at an offset of the input. Return false if the input ends early.
 * Sections that do not overlap have at most the bytes of the file, so memory is bounded by the
 * file's size. Die if sections overlap.
 */
static bool read_section(struct rewrite *w, struct bytes *to, uint64_t offset, uint64_t size)
{
	uint8_t buf[4096];

	to->size = 0;
	if (offset > INT64_MAX || fseeko(w->in, (off_t)offset, SEEK_SET))
		return false;
	while (size) {
		size_t n;

		if (!w->unnamed)
			die(EXIT_DAMAGED, "the recording is damaged: its sections overlap; record "
			                  "again");
		n = fread(buf, 1, size < sizeof(buf) ? (size_t)size : sizeof(buf), w->in);

		if (n > w->unnamed)
			n = (size_t)w->unnamed;
		if (!n || !append(to, buf, n))
			return false;
		w->unnamed -= n;
		size -= n;
	}
	return true;
}

/* Read the attrs and features of a plain file. */
static bool read_plain(struct rewrite *w)
{
	uint64_t entry = number(w->header + 16, 8), offset = number(w->header + 24, 8),
	         size = number(w->header + 32, 8),
	         data_end = number(w->header + 40, 8) + number(w->header + 48, 8);
	struct bytes all = {0}, ids = {0}, section = {0};
	uint64_t place = 0;
	bool good = entry >= 80 && entry <= EVENT_MAX && read_section(w, &all, offset, size);

	for (uint64_t at = 0; good && size - at >= entry; at += entry) {
		const uint8_t *where = all.data + at + entry - 16;

		good = read_section(w, &ids, number(where, 8), number(where + 8, 8)) &&
		       append(&w->attrs, all.data + at, (size_t)entry - 16) &&
		       append(&w->ids, ids.data, ids.size) && append(&w->id_sizes, where + 8, 8);
	}
	w->attr_size = entry - 16;
	for (unsigned n = 0; good && n < FEATURES; n++) {
		if (!(w->header[72 + n / 8] >> n % 8 & 1))
			continue;
		w->has_feature[n] = read_section(w, &section, data_end + 16 * place++, 16) &&
		                    read_section(w, &w->features[n], number(section.data, 8),
		                                 number(section.data + 8, 8));
		w->cut = w->cut || !w->has_feature[n];
	}
	free(all.data);
	free(ids.data);
	free(section.data);
	return good;
}

/* Write the table of features and then the features. Return the size of both. */
static uint64_t write_features(struct rewrite *w, uint64_t at)
{
	uint64_t count = 0, offset;
	uint8_t entry[16];

	w->has_feature[FEATURE_AUXTRACE] = w->has_feature[FEATURE_COMPRESSED] = false;
	memset(w->header + 72, 0, 32);
	for (unsigned n = 0; n < FEATURES; n++)
		count += w->has_feature[n];
	offset = at + 16 * count;
	for (unsigned n = 0; n < FEATURES; n++) {
		if (!w->has_feature[n])
			continue;
		w->header[72 + n / 8] |= (uint8_t)(1 << n % 8);
		put_number(entry, offset, 8);
		put_number(entry + 8, w->features[n].size, 8);
		stream_write(w->out, entry, sizeof(entry));
		offset += w->features[n].size;
	}
	for (unsigned n = 0; n < FEATURES; n++) {
		if (w->has_feature[n])
			stream_write(w->out, w->features[n].data, w->features[n].size);
	}
	return offset - at;
}

/* Write the attrs and then their ids, at an offset of the file. */
static void write_attrs(struct rewrite *w, uint64_t at)
{
	uint64_t count = w->id_sizes.size / 8, entry = w->attr_size + 16,
	         ids_at = at + count * entry;
	uint8_t section[16];

	for (uint64_t i = 0; i < count; i++) {
		put_number(section, ids_at, 8);
		memcpy(section + 8, w->id_sizes.data + 8 * i, 8);
		ids_at += number(section + 8, 8);
		stream_write(w->out, w->attrs.data + i * w->attr_size, (size_t)w->attr_size);
		stream_write(w->out, section, sizeof(section));
	}
	stream_write(w->out, w->ids.data, w->ids.size);
	put_number(w->header + 16, entry, 8);
	put_number(w->header + 24, at, 8);
	put_number(w->header + 32, count * entry, 8);
}

static void free_all(struct rewrite *w)
{
	for (unsigned n = 0; n < FEATURES; n++)
		free(w->features[n].data);
	free(w->attrs.data);
	free(w->ids.data);
	free(w->id_sizes.data);
	free(w->pending.data);
	ZSTD_freeDStream(w->zstd);
}

/* Return the size of a file that can seek, and rewind the file. */
static uint64_t file_size(FILE *in)
{
	off_t size = fseeko(in, 0, SEEK_END) ? 0 : ftello(in);

	rewind(in);
	return size > 0 ? (uint64_t)size : 0;
}

void stream_rewrite(FILE *out, FILE *in)
{
	static struct rewrite w;
	uint64_t tail;

	memset(&w, 0, sizeof(w));
	w.in = in;
	w.out = out;
	w.pipe = stream_is_pipe_mode(in);
	w.unnamed = w.pipe ? 0 : file_size(in);
	stream_write(out, w.header, HEADER_SIZE); /* reserve room for the header */
	if (fread(w.header, 1, w.pipe ? PIPE_HEADER_SIZE : HEADER_SIZE, in) < PIPE_HEADER_SIZE ||
	    (!w.pipe && !read_plain(&w))) {
		w.attr_size = 64;
	} else if (w.pipe || !fseeko(in, (off_t)number(w.header + 40, 8), SEEK_SET)) {
		w.left = w.pipe ? 0 : number(w.header + 48, 8);
		if (w.cut && !w.left)
			w.left = UINT64_MAX; /* perf was killed: read to the end of the file */
		rewrite_events(&w);
	}
	w.attr_size = w.attr_size ? w.attr_size : 64;
	tail = HEADER_SIZE + w.data_size;
	tail += write_features(&w, tail);
	write_attrs(&w, tail);
	put_number(w.header + 8, HEADER_SIZE, 8);
	put_number(w.header + 40, HEADER_SIZE, 8);
	put_number(w.header + 48, w.data_size, 8);
	memset(w.header + 56, 0, 16);
	if (fseeko(out, 0, SEEK_SET))
		stream_fail();
	stream_write(out, w.header, HEADER_SIZE);
	free_all(&w);
}

/* Read the first bytes without consuming them. */
static size_t peek(FILE *in, uint8_t *to, size_t size)
{
	size_t n = fread(to, 1, size, in);

	for (size_t i = n; i > 0; i--) {
		if (ungetc(to[i - 1], in) == EOF)
			die(EXIT_OWN, "cannot read the input twice");
	}
	return n;
}

bool stream_is_pipe_mode(FILE *in)
{
	uint8_t head[PIPE_HEADER_SIZE];

	return peek(in, head, sizeof(head)) == sizeof(head) && !memcmp(head, "PERFILE2", 8) &&
	       number(head + 8, 8) == PIPE_HEADER_SIZE;
}

bool stream_is_compressed(FILE *in)
{
	uint8_t head[HEADER_SIZE];
	size_t n;

	rewind(in);
	n = fread(head, 1, sizeof(head), in);
	rewind(in);
	return n == sizeof(head) && !memcmp(head, "PERFILE2", 8) &&
	       (head[72 + FEATURE_COMPRESSED / 8] >> FEATURE_COMPRESSED % 8 & 1);
}
