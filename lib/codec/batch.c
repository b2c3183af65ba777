/* SPDX-License-Identifier: MIT */
/*
 * Records as columns.
 *
 * Arm ARM: DDI 0487 M.a, D18.2 (what the members hold)
 */
#include "codec/shape.h"

#define PUT(column, i, value)                \
	do {                                 \
		if (column)                  \
			(column)[i] = value; \
	} while (0)

void spemu__codec_columns_put(const struct spemu_columns *c, size_t i,
                              const struct spemu_record *rec)
{
	PUT(c->offset, i, rec->offset);
	PUT(c->present, i, rec->present);
	for (unsigned k = 0; k < 8; k++)
		PUT(c->addr[k], i, rec->addr[k]);
	PUT(c->events, i, rec->events);
	PUT(c->timestamp, i, rec->timestamp);
	for (unsigned k = 0; k < 2; k++)
		PUT(c->context[k], i, rec->context[k]);
	for (unsigned k = 0; k < 8; k++)
		PUT(c->counter[k], i, rec->counter[k]);
	PUT(c->data_source, i, rec->data_source);
	PUT(c->op_class, i, rec->op_class);
	PUT(c->op_subclass, i, rec->op_subclass);
}

int spemu_decoder_batch(struct spemu_decoder *dec, size_t *count,
                        const struct spemu_columns *columns)
{
	const size_t few = 64; /* for which it is not worth it to learn shapes */
	struct spemu_shapes shapes;
	struct shapes_own *known = NULL;
	struct spemu_record rec;

	if (!dec || !count || !columns || !columns->capacity)
		return SPEMU_ERR_INVALID;
	if (columns->capacity >= few) {
		memset(&shapes, 0, sizeof(shapes));
		known = shapes_own(&shapes);
	}
	for (*count = 0; *count < columns->capacity; ++*count) {
		int status = spemu__codec_next(dec, &rec, known);

		if (status != SPEMU_OK)
			return status;
		spemu__codec_columns_put(columns, *count, &rec);
	}
	return SPEMU_OK;
}
