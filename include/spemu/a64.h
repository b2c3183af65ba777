/* SPDX-License-Identifier: MIT */
/*
 * A64 instruction classes: what an encoding alone says about an operation.
 *
 * Hosts that sample architecture instructions (FEAT_SPE_ArchInst) have the opcode at hand and need
 * the attributes that SPE records: type, load/store subclass, conditionality, branch kind. This is
 * not a disassembler.
 *
 * Arm ARM: DDI 0487 M.a, C4.1 (encoding index), D17.5.1 (DDSNMB), D18.2.7.
 */
#ifndef SPEMU_A64_H
#define SPEMU_A64_H

#include <stdint.h>
#include <spemu/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Describe the instruction opcode (as fetched, little-endian value). *kind is filled whole.
 * sve_vector_bits is the effective vector length to assume for SVE operations (128..2048); 0 means
 * 128. Unallocated encodings are SPEMU_OP_OTHER, as are loads and stores of FEAT_LSUI, FEAT_LSFE
 * and FEAT_THE, which are not known. No errors; any thread.
 *
 * What an encoding cannot tell:
 * - access_size of SVE and SME operations takes all elements as active; of tag accesses it is the
 *   memory whose tags are accessed; it is 0 for DC ZVA and kin, memory copy and set, LDGM, STGM and
 *   STZGM;
 * - a memory copy and GCSSS2 read and write: they are given as loads (D17.6.4.3, D17.6.4.5), and a
 *   host that picks the write makes them stores;
 * - whether BL and RET access the Guarded Control Stack depends on its being enabled:
 *   SPEMU_OPF_GCS is never set;
 * - in the same way MRS and MSR are "other", also where FEAT_NV2 turns them into accesses.
 */
void spemu_a64_classify(struct spemu_op_kind *kind, uint32_t opcode, unsigned sve_vector_bits);

#ifdef __cplusplus
}
#endif
#endif
