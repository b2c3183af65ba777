/* SPDX-License-Identifier: MIT */
/*
 * An operation of the sample population, as a host describes it to the SPU.
 *
 * Arm ARM: DDI 0487 M.a, D17.2 (population), D17.6 (collected data), D18.2.7 (Operation Type
 * packet). Pseudocode: SPEOpAttr, SPEOpType, SPELDSTType.
 * Implements: D17.6.2 RDDCQB RLMHHC IXNXRN (by the contract of struct spemu_op)
 */
#ifndef SPEMU_OP_H
#define SPEMU_OP_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/api.h>

SPEMU_BEGIN_DECLS

/* The type of an operation (SPEOpType). LOAD_ATOMIC is an atomic, swap or compare-and-swap that
 * returns a value to the PE. */
enum spemu_op_type {
	SPEMU_OP_OTHER = 0,
	SPEMU_OP_OTHER_SVE,
	SPEMU_OP_OTHER_SME,
	SPEMU_OP_LOAD,
	SPEMU_OP_STORE,
	SPEMU_OP_LOAD_ATOMIC,
	SPEMU_OP_BRANCH,
};

/* The load/store subclass that the Operation Type packet shows (SPELDSTType). */
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

/* The attributes of an operation that its encoding determines. */
enum spemu_op_flag {
	/* depends on PSTATE.{N,Z,C,V}, or is a compare/test and branch */
	SPEMU_OPF_CONDITIONAL = 1u << 0,
	SPEMU_OPF_FP = 1u << 1,   /* floating-point, as DDSNMB defines it for filters */
	SPEMU_OPF_SIMD = 1u << 2, /* SIMD, as DDSNMB defines it for filters */
	SPEMU_OPF_ACQUIRE_RELEASE = 1u << 3,
	SPEMU_OPF_EXCLUSIVE = 1u << 4,
	SPEMU_OPF_ATOMIC = 1u << 5,
	SPEMU_OPF_PREDICATED = 1u << 6,
	SPEMU_OPF_GATHER_SCATTER = 1u << 7,
	SPEMU_OPF_INDIRECT = 1u << 8,   /* indirect branch */
	SPEMU_OPF_LINK = 1u << 9,       /* branch with link */
	SPEMU_OPF_RETURN = 1u << 10,    /* procedure return */
	SPEMU_OPF_GCS = 1u << 11,       /* branch that also accesses the Guarded Control Stack */
	SPEMU_OPF_ERET = 1u << 12,      /* exception return */
	SPEMU_OPF_ISB = 1u << 13,       /* ISB, for implementations that treat it as a branch */
	SPEMU_OPF_EXCEPTION = 1u << 14, /* always generates an exception: SVC, HVC, SMC, BRK,
	                                   HLT, UDF; never a branch (DDSNMB) */
	SPEMU_OPF_PAIR = 1u << 15,      /* accesses contiguous memory of the size of two
	                                   registers */
	SPEMU_OPF_SME = 1u << 16,       /* load or store of ZA array vectors or tile slices */
	SPEMU_OPF_ZT = 1u << 17,        /* SVE data processing that involves a ZT register */
	SPEMU_OPF_WHOLE_ZA = 1u << 18,  /* SME operation on the whole ZA array */
	/* cache prefetch; the type is OTHER, or OTHER_SVE for an SVE prefetch (RBHKSC) */
	SPEMU_OPF_PREFETCH = 1u << 19,
	SPEMU_OPF_STATUS_RESULT = 1u << 20, /* store that returns a status: ST64BV, ST64BV0 */
	SPEMU_OPF_DC_ZERO = 1u << 21,       /* DC ZVA, DC GVA, DC GZVA */
};
/*
 * Encode and decode the number of vectors that an SVE or SME operation operates on, 1 .. 16. It is
 * in bits [31:28] of the flags, minus 1, so flags without it mean one vector (RMDBYZ, RCYBGV,
 * RJCLMP).
 */
#define SPEMU_OPF_VECTORS(n) ((uint32_t)((n)-1) << 28)
#define SPEMU_OPF_VECTORS_OF(flags) (((uint32_t)(flags) >> 28) + 1)

/* Attributes of an operation that follow from its encoding, so they are constant for an
 * instruction. The struct has 16 bytes. */
struct spemu_op_kind {
	uint8_t type;          /* enum spemu_op_type */
	uint8_t ldst;          /* enum spemu_ldst_type; for loads and stores only */
	uint16_t access_size;  /* total bytes accessed; 0 if the encoding does not determine it,
	                          or without an access */
	uint32_t flags;        /* enum spemu_op_flag */
	uint32_t vector_bits;  /* bits of an SVE or SME vector, or of the tile; 0 for other
	                          operations */
	int32_t branch_offset; /* direct branches: target - PC in bytes; otherwise 0 */
};

/* Members of struct spemu_op that hold a value: bits of spemu_op.valid. */
enum spemu_op_valid {
	SPEMU_OPV_VA = 1u << 0,
	SPEMU_OPV_PA = 1u << 1,
	SPEMU_OPV_TARGET = 1u << 2, /* taken branches; see spemu_op.target for others */
	SPEMU_OPV_TOTAL_LATENCY = 1u << 3,
	SPEMU_OPV_ISSUE_LATENCY = 1u << 4,
	SPEMU_OPV_TRANSLATION_LATENCY = 1u << 5,
	SPEMU_OPV_DATA_SOURCE = 1u << 6,
	SPEMU_OPV_ALT_ISSUE_LATENCY = 1u << 7,
	SPEMU_OPV_STORE_VA = 1u << 8,
	SPEMU_OPV_STORE_PA = 1u << 9,
	SPEMU_OPV_TARGET_CONTEXT = 1u << 10, /* target_el and target_security */
};

