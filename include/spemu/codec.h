/* SPDX-License-Identifier: MIT */
/*
 * The decoder: packets and records from bytes. Library: spemu-trace.
 *
 * Arm ARM: DDI 0487 M.a, D18. A record is a sequence of packets that ends with an End or a
 * Timestamp packet. Only padding is between records (D18.1.3). Unknown packets are skipped by the
 * size in their header. All values are little-endian in memory, and the functions work on any host.
 *
 * No function allocates, keeps state outside the caller's structs, or depends on the SPU. Every
 * function may be called from any thread on distinct objects.
 */
#ifndef SPEMU_CODEC_H
#define SPEMU_CODEC_H

#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/packet.h>
#include <spemu/record.h>
#include <spemu/status.h>

SPEMU_BEGIN_DECLS

/* The type of a packet. */
enum spemu_packet_type {
	SPEMU_PKT_PADDING = 0,
	SPEMU_PKT_END,
	SPEMU_PKT_TIMESTAMP,
	SPEMU_PKT_EVENTS,
	SPEMU_PKT_DATA_SOURCE,
	SPEMU_PKT_CONTEXT,
	SPEMU_PKT_OP_TYPE,
	SPEMU_PKT_ADDRESS,
	SPEMU_PKT_COUNTER,
	SPEMU_PKT_UNKNOWN, /* a header that Tables D18-1 and D18-2 do not define */
};

/*
 * Names of events: those of perf ("l1d-access", "mispred"), and synonyms that options and scenarios
 * accept ("mispredicted"). spemu_event_bits[i] is the bit of spemu_event_names[i]. The last name is
 * NULL.
 */
extern const char *const spemu_event_names[];
extern const uint8_t spemu_event_bits[];

/* Return the name or the meaning of the event with this bit number, or NULL if the bit has no name.
 * The text is constant. */
const char *spemu_event_name(unsigned bit);
const char *spemu_event_meaning(unsigned bit);

/* A packet. */
struct spemu_packet {
	uint8_t type;         /* enum spemu_packet_type */
	uint8_t index;        /* INDEX of Address and Counter (0..31) and Context (0..3), CLASS
	                         of Operation Type (0..3), else 0; reserved values included */
	uint8_t header_size;  /* bytes: 1, or 2 for the extended format */
	uint8_t payload_size; /* bytes: 0, 1, 2, 4 or 8 */
	uint8_t header[2];    /* header as in memory; header[1] only if header_size is 2 */
	uint64_t payload;     /* raw payload, zero-extended */
};

/*
 * Decode the packet at buf. Return its size in bytes (1..10). Return SPEMU_ERR_TRUNCATED if the
 * packet has more than size bytes or size is 0, and SPEMU_ERR_INVALID for a NULL pointer. Types
 * follow Tables D18-1 and D18-2. A header that these tables do not define is an SPEMU_PKT_UNKNOWN
 * packet with the payload size of D18.1.1. If that header has 16 bits, its second byte determines
 * the size as an 8-bit header would.
 */
int spemu_packet_decode(struct spemu_packet *pkt, const uint8_t *buf, size_t size);

/*
 * Encode pkt from type, index, payload_size and payload. payload_size is read for Events, Data
 * Source and UNKNOWN only, because the other types have one size. For UNKNOWN, header and
 * header_size are used as they are. Address and Counter with an index above 7 use the extended
 * format, and so does any index if header_size is 2. Reserved values that fit their field (Context
 * INDEX 2, CLASS 3, a 4-byte Data Source, ...) are encoded, so that decoders can be tested with
 * them. A packet from spemu_packet_decode() is encoded to the same bytes.
 *
 * Return the size in bytes; SPEMU_ERR_NOSPACE, with nothing written, if size is too small;
 * SPEMU_ERR_INVALID for NULL, for an index, size or payload that the type cannot have, and for an
 * UNKNOWN packet with a defined header.
 */
int spemu_packet_encode(uint8_t *buf, size_t size, const struct spemu_packet *pkt);

/*
 * Describe the packet in the words of `perf report -D` of Linux 6.1 ("PC 0xaaaa el0 ns=1", "LAT 12
 * TOT", ...). If the words of 6.1 are missing or incomplete, they are those of later releases, or
 * else of the manual. Realm addresses end in " nse=1", and events without a name follow as "
 * IMPDEF:12,13". Reserved values are "RESERVED", and IMPLEMENTATION DEFINED ones "IMPDEF" with
 * their number. An UNKNOWN packet shows its header and the value of its payload bytes.
 *
 * Write at most size bytes, including the terminating NUL (text may be NULL if size is 0). Return
 * the length of the whole text, like snprintf(), or SPEMU_ERR_INVALID if pkt is NULL.
 */
int spemu_packet_describe(char *text, size_t size, const struct spemu_packet *pkt);

/* A reader of records in memory. Initialize it with spemu_decoder_init(). Copies are
 * independent. */
struct spemu_decoder {
	const uint8_t *begin, *end, *pos; /* the bytes to read, and the current position */
	uint64_t base;                    /* stream offset of begin, in bytes */
	uint64_t skipped;     /* bytes so far that belong to no record, without the padding
	                         between records */
	uint64_t skip_offset; /* stream offset of the first byte of the last skip */
	uint64_t skip_size;   /* length of the last skip in bytes */

