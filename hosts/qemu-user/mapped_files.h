/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in the guest's memory, kept up to date from its system calls.
 *
 * /proc/self/maps has the same data. But if it were read at each system call, the time would grow
 * with the square of the number of mappings. Every function takes the lock. Addresses are guest
 * addresses and multiples of a page.
 */
#ifndef MAPPED_FILES_H
#define MAPPED_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* A part of a file, from start to before end. */
struct mapped_part {
	uint64_t start, end, offset; /* offset: position of start in the file */
	uint64_t inode;
	unsigned major, minor; /* numbers of the file's device */
	bool shared;
	const char *path; /* owned by the caller of mapped_files_add() or by the table */
};

/* Put a part of a file into the table, and replace existing parts. If memory is exhausted, the new
 * part is left out. */
void mapped_files_add(const struct mapped_part *part);

/* Put the file of a descriptor into the table. If the descriptor does not have one, only remove
 * existing parts. */
void mapped_files_add_fd(uint64_t start, uint64_t end, uint64_t offset, bool shared, int fd);

void mapped_files_remove(uint64_t start, uint64_t end);

/* Follow mremap(), which made the old_size bytes at `from` new_size bytes at `to`. If `keep`, they
 * stay at `from`, too. */
void mapped_files_move(uint64_t from, uint64_t old_size, uint64_t to, uint64_t new_size, bool keep);

/* Call visit for each part from start to before end, in ascending order. Memory between parts is
 * visited with path "" and inode 0. */
void mapped_files_visit(uint64_t start, uint64_t end, void (*visit)(const struct mapped_part *));

#endif
