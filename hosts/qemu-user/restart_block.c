/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaving a block in its entry callback; see restart_block.h for what this relies on.
 */
#include <stddef.h>
#include <string.h>

#include "qemu_plugin_api.h"
#include "restart_block.h"

struct CPUState;

extern QEMU_WEAK __thread struct CPUState *current_cpu;
QEMU_WEAK uint32_t curr_cflags(struct CPUState *cpu);
QEMU_WEAK void cpu_single_step(struct CPUState *cpu, int enabled);
QEMU_WEAK void cpu_loop_exit_restore(struct CPUState *cpu, uintptr_t ra);

#define CF_COUNT_MASK 0x1ffu
#define CF_SINGLE_STEP 0x800u
#define CF_NOIRQ 0x100000u
#define CF_PARALLEL 0x80000u

/* A DeviceState precedes the fields in question; all of them lie within this many bytes. */
#define SEARCH_BYTES 1024

/* Return addresses are reduced by this so that they lie within the call, as QEMU's GETPC() does. */
#define RETURN_ADJUST 2

static size_t cflags_next_offset;

static uint32_t word_at(const struct CPUState *cpu, size_t offset)
{
	uint32_t value;

	memcpy(&value, (const unsigned char *)cpu + offset, sizeof(value));
	return value;
}

/* The one word that changes from 0 to 1 when single-stepping is switched on; 0 if not just one. */
static size_t find_singlestep(struct CPUState *cpu)
{
	uint32_t before[SEARCH_BYTES / 4];
	size_t found = 0;
	unsigned changes = 0;

	memcpy(before, cpu, sizeof(before));
	cpu_single_step(cpu, 1);
	for (size_t i = 0; i < SEARCH_BYTES / 4; i++) {
		uint32_t now = word_at(cpu, i * 4);

		if (now == before[i])
			continue;
		changes++;
		if (before[i] == 0 && now == 1)
			found = i * 4;
	}
	cpu_single_step(cpu, 0);
	return changes == 1 && word_at(cpu, found) == 0 ? found : 0;
}

bool restart_block_calibrate(void)
{
	struct CPUState *cpu;
	size_t step;

	if (!&current_cpu || !curr_cflags || !cpu_single_step || !cpu_loop_exit_restore)
		return false;
	cpu = current_cpu;
	if (!cpu || (curr_cflags(cpu) & ~(CF_PARALLEL | 0xff000000u)))
		return false; /* -singlestep, -d nochain or a debugger: keep away */
	step = find_singlestep(cpu);
	if (step < 16)
		return false;
	/* cflags_next_tb, interrupt_request, singlestep_enabled; before them two flags that are
	 * bytes: exit_request and in_exclusive_context. */
	if (word_at(cpu, step - 8) != UINT32_MAX || word_at(cpu, step - 4) != 0 ||
	    (word_at(cpu, step - 12) & 0xfffffffeu) != 0)
		return false;
	cflags_next_offset = step - 8;
	return true;
}

bool restart_block_allowed(void)
{
	const struct CPUState *cpu = current_cpu;

	return ((const unsigned char *)cpu)[cflags_next_offset - 4] == 0;
}

_Noreturn void restart_block(uintptr_t ra)
{
	struct CPUState *cpu = current_cpu;
	uint32_t cflags = curr_cflags(cpu) | CF_NOIRQ;

	memcpy((unsigned char *)cpu + cflags_next_offset, &cflags, sizeof(cflags));
	cpu_loop_exit_restore(cpu, ra - RETURN_ADJUST);
	__builtin_unreachable();
}
