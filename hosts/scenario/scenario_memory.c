/* SPDX-License-Identifier: MIT */
/*
 * The memory of a scenario, and the translation of its addresses.
 *
 * Arm ARM: DDI 0487 M.a, D17.7, D8.6 (attributes of two stages), D24.7.5 (fault status codes). A
 * write faults at the first byte that a planned fault covers or that has no region. The bytes
 * before it are written.
 */
#include "scenario_machine.h"

#include <stdlib.h>
#include <string.h>

enum { REGION_LOG2_MIN = 12, REGION_LOG2_MAX = 48, LEVEL = 3 };

static struct spemu_fault mmu_fault(uint16_t kind, enum spemu_fault_type type)
{
	return (struct spemu_fault){.kind = kind, .fsc = (uint8_t)spemu_fsc(type, LEVEL)};
}

/* Return the fault of a write to an address without memory, by the type of the address. */
static struct spemu_fault unmapped_fault(const struct spemu_buffer_write *access)
{
	if (access->address_type == SPEMU_ADDRESS_PA)
		return (struct spemu_fault){.kind = SPEMU_FAULT_EXTERNAL};
	return mmu_fault(access->address_type == SPEMU_ADDRESS_VA ? SPEMU_FAULT_STAGE1
	                                                          : SPEMU_FAULT_STAGE2,
	                 SPEMU_FT_TRANSLATION);
}

/* Return true if writes to this memory are refused, with the fault in *fault. */
static bool denied(const struct mapping *map, struct spemu_fault *fault,
                   const struct spemu_buffer_write *access)
{
	bool stage1 = access->address_type == SPEMU_ADDRESS_VA && !map->writable;
	bool assured = access->address_type == SPEMU_ADDRESS_IPA && map->assured_only;

	if (access->address_type == SPEMU_ADDRESS_PA) {
		*fault = (struct spemu_fault){.kind = SPEMU_FAULT_EXTERNAL};
		return !map->writable;
	}
	*fault = mmu_fault(stage1 ? SPEMU_FAULT_STAGE1 : SPEMU_FAULT_STAGE2, SPEMU_FT_PERMISSION);
	fault->assured_only = assured; /* RDQTTB: stage 1 is disabled */
	return !map->writable || !map->stage2_writable || assured;
}

static struct region *find_region(const struct machine *m, uint64_t address, uint8_t types)
{
	for (size_t i = 0; i < m->region_count; i++) {
		struct region *r = &m->regions[i];

		if ((r->map.types & types) && address >= r->map.base &&
		    address - r->map.base < r->map.size)
			return r;
	}
	return NULL;
}

struct region *machine_physical(const struct machine *m, uint64_t address, uint8_t pas)
{
	struct region *r = find_region(m, address, 1u << SPEMU_ADDRESS_PA);

	return r && r->map.has_pas && r->map.pas != pas ? NULL : r;
}

static struct region *region_of(const struct machine *m, const struct spemu_buffer_write *access,
                                uint64_t offset)
{
	if (m->mmu)
		return machine_physical(m, access->address + offset, access->pas);
	return find_region(m, access->address + offset, (uint8_t)(1u << access->address_type));
}

/*
 * Return the offset of the first byte of [address, address + size) that a planned fault covers, or
 * size. If two faults cover it, an External abort, which comes after the translation, is not taken.
 */
static size_t find_fault(const struct machine *m, const struct planned_fault **found,
                         uint64_t address, size_t size)
{
	size_t first = size;

	for (size_t i = 0; i < m->fault_count; i++) {
		const struct planned_fault *f = &m->faults[i];
		uint64_t offset = f->address > address ? f->address - address : 0;
		bool before = offset == first && first < size &&
		              (*found)->fault.kind == SPEMU_FAULT_EXTERNAL;

		if ((offset < first || before) && address + offset - f->address < f->size) {
			first = (size_t)offset;
			*found = f;
		}
	}
	return first;
}

