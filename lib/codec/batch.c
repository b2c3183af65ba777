/* SPDX-License-Identifier: MIT */
/*
 * Records as arrays and as columns.
 *
 * Arm ARM: DDI 0487 M.a, D18.2 (contents of the members)
 */
#include "codec/scan.h"

enum {
	FEW = 64,  /* with fewer records, learning shapes is not worth the time */
	ROWS = 32, /* records that are buffered between the stream and the columns: a few
	              kilobytes */
};

/* Fill one column for all records, so that NULL is tested once per column. */
#define PUT(column, member)                                      \
	do {                                                     \
		if (column)                                      \
			for (size_t k = 0; k < n; k++)           \
				(column)[i + k] = rec[k].member; \
	} while (0)

void spemu__codec_columns_put(const struct spemu_columns *c, size_t i,
                              const struct spemu_record *rec, size_t n)
{
	PUT(c->offset, offset);
	PUT(c->present, present);
	for (unsigned m = 0; m < 8; m++)
		PUT(c->addr[m], addr[m]);
	PUT(c->events, events);
	PUT(c->timestamp, timestamp);
	for (unsigned m = 0; m < 2; m++)
		PUT(c->context[m], context[m]);
	for (unsigned m = 0; m < 8; m++)
		PUT(c->counter[m], counter[m]);
	PUT(c->data_source, data_source);
	PUT(c->op_class, op_class);
	PUT(c->op_subclass, op_subclass);
}

static int few(struct spemu_decoder *dec, size_t *count, const struct spemu_columns *columns)
{
	struct spemu_record rec;

	for (*count = 0; *count < columns->capacity; ++*count) {
		int status = spemu__codec_next(dec, &rec, NULL);

		if (status != SPEMU_OK)
			return status;
		spemu__codec_columns_put(columns, *count, &rec, 1);
	}
	return SPEMU_OK;
}

static int many(struct spemu_decoder *dec, size_t *count, const struct spemu_columns *columns)
{
	struct spemu_record records[ROWS];
	struct spemu_shapes shapes = {{0}};
	int status = SPEMU_OK;

	for (*count = 0; status == SPEMU_OK && *count < columns->capacity;) {
		size_t room = columns->capacity - *count, n;

		status =
		        spemu_decoder_records(dec, &n, records, room < ROWS ? room : ROWS, &shapes);
		spemu__codec_columns_put(columns, *count, records, n);
		*count += n;
	}
	return status;
}

int spemu_decoder_batch(struct spemu_decoder *dec, size_t *count,
                        const struct spemu_columns *columns)
{
	if (count)
		*count = 0;
	if (!dec || !count || !columns || !columns->capacity)
		return SPEMU_ERR_INVALID;
	return columns->capacity < FEW ? few(dec, count, columns) : many(dec, count, columns);
}
