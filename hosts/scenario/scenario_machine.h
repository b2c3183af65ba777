/* SPDX-License-Identifier: MIT */
/* The SPU of a scenario and what is around it: memory, clock, interrupt, counters. */
#ifndef SCENARIO_MACHINE_H
#define SCENARIO_MACHINE_H

#include <spemu/spu.h>
#include "script.h"

enum machine_count {
	COUNT_SAMPLES, /* operations chosen and started */
	COUNT_COLLISIONS,
	COUNT_RECORDS,
	COUNT_FILTERED,
	COUNT_DISCARDED,
	COUNT_LOST,
	COUNT_MANAGEMENT, /* samples that ended in a management event */
	COUNT_OPERATIONS, /* executed, whether in the population or not */
	COUNT_INTERRUPTS, /* times that PMBIRQ was asserted */
	COUNT_COUNT,
};
#define PMU_EVENT_MAX 16

struct region {
	uint64_t base, size;
	uint8_t *data;
	bool writable;
	uint8_t types;
};

/* Where a record that was written whole stands in the stream. */
struct written {
	uint64_t address;
	size_t offset;
	unsigned size;
};

struct machine {
	struct spemu *spu;
	void *spu_memory;
	struct region *regions;
	size_t region_count;
	uint64_t mapped; /* bytes */
	struct planned_fault *faults;
	size_t fault_count;
	uint8_t *stream; /* records as they were written, one behind the other */
	size_t stream_size, stream_capacity;
	struct written *records;
	size_t record_count, record_capacity;
	struct spemu_access access; /* the last write */
	unsigned access_size;       /* 0: there was none */
	uint64_t count[COUNT_COUNT];
	uint64_t pmu[PMU_EVENT_MAX]; /* in the order of pmu_event_names */
	uint64_t clock;
	bool irq;
	uint64_t started[SPEMU_IN_FLIGHT_MAX]; /* slots in use: the how-manieth sample; else 0 */
	unsigned slots;
	bool kept;          /* the last write's record was added to records */
	bool out_of_memory; /* a record could not be kept */
};

#define MACHINE_MEMORY_MAX (UINT64_C(256) << 20) /* mapped, and again for the stream */

/* config.features, and so on, are as scenario and options say. SPEMU_OK or spemu_init()'s. */
int machine_start(struct machine *machine, const struct spemu_config *config);
void machine_stop(struct machine *machine);

/* False with *why set if the memory cannot be. */
bool machine_map(struct machine *machine, const char **why, uint64_t base, uint64_t size,
                 bool writable, uint8_t types);
bool machine_plan_fault(struct machine *machine, const struct planned_fault *fault);
void machine_forget_faults(struct machine *machine);

/* Count operations that are not chosen; count is below the distance to the next chosen one. */
void machine_ops(struct machine *machine, uint64_t count);
/* The chosen operation starts, in *slot; false if it collided. */
bool machine_begin(struct machine *machine, unsigned *slot, uint64_t pc);
void machine_end(struct machine *machine, unsigned slot, const struct spemu_op *op,
                 struct spemu_sample_result *result);
/* Tells the model of an operation that was executed, if it was a branch that was taken. */
void machine_branch(struct machine *machine, const struct spemu_op *op);
bool machine_is_busy(const struct machine *machine); /* no slot is free */
bool machine_oldest(const struct machine *machine, unsigned *slot);

/* Bytes from a physical or virtual address on, within one region; 0 if there is none. */
size_t machine_memory(const struct machine *machine, const uint8_t **data, uint64_t address);

#endif
