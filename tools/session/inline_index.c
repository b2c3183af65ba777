/* SPDX-License-Identifier: MIT */
/*
 * Source lines and inlined functions by address, from DWARF.
 *
 * dwarf_getscopes() of libdw walks a whole unit for each query. This index walks a unit once, when
 * the first address in the unit is looked up. The walk records the functions of the unit and the
 * functions that are inlined in them, each after the function that contains it.
 *
 * Debugging information may be hostile. The entries of a unit must be in the order of their
 * offsets, so that no entry is visited twice. The depth is bounded. The number of ranges is bounded
 * by the size of the file, because entries may share one list of ranges. The memory for line tables
 * is bounded, too (line_table.h).
 */
#include "demangle.h"
#include "line_table.h"
#include "object.h"
#include "../base/common.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

enum {
	DEPTH_MAX = 200,
	DIE_RANGES_MAX = 4096,
	RANGES_MAX = 4 << 20, /* limit of the ranges of any object */
	RANGES_FREE = 4096,   /* ranges that any object may have */
	LINES_RATIO = 160,    /* bytes of memory for each byte of the file, or of its line tables */
	LINES_FREE = 1 << 20, /* bytes of memory that any object may use for line tables */
	AT_GNU_DISCRIMINATOR = 0x2136, /* attribute that elfutils does not name */
};

struct range {
	uint64_t low, high;
	uint32_t owner; /* index of the unit in the object, or of the scope in the unit */
};

/* A range of a function that is not inlined. */
struct function_range {
	uint64_t low, high;
	uint64_t reach; /* highest end of this range and of those before it */
	uint32_t scope;
};

/* A function, or an inlined call of a function. */
struct scope {
	Dwarf_Die die;
	const char *name; /* name of the function, or NULL before it is looked up */
	int first_line;   /* first line of the function, or 0; known with the name */
	uint32_t first_range, range_count;
	uint32_t after; /* index of the first later scope that is not inside this one */
	bool inlined;
};

struct unit {
	Dwarf_Die die;
	Dwarf_Die with_lines; /* unit with the line table: the skeleton of split DWARF, else die */
	bool walked, lines_asked, lines_fit;
	struct range *ranges;
	struct scope *scopes;
	/* Ranges of functions, also of those inside functions, such as lambdas; sorted by low. */
	struct function_range *functions;
	size_t range_count, range_capacity, scope_count, scope_capacity, function_count;
	size_t function_capacity;
};

struct inline_index {
	Dwarf *dwarf;
	Dwarf_Addr bias; /* address in the object minus address in DWARF */
	struct unit *units;
	struct range *ranges; /* ranges of the units, sorted */
	size_t unit_count, unit_capacity, range_count, range_capacity;
	size_t all_ranges, ranges_max;
	struct line_sections line_sections;
	uint64_t lines_left; /* bytes of memory that line tables may still take */
};

static int compare_ranges(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return a->low < b->low ? -1 : a->low > b->low;
}

/* Add the ranges of an entry. Return false if there are too many. */
static bool add_ranges(struct inline_index *index, struct range **ranges, size_t *count,
                       size_t *capacity, Dwarf_Die *die, size_t owner)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	for (int i = 0; i < DIE_RANGES_MAX; i++) {
		at = dwarf_ranges(die, at, &base, &low, &high);
		if (at <= 0)
			break;
		if (low >= high)
			continue;
		if (++index->all_ranges > index->ranges_max)
			return false;
		APPEND(*ranges, *count, *capacity) = (struct range){low, high, (uint32_t)owner};
	}
	return true;
}

/*
 * Set the limits of an object: one range for each byte of the file, which only shared lists of
 * ranges exceed, and memory for line tables.
 */
static void set_limits(struct inline_index *index)
{
	size_t size = 0;
	uint64_t lines;

	if (!elf_rawfile(dwarf_getelf(index->dwarf), &size))
		size = 0;
	index->ranges_max = size < RANGES_MAX - RANGES_FREE ? size + RANGES_FREE : RANGES_MAX;
	line_sections_find(&index->line_sections, index->dwarf);
	lines = index->line_sections.line ? index->line_sections.line->d_size : 0;
	index->lines_left = LINES_FREE + LINES_RATIO * (lines > size ? lines : size);
}

