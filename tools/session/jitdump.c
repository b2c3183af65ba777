/* SPDX-License-Identifier: MIT */
/*
 * Generated code from the jitdump file (jit-PID.dump) that a runtime writes: names, addresses over
 * time, and bytes.
 *
 * The format is version 1 of tools/perf/Documentation/jitdump-specification.txt of Linux: a header,
 * then records of code that was loaded or moved, each with a time. In the address space of the
 * object, a piece of code is at the offset of its bytes in the file. So two pieces that were loaded
 * at the same address, one after the other, have different addresses in the object.
 *
 * The file is not trusted. Sizes are checked against their record, and a record against the file.
 * After the first invalid record, the rest is ignored.
 */
#define _GNU_SOURCE
#include "jitdump.h"
#include "object.h"
#include "../base/common.h"
#include "../base/map.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAGIC = 0x4a695444, /* "JiTD" */
	VERSION = 1,
	MACHINE = 183, /* EM_AARCH64 */
	ARCH_TIMESTAMP = 1,
	HEADER = 40,
	PREFIX = 16,
	LOAD = 0, /* ids of records */
	MOVE = 1,
	LOAD_SIZE = 56, /* size of a record without name and code */
	MOVE_SIZE = 64,
	RECORDS_MAX = 1 << 20, /* limit of the number of pieces of code */
	NAME_MAX_SIZE = 8192,
};

struct dump {
	struct object *obj;
	FILE *file;
	uint64_t size;     /* size of the file */
	uint64_t at;       /* offset of the record */
	struct map loaded; /* code indexes, in the order of loads */
	struct jit_code *loads;
	size_t load_capacity;
};

