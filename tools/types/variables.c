/* SPDX-License-Identifier: MIT */
/*
 * See variables.h.
 *
 * DWARF:       DWARF 5, sections 2.5 (expressions), 2.6 (locations), 3.3.5 (frame base), 4.1
 *              (variables), 6.4 (call frames)
 */
#include "variables.h"

#include "location_list.h"
#include "../base/common.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 200,
	ENTRIES_MAX = 1 << 20,   /* entries of a function */
	LOCATIONS_MAX = 1 << 20, /* locations of a function */
	RANGES_MAX = 4096,       /* ranges of a block */
	AARCH64_SP = 31,
	AARCH64_REGISTERS = 32,
};

/* State of a walk over a function. */
struct walk {
	struct variables *variables;
	struct types *types;
	Dwarf_Die *function;
	Dwarf_Off last;
	size_t visited;
	/* Base of DW_OP_fbreg: the CFA, or register + offset. */
	bool has_base, base_is_cfa;
	uint8_t base_register;
	int64_t base_offset;
	struct type *captured; /* variables that a closure captures, or NULL */
	bool parameter;        /* true if the variable is a parameter */
};

/* Get the register of DW_OP_regN, DW_OP_bregN or their extended forms. */
static bool register_of(uint8_t *reg, const Dwarf_Op *op, unsigned first, unsigned extended)
{
	uint64_t n = op->atom == extended ? op->number : (uint64_t)op->atom - first;

	if (n >= AARCH64_REGISTERS)
		return false; /* a SIMD&FP register */
	*reg = (uint8_t)n;
	return true;
}

static bool is_reg(const Dwarf_Op *op)
{
	return (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) || op->atom == DW_OP_regx;
}

static bool is_breg(const Dwarf_Op *op)
{
	return (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) || op->atom == DW_OP_bregx;
}

/* Set register and offset of a DW_OP_breg. */
static bool set_breg(struct location *l, const Dwarf_Op *op)
{
	l->offset = (int64_t)(op->atom == DW_OP_bregx ? op->number2 : op->number);
	return register_of(&l->reg, op, DW_OP_breg0, DW_OP_bregx);
}

static bool set_frame(struct location *l, const struct walk *w, const Dwarf_Op *op)
{
	l->kind = w->base_is_cfa ? LOCATION_FRAME : LOCATION_MEMORY;
	l->reg = w->base_register;
	l->offset = (int64_t)op->number + w->base_offset;
	return w->has_base;
}

/*
 * Set the location of the pointer to a variable: a stack slot that the expression loads first. In a
 * closure of Rust, it has the address of the captured variables.
 */
static bool set_pointer(struct location *l, const struct walk *w, const Dwarf_Op *ops, size_t n)
{
	struct type *target = w->captured && !w->parameter ? w->captured : n == 2 ? l->type : NULL;

	if (!target)
		return false;
	l->type = type_pointer_to(w->types, target);
	l->kind = LOCATION_MEMORY;
	if (is_breg(ops))
		return set_breg(l, ops) && l->reg == AARCH64_SP;
	return ops->atom == DW_OP_fbreg && set_frame(l, w, ops);
}

/* Set the location that a whole expression describes. Return false for other expressions. */
static bool set_location(struct location *l, const struct walk *w, const Dwarf_Op *ops, size_t n)
{
	if (n == 1 && is_reg(ops)) {
		l->kind = LOCATION_REGISTER;
		return register_of(&l->reg, ops, DW_OP_reg0, DW_OP_regx);
	}
	if (n == 1 && is_breg(ops)) {
		l->kind = LOCATION_MEMORY;
		return set_breg(l, ops);
	}
	if (n == 2 && is_breg(ops) && ops[1].atom == DW_OP_stack_value) {
		l->kind = LOCATION_VALUE;
		return set_breg(l, ops);
	}
	if (n == 1 && ops->atom == DW_OP_fbreg)
		return set_frame(l, w, ops);
	return n >= 2 && ops[1].atom == DW_OP_deref && set_pointer(l, w, ops, n);
}

