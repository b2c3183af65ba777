/* SPDX-License-Identifier: MIT */
/* Sampled fidelity: which lines L2 would have, had the core been told of everything; reuse.c. */
#ifndef UARCH_REUSE_H
#define UARCH_REUSE_H

#include "uarch_object.h"

/* A window begins: what the one before saw is known now. */
void uarch__reuse_begin(struct uarch_core *core);

/* The line of addr missed L1 and is in L2 now; hit: it was there before. Whether L2 would have had
 * it in any case: it was used before in this window, or prefetched. */
bool uarch__reuse_used(struct uarch_core *core, uint64_t addr, bool hit);

/* Of a line that was not: whether L2 would have missed it. stats: by the instruction's share; NULL:
 * by that of all. */
bool uarch__reuse_missed(struct uarch_core *core, const struct insn_stats *stats);

/* A prefetcher asked for line, which L2 has now; had: it had it before. is_new: it came from
 * memory. */
void uarch__reuse_prefetch(struct uarch_core *core, uint64_t line, bool had, bool is_new);

/* Whether the window has become long enough to tell what L2 misses: at least half of what L2 has
 * was used again. */
bool uarch__reuse_is_warm(struct uarch_core *core);

/* Whether more than an eighth of what L2 has was not used again yet. */
bool uarch__reuse_waits(const struct uarch_core *core);

#endif
