/* SPDX-License-Identifier: MIT */
/*
 * Compare the branch prediction of the timing model with a second predictor, over random profiles
 * and programs. In the second predictor, histories and stacks are lists, and each index is computed
 * bit by bit.
 *
 * Direction: one table of two-bit counters is indexed by the branch. A second table is indexed by
 * the branch, combined by XOR with the last outcomes; these are folded once to the size of the
 * table. The counters of a third table, indexed by the branch, select the second table from 2 on.
 *
 * Target of a return: the address after the last call that has not returned yet. The stack holds
 * only as many calls as the profile says.
 *
 * Target of another indirect branch: its last target after the same path, otherwise its last
 * target. Both are in one table. The slot is the high bits of the key times 2^64 divided by the
 * golden ratio. The path has 7 bits for each target.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "share.h"
#include "uarch_fixture.h"

enum { PROFILES = 200, BRANCHES = 4000, TABLE_MAX = 1 << 8, STACK_MAX = 64, OUTCOMES = 64 };

struct target {
	bool known, by_path;
	uint64_t pc, path, target;
};

struct model {
	struct uarch_profile profile;
	unsigned by_branch[TABLE_MAX], by_history[TABLE_MAX], history_better[TABLE_MAX];
	bool outcome[OUTCOMES]; /* the most recent outcome first */
	uint64_t stack[STACK_MAX];
	unsigned depth;
	struct target table[TABLE_MAX];
	uint64_t path;
};

static void count(unsigned *counter, bool up)
{
	if (up && *counter < 3)
		++*counter;
	if (!up && *counter > 0)
		--*counter;
}

/* Return true if the predictor sees outcome n of the history and the branch was taken. */
static unsigned seen(const struct model *m, unsigned n)
{
	return n < m->profile.history_bits && m->outcome[n];
}

static bool direction(struct model *m, uint64_t pc, bool taken)
{
	unsigned branch = (unsigned)(pc / 4 % (1u << m->profile.bimodal_shift)), history = 0;
	bool a, b, predicted;

	for (unsigned i = 0; i < m->profile.gshare_shift; i++)
		history |= ((unsigned)(pc >> (i + 2) & 1) ^ seen(m, i) ^
		            seen(m, i + m->profile.gshare_shift))
		           << i;
	a = m->by_branch[branch] > 1;
	b = m->by_history[history] > 1;
	predicted = m->history_better[branch] > 1 ? b : a;
	if (a != b)
		count(&m->history_better[branch], b == taken);
	count(&m->by_branch[branch], taken);
	count(&m->by_history[history], taken);
	memmove(m->outcome + 1, m->outcome, sizeof(m->outcome) - sizeof(m->outcome[0]));
	m->outcome[0] = taken;
	return predicted == taken;
}

static void call(struct model *m, uint64_t from)
{
	if (m->depth == m->profile.ras_entries)
		memmove(m->stack, m->stack + 1, --m->depth * sizeof(m->stack[0]));
	m->stack[m->depth++] = from;
}

static struct target *slot(struct model *m, const struct target *key)
{
	/* A path is in bits 34 to 61 of a key. Bits 0 and 1 of an address are always 0, so they
	 * distinguish the two kinds of keys. */
	uint64_t word = key->by_path ? (key->pc ^ key->path << 34) + 1 : key->pc + 2;

	return &m->table[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - m->profile.indirect_shift)];
}

static bool found(struct model *m, const struct target *key)
{
	const struct target *there = slot(m, key);

	return there->known && there->by_path == key->by_path &&
	       (key->by_path ? (there->pc ^ there->path << 34) == (key->pc ^ key->path << 34)
	                     : there->pc == key->pc);
}

static bool indirect(struct model *m, uint64_t pc, uint64_t target)
{
	const struct target path = {true, true, pc, m->path, target},
	                    last = {true, false, pc, 0, target};
	const struct target *used = found(m, &path)   ? slot(m, &path)
	                            : found(m, &last) ? slot(m, &last)
	                                              : NULL;
	bool right = used && used->target == target;

	*slot(m, &last) = last;
	*slot(m, &path) = path;
	m->path = ((m->path * 128) ^ target / 4) % (1u << 28);
	return right;
}

