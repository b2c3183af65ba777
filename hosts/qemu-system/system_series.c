/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of the series of qemu-system-aarch64; see system_series.h.
 *
 * The offsets of 10.0 come from the sources of 10.0.2 (include/hw/core/cpu.h, target/arm/cpu.h).
 * They agree with the code of Debian's 10.0.2 (backports of Debian 12) and 10.0.13 (Debian 13). The
 * offsets of 11.1 come from the code of Debian's 11.1.3 (backports of Debian 13): curr_cflags(),
 * start_exclusive(), cpsr_read(), arm_cpu_do_interrupt(), helper_access_check_cp_reg(), and
 * vmstate_cpu_common.
 */
#include "system_series.h"

static const struct qemu_series table[] = {
        {.major = 10,
         .minor = 0,
         .interface = 4,
         .cf_noirq = 0x10000,
         .offset = {[CPU_EXCLUSIVE_CONTEXT] = 0xc8,
                    [CPU_CFLAGS_NEXT_TB] = 0xcc,
                    [CPU_TCG_CFLAGS] = 0x2c8,
                    [CPU_EXCEPTION_INDEX] = 0x2d0,
                    [CPU_ENV] = 0x2bc0,
                    [ENV_XREGS] = 0x40,
                    [ENV_PC] = 0x140,
                    [ENV_PSTATE] = 0x148,
                    [ENV_AARCH64] = 0x14c,
                    [ENV_UNCACHED_CPSR] = 0x160,
                    [ENV_CP_REGS] = 0x13390},
         .migrated = {.fields = 72, .field_size = 104, .field_offset = 16},
         .load_state = 0x68},
        {.major = 11,
         .minor = 1,
         .interface = 7,
         .cf_noirq = 0x10000,
         .offset = {[CPU_EXCLUSIVE_CONTEXT] = 0xc8,
                    [CPU_CFLAGS_NEXT_TB] = 0xcc,
                    [CPU_TCG_CFLAGS] = 0x2b8,
                    [CPU_EXCEPTION_INDEX] = 0x2c0,
                    [CPU_ENV] = 0x4070,
                    [ENV_XREGS] = 0x40,
                    [ENV_PC] = 0x140,
                    [ENV_PSTATE] = 0x148,
                    [ENV_AARCH64] = 0x150,
                    [ENV_UNCACHED_CPSR] = 0x168,
                    [ENV_CP_REGS] = 0x13500},
         .migrated = {.fields = 96, .field_size = 96, .field_offset = 8},
         .load_state = 0x60},
};

struct qemu_series qemu_series;

bool system_series_select(unsigned major, unsigned minor)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].major != major || table[i].minor != minor)
			continue;
		qemu_series = table[i];
		return true;
	}
	return false;
}

int system_series_interface(unsigned major, unsigned minor)
{
	int interface = table[0].interface;

	for (size_t i = 1; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].major < major || (table[i].major == major && table[i].minor <= minor))
			interface = table[i].interface;
	return interface;
}

const char *qemu_offset_name(enum qemu_offset member)
{
	static const char *const names[QEMU_OFFSETS] = {
	        [CPU_EXCLUSIVE_CONTEXT] = "CPUState.exclusive_context_count",
	        [CPU_CFLAGS_NEXT_TB] = "CPUState.cflags_next_tb",
	        [CPU_TCG_CFLAGS] = "CPUState.tcg_cflags",
	        [CPU_EXCEPTION_INDEX] = "CPUState.exception_index",
	        [CPU_ENV] = "ArchCPU.env",
	        [ENV_XREGS] = "CPUARMState.xregs",
	        [ENV_PC] = "CPUARMState.pc",
	        [ENV_PSTATE] = "CPUARMState.pstate",
	        [ENV_AARCH64] = "CPUARMState.aarch64",
	        [ENV_UNCACHED_CPSR] = "CPUARMState.uncached_cpsr",
	        [ENV_CP_REGS] = "ArchCPU.cp_regs",
	};

	return names[member];
}
