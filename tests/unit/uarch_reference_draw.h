/* SPDX-License-Identifier: MIT */
/* Random profiles and memory accesses for test_uarch_reference.c. They compete in every level. */
#ifndef UARCH_REFERENCE_DRAW_H
#define UARCH_REFERENCE_DRAW_H

#include "draw.h"
#include "timing/uarch.h"

static inline struct uarch_level draw_level(uint64_t *seed, unsigned sets, unsigned ways,
                                            uint32_t cycles)
{
	struct uarch_level level = {0, 1 + below(seed, ways), cycles + below(seed, 20)};

	level.entries = level.ways << below(seed, sets);
	return level;
}

static inline void draw_what_overlaps(struct uarch_profile *p, uint64_t *seed)
{
	p->stride_entries = (uint8_t)(coin(seed) ? 1u << below(seed, 8) : 0);
	p->stream_entries = (uint8_t)(coin(seed) ? 1u << below(seed, 7) : 0);
	p->prefetch_distance = (uint8_t)(1 + below(seed, coin(seed) ? 64 : 8));
	p->prefetch_pages = (uint8_t)below(seed, 3);
	p->l2_prefetch_after = (uint8_t)below(seed, 4);
	p->l1_prefetch_after = (uint8_t)below(seed, 6);
	p->l1_prefetch_distance = (uint8_t)(coin(seed) ? below(seed, coin(seed) ? 65 : 6) : 0);
	p->fill_entries = (uint8_t)(coin(seed) ? below(seed, coin(seed) ? 4 : 65) : 0);
	p->window_accesses = (uint8_t)(coin(seed) ? below(seed, coin(seed) ? 8 : 256) : 0);
	p->dispatch_width = (uint8_t)(1 + below(seed, 16));
	p->l2_gap = (uint8_t)(coin(seed) ? below(seed, 256) : 0);
	p->llc_gap = (uint8_t)(coin(seed) ? below(seed, 256) : 0);
	p->dram_gap = (uint8_t)(coin(seed) ? below(seed, 256) : 0);
	p->forward_cycles = (uint8_t)(coin(seed) ? 1 + below(seed, 40) : 0);
	p->retire_cycles = (uint8_t)below(seed, 30);
}

static inline void draw_profile(struct uarch_profile *p, uint64_t *seed)
{
	machine_profile(p);
	p->line_shift = (uint8_t)(4 + below(seed, 5));
	p->page_shift = (uint8_t)(12 + below(seed, 19)); /* 4 KB to 1 GB */
	p->l1d = draw_level(seed, 3, below(seed, 4) ? 4 : 16, 0);
	p->l2 = draw_level(seed, 4, below(seed, 4) ? 4 : 16, 5);
	if (p->l2.entries < p->l1d.entries)
		p->l2 = p->l1d;
	p->llc = draw_level(seed, 6, below(seed, 4) ? 4 : 16, 10);
	p->dtlb.entries = p->dtlb.ways = 1 + below(seed, below(seed, 2) ? 3 : 10);
	p->dtlb.cycles = below(seed, 3);
	p->l2tlb = draw_level(seed, 3, below(seed, 2) ? 3 : 16, 1);
	if (below(seed, 4) == 0)
		p->l2tlb.entries = 0;
	p->peer_cycles = 20 + below(seed, 40);
	p->dram_cycles = below(seed, 8) ? 50 + below(seed, 100) : 1;
	p->walk_cycles = 1 + below(seed, 50);
	p->split_cycles = below(seed, 5);
	p->store_entries = 1 + below(seed, coin(seed) ? 4 : 40);
	p->sockets = (uint8_t)(coin(seed) ? 0 : below(seed, 5));
	p->socket_cores = (uint8_t)(1 + below(seed, coin(seed) ? 3 : 70));
	p->socket_cycles = (uint16_t)below(seed, 90);
	draw_what_overlaps(p, seed);
	if (p->l1d.entries == 1) /* a prefetch would replace the line of the access */
		p->l1_prefetch_distance = 0;
}

/* Draw an address. The addresses are near each other, so that they compete in every level. Some
 * differ only in the highest bits. */
static inline uint64_t draw_address(uint64_t *seed, const struct uarch_profile *p)
{
	static const uint64_t far[] = {
	        0, 0, 0, UINT64_C(1) << 36, UINT64_C(1) << 55, UINT64_C(0xa5) << 56};
	unsigned lines = 1 + p->llc.entries + p->llc.entries / 2;
	uint64_t addr = (uint64_t)below(seed, lines) << p->line_shift;

	if (coin(seed))
		addr = (uint64_t)below(seed, 12) << p->page_shift | below(seed, 4) << p->line_shift;
	return (addr | below(seed, 1u << p->line_shift)) + far[below(seed, 6)];
}

static inline uint32_t draw_size(uint64_t *seed, const struct uarch_profile *p)
{
	if (below(seed, 500) == 0)
		return below(seed, 2) * (uint32_t)(1 + below(seed, 65536));
	return below(seed, 10) ? 1 + below(seed, 16) : 1 + below(seed, 4u << p->line_shift);
}

static inline unsigned draw_flags(uint64_t *seed)
{
	static const unsigned flags[] = {UARCH_LOAD,  UARCH_LOAD,  UARCH_LOAD,
	                                 UARCH_STORE, UARCH_STORE, UARCH_LOAD | UARCH_STORE};

	return flags[below(seed, 6)];
}

/* The state from which the accesses of a run are drawn. */
struct stream {
	uint64_t seed, next; /* `next` is the position of the sequential reads */
	/* True: accesses like those of a program; false: accesses near each other. */
	bool program;
};

/* Return an address of a program: its stack, sequential reads, data in few, many and very many
 * pages, or lines that the cores share. */
static inline uint64_t program_address(struct stream *s, unsigned core)
{
	static const unsigned bytes[] = {1u << 9, 1u << 14, 1u << 16, 1u << 19, 1u << 21, 1u << 24};
	unsigned kind = below(&s->seed, 8);
	uint64_t base = UINT64_C(0x5500000000) + ((uint64_t)core << 32);

	if (kind == 7)
		return UINT64_C(0x10000000) + 8 * below(&s->seed, 512);
	if (kind == 6)
		return base + (UINT64_C(1) << 28) + (s->next += 8);
	return base + ((uint64_t)kind << 25) + below(&s->seed, bytes[kind]);
}

/* Draw a PC. Some instructions access memory in order, as their addresses show. For others, the PC
 * is unknown. */
static inline uint64_t draw_pc(uint64_t *seed, uint64_t addr)
{
	return below(seed, 4) ? 4 * below(seed, 3) + (addr >> 28 << 5 & 0xffff) : 0;
}

/* Draw the registers of a load: those from which its address is, and those that it writes. If the
 * instruction is unknown, there are none. */
static inline void draw_registers(uint64_t *seed, uint64_t pc, uint32_t registers[2])
{
	for (unsigned i = 0; i < 2; i++)
		registers[i] = pc && coin(seed) ? UINT32_C(1) << below(seed, 4) |
		                                          UINT32_C(1) << below(seed, 32)
		                                : 0;
}

#endif
