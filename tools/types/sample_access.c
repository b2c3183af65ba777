/* SPDX-License-Identifier: MIT */
/* See sample_access.h. */
#include "sample_access.h"

#include <spemu/codec.h>

void data_access_slot(struct data_access *access, const struct samples *samples, uint32_t slot)
{
	if (!slot)
		return;
	access->caller = &samples->places[samples->slots[slot - 1].place];
	access->frame_offset = samples->slots[slot - 1].offset;
}

bool sample_access(struct data_access *access, const struct samples *samples,
                   const struct sample *sample)
{
	const struct spemu_record *rec = sample->record;
	uint64_t address;

	if (!(rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)))
		return false;
	address = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	*access = (struct data_access){.input = (uint32_t)(sample->recording - samples->recordings),
	                               .pid = sample->task->pid,
	                               .place = &samples->places[sample->place],
	                               .address = address,
	                               .time = sample->time,
	                               .heap = heap_find(sample->recording->session.heap,
	                                                 sample->task->pid, address, sample->time)};
	data_access_slot(access, samples, sample->slot);
	return true;
}
