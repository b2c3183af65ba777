/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callbacks and counts that the plugin adds to translation blocks.
 *
 * Nothing is added while no SPU can sample (counting.h), so a machine that does not profile runs as
 * fast as without the plugin.
 */
#ifndef INSTRUMENT_H
#define INSTRUMENT_H

#include "qemu_plugin_api.h"

void instrument_block(struct qemu_plugin_tb *tb);
void instrument_flush(void);

#endif
