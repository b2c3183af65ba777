/* SPDX-License-Identifier: MIT */
/* The keys of data types, with perf's names: type, typeoff and typecln. A mark follows the name of
 * a type if all evidence for it is weak. */
#include "data_types.h"
#include "memory.h"

enum { NAME_SIZE = 1000 };

static bool is_weak(const struct profile *p, const struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		if (type_of_touch(p, member_touch(&group->members[i]))->source != TYPE_WEAK)
			return false;
	}
	return true;
}

/* Fill the cells that all keys begin with. Return the mark of weak evidence, or "". */
enum { TYPE, WEAK, OWN };
#define TYPE_COLUMNS \
	[TYPE] = {"data_type", NULL, COLUMN_TEXT}, [WEAK] = {"type_weak", NULL, COLUMN_COUNT}
static const char *fill_type(struct cell *c, const struct profile *p, const struct group *group)
{
	bool weak = is_weak(p, group);

	cell_text(&c[TYPE], data_type_of_touch(p, member_touch(group->members))->name);
	cell_count(&c[WEAK], weak);
	return weak ? "?" : "";
}

/* ---- type ---- */

static const struct column name_columns[] = {
        TYPE_COLUMNS,
        [OWN] = {"type", "Data type", COLUMN_TEXT, 60, CUT_SYMBOL, .min_width = 24},
};

static void fill_name(struct cell *c, const struct profile *p, const struct group *group)
{
	const char *mark = fill_type(c, p, group);
	char text[NAME_SIZE];

	snprintf(text, sizeof(text), "%s%s", c[TYPE].text, mark);
	cell_text(&c[OWN], text);
}

/* ---- typeoff: type and offset ---- */

enum { OFFSET = OWN, MEMBER, OFFSET_TEXT };
static const struct column offset_columns[] = {
        TYPE_COLUMNS,
        [OFFSET] = {"type_offset", NULL, COLUMN_COUNT},
        [MEMBER] = {"data_member", NULL, COLUMN_TEXT},
        [OFFSET_TEXT] = {"typeoff", "Data type and member", COLUMN_TEXT, 80, CUT_MIDDLE,
                         .min_width = 36},
};

/* Members of two recordings are compared by their names, because they may have moved. */
static int compare_offset(const struct comparison *c, const struct member *a,
                          const struct member *b)
{
	const struct touch_type *x = type_of_touch(c->profile, member_touch(a)),
	                        *y = type_of_touch(c->profile, member_touch(b));

	return c->by_name ? compare_numbers(x->member, y->member)
	                  : compare_numbers(x->offset, y->offset);
}

static void fill_offset(struct cell *c, const struct profile *p, const struct group *group)
{
	const struct touch *touch = member_touch(group->members);
	const char *mark = fill_type(c, p, group);
	char member[NAME_SIZE], text[3 * NAME_SIZE];

	touch_member(member, sizeof(member), p, touch);
	if (!data_type_of_touch(p, touch)->type) {
		cell_text(&c[OFFSET_TEXT], c[TYPE].text);
		return;
	}
	cell_count(&c[OFFSET], type_of_touch(p, touch)->offset);
	if (*member)
		cell_text(&c[MEMBER], member);
	snprintf(text, sizeof(text), "%s +%llu%s%s%s%s", c[TYPE].text,
	         (unsigned long long)c[OFFSET].count, *member ? " (" : "", member,
	         *member ? ")" : "", mark);
	cell_text(&c[OFFSET_TEXT], text);
}

/* ---- typecln: type and cache line ---- */

enum { LINE = OWN, LINE_TEXT };
static const struct column line_columns[] = {
        TYPE_COLUMNS,
        [LINE] = {"type_line", NULL, COLUMN_COUNT},
        [LINE_TEXT] = {"typecln", "Data type and cache line", COLUMN_TEXT, 80, CUT_MIDDLE,
                       .min_width = 36},
};

/* Return the number of the cache line. Line 0 is the line where the object begins. */
static uint64_t line_of(const struct profile *p, const struct touch *touch)
{
	uint64_t address = touch_address(touch, p), offset = type_of_touch(p, touch)->offset;

	return address / p->line_size - (address - offset) / p->line_size;
}

static int compare_line(const struct comparison *c, const struct member *a, const struct member *b)
{
	return compare_numbers(line_of(c->profile, member_touch(a)),
	                       line_of(c->profile, member_touch(b)));
}

static void fill_line(struct cell *c, const struct profile *p, const struct group *group)
{
	const struct touch *touch = member_touch(group->members);
	const char *mark = fill_type(c, p, group);
	char text[2 * NAME_SIZE];

	if (!data_type_of_touch(p, touch)->type) {
		cell_text(&c[LINE_TEXT], c[TYPE].text);
		return;
	}
	cell_count(&c[LINE], line_of(p, touch));
	snprintf(text, sizeof(text), "%s: cache line %llu%s", c[TYPE].text,
	         (unsigned long long)c[LINE].count, mark);
	cell_text(&c[LINE_TEXT], text);
}

#define KEY_OF_TYPES .number = member_type_number, .of_data = true, .needs_type = true
static const struct key keys[] = {
        {"type", KEY_OF_TYPES, .fill = fill_name, KEY_COLUMNS(name_columns)},
        {"typeoff", KEY_OF_TYPES, .compare = compare_offset, .fill = fill_offset,
         KEY_COLUMNS(offset_columns)},
        {"typecln", KEY_OF_TYPES, .compare = compare_line, .fill = fill_line,
         KEY_COLUMNS(line_columns)},
};

const struct key *type_key_at(unsigned index)
{
	return index < sizeof(keys) / sizeof(keys[0]) ? &keys[index] : NULL;
}
