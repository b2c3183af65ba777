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
#ifndef A64_H
#define A64_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/op.h>

/*
 * Describe the instruction opcode (as fetched, little-endian value) by all members of *kind.
 * sve_vector_bits is the effective vector length to assume for SVE operations (128..2048); 0 means
 * 128. Unallocated encodings are SPEMU_OP_OTHER, and so are loads and stores of FEAT_LSUI,
 * FEAT_LSFE and FEAT_THE, which are not known. No errors; any thread.
 *
 * An encoding does not say everything:
 * - access_size of SVE and SME operations takes all elements as active. For tag accesses it is the
 *   memory whose tags are accessed. It is 0 for DC ZVA and kin, memory copy and set, LDGM, STGM and
 *   STZGM.
 * - A memory copy and GCSSS2 read and write. They are given as loads (D17.6.4.3, D17.6.4.5), and a
 *   host that picks the write makes them stores.
 * - BL and RET access the Guarded Control Stack only if it is enabled: SPEMU_OPF_GCS is never set.
 * - MRS and MSR are "other", also where FEAT_NV2 turns them into memory accesses.
 */
void a64_classify(struct spemu_op_kind *kind, uint32_t opcode, unsigned sve_vector_bits);

/* The forms of a load's or store's address (C1.3.3). Register 31 as base is the stack pointer. */
struct a64_mode {
	bool literal;   /* PC-relative: base and index do not matter */
	uint8_t base;   /* 0..31 */
	uint8_t index;  /* 0..30; 31: none */
	uint8_t extend; /* option field of the index: 2 UXTW, 3 LSL, 6 SXTW, 7 SXTX */
	uint8_t shift;  /* shift of the index, 0..4 */
	int64_t offset; /* in bytes; 0 for post-indexed */
};

/*
 * Get the addressing mode of a load or store. Return false if the opcode is not a load or store, or
 * if its memory access does not follow from the opcode: prefetches, tag accesses, Store-Exclusives
 * (which may fail), memory copies, SVE and SME.
 */
bool a64_mode(struct a64_mode *mode, uint32_t opcode);
/* Return the general registers that the mode reads, register n in bit n, the stack pointer in bit
 * 31. */
uint32_t a64_uses(const struct a64_mode *mode);
/* Return the address, from x0 .. x30 and the stack pointer. pc is the instruction's. Tags are kept.
 */
uint64_t a64_address(const struct a64_mode *mode, uint64_t pc, const uint64_t x[32]);
/* Return the general registers that an instruction writes, at most; bit 31 is the stack pointer.
 * For unknown encodings these are all of them. */
uint32_t a64_written(uint32_t opcode);

/* Registers: general ones n in bit n of x, the stack pointer in bit 31; SIMD&FP ones in v;
 * PSTATE.{N,Z,C,V} all together. */
struct a64_registers {
	uint32_t x, v;
	bool nzcv;
};

/* The registers that an instruction reads and writes. The zero register does not count. */
struct a64_operands {
	struct a64_registers reads, writes;
	uint32_t address; /* registers read for the address of a load or store */
	uint32_t base;    /* base register written by a pre- or post-indexed load or store */
};

/*
 * Fill *operands. False for what is not known, SVE and SME above all: it reads and writes nothing
 * then. Of SIMD operations by element the destination counts as read, although some do not read it.
 * NZCV is one thing: who reads or writes a part does so with all.
 */
bool a64_operands(struct a64_operands *operands, uint32_t opcode);

#endif
