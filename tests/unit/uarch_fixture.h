/* SPDX-License-Identifier: MIT */
/* A small machine whose behavior can be worked out by hand. */
#ifndef SPEMU_TESTS_UARCH_FIXTURE_H
#define SPEMU_TESTS_UARCH_FIXTURE_H

#include <stdlib.h>
#include <spemu/codec.h>
#include <spemu/status.h>
#include <spemu/uarch.h>

#define EV(name) (UINT64_C(1) << SPEMU_EV_##name)
#define LINE 64u
#define PAGE 4096u

struct machine {
	struct spemu_uarch_profile profile;
	void *shared_mem;
	struct spemu_uarch_shared *shared;
	void *core_mem[4];
	struct spemu_uarch_core *core[4];
};

/* L1D 4 KB 4-way (16 sets), L2 16 KB 4-way (64 sets), LLC 64 KB 4-way (256 sets), 4 and 16 TLB
 * entries. Every latency is a different number. */
static inline void machine_profile(struct spemu_uarch_profile *p)
{
	*p = *spemu_uarch_profile("generic");
	p->l1d = (struct spemu_uarch_level){64, 4, 3};
	p->l2 = (struct spemu_uarch_level){256, 4, 10};
	p->llc = (struct spemu_uarch_level){1024, 4, 30};
	p->dtlb = (struct spemu_uarch_level){4, 4, 0};
	p->l2tlb = (struct spemu_uarch_level){16, 4, 5};
	p->peer_cycles = 70;
	p->dram_cycles = 200;
	p->walk_cycles = 40;
	p->split_cycles = 2;
}

static inline void *machine_memory(size_t size)
{
	size_t whole = (size + 63) / 64 * 64;
	void *mem = aligned_alloc(64, whole);

	assert_non_null(mem);
	memset(mem, 0, whole);
	return mem;
}

/* Cores 0, step, 2 * step, ... */
static inline void machine_start_with_ids(struct machine *m, const struct spemu_uarch_profile *p,
                                          unsigned max_cores, unsigned cores, unsigned step)
{
	size_t size = spemu_uarch_shared_size(p, max_cores);

	memset(m, 0, sizeof(*m));
	m->profile = *p;
	assert_true(size > 0);
	m->shared_mem = machine_memory(size);
	assert_int_equal(spemu_uarch_shared_init(&m->shared, m->shared_mem, size, p, max_cores),
	                 SPEMU_OK);
	for (unsigned i = 0; i < cores; i++) {
		size = spemu_uarch_core_size(m->shared);
		m->core_mem[i] = machine_memory(size);
		assert_int_equal(spemu_uarch_core_init(&m->core[i], m->core_mem[i], size, m->shared,
		                                       i * step),
		                 SPEMU_OK);
	}
}

static inline void machine_start_with(struct machine *m, const struct spemu_uarch_profile *p,
                                      unsigned max_cores, unsigned cores)
{
	machine_start_with_ids(m, p, max_cores, cores, 1);
}

static inline void machine_start(struct machine *m, unsigned cores)
{
	struct spemu_uarch_profile p;

	machine_profile(&p);
	machine_start_with(m, &p, 4, cores);
}

static inline void machine_stop(struct machine *m)
{
	for (unsigned i = 0; i < 4; i++)
		free(m->core_mem[i]);
	free(m->shared_mem);
}

static inline struct spemu_uarch_result touch(struct machine *m, unsigned core, uint64_t addr,
                                              uint32_t size, unsigned flags)
{
	struct spemu_uarch_result r = {0};

	spemu_uarch_access(m->core[core], &r, addr, size, flags);
	return r;
}

static inline struct spemu_uarch_result load(struct machine *m, unsigned core, uint64_t addr)
{
	return touch(m, core, addr, 8, SPEMU_UARCH_LOAD);
}

static inline struct spemu_uarch_result store(struct machine *m, unsigned core, uint64_t addr)
{
	return touch(m, core, addr, 8, SPEMU_UARCH_STORE);
}

#endif
