/* SPDX-License-Identifier: MIT */
/* Places of sampled instructions and calls: an address in one task. */
#ifndef TOOLS_PLACE_H
#define TOOLS_PLACE_H

#include <spemu/codec.h>

#include "session.h"

struct place {
	const struct task *task;
	struct object *object; /* object that is mapped there, or NULL */
	uint64_t addr;         /* vaddr in the object if resolved, else the address in memory */
	uint32_t input;        /* index of the recording */
	bool kernel;
	bool resolved;       /* true if addr is a vaddr in the object */
	bool no_address;     /* true if the records have no PC */
	bool wanted;         /* true if the filters accept the place */
	bool named, lined;   /* true after the look-up of the symbol, and of the line */
	const char *symbol;  /* name of the symbol, or NULL */
	const char *inlined; /* name of the innermost inlined function, or NULL */
	uint64_t start;      /* start of the symbol, or 0 */
	const char *file;    /* source file, or NULL without line information */
	int line;
	const char *caller_file; /* file of the outermost inlined call, or NULL */
	int caller_line;
	uint32_t same_line; /* number of the line in a comparison of recordings: line_match.h */
	uint64_t samples;   /* number of samples of this instruction */
};

/* Return the place of a record's PC, before any look-up. */
struct place place_of_record(const struct task *task, const struct spemu_record *rec);
/* Find the object that is mapped at a place, and convert the address in memory to a vaddr. */
void place_locate(struct place *place, struct session *s, uint64_t time);

/* Return the place of the call that allocated heap objects, without a task. */
struct place place_of_allocation(struct session *s, const struct allocation_site *site);
/* Return the place of a caller of an allocation site. */
struct place place_of_allocation_caller(struct session *s, const struct allocation_site *site,
                                        unsigned caller);
/* Find the object that holds the data at an address in memory, and their vaddr. Zero-initialized
 * data of a file are in anonymous memory behind its last mapping. Return false if there is none. */
bool place_of_data(struct object **object, uint64_t *vaddr, struct session *s, uint32_t pid,
                   uint64_t addr, uint64_t time);

/* Treat inlined functions as part of the function that contains them. */
void places_hide_inlined(void);
/* Write at most max functions at a place like object_frames(). Return 0 if inlined functions are
 * hidden. */
size_t place_frames(const struct place *place, struct frame *frames, size_t max);
/* Look up the symbol or the source line of a place, once. */
void place_find_symbol(struct place *place);
void place_find_line(struct place *place);

/*
 * Write the name of the function: the inlined function, else the symbol, else the object in
 * brackets, so that code without a symbol is one row. With with_offset, write the symbol and the
 * offset in it instead, or the address without a symbol.
 */
void place_name(char *text, size_t size, const struct place *place, bool with_offset);
const char *place_object(const struct place *place);
/* Return true if the name of the symbol is only its address, as in "fn_49c0". */
bool place_is_unnamed(const struct place *place);
/* Compare the functions of two places, by their names or by their places in the object. */
int place_compare_functions(const struct place *a, const struct place *b, bool by_name);

#endif
