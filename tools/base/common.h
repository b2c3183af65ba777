/* SPDX-License-Identifier: MIT */
/*
 * Small things that every sub-command needs: messages, exit statuses, sizes, suggestions, colors
 * and a buffered output that does not go through stdio.
 */
#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <spemu/version.h>

#define SPEMU_VERSION_TEXT "spemu " SPEMU_VERSION

/* Exit statuses of spemu's own failures, as env(1) and timeout(1) use them. */
enum exit_status {
	EXIT_DAMAGED = 1,      /* report, dump: part of the input could not be read */
	EXIT_USAGE = 2,        /* wrong usage; no program was started */
	EXIT_OWN = 125,        /* spemu itself failed */
	EXIT_CANNOT_RUN = 126, /* the program is there and cannot be run */
	EXIT_NOT_FOUND = 127,  /* the program is not there */
};

/* "record", "report", ...: prefix of messages. Set once by the dispatcher. */
extern const char *command_name;
/* 0 with -q, 1 normally, 2 with -v. */
extern int verbosity;

/* One line "spemu CMD: ..." on stderr, and exit with status. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print such a line if the verbosity is `least` or more. */
void print_message(int least, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Report an error that makes the command fail later; warn, except with -q; inform, with -v only. */
#define complain(...) print_message(0, __VA_ARGS__)
#define warn(...) print_message(1, __VA_ARGS__)
#define verbose(...) print_message(2, __VA_ARGS__)

/* Return the time of a clock that only goes forward. */
double clock_seconds(void);

/* malloc() family that dies instead of returning NULL. */
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* tsearch(3) that dies instead of returning NULL. */
void tree_add(void **tree, const void *item, int (*compare)(const void *, const void *));

/* With gcc's address sanitizer a short array has no unused elements, so that it reports a read past
 * the end. */
#if defined(__SANITIZE_ADDRESS__)
#define NEXT_CAPACITY(capacity) ((capacity) < 1024 ? (capacity) + 1 : 2 * (capacity))
#else
#define NEXT_CAPACITY(capacity) ((capacity) ? 2 * (capacity) : 16)
#endif

/* Room for one more element in an array that grows by doubling. */
#define GROW(array, count, capacity)                                   \
	((count) < (capacity) ? (array)                                \
	                      : ((capacity) = NEXT_CAPACITY(capacity), \
	                         (array) = xreallocarray((array), (capacity), sizeof(*(array)))))

/* Append an element to such an array: "APPEND(array, count, capacity) = value". The value must not
 * refer to count. */
#define APPEND(array, count, capacity) \
	(*((void)GROW(array, count, capacity), (count)++, &(array)[(count)-1]))

/* Return -1, 0 or 1, as a comparison function does. */
static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/*
 * Set index to the number of leading elements with a property, by binary search. has is an
 * expression about the index mid, from 0 to count - 1. It is true for the first elements and false
 * for the rest.
 */
#define COUNT_LEADING(index, count, mid, has)                           \
	do {                                                            \
		size_t beyond_ = (count);                               \
                                                                        \
		(index) = 0;                                            \
		while ((index) < beyond_) {                             \
			size_t mid = (index) + (beyond_ - (index)) / 2; \
                                                                        \
			if (has)                                        \
				(index) = mid + 1;                      \
			else                                            \
				beyond_ = mid;                          \
		}                                                       \
	} while (0)

/* Return advice on a word that is not one of `names` (suggest_name() in hosts/scenario/nearest.h),
 * in a static buffer. */
const char *suggestion(const char *word, const char *const *names);
/* Return the index of word in names, which end with NULL. If it is none of them, die with
 * EXIT_USAGE: "unknown WHAT". */
unsigned find_name(const char *what, const char *word, const char *const *names);

/*
 * Parse "123", "0x7b", "4k", "2M", "1G" (powers of unit: 1000 or 1024). False if it is not a number
 * or does not fit 64 bits.
 */
bool parse_number(uint64_t *value, const char *text, unsigned unit);

/*
 * Turn colors of stdout on or off, by the value of --color (NULL: not given): "always", "never", or
 * "auto", which means a terminal that supports them and no NO_COLOR.
 */
void color_setup(const char *when);
extern bool color_on;

/* Progress on stderr, only on a terminal and only after one second. total 0: unknown. */
void progress(const char *what, uint64_t done, uint64_t total);
void progress_end(void);

/* Buffered output to a descriptor; dies when the reader or the disk refuses. */
struct out {
	int fd;
	const char *path; /* for messages; NULL: standard output */
	size_t len;
	/* NULL, or what writes lines instead of write(2); returns how much of the text it took. */
	size_t (*filter)(struct out *o, const char *text, size_t len);
	char buf[65536];
};
extern struct out out_stdout;
/* Create the file of an option for output. Die with EXIT_OWN if that fails. */
void out_create(struct out *o, const char *path, const char *option);
void out_bytes(struct out *o, const char *data, size_t len);
void out_text(struct out *o, const char *text);
void out_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull));
/* width lower-case hexadecimal digits, zero padded; width 0: as many as needed. */
void out_hex(struct out *o, uint64_t value, unsigned width);
void out_dec(struct out *o, uint64_t value);
/* Write a value of `width` bits: in binary, or in hexadecimal if it has more than `most` bits. */
void out_bits(struct out *o, uint64_t value, unsigned width, unsigned most);
void out_flush(struct out *o);
/* Return what to do about the error number of a write, or NULL if that depends on the command. */
const char *write_remedy(int error);
/* Write to the descriptor, past buffer and filter. */
void out_write(struct out *o, const char *data, size_t len);
/* Write all of the data to a descriptor. Return false with errno on failure. */
bool write_all(int fd, const void *data, size_t size);

/* Sub-commands. argv[0] is the name of the command. Return the exit status. */
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_regs(int argc, char **argv);
int cmd_pgo(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_vm(int argc, char **argv);

#endif
