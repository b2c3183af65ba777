/* SPDX-License-Identifier: MIT */
/* The SPU of a scenario, with its memory, clock, interrupt and counters. */
#ifndef SCENARIO_MACHINE_H
#define SCENARIO_MACHINE_H

#include <spemu/spu.h>
#include "script.h"
#include "values.h"

enum machine_count {
	COUNT_SAMPLES, /* chosen operations that were started */
	COUNT_COLLISIONS,
	COUNT_RECORDS,
	COUNT_FILTERED,
	COUNT_DISCARDED,
	COUNT_LOST,
	COUNT_MANAGEMENT, /* samples that ended with a management event */
	COUNT_OPERATIONS, /* executed operations, in the population or not */
	COUNT_INTERRUPTS, /* times that PMBIRQ was asserted */
	COUNT_BRBE_FREEZES,
	COUNT_SERRORS, /* External aborts taken as SError exceptions */
	COUNT_DIAGNOSTICS,
	COUNT_COUNT,
};

struct region {
	struct mapping map;
	uint8_t *data;
	uint64_t written; /* bytes that the SPU wrote */
};

/* The record being written, in one or two calls of the host. */
struct record_parts {
	uint64_t address;
	unsigned size;
	uint8_t data[2048];
};

struct diagnosed {
	struct spemu_diagnostic what;
	unsigned line; /* line of the command */
	bool expected;
};

/* The place of a completely written record in the stream. */
struct written {
	uint64_t address;
	size_t offset;
	unsigned size;
};

struct machine {
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	void *pe_memory;
	void *spu_memory;
	struct spemu_pmu *pmu; /* NULL without FEAT_PMUv3 */
	void *pmu_memory;
	uint8_t event_counters;
	bool pmuirq;
	struct region *regions;
	size_t region_count;
	uint64_t mapped; /* bytes */
	struct planned_fault *faults;
	size_t fault_count;
	uint8_t *stream; /* all written records, in order */
	size_t stream_size, stream_capacity;
	struct written *records;
	size_t record_count, record_capacity;
	struct spemu_buffer_write last_write;
	unsigned last_write_size; /* 0 if there was no write */
	uint64_t writes;          /* number of buffer writes */
	struct record_parts parts;
	enum translate translate;
	struct spemu_mmu *mmu; /* the walker, or NULL */
	void *mmu_memory;
	struct table_plan table; /* the latest table */
	uint64_t table_used;     /* place of its next-level table */
	unsigned injections;
	struct diagnosed *diagnosed;
	size_t diagnosed_count, diagnosed_capacity;
	unsigned line; /* line of the running command */
	uint64_t count[COUNT_COUNT];
	uint64_t pmu_count[PMU_EVENT_COUNT]; /* in the order of pmu_event_names */
	uint64_t clock;
	bool irq;
	uint64_t started[SPEMU_IN_FLIGHT_MAX]; /* number of the sample in each slot, or 0 */
	unsigned slots;
	int refused;        /* status of spemu_spu_sample_end_slot() */
	bool out_of_memory; /* a record could not be kept */
};

#define MACHINE_MEMORY_MAX (UINT64_C(256) << 20) /* limit of mapped memory, and of the stream */

/* Make the machine with these configurations. Return SPEMU_OK, or an error of spemu_pe_init(),
 * spemu_spu_init() and the like. */
int machine_start(struct machine *machine, const struct spemu_pe_config *pe,
                  const struct spemu_spu_config *config);
void machine_stop(struct machine *machine);

/* Map memory, or plan a fault. machine_map() returns false, with *why set, if the memory is
 * impossible. */
bool machine_map(struct machine *machine, const char **why, const struct mapping *map);
bool machine_plan_fault(struct machine *machine, const struct planned_fault *fault);

/* scenario_pmu.c: start the PMU; get and set registers of the PE or the PMU. */
int machine_start_pmu(struct machine *machine,
                      void (*diagnostic)(void *ctx, const struct spemu_diagnostic *diagnostic));
uint64_t machine_get(const struct machine *machine, const struct target *target);
bool machine_set(struct machine *machine, const struct target *target, uint64_t value);
void machine_zero_pmu(struct machine *machine);

/* Count operations that are not chosen. count is less than the distance to the next chosen
 * operation. */
void machine_ops(struct machine *machine, uint64_t count);
/* Start the chosen operation in *slot. Return false if it collided. */
bool machine_begin(struct machine *machine, unsigned *slot, uint64_t pc);
void machine_end(struct machine *machine, unsigned slot, const struct spemu_op *op,
                 struct spemu_sample_result *result);
/* Notify the model of an executed operation if it was a taken branch. */
void machine_branch(struct machine *machine, const struct spemu_op *op);
bool machine_oldest(const struct machine *machine, unsigned *slot);

/* Return the number of bytes from a physical or virtual address to the end of its region, or 0 if
 * there is no region. */
size_t machine_memory(const struct machine *machine, const uint8_t **data, uint64_t address);

/* Get the number of bytes that the SPU wrote to the region of this address. Return false if there
 * is no region. */
bool machine_written(const struct machine *machine, uint64_t address, uint64_t *written);

/* Return the region at a physical address in this physical address space, or NULL. */
struct region *machine_physical(const struct machine *machine, uint64_t address, uint8_t pas);

/* scenario_walker.c: start the walker if the scenario requests it. Return SPEMU_OK also if it does
 * not. */
int machine_start_walker(struct machine *machine);
/* Write or read 8 bytes of physical memory, in any physical address space. Return false if there is
 * no memory. */
bool machine_put_word(struct machine *machine, uint64_t address, uint64_t value);
bool machine_word(const struct machine *machine, uint64_t address, uint64_t *value);
/* Make a translation table, or a descriptor in it. Return false, with *why set, if that is
 * impossible. */
bool machine_make_table(struct machine *machine, const char **why, const struct table_plan *plan);
bool machine_put_page(struct machine *machine, const char **why, const struct page_plan *page);

/* scenario_memory.c: translate and write a part of a record. Callbacks of struct spemu_spu_host;
 * ctx is the machine. */
int machine_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                      const struct spemu_pe *pe, const struct spemu_buffer_write *access);
int machine_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                  const void *data, size_t size);
#endif
