/* SPDX-License-Identifier: MIT */
/* See clobber.h. Each function is read at most once, and the depth of calls is bounded. */
#include "clobber.h"

#include "effect.h"
#include "variables.h"
#include "../base/common.h"
#include "../session/object.h"

#include <stdlib.h>

enum {
	DEPTH_MAX = 16,     /* calls in calls */
	RANGES_MAX = 64,    /* ranges of a function */
	CODE_MAX = 1 << 20, /* bytes of a range */
	VENEER = 1 << 16 | 1 << 17,
};

static uint32_t find(struct clobbers *c, uint64_t address, unsigned depth);

static bool contains(const struct variable_range *ranges, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++) {
		if (address >= ranges[i].low && address < ranges[i].high)
			return true;
	}
	return false;
}

/* Return the registers that an instruction of a function in the ranges may change. */
static uint32_t written_by(struct clobbers *c, const struct effect *e,
                           const struct variable_range *ranges, size_t count, unsigned depth)
{
	bool jump = e->kind == EFFECT_BRANCH;

	if (e->kind != EFFECT_CALL && !jump)
		return e->written;
	if (!e->direct)
		return CLOBBER_ALL;
	if (jump && contains(ranges, count, e->target))
		return 0;
	return find(c, e->target, depth + 1);
}

static uint32_t read_range(struct clobbers *c, const struct variable_range *ranges, size_t count,
                           size_t which, unsigned depth)
{
	uint64_t low = ranges[which].low, size = (ranges[which].high - low) & ~UINT64_C(3);
	uint8_t *bytes = xcalloc(size + 4, 1);
	uint32_t mask = elf_bytes(c->object, bytes, low + c->bias, size) ? 0 : CLOBBER_ALL;

	for (size_t at = 0; at < size && mask != CLOBBER_ALL; at += 4) {
		struct effect e;

		effect_of(&e, effect_opcode(bytes + at), low + at);
		mask |= CLOBBER_ALL & written_by(c, &e, ranges, count, depth);
	}
	free(bytes);
	return mask;
}

static uint32_t read_function(struct clobbers *c, uint64_t address, unsigned depth)
{
	struct variable_range ranges[RANGES_MAX];
	uint32_t mask = VENEER;
	Dwarf_Die function;
	size_t count;

	if (depth > DEPTH_MAX || !debug_function_at(c->index, &function, address))
		return CLOBBER_ALL;
	count = variable_ranges(&function, ranges, RANGES_MAX, CODE_MAX);
	for (size_t i = 0; i < count && mask != CLOBBER_ALL; i++)
		mask |= read_range(c, ranges, count, i, depth);
	return count ? mask : CLOBBER_ALL;
}

static uint32_t find(struct clobbers *c, uint64_t address, unsigned depth)
{
	uint32_t mask;
	size_t i;

	if (!map_insert(&c->function, (struct map_key){address, 0, 0}, &i))
		return c->masks[i];
	/* A function that calls itself, directly or not, may change all. */
	GROW(c->masks, i, c->capacity)[i] = CLOBBER_ALL;
	mask = read_function(c, address, depth); /* may move the masks */
	c->masks[i] = mask;
	return mask;
}

uint32_t clobbered_by(struct clobbers *c, uint64_t address)
{
	return find(c, address, 0);
}
