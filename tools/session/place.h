/* SPDX-License-Identifier: MIT */
/* The place of a sampled instruction or a call: an address in one task. */
#ifndef TOOLS_PLACE_H
#define TOOLS_PLACE_H

#include <spemu/codec.h>

#include "session.h"

struct place {
	const struct task *task;
	struct object *object; /* NULL: not in any mapping */
	uint64_t addr;         /* vaddr in the object, or the sampled address if there is none */
	uint32_t input;        /* index of the recording */
	bool kernel;
	bool resolved;      /* addr is a vaddr of object */
	bool no_address;    /* the records have no PC */
	bool wanted;        /* the filters want it */
	bool named, lined;  /* the members below were looked up */
	const char *symbol; /* NULL: none */
	uint64_t start;     /* of the symbol, or addr */
	const char *file;   /* NULL: no line information */
	int line;
	const char *caller_file; /* where it was inlined in its function; NULL: it was not */
	int caller_line;
	uint64_t samples; /* samples of this instruction */
};

/* Return the place of a record's PC, not looked up yet. */
struct place place_of_record(const struct task *task, const struct spemu_record *rec);
/* Find the object of a place, whose address is in memory, and its address in the object. */
void place_locate(struct place *place, struct session *s, uint64_t time);

/* Look up the symbol, or the source line, of a place, once. */
void place_find_symbol(struct place *place);
void place_find_line(struct place *place);

/* Write "symbol+0x12", "symbol" or an address. */
void place_name(char *text, size_t size, const struct place *place, bool with_offset);
const char *place_object(const struct place *place);

#endif
