/* SPDX-License-Identifier: MIT */
/* The keys of data types, with perf's names: type, typeoff and typecln. */
#ifndef TOOLS_REPORT_TYPE_KEY_H
#define TOOLS_REPORT_TYPE_KEY_H

#include "key.h"

/* Return a key by index 0, 1, ..., or NULL past the end. */
const struct key *type_key_at(unsigned index);

#endif
