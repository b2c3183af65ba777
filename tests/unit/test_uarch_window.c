/* SPDX-License-Identifier: MIT */
/* What a sampled instruction waits for: by hand, and against a second player of random code. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "uarch_fixture.h"

#define MUL_X0 0x9b017c00u  /* mul x0, x0, x1 */
#define MUL_X2 0x9b037c62u  /* mul x2, x3, x3 */
#define LDR_X3 0xf9400023u  /* ldr x3, [x1] */
#define POST_X3 0xf8408423u /* ldr x3, [x1], #8 */
#define CHASE 0xf9400000u   /* ldr x0, [x0] */
#define ADD_X4 0x91000464u  /* add x4, x3, #1 */
#define LDR_X6 0xf9400406u  /* ldr x6, [x0, #8] */
#define LDR_X7 0xf9400807u  /* ldr x7, [x0, #16] */
#define ADD_X5 0x91000425u  /* add x5, x1, #1 */
#define B_NE 0x54000001u    /* b.ne . */
#define FMUL 0x1e610841u    /* fmul d1, d2, d1 */
#define WALK 45             /* second level and tables */

/* One instruction is dispatched a cycle and issues two later; 3 cycles a multiplication, 10 until the pipeline is full. */
static void start(struct machine *m, unsigned window, unsigned width, unsigned fills)
{
	struct spemu_uarch_profile p;

	machine_profile(&p);
	p.issue_cycles = 2;
	p.mul_cycles = 3;
	p.window = (uint16_t)window;
	p.dispatch_width = (uint8_t)width;
	p.mispredict_cycles = 10;
	p.fill_entries = (uint8_t)fills;
	machine_start_with(m, &p, 4, 1);
}

static uint32_t waits(struct machine *m, const uint32_t *opcode)
{
	struct spemu_uarch_result r = {0};

	spemu_uarch_wait(m->core[0], &r, opcode);
	return r.issue_wait;
}

static struct spemu_uarch_result load_by(struct machine *m, const uint32_t *opcode, uint64_t addr)
{
	const struct spemu_uarch_insn insn = {.opcode = opcode};
	struct spemu_uarch_result r = {0};

	spemu_uarch_access_of(m->core[0], &r, &insn, addr, 8, SPEMU_UARCH_LOAD);
	return r;
}

