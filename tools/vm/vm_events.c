/* SPDX-License-Identifier: MIT */
/* The plugin's output: one JSON object per line, with a report, a line of the trace, or totals. */
#define _GNU_SOURCE
#include "vm.h"
#include "../base/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct vm_listener {
	struct vm_totals *totals;
	struct vm_sinks *sinks;
	int fd; /* -1 after the end */
	char *buffer;
	size_t size, used;
};

/* Read an address or a register value, which is text in hexadecimal. Return false if there is
 * none. */
static bool hexadecimal_of(uint64_t *value, json_object *line, const char *key)
{
	const char *text = json_member_text(line, key);

	*value = strtoull(text, NULL, 16);
	return *text;
}

static void on_diagnostic(struct vm_listener *l, json_object *line)
{
	struct report_place place = {.vcpu = (int)json_member_number(line, "vcpu")};
	struct spemu_diagnostic d = {.name = json_member_text(line, "name"),
	                             .rule = json_member_text(line, "rule"),
	                             .cause = json_member_text(line, "cause"),
	                             .remedy = json_member_text(line, "remedy")};
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
	strict_report_add(l->sinks->report, &l->sinks->text.out, false, false, &place, &d);
	out_flush(&l->sinks->text.out);
}

static void on_summary(struct vm_totals *t, json_object *line)
{
	t->samples += json_member_number(line, "samples");
	t->recorded += json_member_number(line, "recorded");
	t->filtered += json_member_number(line, "filtered");
	t->collisions += json_member_number(line, "collisions");
	t->lost += json_member_number(line, "lost");
	t->discarded += json_member_number(line, "discarded");
	t->interrupts += json_member_number(line, "interrupts");
	t->injected += json_member_number(line, "injected");
	t->previous_missing += json_member_number(line, "previous_missing");
}

/* Return the symbol of the line's PC with its offset, or NULL. The caller frees it. */
static char *place_of(const struct vm_listener *l, json_object *line)
{
	uint64_t pc, offset = 0;
	const char *symbol = NULL;

	if (hexadecimal_of(&pc, line, "pc"))
		symbol = images_symbol(l->sinks->images, &offset, pc);
	return symbol ? xasprintf("%s+0x%llx", symbol, (unsigned long long)offset) : NULL;
}

static void write_trace(struct vm_listener *l, json_object *line, const char *type,
                        const char *text, size_t size)
{
	char *place = text[size - 1] == '}' ? place_of(l, line) : NULL;

	vm_trace_line(l->sinks->trace, line, text, size, place, !strcmp(type, "summary"));
	free(place);
}

static void on_line(struct vm_listener *l, const char *text, size_t size)
{
	json_object *line = json_tokener_parse(text);
	const char *type = json_member_text(line, "type");

	if (!*type) {
		warn("unknown message from the plugin: %s", text);
	} else if (!strcmp(type, "diagnostic")) {
		on_diagnostic(l, line);
	} else if (!strcmp(type, "warning")) {
		warn("%s", json_member_text(line, "text"));
	} else if (!strcmp(type, "summary")) {
		on_summary(l->totals, line);
	} else if (!strcmp(type, "ready")) {
		l->totals->ready = true;
		l->totals->vcpus = (unsigned)json_member_number(line, "vcpus");
	} else if (!strcmp(type, "error")) {
		free(l->totals->error);
		l->totals->error = xstrdup(json_member_text(line, "text"));
	}
	if (*type && l->sinks->trace)
		write_trace(l, line, type, text, size);
	json_object_put(line);
}

/* Handle every complete line in the buffer, and move the rest to the front. */
static size_t take_lines(struct vm_listener *l, char *buffer, size_t used)
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
	if (l->sinks->trace)
		vm_trace_flush(l->sinks->trace);
	return used;
}

struct vm_listener *vm_listener_new(struct vm_totals *totals, int fd, struct vm_sinks *sinks)
{
	struct vm_listener *l = xcalloc(1, sizeof(*l));

	*totals = (struct vm_totals){0};
	l->totals = totals;
	l->sinks = sinks;
	l->fd = fd;
	l->size = 1 << 16;
	l->buffer = xcalloc(1, l->size);
	return l;
}

int vm_listener_fd(const struct vm_listener *l)
{
	return l->fd;
}

bool vm_listener_read(struct vm_listener *l)
{
	ssize_t n = read(l->fd, l->buffer + l->used, l->size - l->used);

	if (n < 0 && errno != EINTR)
		die(EXIT_OWN, "cannot read the plugin's reports: %s", strerror(errno));
	if (n == 0) {
		close(l->fd);
		l->fd = -1;
	}
	l->used = n < 0 ? l->used : take_lines(l, l->buffer, l->used + (size_t)n);
	if (l->used == l->size) {
		l->size *= 2;
		l->buffer = xreallocarray(l->buffer, l->size, 1);
	}
	return n != 0;
}

void vm_listener_free(struct vm_listener *l)
{
	free(l->buffer);
	free(l);
}
