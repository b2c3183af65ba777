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
 * 128. Unallocated encodings are SPEMU_OP_OTHER. No errors; any thread.
 */
void spemu_a64_classify(struct spemu_op_kind *kind, uint32_t opcode, unsigned sve_vector_bits);

#ifdef __cplusplus
}
#endif
#endif