/* Each of a chain issues 3 cycles after the one before and is dispatched 1 after it; of others none waits. */
static void chains(void **state)
{
	static const uint32_t chain[20] = {MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0,
	                                   MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0,
	                                   MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0, MUL_X0};
	static const uint32_t others[] = {MUL_X2, MUL_X2, MUL_X2, MUL_X2};
	struct machine m;

	(void)state;
	start(&m, 8, 1, 0);
	spemu_uarch_code(m.core[0], chain, 20);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(waits(&m, &chain[i]), 2 * (i < 8 ? i : 7));
	/* in two pieces as in one */
	spemu_uarch_code(m.core[0], others, 4);
	spemu_uarch_code(m.core[0], chain, 3);
	spemu_uarch_code(m.core[0], chain + 3, 3);
	assert_int_equal(waits(&m, &chain[4]), 2 * 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(waits(&m, &others[i]), 0);
	machine_stop(&m);

	start(&m, 8, 2, 0); /* two are dispatched at once: 3 cycles each less i / 2 */
	spemu_uarch_code(m.core[0], chain, 20);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(waits(&m, &chain[i]), 3 * i - i / 2);
	machine_stop(&m);
}

/* The load issues in cycle 2 and has its data 245 later; who reads them is dispatched in cycle 1 or later. */
static void loads(void **state)
{
	static const uint32_t code[] = {LDR_X3, ADD_X4, ADD_X5, ADD_X4, MUL_X2,
	                                MUL_X2, MUL_X2, MUL_X2, ADD_X4};
	static const uint32_t post[] = {POST_X3, ADD_X5, ADD_X4};
	struct machine m;

	(void)state;
	start(&m, 8, 1, 0);
	spemu_uarch_code(m.core[0], code, 9);
	assert_int_equal(load_by(&m, code, 0).latency, 200);
	assert_int_equal(waits(&m, &code[0]), 0);
	assert_int_equal(waits(&m, &code[1]), 2 + 200 + WALK - 3);
	assert_int_equal(waits(&m, &code[2]), 0);
	assert_int_equal(waits(&m, &code[3]), 2 + 200 + WALK - 5);
	assert_int_equal(waits(&m, &code[8]), 0); /* the load was eight before it */
	/* it hits L1 the next time: 3 cycles, of which one passes */
	spemu_uarch_code(m.core[0], code, 9);
	load_by(&m, code, 0);
	assert_int_equal(waits(&m, &code[1]), 3 - 1);
	/* the base does not wait for the data */
	spemu_uarch_code(m.core[0], post, 3);
	load_by(&m, post, PAGE);
	assert_int_equal(waits(&m, &post[1]), 0);
	assert_int_equal(waits(&m, &post[2]), 2 + 200 + WALK - 4);
	spemu_uarch_forget(m.core[0]);
	assert_int_equal(waits(&m, &post[2]), 0);
	machine_stop(&m);
}

/* The branch is dispatched in cycle 1 and done at 4; what follows is dispatched at 14. */
static void mispredictions(void **state)
{
	static const uint32_t code[] = {LDR_X3, B_NE}, next[] = {ADD_X4};
	struct spemu_uarch_result r = {0};
	struct machine m;

	(void)state;
	start(&m, 8, 1, 0);
	for (unsigned taken = 0; taken < 2; taken++) {
		spemu_uarch_code(m.core[0], code, 2);
		load_by(&m, code, taken * PAGE);
		/* nothing is known yet: not taken is predicted */
		assert_int_equal(spemu_uarch_branch(m.core[0], &r, 0x1004, SPEMU_OPF_CONDITIONAL,
		                                    taken, 0x2000),
		                 taken);
		spemu_uarch_code(m.core[0], next, 1);
		assert_int_equal(waits(&m, next), 2 + 200 + WALK - (taken ? 14 + 2 : 2 + 2));
		spemu_uarch_forget(m.core[0]);
	}
	machine_stop(&m);
}

/* One fill buffer: who waits for the address does not wait for the buffer, too; who does not need it waits for that. */
static void addresses_that_are_loaded(void **state)
{
	static const uint32_t code[] = {CHASE, CHASE, LDR_X3};
	struct machine m;

	(void)state;
	start(&m, 8, 1, 1);
	spemu_uarch_code(m.core[0], code, 3);
	assert_int_equal(load_by(&m, &code[0], 0 * PAGE).latency, 200);
	assert_int_equal(load_by(&m, &code[1], 1 * PAGE).latency, 200);
	assert_int_equal(load_by(&m, &code[2], 2 * PAGE).latency, 199 + 200);
	machine_stop(&m);
}

/* The address is there at 200, the line at 400: who waits for the address waits for the line from then on. */
static void lines_on_their_way(void **state)
{
	static const uint32_t code[] = {CHASE, LDR_X6, LDR_X7};
	struct spemu_uarch_result r;
	struct machine m;

	(void)state;
	start(&m, 8, 1, 4);
	spemu_uarch_code(m.core[0], code, 3);
	assert_int_equal(load_by(&m, &code[0], 0).latency, 200);
	assert_int_equal(load_by(&m, &code[1], PAGE + 8).latency, 200);
	r = load_by(&m, &code[2], PAGE + 16);
	assert_int_equal(r.latency, 200);
	assert_true(r.events & EV(RECENTLY_FETCHED));
	machine_stop(&m);
}

/* Of the window's length later nothing is in flight with a load: time has passed until that had its data. */
static void the_window_is_full(void **state)
{
	static const uint32_t code[12] = {LDR_X3, ADD_X5, ADD_X5, LDR_X3, ADD_X5, ADD_X5,
	                                  ADD_X5, ADD_X5, LDR_X3, ADD_X5, ADD_X5, LDR_X3};
	struct machine m;

	(void)state;
	start(&m, 8, 1, 4);
	spemu_uarch_code(m.core[0], code, 12);
	load_by(&m, &code[0], 0);
	assert_int_equal(load_by(&m, &code[3], 8).latency, 199); /* its line, a cycle later */
	load_by(&m, &code[8], PAGE); /* at 200, when the first has its data, or later */
	assert_int_equal(load_by(&m, &code[11], 16).latency, 3);
	machine_stop(&m);
}

static void in_the_latency(void **state)
{
	struct spemu_op op = {.kind = {.type = SPEMU_OP_OTHER}};
	struct spemu_uarch_result r = {.issue_wait = 7};
	struct machine m;

	(void)state;
	start(&m, 8, 1, 0);
	spemu_uarch_complete(m.core[0], &op, &r);
	assert_int_equal(op.issue_latency, 2 + 7);
	assert_int_equal(op.total_latency, 2 + 7 + m.profile.int_cycles);
	machine_stop(&m);
}

/* Instructions for random code, with what they read (31: nothing; general ones, 100 and up SIMD) and write. */
static const struct known {
	uint32_t opcode, cycles; /* 0: a load, of L1 or what it took */
	unsigned read[2], write;
} known[] = {
        {MUL_X0, 3, {0, 1}, 0},     {MUL_X2, 3, {3, 3}, 2},  {LDR_X3, 0, {1, 31}, 3},
        {CHASE, 0, {0, 31}, 0},     {ADD_X4, 1, {3, 31}, 4}, {ADD_X5, 1, {1, 31}, 5},
        {FMUL, 3, {101, 102}, 101},
};
enum { KNOWN = sizeof(known) / sizeof(known[0]), LENGTH = 3000 };

/* A second player: when each instruction of the window is done, from a list of what each register waits for. */
static unsigned play(const struct machine *m, const unsigned *which, const unsigned *took,
                     unsigned at)
{
	const struct spemu_uarch_profile *p = &m->profile;
	unsigned begin = at + 1 > p->window ? at + 1 - p->window : 0, done[LENGTH], wait = 0;

	for (unsigned i = begin; i <= at; i++) {
		const struct known *k = &known[which[i]];
		unsigned least = (i - begin) / p->dispatch_width + p->issue_cycles, issue = least;

		for (unsigned r = 0; r < 2; r++) {
			unsigned j = i;

			while (k->read[r] != 31 && j-- > begin) {
				if (known[which[j]].write != k->read[r])
					continue;
				issue = done[j] > issue ? done[j] : issue;
				break;
			}
		}
		wait = issue - least;
		done[i] = issue + (k->cycles ? k->cycles : took[i]);
	}
	return wait;
}

static void random_code(void **state)
{
	static uint32_t code[LENGTH];
	static unsigned which[LENGTH], took[LENGTH];
	uint64_t seed = 7;

	(void)state;
	for (unsigned run = 0; run < 20; run++) {
		struct machine m;

		start(&m, 1 + below(&seed, 200), 1 + below(&seed, 6), 0);
		for (unsigned i = 0; i < LENGTH; i++) {
			which[i] = below(&seed, KNOWN);
			code[i] = known[which[i]].opcode;
		}
		for (unsigned i = 0, length; i < LENGTH; i += length) {
			length = 1 + below(&seed, 12);
			length = i + length > LENGTH ? LENGTH - i : length;
			spemu_uarch_code(m.core[0], &code[i], length);
			for (unsigned k = i; k < i + length; k++) {
				struct spemu_uarch_result r;

				if (known[which[k]].cycles)
					continue;
				r = load_by(&m, &code[k], (uint64_t)below(&seed, 400) * 512);
				took[k] =
				        r.source == SPEMU_UARCH_SRC_L1 && !(r.events & EV(TLB_WALK))
				                ? m.profile.l1d.cycles
				                : r.latency + r.translation_latency;
			}
			for (unsigned k = i; k < i + length; k++)
				assert_int_equal(waits(&m, &code[k]), play(&m, which, took, k));
		}
		machine_stop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(chains),
	        cmocka_unit_test(loads),
	        cmocka_unit_test(mispredictions),
	        cmocka_unit_test(addresses_that_are_loaded),
	        cmocka_unit_test(lines_on_their_way),
	        cmocka_unit_test(the_window_is_full),
	        cmocka_unit_test(in_the_latency),
	        cmocka_unit_test(random_code),
	};
	return cmocka_run_group_tests_name("uarch_window", tests, NULL, NULL);
}
