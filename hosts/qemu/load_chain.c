/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dependences between loads; see load_chain.h. */
#include "timing/a64.h"

#include "load_chain.h"

#define SP 31

/* For each register, the registers of the loads from which its value comes. */
struct sources {
	uint32_t of[32];
};

static uint32_t sources_of(const struct sources *s, uint32_t registers)
{
	uint32_t from = 0;

	for (; registers; registers &= registers - 1)
		from |= s->of[__builtin_ctz(registers)];
	return from;
}

static void set_sources(struct sources *s, uint32_t registers, uint32_t from)
{
	for (; registers; registers &= registers - 1)
		s->of[__builtin_ctz(registers)] = from;
}

static void follow(struct sources *s, struct block_registers *registers, uint32_t opcode)
{
	struct a64_operands operands;
	uint32_t from;

	*registers = (struct block_registers){0};
	if (!a64_operands(&operands, opcode))
		return;
	if (!operands.address) {
		set_sources(s, operands.writes.x, sources_of(s, operands.reads.x));
		return;
	}
	from = sources_of(s, operands.address);
	registers->from = from;
	registers->to = operands.writes.x & ~operands.base;
	for (uint32_t to = registers->to; to; to &= to - 1)
		s->of[__builtin_ctz(to)] = to & -to;
	set_sources(s, operands.base, from);
}

void load_chain(struct block_registers registers[], const uint32_t opcode[], size_t insns,
                bool again)
{
	struct sources s = {{0}};

	for (unsigned i = 0; i < SP; i++)
		s.of[i] = UINT32_C(1) << i;
	for (unsigned run = 0; run <= again; run++)
		for (size_t i = 0; i < insns; i++)
			follow(&s, &registers[i], opcode[i]);
}
