/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The switch between translations that count and translations that do not. Blocks count while an
 * SPU can sample, and for a few seconds after.
 *
 * All translations are dropped when the first SPU can sample, and again after no SPU could sample
 * for a while. The plugin does not see translations that it does not need.
 */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdbool.h>

/* Start without counting translations, on the thread of the first vCPU before it runs. */
void counting_start(void);
bool counting_on(void);

/* Note that one more or one fewer vCPU can sample. Called on the thread of a vCPU. */
void counting_need(bool more);
/* Note that all translations have been dropped. No vCPU runs. */
void counting_flushed(void);
/* Drop counting translations that are not needed any more. Each vCPU calls this at its
 * exceptions. */
void counting_drop_unneeded(void);

#endif
