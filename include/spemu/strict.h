/* SPDX-License-Identifier: MIT */
/*
 * Strict mode: a sanitizer for software that drives an SPU.
 *
 * In plain mode every effect is immediate, as on most hardware. In strict mode an effect happens at
 * the point where the architecture guarantees it, or earlier, as a seed decides. spemu reports
 * software that relies on more than the guarantee:
 *
 * - A direct write (MSR) becomes visible to the profiling operation at a Context synchronization
 *   event at the latest: spemu_pe_isb(), or an exception entry or return, which is a spemu_pe_set()
 *   that changes the Exception level, the Execution state or Debug state. Until then, each write
 *   may separately become visible at any register access, barrier or finished sample.
 * - The record of a sampled operation and its effects (PMBPTR_EL1, PMBSR_ELx, the interrupt) stay
 *   pending: spemu_spu_sample_end() returns the outcome SPEMU_SAMPLE_PENDING, and
 *   spemu_spu_host.sample_done reports the end. The record is written at the latest when a PSB
 *   CSYNC has covered it, and then a DSB, a Context synchronization event, a write of PMBSR_ELx or
 *   spemu_reg_set() follows. It is also written when 16 records or 4 KB are pending. A PSB CSYNC
 *   covers the operations before the last Context synchronization event, and later ones as the seed
 *   decides (IVKDVF).
 * - An MRS of PMBPTR_EL1, PMBSR_ELx or PMSICR_EL1 with unsynchronized indirect writes returns the
 *   old or the new value, as the seed decides.
 *
 * spemu_reg_set() is the host's own view, so its effect is immediate in strict mode too.
 * spemu_reg_get() returns the value that software has written if that is not visible yet, and
 * otherwise the value that the SPU has.
 *
 * Diagnostics come through spemu_spu_host.diagnostic in both modes. Diagnostics about strict mode
 * come only in strict mode, each once for each PC that spemu_spu_set_pc() has set.
 *
 * Arm ARM: DDI 0487 M.a, D17.9. Threads: these are functions of an SPU (<spemu/spu.h>), so only one
 * thread at a time may call them.
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
 * Turn strict mode on or off, or return true if it is on. A new object is in plain mode. When
 * strict mode is turned on, everything before counts as synchronized, seed decides when pending
 * effects happen, and all diagnostics may occur again. When it is turned off, all pending effects
 * happen at once. Do not call spemu_spu_set_strict() from a callback. It returns SPEMU_OK, or
 * SPEMU_ERR_INVALID for a NULL object.
 */
int spemu_spu_set_strict(struct spemu_spu *spu, bool on, uint64_t seed);
bool spemu_spu_strict(const struct spemu_spu *spu);

/*
 * Set the address of the instruction for which the host makes the next calls. Diagnostics show this
 * address. Until the first call, diagnostics have no PC, and repeated ones are not suppressed. The
 * call costs one store.
 */
void spemu_spu_set_pc(struct spemu_spu *spu, uint64_t pc);

/*
 * Let time pass: the SPU writes all pending records. Architecturally, records are written in finite
 * time without software doing anything. A host calls this function when its PE waits (WFI). The
 * function does not synchronize: the values of register and memory reads remain as uncertain as
 * before. In plain mode it does nothing.
 */
void spemu_spu_drain(struct spemu_spu *spu);

/* The actions of software on memory that the Profiling Buffer may use. */
enum spemu_memory_report {
	/* Software reads memory. A diagnostic results if the SPU wrote or still has to write
	 * records there, and no PSB followed by a DSB has covered them. */
	SPEMU_SOFTWARE_READS,
	/*
	 * Software writes memory. The diagnostic of SPEMU_SOFTWARE_READS may result. Another one
	 * results if a record is written there whose operation finishes before the next
	 * spemu_spu_dsb() or spemu_spu_dsb_st(), because only a DSB guarantees that the record
	 * comes after the write (INRNSL). The four latest writes are remembered. A write that
	 * continues at the end of the latest one extends it.
	 */
	SPEMU_SOFTWARE_WRITES,
	/*
	 * Software changes the translation in a way that needs TLB maintenance: it unmaps the
	 * addresses, takes write permission away, or moves them. A diagnostic results if the
	 * Profiling Buffer is there and in use. Another one results if a record is written there
	 * before the TLB maintenance is reported. The four latest changes are remembered.
	 */
	SPEMU_TRANSLATION_CHANGED,
	/* Software has done the TLB maintenance of all these addresses, with its DSB. */
	SPEMU_TRANSLATION_MAINTAINED,
};
/* Report an action of software on size bytes at address, which is an address as in PMBPTR_EL1.
 * In plain mode it has no effect. */
void spemu_spu_report_memory(struct spemu_spu *spu, enum spemu_memory_report what, uint64_t address,
                             uint64_t size);
/* Execute a DSB ST, which completes writes of software but does not wait for records (IMLGHW). For
 * a DSB of loads and stores call spemu_spu_dsb(), which does both. A DSB LD needs no call. */
void spemu_spu_dsb_st(struct spemu_spu *spu);

/*
 * Return the diagnostic with an index (0, 1, ...), or NULL past the last one. This list is for
 * documentation and suppressions. The diagnostics are constant; their values and pc are not filled.
 */
const struct spemu_diagnostic *spemu_diagnostic_at(unsigned index);

/*
 * The restrictions that a hypervisor may put on its guest, for tests of the guest's drivers. They
 * apply in plain and strict mode, and are not part of a saved state. size is sizeof(struct
 * spemu_vm_rules).
 */
struct spemu_vm_rules {
	size_t size;
	/* MSR to PMBPTR_EL1, PMBSR_EL1 and PMBMAR_EL1 is ignored while PMBLIMITR_EL1.E is 1. MSR to
	 * PMBLIMITR_EL1 is ignored if E is 1 before and after it. */
	bool ignore_writes_while_enabled;
	bool physical_only; /* PMBIDR_EL1.AddrMode reads as 0b11; requires FEAT_SPE_nVM */
	/* PMBIDR_EL1.MaxBuffSize (D24.7.1); 0 = no limit. A record that is about to be written
	 * to a larger buffer causes a management event, BSC 0b000100. Bits [15:14] are 0. */
	uint16_t max_buff_size;
};
/* Set the restrictions of a hypervisor. NULL removes all of them, as in a new object. Return
 * SPEMU_OK, or SPEMU_ERR_INVALID for a member out of range. */
int spemu_spu_set_vm_rules(struct spemu_spu *spu, const struct spemu_vm_rules *rules);

SPEMU_END_DECLS
#endif