/* Return the index of an object, which is made once. Return NULL if the object has no file. */
static struct inline_index *index_of(struct object *obj)
{
	struct inline_index *index = obj->inlines;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	object_load(obj);
	if (index || !obj->module)
		return index;
	obj->inlines = index = xcalloc(1, sizeof(*index));
	index->dwarf = dwfl_module_getdwarf(obj->module, &index->bias);
	if (!index->dwarf)
		return index;
	index->bias -= obj->bias;
	set_limits(index);
	do {
		Dwarf_Die die, split;
		struct unit *unit;

		if (dwarf_get_units(index->dwarf, cu, &cu, NULL, &type, &die, &split) != 0)
			break;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		unit = &GROW(index->units, index->unit_count,
		             index->unit_capacity)[index->unit_count];
		*unit = (struct unit){.die = type == DW_UT_skeleton && dwarf_tag(&split) > 0 ? split
		                                                                             : die,
		                      .with_lines = die};
		if (!add_ranges(index, &index->ranges, &index->range_count, &index->range_capacity,
		                &die, index->unit_count))
			break;
		index->unit_count++;
	} while (index->unit_count < UINT32_MAX);
	if (index->range_count)
		qsort(index->ranges, index->range_count, sizeof(*index->ranges), compare_ranges);
	return index;
}

/* State of a walk over a unit. */
struct walk {
	struct inline_index *index;
	struct unit *unit;
	Dwarf_Off last; /* offset of the previous entry */
};

static bool add_scope(struct walk *w, Dwarf_Die *die, bool inlined)
{
	struct unit *u = w->unit;
	size_t before = u->range_count;

	if (!add_ranges(w->index, &u->ranges, &u->range_count, &u->range_capacity, die,
	                u->scope_count))
		return false;
	if (u->range_count == before)
		return true; /* a declaration, or a function that is inlined everywhere */
	APPEND(u->scopes, u->scope_count, u->scope_capacity) =
	        (struct scope){.die = *die,
	                       .first_range = (uint32_t)before,
	                       .range_count = (uint32_t)(u->range_count - before),
	                       .inlined = inlined};
	return true;
}

/* Walk an entry, its children and its siblings. Return false if the walk must stop. */
static bool walk(struct walk *w, Dwarf_Die *first, unsigned depth)
{
	Dwarf_Die die = *first, child;
	int status = 0;

	for (; status == 0; status = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);
		size_t scope = w->unit->scope_count;
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;

		if (dwarf_dieoffset(&die) <= w->last)
			return false;
		w->last = dwarf_dieoffset(&die);
		if (function && !add_scope(w, &die, tag == DW_TAG_inlined_subroutine))
			return false;
		/* This checks the order of the entries that dwarf_siblingof() will skip. */
		if (dwarf_child(&die, &child) == 0 &&
		    (depth == DEPTH_MAX || !walk(w, &child, depth + 1)))
			return false;
		if (scope < w->unit->scope_count && function &&
		    w->unit->scopes[scope].die.addr == die.addr)
			w->unit->scopes[scope].after = (uint32_t)w->unit->scope_count;
	}
	return status > 0;
}

static int compare_function_ranges(const void *pa, const void *pb)
{
	const struct function_range *a = pa, *b = pb;

	return a->low != b->low ? compare_numbers(a->low, b->low)
	                        : compare_numbers(a->scope, b->scope);
}

/* Sort the ranges of the functions of a unit. */
static void sort_functions(struct unit *u)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < u->scope_count; i++) {
		const struct scope *s = &u->scopes[i];
		const struct range *r = u->ranges + s->first_range;

		for (uint32_t k = 0; !s->inlined && k < s->range_count; k++)
			APPEND(u->functions, u->function_count, u->function_capacity) =
			        (struct function_range){r[k].low, r[k].high, 0, i};
	}
	if (u->function_count)
		qsort(u->functions, u->function_count, sizeof(*u->functions),
		      compare_function_ranges);
	for (size_t i = 0; i < u->function_count; i++) {
		reach = u->functions[i].high > reach ? u->functions[i].high : reach;
		u->functions[i].reach = reach;
	}
}

static void walk_unit(struct inline_index *index, struct unit *unit)
{
	struct walk w = {.index = index, .unit = unit, .last = dwarf_dieoffset(&unit->die)};
	Dwarf_Die child;

	if (unit->walked)
		return;
	unit->walked = true;
	if (dwarf_child(&unit->die, &child) == 0)
		walk(&w, &child, 0);
	/* A walk that stopped early leaves some scopes open. */
	for (size_t i = 0; i < unit->scope_count; i++) {
		if (!unit->scopes[i].after)
			unit->scopes[i].after = (uint32_t)unit->scope_count;
	}
	sort_functions(unit);
}

