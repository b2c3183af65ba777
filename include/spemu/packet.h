/* SPDX-License-Identifier: MIT */
/*
 * The bits of SPE packets: headers, indices, and fields of payloads. The functions that convert
 * packets and records to bytes and back are in <spemu/codec.h>.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.1, D18.1.4 (Tables D18-1 and D18-2), D18.2
 *
 * Constants are at their bits in a byte or payload, to be combined with "|". Accessors have no side
 * effects. Values that some
 * feature levels do not define are included, because consumers see reserved values (D18.1.3).
 */
#ifndef SPEMU_PACKET_H
#define SPEMU_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include <spemu/api.h>

SPEMU_BEGIN_DECLS

/* Headers. All except Padding, End and Timestamp have a field, which is 0 here. */
enum spemu_header {
	SPEMU_HEADER_PADDING = 0x00,     /* D18.2.8 */
	SPEMU_HEADER_END = 0x01,         /* D18.2.5 */
	SPEMU_HEADER_EXTENDED = 0x20,    /* INDEX[4:3]: first byte of a 16-bit header of Address
	                                    or Counter */
	SPEMU_HEADER_EVENTS = 0x42,      /* SZ: D18.2.6 */
	SPEMU_HEADER_DATA_SOURCE = 0x43, /* SZ: D18.2.4 */
	SPEMU_HEADER_OP_TYPE = 0x48,     /* CLASS: D18.2.7 */
	SPEMU_HEADER_CONTEXT = 0x64,     /* INDEX: D18.2.2 */
	SPEMU_HEADER_TIMESTAMP = 0x71,   /* D18.2.9 */
	SPEMU_HEADER_COUNTER = 0x98,     /* INDEX[2:0]: D18.2.3 */
	SPEMU_HEADER_ADDRESS = 0xb0,     /* INDEX[2:0]: D18.2.1 */
};

/* Masks of the fields of headers. */
enum spemu_header_field {
	SPEMU_HEADER_SZ = 0x30,             /* log2 of the payload size in bytes */
	SPEMU_HEADER_INDEX = 0x07,          /* INDEX[2:0] of Address and Counter */
	SPEMU_HEADER_CONTEXT_INDEX = 0x03,  /* INDEX of Context */
	SPEMU_HEADER_CLASS = 0x03,          /* CLASS of Operation Type */
	SPEMU_HEADER_EXTENDED_INDEX = 0x03, /* INDEX[4:3], in the first byte of a 16-bit header */
	SPEMU_HEADER_EXTENDED_RES0 = 0x1c,  /* RES0 bits of that byte; a header with one of them
	                                       set is not defined */
};

/* Position of INDEX[4:3] of an extended header above INDEX[2:0], and the largest INDEX. */
enum { SPEMU_HEADER_INDEX_WIDTH = 3, SPEMU_INDEX_MAX = 31 };

/* Bytes of a whole packet with an 8-bit header, for packets that have one size. */
enum spemu_packet_size {
	SPEMU_PACKET_SIZE_END = 1,
	SPEMU_PACKET_SIZE_OP_TYPE = 1 + 1,
	SPEMU_PACKET_SIZE_COUNTER = 1 + 2,
	SPEMU_PACKET_SIZE_CONTEXT = 1 + 4,
	SPEMU_PACKET_SIZE_ADDRESS = 1 + 8,
	SPEMU_PACKET_SIZE_TIMESTAMP = 1 + 8,
	SPEMU_PACKET_SIZE_MAX = 2 + 8, /* largest size of any packet */
};

/* Return nonzero if a byte is the first of a 16-bit header, defined or not. */
#define SPEMU_HEADER_IS_EXTENDED(byte)                                             \
	(((byte) & ~(SPEMU_HEADER_EXTENDED_INDEX | SPEMU_HEADER_EXTENDED_RES0)) == \
	 SPEMU_HEADER_EXTENDED)

/* Return the payload bytes that an 8-bit header, or the second byte of a 16-bit one, announces
 * (D18.1.1). */
