/* SPDX-License-Identifier: MIT */
/* The trace of spemu vm: lines of JSON, or events for Perfetto, up to the user's limit of bytes. */
#define _GNU_SOURCE
#include "../base/json.h"
#include "../base/trace_writer.h"
#include "vm_perfetto.h"

#include <stdlib.h>
#include <string.h>

/* The bytes that are reserved for the end of a trace with a limit: 8 summaries of less than 450
 * bytes each, and the line about the limit. */
#define TRACE_END 4096
#define LIMIT_LINE 80
/* The bytes that are reserved for the end of a trace for Perfetto: summaries of less than 560 bytes
 * each, the ends of 8 slices, and the end of the file. */
#define PERFETTO_END 8192
#define PERFETTO_LIMIT 1024

/* A sink that only counts the bytes. */
struct size_out {
	struct out out; /* first member, so that the filter can find the struct */
	uint64_t size;
};

struct vm_trace {
	struct vm_file file;
	struct size_out line; /* counter of a line's size */
	uint64_t room;        /* bytes that may still be written to the file */
	bool is_perfetto;
	struct trace_writer writer;       /* writer of a trace for Perfetto */
	struct vm_perfetto seen, written; /* state after all lines, and after the written lines */
};

static size_t add_size(struct out *o, const char *text, size_t len)
{
	(void)text;
	((struct size_out *)o)->size += len;
	return len;
}

struct vm_trace *vm_trace_open(const char *path, uint64_t limit, bool perfetto)
{
	struct vm_trace *t;

	if (!path)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	vm_file_open(&t->file, "trace", "--trace", path);
	t->line.out.filter = add_size;
	t->room = limit ? limit : UINT64_MAX;
	t->is_perfetto = perfetto;
	if (perfetto)
		trace_begin(&t->writer, &t->file.out);
	return t;
}

static void put_line(struct out *o, const char *text, size_t size, const char *place)
{
	out_bytes(o, text, place ? size - 1 : size);
	if (place) {
		out_text(o, ",\"symbol\":");
		out_json_string(o, place);
		out_text(o, "}");
	}
	out_text(o, "\n");
}

/* Return true if there is room for a line. After the first line that does not fit, only the lines
 * that end the trace are written. */
static bool has_room(struct vm_trace *t, uint64_t size, bool end)
{
	uint64_t kept = t->is_perfetto ? (end ? PERFETTO_LIMIT : PERFETTO_END)
	                               : (end ? LIMIT_LINE : TRACE_END);

	if ((end || !t->file.loss.lines) && kept <= t->room && size <= t->room - kept) {
		t->room -= size;
		return true;
	}
	if (!t->file.loss.lines++)
		warn("the trace has reached its limit, and the rest is omitted; use a larger "
		     "--trace-limit");
	t->file.loss.bytes += size;
	return false;
}

static void add_event(struct vm_trace *t, struct json_object *line, const char *place, bool end)
{
	char *text = trace_text(vm_perfetto_event(&t->seen, line, place));

	if (!text)
		return;
	if (has_room(t, strlen(text) + 2, end)) {
		trace_put_text(&t->writer, text);
		if (end) /* Lines that the limit omitted may have opened slices. */
			memcpy(t->written.time, t->seen.time, sizeof(t->written.time));
		else
			t->written = t->seen;
	}
	free(text);
}

void vm_trace_line(struct vm_trace *t, struct json_object *line, const char *text, size_t size,
                   const char *place, bool end)
{
	if (t->is_perfetto) {
		add_event(t, line, place, end);
		return;
	}
	t->line.size = 0;
	put_line(&t->line.out, text, size, place);
	out_flush(&t->line.out);
	if (has_room(t, t->line.size, end))
		put_line(&t->file.out, text, size, place);
}

/* Write a note about the events that the limit omitted. */
static void put_limit(struct vm_trace *t)
{
	struct vm_loss told = t->file.loss;
	json_object *line = json_object_new_object();

	json_add_text(line, "type", "limit");
	json_add_number(line, "lines", told.lines);
	json_add_number(line, "bytes", told.bytes);
	if (t->is_perfetto)
		trace_put(&t->writer, vm_perfetto_event(&t->written, line, NULL));
	else
		out_fmt(&t->file.out, "%s\n",
		        json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
	json_object_put(line);
}

void vm_trace_flush(struct vm_trace *t)
{
	out_flush(&t->file.out);
}

void vm_trace_close(struct vm_loss *loss, struct vm_trace *t)
{
	*loss = (struct vm_loss){0};
	if (!t)
		return;
	out_flush(&t->file.out);
	if (t->file.loss.lines && !t->file.loss.error)
		put_limit(t);
	if (t->is_perfetto) {
		trace_put(&t->writer, vm_perfetto_end(&t->written));
		trace_end(&t->writer);
	}
	vm_file_close(&t->file);
	*loss = t->file.loss;
	free(t);
}
