/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callbacks whose parameters depend on the version of QEMU's plugin interface: up to 6 they are
 * given the plugin's id first, from 7 on a pointer last. Those of blocks, instructions and accesses
 * never changed.
 */
#ifndef PLUGIN_CALLBACKS_H
#define PLUGIN_CALLBACKS_H

#include "qemu_plugin_api.h"

/* The version from which on callbacks are given a pointer. */
#define PLUGIN_CALLBACKS_POINTER 7

struct plugin_callbacks {
	void (*vcpu_init)(unsigned cpu);
	void (*vcpu_exit)(unsigned cpu);
	void (*vcpu_resume)(unsigned cpu);
	void (*translate)(struct qemu_plugin_tb *tb);
	void (*syscall)(unsigned cpu, int64_t num, const uint64_t argument[8]);
	void (*syscall_return)(unsigned cpu, int64_t num, int64_t result);
	void (*flush)(void);
	void (*at_exit)(void);
};

/* Registers those that are not NULL; version: that of the interface which the plugin speaks. */
void plugin_callbacks_register(qemu_plugin_id_t id, int version,
                               const struct plugin_callbacks *callbacks);

/*
 * Whether `translate` is called for translations to come; at first it is. Code that is translated
 * without it is that of a QEMU without a plugin. Turned off only where no vCPU translates: QEMU
 * frees what it calls by.
 */
void plugin_callbacks_translate(bool on);

#endif