#define SPEMU_HEADER_PAYLOAD_SIZE(header) \
	((header) < 0x40 ? 0 : 1 << (((header)&SPEMU_HEADER_SZ) >> 4))

/* Return the field SZ for a payload of 1, 2, 4 or 8 bytes. */
static inline uint8_t spemu_header_sz(unsigned size)
{
	return (uint8_t)((size == 8 ? 3 : size / 2) << 4);
}

/* INDEX of the Address packet (D18.2.1). */
enum spemu_addr_index {
	SPEMU_ADDR_PC = 0,
	SPEMU_ADDR_BRANCH_TARGET = 1,
	SPEMU_ADDR_DATA_VA = 2,
	SPEMU_ADDR_DATA_PA = 3,
	SPEMU_ADDR_PREV_BRANCH_TARGET = 4,
};

/* INDEX of the Counter packet (D18.2.3). */
enum spemu_counter_index {
	SPEMU_COUNTER_TOTAL = 0,
	SPEMU_COUNTER_ISSUE = 1,
	SPEMU_COUNTER_TRANSLATION = 2,
	SPEMU_COUNTER_ALT_ISSUE = 4,
};

/* INDEX of the Context packet (D18.2.2). */
enum spemu_context_index {
	SPEMU_CONTEXT_EL1 = 0, /* CONTEXTIDR_EL1 */
	SPEMU_CONTEXT_EL2 = 1, /* CONTEXTIDR_EL2 */
};

/* Return true if an INDEX of Address or Counter is IMPLEMENTATION DEFINED: 0b0011x and 0b1xxxx. */
static inline bool spemu_index_is_impdef(unsigned index)
{
	return index >= 16 || index == 6 || index == 7;
}

/*
 * Payload of Address packets (D18.2.1). Bits [55:0] are the address. The top byte of a PC or a
 * branch target contains NS, EL and NSE. The top byte of a data virtual address is the tag, and of
 * a physical address it contains NS, CH, NSE and PAT.
 */
#define SPEMU_ADDR_TOP UINT64_C(0xff00000000000000)
#define SPEMU_ADDR_NS (UINT64_C(1) << 63)
#define SPEMU_ADDR_CH (UINT64_C(1) << 62)
#define SPEMU_ADDR_EL_LSB 61
#define SPEMU_ADDR_NSE (UINT64_C(1) << 60)
#define SPEMU_ADDR_PAT (UINT64_C(15) << SPEMU_ADDR_PAT_LSB)
#define SPEMU_ADDR_PAT_LSB 56

/* Return the address bits [55:0] of a payload. */
static inline uint64_t spemu_addr_bits(uint64_t payload)
{
	return payload & ~SPEMU_ADDR_TOP;
}

/* Return the virtual address: ADDR in bits [55:0]. Bits [63:56], which hold tag or EL in the
 * packet, become copies of bit 55. */
static inline uint64_t spemu_addr_va(uint64_t payload)
{
	return payload >> 55 & 1 ? payload | SPEMU_ADDR_TOP : spemu_addr_bits(payload);
}

/* Return NS of an address, 0 or 1. */
static inline unsigned spemu_addr_ns(uint64_t payload)
{
	return (payload & SPEMU_ADDR_NS) != 0;
}

/* Return NSE of an address, 0 or 1. */
static inline unsigned spemu_addr_nse(uint64_t payload)
{
	return (payload & SPEMU_ADDR_NSE) != 0;
}

/* Return EL of a PC or a branch target, 0 to 3. */
static inline unsigned spemu_addr_el(uint64_t payload)
{
	return (unsigned)(payload >> SPEMU_ADDR_EL_LSB) & 3;
}

/* Return CH of a data physical address, 0 or 1. */
static inline unsigned spemu_addr_ch(uint64_t payload)
{
	return (payload & SPEMU_ADDR_CH) != 0;
}

/* Return PAT of a data physical address, 0 to 15. */
static inline unsigned spemu_addr_pat(uint64_t payload)
{
	return (unsigned)((payload & SPEMU_ADDR_PAT) >> SPEMU_ADDR_PAT_LSB);
}

