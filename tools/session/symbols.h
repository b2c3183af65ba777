/* SPDX-License-Identifier: MIT */
/* The objects of a profile: from file offsets to symbols and source lines, through elfutils. */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that was mapped by a profiled process. It lives until the program ends. */
struct object;

/* Set a folder that is searched first: it is prepended to the paths of files. NULL: none. */
void objects_set_sysroot(const char *sysroot);

/*
 * Return the object for a mapped path, the same one each time; never NULL. If the file is missing,
 * is not AArch64 ELF, or has another build-id than the recorded one, the object has no symbols.
 * build_id_size 0: unknown.
 */
struct object *object_find(const char *path, const uint8_t *build_id, size_t build_id_size);
/*
 * Return the kernel, under perf's name for it, or a module that was loaded at base. The file
 * offsets of their mappings are addresses in memory, in the first recording if there are several:
 * there a module is at object_base(). of_another_start: the recording is of another boot than the
 * first one.
 */
struct object *object_find_kernel(const uint8_t *build_id, size_t build_id_size);
struct object *object_find_module(const char *path, uint64_t base, bool of_another_start,
                                  const uint8_t *build_id, size_t build_id_size);
uint64_t object_base(const struct object *obj);
bool object_is_first_kernel(const struct object *obj);
/* Return the object for code that a process generated. The file offsets of its mappings are
 * addresses in memory. */
struct object *object_find_jit(uint32_t pid);
/* Return the same for a jitdump file, whose mappings have offsets in the file (jitdump.h). */
struct object *object_find_dump(const char *path);

/* Return an object by index 0, 1, ... in the order of object_find(), or NULL past the end. */
struct object *object_at(size_t index);
size_t object_index(const struct object *obj);
/* Return -1, 0 or 1 by these indexes; NULL comes first. */
int object_compare(const struct object *a, const struct object *b);

const char *object_path(const struct object *obj);
/* Return the recorded build-id. *size 0: none was recorded. */
const uint8_t *object_build_id(const struct object *obj, size_t *size);
/* Return the last component of the path, or "[anon]" and the like. */
const char *object_name(const struct object *obj);
/* Return why there are no symbols, or NULL. Valid after the first look-up. */
const char *object_problem(const struct object *obj);
/* Return why some symbols are missing, or NULL; and a remedy for either, never NULL. */
const char *object_gap(const struct object *obj);
const char *object_remedy(const struct object *obj);

/*
 * Find the virtual address in the ELF file of a file offset. Return false if no segment holds it.
 * writable: the mapping is writable. Two segments may share a page of the file.
 */
bool object_vaddr(struct object *obj, uint64_t *vaddr, uint64_t offset, bool writable);
/* Return true if a segment holds vaddr in memory, zero-filled parts included. */
bool object_holds(struct object *obj, uint64_t vaddr);

/* Compare a file with a recorded one: by their build-ids, or by their names if one has no
 * build-id. */
enum object_match {
	OBJECT_DIFFERS,
	OBJECT_CHANGED, /* the same name, another build-id */
	OBJECT_SAME,
};
enum object_match object_match(struct object *file, const struct object *recorded);
/* Find the address that the first byte is linked at. Return false if nothing is loaded. In a
 * list of symbols, that is `_text` or else the first symbol. */
bool object_link_address(struct object *obj, uint64_t *vaddr);
/* Find the beginning of the first segment with code. Return false if there is none. */
bool object_code_base(struct object *obj, uint64_t *vaddr);

enum symbol_kind {
	SYMBOL_CODE,
	SYMBOL_DATA,
};
/* Return the symbol that contains vaddr, or NULL. *start, unless NULL, gets its first address. */
const char *object_symbol(struct object *obj, uint64_t *start, uint64_t vaddr,
                          enum symbol_kind kind);

struct symbol_list;
/* Return the symbols of code as linked (symbol_list.h), by address. Never NULL. */
const struct symbol_list *object_code_symbols(struct object *obj);

/* Find the source line of vaddr, or return false. *file lives as long as obj. */
bool object_line(struct object *obj, const char **file, int *line, uint64_t vaddr);

/* A function that is inlined; the last one of a list is not. Texts live as long as obj. */
struct frame {
	const char *function;
	const char *file; /* NULL: not known */
	int line;         /* of vaddr, or where the previous frame was inlined */
};
/*
 * Write the functions that are inlined at vaddr, the innermost first, at most max. Return their
 * number; 0 without debugging information.
 */
size_t object_frames(struct object *obj, struct frame *frames, size_t max, uint64_t vaddr);

/* A frame for linkers and compilers: the name of the function as linked, and the line at which
 * it begins. */
struct linked_frame {
	const char *function;
	int line, first_line; /* 0: not known */
	unsigned discriminator;
};
size_t object_linked_frames(struct object *obj, struct linked_frame *frames, size_t max,
                            uint64_t vaddr);
/*
 * Find the function, not inlined, that holds vaddr: its name and at most max of its ranges of code.
 * Return their number.
 */
struct code_range {
	uint64_t low, high;
};
size_t object_function(struct object *obj, const char **name, struct code_range *ranges, size_t max,
                       uint64_t vaddr);
/* Return true if there is debugging information with lines. */
bool object_has_lines(struct object *obj);

/* Read size bytes of code at vaddr from the file. Return false if the object has no file or is
 * too short. */
bool object_code(struct object *obj, uint8_t *code, uint64_t vaddr, size_t size);
/* Return the end of the symbol at vaddr, or vaddr. */
uint64_t object_symbol_end(struct object *obj, uint64_t vaddr, enum symbol_kind kind);

#endif
