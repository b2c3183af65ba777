/* SPDX-License-Identifier: MIT */
/* The members of an object, for the files of this folder. Other files include symbols.h. */
#ifndef TOOLS_OBJECT_H
#define TOOLS_OBJECT_H

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include "symbol_list.h"
#include "symbols.h"

struct segment {
	uint64_t offset, vaddr, file_size, mem_size;
	bool writable, executable;
};

enum object_kind {
	OBJECT_FILE,   /* file at path, or memory without a file ("//anon") */
	OBJECT_KERNEL, /* kernel; vaddr is the address in memory minus slide */
	OBJECT_MODULE, /* kernel module that was loaded at base */
	OBJECT_JIT,    /* generated code; vaddr is the address in memory */
	OBJECT_DUMP,   /* generated code; vaddr is the offset in the jitdump file */
};

struct object {
	size_t index;
	enum object_kind kind;
	char *path, *name;
	const uint8_t *build_id;
	size_t build_id_size;
	const struct copy *copy; /* the recording's copy of the file at path (copies.h), or NULL */
	char *problem, *remedy;
	bool loaded, stripped;
	struct timespec modified; /* time of the last change of the open file; all 0 is unknown */
	uint64_t unnamed;         /* number of samples without a symbol (missing.h) */
	unsigned runtime;         /* runtime that generated the code (jit_runtime.h), or 0 */
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias; /* address in dwfl minus vaddr */
	struct segment *segments;
	size_t segment_count, segment_capacity;
	struct symbol_list symbols[2]; /* symbols by enum symbol_kind, sorted by start */
	struct symbol_list unwound;    /* functions of an ELF file, for code without a symbol */
	bool unwound_loaded;
	uint64_t base;                 /* load address of a module */
	struct placed_section *placed; /* code of a module (module_object.c) */
	struct relocation *relocations;
	size_t placed_count, placed_capacity, relocation_count, relocation_capacity;
	bool of_another_start; /* true for a module of another boot than the first recording's */
	uint64_t slide;        /* address of the kernel in memory minus vaddr */
	struct inline_index *inlines; /* lines and inlined functions (inline_index.c) */
	struct object_types *types;   /* types of data (types/object_types.h) */
	struct jit_code *codes;       /* pieces of code of a jitdump file */
	size_t code_count, code_capacity;
	bool code_by_counter; /* true if the times of codes are ticks */
	FILE *code_file;      /* the jitdump file, which stays open */
};

/* ---- elf_object.c: an ELF file ---- */

/* Open path if it is the profiled file. Set obj->problem if path exists but is another file. */
bool elf_open(struct object *obj, const char *path);
/* Open the file that elfutils finds by the build-id alone, in its folders or from
 * DEBUGINFOD_URLS. */
bool elf_open_by_build_id(struct object *obj);
/* Open the file obj->path below the sysroot or at its own place, or perf's copy in ~/.debug. */
bool elf_open_recorded(struct object *obj);
/* Return "aa/bbcc", as in folders like .build-id, or NULL without a build-id. The caller frees
 * it. */
char *build_id_path(const struct object *obj);
/* Find the address of a symbol that obj->symbols may lack, because another one has the same
 * address. */
bool elf_symbol_address(const struct object *obj, uint64_t *vaddr, const char *name);
/* Load segments, symbols and PLT. */
void elf_load(struct object *obj);
/* Return true if the open file has the build-id of the recorded file. */
bool elf_same_build_id(const struct object *file, const struct object *recorded);
bool elf_has_build_id(const struct object *file);
/* Return true if the file begins like an ELF file. libdwfl would also accept compressed files and
 * expand them in memory. */
bool elf_begins(int fd);
/* Return true if expanding the sections of a file takes little memory, compared with its size. */
bool elf_expands_little(Elf *elf);
/* Read bytes of a segment from the file. */
bool elf_bytes(const struct object *obj, uint8_t *bytes, uint64_t vaddr, size_t size);

/* ---- inline_index.c: debugging information ---- */

/* Return the debugging information, or NULL. Set *bias to the address in the object minus the
 * address in DWARF. */
Dwarf *object_dwarf(struct object *obj, uint64_t *bias);
/* Find the unit that contains the code at vaddr. */
bool object_unit(struct object *obj, Dwarf_Die *unit, uint64_t vaddr);
/* Find the entry of the function, not inlined, that contains vaddr. */
bool object_function_entry(struct object *obj, Dwarf_Die *entry, uint64_t vaddr);

/* ---- unnamed_code.c: functions without a symbol ---- */

/* Load the functions of an ELF file, once. */
void unnamed_load(struct object *obj);
/* Return the name of such a function. */
const char *unnamed_name(struct symbol *function);

/* ---- debug_file.c: files with debugging information ---- */

extern const Dwfl_Callbacks debug_file_callbacks;
/* Return the first path where debugging information is searched, or NULL without a build-id. The
 * caller frees it. */
char *debug_file_path(Dwfl_Module *module);

/* ---- symbol_text.c: lists of symbols ---- */

/*
 * Load a list like System.map and /proc/kallsyms. Return false if path is not such a list. Set
 * obj->problem if all addresses in the list are hidden.
 */
bool kallsyms_load(struct object *obj, const char *path);

/* ---- kernel_object.c, symbol_text.c, jitdump.c: symbols of other kinds of objects ---- */

void kernel_load(struct object *obj);
/* Load a module. The kernel must be loaded already. */
void module_load(struct object *obj);
/* Convert an address in memory to the address in the file of a module. Return false if the place of
 * the code there is unknown. */
bool module_vaddr(const struct object *obj, uint64_t *vaddr, uint64_t address);
/* Return the value of the relocation of an instruction: the target of a branch, or the immediate of
 * an instruction that computes an address. Return false if there is none. */
bool module_relocation(const struct object *obj, uint64_t *value, uint64_t vaddr);
void jit_load(struct object *obj);
void jitdump_load(struct object *obj);
/* Read bytes of one piece of code. */
bool jitdump_bytes(const struct object *obj, uint8_t *bytes, uint64_t offset, size_t size);

/* ---- own_file.c: files that a recorded process left in a folder that everyone can write ---- */

enum { OWN_FILE_SIZE_MAX = 256 << 20 };
/*
 * Open the recording's copy of obj->path, or else the file itself, below the sysroot first, under
 * the conditions of open_own(). The file may have at most OWN_FILE_SIZE_MAX bytes. If the process
 * left no file, only one below the sysroot is opened. On failure, set obj->problem and return NULL.
 */
FILE *own_file_open(struct object *obj);

/* ---- expand.c ---- */

/*
 * Expand a file that was compressed with gzip, bzip2, xz or zstd. The position of fd changes.
 * Return the descriptor of a file in memory with the result, positioned at its end; the caller
 * closes it. Return -1 with errno EFBIG if the result is longer than size_max bytes, and with
 * another errno if the file is not compressed, is damaged or cannot be read.
 */
int expand_file(int fd, uint64_t size_max);
/* Return true if data that were compressed with xz or lzma expand to at most size_max bytes. */
bool expands_within(const void *data, size_t size, uint64_t size_max);

/* ---- object.c ---- */

const char *objects_sysroot(void);

/* Sort the symbols. Call this after the last symbol was added. */
void object_finish(struct object *obj);

/* ---- object_load.c ---- */

/* Load the object, once. */
void object_load(struct object *obj);

#endif
