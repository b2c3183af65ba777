/* SPDX-License-Identifier: MIT */
/* The places of a function's variables: registers and stack slots, by ranges of code. */
#ifndef TOOLS_TYPES_VARIABLES_H
#define TOOLS_TYPES_VARIABLES_H

#include "type.h"

enum location_kind {
	LOCATION_REGISTER, /* the register has the value */
	LOCATION_VALUE,    /* the value is register + offset */
	LOCATION_MEMORY,   /* the variable is in memory at register + offset */
	LOCATION_FRAME,    /* the variable is in memory at CFA + offset */
};

struct location {
	uint64_t low, high; /* range of code, as addresses in DWARF */
	enum location_kind kind;
	uint8_t reg; /* 0..31; 31 is the stack pointer */
	int64_t offset;
	struct type *type;
	uint64_t piece, piece_size; /* part of the variable in bytes; piece_size 0 is all of it */
};

/* The canonical frame address in a range of code: register + offset. */
struct frame_rule {
	uint64_t low, high;
	uint8_t reg;
	int64_t offset;
};

struct variables {
	struct location *locations; /* sorted by low */
	size_t count, capacity;
	struct frame_rule *rules; /* sorted by low */
	size_t rule_count, rule_capacity;
};

/* The call frame information of an object. Either may be NULL. bias_* is the address in the CFI
 * minus the address in DWARF. */
struct frame_tables {
	Dwarf_CFI *eh, *debug;
	int64_t bias_eh;
};

/* A range of code of a function. */
struct variable_range {
	uint64_t low, high;
};

/* Get the ranges of a function. Leave out ranges of more than `longest` bytes. Return their number,
 * at most max. */
size_t variable_ranges(Dwarf_Die *function, struct variable_range *ranges, size_t max,
                       uint64_t longest);

/* Collect the variables of a function and of the functions that are inlined in it. */
void variables_of(struct variables *variables, struct types *types,
                  const struct frame_tables *tables, Dwarf_Die *function,
                  const struct variable_range *ranges, size_t count);
void variables_free(struct variables *variables);

/* Return the rule for the frame address at an address, or NULL. */
const struct frame_rule *frame_rule_at(const struct variables *variables, uint64_t address);

#endif
