/* SPDX-License-Identifier: MIT */
/* What the plugin reports, a JSON object a line: reports, the trace, and the totals. */
#define _GNU_SOURCE
#include "../session/symbols.h"
#include "vm.h"
#include "../base/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes kept for the end of a trace with a limit: 8 summaries of less than 400, and the line of the limit. */
#define TRACE_END 4096
#define LIMIT_LINE 80

/* Keeps nothing of what is written but its size. */
struct size_out {
	struct out out; /* the first member: its filter is given it */
	uint64_t size;
};

struct listener {
	struct vm_totals *totals;
	struct strict_report *report;
	struct out report_out;
	struct out *trace;    /* or NULL */
	struct size_out line; /* of it */
	uint64_t room;        /* bytes that it may still have */
	struct object *kernel;
};

static const char *text_of(json_object *line, const char *key)
{
	json_object *member;

	return json_object_object_get_ex(line, key, &member) &&
	                       json_object_is_type(member, json_type_string)
	               ? json_object_get_string(member)
	               : NULL;
}

static uint64_t number_of(json_object *line, const char *key)
{
	json_object *member;

	return json_object_object_get_ex(line, key, &member) ? json_object_get_uint64(member) : 0;
}

/* Addresses and register values are text in hexadecimal. */
static bool hexadecimal_of(uint64_t *value, json_object *line, const char *key)
{
	const char *text = text_of(line, key);

	if (text)
		*value = strtoull(text, NULL, 16);
	return text != NULL;
}

static const char *known(const char *text)
{
	return text ? text : "";
}

static void on_diagnostic(struct listener *l, json_object *line)
{
	struct report_place place = {.vcpu = (int)number_of(line, "vcpu")};
	struct spemu_diagnostic d = {.name = known(text_of(line, "name")),
	                             .rule = known(text_of(line, "rule")),
	                             .cause = known(text_of(line, "cause")),
	                             .cure = known(text_of(line, "cure"))};
	json_object *values;

	d.has_pc = hexadecimal_of(&d.pc, line, "pc");
	if (json_object_object_get_ex(line, "values", &values) &&
	    json_object_is_type(values, json_type_object)) {
		json_object_object_foreach(values, key, value)
		{
			if (d.values == sizeof(d.value) / sizeof(d.value[0]))
				break;
			d.value[d.values].name = key;
			d.value[d.values++].value =
			        strtoull(json_object_get_string(value), NULL, 16);
		}
	}
	strict_report_add(l->report, &l->report_out, false, false, &place, &d);
	out_flush(&l->report_out);
}

static void on_summary(struct vm_totals *t, json_object *line)
{
	t->samples += number_of(line, "samples");
	t->recorded += number_of(line, "recorded");
	t->filtered += number_of(line, "filtered");
	t->collisions += number_of(line, "collisions");
	t->lost += number_of(line, "lost");
	t->discarded += number_of(line, "discarded");
	t->interrupts += number_of(line, "interrupts");
}

static size_t add_size(struct out *o, const char *text, size_t len)
{
	(void)text;
	((struct size_out *)o)->size += len;
	return len;
}

/* The line as it came, with place, if not NULL, after its members. */
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

static uint64_t line_size(struct listener *l, const char *text, size_t size, const char *place)
{
	l->line.size = 0;
	put_line(&l->line.out, text, size, place);
	out_flush(&l->line.out);
	return l->line.size;
}

/* From the first line on that does not fit, none is written but those that end the trace. */
static bool has_room(struct listener *l, uint64_t size, bool end)
{
	struct vm_totals *t = l->totals;
	uint64_t kept = end ? LIMIT_LINE : TRACE_END;

	if ((end || !t->trace_lines) && kept <= l->room && size <= l->room - kept) {
		l->room -= size;
		return true;
	}
	if (!t->trace_lines++)
		warn("the trace has reached its limit, and what follows is left out; use a larger "
		     "--trace-limit");
	t->trace_bytes += size;
	return false;
}