/* Return log2 of the largest aligned range around address that lies in one region, at least a
 * page. */
static uint8_t region_log2(const struct mapping *map, uint64_t address)
{
	uint8_t log2 = REGION_LOG2_MIN;

	for (uint8_t n = REGION_LOG2_MIN; n <= REGION_LOG2_MAX; n++) {
		uint64_t first = address >> n << n, last = first + ((UINT64_C(1) << n) - 1);

		if (first < map->base || last - map->base >= map->size)
			break;
		log2 = n;
	}
	return log2;
}

static uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* Combine the attributes of two stages (D8.6): the stricter type, the lesser Cacheability, the
 * wider Shareability. */
static struct spemu_memory combine(const struct spemu_memory *stage1,
                                   const struct spemu_memory *stage2)
{
	struct spemu_memory m = *stage1;

	m.type = least(stage1->type, stage2->type);
	m.inner = least(stage1->inner, stage2->inner);
	m.outer = least(stage1->outer, stage2->outer);
	m.inner_hints = m.inner == SPEMU_NON_CACHEABLE ? 0 : m.inner_hints;
	m.outer_hints = m.outer == SPEMU_NON_CACHEABLE ? 0 : m.outer_hints;
	m.tagged = stage1->tagged && m.inner == SPEMU_WRITE_BACK && m.outer == SPEMU_WRITE_BACK;
	if (m.type != SPEMU_MEMORY_NORMAL ||
	    (m.inner == SPEMU_NON_CACHEABLE && m.outer == SPEMU_NON_CACHEABLE) ||
	    stage1->shareability == SPEMU_OUTER_SHAREABLE ||
	    stage2->shareability == SPEMU_OUTER_SHAREABLE)
		m.shareability = SPEMU_OUTER_SHAREABLE;
	else if (stage2->shareability == SPEMU_INNER_SHAREABLE)
		m.shareability = SPEMU_INNER_SHAREABLE;
	return m;
}

int machine_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                      const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct machine *m = ctx;
	const struct planned_fault *planned = NULL;
	const struct region *r;

	if (!find_fault(m, &planned, access->address, 1) &&
	    planned->fault.kind != SPEMU_FAULT_EXTERNAL) {
		*fault = planned->fault;
		return fault->kind;
	}
	if (m->mmu)
		return spemu_mmu_translate(m->mmu, result, fault, pe, access);
	r = region_of(m, access, 0);
	*result = (struct spemu_translation){.physical = access->address & UINT64_MAX >> 8,
	                                     .pas = access->security,
	                                     .region_log2 = REGION_LOG2_MIN,
	                                     .stage1 = access->memory,
	                                     .memory = access->memory};
	*fault = unmapped_fault(access);
	if (!r) /* a PA is not translated, so its translation cannot fail */
		return fault->kind == SPEMU_FAULT_EXTERNAL ? 0 : fault->kind;
	if (denied(&r->map, fault, access) && fault->kind != SPEMU_FAULT_EXTERNAL)
		return fault->kind;
	result->region_log2 = region_log2(&r->map, access->address);
	if (r->map.has_physical)
		result->physical = r->map.physical + (access->address - r->map.base);
	if (r->map.has_pas)
		result->pas = r->map.pas;
	result->mecid = r->map.mecid;
	if (access->address_type == SPEMU_ADDRESS_VA)
		result->stage1 = r->map.stage1;
	result->has_stage2 = access->address_type == SPEMU_ADDRESS_IPA ||
	                     (access->address_type == SPEMU_ADDRESS_VA && r->map.has_stage2);
	result->stage2 = r->map.stage2;
	result->memory =
	        result->has_stage2 ? combine(&result->stage1, &result->stage2) : result->stage1;
	return 0;
}

