/* SPDX-License-Identifier: MIT */
/*
 * Samples of SVE instructions are hidden if no record has a format of SVE. The profiled files tell
 * which samples these are, because each record has the address of its instruction.
 */
#define _GNU_SOURCE
#include "vector_limits.h"
#include "model_error.h"
#include "../base/fit.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>

#include <spemu/packet.h>

/* A limit is reported if it affects at least one of so many samples or accesses. */
#define WORTH 100

void vector_limits_note(struct profile *p, const struct counted *c)
{
	const uint64_t empty = UINT64_C(1) << SPEMU_EV_EMPTY_PREDICATE;
	const struct spemu_record *r = c->record;
	enum spemu_op_format format = SPEMU_FORMAT_RESERVED;

	if (r->present & SPEMU_RECORD_OP_TYPE)
		format = spemu_op_format(r->op_class, r->op_subclass);
	p->shows_vectors |= format == SPEMU_FORMAT_SVE || format == SPEMU_FORMAT_SVE_SME;
	if (format != SPEMU_FORMAT_SVE_SME ||
	    ((r->present & SPEMU_RECORD_EVENTS) && (r->events & empty)))
		return;
	p->vector_accesses++;
	p->unaddressed_vectors += !(r->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA));
}

struct hidden {
	uint64_t samples;
	/* true if the machine has SVE, and QEMU hid it: from FEAT_SPEv1p1 on, its loads and stores
	 * are those of unspecified registers */
	bool by_qemu;
};

/* Return true if the format may hide an SVE operation. */
static bool may_hide(enum spemu_op_format format)
{
	switch (format) {
	case SPEMU_FORMAT_OTHER:
	case SPEMU_FORMAT_SIMDFP:
	case SPEMU_FORMAT_UNSPECIFIED:
		return true;
	default:
		return false;
	}
}

/* Return true if the instruction at the place is one of SVE (C4.1). */
static bool is_sve(const struct place *place)
{
	uint8_t code[4];

	return place->object && place->resolved && place->named &&
	       object_code(place->object, code, place->addr, sizeof(code)) &&
	       (code[3] >> 1 & 15) == 2;
}

/* Return true if the machine has SVE. */
static bool has_sve(const char *machine)
{
	static const char *const names[] = {"neoverse-v1", "neoverse-n2", "neoverse-v2", "generic"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(machine, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

static struct hidden find_hidden(const struct profile *p)
{
	enum { UNKNOWN, NO, YES };
	uint8_t *known;
	struct hidden hidden = {0};

	if (p->shows_vectors)
		return hidden;
	known = xcalloc(p->samples.place_index.count + 1, 1);
	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct bin *bin = &p->bins[i];
		const struct place *place = &p->samples.places[bin->place];
		const struct facet *f = &p->facets[bin->facet];
		enum spemu_op_format format = spemu_op_format(f->op_class, f->op_subclass);
		const char *machine;

		if (!may_hide(format))
			continue;
		machine = recorded_machine(&p->samples.recordings[place->input]);
		if (!machine)
			continue;
		if (known[bin->place] == UNKNOWN)
			known[bin->place] = is_sve(place) ? YES : NO;
		if (known[bin->place] == NO)
			continue;
		hidden.samples += bin->sums.samples;
		hidden.by_qemu |= format == SPEMU_FORMAT_UNSPECIFIED && has_sve(machine);
	}
	free(known);
	return hidden;
}

void vector_limits_print(const struct profile *p, struct out *o)
{
	struct hidden hidden = find_hidden(p);

	if (hidden.samples && hidden.samples * WORTH >= p->all.samples)
		out_comment_fmt(o,
		                "SVE: %llu samples of SVE operations show neither vector length "
		                "nor predicates; record with %s, see "
		                "docs/reference/qemu-user.md#sve",
		                (unsigned long long)hidden.samples,
		                hidden.by_qemu ? "Debian 12's QEMU 7.2, or QEMU 9.2 or later"
		                               : "--machine neoverse-v1");
	if (p->unaddressed_vectors && p->unaddressed_vectors * WORTH >= p->vector_accesses)
		out_comment_fmt(o,
		                "SVE: %llu of %llu SVE loads and stores have no data address, "
		                "which QEMU 7.2 does not report; record with QEMU 9.2 or later, "
		                "see docs/reference/qemu-user.md#sve",
		                (unsigned long long)p->unaddressed_vectors,
		                (unsigned long long)p->vector_accesses);
}

void vector_limits_json(struct json_object *root, const struct profile *p)
{
	json_add_number(root, "hidden_sve", find_hidden(p).samples);
	json_add_number(root, "sve_accesses", p->vector_accesses);
	json_add_number(root, "sve_accesses_without_address", p->unaddressed_vectors);
}
