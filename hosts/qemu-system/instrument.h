/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation blocks and what is added to them.
 *
 * Nothing is added while no SPU can sample, so a machine that does not profile runs as fast as
 * without the plugin. When one begins to, all translations are dropped and made anew; when none has
 * for a while, again.
 */
#ifndef INSTRUMENT_H
#define INSTRUMENT_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

void instrument_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
void instrument_flush(qemu_plugin_id_t id);

/* One more, or one fewer, vCPU can sample. On the thread of a vCPU. */
void instrument_need(bool more);
/* Called now and then by each vCPU: drops what is no longer needed. */
void instrument_settle(void);

#endif
