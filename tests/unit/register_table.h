/* SPDX-License-Identifier: MIT */
/*
 * The parser of the register tables in arch/tables (register_fields.txt, register_access.txt).
 *
 * A table has lines of cells. A condition consists of names, `!`, `&`, `|` and parentheses, without
 * blanks. Each condition is parsed once into a pool of terms, and then evaluated often.
 */
#ifndef SPEMU_TESTS_REGISTER_TABLE_H
#define SPEMU_TESTS_REGISTER_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <spemu/sysreg.h>

/* Call `row` with the cells of each line that is not a comment. */
static inline void table_each(const char *name, void (*row)(char *const cell[], unsigned cells))
{
	char path[512], line[512], *cell[8];
	FILE *in;

	snprintf(path, sizeof(path), "%s/tables/%s.txt", SPEMU_ARCH_DIR, name);
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		unsigned n = 0;

		line[strcspn(line, "\n")] = 0;
		if (line[0] == '#' || !line[0])
			continue;
		for (char *c = strtok(line, "\t"); c; c = strtok(NULL, "\t")) {
			assert_true(n < 8);
			cell[n++] = c;
		}
		row(cell, n);
	}
	fclose(in);
}

/* Parse an encoding such as "3 0 9 9 0". */
static inline uint32_t table_encoding(const char *text)
{
	unsigned e[5];

	assert_int_equal(sscanf(text, "%u %u %u %u %u", e, e + 1, e + 2, e + 3, e + 4), 5);
	return SPEMU_SYSREG(e[0], e[1], e[2], e[3], e[4]);
}

/* Parse a range of bits such as "9:8" or "5". */
static inline void table_bits(const char *text, unsigned *hi, unsigned *lo)
{
	if (sscanf(text, "%u:%u", hi, lo) == 1)
		*lo = *hi;
	assert_true(*hi < 64 && *lo <= *hi);
}

enum term_kind { TERM_TRUE, TERM_NAME, TERM_NOT, TERM_AND, TERM_OR };
struct term {
	uint8_t kind;
	uint16_t left, right;
	uint32_t name; /* the number that name() returned */
};

struct conditions {
	struct term term[16384];
	unsigned count;
	struct {
		char name[24];
		unsigned number;
	} let[48]; /* conditions that have a name */
	unsigned lets;
	uint32_t (*name)(const char *text, size_t length); /* returns the number of a name */
	bool (*holds)(const void *ctx, uint32_t name);
	const void *ctx;
};

static inline unsigned condition_add(struct conditions *c, enum term_kind kind, unsigned left,
                                     unsigned right, uint32_t name)
{
	assert_true(c->count < sizeof(c->term) / sizeof(*c->term));
	c->term[c->count] = (struct term){(uint8_t)kind, (uint16_t)left, (uint16_t)right, name};
	return c->count++;
}

static inline unsigned condition_name(struct conditions *c, const char *text, size_t length)
{
	assert_true(length > 0);
	if (length == 1 && *text == '-')
		return condition_add(c, TERM_TRUE, 0, 0, 0);
	for (unsigned i = 0; i < c->lets; i++)
		if (strlen(c->let[i].name) == length && memcmp(c->let[i].name, text, length) == 0)
			return c->let[i].number;
	return condition_add(c, TERM_NAME, 0, 0, c->name(text, length));
}

static inline unsigned condition_or(struct conditions *c, const char **text);

static inline unsigned condition_not(struct conditions *c, const char **text)
{
	size_t length;
	unsigned inner;

	if (**text == '!') {
		++*text;
		inner = condition_not(c, text);
		return condition_add(c, TERM_NOT, inner, 0, 0);
	}
	if (**text == '(') {
		++*text;
		inner = condition_or(c, text);
		assert_int_equal(**text, ')');
		++*text;
		return inner;
	}
	length = strcspn(*text, "!&|()");
	*text += length;
	return condition_name(c, *text - length, length);
}

static inline unsigned condition_and(struct conditions *c, const char **text)
{
	unsigned all = condition_not(c, text);

	while (**text == '&') {
		++*text;
		all = condition_add(c, TERM_AND, all, condition_not(c, text), 0);
	}
	return all;
}

static inline unsigned condition_or(struct conditions *c, const char **text)
{
	unsigned any = condition_and(c, text);

	while (**text == '|') {
		++*text;
		any = condition_add(c, TERM_OR, any, condition_and(c, text), 0);
	}
	return any;
}

/* Parse a condition up to the end of the text, and return its number. "-" is the condition that
 * always holds. */
static inline unsigned condition_read(struct conditions *c, const char *text)
{
	unsigned whole = condition_or(c, &text);

	assert_int_equal(*text, 0);
	return whole;
}

static inline void condition_let(struct conditions *c, const char *name, const char *text)
{
	unsigned number = condition_read(c, text);

	assert_true(c->lets < sizeof(c->let) / sizeof(*c->let));
	assert_true(strlen(name) < sizeof(c->let->name));
	strcpy(c->let[c->lets].name, name);
	c->let[c->lets++].number = number;
}

static inline bool condition_holds(const struct conditions *c, unsigned number)
{
	const struct term *t = &c->term[number];

	switch (t->kind) {
	case TERM_NOT:
		return !condition_holds(c, t->left);
	case TERM_AND:
		return condition_holds(c, t->left) && condition_holds(c, t->right);
	case TERM_OR:
		return condition_holds(c, t->left) || condition_holds(c, t->right);
	case TERM_NAME:
		return c->holds(c->ctx, t->name);
	default:
		return true;
	}
}

#endif
