/* SPDX-License-Identifier: MIT */
/*
 * Access to SPE for bare-metal programs: its registers, their fields, and a table with a row for
 * each register.
 *
 *
 * Arm ARM: DDI 0487 M.a, D24.7 (the registers), D24.2 (the fine-grained traps), D24.2.40 (the
 * syndrome of a trap).
 */
#ifndef CONFORMANCE_SPE_H
#define CONFORMANCE_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "spe_registers.h"

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;

#define BIT(n) (UINT64_C(1) << (n))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define READ(name)                                                              \
	({                                                                      \
		u64 value_;                                                     \
		__asm__ volatile("mrs %0, " #name : "=r"(value_) : : "memory"); \
		value_;                                                         \
	})
#define WRITE(name, value) __asm__ volatile("msr " #name ", %0" : : "r"((u64)(value)) : "memory")
#define ISB() __asm__ volatile("isb" : : : "memory")
#define DSB() __asm__ volatile("dsb sy" : : : "memory")
#define PSB() __asm__ volatile("hint #17" : : : "memory")

/* Registers by number, because the assembler would require their features for the names. */
#define PMSCR_EL1 S3_0_C9_C9_0
#define PMSNEVFR_EL1 S3_0_C9_C9_1
#define PMSICR_EL1 S3_0_C9_C9_2
#define PMSIRR_EL1 S3_0_C9_C9_3
#define PMSFCR_EL1 S3_0_C9_C9_4
#define PMSEVFR_EL1 S3_0_C9_C9_5
#define PMSLATFR_EL1 S3_0_C9_C9_6
#define PMSIDR_EL1 S3_0_C9_C9_7
#define PMBLIMITR_EL1 S3_0_C9_C10_0
#define PMBPTR_EL1 S3_0_C9_C10_1
#define PMBSR_EL1 S3_0_C9_C10_3
#define PMSDSFR_EL1 S3_0_C9_C10_4
#define PMBMAR_EL1 S3_0_C9_C10_5
#define PMBIDR_EL1 S3_0_C9_C10_7
#define PMSCR_EL2 S3_4_C9_C9_0
#define PMSCR_EL12 S3_5_C9_C9_0
#define HDFGRTR_EL2 S3_4_C3_C1_4
#define HDFGWTR_EL2 S3_4_C3_C1_5
#define VNCR_EL2 S3_4_C2_C2_0
/* Expand a macro before its name is used: RD(PMSCR_EL1). */
#define RD(name) READ(name)
#define WR(name, value) WRITE(name, value)

enum { STAGE_1_FAULT = 0x24, STAGE_2_FAULT = 0x25 }; /* PMBSR_EL1.EC */

#define PMBSR_EC(value) (((value) >> 26) & 63)
#define PMBSR_DL BIT(19)
#define PMBSR_EA BIT(18)
#define PMBSR_S BIT(17)
#define PMBSR_COLL BIT(16)
#define PMSCR_E0SPE BIT(0)
#define PMSCR_E1SPE BIT(1)
#define PMSCR_E0HSPE BIT(0)
#define PMSCR_E2SPE BIT(1)
#define PMSCR_EE(n) ((u64)(n) << 8)
#define PMSCR_CX BIT(3)
#define PMSCR_PA BIT(4)
#define PMSCR_TS BIT(5)
#define PMSCR_PCT(n) ((u64)(n) << 6)

#define ENPMSN BIT(36) /* MDCR_EL3 */
#define ENPMS3 BIT(42)
#define ENPMS4 BIT(55)

/* ---- the table ------------------------------------------------------------------------------- */

enum group { SAMPLING, BUFFER, BUFFER_ID, OF_EL2, OF_EL12 };

struct spe_register {
	const char *name;
	u8 op1, crm, op2;
	u8 group;
	u8 fgt; /* bit of HDFGRTR_EL2 and HDFGWTR_EL2 */
	bool readonly;
	/* A bit of MDCR_EL3 that traps to EL3 when it is 0. Then the fine-grained trap is also
	 * enabled when its bit is 0. */
	u64 enable;
	u64 idr; /* bit of PMSIDR_EL1 or PMBIDR_EL1 for its existence; 0: always */
};

/* The indices in spe_registers[], in the order of SPE_REGISTERS. */
enum {
#define X(name, op1, crm, op2) R_##name,
	SPE_REGISTERS(X)
#undef X
	        SPE_REGISTER_COUNT
};
extern const struct spe_register spe_registers[SPE_REGISTER_COUNT];

/* Features that determine which registers and fields exist. */
struct spe_ids {
	unsigned pmsver; /* ID_AA64DFR0_EL1.PMSVer */
	bool has_vhe, has_ecv;
	u64 pmsidr, pmbidr;
};

bool register_implemented(const struct spe_register *reg, const struct spe_ids *ids);
/* Return the ISS of a trapped MSR or MRS that uses X3. */
u64 register_syndrome(const struct spe_register *reg, bool write);
/* Set `ones` to the bits that keep the written value, and `may` to the bits that may keep it. */
void register_fields(unsigned index, const struct spe_ids *ids, u64 *ones, u64 *may);
/* Return all bits set, except for reserved values and enable bits. */
u64 register_all_ones(unsigned index);

#endif
