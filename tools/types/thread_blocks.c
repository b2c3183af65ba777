/* SPDX-License-Identifier: MIT */
/* See thread_blocks.h. */
#include "thread_blocks.h"

#include "../base/common.h"

#include <stdlib.h>

static struct map_key key_of(const struct thread_key *thread)
{
	return (struct map_key){thread->input, (uint64_t)thread->pid << 32 | thread->tid, 0};
}

static const struct thread_block *block_at(const struct thread_blocks *b, uint32_t index)
{
	return index ? &b->blocks[index - 1] : NULL;
}

void thread_blocks_note(struct thread_blocks *b, const struct thread_key *thread,
                        struct object_types *types, uint64_t pointer)
{
	size_t t, i;

	if (map_insert(&b->thread_index, key_of(thread), &t))
		GROW(b->first, t, b->first_capacity)[t] = 0;
	if (!map_insert(&b->block_index, (struct map_key){t, (uintptr_t)types, 0}, &i)) {
		b->blocks[i].doubtful |= b->blocks[i].pointer != pointer;
		return;
	}
	GROW(b->blocks, i, b->block_capacity)
	[i] = (struct thread_block){.types = types, .pointer = pointer, .next = b->first[t]};
	b->first[t] = (uint32_t)i + 1;
}

const struct thread_block *thread_blocks_first(const struct thread_blocks *b,
                                               const struct thread_key *thread)
{
	size_t t = map_find(&b->thread_index, key_of(thread));

	return t == MAP_NONE ? NULL : block_at(b, b->first[t]);
}

const struct thread_block *thread_blocks_next(const struct thread_blocks *b,
                                              const struct thread_block *block)
{
	return block_at(b, block->next);
}

void thread_blocks_free(struct thread_blocks *b)
{
	map_free(&b->thread_index);
	map_free(&b->block_index);
	free(b->first);
	free(b->blocks);
	*b = (struct thread_blocks){0};
}
