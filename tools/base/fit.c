/* SPDX-License-Identifier: MIT */
/* See fit.h. */
#define _GNU_SOURCE
#include "fit.h"
#include "clean.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 60, NAME_MAX_BYTES = 4096 };

static const char dots[] = "...";

unsigned screen_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t width = 0;

	if (!columns || !parse_number(&width, columns, 1) || !width) {
		if (!isatty(STDOUT_FILENO))
			return 0;
		width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
	}
	return width < NARROWEST ? NARROWEST : width > 100000 ? 100000 : (unsigned)width;
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* Count characters instead of bytes, if the text is UTF-8. */
unsigned text_width(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += begins_character(*s);
	return n;
}

/* Return the byte offset of a character. */
static size_t byte_of(const char *text, unsigned character)
{
	size_t i = 0;

	for (; text[i]; i++)
		if (begins_character(text[i]) && !character--)
			break;
	return i;
}

char *cut_end(char *buf, size_t size, const char *text, unsigned width)
{
	if (text_width(text) <= width)
		snprintf(buf, size, "%s", text);
	else if (width <= 3)
		snprintf(buf, size, "%.*s", (int)byte_of(text, width), text);
	else
		snprintf(buf, size, "%.*s%s", (int)byte_of(text, width - 3), text, dots);
	return buf;
}

char *cut_middle(char *buf, size_t size, const char *text, unsigned width)
{
	unsigned all = text_width(text), front;

	if (all <= width || width < 8)
		return cut_end(buf, size, text, width);
	/* Remove whole directories if the rest fits. */
	for (const char *p = strchr(text, '/'); p; p = strchr(p + 1, '/')) {
		if (p > text && text_width(p) + 3 <= width) {
			snprintf(buf, size, "%s%s", dots, p);
			return buf;
		}
	}
	front = (width - 3) / 4;
	snprintf(buf, size, "%.*s%s%s", (int)byte_of(text, front), text, dots,
	         text + byte_of(text, all - (width - 3 - front)));
	return buf;
}

/* Return the position after the bracket that closes the one at `s`, or the end. "->" and operators
 * do not close a bracket. */
static const char *skip_group(const char *s)
{
	int depth = 0;

	for (const char *p = s; *p; p++) {
		if (*p == '(' || *p == '<' || *p == '[' || *p == '{')
			depth++;
		else if (*p == ')' || (*p == '>' && p[-1] != '-') || *p == ']' || *p == '}')
			depth--;
		if (!depth)
			return p + 1;
	}
	return s + strlen(s);
}

/* Return the length of an operator's name at `s` ("operator()", "operator<<", "operator->"), or
 * 0. */
static size_t operator_length(const char *s)
{
	size_t n = strlen("operator");

	if (strncmp(s, "operator", n) != 0)
		return 0;
	if (!strncmp(s + n, "()", 2) || !strncmp(s + n, "[]", 2))
		return n + 2;
	return n + strspn(s + n, "<>=-+*/%^&|~!,");
}

/* Return true if a word of the name begins at `s`; `start` is the beginning of the text. */
static bool word_begins(const char *start, const char *s)
{
	return s == start || s[-1] == ':' || s[-1] == ' ';
}

/* Remove the parameters and everything after them: "a::b(int) const" becomes "a::b". */
static void drop_parameters(char *name)
{
	for (char *p = name; *p;) {
		size_t n = word_begins(name, p) ? operator_length(p) : 0;

		if (n) {
			p += n;
		} else if (*p == '(' && strncmp(p, "(anonymous", 10) != 0) {
			*p = 0;
		} else if (*p == '(' || *p == '<' || *p == '{') {
			p += skip_group(p) - p;
		} else {
			p++;
		}
	}
}

/* Replace template arguments by "<...>", and remove the return type. */
static void drop_arguments(char *name)
{
	char copy[NAME_MAX_BYTES], *to = name;
	const char *p = copy;

	snprintf(copy, sizeof(copy), "%s", name);
	while (*p) {
		size_t n = word_begins(copy, p) ? operator_length(p) : 0;

		if (n) {
			memmove(to, p, n);
			to += n;
			p += n;
			if (*p == ' ') /* "operator new" or a conversion; the rest is the name */
				break;
		} else if (*p == '<' && skip_group(p) - p > 5) {
			memcpy(to, "<...>", 5);
			to += 5;
			p = skip_group(p);
		} else if (*p == '(' || *p == '{') {
			n = (size_t)(skip_group(p) - p);
			memmove(to, p, n);
			to += n;
			p += n;
		} else if (*p == ' ') { /* the return type precedes the name */
			to = name;
			p++;
		} else {
			*to++ = *p++;
		}
	}
	memmove(to, p, strlen(p) + 1);
}

/* Shorten "a::b::c::d" to its class: "...::c::d". */
static void drop_namespaces(char *name)
{
	char *last = NULL, *class = NULL;

	for (char *p = name; *p; p++) {
		if (*p == '<' || *p == '(' || *p == '{') {
			p += skip_group(p) - p - 1;
		} else if (p[0] == ':' && p[1] == ':') {
			class = last;
			last = p;
		}
	}
	/* A prefix that is shorter than the dots stays. */
	if (!class || class - name <= 3)
		return;
	memcpy(name, dots, 3);
	memmove(name + 3, class, strlen(class) + 1);
}

