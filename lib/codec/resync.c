/* SPDX-License-Identifier: MIT */
/*
 * Resynchronization: find where records begin again after damage.
 *
 * The format does not mark the beginning of a record, and unknown packets are legal, so only
 * comparison helps. An implementation writes its packets in one order, and every record has some
 * packets. Bytes that contradict this are damaged if a record that does not contradict it begins
 * inside them.
 *
 * Arm ARM: DDI 0487 M.a, D17.6 (contents of all records), D18.1.2, D18.1.3, D18.2.2, D18.2.3,
 * D18.2.7
 */
#include "codec/shape.h"

enum {
	LEARN_MOST = 32, /* most records to learn from */
	LEARN_LEAST = 4, /* fewest records for a conclusion */
	LEARN_WELL = 16, /* records for a certain conclusion */
	KINDS = 24,      /* number of members, by their bit in present */
};

/* The habits of the records around a place. */
struct habits {
	unsigned records;
	uint32_t always;        /* members of for_all_operations that all records have */
	uint32_t seen;          /* members that at least one record has */
	uint32_t common;        /* members that at least two thirds of the records have */
	uint32_t first;         /* members that at least one record begins with */
	unsigned aligned;       /* records start at multiples of 1 << aligned in the stream;
	                           initially 63 */
	unsigned apart;         /* consecutive starts differ by multiples of 1 << apart */
	uint32_t before[KINDS]; /* members seen before this one in the same record */
	uint32_t after[KINDS];
};

/* Packets that D17.6 and D18.2 give every operation, or every operation while a control enables
 * them. */
static const uint32_t for_all_operations = SPEMU_RECORD_ADDR0 | SPEMU_RECORD_COUNTER0 |
                                           SPEMU_RECORD_CONTEXT0 | SPEMU_RECORD_CONTEXT0 << 1 |
                                           SPEMU_RECORD_EVENTS | SPEMU_RECORD_OP_TYPE |
                                           SPEMU_RECORD_TIMESTAMP | SPEMU_RECORD_OTHER;

/* A record as its headers describe it. */
struct walk {
	const uint8_t *end;
	uint32_t present, repeated, first;
	bool contradicts; /* the order of packets contradicts habits */
};

/*
 * Walk the packets from s, which is not padding, to just past the End or Timestamp packet. Return
 * false if there is no such packet within SPEMU_RECORD_MAX bytes. If strict is true, also return
 * false as soon as a packet repeats or is unknown.
 */
static bool walk(struct walk *w, const struct habits *h, const uint8_t *s, const uint8_t *end,
                 bool strict)
{
	const uint8_t *p = s;

	*w = (struct walk){0};
	while (p < end && p - s <= SPEMU_RECORD_MAX) {
		struct packet_form form;
		size_t size;
		uint32_t bit;

		if (!packet_form_at(&form, &size, p, end))
			return false;
		p += size;
		if (form.member == MEMBER_PADDING) {
			p = spemu__codec_padding_skip(p, end);
			continue;
		}
		if (form.member != MEMBER_END) {
			bit = (uint32_t)1 << form.member;
			if (!w->present)
				w->first = bit;
			w->repeated |= w->present & bit;
			if (form.member < KINDS &&
			    (w->present & h->after[form.member] & ~h->before[form.member]))
				w->contradicts = true;
			w->present |= bit;
			if (strict && (w->repeated || (w->present & SPEMU_RECORD_OTHER)))
				return false;
		}
		if (form.member == MEMBER_END || form.member == MEMBER_TIMESTAMP) {
			w->end = p;
			return p - s <= SPEMU_RECORD_MAX;
		}
	}
	return false;
}

/* Add the order of the packets in the record at s to the habits. */
static void learn_order(struct habits *h, const uint8_t *s, const uint8_t *end)
{
	uint32_t seen = 0;

	while (s < end) {
		struct packet_form form;
		size_t size;

		if (!packet_form_at(&form, &size, s, end))
			return;
		s += size;
		if (form.member >= KINDS)
			continue;
		h->before[form.member] |= seen;
		for (uint32_t left = seen; left; left &= left - 1)
			h->after[__builtin_ctz(left)] |= (uint32_t)1 << form.member;
		seen |= (uint32_t)1 << form.member;
	}
}

/* Return the smaller of n and the number of trailing zeros of x. */
static unsigned least_zeros(unsigned n, uint64_t x)
{
	return x && (unsigned)__builtin_ctzll(x) < n ? (unsigned)__builtin_ctzll(x) : n;
}

