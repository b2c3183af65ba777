/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks are translated with a count while an SPU can sample, and for a few seconds after.
 *
 * All translations are dropped when the first SPU can sample, and again when none has been able to
 * for a while. The plugin does not see translations that it does not need.
 */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>

/* On the thread of the first vCPU, before it runs. */
void counting_start(void);
bool counting_on(void);

/* Note that one more, or one fewer, vCPU can sample; on the thread of a vCPU. */
void counting_need(bool more);
/* Note that all translations have been dropped; no vCPU runs. */
void counting_flushed(void);
/* Drop counting translations that are no longer needed. Each vCPU calls this now and then. */
void counting_drop_unneeded(void);

#endif
