/* SPDX-License-Identifier: MIT */
/* See fit.h. */
#define _GNU_SOURCE
#include "fit.h"
#include "clean.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 60, NAME_MAX_BYTES = 4096 };

const char *dots(void)
{
	static const char *kept;
	locale_t locale;

	if (kept)
		return kept;
	locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	kept = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") ? "\u2026" : "...";
	if (locale)
		freelocale(locale);
	return kept;
}

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
	unsigned marked = text_width(dots());

	if (text_width(text) <= width)
		snprintf(buf, size, "%s", text);
	else if (width <= marked)
		snprintf(buf, size, "%.*s", (int)byte_of(text, width), text);
	else
		snprintf(buf, size, "%.*s%s", (int)byte_of(text, width - marked), text, dots());
	return buf;
}

char *cut_middle(char *buf, size_t size, const char *text, unsigned width)
{
	unsigned all = text_width(text), marked = text_width(dots()), front;

	if (all <= width || width < 8)
		return cut_end(buf, size, text, width);
	/* Remove whole directories if the rest fits. */
	for (const char *p = strchr(text, '/'); p; p = strchr(p + 1, '/')) {
		if (p > text && text_width(p) + marked <= width) {
			snprintf(buf, size, "%s%s", dots(), p);
			return buf;
		}
	}
	front = (width - marked) / 4;
	snprintf(buf, size, "%.*s%s%s", (int)byte_of(text, front), text, dots(),
	         text + byte_of(text, all - (width - marked - front)));
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

void out_wrapped(struct out *o, char *text, const char *prefix, unsigned indent, unsigned width)
{
	unsigned used = 0;

	for (char *word = strtok(clean_text(text), " "); word; word = strtok(NULL, " ")) {
		char cut[NAME_MAX_BYTES];
		unsigned w;

		cut_middle(cut, sizeof(cut), word, width - indent);
		w = text_width(cut);
		if (!used || used + 1 + w > width) {
			out_fmt(o, "%s%-*s%s", used ? "\n" : "", (int)indent, prefix, cut);
			prefix = *prefix == '#' ? "#" : "";
			used = indent + w;
		} else {
			out_fmt(o, " %s", cut);
			used += 1 + w;
		}
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