/* Return the tag of a data virtual address, bits [63:56] of its payload. */
static inline unsigned spemu_addr_tag(uint64_t payload)
{
	return (unsigned)(payload >> 56);
}

/* Return NS, EL and NSE at their places in a payload. ns and nse are 0 or 1, and el is 0 to 3. */
static inline uint64_t spemu_addr_context(uint64_t ns, uint64_t nse, uint64_t el)
{
	return (ns ? SPEMU_ADDR_NS : 0) | (nse ? SPEMU_ADDR_NSE : 0) | el << SPEMU_ADDR_EL_LSB;
}

/* The bits of the Events packet (D18.2.6). */
enum spemu_event_bit {
	SPEMU_EV_EXCEPTION = 0,
	SPEMU_EV_RETIRED = 1,
	SPEMU_EV_L1D_ACCESS = 2,
	SPEMU_EV_L1D_REFILL = 3, /* with FEAT_SPEv1p4: refill or miss */
	SPEMU_EV_TLB_ACCESS = 4,
	SPEMU_EV_TLB_WALK = 5,
	SPEMU_EV_NOT_TAKEN = 6,
	SPEMU_EV_MISPREDICTED = 7,
	SPEMU_EV_LLC_ACCESS = 8,
	SPEMU_EV_LLC_MISS = 9,
	SPEMU_EV_REMOTE_ACCESS = 10,
	SPEMU_EV_MISALIGNED = 11,
	SPEMU_EV_TRANSACTIONAL = 16,
	SPEMU_EV_PARTIAL_PREDICATE = 17,
	SPEMU_EV_EMPTY_PREDICATE = 18,
	SPEMU_EV_L2D_ACCESS = 19,
	SPEMU_EV_L2D_MISS = 20,
	SPEMU_EV_CACHE_DATA_MODIFIED = 21,
	SPEMU_EV_RECENTLY_FETCHED = 22,
	SPEMU_EV_DATA_SNOOPED = 23,
	SPEMU_EV_STREAMING_SVE = 24,
	SPEMU_EV_SMCU = 25,
};

/* CLASS of the Operation Type packet (D18.2.7). */
enum spemu_op_class {
	SPEMU_CLASS_OTHER = 0,
	SPEMU_CLASS_LDST = 1,
	SPEMU_CLASS_BRANCH = 2,
	SPEMU_CLASS_RESERVED = 3,
};

/*
 * Kinds of SUBCLASS (D18.2.7), with their fields 0, and masks of the bits that identify a kind. The
 * mask is SPEMU_SUBCLASS_KIND unless another one is listed after the kind.
 */
enum spemu_subclass {
	/* With CLASS Other. */
	SPEMU_SUBCLASS_OTHER = 0x00,
	SPEMU_SUBCLASS_OTHER_MASK = 0xf8,
	SPEMU_SUBCLASS_SVE = 0x08, /* data processing, SVE vector */
	SPEMU_SUBCLASS_SME = 0x88, /* data processing, SME array */
	SPEMU_SUBCLASS_VECTOR_MASK = 0x89,
	/* With CLASS Load, store, or atomic. */
	SPEMU_SUBCLASS_GENERAL = 0x00,     /* general-purpose registers */
	SPEMU_SUBCLASS_SIMDFP = 0x04,      /* SIMD&FP registers */
	SPEMU_SUBCLASS_UNSPECIFIED = 0x10, /* unspecified registers */
	SPEMU_SUBCLASS_TAG = 0x14,         /* Allocation Tags */
	SPEMU_SUBCLASS_MEMCPY = 0x20,      /* Memory Copy */
	SPEMU_SUBCLASS_SYSREG = 0x30,      /* MRS or MSR that HCR_EL2.NV2 turns into a load or
	                                      store */
	SPEMU_SUBCLASS_KIND = 0xfe,
	SPEMU_SUBCLASS_EXTENDED = 0x02, /* atomic, acquire, release, exclusive */
	SPEMU_SUBCLASS_EXTENDED_MASK = 0xe2,
	SPEMU_SUBCLASS_SVE_SME = 0x08, /* SVE or SME registers */
	SPEMU_SUBCLASS_SVE_SME_MASK = 0x0a,
	SPEMU_SUBCLASS_MEMSET = 0x25, /* Memory Set: identified by the whole SUBCLASS, always a
	                                 store */
	SPEMU_SUBCLASS_GCS = 0x40,    /* Guarded Control Stack */
	SPEMU_SUBCLASS_GCS_MASK = 0xfa,
	/* With CLASS Branch or exception return. */
	SPEMU_SUBCLASS_BRANCH = 0x00,
	SPEMU_SUBCLASS_BRANCH_MASK = 0xe0,
};

