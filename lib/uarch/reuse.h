/* SPDX-License-Identifier: MIT */
/* Sampled fidelity: which lines L2 would have, had the core been told of everything; reuse.c. */
#ifndef SPEMU_UARCH_REUSE_H
#define SPEMU_UARCH_REUSE_H

#include "uarch_object.h"

/* A window begins: what the one before saw is known now. */
void spemu__uarch_reuse_begin(struct spemu_uarch_core *core);

/* The line of addr missed L1 and is in L2 now; hit: it was there before. Whether L2 would have had it in any case: it was used before in this
 * window, or prefetched. */
bool spemu__uarch_reuse_used(struct spemu_uarch_core *core, uint64_t addr, bool hit);

/* Of a line that was not: whether L2 would have missed it. site: by the instruction's share; NULL: by that of all. */
bool spemu__uarch_reuse_missed(struct spemu_uarch_core *core, const struct spemu_uarch_site *site);

/* A prefetcher asked for line, which L2 has now; had: it had it before. is_new: it came from memory. */
void spemu__uarch_reuse_prefetch(struct spemu_uarch_core *core, uint64_t line, bool had,
                                 bool is_new);

/* Whether the window has become long enough to tell what L2 misses: at least half of what L2 has was used again. */
bool spemu__uarch_reuse_tells(struct spemu_uarch_core *core);

/* Whether more than an eighth of what L2 has was not used again yet. */
bool spemu__uarch_reuse_waits(const struct spemu_uarch_core *core);

#endif
