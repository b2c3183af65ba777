/* SPDX-License-Identifier: MIT */
/*
 * Names of functions and data of C++, Rust, D and Go, shortened to a width (fit.h).
 *
 * A name has components, separated by "::", and groups in brackets. A '<' or '>' is not a bracket
 * in the name of an operator, in "->" or in a comparison, which demanglers put into parentheses.
 */
#define _GNU_SOURCE
#include "fit.h"
#include "common.h"

#include <ctype.h>
#include <string.h>

enum { NAME_SIZE = 4096, LEVELS_MAX = 16, LISTED_LEAST = 8 };

struct name {
	char text[NAME_SIZE];
	/* For the bracket that opens a group: the position after the group, and the number of
	 * groups of arguments around it. `end` is 0 for other characters. */
	uint16_t end[NAME_SIZE], level[NAME_SIZE];
};

/* Return the length of an operator's name at `s` ("operator()", "operator<<"), or 0. Of "operator
 * new" and conversions, it is the first word. */
static size_t operator_length(const char *s)
{
	static const char *const signs[] = {
	        "()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>",  "<=", ">=", "->",
	        "==", "!=", "&&",  "||",  "++",  "--",  "+=", "-=",  "*=", "/=", "%=",
	        "^=", "&=", "|=",  "<",   ">",   "=",   "+",  "-",   "*",  "/",  "%",
	        "^",  "&",  "|",   "~",   "!",   ",",   " ",  "\"\""};
	const size_t n = strlen("operator");

	if (strncmp(s, "operator", n) != 0)
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (!strncmp(s + n, signs[i], strlen(signs[i])))
			return n + (*signs[i] == ' ' ? 0 : strlen(signs[i]));
	}
	return 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Return the length of the operator's name at a position, or 0. */
static size_t operator_at(const char *text, size_t i)
{
	return i && is_word(text[i - 1]) ? 0 : operator_length(text + i);
}

/* Return how many characters at a position a search for brackets skips. */
static size_t skip_at(const char *text, size_t i)
{
	size_t n = operator_at(text, i);

	return n ? n : !strncmp(text + i, "->", 2) ? 2 : 1;
}

/* Find the end of each group. */
static void find_ends(struct name *n)
{
	uint16_t open[NAME_SIZE];
	size_t depth = 0;

	memset(n->end, 0, sizeof(n->end));
	for (size_t i = 0; n->text[i]; i += skip_at(n->text, i)) {
		static const char opening[] = "(<[{", closing[] = ")>]}";
		const char *closes = strchr(closing, n->text[i]);

		if (strchr(opening, n->text[i]))
			open[depth++] = (uint16_t)i;
		/* A '<' that is still open at another bracket's end is a comparison. */
		while (closes && *closes != '>' && depth && n->text[open[depth - 1]] == '<')
			depth--;
		if (closes && depth && n->text[open[depth - 1]] == opening[closes - closing])
			n->end[open[--depth]] = (uint16_t)(i + 1);
	}
}

static bool opens_arguments(const struct name *n, size_t i)
{
	return n->end[i] && (n->text[i] == '<' || n->text[i] == '(');
}

/* Find the groups. Return the number of levels. */
static unsigned find_groups(struct name *n)
{
	uint16_t around[NAME_SIZE];
	unsigned depth = 0, levels = 0;

	find_ends(n);
	for (size_t i = 0; n->text[i]; i++) {
		while (depth && around[depth - 1] <= i)
			depth--;
		if (!opens_arguments(n, i))
			continue;
		n->level[i] = (uint16_t)depth;
		around[depth++] = n->end[i];
		levels = depth > levels ? depth : levels;
	}
	return levels;
}

/* Return the position after the group or character at `i`. */
static size_t after(const struct name *n, size_t i)
{
	return n->end[i] ? n->end[i] : i + skip_at(n->text, i);
}

/* Return the '(' of the parameters of a function, or 0. Parameters end the name, except for
 * " const" and the like. */
static size_t parameters(const struct name *n)
{
	size_t found = 0;

	for (size_t i = 0; n->text[i]; i = after(n, i)) {
		if (n->text[i] == '(' && n->end[i] && n->text[n->end[i]] != ':' &&
		    n->text[n->end[i]] != '.')
			found = i;
	}
	return found;
}

