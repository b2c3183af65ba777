/* SPDX-License-Identifier: MIT */
/*
 * Data-flow analysis of one function. It finds the type that each load and store accesses.
 *
 * The analysis follows addresses through the registers and the stack slots of a function. It starts
 * with the variables of debugging information, and follows loads of pointers through the types of
 * members. Addresses are those in DWARF.
 */
#ifndef TOOLS_TYPES_FLOW_H
#define TOOLS_TYPES_FLOW_H

#include "value.h"
#include "variables.h"

/* The type that a load or store accesses, as far as the code tells. */
struct code_type {
	uint64_t address;   /* address of the instruction */
	struct type *type;  /* NULL for TYPE_NONE and TYPE_SAVED */
	int64_t offset;     /* offset of the access in the type */
	uint64_t call;      /* call that returned the object, if nothing else is known; else 0 */
	int64_t in_thread;  /* offset of the access from the thread pointer, with TYPE_THREAD */
	const char *reason; /* reason of TYPE_NONE */
	uint32_t stride;    /* a multiple of it is added to the offset; 0 is none */
	uint16_t size;      /* bytes for each register */
	uint8_t count;      /* registers, 2 for a pair */
	uint8_t source;     /* enum type_source */
	bool weak;
};

/* Evidence for the type of the object that an allocating call returns. */
struct call_type {
	uint64_t call;     /* address of the call */
	struct type *type; /* type of a pointer that gets the object */
	unsigned weight;   /* strength of the evidence */
};

/* The stack pointer and the frame pointer at a call, as offsets from the CFA. */
struct frame_registers {
	uint64_t call; /* address of the call */
	bool sp_known, x29_known;
	int64_t sp, x29;
};

/* The result of a call, if its type does not tell it. */
enum call_result {
	RESULT_ANY,
	RESULT_NEW,   /* a new object */
	RESULT_FIRST, /* the first argument */
};

/* Questions of the analysis about the rest of the program. */
struct flow_host {
	void *context;
	/* Read code. Return false if it is not in the file. */
	bool (*code)(void *context, uint8_t *bytes, uint64_t address, size_t size);
	/* Find the static variable at an address, and set the offset in it. */
	struct type *(*static_variable)(void *context, int64_t *offset, uint64_t address);
	struct type *(*thread_variable)(void *context, int64_t *offset, int64_t at);
	/* Find the value that the linker or the loader stores at an address, for example in the
	 * global offset table. */
	bool (*constant)(void *context, struct value *value, uint64_t address);
	/* Find the function that a call at `address` reaches. Return false if it is unknown. Set
	 * *result also then, if the name of the function is known. */
	bool (*callee)(void *context, Dwarf_Die *function, enum call_result *result,
	               uint64_t address, const struct effect *call);
	/* Return the registers that the function at an address may change, as bits. NULL if no
	 * function is known. */
	uint32_t (*clobbered)(void *context, uint64_t address);
	/* Find the value of a relocation of the instruction (module_relocation()). */
	bool (*relocated)(void *context, uint64_t *value, uint64_t address);
	/* Return true if the kernel may replace the instruction (patched_code.h). */
	bool (*patched)(void *context, uint64_t *target, uint64_t address);
	/* Return true if the address is in a kernel's array of per-CPU offsets, which count as 0:
	 * see EFFECT_NUMBER. */
	bool (*cpu_offset)(void *context, uint64_t address);
};

/* An object without a name in the stack frame: an argument or result of a call. */
struct temporary {
	int64_t at; /* offset from the CFA */
	struct type *type;
};

struct flow {
	struct types *types;
	const struct flow_host *host;
	const struct variables *variables;
	Dwarf_Die *function;
	struct type *task;          /* type of a kernel's current task, or NULL */
	struct code_type *accesses; /* results, sorted by address after flow_run() */
	size_t access_count, access_capacity;
	struct call_type *calls;
	size_t call_count, call_capacity;
	uint64_t *fresh; /* calls whose new object the function returns, see RESULT_NEW */
	size_t fresh_count, fresh_capacity;
	struct frame_registers *frames; /* at each call, sorted by its address after flow_run() */
	size_t frame_count, frame_capacity;
	bool recording;     /* true in the last pass, which stores results */
	struct seed *seeds; /* see flow_seed.c */
	size_t seed_count;
	struct temporary *temporaries; /* see flow_call.c */
	size_t temporary_count, temporary_capacity;
};

/* Analyze a function. The caller frees accesses, calls, fresh and frames. */
void flow_run(struct flow *flow, const struct variable_range *ranges, size_t count);

/* ---- flow_seed.c ---- */

/* Prepare what debugging information says at each instruction. */
void flow_seeds_make(struct flow *flow);
void flow_seeds_free(struct flow *flow);
/* Set the registers that debugging information knows at an address. */
void flow_seed(struct flow *flow, struct values *values, uint64_t address);
/* Return true if the location is relative to the stack or frame pointer. */
bool flow_is_slot(const struct location *location);
/* Return the type of the stack variable at an offset from the CFA, and set the offset in it. `x`
 * has the values of the registers at the address in the code. */
struct type *flow_stack_variable(const struct variables *variables, const struct value *x,
                                 int64_t *offset, int64_t at, uint64_t address);

/* ---- flow_call.c ---- */

/* Apply a call to the values. */
void flow_call(struct flow *flow, struct values *values, const struct effect *effect,
               uint64_t address);
/* Return the type of the temporary at an offset from the CFA, and set the offset in it. Return NULL
 * if no call uses it, or if calls contradict each other. */
struct type *flow_temporary(const struct flow *flow, int64_t *offset, int64_t at);
/* Record that a new object gets a pointer of this type. */
void flow_record_call(struct flow *flow, const struct value *object, struct type *type,
                      unsigned weight);

/* Weights of the evidence for the type of a new object. */
enum { WEIGHT_PARAMETER = 1, WEIGHT_VARIABLE = 3 };

/* ---- flow_step.c ---- */

/* Decide whether the type is weak, and reduce the offset by whole elements. */
void flow_judge(struct types *types, struct code_type *access);

/* Apply an instruction to the values. */
void flow_step(struct flow *flow, struct values *values, const struct effect *effect,
               uint64_t address);

#endif
