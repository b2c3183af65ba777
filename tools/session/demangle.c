/* SPDX-License-Identifier: MIT */
/*
 * Demangle with GNU libiberty, the code of c++filt(1) and perf.
 *
 * A mangled name can refer back to its own parts, so a short name may expand to more text than fits
 * in memory. libiberty returns C++ and Rust names in pieces, so demangling stops when the text is
 * too long. It returns D names whole, so D names are limited to a few back references.
 */
#define _GNU_SOURCE
#include "demangle.h"
#include "../base/common.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORDS_MAX = 65536,
	KEPT_MAX = 64 << 20, /* limit of the bytes of all names that a process keeps */
	NAME_MAX_CPP = 4096, /* limit of a name, whose nesting uses stack: 1 KiB a character */
	NAME_MAX_D = 2048,
	REFERENCES_MAX_D = 16, /* limit of back references ('Q'): three may triple the text */
};

struct words {
	char *text;
	size_t length, capacity;
	jmp_buf full;
};

/*
 * Define libiberty's allocation functions here, so that the linker does not take its file, which
 * also defines xcalloc(). The parentheses avoid macros that tests define.
 */
void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

void *xrealloc(void *p, size_t size)
{
	p = (realloc)(p, size ? size : 1);
	if (!p)
		die(EXIT_OWN, "out of memory");
	return p;
}

static void take_piece(const char *piece, size_t length, void *argument)
{
	struct words *w = argument;

	if (length > WORDS_MAX - w->length)
		longjmp(w->full, 1);
	if (w->capacity < w->length + length + 1) {
		w->capacity = 2 * (w->length + length + 1);
		w->text = xreallocarray(w->text, w->capacity, 1);
	}
	memcpy(w->text + w->length, piece, length);
	w->length += length;
	w->text[w->length] = '\0';
}

static int demangle_pieces(const char *name, struct words *w)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (name[0] == '_' && name[1] == 'R')
		return rust_demangle_callback(name, options, take_piece, w);
	/* Legacy Rust names are C++ names with a hash at the end, which rust_demangle drops. */
	if (rust_demangle_callback(name, options, take_piece, w))
		return 1;
	w->length = 0;
	/* The library's default limit is a thousand characters, which templates exceed. */
	return cplus_demangle_v3_callback(name, options | DMGL_NO_RECURSE_LIMIT, take_piece, w);
}

/* Demangle a name. Return false if it is not mangled, or if the text would be too long. */
static bool demangle_bounded(const char *name, struct words *w)
{
	return !setjmp(w->full) && demangle_pieces(name, w) && w->length;
}

static char *demangle_cpp_or_rust(const char *name)
{
	struct words w = {0};

	if (strlen(name) <= NAME_MAX_CPP && demangle_bounded(name, &w))
		return xreallocarray(w.text, w.length + 1, 1); /* free the unused room */
	free(w.text);
	return NULL;
}

static char *demangle_d(const char *name)
{
	unsigned references = 0;
	char *text, *copy = NULL;

	for (const char *p = name; *p; p++)
		references += *p == 'Q';
	if (references > REFERENCES_MAX_D || strlen(name) > NAME_MAX_D)
		return NULL;
	text = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	if (text && strlen(text) <= WORDS_MAX)
		copy = xstrdup(text);
	(free)(text); /* the real free(), not the macro of a test, because the library called the
	                 real malloc() */
	return copy;
}

static char *demangle_whole(const char *name)
{
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2) || !strncmp(name, "_GLOBAL_", 8))
		return demangle_cpp_or_rust(name);
	if (!strncmp(name, "_D", 2))
		return demangle_d(name);
	return NULL;
}

char *demangle(const char *name)
{
	const char *at = strchr(name, '@');
	char *front, *text, *both;

	if (name[0] != '_')
		return NULL;
	if (!at)
		return demangle_whole(name);
	front = xstrdup(name);
	front[at - name] = '\0';
	text = demangle_whole(front);
	free(front);
	if (!text)
		return NULL;
	both = xasprintf("%s%s", text, at);
	free(text);
	return both;
}

char *demangle_kept(const char *name)
{
	static size_t all; /* bytes of all names returned so far */
	char *text = all < KEPT_MAX ? demangle(name) : NULL;

	if (text)
		all += strlen(text);
	return text;
}
