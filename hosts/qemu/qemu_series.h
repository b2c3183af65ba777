/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between series of QEMU: offsets in its private structs and bits of its translation
 * flags. Each series has a row in hosts/qemu-system/system_series.c and hosts/qemu-user/plugin.c.
 * No other part of the hosts depends on a series.
 *
 * Each offset is checked against the running QEMU before it is used. In the system host,
 * qemu_verify.c refuses a wrong offset. In the user host, the calibration finds the offsets itself.
 */
#ifndef QEMU_SERIES_H
#define QEMU_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct CPUState;     /* also the ARMCPU that begins with it */
struct CPUArchState; /* "env" */

enum qemu_offset {
	/* in struct CPUState */
	CPU_EXCLUSIVE_CONTEXT, /* not 0 in an exclusive step */
	CPU_CFLAGS_NEXT_TB,    /* flags for the next block only; NO_CFLAGS: none */
	CPU_TCG_CFLAGS,
	CPU_EXCEPTION_INDEX,
	/* in struct ArchCPU: env is after the CPUState */
	CPU_ENV,
	/* in CPUARMState and, after it, ArchCPU */
	ENV_XREGS,
	ENV_PC,
	ENV_PSTATE,
	ENV_AARCH64,
	ENV_UNCACHED_CPSR,
	ENV_CP_REGS,
	QEMU_OFFSETS
};

struct qemu_series {
	unsigned major, minor;
	int interface;        /* version of the plugin interface (system) */
	uint32_t cf_noirq;    /* the block ignores pending interrupts; in the translation key */
	uint32_t cf_parallel; /* threads run at the same time (user) */
	size_t offset[QEMU_OFFSETS];
	/* Offset of `fields` in a VMStateDescription, which `subsections` follows. Size of a
	 * VMStateField, and the offset of its `offset`, which `size` follows. */
	struct {
		size_t fields, field_size, field_offset;
	} migrated;
	/* Offset of load_state() in SaveVMHandlers, whose first member is save_state(). Nothing
	 * proves this offset before a load. */
	size_t load_state;
};

/* The row of the running QEMU. Each plugin defines it and sets it before any other use of this
 * header. */
extern struct qemu_series qemu_series;

#define NO_CFLAGS UINT32_MAX

static inline void *qemu_member(const void *object, enum qemu_offset member)
{
	return (char *)(uintptr_t)object + qemu_series.offset[member];
}

static inline uint32_t qemu_word(const void *object, enum qemu_offset member)
{
	uint32_t value;

	memcpy(&value, qemu_member(object, member), sizeof(value));
	return value;
}

static inline uint64_t qemu_double(const void *object, enum qemu_offset member)
{
	uint64_t value;

	memcpy(&value, qemu_member(object, member), sizeof(value));
	return value;
}

static inline struct CPUArchState *qemu_env(const struct CPUState *cpu)
{
	return qemu_member(cpu, CPU_ENV);
}

#endif