static void add_location(struct walk *w, const struct location *l)
{
	struct variables *v = w->variables;

	if (v->count < LOCATIONS_MAX && l->low < l->high)
		APPEND(v->locations, v->count, v->capacity) = *l;
}

/* Add the parts of a variable that an expression with DW_OP_piece describes. */
static void add_pieces(struct walk *w, struct location l, const Dwarf_Op *ops, size_t n)
{
	size_t first = 0;

	l.piece = 0;
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom != DW_OP_piece)
			continue;
		l.piece_size = ops[i].number;
		if (l.piece_size && set_location(&l, w, ops + first, i - first))
			add_location(w, &l);
		l.piece += l.piece_size;
		first = i + 1;
	}
}

static void add_expression(struct walk *w, struct location l, const Dwarf_Op *ops, size_t n)
{
	if (n && ops[n - 1].atom == DW_OP_GNU_uninit)
		n--;
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom == DW_OP_piece) {
			add_pieces(w, l, ops, n);
			return;
		}
	}
	if (set_location(&l, w, ops, n))
		add_location(w, &l);
}

/* Add a variable whose only location holds in all ranges of its block. */
static void add_everywhere(struct walk *w, Dwarf_Die *block, struct location l, const Dwarf_Op *ops,
                           size_t n)
{
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	for (int i = 0; i < RANGES_MAX; i++) {
		at = dwarf_ranges(block, at, &base, &l.low, &l.high);
		if (at <= 0)
			break;
		add_expression(w, l, ops, n);
	}
}

/* A variable with a list that libdw does not read whole. */
struct unread {
	struct walk *walk;
	struct location like;
};

static void take_location(void *unread, const struct location_entry *entry)
{
	struct unread *u = unread;

	u->like.low = entry->low;
	u->like.high = entry->high;
	add_expression(u->walk, u->like, entry->ops, entry->count);
}

static void add_variable(struct walk *w, Dwarf_Die *die, Dwarf_Die *block)
{
	size_t before = w->variables->count;
	struct location l = {.type = type_of(w->types, die)};
	Dwarf_Attribute attribute;
	Dwarf_Addr base;
	Dwarf_Op *ops;
	ptrdiff_t at = 0;
	size_t n;

	if (!l.type || !dwarf_attr(die, DW_AT_location, &attribute))
		return;
	if (!dwarf_getlocation(&attribute, &ops, &n)) {
		add_everywhere(w, block, l, ops, n);
		return;
	}
	while ((at = dwarf_getlocations(&attribute, at, &base, &l.low, &l.high, &ops, &n)) > 0)
		add_expression(w, l, ops, n);
	if (at < 0) {
		struct unread unread = {w, l};

		w->variables->count = before;
		location_list_read(&attribute, die, take_location, &unread);
	}
}

static bool has_ranges(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Walk over the variables and blocks of a block. `around` is the innermost block with ranges. */
static bool walk(struct walk *w, Dwarf_Die *block, Dwarf_Die *around, unsigned depth)
{
	Dwarf_Die die;
	int status;

	if (depth > DEPTH_MAX || dwarf_child(block, &die))
		return true;
	do {
		int tag = dwarf_tag(&die);

		if (dwarf_dieoffset(&die) <= w->last || ++w->visited > ENTRIES_MAX)
			return false;
		w->last = dwarf_dieoffset(&die);
		w->parameter = tag == DW_TAG_formal_parameter;
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			add_variable(w, &die, around);
		else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		         !walk(w, &die, has_ranges(&die) ? &die : around, depth + 1))
			return false;
	} while ((status = dwarf_siblingof(&die, &die)) == 0);
	return status > 0;
}