/* The number of records that have each member. For records with a shape, only the number of
 * records with that shape is counted. */
struct tally {
	unsigned member[32], shape[SHAPES];
};

static void add_shapes(struct tally *tally, const struct shapes_own *shapes)
{
	for (unsigned i = 0; shapes && i < shapes->count; i++) {
		for (uint32_t left = shapes->shape[i].present; left; left &= left - 1)
			tally->member[__builtin_ctz(left)] += tally->shape[i];
	}
}

/* Learn from the record at p, which has been walked. shape is the record's shape or NULL. */
static void learn_record(struct habits *h, struct tally *tally, const uint8_t *p,
                         const struct walk *w, const struct shape *shape)
{
	h->records++;
	h->seen |= w->present;
	h->first |= w->first;
	if (shape && tally->shape[shape->number]++)
		return; /* a record of this shape has shown the order */
	learn_order(h, p, w->end);
	for (uint32_t left = shape ? 0 : w->present; left; left &= left - 1)
		tally->member[__builtin_ctz(left)]++;
}

/* Walk a record without comparing it with habits. If the record has a known shape, take the result
 * from the shape. */
static bool walk_by_shape(struct walk *w, const struct shape **shape, struct shapes_own *shapes,
                          const uint8_t *p, const uint8_t *end)
{
	static const struct habits nothing = {0};

	*shape = shapes && end - p >= SHAPE_ROOM ? shape_find(shapes, p) : NULL;
	if (!*shape)
		return walk(w, &nothing, p, end, false);
	*w = (struct walk){
	        .end = p + (*shape)->size, .present = (*shape)->present, .first = (*shape)->first};
	return true;
}

/* Learn habits from the records between p and end, beginning with record number `first`. Records
 * that repeat a packet are ignored. */
static void learn(struct habits *h, const struct spemu_decoder *dec, const uint8_t *p,
                  const uint8_t *end, unsigned first, struct shapes_own *shapes)
{
	const uint8_t *after;
	struct tally tally = {0};
	const unsigned *count = tally.member;
	const struct shape *shape;
	unsigned enough;
	struct walk w;

	*h = (struct habits){.aligned = 63, .apart = 63};
	p = spemu__codec_padding_skip(p, end);
	for (unsigned i = 0; i < first + LEARN_MOST; i++, p = after) {
		if (p == end || !walk_by_shape(&w, &shape, shapes, p, end))
			break;
		after = spemu__codec_padding_skip(w.end, end);
		if (i < first || w.repeated)
			continue;
		learn_record(h, &tally, p, &w, shape);
		h->aligned = least_zeros(h->aligned, dec->base + (uint64_t)(p - dec->begin));
		if (after < end)
			h->apart = least_zeros(h->apart, (uint64_t)(after - p));
	}
	add_shapes(&tally, shapes);
	/* The data ahead may be damaged too, so one record in sixteen may differ. */
	enough = first ? h->records - h->records / 16 : h->records;
	for (unsigned k = 0; k <= MEMBER_OTHER && h->records; k++) {
		if (count[k] >= enough)
			h->always |= (uint32_t)1 << k;
		if (3 * count[k] >= 2 * h->records)
			h->common |= (uint32_t)1 << k;
	}
	h->always &= for_all_operations;
	/* If two members occur in both orders, the order is not a criterion. */
	for (unsigned k = 0; k < KINDS; k++) {
		if (h->before[k] & h->after[k])
			memset(h->after, 0, sizeof(h->after));
	}
	if (2 * count[MEMBER_OTHER] < h->records)
		h->seen &= ~(uint32_t)SPEMU_RECORD_OTHER;
	if (!(h->always & (h->always - 1))) /* too few members to recognize a record */
		h->records = 0;
}

static bool usual(const struct habits *h, const struct walk *w)
{
	return !w->repeated && !w->contradicts && (w->present & h->always) == h->always &&
	       !(w->present & ~h->seen & (SPEMU_RECORD_OTHER | SPEMU_RECORD_TIMESTAMP));
}

/* Return true if a record, with or without padding after it, ends at p, or if the buffer begins at
 * p. */