static uint64_t number(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static void add_code(struct object *obj, const struct jit_code *code)
{
	APPEND(obj->codes, obj->code_count, obj->code_capacity) = *code;
}

/* Read the name. Return NULL unless it ends with a NUL within room bytes. The caller frees it. */
static char *read_name(const struct dump *d, uint64_t room, size_t *length)
{
	char name[NAME_MAX_SIZE];
	size_t n = room < sizeof(name) ? (size_t)room : sizeof(name);
	const char *end;

	if (fread(name, 1, n, d->file) != n)
		return NULL;
	end = memchr(name, 0, n);
	if (!end)
		return NULL;
	*length = (size_t)(end - name) + 1;
	return xstrdup(name);
}

/* Take a record of code that was loaded. Return false if the record is invalid. */
static bool load_record(struct dump *d, const uint8_t *prefix, uint64_t size)
{
	uint8_t body[LOAD_SIZE - PREFIX];
	struct jit_code code;
	uint64_t code_size;
	size_t length, index;
	char *name;

	if (size < LOAD_SIZE || fread(body, 1, sizeof(body), d->file) != sizeof(body))
		return false;
	code_size = number(body + 24, 8);
	if (code_size > size - LOAD_SIZE)
		return false;
	name = read_name(d, size - LOAD_SIZE - code_size, &length);
	if (!name)
		return false;
	code = (struct jit_code){.time = number(prefix + 8, 8),
	                         .start = number(body + 16, 8),
	                         .size = code_size,
	                         .offset = d->at + LOAD_SIZE + length};
	if (!code_size || code.start > UINT64_MAX - code_size)
		return !code_size; /* a function without code is not an error */
	add_code(d->obj, &code);
	symbols_add(&d->obj->symbols[SYMBOL_CODE], &(struct symbol){.start = code.offset,
	                                                            .end = code.offset + code_size,
	                                                            .name = name,
	                                                            .sized = 1});
	index = map_add(&d->loaded, (struct map_key){number(body + 32, 8), 0, 0});
	if (index + 1 == d->loaded.count)
		GROW(d->loads, index, d->load_capacity);
	d->loads[index] = code;
	return true;
}

static bool move_record(struct dump *d, const uint8_t *prefix, uint64_t size)
{
	uint8_t body[MOVE_SIZE - PREFIX];
	struct jit_code code;
	size_t index;

	if (size < MOVE_SIZE || fread(body, 1, sizeof(body), d->file) != sizeof(body))
		return false;
	index = map_find(&d->loaded, (struct map_key){number(body + 40, 8), 0, 0});
	/* Code that was never loaded has no name, but it replaces the code at its address. Give it
	 * an offset past the end of any file. */
	if (index == MAP_NONE)
		code = (struct jit_code){.size = number(body + 32, 8), .offset = OWN_FILE_SIZE_MAX};
	else
		code = d->loads[index];
	code.time = number(prefix + 8, 8);
	code.start = number(body + 24, 8);
	if (code.start > UINT64_MAX - code.size)
		return false;
	add_code(d->obj, &code);
	return true;
}

/* Take the next record. Return false at the end of the file, or if the record is invalid. */
static bool next_record(struct dump *d)
{
	uint8_t prefix[PREFIX];
	uint64_t id, size;
	bool good = true;

	if (d->at > d->size || d->size - d->at < PREFIX || d->obj->code_count >= RECORDS_MAX ||
	    fseeko(d->file, (off_t)d->at, SEEK_SET) ||
	    fread(prefix, 1, sizeof(prefix), d->file) != sizeof(prefix))
		return false;
	id = number(prefix, 4);
	size = number(prefix + 4, 4);
	if (size < PREFIX || size > d->size - d->at)
		return false;
	if (id == LOAD)
		good = load_record(d, prefix, size);
	else if (id == MOVE)
		good = move_record(d, prefix, size);
	d->at += size;
	return good;
}

/* Return the offset of the first record. If the header is invalid, set obj->problem and return
 * 0. */
static uint64_t read_header(struct object *obj, FILE *file)
{
	uint8_t header[HEADER];
	uint64_t size;

	if (fread(header, 1, sizeof(header), file) != sizeof(header) ||
	    number(header, 4) != MAGIC || number(header + 4, 4) != VERSION) {
		obj->problem = xasprintf("%s is not a jitdump file of version 1", obj->path);
		return 0;
	}
	if (number(header + 12, 4) != MACHINE) {
		obj->problem = xasprintf("%s is for another machine (ELF number %llu)", obj->path,
		                         (unsigned long long)number(header + 12, 4));
		return 0;
	}
	size = number(header + 8, 4);
	obj->code_by_counter = number(header + 32, 8) & ARCH_TIMESTAMP;
	return size < HEADER ? HEADER : size;
}

void jitdump_load(struct object *obj)
{
	struct dump d = {.obj = obj};
	off_t size;

	d.file = own_file_open(obj);
	if (!d.file)
		return;
	size = fseeko(d.file, 0, SEEK_END) ? -1 : ftello(d.file);
	d.size = size > 0 ? (uint64_t)size : 0;
	rewind(d.file);
	d.at = read_header(obj, d.file);
	while (d.at && next_record(&d))
		;
	if (!obj->problem && !obj->code_count)
		obj->problem = xasprintf("%s contains no code", obj->path);
	obj->code_file = d.file;
	map_free(&d.loaded);
	free(d.loads);
	object_finish(obj);
}

bool jitdump_bytes(const struct object *obj, uint8_t *bytes, uint64_t offset, size_t size)
{
	const struct symbol *s = symbols_find(&obj->symbols[SYMBOL_CODE], offset);

	return s && obj->code_file && size <= s->end - offset &&
	       !fseeko(obj->code_file, (off_t)offset, SEEK_SET) &&
	       fread(bytes, 1, size, obj->code_file) == size;
}

bool jitdump_is_named(const char *path, uint32_t pid)
{
	const char *slash = strrchr(path, '/');
	char name[32];

	snprintf(name, sizeof(name), "jit-%u.dump", pid);
	return slash && !strcmp(slash + 1, name);
}
