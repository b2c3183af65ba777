/* SPDX-License-Identifier: MIT */
/*
 * Helpers for every sub-command: messages, exit statuses, memory, names, numbers, colors, progress,
 * and buffered output that does not go through stdio.
 */
#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <spemu/version.h>

#define SPEMU_VERSION_TEXT "spemu " SPEMU_VERSION

/* Exit statuses of spemu's own failures, with the meanings of env(1) and timeout(1). */
enum exit_status {
	EXIT_DAMAGED = 1,      /* report, dump: part of the input could not be read */
	EXIT_USAGE = 2,        /* wrong usage: no program was started */
	EXIT_OWN = 125,        /* spemu itself failed */
	EXIT_CANNOT_RUN = 126, /* the program exists but cannot be run */
	EXIT_NOT_FOUND = 127,  /* the program does not exist */
};

/* Name of the sub-command, the prefix of its messages. The dispatcher sets it once. */
extern const char *command_name;
/* The amount of messages: 0 with -q, 1 normally, 2 with -v. */
extern int verbosity;

/* Print a line "spemu COMMAND: ..." to standard error, and exit with the status. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print a line "spemu COMMAND: ..." to standard error if `verbosity` is at least `least`. */
void write_message(int least, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Report an error that makes the command fail (always), a warning (without -q), or details (with
 * -v). */
#define complain(...) write_message(0, __VA_ARGS__)
#define warn(...) write_message(1, __VA_ARGS__)
#define verbose(...) write_message(2, __VA_ARGS__)

/* Return the time of a monotonic clock in seconds. */
double clock_seconds(void);

/* Functions of the malloc() family that die instead of returning NULL. */
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Call tsearch(3), and die instead of returning NULL. */
void tree_add(void **tree, const void *item, int (*compare)(const void *, const void *));

/* With gcc's address sanitizer, a short array has no unused elements, so that the sanitizer reports
 * a read past its end. */
#if defined(__SANITIZE_ADDRESS__)
#define NEXT_CAPACITY(capacity) ((capacity) < 1024 ? (capacity) + 1 : 2 * (capacity))
#else
#define NEXT_CAPACITY(capacity) ((capacity) ? 2 * (capacity) : 16)
#endif

/* Make room for one more element in an array that grows by doubling. The value is the array. */
#define GROW(array, count, capacity)                                   \
	((count) < (capacity) ? (array)                                \
	                      : ((capacity) = NEXT_CAPACITY(capacity), \
	                         (array) = xreallocarray((array), (capacity), sizeof(*(array)))))

/* Append an element to such an array: "APPEND(array, count, capacity) = value". The value must not
 * refer to count. */
#define APPEND(array, count, capacity) \
	(*((void)GROW(array, count, capacity), (count)++, &(array)[(count)-1]))

/* Return -1, 0 or 1 in the manner of a comparison function. */
static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/*
 * Set `index` to the number of leading elements with a property, by binary search. `has` is an
 * expression about the index `mid`, from 0 to count - 1. It is true for the first elements and
 * false for the others.
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
/* Return the index of `word` in `names`, which end with NULL. Die with EXIT_USAGE and "unknown
 * WHAT" if it is missing. */
unsigned find_name(const char *what, const char *word, const char *const *names);

/*
 * Parse "123", "0x7b", "4k", "2M" or "1G", with powers of `unit` (1000 or 1024). Return false if
 * the text is not a number or exceeds 64 bits.
 */
bool parse_number(uint64_t *value, const char *text, unsigned unit);

/*
 * Turn colors on standard output on or off. `when` is the value of --color: "always", "never", or
 * "auto" or NULL. "auto" requires a terminal that supports colors, and NO_COLOR unset or empty.
 */
void color_setup(const char *when);
extern bool color_on;

/* Show progress on standard error if that is a terminal and more than a second has passed. A total
 * of 0 is unknown. */
void progress(const char *what, uint64_t done, uint64_t total);
void progress_end(void);

/* Buffered output to a descriptor. Functions die if the reader or the disk refuses it. */
struct out {
	int fd;
	const char *path; /* name for messages, or NULL for standard output */
	size_t len;
	/* Function that writes lines instead of write(2), or NULL. It returns the number of bytes
	 * that it has used. */
	size_t (*filter)(struct out *o, const char *text, size_t len);
	char buf[65536];
};
extern struct out out_stdout;
/* Open the file of an option for output, and create or truncate it. Die with EXIT_OWN on
 * failure. */
void out_create(struct out *o, const char *path, const char *option);
void out_bytes(struct out *o, const char *data, size_t len);
void out_text(struct out *o, const char *text);
void out_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3), nonnull));
/* Write width lower-case hexadecimal digits with leading zeros, or as many digits as needed if
 * width is 0. */
void out_hex(struct out *o, uint64_t value, unsigned width);
void out_dec(struct out *o, uint64_t value);
/* Write a value of `width` bits: in binary, or in hexadecimal if it has more than `most` bits. */
void out_bits(struct out *o, uint64_t value, unsigned width, unsigned most);
void out_flush(struct out *o);
/* Return the remedy for an error number of write(2), or NULL if it depends on the command. */
const char *write_remedy(int error);
/* Write to the descriptor, and bypass the buffer and the filter. */
void out_write(struct out *o, const char *data, size_t len);
/* Write all of the data to a descriptor. Return false with errno on failure. */
bool write_all(int fd, const void *data, size_t size);

/* Run a sub-command. argv[0] is its name. Return the exit status. */
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