static bool ends_at(const struct spemu_decoder *dec, const uint8_t *p)
{
	const uint8_t *q = p;

	if (p == dec->begin)
		return true;
	/* The payload of a timestamp may end with zeros, which look like padding. */
	if (p - dec->begin >= SPEMU_PACKET_SIZE_TIMESTAMP &&
	    p[-SPEMU_PACKET_SIZE_TIMESTAMP] == SPEMU_HEADER_TIMESTAMP)
		return true;
	while (q > dec->begin && q[-1] == 0 && p - q < SPEMU_RECORD_MAX) {
		q--;
		if (q - dec->begin >= SPEMU_PACKET_SIZE_TIMESTAMP &&
		    q[-SPEMU_PACKET_SIZE_TIMESTAMP] == SPEMU_HEADER_TIMESTAMP)
			return true;
	}
	return q > dec->begin && q[-SPEMU_PACKET_SIZE_END] == SPEMU_HEADER_END;
}

static bool is_placed_well(const struct habits *h, const struct spemu_decoder *dec,
                           const uint8_t *s)
{
	uint64_t offset = dec->base + (uint64_t)(s - dec->begin);

	return h->aligned < 2 || h->aligned > 11 ||
	       (offset & (((uint64_t)1 << h->aligned) - 1)) == 0;
}

/* Return a score from 1 to 8 that says how well the record at s fits the habits. w is its walk. */
static unsigned score(const struct spemu_decoder *dec, const struct habits *h, const uint8_t *s,
                      const struct walk *w)
{
	uint64_t apart = (uint64_t)(spemu__codec_padding_skip(w->end, dec->end) - s);

	return (w->present & ~h->seen ? 1u : 3u) + (w->first & h->first ? 2u : 0u) +
	       (is_placed_well(h, dec, s) ? 1u : 0u) + (ends_at(dec, s) ? 1u : 0u) +
	       (h->apart <= 11 && least_zeros(h->apart, apart) == h->apart ? 1u : 0u);
}

/*
 * Return the record that begins in [from, limit), ends after `after` and not after last_end,
 * resembles the others and fits better than least; or NULL. If least is 0, the record may begin
 * after limit.
 *
 * Several starts may lead to the same end. The best one contains nothing new, begins and is placed
 * as other records are, and follows a record. Among equals, the one with the most common members is
 * best, because a record without its first packets may resemble the others. Then the last one is
 * best: a whole record hardly ever contains another one, but any bytes may precede it.
 */
static const uint8_t *find(const struct spemu_decoder *dec, const struct habits *h, unsigned least,
                           const uint8_t *from, const uint8_t *limit, const uint8_t *after,
                           const uint8_t *last_end)
{
	const bool strict = least > 0;
	const uint8_t *best = NULL;
	int members = 0; /* number of common members in best */

	for (const uint8_t *s = from; s < limit; s++) {
		struct walk w;
		unsigned fits;
		int has;

		if (*s == 0 || spemu__packet_forms[*s].member == MEMBER_OTHER)
			continue;
		if (!walk(&w, h, s, dec->end, !(h->seen & SPEMU_RECORD_OTHER)) || w.end <= after ||
		    w.end > last_end || !usual(h, &w))
			continue;
		fits = score(dec, h, s, &w);
		has = __builtin_popcount(w.present & h->common);
		if (fits < least || (best && fits == least && has < members))
			continue;
		if (!strict)
			limit = w.end;
		best = s;
		least = fits;
		members = has;
	}
	return best;
}

/* Return true if the record at p, or after padding at p, resembles the others. This shows that
 * another record ends before p. */
static bool begins_well(const struct spemu_decoder *dec, const struct habits *h, const uint8_t *p)
{
	struct walk w;

	p = spemu__codec_padding_skip(p, dec->end);
	return p < dec->end && walk(&w, h, p, dec->end, false) && usual(h, &w);
}

static int skip_to(struct spemu_decoder *dec, const uint8_t *from, const uint8_t *to)
{
	dec->skip_offset = dec->base + (uint64_t)(from - dec->begin);
	dec->skip_size = (uint64_t)(to - from);
	if (to > dec->pos)
		dec->skipped += (uint64_t)(to - dec->pos);
	dec->pos = to;
	own(dec)->synced = 0;
	own(dec)->run = NULL;
	own(dec)->last = NULL; /* everything before has been searched */
	return SPEMU_ERR_CORRUPT;
}

/* Return the end of the next End or Timestamp packet, or the end of the data. */
static const uint8_t *behind_next_end(const uint8_t *p, const uint8_t *end)
{
	struct spemu_packet pkt;
	int size;

	while ((size = spemu_packet_decode(&pkt, p, (size_t)(end - p))) > 0) {
		p += size;
		if (pkt.type == SPEMU_PKT_END || pkt.type == SPEMU_PKT_TIMESTAMP)
			return p;
	}
	return end;
}

