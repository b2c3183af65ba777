/* SPDX-License-Identifier: MIT */
/* Objects of a profile: convert file offsets to symbols and source lines, with elfutils. */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A file that a profiled process mapped. It lives until the program ends. */
struct object;

/* Set a folder that is prepended to the paths of files and searched first, or NULL for none. */
void objects_set_sysroot(const char *sysroot);

/*
 * Return the object for a mapped path, the same one each time; never NULL. If the file is missing,
 * is not AArch64 ELF, or has another build-id than the recorded one, the object has no symbols. If
 * the build-id is unknown, build_id_size is 0.
 */
struct object *object_find(const char *path, const uint8_t *build_id, size_t build_id_size);
/*
 * Return the kernel, which has perf's name, or a module that was loaded at base. The file offsets
 * of their mappings are addresses in memory. If there are several recordings, these are the
 * addresses in the first one, where a module is at object_base(). of_another_start is true if the
 * recording is from another boot than the first one.
 */
struct object *object_find_kernel(const uint8_t *build_id, size_t build_id_size);
struct object *object_find_module(const char *path, uint64_t base, bool of_another_start,
                                  const uint8_t *build_id, size_t build_id_size);
uint64_t object_base(const struct object *obj);
/* Return the first kernel, or NULL if neither the recording nor the command line names one. */
struct object *objects_kernel(void);
/* Return the object for generated code of a process. The file offsets of its mappings are addresses
 * in memory. copy is the recording's copy of its map (copies.h), or NULL. */
struct copy;
struct object *object_find_jit(uint32_t pid, const struct copy *copy);
/* Say which runtime the process has mapped (jit_runtime.h), for the remedy. */
void object_set_runtime(struct object *obj, unsigned runtime);
/* Return the runtime that generated the code, or 0. */
unsigned object_runtime(const struct object *obj);
/* Return the object for generated code in a jitdump file (jitdump.h). The file offsets of its
 * mappings are offsets in that file. */
struct object *object_find_dump(const char *path, const struct copy *copy);

/* Return an object by index 0, 1, ... in the order of object_find(), or NULL past the end. */
struct object *object_at(size_t index);
size_t object_index(const struct object *obj);
/* Compare objects by their indexes. NULL comes first. */
int object_compare(const struct object *a, const struct object *b);

const char *object_path(const struct object *obj);
/* Return the recorded build-id, and set *size to its size, or to 0 if none was recorded. */
const uint8_t *object_build_id(const struct object *obj, size_t *size);
/* Return the last part of the path, or a name in brackets, such as "[kernel.kallsyms]". */
const char *object_name(const struct object *obj);
/* Return the reason why the object has no symbols, or NULL. Valid after the first look-up. */
const char *object_problem(const struct object *obj);
/* Return the reason why some symbols are missing, or NULL. object_remedy() returns what to do about
 * a problem or gap, never NULL. */
const char *object_gap(const struct object *obj);
const char *object_remedy(const struct object *obj);
#define DEBUG_SYMBOLS "debug symbols (Debian: PACKAGE-dbgsym; Fedora: PACKAGE-debuginfo)"
#define INSTALL_DEBUG_SYMBOLS "install its " DEBUG_SYMBOLS ", or set DEBUGINFOD_URLS"
/* The same with the path of the missing file. */
#define INSTALL_DEBUG_SYMBOLS_AT \
	"install its " DEBUG_SYMBOLS ", which contain %s, or set DEBUGINFOD_URLS"

/*
 * Convert a file offset to a virtual address of the ELF file. Return false if no segment contains
 * it. writable is true if the mapping is writable, because two segments may share a page of the
 * file.
 */
bool object_vaddr(struct object *obj, uint64_t *vaddr, uint64_t offset, bool writable);
/*
 * The same for data, `distance` bytes behind the start of a mapping. Linux maps the whole image of
 * a position-independent program as code first, and then the other segments over it. perf records
 * only mappings of code. So data may lie in a mapping of code, at the distance of their addresses.
 */
bool object_data_vaddr(struct object *obj, uint64_t *vaddr, uint64_t pgoff, uint64_t distance,
                       bool writable);
/* Return true if a segment in memory contains vaddr, including zero-filled parts. */
bool object_holds(struct object *obj, uint64_t vaddr);

/* Compare a file with a recorded one by their build-ids, or by their names if a build-id is
 * missing. */
enum object_match {
	OBJECT_DIFFERS,
	OBJECT_CHANGED, /* same name but another build-id */
	OBJECT_SAME,
};
enum object_match object_match(struct object *file, const struct object *recorded);
/* Find the address of the first byte as linked. In a list of symbols, this is the address of
 * `_text`, or else of the first symbol. Return false if the object has no segment and no symbol. */
bool object_link_address(struct object *obj, uint64_t *vaddr);
/* Find the start of the first segment with code. Return false if there is none. */
bool object_code_base(struct object *obj, uint64_t *vaddr);

enum symbol_kind {
	SYMBOL_CODE,
	SYMBOL_DATA,
};
/*
 * Return the symbol that contains vaddr, or NULL. Set *start, unless NULL, to its address. A
 * function of a stripped file has its address as a name, such as "fn_49c0".
 */
const char *object_symbol(struct object *obj, uint64_t *start, uint64_t vaddr,
                          enum symbol_kind kind);

/* Return true if a symbol of code contains vaddr. */
bool object_has_symbol(struct object *obj, uint64_t vaddr);

struct symbol_list;
/* Return the symbols of code (symbol_list.h), sorted by address; never NULL. */
const struct symbol_list *object_code_symbols(struct object *obj);

/* Find the source line of vaddr. Return false if it is unknown. *file lives as long as obj. */
bool object_line(struct object *obj, const char **file, int *line, uint64_t vaddr);

/* An inlined function, or the function that contains all of them. Texts live as long as obj. */
struct frame {
	const char *function;
	const char *file; /* source file, or NULL if unknown */
	int line;         /* line of vaddr, or of the inlined call of the previous frame */
	int first_line;   /* first line of the function, or 0 */
};
/*
 * Write at most max functions at vaddr: the inlined ones, the innermost first, then the function
 * that contains them. Return their number, or 0 without debugging information.
 */
size_t object_frames(struct object *obj, struct frame *frames, size_t max, uint64_t vaddr);

/* Return the name of the innermost inlined function at vaddr, or NULL. */
const char *object_inlined(struct object *obj, uint64_t vaddr);

/* A frame for linkers and compilers, with the function's linkage name and first line. */
struct linked_frame {
	const char *function;
	int line, first_line; /* line as in struct frame, and first line of the function, or 0 */
	unsigned discriminator;
};
size_t object_linked_frames(struct object *obj, struct linked_frame *frames, size_t max,
                            uint64_t vaddr);
/*
 * Find the function, not inlined, that contains vaddr. Set *name, write at most max of its ranges
 * of code, and return their number.
 */
struct code_range {
	uint64_t low, high;
};
size_t object_function(struct object *obj, const char **name, struct code_range *ranges, size_t max,
                       uint64_t vaddr);
/* Find the time of the last change of the object's file. Return false if it has none. */
bool object_modified(struct object *obj, struct timespec *time);
/* Return true if the object has debugging information with lines. */
bool object_has_lines(struct object *obj);

/* Read size bytes of code at vaddr from the file. Return false if the object has no file or is
 * too short. */
bool object_code(struct object *obj, uint8_t *code, uint64_t vaddr, size_t size);
/* Return the end of the symbol that contains vaddr, or vaddr if there is none. */
uint64_t object_symbol_end(struct object *obj, uint64_t vaddr, enum symbol_kind kind);

#endif
