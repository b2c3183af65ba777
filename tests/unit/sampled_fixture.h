/* SPDX-License-Identifier: MIT */
/* One core of the small machine in uarch_fixture.h, for tests of sampling windows. */
#ifndef SPEMU_TESTS_SAMPLED_FIXTURE_H
#define SPEMU_TESTS_SAMPLED_FIXTURE_H

#include <string.h>
#include "uarch_fixture.h"

#define LEVEL(name) UARCH_LEVEL_##name

static struct machine m;

static inline int start(void **state)
{
	struct uarch_profile p;

	(void)state;
	machine_profile(&p);
	machine_start_with_ids(&m, &p, 1, 1, 1);
	return 0;
}

static inline int stop(void **state)
{
	(void)state;
	machine_stop(&m);
	return 0;
}

static inline void sampled_load(struct insn_stats *stats, uint64_t addr)
{
	uarch_sampled_access(m.core[0], stats, NULL, addr, 8, UARCH_LOAD);
}

static inline struct uarch_result estimate(struct insn_stats *stats, uint64_t addr)
{
	struct uarch_result r = {0};

	uarch_estimate(m.core[0], stats, &r, addr, 8, UARCH_LOAD);
	return r;
}

#endif