/* One-bit fields of SUBCLASS. The comments list the kinds that have them. */
enum spemu_subclass_field {
	SPEMU_SUBCLASS_COND = 0x01,       /* other, branch */
	SPEMU_SUBCLASS_FP = 0x02,         /* other, SVE, SME */
	SPEMU_SUBCLASS_ASE = 0x04,        /* other */
	SPEMU_SUBCLASS_PRED = 0x04,       /* SVE; load or store of SVE or SME registers */
	SPEMU_SUBCLASS_LDST = 0x01,       /* any load or store: 1 for a store, 0 for a load */
	SPEMU_SUBCLASS_AT = 0x04,         /* extended */
	SPEMU_SUBCLASS_EXCL = 0x08,       /* extended */
	SPEMU_SUBCLASS_AR = 0x10,         /* extended */
	SPEMU_SUBCLASS_SG = 0x80,         /* load or store of SVE or SME registers */
	SPEMU_SUBCLASS_COMM = 0x04,       /* Guarded Control Stack */
	SPEMU_SUBCLASS_IND = 0x02,        /* branch */
	SPEMU_SUBCLASS_BRANCH_GCS = 0x04, /* branch */
};

/* The values of CR, a field of a branch. */
enum spemu_subclass_cr {
	SPEMU_CR_NOT_RECORDED = 0,
	SPEMU_CR_CALL = 1,    /* branch with link */
	SPEMU_CR_RETURN = 2,  /* procedure return */
	SPEMU_CR_NEITHER = 3, /* neither of them */
};

/* Return CR of the SUBCLASS of a branch: enum spemu_subclass_cr. */
static inline unsigned spemu_subclass_cr(unsigned subclass)
{
	return subclass >> 3 & 3;
}

/* Return CR in its place in SUBCLASS. */
static inline unsigned spemu_subclass_put_cr(unsigned cr)
{
	return cr << 3;
}

/* The field EVL: the vector length is 32 bits << EVL. The largest value means more than 2048
 * bits, with FEAT_SPE_SME. */
enum { SPEMU_EVL_2048_BITS = 6, SPEMU_EVL_MORE = 7 };

/* Return EVL, 0 to 7, of the SUBCLASS of an SVE operation. */
static inline unsigned spemu_subclass_evl(unsigned subclass)
{
	return subclass >> 4 & 7;
}

/* Return EVL in its place in SUBCLASS. */
static inline unsigned spemu_subclass_put_evl(unsigned evl)
{
	return evl << 4;
}

/* Return the vector length in bits for an EVL. */
static inline unsigned spemu_evl_bits(unsigned evl)
{
	return 32u << evl;
}

/* The field ETS, SUBCLASS bits [6:4,2]: the tile size is 128 bits << ETS, up to 262144. The last
 * value means the whole ZA array, and the values between them are reserved. */
enum { SPEMU_ETS_262144_BITS = 11, SPEMU_ETS_WHOLE_ZA = 15 };

/* Return ETS, 0 to 15, of the SUBCLASS of an SME operation. */
static inline unsigned spemu_subclass_ets(unsigned subclass)
{
	return (subclass >> 4 & 7) << 1 | (subclass >> 2 & 1);
}

/* Return ETS in its place in SUBCLASS. */
static inline unsigned spemu_subclass_put_ets(unsigned ets)
{
	return ets >> 1 << 4 | (ets & 1) << 2;
}

