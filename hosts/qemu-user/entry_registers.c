/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See entry_registers.h. */
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "qemu_plugin_api.h"
#include "entry_registers.h"

#define REGISTERS 32

/* GLib's, which QEMU brings. */
QEMU_WEAK struct glib_array *g_byte_array_new(void);
QEMU_WEAK struct glib_array *g_byte_array_set_size(struct glib_array *bytes, unsigned size);
QEMU_WEAK void *g_array_free(struct glib_array *array, int segment);

static struct qemu_plugin_register *handle[REGISTERS];
static bool public;

/* Of a thread; kept until it ends. */
static __thread struct glib_array *bytes __attribute__((tls_model("initial-exec")));
static __thread uint64_t value[REGISTERS] __attribute__((tls_model("initial-exec")));

/* "x0" to "x30" and "sp"; -1 for others. */
static int number(const char *name)
{
	char *end;
	long n;

	if (strcmp(name, "sp") == 0)
		return STACK_POINTER;
	if (name[0] != 'x' || name[1] < '0' || name[1] > '9')
		return -1;
	n = strtol(name + 1, &end, 10);
	return *end || n >= STACK_POINTER ? -1 : (int)n;
}

static bool find_public(void)
{
	struct glib_array *list;
	unsigned found = 0;

	if (!qemu_plugin_get_registers || !qemu_plugin_read_register || !g_byte_array_new ||
	    !g_byte_array_set_size || !g_array_free || !(list = qemu_plugin_get_registers()))
		return false;
	for (unsigned i = 0; i < list->len; i++) {
		const struct qemu_plugin_reg_descriptor *descriptor =
		        (const void *)((const char *)list->data +
		                       i * qemu_plugin_reg_descriptor_size());
		int n = number(descriptor->name);

		if (n < 0 || handle[n])
			continue;
		handle[n] = descriptor->handle;
		found++;
	}
	g_array_free(list, 1);
	return found == REGISTERS;
}

bool registers_find(void)
{
	static bool looked, found;

	if (!looked) {
		looked = true;
		public = find_public();
		found = public || calibrate_registers();
	}
	return found;
}

const uint64_t *registers_in_memory(void)
{
	return public ? NULL : calibrated_xregs();
}

const uint64_t *registers_at_entry(uint32_t set)
{
	if (!public)
		return calibrated_xregs();
	if (!bytes)
		bytes = g_byte_array_new();
	for (unsigned i = 0; i < REGISTERS; i++) {
		if (!(set >> i & 1))
			continue;
		g_byte_array_set_size(bytes, 0);
		qemu_plugin_read_register(handle[i], bytes);
		value[i] = 0;
		if (bytes->len >= sizeof(value[i]))
			memcpy(&value[i], bytes->data, sizeof(value[i]));
	}
	return value;
}