/* Functions that are made from a template have their return type before their name. */
static void drop_return_type(struct name *n)
{
	size_t end = parameters(n), start = 0;

	for (size_t i = 0; i < end && !operator_at(n->text, i); i = after(n, i)) {
		if (n->text[i] == ' ')
			start = i + 1;
	}
	memmove(n->text, n->text + start, strlen(n->text + start) + 1);
	find_groups(n);
}

/* Return true if dots may replace the arguments in the group at `i`, and are shorter. A '<' at the
 * beginning is the type of a method in Rust, and "(*T).f" has the type of a method in Go. */
static bool is_collapsible(const struct name *n, size_t i)
{
	size_t end = n->end[i];
	char inside[NAME_SIZE];

	if (!strncmp(n->text + i, "(anonymous", 10) || n->text[end] == '.' ||
	    (!i && n->text[i] == '<'))
		return false;
	snprintf(inside, sizeof(inside), "%.*s", (int)(end - i - 2), n->text + i + 1);
	return text_width(inside) > text_width(dots()) && strlen(inside) >= strlen(dots());
}

/* Replace the arguments of a level in these brackets by dots. */
static void collapse(struct name *n, unsigned level, char bracket)
{
	const struct name whole = *n;
	size_t to = 0;

	for (size_t i = 0; whole.text[i];) {
		n->text[to++] = whole.text[i];
		if (whole.text[i] == bracket && opens_arguments(&whole, i) &&
		    whole.level[i] == level && is_collapsible(&whole, i)) {
			to += (size_t)sprintf(n->text + to, "%s", dots());
			i = whole.end[i] - 1u;
		} else {
			i++;
		}
	}
	n->text[to] = 0;
	find_groups(n);
}

/* Shorten "<a::Type as b::Trait>::f" to "<Type as Trait>::f". */
static void shorten_type(struct name *n)
{
	const struct name whole = *n;
	size_t path = 1, to = 1, end = *n->text == '<' ? n->end[0] : 0;

	if (!end)
		return;
	for (size_t i = 1, next; i + 1 < end; i = next) {
		bool separates = !strncmp(whole.text + i, " as ", 4);

		next = separates ? i + 4 : after(&whole, i);
		if (!strncmp(whole.text + i, "::", 2)) {
			to = path;
			next = i + 2;
			continue;
		}
		memcpy(n->text + to, whole.text + i, next - i);
		to += next - i;
		path = separates ? to : path;
	}
	strcpy(n->text + to, whole.text + end - 1);
	find_groups(n);
}

static void drop_qualifiers(struct name *n)
{
	size_t start = parameters(n);

	if (start)
		n->text[n->end[start]] = 0;
}

static void drop_parameters(struct name *n)
{
	size_t start = parameters(n);

	if (start)
		n->text[start] = 0;
}

/*
 * Return the position of the component after the one at `i`, or 0 if that is the last. A closure or
 * the arguments of a template belong to the component before them, and a function of a closure
 * belongs to the closure.
 */
static size_t next_component(const struct name *n, size_t i)
{
	while (n->text[i]) {
		size_t length = operator_at(n->text, i);

		if (length && n->text[i + length] == ' ')
			return 0; /* "operator new", or a conversion to a type with components */
		if (strncmp(n->text + i, "::", 2) != 0) {
			i = after(n, i);
			continue;
		}
		i += 2;
		if (n->text[i] != '<' && n->text[i] != '{' && (i < 3 || n->text[i - 3] != '}'))
			return i;
	}
	return 0;
}

static unsigned part_width(const char *text, size_t from, size_t to)
{
	char part[NAME_SIZE];

	snprintf(part, sizeof(part), "%.*s", (int)(to - from), text + from);
	return text_width(part);
}

