/* SPDX-License-Identifier: MIT */
/* Encoding of records that the caller knows to be valid. */
#ifndef SPEMU_RECORD_ENCODE_H
#define SPEMU_RECORD_ENCODE_H

#include <spemu/record.h>

/* Encode a record as spemu_record_encode() does, without checking the record and the layout. */
int spemu__record_put(uint8_t *buf, size_t size, const struct spemu_record *rec,
                      const struct spemu_layout *layout);

#endif
