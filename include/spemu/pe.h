/* SPDX-License-Identifier: MIT */
/*
 * The PE: its features and state, the System registers that decisions depend on, and the choices
 * that the architecture leaves open. The SPU (<spemu/spu.h>), the PMU (<spemu/pmu.h>), the walker
 * (<spemu/mmu.h>) and explanations (<spemu/explain.h>) of one PE share this object. So a host sets
 * state, registers and choices once, here.
 *
 *   if (spemu_pe_init(&pe, memory, spemu_pe_size(), &pe_config) ||
 *       spemu_spu_init(&spu, more_memory, spemu_spu_size(), pe, &config, &host) ||
 *       spemu_pe_set(pe, &(struct spemu_pe_state){.el = 1}))
 *           return -1;
 *
 * Threads: only one thread at a time may use a PE and the objects attached to it. Objects of
 * different PEs are independent. No function allocates, prints, reads a clock or keeps global
 * state.
 *
 * Arm ARM: DDI 0487 M.a, A2 (features), D1 (Exception levels), D17.4, D24.
 */
#ifndef SPEMU_PE_H
#define SPEMU_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/feature.h>
#include <spemu/status.h>
#include <spemu/sysreg.h>

SPEMU_BEGIN_DECLS

/* Security states, in the order of {SCR_EL3.NSE, SCR_EL3.NS}. */
enum spemu_security {
	SPEMU_SS_SECURE = 0,
	SPEMU_SS_NON_SECURE = 1,
	SPEMU_SS_ROOT = 2,
	SPEMU_SS_REALM = 3,
};

/*
 * The state of the PE outside its System registers. The struct is closed: its size never changes,
 * and later versions use reserved bytes, which are 0, for new members.
 */
struct spemu_pe_state {
	uint8_t el;          /* PSTATE.EL, 0..3 */
	bool aarch32;        /* PSTATE.nRW: the current Exception level uses AArch32 */
	bool debug;          /* Debug state (Halted()) */
	bool edscr_sdd;      /* EDSCR.SDD */
	bool pm;             /* PSTATE.PM (FEAT_EBEP, FEAT_SPE_EXC) */
	bool streaming;      /* PSTATE.SM */
	uint8_t el_aarch32;  /* bit n: ELn uses AArch32, independent of the current Exception
	                        level (ELUsingAArch32) */
	uint8_t reserved[9]; /* must be 0 */
};

struct spemu_pe; /* an object in memory that the caller provides */

/* The properties of a PE. All members but size and features may be 0. */
struct spemu_pe_config {
	size_t size; /* sizeof(struct spemu_pe_config); members that a smaller struct lacks are 0 */
	struct spemu_features features;
	/*
	 * Implemented physical address size in bits (ID_AA64MMFR0_EL1.PARange): 32, 36, 40, 42, 44,
	 * 48, 52 (FEAT_LPA, FEAT_LPA2) or 56 (FEAT_D128). 0 means 52 with FEAT_LPA, otherwise 48.
	 */
	uint8_t pa_bits;
	uint64_t seed; /* seed of every pseudo-random value of the PE and its SPU */
};

/* Return the size of a PE in bytes. Its memory must be aligned as max_align_t. */
size_t spemu_pe_size(void);

/*
 * Make an object in memory[0..size) and do a Warm reset. Fields that reset to UNKNOWN values get
 * pseudo-random ones from the seed. The PE is at the highest implemented Exception level, in
 * AArch64 and Non-debug state. The memory stays the caller's and must outlive all attached objects.
 *
 * Return SPEMU_OK; SPEMU_ERR_NOSPACE if size is too small; SPEMU_ERR_INVALID for an impossible PE
 * (spemu_features_check() names the rule).
 */
int spemu_pe_init(struct spemu_pe **pe, void *memory, size_t size,
                  const struct spemu_pe_config *config);

/* Return the features of the PE. The pointer is valid as long as the PE. */
const struct spemu_features *spemu_pe_features(const struct spemu_pe *pe);