/* Drop components in the middle, from the second on, then the first one, until the name fits. */
static void drop_components(struct name *n, unsigned width)
{
	size_t second = next_component(n, 0), last = second, front = second;
	unsigned more = text_width(dots()) + 2, all = text_width(n->text) + more;
	char text[NAME_SIZE];

	if (!second)
		return;
	for (size_t next; all > width && (next = next_component(n, last)); last = next)
		all -= part_width(n->text, last, next);
	if (all > width) {
		all -= part_width(n->text, 0, second);
		front = 0;
	}
	if (all > width)
		snprintf(text, sizeof(text), "%s", n->text + last);
	else
		snprintf(text, sizeof(text), "%.*s%s::%s", (int)front, n->text, dots(),
		         n->text + last);
	memcpy(n->text, text, strlen(text) + 1);
}

static void shorten(struct name *n, unsigned width)
{
	static void (*const drops[])(struct name *) = {drop_qualifiers, drop_parameters};
	unsigned level = find_groups(n);

	level = level > LEVELS_MAX ? LEVELS_MAX : level;
	drop_return_type(n);
	while (level-- > 0 && text_width(n->text) > width) {
		collapse(n, level, '(');
		if (text_width(n->text) > width)
			collapse(n, level, '<');
		if (text_width(n->text) > width && !level)
			shorten_type(n);
	}
	for (unsigned i = 0; i < 2 && text_width(n->text) > width; i++)
		drops[i](n);
	find_groups(n);
	if (text_width(n->text) > width)
		drop_components(n, width);
}

/* Return the number of names in a text, which ", " outside of brackets separates. */
static unsigned count_names(const struct name *n)
{
	unsigned count = 1;

	for (size_t i = 0; n->text[i]; i = after(n, i))
		count += !strncmp(n->text + i, ", ", 2);
	return count;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length > size && !strcmp(text + length - size, end);
}

/* Return the start of the end of a symbol that is kept, such as "+0x12", "@plt" or " (inlined)". */
static const char *kept_end(const char *text)
{
	static const char inlined[] = " (inlined)", plt[] = "@plt";
	const char *end = text + strlen(text), *plus = strrchr(text, '+');

	if (plus && !strncmp(plus, "+0x", 3) &&
	    strspn(plus + 3, "0123456789abcdef") == strlen(plus + 3))
		end = plus;
	if (ends_with(text, inlined))
		return end - strlen(inlined);
	return end - text > 4 && !strncmp(end - strlen(plt), plt, strlen(plt)) ? end - strlen(plt)
	                                                                       : end;
}

static char *cut_name(char *buf, size_t size, const char *text, unsigned width)
{
	size_t mark = text[0] == '[' && text[1] && !strncmp(text + 2, "] ", 2) ? 4 : 0;
	const char *end = kept_end(text);
	unsigned around = (unsigned)(mark + strlen(end));
	char rest[NAME_SIZE];
	struct name n;

	if (text_width(text) <= width || width <= around)
		return cut_end(buf, size, text, width);
	snprintf(n.text, sizeof(n.text), "%.*s", (int)(end - text - (ptrdiff_t)mark), text + mark);
	shorten(&n, width - around);
	cut_middle(rest, sizeof(rest), n.text, width - around);
	snprintf(buf, size, "%.*s%s%s", (int)mark, text, rest, end);
	return buf;
}

char *cut_symbol(char *buf, size_t size, const char *text, unsigned width)
{
	char part[NAME_SIZE];
	size_t at = 0, from = 0;
	unsigned count, room;
	struct name n;

	if (text_width(text) <= width)
		return cut_end(buf, size, text, width);
	snprintf(n.text, sizeof(n.text), "%s", text);
	find_groups(&n);
	count = count_names(&n);
	room = width + 2 < 2 * count ? 0 : (width + 2 - 2 * count) / count;
	if (count == 1 || room < LISTED_LEAST)
		return count == 1 ? cut_name(buf, size, text, width)
		                  : cut_end(buf, size, text, width);
	for (size_t i = 0; at < size; i = after(&n, i)) {
		bool ends = !n.text[i] || !strncmp(n.text + i, ", ", 2);
		char name[NAME_SIZE];

		if (!ends)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(i - from), n.text + from);
		cut_name(part, sizeof(part), name, room);
		at += (size_t)snprintf(buf + at, size - at, "%s%s", from ? ", " : "", part);
		from = i + 2;
		if (!n.text[i])
			break;
	}
	return buf;
}
