/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for offsets in CPUState; see calibrate.h.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "calibrate.h"
#include "qemu_series.h"
#include "qemu_symbols.h"

QEMU_WEAK void cpu_single_step(struct CPUState *cpu, int enabled);

#define CF_CLUSTER 0xff000000u
#define CF_CLUSTER_LEAST 0x01000000u

/* Bytes of CPUState to search. A DeviceState precedes the fields. */
#define SEARCH_BYTES 1024
#define SEARCH_FLAGS_BYTES 2048

static uint32_t word_at(const struct CPUState *cpu, size_t offset)
{
	uint32_t value;

	memcpy(&value, (const unsigned char *)cpu + offset, sizeof(value));
	return value;
}

/* Return the offset of the word that changes from 0 to 1 when single-stepping is switched on, or 0
 * if not exactly one word does. */
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

bool calibrate_restart(void)
{
	struct CPUState *cpu;
	size_t step;

	if (!&current_cpu || !curr_cflags || !cpu_single_step || !cpu_loop_exit_restore)
		return false;
	cpu = current_cpu;
	if (!cpu || (curr_cflags(cpu) & ~(qemu_series.cf_parallel | CF_CLUSTER)))
		return false; /* -singlestep, -d nochain or a debugger is in use */
	step = find_singlestep(cpu);
	if (step < 16)
		return false;
	/* The order is cflags_next_tb, interrupt_request, singlestep_enabled. in_exclusive_context
	 * or exclusive_context_count precedes them. */
	if (word_at(cpu, step - 8) != NO_CFLAGS || word_at(cpu, step - 4) != 0 ||
	    (word_at(cpu, step - 12) & 0xfffffffeu) != 0)
		return false;
	qemu_series.offset[CPU_CFLAGS_NEXT_TB] = step - 8;
	qemu_series.offset[CPU_EXCLUSIVE_CONTEXT] = step - 12;
	return true;
}

/* Change one bit of each word in turn and compare the result of curr_cflags(). Signals are blocked
 * meanwhile, so that no handler sees the change. */
bool calibrate_flags(void)
{
	struct CPUState *cpu = current_cpu;
	uint32_t flags = curr_cflags(cpu);
	sigset_t all, kept;
	unsigned found = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &kept);
	for (size_t i = qemu_series.offset[CPU_CFLAGS_NEXT_TB]; i < SEARCH_FLAGS_BYTES; i += 4) {
		uint32_t word = word_at(cpu, i), changed = word ^ CF_CLUSTER_LEAST;

		if (word != flags)
			continue;
		memcpy((unsigned char *)cpu + i, &changed, sizeof(changed));
		if (curr_cflags(cpu) == changed) {
			qemu_series.offset[CPU_TCG_CFLAGS] = i;
			found++;
		}
		memcpy((unsigned char *)cpu + i, &word, sizeof(word));
	}
	pthread_sigmask(SIG_SETMASK, &kept, NULL);
	return found == 1;
}
