/* SPDX-License-Identifier: MIT */
/* See fuzz_tools.h. Invariants for all output of a command: no byte is a control character, a mark
 * of the bidirectional algorithm, or invalid UTF-8. A message is one line. */
#include "fuzz_tools.h"

#include <fcntl.h>
#include <setjmp.h>

#include "fuzz.h"

/* Below this line, these names are the functions of the C library. */
#undef calloc
#undef malloc
#undef reallocarray
#undef realloc
#undef strdup
#undef vasprintf
#undef getline
#undef free
#undef fopen
#undef fdopen
#undef open_memstream
#undef realpath
#undef fclose
#undef tsearch
#undef tfind
#undef tdestroy
#undef write
#undef fprintf
#undef exit

enum { BLOCKS_MAX = 1 << 16, PRINTED_MAX = 1 << 20 };

static jmp_buf exited; /* target of exit() */

/* ---- memory: each block contains its index in the list ---- */

struct block {
	size_t place, size;
	max_align_t memory[];
};
static struct block *blocks[BLOCKS_MAX];
static size_t block_count;

static struct block *block_of(void *p)
{
	return (struct block *)(void *)((char *)p - offsetof(struct block, memory));
}

void *fuzz_reallocarray(void *p, size_t n, size_t size)
{
	struct block *b = p ? block_of(p) : NULL;
	size_t all, place = b ? b->place : block_count;

	if (__builtin_mul_overflow(n, size, &all) || all > (size_t)1 << 30 || place == BLOCKS_MAX)
		return NULL;
	b = realloc(b, sizeof(*b) + all);
	REQUIRE(b);
	block_count += !p;
	b->place = place;
	b->size = all;
	blocks[place] = b;
	return b->memory;
}

void *fuzz_calloc(size_t n, size_t size)
{
	void *p = fuzz_reallocarray(NULL, n, size);

	return p ? memset(p, 0, n * size) : NULL;
}

void fuzz_free(void *p)
{
	struct block *b;

	if (!p)
		return;
	b = block_of(p);
	REQUIRE(b->place < block_count && blocks[b->place] == b);
	blocks[b->place] = blocks[--block_count];
	blocks[b->place]->place = b->place;
	free(b);
}

char *fuzz_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = fuzz_calloc(1, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

int fuzz_vasprintf(char **text, const char *format, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	*text = n < 0 ? NULL : fuzz_calloc(1, (size_t)n + 1);
	return *text ? vsnprintf(*text, (size_t)n + 1, format, ap) : -1;
}

ssize_t fuzz_getline(char **line, size_t *room, FILE *f)
{
	char *own = NULL;
	size_t size = 0;
	ssize_t n = getline(&own, &size, f);

	fuzz_free(*line);
	*line = NULL;
	*room = n < 0 ? 0 : (size_t)n + 1;
	if (n >= 0)
		*line = memcpy(fuzz_calloc(1, *room), own, *room);
	free(own);
	return n;
}

/* ---- files: at the end, close those that a command has left open ---- */

enum { OPENED_MAX = 16, DESCRIPTORS = 64 };

static struct opened {
	FILE *file;
	char **text; /* of open_memstream(); moved into a block at fclose() */
} opened[OPENED_MAX];

static FILE *keep(FILE *f, char **text)
{
	unsigned i = 0;

	if (!f)
		return NULL;
	while (i < OPENED_MAX && opened[i].file)
		i++;
	REQUIRE(i < OPENED_MAX);
	opened[i] = (struct opened){f, text};
	return f;
}

FILE *fuzz_fopen(const char *path, const char *mode)
{
	return keep(fopen(path, mode), NULL);
}

FILE *fuzz_fdopen(int fd, const char *mode)
{
	return keep(fdopen(fd, mode), NULL);
}

FILE *fuzz_open_memstream(char **text, size_t *size)
{
	return keep(open_memstream(text, size), text);
}

int fuzz_fclose(FILE *f)
{
	unsigned i = 0;
	int status;
	char *own;

	while (i < OPENED_MAX && opened[i].file != f)
		i++;
	status = fclose(f);
	if (i == OPENED_MAX)
		return status;
	if (opened[i].text) {
		own = *opened[i].text;
		*opened[i].text = fuzz_strdup(own);
		free(own);
	}
	opened[i] = (struct opened){0};
	return status;
}

static void close_files(void)
{
	for (unsigned i = 0; i < OPENED_MAX; i++) {
		if (opened[i].file && opened[i].text) {
			fclose(opened[i].file);
			free(*opened[i].text);
		} else if (opened[i].file) {
			fclose(opened[i].file);
		}
		opened[i] = (struct opened){0};
	}
}

/* Close descriptors that were not open at the start. */
static void close_descriptors(void)
{
	static bool known, own[DESCRIPTORS];

	for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
		if (!known)
			own[fd] = fcntl(fd, F_GETFD) >= 0;
		else if (!own[fd])
			close(fd);
	}
	known = true;
}

