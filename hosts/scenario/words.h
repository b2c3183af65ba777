/* SPDX-License-Identifier: MIT */
/* The words of a scenario's text, its memory, and numbers. */
#ifndef SCENARIO_WORDS_H
#define SCENARIO_WORDS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario.h"

/* Memory with the lifetime of the script. */
struct arena {
	struct arena_block *blocks;
};
/* Return zeroed memory, or NULL if memory is exhausted. */
void *arena_alloc(struct arena *arena, size_t size);
void arena_free(struct arena *arena);

struct place {
	unsigned line, column; /* counted from 1 */
};

/* A part of the text. */
struct slice {
	const char *text;
	size_t size;
	struct place at;
};

enum word_kind {
	WORD_TEXT,      /* anything up to a blank; quotes keep blanks together */
	WORD_SEPARATOR, /* the end of a line, or ";" */
	WORD_OPEN,
	WORD_CLOSE,
	WORD_END,
};
struct word {
	enum word_kind kind;
	struct slice slice;
};

struct parser {
	struct scenario_script *script;
	unsigned depth; /* nesting of braces */
	const char *pos, *end;
	unsigned line;
	const char *line_start;
	struct word next; /* the next word, which has not been taken */
	struct arena *arena;
	struct scenario_error *error;
	jmp_buf failed;
};

/* Start parsing, with the first word in parser->next. The caller sets error, arena and failed. */
void parser_init(struct parser *parser, const char *text, size_t size);
void parser_advance(struct parser *parser);
/* Return zeroed memory of the script. Does not return if memory is exhausted. */
void *parser_alloc(struct parser *parser, size_t size);
/* Return the array with room for another member. Its room doubles when count is a power of two. */
void *parser_grow(struct parser *parser, void *array, size_t count, size_t size);

/* Fill parser->error and leave through parser->failed. */
_Noreturn void refuse(struct parser *parser, struct place at, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
/* Refuse a word that is not in names (NULL-terminated), with a suggestion. */
_Noreturn void refuse_word(struct parser *parser, struct slice word, const char *what,
                           const char *const *names);

bool slice_is(struct slice s, const char *text);
bool slice_begins(struct slice s, const char *text);
/* Return the part from `from` to `to` - 1, with its place. */
struct slice slice_part(struct slice s, size_t from, size_t to);
/* Return the index of s in names, or of the NULL after them. */
unsigned index_of_name(const char *const *names, struct slice s);
/* Return the index of the first c, or s.size. */
size_t slice_find(struct slice s, char c);
/* Return a NUL-terminated copy without the quotes around it. */
char *slice_copy(struct parser *parser, struct slice s);

/*
 * Parse "123", "0x7b" or "0b11", with optional "_" between digits. Decimal numbers may end with k,
 * M or G (powers of 1024). Return false if it is not a number, or does not fit 64 bits.
 */
bool parse_u64(uint64_t *value, struct slice s);
/* Parse a number like parse_u64(). Does not return if it is not a number. */
uint64_t need_u64(struct parser *parser, struct slice s, const char *what);

#endif
