/* SPDX-License-Identifier: MIT */
/*
 * Strict mode: the sanitizer of software that drives an SPU.
 *
 * In plain mode every effect is at once, as on most hardware. In strict mode effects come when the
 * architecture guarantees them, or earlier, as a seed decides, and software that relied on more is
 * reported:
 *
 * - A direct write (MSR) becomes visible to the profiling operation at the latest at a Context
 * synchronization event: spemu_pe_isb(), or an exception entry or return, which is a spemu_pe_set()
 * that changes the Exception level, the Execution state or Debug state. Until then each write of
 * its own may become visible at any register access, barrier or finished sample. - The record of a
 * sampled operation, and its effects (PMBPTR_EL1, PMBSR_ELx, the interrupt), stay pending:
 * spemu_spu_sample_end() gives SPEMU_SAMPLE_PENDING, and spemu_spu_host.sample_done reports the
 * end. It is written at the latest when a PSB CSYNC has covered it and a DSB, a Context
 * synchronization event, a write of PMBSR_ELx or spemu_reg_set() follows, or when 16 records or 4
 * KB are pending. A PSB covers the operations before the last Context synchronization event; later
 * ones as the seed decides (IVKDVF). - MRS of PMBPTR_EL1, PMBSR_ELx or PMSICR_EL1 while indirect
 * writes to it are not synchronized gives the old or the new value, as the seed decides.
 *
 * spemu_reg_set() is the host's own view: it is at once in strict mode too. spemu_reg_get() gives
 * the value that software has written, if that is not visible yet, and else the value that the SPU
 * has.
 *
 * Diagnostics come through spemu_spu_host.diagnostic in both modes. Those of strict mode come in
 * strict mode only, each once for a PC that spemu_spu_set_pc() has set.
 *
 * Arm ARM: DDI 0487 M.a, D17.9. Threads: these are functions of an SPU (<spemu/spu.h>), one thread
 * at a time.
 */
#ifndef SPEMU_STRICT_H
#define SPEMU_STRICT_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/diagnostic.h>
#include <spemu/spu.h>

SPEMU_BEGIN_DECLS

/*
 * Turn strict mode on or off; a new object is in plain mode. On: everything before counts as
 * synchronized, seed decides when pending effects happen, and all diagnostics may come again. Off:
 * all pending effects happen now. Not to be called from a callback. SPEMU_OK; SPEMU_ERR_INVALID
 * without an object.
 */
int spemu_spu_set_strict(struct spemu_spu *spu, bool on, uint64_t seed);
bool spemu_spu_strict(const struct spemu_spu *spu);

/* Set the address of the instruction that the next calls are made for, for diagnostics. Until the
 * first call diagnostics have no PC, and repeated ones are not suppressed. Costs a store. */
void spemu_spu_set_pc(struct spemu_spu *spu, uint64_t pc);

/*
 * Let time pass: the SPU writes all pending records. Architecturally this happens in finite time by
 * itself; a host calls it where its PE waits (WFI). It does not synchronize: reads of registers and
 * memory are as undefined as before. Plain mode: nothing.
 */
void spemu_spu_drain(struct spemu_spu *spu);

/* Actions of software on memory that the Profiling Buffer may use. */
enum spemu_memory_report {
	/* A diagnostic if records were, or are still to be, written there and no PSB with a DSB
	 * after it covered them. */
	SPEMU_SOFTWARE_READS,
	/* The same diagnostic; and one if a record of an operation that finishes before the next
	 * spemu_spu_dsb() or spemu_spu_dsb_st() is written there: only a DSB guarantees that the
	 * record comes after the write (INRNSL). The four latest writes are remembered; one that
	 * goes on from the end of the latest extends it. */
	SPEMU_SOFTWARE_WRITES,
	/* Software changed the translation in a way that needs TLB maintenance: it unmapped the
	 * addresses, took write permission away, or moved them. A diagnostic if the Profiling
	 * Buffer is there and in use; and one when a record is written there before the TLB
	 * maintenance is reported. The four latest changes are remembered. */
	SPEMU_TRANSLATION_CHANGED,
	/* The TLB maintenance of all these addresses, with its DSB. */
	SPEMU_TRANSLATION_MAINTAINED,
};
/* Report what software does to size bytes at address, an address as in PMBPTR_EL1. Plain mode:
 * nothing. */
void spemu_spu_report_memory(struct spemu_spu *spu, enum spemu_memory_report what, uint64_t address,
                             uint64_t size);
/* Execute a DSB ST, which completes the writes of software and does not wait for records (IMLGHW).
 * spemu_spu_dsb() does both; DSB LD does neither. */
void spemu_spu_dsb_st(struct spemu_spu *spu);

/*
 * The diagnostics that there are, for lists and suppressions: index 0, 1, ...; NULL past the last.
 * Constant; values and pc are not filled.
 */
const struct spemu_diagnostic *spemu_diagnostic_at(unsigned index);

/*
 * The restrictions that a hypervisor may put on its guest, for tests of guests' drivers. Works in
 * plain and strict mode. size is sizeof(struct spemu_vm_rules). Not part of a saved state.
 */
struct spemu_vm_rules {
	size_t size;
	/* MSR to PMBPTR_EL1, PMBSR_EL1 and PMBMAR_EL1 is ignored while PMBLIMITR_EL1.E is 1, and so
	 * is one to PMBLIMITR_EL1 that leaves E set. */
	bool ignore_writes_while_enabled;
	bool physical_only; /* PMBIDR_EL1.AddrMode reads as 0b11, with FEAT_SPE_nVM */
	/* PMBIDR_EL1.MaxBuffSize, D24.7.1: 0 = no limit. A record that is about to be written to a
	 * larger buffer is a management event, BSC 0b000100. Bits [15:14] are 0. */
	uint16_t max_buff_size;
};
/* rules NULL: none, as in a new object. SPEMU_OK; SPEMU_ERR_INVALID for a bad member. */
int spemu_spu_set_vm_rules(struct spemu_spu *spu, const struct spemu_vm_rules *rules);

SPEMU_END_DECLS
#endif
