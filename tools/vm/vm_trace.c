/* SPDX-License-Identifier: MIT */
/*
 * The trace of spemu vm: lines of JSON, at most as many bytes as the user allows. What cannot be written is
 * counted, and does not end the machine that is traced.
 */
#define _GNU_SOURCE
#include "../base/json.h"
#include "vm.h"

#include <stdlib.h>

/* Bytes kept for the end of a trace with a limit: 8 summaries of less than 400, and the line of the limit. */
#define TRACE_END 4096
#define LIMIT_LINE 80

/* Keeps nothing of what is written but its size. */
struct size_out {
	struct out out; /* the first member: its filter is given it */
	uint64_t size;
};

struct vm_trace {
	struct vm_file file;
	struct size_out line; /* for the size of a line */
	uint64_t room;        /* bytes that the file may still have */
};

static size_t add_size(struct out *o, const char *text, size_t len)
{
	(void)text;
	((struct size_out *)o)->size += len;
	return len;
}

struct vm_trace *vm_trace_open(const char *path, uint64_t limit)
{
	struct vm_trace *t;

	if (!path)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	vm_file_open(&t->file, "trace", "--trace", path);
	t->line.out.filter = add_size;
	t->room = limit ? limit : UINT64_MAX;
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

/* From the first line on that does not fit, none does but those that end the trace. */
static bool has_room(struct vm_trace *t, uint64_t size, bool end)
{
	uint64_t kept = end ? LIMIT_LINE : TRACE_END;

	if ((end || !t->file.loss.lines) && kept <= t->room && size <= t->room - kept) {
		t->room -= size;
		return true;
	}
	if (!t->file.loss.lines++)
		warn("the trace has reached its limit, and what follows is left out; use a larger "
		     "--trace-limit");
	t->file.loss.bytes += size;
	return false;
}

void vm_trace_line(struct vm_trace *t, const char *text, size_t size, const char *place, bool end)
{
	t->line.size = 0;
	put_line(&t->line.out, text, size, place);
	out_flush(&t->line.out);
	if (has_room(t, t->line.size, end))
		put_line(&t->file.out, text, size, place);
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
	if (t->file.loss.lines && !t->file.loss.error) {
		struct vm_loss told = t->file.loss;

		out_fmt(&t->file.out, "{\"type\":\"limit\",\"lines\":%llu,\"bytes\":%llu}\n",
		        (unsigned long long)told.lines, (unsigned long long)told.bytes);
		out_flush(&t->file.out);
	}
	vm_file_close(&t->file);
	*loss = t->file.loss;
	free(t);
}