/* Write up to the first byte without writable memory. Return the number of bytes written. */
static size_t write_regions(struct machine *m, const struct spemu_buffer_write *access,
                            const uint8_t *data, size_t size, struct spemu_fault *fault)
{
	size_t done = 0;

	while (done < size) {
		struct region *r = region_of(m, access, done);
		uint64_t offset, part;

		*fault = unmapped_fault(access);
		if (!r || denied(&r->map, fault, access))
			break;
		offset = access->address + done - r->map.base;
		part = r->map.size - offset < size - done ? r->map.size - offset : size - done;
		memcpy(r->data + offset, data + done, (size_t)part);
		r->written += part;
		done += (size_t)part;
	}
	return done;
}

/* Note a buffer write of a part of a record. */
static void note_write(struct machine *m, const struct spemu_buffer_write *access, const void *data,
                       size_t size)
{
	struct record_parts *p = &m->parts;
	uint64_t end;

	m->last_write = *access;
	m->last_write_size = (unsigned)size;
	m->writes++;
	if (!p->size)
		p->address = access->address;
	if (access->address < p->address) { /* by choice the second part may come first */
		uint64_t up = p->address - access->address;

		if (up + p->size > sizeof(p->data))
			return;
		memmove(p->data + up, p->data, p->size);
		p->size += (unsigned)up;
		p->address = access->address;
	}
	end = access->address - p->address + size;
	if (end > sizeof(p->data))
		return;
	memcpy(p->data + (access->address - p->address), data, size);
	p->size = end > p->size ? (unsigned)end : p->size;
}

int machine_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                  const void *data, size_t size)
{
	struct machine *m = ctx;
	const struct planned_fault *planned = NULL;
	size_t end = find_fault(m, &planned, access->address, size), done;
	struct spemu_buffer_write at = *access;

	note_write(m, access, data, size);
	if (m->mmu) { /* translated writes go to physical memory */
		at.address = access->physical;
		at.address_type = SPEMU_ADDRESS_PA;
	}
	done = write_regions(m, &at, data, end, fault);
	if (done == size)
		return 0;
	if (done == end)
		*fault = planned->fault;
	fault->written = (uint32_t)done;
	return 1;
}

static bool overlaps(const struct machine *m, uint64_t base, uint64_t size, uint8_t types)
{
	for (size_t i = 0; i < m->region_count; i++) {
		const struct mapping *r = &m->regions[i].map;

		if ((r->types & types) && (base - r->base < r->size || r->base - base < size))
			return true;
	}
	return false;
}

bool machine_map(struct machine *m, const char **why, const struct mapping *map)
{
	uint64_t size = map->size;
	struct region *regions;
	uint8_t *data;

	*why = "a scenario maps at most 256M of memory";
	if (size > MACHINE_MEMORY_MAX || m->mapped + size > MACHINE_MEMORY_MAX)
		return false;
	*why = "this memory overlaps other memory";
	if (overlaps(m, map->base, size, map->types))
		return false;
	*why = "out of memory";
	data = calloc(1, (size_t)size);
	if (!data)
		return false;
	regions = realloc(m->regions, (m->region_count + 1) * sizeof(*regions));
	if (!regions) {
		free(data);
		return false;
	}
	m->regions = regions;
	m->regions[m->region_count++] = (struct region){.map = *map, .data = data};
	m->mapped += size;
	return true;
}

bool machine_plan_fault(struct machine *m, const struct planned_fault *fault)
{
	struct planned_fault *faults = realloc(m->faults, (m->fault_count + 1) * sizeof(*faults));

	if (!faults)
		return false;
	m->faults = faults;
	m->faults[m->fault_count++] = *fault;
	return true;
}

bool machine_written(const struct machine *m, uint64_t address, uint64_t *written)
{
	const struct region *r = find_region(m, address, 0xff);

	*written = r ? r->written : 0;
	return r != NULL;
}

size_t machine_memory(const struct machine *m, const uint8_t **data, uint64_t address)
{
	const struct region *r = find_region(m, address, 0xff);

	if (!r)
		return 0;
	*data = r->data + (address - r->map.base);
	return (size_t)(r->map.size - (address - r->map.base));
}