char *fuzz_realpath(const char *path, char *resolved)
{
	char *own = realpath(path, resolved), *copy;

	if (!own || resolved)
		return own;
	copy = fuzz_strdup(own);
	free(own);
	return copy;
}

/* A node of a binary tree without balancing. */
struct node {
	const void *key; /* the first member, to which tsearch() returns a pointer */
	void *less, *more;
};

static struct node **find_node(const void *key, void **root,
                               int (*compare)(const void *, const void *))
{
	while (*root) {
		struct node *n = *root;
		int order = compare(key, n->key);

		if (order == 0)
			break;
		root = order < 0 ? &n->less : &n->more;
	}
	return (struct node **)(void *)root;
}

void *fuzz_tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
	struct node **at = find_node(key, root, compare);

	if (!*at) {
		*at = fuzz_calloc(1, sizeof(**at));
		(*at)->key = key;
	}
	return *at;
}

void *fuzz_tfind(const void *key, void *const *root, int (*compare)(const void *, const void *))
{
	return *find_node(key, (void **)(uintptr_t)root, compare);
}

/* Pass only the keys to `take`; fuzz_end() frees the nodes. */
void fuzz_tdestroy(void *root, void (*take)(void *key))
{
	struct node *n = root;

	if (!n)
		return;
	fuzz_tdestroy(n->less, take);
	fuzz_tdestroy(n->more, take);
	if (take == free) /* the name alone does not use the macro */
		take = fuzz_free;
	take((void *)(uintptr_t)n->key);
}

/* ---- checks of the output ---- */

static unsigned char printed[PRINTED_MAX];
static size_t printed_size;

ssize_t fuzz_write(int fd, const void *data, size_t size)
{
	size_t room = sizeof(printed) - printed_size;

	if (fd != STDOUT_FILENO && fd != STDERR_FILENO)
		return write(fd, data, size);
	memcpy(printed + printed_size, data, size < room ? size : room);
	printed_size += size < room ? size : room;
	return (ssize_t)size;
}

/* Return the size of the UTF-8 character at p (Unicode 15, table 3-7) and its number, or 0 if it is
 * invalid. */
static unsigned character(uint32_t *number, const unsigned char *p, size_t left)
{
	unsigned n = *p < 0x80   ? 1
	             : *p < 0xc2 ? 0
	             : *p < 0xe0 ? 2
	             : *p < 0xf0 ? 3
	             : *p < 0xf5 ? 4
	                         : 0;

	if (n == 0 || n > left)
		return 0;
	*number = n == 1 ? *p : *p & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*number = *number << 6 | (p[i] & 0x3f);
	}
	if ((n == 3 && (*number < 0x800 || (*number >= 0xd800 && *number < 0xe000))) ||
	    (n == 4 && (*number < 0x10000 || *number > 0x10ffff)))
		return 0;
	return n;
}

static void check_clean(const unsigned char *text, size_t size)
{
	for (size_t i = 0; i < size;) {
		uint32_t c = 0;
		unsigned n = character(&c, text + i, size - i);

		REQUIRE(n > 0);
		REQUIRE(c >= 0x20 || c == '\n');
		REQUIRE(c < 0x7f || c > 0x9f);
		REQUIRE(c != 0x61c && c != 0x200e && c != 0x200f);
		REQUIRE((c < 0x202a || c > 0x202e) && (c < 0x2066 || c > 0x2069));
		i += n;
	}
}

int fuzz_fprintf(FILE *f, const char *format, ...)
{
	static char line[8192];
	va_list ap;
	int n;

	va_start(ap, format);
	n = f == stderr ? vsnprintf(line, sizeof(line), format, ap) : vfprintf(f, format, ap);
	va_end(ap);
	if (f != stderr)
		return n;
	REQUIRE(n > 0 && (size_t)n < sizeof(line) && strchr(line, '\n') == line + n - 1);
	check_clean((const unsigned char *)line, (size_t)n);
	return n;
}

void fuzz_exit(int status)
{
	REQUIRE((status >= 0 && status <= 2) || (status >= 125 && status <= 127));
	longjmp(exited, 1);
}

void fuzz_run(void (*command)(void *argument), void *argument)
{
	printed_size = 0;
	close_descriptors();
	if (!setjmp(exited))
		command(argument);
}

void fuzz_end(bool binary)
{
	if (!binary && printed_size < sizeof(printed)) /* a full buffer may end within a
	                                                * character */
		check_clean(printed, printed_size);
	close_files();
	close_descriptors();
	while (block_count > 0)
		free(blocks[--block_count]);
}