/*
 * Properties of the memory access of a load or store, for spemu_op.memory_access. Most accesses
 * have none of them.
 */
enum spemu_op_memory_access {
	/* checked against an Allocation Tag in memory (FEAT_MTE2); clear for Canonically Tagged
	 * memory */
	SPEMU_OPM_TAG_CHECKED = 1u << 0,
	SPEMU_OPM_NO_TBI = 1u << 1,         /* the applicable TBI bit is 0 */
	SPEMU_OPM_MEMORY_TAGGING = 1u << 2, /* made in a context that uses memory tagging
	                                       (D17.6.4.1) */
	/* not performed by the PE, for example a Store-Exclusive whose monitor was lost, or an
	 * Inactive element. The translation latency is valid if the address was translated. */
	SPEMU_OPM_NOT_PERFORMED = 1u << 3,
};

/* The physical address space of a memory access. */
enum spemu_pa_space {
	SPEMU_PA_SPACE_OF_STATE = 0, /* the space of the Security state at the start of the
	                                operation */
	SPEMU_PA_SPACE_SECURE,
	SPEMU_PA_SPACE_NON_SECURE,
	SPEMU_PA_SPACE_REALM, /* requires FEAT_RME */
};

/*
 * One executed operation. Latencies are in cycles and need no limit: the model saturates them when
 * it makes the record. events contains the bits of the Events packet (D18.2.6) that the host or its
 * timing model generated. The model adds bit 1 (retired), bit 0 (exception), bit 6 (not taken) and
 * bit 24 (Streaming SVE mode) from the members below and the PE's state. It clears events that do
 * not exist at the feature level or for this kind of operation.
 *
 * The host decides the following, because it knows how it executes:
 * - The operations of the population (D17.2.1). Only these are counted and sampled. A host that
 *   samples micro-ops describes the micro-op, not its instruction (D17.6.2, RDDCQB, RLMHHC,
 *   IXNXRN).
 * - The profiled part of an operation with several memory accesses (D17.6.4, RMYPFF, RNHSYR). The
 *   choice must be unbiased. va, pa and the other members describe that part; events and latencies
 *   may do so too. For an operation that both loads and stores (memory copy, GCSSS2), the host
 *   gives both addresses, and the model chooses by the filter (D17.6.4.3, D17.6.4.5).
 * - The values that a speculative operation may not use or infer (D17.6.7). The host leaves their
 *   bits in valid 0.
 * - The values that an exception kept from being computed, such as the physical address of a memory
 *   access with a Translation fault (D17.6.10). The host leaves their bits in valid 0.
 *
 * For an operation that ends with a synchronous exception, retired and exception are both set. For
 * an operation on a misspeculated path, both are clear. exception without retired means a
 * non-architectural exception (D17.6.10.1). An operation with an exception is never a branch.
 *
 * The struct is closed: its size never changes. A later version replaces reserved members and adds
 * a bit to valid for each new one. Older hosts leave that bit 0.
 */
struct spemu_op {
	struct spemu_op_kind kind;
	uint64_t pc; /* virtual address of the instruction */
	/*
	 * SPEMU_OPV_TARGET: the target of a taken branch, a virtual address. For a branch that is
	 * not taken: the target that the record shows if the choice not-taken-target gives it one.
	 * Some cores record the address after the branch.
	 */
	uint64_t target;
	uint64_t va; /* SPEMU_OPV_VA: virtual address, top byte included. If the operation loads
	                and stores: the address of the load */
	uint64_t pa; /* SPEMU_OPV_PA: physical address of va; requires va */
	uint64_t store_va; /* SPEMU_OPV_STORE_VA: address of the store; for ldst MEMCOPY and GCS
	                      only */
	uint64_t store_pa; /* SPEMU_OPV_STORE_PA: physical address of store_va; requires store_va */
	uint64_t events;   /* events of the host, bits of the Events packet */
	uint32_t total_latency;       /* SPEMU_OPV_TOTAL_LATENCY, cycles */
	uint32_t issue_latency;       /* SPEMU_OPV_ISSUE_LATENCY, cycles */
	uint32_t translation_latency; /* SPEMU_OPV_TRANSLATION_LATENCY, cycles */
	uint32_t alt_issue_latency;   /* latency in cycles of the alternate clock domain
	                                 (FEAT_SPE_ALTCLK) */
	uint16_t data_source;         /* payload of the Data Source packet; recorded for all
	                                 operations except branches and stores without a status
	                                 result */
	bool retired;                 /* architecturally executed */
	bool exception;               /* completed with a synchronous exception */
	bool cond_pass;               /* condition of a conditional operation held; a branch was
	                                 taken */
	uint8_t memory_access;        /* enum spemu_op_memory_access */
	uint8_t pa_space;             /* physical address space of pa and store_pa: enum
	                                 spemu_pa_space */
	/*
	 * SPEMU_OPV_TARGET_CONTEXT: Exception level and Security state after an exception return.
	 * If not valid, the PE's state at the end of the sample counts. Other branches stay in the
	 * state of the branch.
	 */
	uint8_t target_el;
	uint8_t target_security; /* enum spemu_security */
	uint32_t valid;          /* enum spemu_op_valid: the members that hold a value */
	uint64_t reserved[4];    /* must be 0 */
};

SPEMU_END_DECLS
#endif
