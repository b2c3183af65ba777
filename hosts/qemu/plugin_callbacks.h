/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callbacks whose parameters depend on the version of QEMU's plugin interface. Up to version 6 the
 * plugin's id is the first parameter; from 7 on a pointer is the last. Callbacks of blocks,
 * instructions and memory accesses are the same in all versions.
 */
#ifndef PLUGIN_CALLBACKS_H
#define PLUGIN_CALLBACKS_H

#include "qemu_plugin_api.h"

/* First version whose callbacks have the pointer. */
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

/* Register the callbacks that are not NULL. `version` is the interface version that the plugin
 * uses. */
void plugin_callbacks_register(qemu_plugin_id_t id, int version,
                               const struct plugin_callbacks *callbacks);

/*
 * Turn `translate` on or off for later translations; it is on at first. Code translated while it is
 * off runs as fast as in a QEMU without a plugin. Turn it off only while no vCPU translates,
 * because QEMU then frees memory that the call uses.
 */
void plugin_callbacks_translate(bool on);

#endif