static void set_frame_base(struct walk *w)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(w->function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &n) || n != 1)
		return;
	if (ops->atom == DW_OP_call_frame_cfa) {
		w->has_base = w->base_is_cfa = true;
	} else if (is_reg(ops)) {
		w->has_base = register_of(&w->base_register, ops, DW_OP_reg0, DW_OP_regx);
	} else if (is_breg(ops)) {
		w->has_base = register_of(&w->base_register, ops, DW_OP_breg0, DW_OP_bregx);
		w->base_offset = (int64_t)(ops->atom == DW_OP_bregx ? ops->number2 : ops->number);
	}
}

/* Find the frame at an address in DWARF. Return its end, or 0. */
static uint64_t find_frame(struct frame_rule *rule, const struct frame_tables *tables, uint64_t at)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end = 0;
	Dwarf_Op *ops;
	int64_t bias = tables->bias_eh;
	bool known = false;
	size_t n;

	if (!tables->eh || dwarf_cfi_addrframe(tables->eh, at + (uint64_t)bias, &frame)) {
		bias = 0;
		if (!tables->debug || dwarf_cfi_addrframe(tables->debug, at, &frame))
			return 0;
	}
	if (dwarf_frame_info(frame, &start, &end, NULL) >= 0 && !dwarf_frame_cfa(frame, &ops, &n) &&
	    n == 1 && is_breg(ops)) {
		struct location l = {0};

		known = set_breg(&l, ops);
		*rule = (struct frame_rule){at, end - (uint64_t)bias, l.reg, l.offset};
	}
	(free)(frame); /* libdw allocated it */
	return known && rule->high > at ? rule->high : 0;
}

static void add_rules(struct variables *v, const struct frame_tables *tables, uint64_t low,
                      uint64_t high)
{
	for (uint64_t at = low; at < high;) {
		struct frame_rule rule;
		uint64_t end = find_frame(&rule, tables, at);

		if (!end) {
			at += 4;
			continue;
		}
		if (rule.high > high)
			rule.high = high;
		APPEND(v->rules, v->rule_count, v->rule_capacity) = rule;
		at = end;
	}
}

size_t variable_ranges(Dwarf_Die *function, struct variable_range *ranges, size_t max,
                       uint64_t longest)
{
	Dwarf_Addr base;
	ptrdiff_t at = 0;
	size_t n = 0;

	while (n < max &&
	       (at = dwarf_ranges(function, at, &base, &ranges[n].low, &ranges[n].high)) > 0)
		n += ranges[n].low < ranges[n].high && ranges[n].high - ranges[n].low <= longest;
	return n;
}

static int compare_locations(const void *pa, const void *pb)
{
	const struct location *a = pa, *b = pb;

	return compare_numbers(a->low, b->low);
}

static int compare_rules(const void *pa, const void *pb)
{
	const struct frame_rule *a = pa, *b = pb;

	return compare_numbers(a->low, b->low);
}

void variables_of(struct variables *variables, struct types *types,
                  const struct frame_tables *tables, Dwarf_Die *function,
                  const struct variable_range *ranges, size_t count)
{
	struct walk w = {.variables = variables, .types = types, .function = function};

	*variables = (struct variables){0};
	w.last = dwarf_dieoffset(function);
	w.captured = type_captured(types, function);
	set_frame_base(&w);
	walk(&w, function, function, 0);
	for (size_t i = 0; i < count; i++)
		add_rules(variables, tables, ranges[i].low, ranges[i].high);
	if (variables->count)
		qsort(variables->locations, variables->count, sizeof(*variables->locations),
		      compare_locations);
	if (variables->rule_count)
		qsort(variables->rules, variables->rule_count, sizeof(*variables->rules),
		      compare_rules);
}

void variables_free(struct variables *variables)
{
	free(variables->locations);
	free(variables->rules);
	*variables = (struct variables){0};
}

const struct frame_rule *frame_rule_at(const struct variables *v, uint64_t address)
{
	size_t i;

	COUNT_LEADING(i, v->rule_count, mid, v->rules[mid].low <= address);
	return i && address < v->rules[i - 1].high ? &v->rules[i - 1] : NULL;
}
