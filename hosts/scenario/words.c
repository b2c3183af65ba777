/* SPDX-License-Identifier: MIT */
/* Memory and words of a script; see words.h. */
#include "words.h"
#include "nearest.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
	struct arena_block *older;
	size_t used, size;
	_Alignas(max_align_t) unsigned char data[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->blocks;
	size_t align = _Alignof(max_align_t);
	void *p;

	size = (size + align - 1) / align * align;
	if (!block || block->size - block->used < size) {
		size_t room = size > 16384 ? size : 16384;

		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->size = room;
		block->older = arena->blocks;
		arena->blocks = block;
	}
	p = block->data + block->used;
	block->used += size;
	return p;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *older = arena->blocks->older;

		free(arena->blocks);
		arena->blocks = older;
	}
}

void *parser_alloc(struct parser *parser, size_t size)
{
	void *p = arena_alloc(parser->arena, size);

	if (!p)
		refuse(parser, parser->next.slice.at, "out of memory");
	return p;
}

void *parser_grow(struct parser *parser, void *array, size_t count, size_t size)
{
	void *more;

	if (count & (count - 1))
		return array;
	more = parser_alloc(parser, (count ? 2 * count : 1) * size);
	if (count)
		memcpy(more, array, count * size);
	return more;
}

void refuse(struct parser *parser, struct place at, const char *fmt, ...)
{
	va_list ap;

	parser->error->line = at.line;
	parser->error->column = at.column;
	va_start(ap, fmt);
	vsnprintf(parser->error->message, sizeof(parser->error->message), fmt, ap);
	va_end(ap);
	/* The message is one line of printable characters, even if it quotes others. */
	for (char *p = parser->error->message; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
	longjmp(parser->failed, 1);
}

void refuse_word(struct parser *parser, struct slice word, const char *what,
                 const char *const *names)
{
	int shown = word.size > 60 ? 60 : (int)word.size;
	char text[256];

	suggest_name(text, sizeof(text), word.text, word.size, names);
	refuse(parser, word.at, "unknown %s '%.*s'%s", what, shown, word.text, text);
}

static struct slice slice_to_here(const struct parser *r, const char *from)
{
	return (struct slice){
	        from, (size_t)(r->pos - from), {r->line, (unsigned)(from - r->line_start) + 1}};
}

static void read_text(struct parser *r)
{
	const char *from = r->pos;

	while (r->pos < r->end && (unsigned char)*r->pos > ' ' && !strchr(";{}#", *r->pos)) {
		if ((unsigned char)*r->pos >= 0x7f)
			refuse(r, slice_to_here(r, r->pos).at, "unexpected byte 0x%02x",
			       (unsigned char)*r->pos);
		if (*r->pos++ != '"')
			continue;
		while (r->pos < r->end && *r->pos != '"' && *r->pos != '\n')
			r->pos++;
		if (r->pos == r->end || *r->pos != '"')
			refuse(r, slice_to_here(r, from).at, "the quotes do not end on this line");
		r->pos++;
	}
	r->next = (struct word){WORD_TEXT, slice_to_here(r, from)};
}

static void one_byte(struct parser *r, enum word_kind kind)
{
	r->pos++;
	r->next = (struct word){kind, slice_to_here(r, r->pos - 1)};
	if (r->pos[-1] == '\n') {
		r->line++;
		r->line_start = r->pos;
	}
}

void parser_advance(struct parser *r)
{
	while (r->pos < r->end && (*r->pos == ' ' || *r->pos == '\t' || *r->pos == '\r'))
		r->pos++;
	if (r->pos < r->end && *r->pos == '#')
		while (r->pos < r->end && *r->pos != '\n')
			r->pos++;
	if (r->pos == r->end) {
		r->next = (struct word){WORD_END, slice_to_here(r, r->pos)};
		return;
	}
	switch (*r->pos) {
	case '\n':
	case ';':
		one_byte(r, WORD_SEPARATOR);
		return;
	case '{':
		one_byte(r, WORD_OPEN);
		return;
	case '}':
		one_byte(r, WORD_CLOSE);
		return;
	default:
		if ((unsigned char)*r->pos < ' ')
			refuse(r, slice_to_here(r, r->pos).at, "unexpected byte 0x%02x",
			       (unsigned char)*r->pos);
		read_text(r);
	}
}

void parser_init(struct parser *parser, const char *text, size_t size)
{
	parser->pos = parser->line_start = text;
	parser->end = text + size;
	parser->line = 1;
	parser_advance(parser);
}

bool slice_is(struct slice s, const char *text)
{
	return strlen(text) == s.size && memcmp(s.text, text, s.size) == 0;
}

bool slice_begins(struct slice s, const char *text)
{
	size_t length = strlen(text);

	return length <= s.size && memcmp(s.text, text, length) == 0;
}

unsigned index_of_name(const char *const *names, struct slice s)
{
	unsigned i = 0;

	while (names[i] && !slice_is(s, names[i]))
		i++;
	return i;
}

struct slice slice_part(struct slice s, size_t from, size_t to)
{
	return (struct slice){s.text + from, to - from, {s.at.line, s.at.column + (unsigned)from}};
}

size_t slice_find(struct slice s, char c)
{
	size_t i = 0;

	while (i < s.size && s.text[i] != c)
		i++;
	return i;
}

char *slice_copy(struct parser *parser, struct slice s)
{
	char *copy;

	if (s.size >= 2 && s.text[0] == '"' && s.text[s.size - 1] == '"')
		s = slice_part(s, 1, s.size - 1);
	copy = parser_alloc(parser, s.size + 1);
	memcpy(copy, s.text, s.size);
	return copy;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return 99;
}

bool parse_u64(uint64_t *value, struct slice s)
{
	uint64_t v = 0, scale = 1;
	int base = 10;
	size_t i = 0;

	if (s.size > 2 && s.text[0] == '0' && (s.text[1] == 'x' || s.text[1] == 'b')) {
		base = s.text[1] == 'x' ? 16 : 2;
		i = 2;
	} else if (s.size > 1) {
		char last = s.text[s.size - 1];

		scale = last == 'k'   ? 1u << 10
		        : last == 'M' ? 1u << 20
		        : last == 'G' ? 1u << 30
		                      : 1;
		s.size -= scale > 1;
	}
	if (i == s.size)
		return false;
	for (; i < s.size; i++) {
		int d = digit_value(s.text[i]);

		if (s.text[i] == '_' && i > 0 && i + 1 < s.size)
			continue;
		if (d >= base || v > (UINT64_MAX - (uint64_t)d) / (uint64_t)base)
			return false;
		v = v * (uint64_t)base + (uint64_t)d;
	}
	if (v > UINT64_MAX / scale)
		return false;
	*value = v * scale;
	return true;
}

uint64_t need_u64(struct parser *parser, struct slice s, const char *what)
{
	uint64_t value;

	if (!parse_u64(&value, s))
		refuse(parser, s.at, "%s is a number, not '%.*s'", what,
		       s.size > 60 ? 60 : (int)s.size, s.text);
	return value;
}