/* Return the unit that contains a DWARF address, or NULL. */
static struct unit *unit_at(struct inline_index *index, uint64_t address)
{
	size_t low;

	COUNT_LEADING(low, index->range_count, i, index->ranges[i].low <= address);
	/* Units do not overlap, except those that the linker discarded and left at address 0. */
	for (size_t i = low; i > 0 && low - i < 8; i--) {
		if (address < index->ranges[i - 1].high)
			return &index->units[index->ranges[i - 1].owner];
	}
	return NULL;
}

static bool scope_holds(const struct unit *unit, const struct scope *scope, uint64_t address)
{
	for (uint32_t i = 0; i < scope->range_count; i++) {
		const struct range *r = &unit->ranges[scope->first_range + i];

		if (address >= r->low && address < r->high)
			return true;
	}
	return false;
}

/* Return the linkage name, else the name, else NULL. */
static const char *linked_name(struct scope *scope)
{
	Dwarf_Attribute attribute;

	/* dwarf_attr_integrate() follows at most 16 references to the declaration. */
	if (dwarf_attr_integrate(&scope->die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(&scope->die, DW_AT_MIPS_linkage_name, &attribute) ||
	    dwarf_attr_integrate(&scope->die, DW_AT_name, &attribute))
		return dwarf_formstring(&attribute);
	return NULL;
}

/* Return a numeric attribute of the entry or of its abstract origin, or 0. */
static unsigned number_of(struct scope *scope, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr_integrate(&scope->die, name, &attribute), &value) ||
	    value > INT32_MAX)
		return 0;
	return (unsigned)value;
}

/* Look up the name and the first line of a scope, once. */
static void name_scope(struct scope *scope)
{
	const char *name;

	if (scope->name)
		return;
	name = linked_name(scope);
	scope->name = name ? demangle_kept(name) : "[unknown]";
	if (!scope->name)
		scope->name = name;
	scope->first_line = (int)number_of(scope, DW_AT_decl_line);
}

/* Return true if the line table of the unit fits into the memory for line tables. */
static bool lines_fit(struct inline_index *index, struct unit *unit)
{
	uint64_t cost;

	if (!unit->lines_asked) {
		cost = line_table_cost(&index->line_sections, &unit->with_lines, index->lines_left);
		unit->lines_asked = true;
		unit->lines_fit = cost != UINT64_MAX;
		index->lines_left -= unit->lines_fit ? cost : 0;
	}
	return unit->lines_fit;
}

/* Return the row of the line table for vaddr, or NULL. */
static Dwarf_Line *row_at(struct inline_index *index, struct unit *unit, uint64_t vaddr)
{
	return unit && lines_fit(index, unit) ? dwarf_getsrc_die(&unit->die, vaddr - index->bias)
	                                      : NULL;
}

/* Set the file and line of the call that was inlined as this scope. */
static void call_site(struct inline_index *index, struct unit *unit, struct scope *scope,
                      struct frame *frame)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_formudata(dwarf_attr(&scope->die, DW_AT_call_line, &attribute), &line) ||
	    line > INT32_MAX)
		return;
	frame->line = (int)line;
	if (dwarf_formudata(dwarf_attr(&scope->die, DW_AT_call_file, &attribute), &file) ||
	    !lines_fit(index, unit) || dwarf_getsrcfiles(&unit->die, &files, &count) ||
	    file >= count)
		return;
	frame->file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
}

bool object_line(struct object *obj, const char **file, int *line, uint64_t vaddr)
{
	struct inline_index *index = index_of(obj);
	Dwarf_Line *row = index ? row_at(index, unit_at(index, vaddr - index->bias), vaddr) : NULL;

	if (!row || dwarf_lineno(row, line) || *line <= 0)
		return false;
	*file = dwarf_linesrc(row, NULL, NULL);
	return *file;
}

/* Return the innermost function that is not inlined and contains the address, or NULL. */
static struct scope *function_scope(const struct unit *unit, uint64_t address)
{
	size_t i;

	COUNT_LEADING(i, unit->function_count, mid, unit->functions[mid].low <= address);
	for (; i > 0 && address < unit->functions[i - 1].reach; i--) {
		if (address < unit->functions[i - 1].high)
			return &unit->scopes[unit->functions[i - 1].scope];
	}
	return NULL;
}

/* Write the scopes around an address to path, the outermost first, which is a function that is not
 * inlined. Return their number. */