	uint64_t own[8]; /* private to the decoder */
};
/* Initialize a decoder of size bytes at buf, which start at stream offset base. buf stays the
 * caller's and must outlive the decoder. It may be NULL only if size is 0. */
void spemu_decoder_init(struct spemu_decoder *dec, const uint8_t *buf, size_t size, uint64_t base);

/*
 * Read the next record. Return one of:
 * - SPEMU_OK: rec is the record, and pos is just past its End or Timestamp packet.
 * - SPEMU_ERR_END: only padding was left.
 * - SPEMU_ERR_TRUNCATED: the buffer ends inside a record. pos is at its first byte, so decoding can
 *   continue there in a longer buffer.
 * - SPEMU_ERR_CORRUPT: the bytes at pos are not a record. skip_offset and skip_size describe the
 *   skipped bytes; spemu_packet_decode() reads the whole packets among them. pos is where the next
 *   record begins or may begin: call again.
 *
 * rec is all 0 unless SPEMU_OK is returned.
 *
 * The format has no synchronization mark, and unknown packets are legal (D18.1.3). So only a
 * comparison with other records shows damage:
 *
 * 1. A record has a fault if it repeats a packet, contains an unknown packet, or does not have a
 *    packet that all of at least four records around it have. Only packets that the architecture
 *    gives every record count: PC, context, events, type, total latency and timestamp.
 * 2. A record is skipped if it is longer than SPEMU_RECORD_MAX, or has two faults. A record with
 *    one fault is skipped if another record without a fault begins inside it, and the order of
 *    packets in that record does not contradict the others. If no such record is found, the faulty
 *    record is returned with SPEMU_RECORD_SUSPECT. The same holds for a record whose only
 *    peculiarity is another order of packets.
 * 3. A buffer may begin inside a record. So at the beginning of the stream and after damage, a
 *    record is also skipped if it does not have the PC that at least four others have, or one of
 *    the packets above that at least sixteen others have. After a record with two faults, only the
 *    PC counts.
 * 4. A skip may begin before the end of the last record, returned or skipped. Then that record was
 *    damaged too, and the new one begins inside it.
 * 5. A record without damaged bytes is lost only if damaged bytes before it and a part of it form
 *    records without any fault. That happens at one in about two thousand cuts through a stream,
 *    and less often if bytes change in place (tests/unit/test_codec_resync.c).
 */
int spemu_decoder_next(struct spemu_decoder *dec, struct spemu_record *rec);

/*
 * Read the next packet. Each padding byte is a packet. Return the size of the packet in bytes
 * (1..10), SPEMU_ERR_END at the end of the buffer, or SPEMU_ERR_TRUNCATED if the buffer ends inside
 * the packet. Calls of this function and of spemu_decoder_next() may alternate.
 */
int spemu_decoder_next_packet(struct spemu_decoder *dec, struct spemu_packet *pkt);

/*
 * The shapes of earlier records: the places of packets and padding in the last ten different
 * records of at most 80 bytes. Set it to zero first. It may serve decoders of several streams, one
 * after another. It makes reading faster and does not change the result.
 */
struct spemu_shapes {
	uint64_t own[560]; /* private state of the decoder */
};

/*
 * Read the next records into an array of capacity elements. *count is the number of records. Return
 * SPEMU_OK if the array is full. Otherwise return the status of spemu_decoder_next() after the last
 * of these records; *count may then be 0. After SPEMU_ERR_CORRUPT, call again to continue. Elements
 * from *count on are undefined. Return SPEMU_ERR_INVALID for a NULL pointer or a capacity of 0.
 */
int spemu_decoder_records(struct spemu_decoder *dec, size_t *count, struct spemu_record *records,
                          size_t capacity, struct spemu_shapes *shapes);

/*
 * Records as columns, for analysis: element i of each array belongs to record i. The arrays are the
 * caller's, with capacity elements each. An array that is not needed is NULL. A member that a
 * record does not have is 0.
 */
struct spemu_columns {
	size_t capacity;   /* elements of each array */
	uint64_t *offset;  /* this column and the following ones: the members of struct
	                      spemu_record with these names */
	uint32_t *present; /* enum spemu_record_present */
	uint64_t *addr[8];
	uint64_t *events;
	uint64_t *timestamp;
	uint32_t *context[2];
	uint16_t *counter[8];
	uint16_t *data_source;
	uint8_t *op_class;
	uint8_t *op_subclass;
};

/*
 * Read the next records into columns, from element 0 on. *count is the number of records. Return
 * SPEMU_OK if the columns are full. Otherwise return the result of spemu_decoder_next() after the
 * last record; *count may then be 0. After SPEMU_ERR_CORRUPT, call again. Return SPEMU_ERR_INVALID
 * for NULL or a capacity of 0.
 */
int spemu_decoder_batch(struct spemu_decoder *dec, size_t *count,
                        const struct spemu_columns *columns);

SPEMU_END_DECLS
#endif
