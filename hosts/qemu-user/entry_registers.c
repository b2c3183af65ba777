/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two ways to read registers; see entry_registers.h.
 *
 * Assumptions about QEMU 7.2, whose plugin interface does not have registers:
 *   CPUState.env_ptr            followed by icount_decr_ptr
 *   ENV_XREGS of qemu_series.h  the first addresses of each process are compared with those of memory
 *                               callbacks; after a difference, addresses are not computed any more
 */
#include <stdlib.h>
#include <string.h>

#include "entry_registers.h"
#include "qemu_plugin_api.h"
#include "qemu_series.h"
#include "qemu_symbols.h"

#define REGISTERS 32

#define SEARCH_BYTES 2048
#define OBJECT_BYTES 0x40000 /* more than the size of a CPU object with its registers */

static struct qemu_plugin_register *handle[REGISTERS];
static bool public;
static size_t env_ptr_offset;

/* Buffers of the thread, kept until it ends. */
static __thread struct glib_array *bytes __attribute__((tls_model("initial-exec")));
static __thread uint64_t value[REGISTERS] __attribute__((tls_model("initial-exec")));

/* Return the number of "x0" to "x30" or "sp", or -1 for other names. */
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

static uintptr_t pointer_at(const struct CPUState *cpu, size_t offset)
{
	uintptr_t pointer;

	memcpy(&pointer, (const unsigned char *)cpu + offset, sizeof(pointer));
	return pointer;
}

/* Find env_ptr and icount_decr_ptr. Both point into the object, and icount_decr_ptr to an address
 * just before the other. */
static bool find_private(void)
{
	const struct CPUState *cpu = &current_cpu ? current_cpu : NULL;
	uintptr_t self = (uintptr_t)cpu;
	unsigned found = 0;

	if (!cpu)
		return false;
	for (size_t i = 0; i + 16 <= SEARCH_BYTES; i += 8) {
		uintptr_t env = pointer_at(cpu, i), decr = pointer_at(cpu, i + 8);

		if (env > self + i && env < self + OBJECT_BYTES && env % 16 == 0 && decr < env &&
		    decr > self + i && env - decr <= 64) {
			env_ptr_offset = i;
			found++;
		}
	}
	return found == 1;
}

struct CPUArchState *registers_env(void)
{
	return public ? NULL : (struct CPUArchState *)pointer_at(current_cpu, env_ptr_offset);
}

static const uint64_t *private_registers(void)
{
	return qemu_member(registers_env(), ENV_XREGS);
}

bool registers_find(void)
{
	static bool looked, found;

	if (!looked) {
		looked = true;
		public = find_public();
		found = public || find_private();
	}
	return found;
}

const uint64_t *registers_in_memory(void)
{
	return public ? NULL : private_registers();
}

const uint64_t *registers_at_entry(uint32_t set)
{
	if (!public)
		return private_registers();
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
