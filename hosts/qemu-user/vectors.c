/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two ways to read registers of SVE; see vectors.h.
 *
 * Assumptions about QEMU 7.2, whose plugin interface does not have registers:
 *   arm_gdb_get_dynamic_xml(cpu, "sve-registers.xml")  NULL if the CPU does not have SVE
 *   arm_gdb_get_svereg(env, bytes, n)  appends register n as gdb sees it: z0 .. z31, FPSR, FPCR,
 *                                      p0 .. p15, FFR and VG. Each size is checked.
 */
#include <string.h>

#include "timing/a64.h"
#include <spemu/packet.h>

#include "entry_registers.h"
#include "qemu_plugin_api.h"
#include "qemu_symbols.h"
#include "vectors.h"

/* Numbers of arm_gdb_get_svereg(). */
enum { FPCR = 33, P0 = 34, VG = 51 };

#define PREDICATES 16
#define PREDICATE_BYTES 32 /* a bit for each byte of the longest vector */
#define VG_BITS 64         /* a vector granule */
#define VG_MOST 32

struct CPUArchState;
QEMU_WEAK int arm_gdb_get_svereg(struct CPUArchState *env, struct glib_array *bytes, int number);
QEMU_WEAK const char *arm_gdb_get_dynamic_xml(struct CPUState *cpu, const char *name);

static struct qemu_plugin_register *predicate[PREDICATES], *granules;
static enum vectors_found found;
static bool public;

/* Return the register that `name` names in these handles, or NULL. */
static struct qemu_plugin_register **place(const char *name)
{
	unsigned n = 0;

	if (strcmp(name, "vg") == 0)
		return &granules;
	if (*name++ != 'p' || !*name)
		return NULL;
	for (; *name >= '0' && *name <= '9' && n < PREDICATES; name++)
		n = n * 10 + (unsigned)(*name - '0');
	return *name || n >= PREDICATES ? NULL : &predicate[n];
}

static enum vectors_found find_public(void)
{
	struct glib_array *list = qemu_plugin_get_registers();
	unsigned count = 0;

	for (unsigned i = 0; list && i < list->len; i++) {
		const struct qemu_plugin_reg_descriptor *descriptor =
		        (const void *)((const char *)list->data +
		                       i * qemu_plugin_reg_descriptor_size());
		struct qemu_plugin_register **handle = place(descriptor->name);

		if (!handle || *handle)
			continue;
		*handle = descriptor->handle;
		count++;
	}
	if (list)
		g_array_free(list, 1);
	if (!granules)
		return VECTORS_ABSENT;
	return count == PREDICATES + 1 ? VECTORS_READABLE : VECTORS_UNREADABLE;
}

/* Read a register, and return its size, which is 0 if it cannot be read. */
static unsigned read_register(void *value, size_t size, int number)
{
	static __thread struct glib_array *bytes __attribute__((tls_model("initial-exec")));

	memset(value, 0, size);
	if (!bytes)
		bytes = g_byte_array_new();
	g_byte_array_set_size(bytes, 0);
	if (public)
		qemu_plugin_read_register(number == VG ? granules : predicate[number - P0], bytes);
	else
		arm_gdb_get_svereg(registers_env(), bytes, number);
	memcpy(value, bytes->data, bytes->len < size ? bytes->len : size);
	return bytes->len;
}

/* Return the vector length, or 0 if it cannot be read. */
static unsigned vector_bits(void)
{
	uint64_t value;

	if (read_register(&value, sizeof(value), VG) != sizeof(value) || value > VG_MOST ||
	    value % 2)
		return 0;
	return (unsigned)value * VG_BITS;
}

static enum vectors_found find_private(void)
{
	uint8_t value[PREDICATE_BYTES];
	unsigned size;

	if (!arm_gdb_get_svereg || !arm_gdb_get_dynamic_xml || !registers_env())
		return VECTORS_UNREADABLE;
	if (!arm_gdb_get_dynamic_xml(current_cpu, "sve-registers.xml"))
		return VECTORS_ABSENT;
	size = read_register(value, sizeof(value), P0);
	if (size % 8 || size > sizeof(value) || vector_bits() > size * 64 ||
	    read_register(value, sizeof(value), FPCR) != 4)
		return VECTORS_UNREADABLE;
	return vector_bits() ? VECTORS_READABLE : VECTORS_UNREADABLE;
}

enum vectors_found vectors_find(void)
{
	if (!registers_find())
		return VECTORS_UNREADABLE;
	public = !registers_env();
	found = public ? find_public() : find_private();
	return found;
}

void vectors_hide(struct spemu_op_kind *kind)
{
	if (kind->type == SPEMU_OP_OTHER_SVE)
		kind->type = SPEMU_OP_OTHER;
	if (kind->ldst == SPEMU_LDST_SVESME)
		kind->ldst = SPEMU_LDST_UNSPECIFIED;
}

/* Return the events of an operation that a predicate governs, from the predicate's active
 * elements. */
static uint64_t events(const struct a64_predicate *governing, unsigned bits)
{
	const uint64_t partial = UINT64_C(1) << SPEMU_EV_PARTIAL_PREDICATE,
	               empty = UINT64_C(1) << SPEMU_EV_EMPTY_PREDICATE;
	unsigned bytes = bits / 8, step = 1u << governing->element, all = 0, active = 0;
	uint8_t value[PREDICATE_BYTES];

	if (!read_register(value, sizeof(value), P0 + governing->number))
		return 0;
	if (governing->bytes && governing->bytes < bytes)
		bytes = governing->bytes;
	for (unsigned i = 0; i < bytes; i += step, all++)
		active += value[i / 8] >> (i % 8) & 1;
	return active == all ? 0 : active ? partial : partial | empty;
}

void vectors_complete(struct spemu_op *op, uint32_t opcode)
{
	struct a64_predicate governing;
	struct spemu_op_kind kind;
	unsigned bits = found == VECTORS_READABLE ? vector_bits() : 0;

	if (!bits)
		return;
	a64_classify(&kind, opcode, bits);
	op->kind.type = kind.type;
	op->kind.ldst = kind.ldst;
	op->kind.access_size = kind.access_size;
	op->kind.vector_bits = kind.vector_bits;
	if (a64_predicate(&governing, opcode))
		op->events |= events(&governing, bits);
}
