/* SPDX-License-Identifier: MIT */
/*
 * ELF files of a profile: from file offsets to symbols and source lines, through elfutils.
 */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that was mapped by a profiled process. Lives until the program ends. */
struct object;

/* Where to look for files besides their own path: prepended to it. NULL: nowhere. */
void objects_set_sysroot(const char *sysroot);

/*
 * The object for a mapped path, found once. A file that is missing, is not AArch64 ELF, or has
 * another build-id than the recorded one gives an object without symbols; never NULL.
 * build_id_size 0: unknown.
 */
struct object *object_find(const char *path, const uint8_t *build_id, size_t build_id_size);
/*
 * The kernel, under perf's name for it, and a module, loaded at base. File offsets of their
 * mappings are the addresses in memory, of the first recording where there are several: there a
 * module is at object_base(). of_another_start: the recording is not of the same start of the
 * kernel as the first one.
 */
struct object *object_find_kernel(const uint8_t *build_id, size_t build_id_size);
struct object *object_find_module(const char *path, uint64_t base, bool of_another_start,
                                  const uint8_t *build_id, size_t build_id_size);
uint64_t object_base(const struct object *obj);
bool object_is_first_kernel(const struct object *obj);
/* Code that a process made itself. File offsets of its mappings are the addresses in memory. */
struct object *object_find_jit(uint32_t pid);
/* The same, by a jitdump file, whose mappings are those of a file (jitdump.h). */
struct object *object_find_dump(const char *path);

/* Index 0, 1, ... in the order of object_find(); NULL past the end. */
struct object *object_at(size_t index);
size_t object_index(const struct object *obj);
/* Return -1, 0 or 1 by these indexes; NULL comes first. */
int object_compare(const struct object *a, const struct object *b);

const char *object_path(const struct object *obj);
/* The build-id that was recorded of it; size 0: none was. */
const uint8_t *object_build_id(const struct object *obj, size_t *size);
/* The last component of the path, or "[anon]" and the like. */
const char *object_name(const struct object *obj);
/* Why there are no symbols, or NULL. Meaningful once something was looked up. */
const char *object_problem(const struct object *obj);
/* Why some are missing, or NULL; and what helps against either, never NULL. */
const char *object_gap(const struct object *obj);
const char *object_remedy(const struct object *obj);

/*
 * The virtual address in the ELF file of a file offset. False if no segment holds it. writable:
 * whether the mapping is: two segments may share a page of the file.
 */
bool object_vaddr(struct object *obj, uint64_t *vaddr, uint64_t offset, bool writable);
/* Whether a segment holds vaddr in memory, zero-filled parts included. */
bool object_holds(struct object *obj, uint64_t vaddr);

/* Whether a recorded file is this one: by their build-ids, or by their names where one has no
 * build-id. */
enum object_match {
	OBJECT_DIFFERS,
	OBJECT_CHANGED, /* the same name, another build-id */
	OBJECT_SAME,
};
enum object_match object_match(struct object *file, const struct object *recorded);
/* Where its first byte is linked; false if nothing is loaded. Of a list: `_text`, or else its first
 * symbol. */
bool object_link_address(struct object *obj, uint64_t *vaddr);
/* Where the first segment begins that holds code; false if none does. */
bool object_code_base(struct object *obj, uint64_t *vaddr);

enum symbol_kind {
	SYMBOL_CODE,
	SYMBOL_DATA,
};
/* The symbol that contains vaddr, or NULL. *start, unless NULL, gets its first address. */
const char *object_symbol(struct object *obj, uint64_t *start, uint64_t vaddr,
                          enum symbol_kind kind);

struct symbol_list;
/* The symbols of code as linked (symbol_list.h), by address. Never NULL. */
const struct symbol_list *object_code_symbols(struct object *obj);

/* The source line of vaddr, or false. *file lives as long as obj. */
bool object_line(struct object *obj, const char **file, int *line, uint64_t vaddr);

/* A function that is inlined, or the one that is not, at the end of the list. Texts live as long as
 * obj. */
struct frame {
	const char *function;
	const char *file; /* NULL: not known */
	int line;         /* in function: where vaddr is, or where the frame before was inlined */
};
/*
 * What was inlined at vaddr, the innermost first, at most max of them: functions, not blocks.
 * Returns their number; 0 without debugging information.
 */
size_t object_frames(struct object *obj, struct frame *frames, size_t max, uint64_t vaddr);

/* The same as linkers and compilers know it: a function's name as linked, and lines from its first
 * one on. */
struct linked_frame {
	const char *function;
	int line, first_line; /* 0: not known */
	unsigned discriminator;
};
size_t object_linked_frames(struct object *obj, struct linked_frame *frames, size_t max,
                            uint64_t vaddr);
/*
 * The function, not inlined, that holds vaddr: at most max of its ranges of code, and its name.
 * Returns their number.
 */
struct code_range {
	uint64_t low, high;
};
size_t object_function(struct object *obj, const char **name, struct code_range *ranges, size_t max,
                       uint64_t vaddr);
/* Whether there is debugging information with lines at all. */
bool object_has_lines(struct object *obj);

/* The code of size bytes at vaddr, from the file. False if the object has no file or not so
 * much. */
bool object_code(struct object *obj, uint8_t *code, uint64_t vaddr, size_t size);
/* The end of the symbol at vaddr, or vaddr. */
uint64_t object_symbol_end(struct object *obj, uint64_t vaddr, enum symbol_kind kind);

#endif
