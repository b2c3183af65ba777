/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to leave a block in its entry callback; restart_block.h lists the assumptions.
 */
#include <string.h>

#include "qemu_series.h"
#include "qemu_symbols.h"
#include "restart_block.h"

/* Most instructions of a block, in the lowest bits of the flags; 0: no limit. */
#define ONE_INSTRUCTION 1
/* Return addresses are reduced by this, as in QEMU's GETPC(), so that they lie within the call. */
#define RETURN_ADJUST 2

bool restart_block_allowed(const struct CPUState *cpu)
{
	return qemu_word(cpu, CPU_EXCLUSIVE_CONTEXT) == 0 &&
	       qemu_word(cpu, CPU_CFLAGS_NEXT_TB) == NO_CFLAGS;
}

static void set_flags_of_next(struct CPUState *cpu, uint32_t more)
{
	uint32_t cflags = curr_cflags(cpu) | qemu_series.cf_noirq | more;

	memcpy(qemu_member(cpu, CPU_CFLAGS_NEXT_TB), &cflags, sizeof(cflags));
}

_Noreturn void restart_block(struct CPUState *cpu, uintptr_t ra)
{
	set_flags_of_next(cpu, 0);
	cpu_loop_exit_restore(cpu, ra - RETURN_ADJUST);
}

_Noreturn void run_alone(struct CPUState *cpu)
{
	set_flags_of_next(cpu, ONE_INSTRUCTION);
	cpu_loop_exit_restore(cpu, 0);
}

_Noreturn void leave_block(struct CPUState *cpu, uintptr_t ra)
{
	cpu_loop_exit_restore(cpu, ra - RETURN_ADJUST);
}
