/* SPDX-License-Identifier: MIT */
/*
 * An operation of the sample population, as a host describes it to the SPU.
 *
 * Arm ARM: DDI 0487 M.a, D17.2 (population), D17.6 (what is collected), D18.2.7 (Operation Type
 * packet). Pseudocode: SPEOpAttr, SPEOpType, SPELDSTType.
 * Implements: D17.6.2 RDDCQB RLMHHC IXNXRN (by the contract of struct spemu_op)
 */
#ifndef SPEMU_OP_H
#define SPEMU_OP_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/api.h>

SPEMU_BEGIN_DECLS

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
	SPEMU_OPF_SME = 1u << 16,       /* load/store of ZA array vectors or tile slices */
	SPEMU_OPF_ZT = 1u << 17,        /* SVE data processing that involves a ZT register */
	SPEMU_OPF_WHOLE_ZA = 1u << 18,  /* SME: operates on the whole ZA array at once */
	SPEMU_OPF_PREFETCH =
	        1u << 19, /* cache prefetch; type OTHER, or OTHER_SVE for SVE's (RBHKSC) */
	SPEMU_OPF_STATUS_RESULT = 1u << 20, /* store that returns a status: ST64BV, ST64BV0 */
	SPEMU_OPF_DC_ZERO = 1u << 21,       /* DC ZVA, DC GVA, DC GZVA */
};
/*
 * The number of vectors that an SVE or SME operation operates on, 1 .. 16, in bits [31:28] of the
 * flags; 0 there means one (RMDBYZ, RCYBGV, RJCLMP).
 */
#define SPEMU_OPF_VECTORS(n) ((uint32_t)((n)-1) << 28)
#define SPEMU_OPF_VECTORS_OF(flags) (((uint32_t)(flags) >> 28) + 1)

/* The attributes of an operation that follow from its encoding; constant for an instruction. 16
 * bytes. */
struct spemu_op_kind {
	uint8_t type;         /* enum spemu_op_type */
	uint8_t ldst;         /* enum spemu_ldst_type; loads and stores only */
	uint16_t access_size; /* bytes accessed in all, 0 = not known from the encoding or no access
	                       */
	uint32_t flags;       /* enum spemu_op_flag */
	uint32_t vector_bits; /* SVE, SME: the length of one vector, or the tile size; 0 = none */
	int32_t branch_offset; /* direct branches: target - PC, bytes; otherwise 0 */
};

/* Flags for the values in struct spemu_op that are known. */
enum spemu_op_valid {
	SPEMU_OPV_VA = 1u << 0,
	SPEMU_OPV_PA = 1u << 1,
	SPEMU_OPV_TARGET = 1u << 2, /* only for taken branches */
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
 * Properties of the memory access of a load or store: spemu_op.memory_access. Usually none is set.
 */
enum spemu_op_memory_access {
	/* checked against an Allocation Tag in memory (FEAT_MTE2), not a Canonically Tagged one */
	SPEMU_OPM_TAG_CHECKED = 1u << 0,
	SPEMU_OPM_NO_TBI = 1u << 1, /* the applicable TBI bit is 0 */
	SPEMU_OPM_MEMORY_TAGGING = 1u
	                           << 2, /* from a context that uses memory tagging (D17.6.4.1) */
	/* the PE did not perform the access: a Store-Exclusive whose monitor was lost, an element
	 * that is Inactive, ... Its translation latency is valid if the address was translated. */
	SPEMU_OPM_NOT_PERFORMED = 1u << 3,
};

/* The physical address space of an access. */
enum spemu_pa_space {
	SPEMU_PA_SPACE_OF_STATE = 0, /* of the Security state in which the operation started */
	SPEMU_PA_SPACE_SECURE,
	SPEMU_PA_SPACE_NON_SECURE,
	SPEMU_PA_SPACE_REALM, /* FEAT_RME */
};

/*
 * One executed operation. Latencies are in cycles and saturate only when the record is made. events
 * contains the bits of the Events packet (D18.2.6) that the host or its timing model generated. The
 * model adds bit 1 (retired), bit 0 (exception), bit 6 (not taken) and bit 24 (Streaming SVE mode)
 * from the members below and the PE's state. It masks events that the feature level or the kind of
 * operation does not have.
 *
 * The host decides the following, because it knows how it executes:
 * - The operations of the population (D17.2.1): only those are counted and sampled. A host that
 *   samples micro-ops describes the micro-op, not its instruction (D17.6.2, RDDCQB, RLMHHC,
 *   IXNXRN).
 * - The profiled part of an operation with several memory accesses (D17.6.4, RMYPFF, RNHSYR). The
 *   choice must be unbiased. va, pa and the other members describe that part, and events and
 *   latencies may. For an operation that both loads and stores (memory copy, GCSSS2), the host
 *   gives both addresses, and the model chooses by the filter (D17.6.4.3, D17.6.4.5).
 * - Values that a speculative operation may not use or infer (D17.6.7): they are not valid.
 * - Values that an exception kept from being computed, such as the physical address of a memory
 *   access with a Translation fault (D17.6.10): they are not valid.
 *
 * An operation that ends with a synchronous exception has retired and exception set. An operation
 * on a misspeculated path has neither. exception without retired is a non-architectural exception
 * (D17.6.10.1). An operation with an exception is never a branch.
 *
 * The struct is closed: its size never changes. Additions of a later version replace reserved
 * members and have a new bit in valid, which older hosts leave 0.
 */
struct spemu_op {
	struct spemu_op_kind kind;
	uint64_t pc;
	/*
	 * SPEMU_OPV_TARGET: the target of a taken branch. For a branch that is not taken, the
	 * target that its record has if it has one at all (choice not-taken-target); cores are
	 * known to record the address after the branch.
	 */
	uint64_t target;
	uint64_t va; /* SPEMU_OPV_VA; with its top byte. Of an operation that loads and stores: of
	                    the load */
	uint64_t pa; /* SPEMU_OPV_PA; only with va */
	uint64_t store_va; /* SPEMU_OPV_STORE_VA: of the store, for ldst MEMCOPY and GCS only */
	uint64_t store_pa; /* SPEMU_OPV_STORE_PA; only with store_va */
	uint64_t events;
	uint32_t total_latency;
	uint32_t issue_latency;
	uint32_t translation_latency;
	uint32_t alt_issue_latency; /* in cycles of the alternate clock domain (FEAT_SPE_ALTCLK) */
	uint16_t data_source;       /* recorded for loads, atomics, stores with a status result, and
	                               others that are not a branch or store */
	bool retired;               /* architecturally executed */
	bool exception;             /* completed with a synchronous exception */
	bool cond_pass;        /* conditional operations: the condition held; branches: taken */
	uint8_t memory_access; /* enum spemu_op_memory_access */
	uint8_t pa_space;      /* enum spemu_pa_space: of pa and store_pa */
	/* SPEMU_OPV_TARGET_CONTEXT: where an exception return led to. Without it: the PE's state at
	 * the end of the sample; for other branches it is where the branch was. */
	uint8_t target_el;
	uint8_t target_security; /* enum spemu_security */
	uint32_t valid;          /* enum spemu_op_valid */
	uint64_t reserved[4];    /* 0 */
};

SPEMU_END_DECLS
#endif