/*
 * Report a change of the PE's state (exception entry and return, Debug state, PSTATE writes), or
 * get the state. A change of Exception level, Execution state or Debug state is a Context
 * synchronization event. The SPU and the PMU are updated, so PMBIRQ and PMUIRQ may change in the
 * call. Return SPEMU_OK, or SPEMU_ERR_INVALID, without any change, for an Exception level that does
 * not exist or that the PE does not implement.
 */
int spemu_pe_set(struct spemu_pe *pe, const struct spemu_pe_state *state);
void spemu_pe_get(const struct spemu_pe *pe, struct spemu_pe_state *state);

/* Report that the PE executed an ISB, or another Context synchronization event that does not
 * change its state. */
void spemu_pe_isb(struct spemu_pe *pe);

/*
 * Get or set the value of a register without access rules. These functions are for registers that
 * the host owns (SCR_EL3, HCR_EL2, CONTEXTIDR_EL1, CNTVOFF_EL2, ...) and for debuggers. Setting
 * drops RES0 bits and ignores read-only registers. Setting a set or clear register of the PMU sets
 * the whole value. All consequences happen in the call, so PMBIRQ and PMUIRQ may change in it.
 *
 * Return SPEMU_OK, or SPEMU_ERR_INVALID for an unknown register. For counters and other registers
 * that only a PMU holds, use spemu_pmu_reg_get() and spemu_pmu_reg_set().
 */
int spemu_reg_get(const struct spemu_pe *pe, uint64_t *value, enum spemu_reg reg);
int spemu_reg_set(struct spemu_pe *pe, enum spemu_reg reg, uint64_t value);

/* The outcomes of an MSR or MRS. */
enum spemu_access_outcome {
	SPEMU_ACCESS_OK = 0,    /* done */
	SPEMU_ACCESS_UNDEFINED, /* UNDEFINED at the current Exception level */
	SPEMU_ACCESS_TRAP_EL2,  /* trapped to EL2, EC 0x18 */
	SPEMU_ACCESS_TRAP_EL3,  /* trapped to EL3, EC 0x18 */
	SPEMU_ACCESS_NVMEM,     /* turned into a memory access at nvmem_offset (FEAT_NV2) */
	SPEMU_ACCESS_TRAP_EL1,  /* trapped to EL1: an ID register read at EL0 (FEAT_IDST) */
};
/* The result of an MSR or MRS. The struct is closed: its size never changes. */
struct spemu_access_result {
	uint8_t outcome;       /* enum spemu_access_outcome */
	uint16_t nvmem_offset; /* SPEMU_ACCESS_NVMEM: offset from VNCR_EL2.BADDR in bytes */
	uint32_t iss;          /* traps: ESR_ELx.ISS, with Rt 0 */
	const char *rule;      /* the deciding rule, constant text; NULL for SPEMU_ACCESS_OK */
	uint16_t reg;          /* SPEMU_ACCESS_OK: enum spemu_reg of the accessed register;
	                          SPEMU_REG_COUNT if the PE does not hold its value */
};

/*
 * Save and load the state of the PE that software can observe, its choices, and the random state.
 * The configuration is not saved: the object that loads keeps its own. Bits and options that it
 * does not have are dropped. The image has a version and is the same on every host.
 *
 * spemu_pe_save() returns SPEMU_OK, or SPEMU_ERR_NOSPACE if size is below spemu_pe_save_size()
 * bytes. spemu_pe_load() returns SPEMU_OK; SPEMU_ERR_TRUNCATED, SPEMU_ERR_CORRUPT, or
 * SPEMU_ERR_NOT_SUPPORTED for the image of a later version. After an error the object is unchanged.
 *
 * The images of the units are separate. After spemu_pe_load(), load each unit (spemu_spu_load(),
 * spemu_pmu_load()) before any other call for the PE. Do not call load from a callback.
 */
size_t spemu_pe_save_size(void);
int spemu_pe_save(const struct spemu_pe *pe, void *buffer, size_t size);
int spemu_pe_load(struct spemu_pe *pe, const void *buffer, size_t size);

SPEMU_END_DECLS
#endif
