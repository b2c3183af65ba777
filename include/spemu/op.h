/* SPDX-License-Identifier: MIT */
/*
 * An operation of the sample population, as a host describes it to the SPU.
 *
 * Arm ARM: DDI 0487 M.a, D17.2 (population), D17.6 (what is collected), D18.2.7 (Operation Type
 * packet). Pseudocode: SPEOpAttr, SPEOpType, SPELDSTType.
 */
#ifndef SPEMU_OP_H
#define SPEMU_OP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* SPEOpType. LOAD_ATOMIC is an atomic, swap or compare-and-swap that returns a value to the PE. */
enum spemu_op_type {
	SPEMU_OP_OTHER = 0,
	SPEMU_OP_OTHER_SVE,
	SPEMU_OP_OTHER_SME,
	SPEMU_OP_LOAD,
	SPEMU_OP_STORE,
	SPEMU_OP_LOAD_ATOMIC,
	SPEMU_OP_BRANCH,
};

/* SPELDSTType: which load/store subclass the Operation Type packet shows. */
enum spemu_ldst_type {
	SPEMU_LDST_GENERAL = 0,
	SPEMU_LDST_EXTENDED, /* atomic, exclusive, acquire, release */
	SPEMU_LDST_SIMDFP,
	SPEMU_LDST_SVESME,
	SPEMU_LDST_UNSPECIFIED,
	SPEMU_LDST_TAGS,
	SPEMU_LDST_NV2,
	SPEMU_LDST_MEMCOPY,
	SPEMU_LDST_MEMSET,
	SPEMU_LDST_GCS,
};

/* Attributes of an operation that its encoding alone determines. */
enum spemu_op_flag {
	SPEMU_OPF_CONDITIONAL =
	        1u << 0,          /* controlled by PSTATE.{N,Z,C,V}, or compare/test and branch */
	SPEMU_OPF_FP = 1u << 1,   /* floating-point, as DDSNMB defines it for filters */
	SPEMU_OPF_SIMD = 1u << 2, /* SIMD, as DDSNMB defines it for filters */
	SPEMU_OPF_ACQUIRE_RELEASE = 1u << 3,
	SPEMU_OPF_EXCLUSIVE = 1u << 4,
	SPEMU_OPF_ATOMIC = 1u << 5,
	SPEMU_OPF_PREDICATED = 1u << 6,
	SPEMU_OPF_GATHER_SCATTER = 1u << 7,
	SPEMU_OPF_INDIRECT = 1u << 8,   /* branch: indirect */
	SPEMU_OPF_LINK = 1u << 9,       /* branch: with link */
	SPEMU_OPF_RETURN = 1u << 10,    /* branch: procedure return */
	SPEMU_OPF_GCS = 1u << 11,       /* branch that also accesses the Guarded Control Stack */
	SPEMU_OPF_ERET = 1u << 12,      /* branch: exception return */
	SPEMU_OPF_ISB = 1u << 13,       /* ISB, for implementations that treat it as a branch */
	SPEMU_OPF_EXCEPTION = 1u << 14, /* generates an exception by its nature: SVC, HVC, SMC, BRK,
	                                   HLT, UDF; never a branch (DDSNMB) */
	SPEMU_OPF_PAIR = 1u << 15,      /* accesses two registers' worth of contiguous memory */
};

/* What an encoding says about an operation; constant for an instruction. 16 bytes. */
struct spemu_op_kind {
	uint8_t type;         /* enum spemu_op_type */
	uint8_t ldst;         /* enum spemu_ldst_type; loads and stores only */
	uint16_t access_size; /* bytes accessed in all, 0 = not known from the encoding or no access
	                       */
	uint32_t flags;       /* enum spemu_op_flag */
	uint32_t
	        vector_bits; /* SVE, SME: the vector length or tile size for EVL or ETS; 0 = none */
	int32_t branch_offset; /* direct branches: target - PC, bytes; otherwise 0 */
};

/* Which of the values in struct spemu_op are known. */
enum spemu_op_valid {
	SPEMU_OPV_VA = 1u << 0,
	SPEMU_OPV_PA = 1u << 1,
	SPEMU_OPV_TARGET = 1u << 2, /* only for taken branches */
	SPEMU_OPV_TOTAL_LATENCY = 1u << 3,
	SPEMU_OPV_ISSUE_LATENCY = 1u << 4,
	SPEMU_OPV_TRANSLATION_LATENCY = 1u << 5,
	SPEMU_OPV_DATA_SOURCE = 1u << 6,
};

/*
 * One executed operation. Latencies are in cycles and saturate only when the record is made.
 * events holds the bits of the Events packet (D18.2.6) that the host or its timing model generated;
 * the model itself adds bit 1 (retired), bit 0 (exception) and bit 6 (not taken) from the members
 * below, and masks what the feature level does not have.
 */
struct spemu_op {
	struct spemu_op_kind kind;
	uint64_t pc;
	uint64_t target; /* SPEMU_OPV_TARGET */
	uint64_t va;     /* SPEMU_OPV_VA; with its top byte */
	uint64_t pa;     /* SPEMU_OPV_PA; in the physical address space of the access */
	uint64_t events;
	uint32_t total_latency;
	uint32_t issue_latency;
	uint32_t translation_latency;
	uint16_t data_source;
	bool retired;   /* architecturally executed */
	bool exception; /* completed with a synchronous exception */
	bool cond_pass; /* conditional operations: the condition held; branches: taken */
	uint32_t valid; /* enum spemu_op_valid */
};

#ifdef __cplusplus
}
#endif
#endif