/* Return the tile size in bits for an ETS. */
static inline unsigned spemu_ets_bits(unsigned ets)
{
	return 128u << ets;
}

/* The formats of the payload of the Operation Type packet. */
enum spemu_op_format {
	SPEMU_FORMAT_RESERVED = 0,
	SPEMU_FORMAT_OTHER,
	SPEMU_FORMAT_SVE,
	SPEMU_FORMAT_SME,
	SPEMU_FORMAT_GENERAL,
	SPEMU_FORMAT_SIMDFP,
	SPEMU_FORMAT_UNSPECIFIED,
	SPEMU_FORMAT_TAG,
	SPEMU_FORMAT_SYSREG,
	SPEMU_FORMAT_EXTENDED,
	SPEMU_FORMAT_SVE_SME,
	SPEMU_FORMAT_MEMCPY,
	SPEMU_FORMAT_MEMSET,
	SPEMU_FORMAT_GCS,
	SPEMU_FORMAT_BRANCH,
};

/* Return the format of SUBCLASS for CLASS Load, store, or atomic; SPEMU_FORMAT_RESERVED for
 * reserved values. */
static inline enum spemu_op_format spemu_ldst_format(unsigned subclass)
{
	if ((subclass & SPEMU_SUBCLASS_EXTENDED_MASK) == SPEMU_SUBCLASS_EXTENDED)
		return SPEMU_FORMAT_EXTENDED;
	if ((subclass & SPEMU_SUBCLASS_SVE_SME_MASK) == SPEMU_SUBCLASS_SVE_SME)
		return SPEMU_FORMAT_SVE_SME;
	if ((subclass & SPEMU_SUBCLASS_GCS_MASK) == SPEMU_SUBCLASS_GCS)
		return SPEMU_FORMAT_GCS;
	if (subclass == SPEMU_SUBCLASS_MEMSET)
		return SPEMU_FORMAT_MEMSET;
	switch (subclass & SPEMU_SUBCLASS_KIND) {
	case SPEMU_SUBCLASS_GENERAL:
		return SPEMU_FORMAT_GENERAL;
	case SPEMU_SUBCLASS_SIMDFP:
		return SPEMU_FORMAT_SIMDFP;
	case SPEMU_SUBCLASS_UNSPECIFIED:
		return SPEMU_FORMAT_UNSPECIFIED;
	case SPEMU_SUBCLASS_TAG:
		return SPEMU_FORMAT_TAG;
	case SPEMU_SUBCLASS_MEMCPY:
		return SPEMU_FORMAT_MEMCPY;
	case SPEMU_SUBCLASS_SYSREG:
		return SPEMU_FORMAT_SYSREG;
	default:
		return SPEMU_FORMAT_RESERVED;
	}
}

/* Return the format of {CLASS, SUBCLASS}, or SPEMU_FORMAT_RESERVED for reserved values. */
static inline enum spemu_op_format spemu_op_format(unsigned op_class, unsigned subclass)
{
	switch (op_class) {
	case SPEMU_CLASS_OTHER:
		if ((subclass & SPEMU_SUBCLASS_OTHER_MASK) == SPEMU_SUBCLASS_OTHER)
			return SPEMU_FORMAT_OTHER;
		if ((subclass & SPEMU_SUBCLASS_VECTOR_MASK) == SPEMU_SUBCLASS_SVE)
			return SPEMU_FORMAT_SVE;
		return (subclass & SPEMU_SUBCLASS_VECTOR_MASK) == SPEMU_SUBCLASS_SME
		               ? SPEMU_FORMAT_SME
		               : SPEMU_FORMAT_RESERVED;
	case SPEMU_CLASS_LDST:
		return spemu_ldst_format(subclass);
	case SPEMU_CLASS_BRANCH:
		return (subclass & SPEMU_SUBCLASS_BRANCH_MASK) == SPEMU_SUBCLASS_BRANCH
		               ? SPEMU_FORMAT_BRANCH
		               : SPEMU_FORMAT_RESERVED;
	default:
		return SPEMU_FORMAT_RESERVED;
	}
}

SPEMU_END_DECLS
#endif
