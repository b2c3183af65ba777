/* SPDX-License-Identifier: MIT */
/* See sample_access.h. */
#include "sample_access.h"

#include <spemu/codec.h>

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
	return true;
}
