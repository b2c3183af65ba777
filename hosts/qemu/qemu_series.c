/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of QEMU's series; see qemu_series.h.
 *
 * The offsets of 10.0 were read in the sources of 10.0.2 (include/hw/core/cpu.h, target/arm/cpu.h) and
 * compared with the code of Debian's 10.0.2 (backports of Debian 12) and 10.0.13 (Debian 13), which
 * agree. Those of 11.1 were read in the code of Debian's 11.1.3 (backports of Debian 13): curr_cflags(),
 * start_exclusive(), cpsr_read(), arm_cpu_do_interrupt(), helper_access_check_cp_reg(), and
 * vmstate_cpu_common. Of 7.2 only what calibration does not find has a value.
 */
#include "qemu_series.h"

static const struct qemu_series table[] = {
        {.major = 7,
         .minor = 2,
         .system = false,
         .cf_noirq = 0x100000,
         .cf_parallel = 0x80000,
         .offset = {[ENV_XREGS] = 0x40}},
        {.major = 10, .minor = 2, .system = false, .cf_noirq = 0x10000, .cf_parallel = 0x8000},
        {.major = 10,
         .minor = 0,
         .system = true,
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
         .system = true,
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

bool qemu_series_select(bool system, unsigned major, unsigned minor)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].system != system || table[i].major != major || table[i].minor != minor)
			continue;
		qemu_series = table[i];
		return true;
	}
	return false;
}

int qemu_series_interface(unsigned major, unsigned minor)
{
	int interface = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].system && (!interface || table[i].major < major ||
		                        (table[i].major == major && table[i].minor <= minor)))
			interface = table[i].interface;
	return interface;
}

const char *qemu_series_remedy(bool system)
{
	return system ? "use qemu-system-aarch64 10.0 or 11.1, as in Debian 13 and the backports "
	                "of Debian 12 and 13"
	              : "use one that scripts/qemu-user makes";
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
