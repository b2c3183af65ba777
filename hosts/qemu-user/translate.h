/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of a block from its translation, and which callbacks it gets.
 *
 * QEMU translates under its mmap lock in user mode, so there is one translation at a time.
 */
#ifndef TRANSLATE_H
#define TRANSLATE_H

#include "qemu_plugin_api.h"

void translate_block(struct qemu_plugin_tb *tb);

#endif
