/* SPDX-License-Identifier: MIT */
/*
 * The places of thread-local variables in memory, learned from samples.
 *
 * Code that accesses a thread-local variable has its offset from the thread pointer, and the sample
 * has its address. Their difference is the same for all such variables of an object in one thread.
 */
#ifndef TOOLS_TYPES_THREAD_BLOCKS_H
#define TOOLS_TYPES_THREAD_BLOCKS_H

#include "../base/map.h"

struct object_types;

struct thread_block {
	struct object_types *types;
	uint64_t pointer; /* thread pointer, as the code of the object counts */
	bool doubtful;    /* true if samples disagree */
	uint32_t next;    /* index + 1 of the next block of the thread, or 0 */
};

struct thread_blocks {
	struct map thread_index, block_index;
	uint32_t *first; /* index + 1 of the first block of each thread */
	struct thread_block *blocks;
	size_t first_capacity, block_capacity;
};

/* A thread: the recording, the process and the thread in it. */
struct thread_key {
	uint32_t input, pid, tid;
};

/* Note that a thread has an object's thread-local variables at this thread pointer. */
void thread_blocks_note(struct thread_blocks *blocks, const struct thread_key *thread,
                        struct object_types *types, uint64_t pointer);
/* Return the first or the next block of a thread, or NULL. */
const struct thread_block *thread_blocks_first(const struct thread_blocks *blocks,
                                               const struct thread_key *thread);
const struct thread_block *thread_blocks_next(const struct thread_blocks *blocks,
                                              const struct thread_block *block);
void thread_blocks_free(struct thread_blocks *blocks);

#endif