static const uint8_t *at_most(const uint8_t *p, const uint8_t *end, ptrdiff_t size)
{
	return end - p > size ? p + size : end;
}

static int accept(struct spemu_decoder *dec, const struct record_scan *scan, uint32_t always)
{
	if (!own(dec)->synced || !own(dec)->run)
		own(dec)->run = dec->pos;
	own(dec)->synced = 1;
	own(dec)->usual = always;
	own(dec)->seen |= scan->present;
	own(dec)->first = *dec->pos;
	return SPEMU_OK;
}

int spemu__codec_resynchronize(struct spemu_decoder *dec, const struct record_scan *scan,
                               int status, struct shapes_own *shapes)
{
	const uint8_t *start = dec->pos, *stop = status == SPEMU_OK ? scan->end : start, *found;
	const bool room = dec->end - start > SPEMU_RECORD_MAX;
	struct habits past, ahead, *h = &past;
	struct walk w = {0};
	unsigned least = 0;
	uint32_t lacks;
	bool like;

	learn(&past, dec, own(dec)->run ? own(dec)->run : start, start, 0, shapes);
	if (past.records >= LEARN_LEAST) {
		own(dec)->proven = own(dec)->run;
		own(dec)->proven_end = start;
	} else if (own(dec)->proven) {
		learn(&past, dec, own(dec)->proven, own(dec)->proven_end, 0, shapes);
	}
	if (past.records < LEARN_LEAST || !own(dec)->synced)
		learn(&ahead, dec, stop, dec->end, 1, shapes);
	if (past.records < LEARN_LEAST)
		h = &ahead;
	if (h->records < LEARN_LEAST) {
		/* Too few records show habits to compare this one with. */
		if (status == SPEMU_ERR_TRUNCATED && !room)
			return status;
		if (status != SPEMU_OK)
			return skip_to(dec, start, behind_next_end(start, dec->end));
		return accept(dec, scan, 0);
	}
	like = status == SPEMU_OK && walk(&w, h, start, dec->end, false) && usual(h, &w);
	if (like && own(dec)->synced &&
	    (!(scan->present & ~h->seen) || is_placed_well(h, dec, start)))
		return accept(dec, scan, h->always);
	/* From here on the records have other habits: this record agrees with the records ahead,
	 * and the record before it was whole. */
	if (!like && !own(dec)->synced && own(dec)->last && h == &past &&
	    ahead.records >= LEARN_LEAST && status == SPEMU_OK &&
	    walk(&w, &ahead, start, dec->end, false) && usual(&ahead, &w)) {
		own(dec)->run = NULL;
		return accept(dec, scan, ahead.always);
	}
	/* The record has all packets that it needs; only their order is odd. A record inside it
	 * must have a higher score. */
	if (status == SPEMU_OK && own(dec)->synced && !w.repeated &&
	    (w.present & (h->always | SPEMU_RECORD_OTHER)) == h->always)
		least = score(dec, h, start, &w) + 1;
	found = find(dec, h, least, own(dec)->last ? own(dec)->last + 1 : start,
	             status == SPEMU_OK ? stop : at_most(start, dec->end, 2 * SPEMU_RECORD_MAX),
	             start, status == SPEMU_OK && begins_well(dec, h, stop) ? stop : dec->end);
	if (found == start)
		return accept(dec, scan, h->always);
	if (found)
		return skip_to(dec, found < start ? own(dec)->last : start, found);
	if (status == SPEMU_ERR_TRUNCATED && !room)
		return status;
	if (status != SPEMU_OK)
		return skip_to(dec, start, at_most(start, dec->end, SPEMU_RECORD_MAX));
	lacks = h->always & ~scan->present;
	if (!own(dec)->synced &&
	    (h->records >= LEARN_WELL && !own(dec)->last ? lacks : lacks & SPEMU_RECORD_ADDR(0)))
		return skip_to(dec, start, stop);
	/* The records before this one were whole, and none that fits better begins inside. A record
	 * with one fault is accepted. */
	if (!!w.repeated + !!lacks + w.contradicts + !!(w.present & ~h->seen & SPEMU_RECORD_OTHER) >
	    1) {
		skip_to(dec, start, stop);
		own(dec)->last = start; /* another record may begin inside */
		return SPEMU_ERR_CORRUPT;
	}
	own(dec)->first = *start;
	own(dec)->synced = 0;
	own(dec)->run = NULL;
	return SPEMU_OK;
}
