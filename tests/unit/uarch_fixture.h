/* SPDX-License-Identifier: MIT */
/* A small machine with a behavior that can be computed by hand. */
#ifndef SPEMU_TESTS_UARCH_FIXTURE_H
#define SPEMU_TESTS_UARCH_FIXTURE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <spemu/codec.h>
#include <spemu/status.h>
#include "timing/uarch.h"

#define EV(name) (UINT64_C(1) << SPEMU_EV_##name)
#define LINE 64u
#define PAGE 4096u

struct machine {
	struct uarch_profile profile;
	void *shared_mem;
	struct uarch_shared *shared;
	void *core_mem[4];
	size_t shared_size, core_size;
	struct uarch_core *core[4];
};

/*
 * Return the profile of a machine without prefetchers, fill buffers and forwarding. The L1D has 4
 * KB and 4 ways (16 sets), the L2 16 KB and 4 ways (64 sets), and the LLC 64 KB and 4 ways (256
 * sets). The TLBs have 4 and 16 entries. Every latency is a different number.
 */
static inline void machine_profile(struct uarch_profile *p)
{
	*p = *uarch_profile("generic");
	p->l1d = (struct uarch_level){64, 4, 3};
	p->l2 = (struct uarch_level){256, 4, 10};
	p->llc = (struct uarch_level){1024, 4, 30};
	p->dtlb = (struct uarch_level){4, 4, 0};
	p->l2tlb = (struct uarch_level){16, 4, 5};
	p->peer_cycles = 70;
	p->dram_cycles = 200;
	p->walk_cycles = 40;
	p->split_cycles = 2;
	p->stride_entries = p->stream_entries = p->fill_entries = 0;
	p->forward_cycles = 0;
}

static inline void *machine_memory(size_t size)
{
	size_t whole = (size + 63) / 64 * 64;
	void *mem = aligned_alloc(64, whole);

	assert_non_null(mem);
	memset(mem, 0, whole);
	return mem;
}

/* Allocate whole pages. The page after them can be neither read nor written. */
static inline size_t machine_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static inline void *machine_map(size_t size)
{
	size_t whole = machine_pages(size);
	char *pages = mmap(NULL, whole + machine_pages(1), PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	assert_int_equal(mprotect(pages + whole, machine_pages(1), PROT_NONE), 0);
	return pages + whole - size;
}

static inline void machine_unmap(void *mem, size_t size)
{
	size_t whole = machine_pages(size);

	if (mem)
		munmap((char *)mem + size - whole, whole + machine_pages(1));
}

/* Start a machine without cores. */
static inline void machine_start_shared(struct machine *m, const struct uarch_profile *p,
                                        unsigned max_cores)
{
	memset(m, 0, sizeof(*m));
	m->profile = *p;
	m->shared_size = uarch_shared_size(p, max_cores);
	assert_true(m->shared_size > 0);
	m->shared_mem = machine_map(m->shared_size);
	assert_int_equal(uarch_shared_init(&m->shared, m->shared_mem, m->shared_size, p, max_cores),
	                 SPEMU_OK);
	m->core_size = uarch_core_size(m->shared);
}

static inline void machine_add(struct machine *m, unsigned n, unsigned id)
{
	m->core_mem[n] = machine_map(m->core_size);
	assert_int_equal(uarch_core_init(&m->core[n], m->core_mem[n], m->core_size, m->shared, id),
	                 SPEMU_OK);
}

/* Start a machine with cores 0, step, 2 * step, ... */
static inline void machine_start_with_ids(struct machine *m, const struct uarch_profile *p,
                                          unsigned max_cores, unsigned cores, unsigned step)
{
	machine_start_shared(m, p, max_cores);
	for (unsigned i = 0; i < cores; i++)
		machine_add(m, i, i * step);
}

static inline void machine_start_with(struct machine *m, const struct uarch_profile *p,
                                      unsigned max_cores, unsigned cores)
{
	machine_start_with_ids(m, p, max_cores, cores, 1);
}

static inline void machine_start(struct machine *m, unsigned cores)
{
	struct uarch_profile p;

	machine_profile(&p);
	machine_start_with(m, &p, 4, cores);
}

static inline void machine_stop(struct machine *m)
{
	for (unsigned i = 0; i < 4; i++)
		machine_unmap(m->core_mem[i], m->core_size);
	machine_unmap(m->shared_mem, m->shared_size);
}

/* Make an access in the steps of a host, by an unknown instruction. */
static inline void access_in_steps(struct uarch_core *core, struct uarch_result *result,
                                   uint64_t addr, uint32_t size, unsigned flags)
{
	if (result ||
	    (!uarch_hit(core, addr, size, flags) && !uarch_in_l1(core, addr, size, flags)))
		uarch_access(core, result, 0, addr, size, flags);
}

static inline struct uarch_result touch(struct machine *m, unsigned core, uint64_t addr,
                                        uint32_t size, unsigned flags)
{
	struct uarch_result r = {0};

	access_in_steps(m->core[core], &r, addr, size, flags);
	return r;
}

static inline struct uarch_result load(struct machine *m, unsigned core, uint64_t addr)
{
	return touch(m, core, addr, 8, UARCH_LOAD);
}

static inline struct uarch_result store(struct machine *m, unsigned core, uint64_t addr)
{
	return touch(m, core, addr, 8, UARCH_STORE);
}

#endif