/* Return true if the text consists of several names, with ", " outside of brackets. */
static bool is_list(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (p[0] == ',' && p[1] == ' ')
			return true;
		if (*p == '<' || *p == '(' || *p == '{')
			p = skip_group(p) - 1;
	}
	return false;
}

/* Return the start of the offset "+0x12" after a symbol, or the end of the text. */
static const char *offset_of(const char *text)
{
	const char *plus = strrchr(text, '+');

	return plus && !strncmp(plus, "+0x", 3) &&
	                       strspn(plus + 3, "0123456789abcdef") == strlen(plus + 3)
	               ? plus
	               : text + strlen(text);
}

char *cut_symbol(char *buf, size_t size, const char *text, unsigned width)
{
	static void (*const steps[])(char *) = {drop_parameters, drop_arguments, drop_namespaces};
	size_t mark = text[0] == '[' && text[1] && !strncmp(text + 2, "] ", 2) ? 4 : 0;
	const char *offset = offset_of(text);
	unsigned around = (unsigned)(mark + strlen(offset));
	char name[NAME_MAX_BYTES], rest[NAME_MAX_BYTES];

	if (text_width(text) <= width || width <= around || is_list(text))
		return cut_end(buf, size, text, width);
	snprintf(name, sizeof(name), "%.*s", (int)(offset - text - (ptrdiff_t)mark), text + mark);
	for (unsigned i = 0; i < 3 && text_width(name) + around > width; i++)
		steps[i](name);
	/* A C++ name keeps its beginning, which contains the class. Other names keep both ends. */
	(strstr(name, "::") ? cut_end : cut_middle)(rest, sizeof(rest), name, width - around);
	snprintf(buf, size, "%.*s%s%s", (int)mark, text, rest, offset);
	return buf;
}

void out_comment(struct out *o, const char *text)
{
	unsigned width = screen_width(), used = 1;
	char word[NAME_MAX_BYTES], cut[NAME_MAX_BYTES];

	out_text(o, "#");
	while (*text) {
		size_t n = strcspn(text, " ");
		unsigned w;

		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		cut_middle(cut, sizeof(cut), clean_text(word), width ? width - 5 : NAME_MAX_BYTES);
		w = text_width(cut);
		if (width && used > 1 && used + 1 + w > width) {
			out_text(o, "\n#  ");
			used = 4;
		}
		out_text(o, " ");
		out_text(o, cut);
		used += 1 + w;
		text += n + (text[n] == ' ');
	}
	out_text(o, "\n");
}

void out_comment_fmt(struct out *o, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		die(EXIT_OWN, "out of memory");
	va_end(ap);
	out_comment(o, text);
	free(text);
}

/* Return the number of bytes of the escape sequence at s that sets a color, or 0. */
static size_t color_length(const char *s, const char *end)
{
	const char *m = *s == '\033' ? memchr(s, 'm', (size_t)(end - s)) : NULL;

	return m ? (size_t)(m + 1 - s) : 0;
}

/* Return the place to break a line: the last blank within the width, or `end`. */
static const char *break_at(const char *s, const char *end, unsigned width)
{
	const char *blank = NULL, *first = s;
	unsigned used = 0;

	while (first < end && *first == ' ')
		first++;
	while (s < end) {
		size_t color = color_length(s, end);

		if (*s == ' ' && s > first)
			blank = s;
		if (!color && begins_character(*s) && ++used > width && blank)
			return blank;
		s += color ? color : 1;
	}
	return end;
}

static void write_line(struct out *o, const char *s, const char *end, unsigned width)
{
	static const char blanks[] = "                        ";
	unsigned indent = 0;

	while (s + indent < end && s[indent] == ' ')
		indent++;
	indent = indent + 4 > sizeof(blanks) - 1 ? sizeof(blanks) - 1 : indent + 4;
	for (const char *next = break_at(s, end, width);; next = break_at(s, end, width - indent)) {
		const char *last = next;

		while (last > s && last[-1] == ' ')
			last--;
		out_write(o, s, (size_t)(last - s));
		if (next == end)
			break;
		out_write(o, "\n", 1);
		out_write(o, blanks, indent);
		for (s = next; s < end && *s == ' ';)
			s++;
	}
	out_write(o, "\n", 1);
}

/* Write complete lines, wrapped: the filter of wrap_lines(). */
static size_t write_wrapped(struct out *o, const char *text, size_t len)
{
	unsigned width = screen_width();
	const char *s = text, *end;

	while ((end = memchr(s, '\n', len - (size_t)(s - text)))) {
		write_line(o, s, end, width);
		s = end + 1;
	}
	return (size_t)(s - text);
}

void wrap_lines(void)
{
	if (screen_width())
		out_stdout.filter = write_wrapped;
}
