/* SPDX-License-Identifier: MIT */
/* Thrift's compact protocol, as far as headers of Parquet need it. The fields of a struct are
 * written in the order of their numbers. */
#ifndef TOOLS_EXPORT_PARQUET_THRIFT_H
#define TOOLS_EXPORT_PARQUET_THRIFT_H

#include "export_bytes.h"

enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

/* A struct that is being written, with the number of the last field. It begins as {to, 0}. */
struct thrift {
	struct bytes *to;
	unsigned last;
};

static inline void thrift_field(struct thrift *t, unsigned field, enum thrift_type type)
{
	/* Field numbers differ by less than 16. */
	bytes_byte(t->to, (field - t->last) << 4 | type);
	t->last = field;
}

static inline void thrift_number(struct thrift *t, unsigned field, enum thrift_type type, int64_t n)
{
	thrift_field(t, field, type);
	bytes_zigzag(t->to, n);
}

static inline void thrift_binary(struct thrift *t, unsigned field, const void *data, size_t size)
{
	thrift_field(t, field, THRIFT_BINARY);
	bytes_varint(t->to, size);
	bytes_add(t->to, data, size);
}

/* Begin a list. Write its elements next: numbers with bytes_zigzag(), texts as size and bytes,
 * structs up to their thrift_end(). */
static inline void thrift_list(struct thrift *t, unsigned field, enum thrift_type type,
                               size_t count)
{
	thrift_field(t, field, THRIFT_LIST);
	if (count < 15) {
		bytes_byte(t->to, (unsigned)count << 4 | type);
		return;
	}
	bytes_byte(t->to, 15 << 4 | (unsigned)type);
	bytes_varint(t->to, count);
}

/* Begin a struct as a field of `t`. */
static inline struct thrift thrift_begin(struct thrift *t, unsigned field)
{
	thrift_field(t, field, THRIFT_STRUCT);
	return (struct thrift){t->to, 0};
}

static inline void thrift_end(struct thrift *t)
{
	bytes_byte(t->to, 0);
}

#endif