static size_t scopes_at(const struct unit *unit, uint64_t address, struct scope **path)
{
	struct scope *function = function_scope(unit, address), *s = function;
	size_t n = 0;

	while (function && s < unit->scopes + function->after && n < DEPTH_MAX) {
		/* Code of a function inside the function is not part of its path. */
		if (scope_holds(unit, s, address) && (s->inlined || s == function))
			path[n++] = s++;
		else
			s = unit->scopes + s->after;
	}
	return n;
}

/* Find the unit of vaddr, and write the scopes around it like scopes_at(). */
static size_t scopes_of(struct object *obj, struct unit **unit, struct scope **path, uint64_t vaddr)
{
	struct inline_index *index = index_of(obj);

	*unit = index ? unit_at(index, vaddr - index->bias) : NULL;
	if (!*unit)
		return 0;
	walk_unit(index, *unit);
	return scopes_at(*unit, vaddr - index->bias, path);
}

const char *object_inlined(struct object *obj, uint64_t vaddr)
{
	struct scope *path[DEPTH_MAX];
	struct unit *unit;
	size_t n = scopes_of(obj, &unit, path, vaddr);

	if (n < 2)
		return NULL;
	name_scope(path[n - 1]);
	return path[n - 1]->name;
}

size_t object_frames(struct object *obj, struct frame *frames, size_t max, uint64_t vaddr)
{
	struct scope *path[DEPTH_MAX];
	struct unit *unit;
	size_t n = scopes_of(obj, &unit, path, vaddr), count = 0;

	for (; n > 0 && count < max; n--, count++) {
		name_scope(path[n - 1]);
		frames[count] = (struct frame){.function = path[n - 1]->name,
		                               .first_line = path[n - 1]->first_line};
		if (!count)
			object_line(obj, &frames[0].file, &frames[0].line, vaddr);
		else
			call_site(obj->inlines, unit, path[n], &frames[count]);
	}
	return count;
}

size_t object_linked_frames(struct object *obj, struct linked_frame *frames, size_t max,
                            uint64_t vaddr)
{
	struct scope *path[DEPTH_MAX];
	struct unit *unit;
	size_t n = scopes_of(obj, &unit, path, vaddr), count = 0;
	Dwarf_Line *line;

	for (; n > 0 && count < max; n--, count++) {
		struct linked_frame *f = &frames[count];

		*f = (struct linked_frame){.function = linked_name(path[n - 1]),
		                           .first_line =
		                                   (int)number_of(path[n - 1], DW_AT_decl_line)};
		if (count) {
			f->line = (int)number_of(path[n], DW_AT_call_line);
			f->discriminator = number_of(path[n], AT_GNU_DISCRIMINATOR);
			continue;
		}
		line = row_at(obj->inlines, unit, vaddr);
		if (!line || dwarf_lineno(line, &f->line) ||
		    dwarf_linediscriminator(line, &f->discriminator))
			f->line = 0;
	}
	return count;
}

size_t object_function(struct object *obj, const char **name, struct code_range *ranges, size_t max,
                       uint64_t vaddr)
{
	struct scope *path[DEPTH_MAX];
	struct unit *unit;
	size_t n = scopes_of(obj, &unit, path, vaddr), count = 0;

	if (!n)
		return 0;
	*name = linked_name(path[0]);
	for (; count < path[0]->range_count && count < max; count++) {
		const struct range *r = &unit->ranges[path[0]->first_range + count];

		ranges[count] = (struct code_range){r->low + obj->inlines->bias,
		                                    r->high + obj->inlines->bias};
	}
	return count;
}

bool object_function_entry(struct object *obj, Dwarf_Die *entry, uint64_t vaddr)
{
	struct scope *path[DEPTH_MAX];
	struct unit *unit;

	if (!scopes_of(obj, &unit, path, vaddr))
		return false;
	*entry = path[0]->die;
	return true;
}

Dwarf *object_dwarf(struct object *obj, uint64_t *bias)
{
	struct inline_index *index = index_of(obj);

	if (!index || !index->dwarf)
		return NULL;
	*bias = index->bias;
	return index->dwarf;
}

bool object_unit(struct object *obj, Dwarf_Die *unit, uint64_t vaddr)
{
	struct inline_index *index = index_of(obj);
	const struct unit *u = index ? unit_at(index, vaddr - index->bias) : NULL;

	if (u)
		*unit = u->die;
	return u;
}

bool object_has_lines(struct object *obj)
{
	return index_of(obj) && obj->kind == OBJECT_FILE && obj->inlines->range_count;
}
