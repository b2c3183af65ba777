// SPDX-License-Identifier: MIT
/*
 * What an operation waits for: the instructions before it that may be in flight with it, played once more.
 *
 * Only sampled operations ask, so that nobody else pays: of the others a ring of pieces of code is kept, and a journal of
 * loads that took longer than L1 and of mispredicted branches. From them the last `window` instructions are dispatched in order,
 * dispatch_width a cycle, and issue when what they read is there.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.3 (issue latency: cycles waiting to be issued)
 * Choices:     execution units, queues and ports without number; the window begins empty. After a mispredicted branch, what
 *              follows is dispatched when it is resolved and the pipeline full again. A load's base register that is
 *              written back takes an integer operation's time.
 */
#include <string.h>
#include "op_cycles.h"
#include "uarch_object.h"

/* When each register is there. */
struct ready {
	uint32_t x[32], v[32], nzcv;
};

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t latest_of(const uint32_t *time, uint32_t regs, uint32_t latest)
{
	for (; regs; regs &= regs - 1)
		latest = later(latest, time[__builtin_ctz(regs)]);
	return latest;
}

static void set(uint32_t *time, uint32_t regs, uint32_t when)
{
	for (; regs; regs &= regs - 1)
		time[__builtin_ctz(regs)] = when;
}

static uint32_t operands_ready(const struct ready *ready, const struct spemu_a64_registers *reads)
{
	uint32_t latest = latest_of(ready->x, reads->x, reads->nzcv ? ready->nzcv : 0);

	return latest_of(ready->v, reads->v, latest);
}

/* The player: time is that of dispatch, of which `slot` of the width are used. */
struct player {
	const struct spemu_uarch_profile *profile;
	const struct journal *journal;
	struct ready ready;
	uint32_t now, slot;
	uint64_t entry; /* of the journal: those before are of earlier instructions */
};

/* What the journal says of the instruction: its cycles, and whether it was mispredicted. */
static uint32_t look_up(struct player *player, uint64_t position, bool *mispredicted)
{
	const struct journal *journal = player->journal;
	uint32_t cycles = 0;

	*mispredicted = false;
	while (player->entry < journal->count) {
		const struct journal_entry *e = &journal->entry[player->entry % JOURNAL_ENTRIES];

		if (e->position > position)
			break;
		if (e->position == position && e->cycles == JOURNAL_MISPREDICTED)
			*mispredicted = true;
		else if (e->position == position)
			cycles = later(cycles, e->cycles);
		player->entry++;
	}
	return cycles;
}

/* One instruction; how long it waits beyond the least. */
static uint32_t play(struct player *player, uint32_t opcode, uint64_t position)
{
	const struct spemu_uarch_profile *p = player->profile;
	uint32_t least = player->now + p->issue_cycles, issue, cycles, done;
	struct spemu_a64_operands o;
	bool mispredicted;

	spemu_a64_operands(&o, opcode);
	issue = later(least, operands_ready(&player->ready, &o.reads));
	cycles = look_up(player, position, &mispredicted);
	done = issue + later(cycles, opcode_cycles(p, opcode));
	set(player->ready.x, o.writes.x, done);
	set(player->ready.x, o.base, issue + p->int_cycles);
	set(player->ready.v, o.writes.v, done);
	if (o.writes.nzcv)
		player->ready.nzcv = done;
	if (mispredicted) {
		player->now = done + p->mispredict_cycles;
		player->slot = 0;
	} else if (++player->slot >= p->dispatch_width) {
		player->now++;
		player->slot = 0;
	}
	return issue - least;
}

/* The newest piece that has the instruction, counted from the first one; the number of pieces if none does. */
static uint64_t piece_of(const struct code *code, const uint32_t *opcode)
{
	for (uint64_t n = code->count; n-- > code->first;) {
		const struct piece *piece = &code->piece[n % CODE_PIECES];

		if (opcode >= piece->opcode && opcode < piece->opcode + piece->count)
			return n;
	}
	return code->count;
}

/* The first instruction of the window that ends with instruction number `last` of piece n: its piece, and its number in it. */
static uint64_t begin_of(const struct code *code, uint64_t n, uint32_t *number, uint32_t window)
{
	uint32_t have = *number + 1;

	while (have < window && n > code->first)
		have += code->piece[--n % CODE_PIECES].count;
	*number = have > window ? have - window : 0;
	return n;
}

void spemu_uarch_wait(const struct spemu_uarch_core *core, struct spemu_uarch_result *result,
                      const uint32_t *opcode)
{
	const struct code *code = &core->code;
	struct player player = {.profile = core->profile, .journal = &core->journal};
	uint64_t last = piece_of(code, opcode), n;
	uint32_t number, end, wait = 0;

	if (last == code->count)
		return;
	end = (uint32_t)(opcode - code->piece[last % CODE_PIECES].opcode);
	number = end;
	n = begin_of(code, last, &number, core->profile->window);
	player.entry =
	        core->journal.count > JOURNAL_ENTRIES ? core->journal.count - JOURNAL_ENTRIES : 0;
	for (; n <= last; n++, number = 0) {
		const struct piece *piece = &code->piece[n % CODE_PIECES];
		uint32_t limit = n == last ? end + 1 : piece->count;

		for (; number < limit; number++)
			wait = play(&player, piece->opcode[number], piece->position + number);
	}
	result->issue_wait = (uint16_t)(wait < UINT16_MAX ? wait : UINT16_MAX);
}

void spemu_uarch_forget(struct spemu_uarch_core *core)
{
	core->code.first = core->code.count;
}
