/* SPDX-License-Identifier: MIT */
/* The memory access of a sample, for typing.h. */
#ifndef TOOLS_TYPES_SAMPLE_ACCESS_H
#define TOOLS_TYPES_SAMPLE_ACCESS_H

#include "typing.h"

/* Describe the memory access of a sample. Return false if it has no data address. */
bool sample_access(struct data_access *access, const struct samples *samples,
                   const struct sample *sample);
/* Set the caller in whose frame an access is. `slot` is that of the sample. */
void data_access_slot(struct data_access *access, const struct samples *samples, uint32_t slot);

#endif
