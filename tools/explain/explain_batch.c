/* SPDX-License-Identifier: MIT */
/*
 * spemu explain --batch: each line of input is a state, and each line of output is a JSON object
 * with the decisions. For sweeps over millions of states, names are hashed, feature texts are
 * cached, and the output is written without format strings.
 */
#define _GNU_SOURCE
#include "explain.h"
#include "../base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Standard input by lines, without stdio. The limit is far above the size of a state. */
enum { LINE_MOST = (1 << 20) - 1 };

struct lines {
	char data[LINE_MOST + 1]; /* one more for the end of the line */
	size_t begin, end;
	bool ended;
	bool too_long; /* the beginning of the returned line was dropped */
};

/* Read more of standard input after the unused part. Keep only the last byte of a line that is too
 * long. */
static void read_more(struct lines *in)
{
	size_t have = in->end - in->begin;
	ssize_t n;

	if (have == sizeof(in->data)) {
		in->too_long = true;
		have = 1;
		in->begin = in->end - 1;
	}
	memmove(in->data, in->data + in->begin, have);
	in->begin = 0;
	in->end = have;
	n = read(STDIN_FILENO, in->data + have, sizeof(in->data) - have);
	if (n < 0 && errno != EINTR)
		die(EXIT_USAGE, "cannot read standard input: %s", strerror(errno));
	in->ended = n == 0;
	in->end += n > 0 ? (size_t)n : 0;
}

/* Return the next line without a terminator, or NULL at the end. */
static char *next_line(struct lines *in, size_t *length)
{
	size_t scanned = 0;

	in->too_long = false;
	for (;;) {
		char *start = in->data + in->begin;
		size_t have = in->end - in->begin;
		char *newline =
		        have > scanned ? memchr(start + scanned, '\n', have - scanned) : NULL;

		if (newline || (in->ended && have)) {
			*length = newline ? (size_t)(newline - start) : have;
			in->begin += *length + (newline != NULL);
			if (*length && start[*length - 1] == '\r')
				--*length;
			return start;
		}
		if (in->ended)
			return NULL;
		scanned = have == sizeof(in->data) ? 0 : have;
		read_more(in);
	}
}

/* The last parsed features= text, and the resulting machine. */
struct remembered {
	char text[256];
	size_t length;
	struct spemu_machine *machine;
};

static bool assign(struct spemu_machine *m, struct remembered *last,
                   struct spemu_refusal_detail *detail, const char *word, size_t length)
{
	bool features = length > 9 && !strncasecmp(word, "features=", 9);

	if (features && length == last->length && !memcmp(word, last->text, length)) {
		spemu_machine_copy_features(m, last->machine);
		return true;
	}
	if (spemu_machine_set(m, detail, word, length) != SPEMU_OK)
		return false;
	if (features && length <= sizeof(last->text)) {
		memcpy(last->text, word, length);
		last->length = length;
		spemu_machine_copy(last->machine, m);
	}
	return true;
}

static void put_bool(struct out *o, const char *key, size_t key_length, bool value)
{
	out_bytes(o, key, key_length);
	if (value)
		out_bytes(o, "true", 4);
	else
		out_bytes(o, "false", 5);
}
#define PUT_BOOL(o, key, value) put_bool((o), (key), sizeof(key) - 1, (value))

static void put_decisions(struct out *o, const struct spemu_pe *pe)
{
	struct spemu_decisions d;

	spemu_explain_decide(pe, &d);
	PUT_BOOL(o, "{\"stopped\":", d.stopped);
	PUT_BOOL(o, ",\"buffer_enabled\":", d.buffer_enabled);
	out_text(o, ",\"owner\":{\"security\":\"");
	out_text(o, spemu_security_name(d.owner.security));
	out_text(o, d.owner.el == 1 ? "\",\"el\":1},\"regime\":\"" : "\",\"el\":2},\"regime\":\"");
	out_text(o, d.regime);
	PUT_BOOL(o, "\",\"enabled\":{\"EL0\":", d.enabled[0]);
	PUT_BOOL(o, ",\"EL1\":", d.enabled[1]);
	PUT_BOOL(o, ",\"EL2\":", d.enabled[2]);
	PUT_BOOL(o, ",\"EL3\":", d.enabled[3]);
	out_text(o, "},\"capture\":\"");
	out_text(o, d.capture_name);
	out_text(o, "\"}\n");
}

static void put_error(struct out *o, const char *text)
{
	out_text(o, "{\"error\":");
	out_json_string(o, text);
	out_text(o, "}\n");
}

static void put_refusal(struct out *o, const struct spemu_refusal_detail *detail, const char *word,
                        size_t length)
{
	char *text = xcalloc(length + 1, 1);

	for (size_t i = 0; i < length; i++)
		text[i] = (char)(word[i] >= ' ' && word[i] <= '~' ? word[i] : '?');
	put_error(o, input_refusal(detail, text, length));
	free(text);
}

static bool too_long(struct out *o)
{
	char text[80];

	snprintf(text, sizeof(text), "the line is longer than %d bytes", LINE_MOST);
	put_error(o, text);
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool one_state(struct out *o, struct remembered *last, struct spemu_machine *m,
                      const char *line, size_t length)
{
	struct spemu_refusal_detail detail;
	size_t at = 0, end;

	for (;; at = end) {
		while (at < length && is_blank(line[at]))
			at++;
		if (at == length)
			break;
		for (end = at; end < length && !is_blank(line[end]);)
			end++;
		if (!assign(m, last, &detail, line + at, end - at)) {
			put_refusal(o, &detail, line + at, end - at);
			return false;
		}
	}
	put_decisions(o, spemu_machine_pe(m));
	return true;
}

int explain_batch(const struct spemu_machine *choices)
{
	struct remembered last = {.machine = new_machine()};
	struct spemu_machine *initial = new_machine(), *m = new_machine();
	struct lines *in = xcalloc(1, sizeof(*in));
	bool good = true;
	size_t length;
	char *line;

	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		int option = spemu_machine_chosen(choices, (enum spemu_choice)i);

		if (option >= 0)
			spemu_machine_choose(initial, (enum spemu_choice)i, (unsigned)option);
	}
	while ((line = next_line(in, &length))) {
		spemu_machine_copy(m, initial);
		good = (in->too_long ? too_long(&out_stdout)
		                     : one_state(&out_stdout, &last, m, line, length)) &&
		       good;
	}
	out_flush(&out_stdout);
	free(in);
	free(initial);
	free(m);
	free(last.machine);
	return good ? 0 : EXIT_USAGE;
}