static bool reference(struct model *m, uint64_t pc, uint32_t flags, bool taken, uint64_t target)
{
	bool right = true;

	if (flags & SPEMU_OPF_CONDITIONAL)
		right = direction(m, pc, taken);
	if (flags & SPEMU_OPF_RETURN)
		right = m->depth && m->stack[--m->depth] == target;
	else if (flags & SPEMU_OPF_INDIRECT)
		right = indirect(m, pc, target);
	if (flags & SPEMU_OPF_LINK)
		call(m, pc + 4);
	return right;
}

/* The calls that have not returned yet. */
struct program {
	uint64_t from[256];
	unsigned depth;
};

static uint64_t draw_pc(uint64_t *seed)
{
	static const uint64_t high[] = {0, 0, 0, 0, UINT64_C(1) << 20, UINT64_C(1) << 40};

	return 4 * (uint64_t)below(seed, coin(seed) ? 12 : 600) + high[below(seed, 6)];
}

/* Draw an outcome. Of four branches, two are periodic, one is mostly taken, and one is random. */
static bool draw_outcome(uint64_t *seed, uint64_t pc, unsigned time)
{
	switch (pc / 4 % 4) {
	case 0:
		return time % 2;
	case 1:
		return time % 5 < 3;
	case 2:
		return below(seed, 8) < 7;
	default:
		return coin(seed);
	}
}

static uint64_t draw_return(struct program *p, uint64_t *seed)
{
	if (p->depth && below(seed, 8))
		return p->from[--p->depth];
	return draw_pc(seed);
}

static void step(struct model *m, struct machine *machine, struct program *p, uint64_t *seed,
                 unsigned time)
{
	static const uint32_t kinds[] = {SPEMU_OPF_CONDITIONAL,
	                                 SPEMU_OPF_CONDITIONAL,
	                                 SPEMU_OPF_CONDITIONAL,
	                                 0,
	                                 SPEMU_OPF_LINK,
	                                 SPEMU_OPF_INDIRECT,
	                                 SPEMU_OPF_INDIRECT | SPEMU_OPF_LINK,
	                                 SPEMU_OPF_INDIRECT | SPEMU_OPF_RETURN};
	uint32_t flags = kinds[below(seed, 8)];
	uint64_t pc = draw_pc(seed), target = 4 * (uint64_t)below(seed, 3);
	bool taken = true, right;

	if (flags & SPEMU_OPF_CONDITIONAL)
		taken = draw_outcome(seed, pc, time);
	if (flags & SPEMU_OPF_RETURN)
		target = draw_return(p, seed);
	else if (below(seed, 8) == 0)
		target = draw_pc(seed) << below(seed, 20);
	if (flags & SPEMU_OPF_LINK && p->depth < 256)
		p->from[p->depth++] = pc + 4;
	right = reference(m, pc, flags, taken, target);
	assert_int_equal(uarch_branch(machine->core[0], NULL, pc, flags, taken, target), !right);
}

static void draw_profile(struct uarch_profile *p, uint64_t *seed)
{
	machine_profile(p);
	p->bimodal_shift = (uint8_t)(4 + below(seed, 5));
	p->gshare_shift = (uint8_t)(4 + below(seed, 5));
	p->history_bits = (uint8_t)(1 + below(seed, coin(seed) ? 32 : 8));
	p->indirect_shift = (uint8_t)(4 + below(seed, 5));
	p->ras_entries = (uint8_t)(1 + below(seed, coin(seed) ? 64 : 6));
}

static void predictor_matches_reference_for_any_profile(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < PROFILES; i += test_share()) {
		static struct model m;
		struct program program = {.depth = 0};
		struct machine machine;

		memset(&m, 0, sizeof(m));
		draw_profile(&m.profile, &seed);
		assert_int_equal(uarch_check(&m.profile, NULL), SPEMU_OK);
		machine_start_with(&machine, &m.profile, 1, 1);
		for (unsigned time = 0; time < BRANCHES; time++)
			step(&m, &machine, &program, &seed, time);
		machine_stop(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(predictor_matches_reference_for_any_profile),
	};
	return cmocka_run_group_tests_name("uarch_predictor", tests, NULL, NULL);
}