/* The symbol of the line's PC with its offset, or NULL; to be freed. */
static char *place_of(const struct listener *l, json_object *line)
{
	uint64_t pc, start;
	const char *symbol = NULL;

	if (l->kernel && hexadecimal_of(&pc, line, "pc"))
		symbol = object_symbol(l->kernel, &start, pc, SYMBOL_CODE);
	return symbol ? xasprintf("%s+0x%llx", symbol, (unsigned long long)(pc - start)) : NULL;
}

static void write_trace(struct listener *l, json_object *line, const char *text, size_t size,
                        bool end)
{
	char *place = text[size - 1] == '}' ? place_of(l, line) : NULL;

	if (has_room(l, line_size(l, text, size, place), end))
		put_line(l->trace, text, size, place);
	free(place);
}

/* The last line of a trace that is not whole. */
static void end_trace(struct listener *l)
{
	if (l->totals->trace_lines)
		out_fmt(l->trace, "{\"type\":\"limit\",\"lines\":%llu,\"bytes\":%llu}\n",
		        (unsigned long long)l->totals->trace_lines,
		        (unsigned long long)l->totals->trace_bytes);
	out_flush(l->trace);
}

static void on_line(struct listener *l, const char *text, size_t size)
{
	json_object *line = json_tokener_parse(text);
	const char *type = line ? text_of(line, "type") : NULL;

	if (!type) {
		warn("the plugin said something that is not known: %s", text);
	} else if (!strcmp(type, "diagnostic")) {
		on_diagnostic(l, line);
	} else if (!strcmp(type, "summary")) {
		on_summary(l->totals, line);
	} else if (!strcmp(type, "ready")) {
		l->totals->ready = true;
		l->totals->vcpus = (unsigned)number_of(line, "vcpus");
	} else if (!strcmp(type, "error")) {
		free(l->totals->error);
		l->totals->error = xstrdup(known(text_of(line, "text")));
	}
	if (type && l->trace)
		write_trace(l, line, text, size, !strcmp(type, "summary"));
	json_object_put(line);
}

/* Every whole line of the buffer; what is after the last one moves to the front. */
static size_t take_lines(struct listener *l, char *buffer, size_t used)
{
	char *line = buffer, *end;

	while ((end = memchr(line, '\n', used))) {
		*end = 0;
		if (end > line)
			on_line(l, line, (size_t)(end - line));
		used -= (size_t)(end + 1 - line);
		line = end + 1;
	}
	memmove(buffer, line, used);
	if (l->trace)
		out_flush(l->trace);
	return used;
}

void vm_events(struct vm_totals *totals, int fd, struct strict_report *report,
               const struct vm_trace *trace)
{
	struct listener *l = xcalloc(1, sizeof(*l));
	size_t size = 1 << 16, used = 0;
	char *buffer = xcalloc(1, size);
	ssize_t n;

	*totals = (struct vm_totals){0};
	l->totals = totals;
	l->report = report;
	l->report_out.fd = STDERR_FILENO;
	l->line.out.filter = add_size;
	l->kernel = strict_report_elf(report);
	if (trace->fd >= 0) {
		l->trace = xcalloc(1, sizeof(*l->trace));
		l->trace->fd = trace->fd;
		l->room = trace->limit ? trace->limit : UINT64_MAX;
	}
	while ((n = read(fd, buffer + used, size - used)) != 0) {
		if (n < 0 && errno != EINTR)
			die(EXIT_OWN, "cannot read what the plugin reports: %s", strerror(errno));
		used = n < 0 ? used : take_lines(l, buffer, used + (size_t)n);
		if (used == size) {
			size *= 2;
			buffer = xrealloc(buffer, size, 1);
		}
	}
	if (l->trace)
		end_trace(l);
	free(l->trace);
	free(l);
	free(buffer);
}
