/* SPDX-License-Identifier: MIT */
/*
 * Decoding of the memory attributes in MAIR_ELx.Attr<n> and PMBMAR_EL1.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7.3, D24.2 (MAIR_EL1)
 * Implements:  RSDWFC
 * Pseudocode:  S1DecodeMemAttrs(), DecodeDevice(), DecodeLDFAttr(), DecodeShareability(),
 *              S1ConstrainUnpredictableRESMAIR()
 * Choices:     reserved-memory-attributes, reserved-shareability
 */
#include "pe/pe_object.h"

enum { ATTR_NC_XS0 = 0x40, ATTR_WT_XS0 = 0xa0, ATTR_TAGGED = 0xf0 };

static bool attr_is_reserved(const struct spemu_pe *pe, unsigned attr)
{
	bool xs = pe_has(pe, SPEMU_FEAT_XS);

	if (attr >> 4 == 0)
		return attr & 2 || (attr & 1 && !xs);
	if (attr & 0xf)
		return false;
	if (attr == ATTR_NC_XS0 || attr == ATTR_WT_XS0)
		return !xs;
	return attr != ATTR_TAGGED || !pe_has(pe, SPEMU_FEAT_MTE2);
}

/* Return the valid encoding that replaces a reserved one. */
static unsigned allocated(const struct spemu_pe *pe)
{
	switch (pe_choice(pe, SPEMU_CHOICE_RESERVED_MEMORY_ATTRIBUTES)) {
	case SPEMU_RESERVED_MEMORY_ATTRIBUTES_NON_CACHEABLE:
		return 0x44;
	case SPEMU_RESERVED_MEMORY_ATTRIBUTES_WRITE_BACK:
		return 0xff;
	default:
		return 0x00;
	}
}

static void decode_half(uint8_t *cacheability, uint8_t *hints, unsigned half)
{
	if (half == 4) {
		*cacheability = SPEMU_NON_CACHEABLE;
		*hints = 0;
		return;
	}
	*cacheability = half & 4 ? SPEMU_WRITE_BACK : SPEMU_WRITE_THROUGH;
	*hints = half & 3;
	if (*hints && !(half & 8))
		*hints |= SPEMU_HINT_TRANSIENT;
}

uint8_t spemu__pe_shareability(const struct spemu_pe *pe, unsigned sh)
{
	static const uint8_t chosen[] = {
	        [SPEMU_RESERVED_SHAREABILITY_NON_SHAREABLE] = SPEMU_NON_SHAREABLE,
	        [SPEMU_RESERVED_SHAREABILITY_OUTER_SHAREABLE] = SPEMU_OUTER_SHAREABLE,
	        [SPEMU_RESERVED_SHAREABILITY_INNER_SHAREABLE] = SPEMU_INNER_SHAREABLE,
	};

	return sh == 1 ? chosen[pe_choice(pe, SPEMU_CHOICE_RESERVED_SHAREABILITY)] : (uint8_t)sh;
}

static void decode_normal(struct spemu_memory *m, unsigned attr)
{
	m->type = SPEMU_MEMORY_NORMAL;
	switch (attr) {
	case ATTR_NC_XS0:
		m->xs = false;
		return;
	case ATTR_WT_XS0:
		m->inner = m->outer = SPEMU_WRITE_THROUGH;
		m->inner_hints = m->outer_hints = SPEMU_HINT_READ_ALLOCATE;
		m->xs = false;
		return;
	case ATTR_TAGGED:
		m->tagged = true;
		attr = 0xff;
		break;
	default:
		break;
	}
	decode_half(&m->outer, &m->outer_hints, attr >> 4);
	decode_half(&m->inner, &m->inner_hints, attr & 0xf);
	m->xs = m->inner != SPEMU_WRITE_BACK || m->outer != SPEMU_WRITE_BACK;
}

struct spemu_memory spemu__pe_memory_attributes(const struct spemu_pe *pe, unsigned attr,
                                                unsigned sh)
{
	struct spemu_memory m = {.xs = true};

	if (attr_is_reserved(pe, attr))
		attr = allocated(pe);
	if (attr >> 4 == 0) {
		m.type = attr >> 2 & 3;
		m.xs = !(attr & 1);
	} else {
		decode_normal(&m, attr);
	}
	/* Device and Non-cacheable memory is Outer Shareable for every value of SH. */
	m.shareability = SPEMU_OUTER_SHAREABLE;
	if (m.inner != SPEMU_NON_CACHEABLE || m.outer != SPEMU_NON_CACHEABLE)
		m.shareability = spemu__pe_shareability(pe, sh);
	if (!pe_has(pe, SPEMU_FEAT_XS))
		m.xs = true;
	return m;
}

struct spemu_memory spemu__pe_default_cacheable(const struct spemu_pe *pe)
{
	const uint8_t rwa = SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;

	return (struct spemu_memory){.type = SPEMU_MEMORY_NORMAL,
	                             .inner = SPEMU_WRITE_BACK,
	                             .outer = SPEMU_WRITE_BACK,
	                             .inner_hints = rwa,
	                             .outer_hints = rwa,
	                             .shareability = SPEMU_NON_SHAREABLE,
	                             .xs = !pe_has(pe, SPEMU_FEAT_XS)};
}
