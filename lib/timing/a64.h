/* SPDX-License-Identifier: MIT */
/*
 * A64 instruction classes: the facts about an operation that follow from its encoding.
 *
 * Hosts that sample architecture instructions (FEAT_SPE_ArchInst) know the opcode and need the
 * attributes that SPE records: type, load/store subclass, conditionality, and branch kind. This is
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
 * Classify the instruction opcode (as fetched, little-endian value), and fill in all members of
 * *kind. sve_vector_bits is the effective vector length for SVE operations (128..2048); 0 means
 * 128. Unallocated encodings are SPEMU_OP_OTHER, and so are the loads and stores of FEAT_LSUI,
 * FEAT_LSFE and FEAT_THE, which are not supported. The function cannot fail. Any thread may call
 * it.
 *
 * Some facts do not follow from the encoding:
 * - access_size of SVE and SME operations assumes that all elements are active. For tag accesses it
 *   is the size of the memory whose tags are accessed. It is 0 for DC ZVA and its variants, memory
 *   copy and set, LDGM, STGM and STZGM.
 * - A memory copy and GCSSS2 both read and write. They are classified as loads (D17.6.4.3,
 *   D17.6.4.5). A host that selects the write changes them to stores.
 * - BL and RET access the Guarded Control Stack only if it is enabled, so SPEMU_OPF_GCS is never
 *   set for them.
 * - MRS and MSR are "other", even if FEAT_NV2 turns them into memory accesses.
 */
void a64_classify(struct spemu_op_kind *kind, uint32_t opcode, unsigned sve_vector_bits);

/* The Governing predicate of an SVE operation. */
struct a64_predicate {
	uint8_t number;  /* predicate register, 0..15 */
	uint8_t element; /* log2 of the bytes of an element, 0..4. Of the predicate's bits, which
	                    stand for bytes, only the first of each element counts. */
	uint8_t bytes;   /* bytes at the begin of a vector that the predicate governs; 0: all */
};

/* Get the Governing predicate of an SVE or SVE2 instruction. Return false if the instruction has
 * none. */
bool a64_predicate(struct a64_predicate *predicate, uint32_t opcode);

/* The addressing mode of a load or store (C1.3.3). Register 31 as base is the stack pointer. */
struct a64_mode {
	bool literal;   /* PC-relative: base and index are ignored */
	uint8_t base;   /* number of the base register, 0..31 */
	uint8_t index;  /* number of the index register, 0..30; 31 if there is none */
	uint8_t extend; /* option field for the index: 2 UXTW, 3 LSL, 6 SXTW, 7 SXTX */
	uint8_t shift;  /* shift of the index, 0..4 */
	int64_t offset; /* offset in bytes; 0 for post-indexed */
};

/*
 * Get the addressing mode of a load or store. Return false if the opcode is not a load or store, or
 * if its memory access does not follow from the opcode: prefetches, tag accesses, Store-Exclusives
 * (which may fail), memory copies, SVE and SME.
 */
bool a64_mode(struct a64_mode *mode, uint32_t opcode);
/* Return the general registers that the mode reads: register n in bit n, the stack pointer in
 * bit 31. */
uint32_t a64_uses(const struct a64_mode *mode);
/* Return the address, computed from x0 .. x30 and the stack pointer. pc is the address of the
 * instruction. Tags are kept. */
uint64_t a64_address(const struct a64_mode *mode, uint64_t pc, const uint64_t x[32]);
/* Return all general registers that an instruction may write; bit 31 is the stack pointer. For
 * an unknown encoding, return all registers. */
uint32_t a64_written(uint32_t opcode);

/* Sets of registers. x has general register n in bit n and the stack pointer in bit 31. v has the
 * SIMD&FP registers. nzcv stands for all of PSTATE.{N,Z,C,V}. */
struct a64_registers {
	uint32_t x, v;
	bool nzcv;
};

/* The registers that an instruction reads and writes, except for the zero register. */
struct a64_operands {
	struct a64_registers reads, writes;
	uint32_t address; /* registers read for the address of a load or store */
	uint32_t base;    /* base register that a pre- or post-indexed load or store writes */
};

/*
 * Fill *operands. Return false for unknown instructions, mainly SVE and SME; their operands are
 * empty. The destination of a SIMD operation by element counts as read, although some such
 * operations do not read it. PSTATE.{N,Z,C,V} are one operand: an instruction that reads or writes
 * a part of them counts as reading or writing all.
 */
bool a64_operands(struct a64_operands *operands, uint32_t opcode);

#endif
