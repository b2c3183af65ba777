/* SPDX-License-Identifier: MIT */
/* The filter of samples by the type of their data (--types). */
#ifndef TOOLS_TYPES_TYPE_FILTER_H
#define TOOLS_TYPES_TYPE_FILTER_H

#include "../session/samples.h"

/* If the filter of the samples has types, read all samples once for their types. samples_read()
 * then leaves out the samples whose data has another type. */
void type_filter_prepare(struct samples *samples);

#endif
