/* SPDX-License-Identifier: MIT */
/*
 * See patched_code.h.
 *
 * Linux: struct alt_instr of arch/arm64 has the distances to the instruction and its replacement
 * (4 bytes each), a feature (2) and two sizes. struct jump_entry has the distances to the
 * instruction and to its target, and a key (8). Each distance counts from its own place.
 */
#include "patched_code.h"

#include "effect.h"
#include "../base/common.h"
#include "../session/object.h"

#include <stdlib.h>

enum {
	ALTERNATIVE_SIZE = 12,
	ALTERNATIVE_CALLS = 1 << 15, /* the replacement is a function that changes the code */
	JUMP_SIZE = 16,
	TABLE_MAX = 16 << 20, /* bytes of a table */
};

struct patch {
	uint64_t at, target;
};

struct patched_code {
	struct patch *of; /* sorted by at */
	size_t count, capacity;
};

static uint32_t word_at(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* Return the address that a distance at `vaddr` leads to. */
static uint64_t led_to(uint64_t vaddr, const uint8_t *bytes)
{
	return vaddr + (uint64_t)(int64_t)(int32_t)word_at(bytes);
}

/* Return the target of the direct branch at vaddr, or 0. */
static uint64_t target_of(const struct object *kernel, uint64_t vaddr)
{
	struct effect effect;
	uint8_t bytes[4];

	if (!elf_bytes(kernel, bytes, vaddr, sizeof(bytes)))
		return 0;
	effect_of(&effect, word_at(bytes), vaddr);
	return effect.kind == EFFECT_BRANCH && effect.direct ? effect.target : 0;
}

static struct patch alternative(const struct object *kernel, uint64_t vaddr, const uint8_t *bytes)
{
	uint64_t replacement = led_to(vaddr + 4, bytes + 4);
	bool calls = word_at(bytes + 8) & ALTERNATIVE_CALLS;

	return (struct patch){led_to(vaddr, bytes), calls ? 0 : target_of(kernel, replacement)};
}

static struct patch jump(const struct object *kernel, uint64_t vaddr, const uint8_t *bytes)
{
	(void)kernel;
	return (struct patch){led_to(vaddr, bytes), led_to(vaddr + 4, bytes + 4)};
}

/* Read the table between two symbols. */
static void read_table(struct patched_code *code, const struct object *kernel, const char *start,
                       const char *end, size_t entry,
                       struct patch (*read)(const struct object *kernel, uint64_t vaddr,
                                            const uint8_t *bytes))
{
	uint64_t low, high;
	uint8_t *bytes;

	if (!elf_symbol_address(kernel, &low, start) || !elf_symbol_address(kernel, &high, end) ||
	    high <= low || high - low > TABLE_MAX || (high - low) % entry)
		return;
	bytes = xcalloc(high - low, 1);
	if (elf_bytes(kernel, bytes, low, high - low)) {
		for (uint64_t at = 0; at < high - low; at += entry)
			APPEND(code->of, code->count, code->capacity) =
			        read(kernel, low + at, bytes + at);
	}
	free(bytes);
}

static int compare_patches(const void *pa, const void *pb)
{
	const struct patch *a = pa, *b = pb;

	if (a->at != b->at)
		return compare_numbers(a->at, b->at);
	return compare_numbers(b->target, a->target); /* one with a target comes first */
}

struct patched_code *patched_code_new(const struct object *kernel)
{
	struct patched_code *code = xcalloc(1, sizeof(*code));

	read_table(code, kernel, "__alt_instructions", "__alt_instructions_end", ALTERNATIVE_SIZE,
	           alternative);
	read_table(code, kernel, "__start___jump_table", "__stop___jump_table", JUMP_SIZE, jump);
	if (code->count) {
		qsort(code->of, code->count, sizeof(*code->of), compare_patches);
		return code;
	}
	free(code);
	return NULL;
}

bool patched_code_at(const struct patched_code *code, uint64_t *target, uint64_t vaddr)
{
	size_t i;

	if (!code)
		return false;
	COUNT_LEADING(i, code->count, mid, code->of[mid].at < vaddr);
	if (i == code->count || code->of[i].at != vaddr)
		return false;
	*target = code->of[i].target;
	return true;
}
