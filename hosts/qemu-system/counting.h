/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether blocks are translated with a count: while some SPU can sample, and for a while after
 * that.
 *
 * When one begins to, all translations are dropped and made anew; when none has for a while, again.
 * Translations that nobody has to see are QEMU's alone.
 */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>

/* On the thread of the first vCPU, before it runs. */
void counting_start(void);
bool counting_on(void);

/* One more, or one fewer, vCPU can sample. On the thread of a vCPU. */
void counting_need(bool more);
/* All translations have been dropped; no vCPU runs. */
void counting_flushed(void);
/* Called now and then by each vCPU: drops what is no longer needed. */
void counting_catch_up(void);

#endif
