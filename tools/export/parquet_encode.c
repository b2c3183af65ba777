/* SPDX-License-Identifier: MIT */
/* The encodings of pages (parquet_encode.h). */
#include "parquet_encode.h"

enum {
	GROUP = 8,      /* number of packed values in a group of the hybrid encoding */
	MINIBLOCK = 32, /* number of differences with the same width */
	MINIBLOCKS = 4, /* number of miniblocks in a block */
	BLOCK = MINIBLOCK * MINIBLOCKS,
};

/* Packed bits that do not fill a byte yet, lowest first. */
struct packer {
	uint8_t *at;
	uint64_t waiting;
	unsigned bits; /* number of bits, less than 8 */
};

/* Pack the lowest `width` bits, 0 to 32, of a value. */
static void pack_bits(struct packer *p, uint64_t value, unsigned width)
{
	p->waiting |= value << p->bits;
	for (p->bits += width; p->bits >= 8; p->bits -= 8, p->waiting >>= 8)
		*p->at++ = (uint8_t)p->waiting;
}

/* Pack values of `width` bits, 0 to 64. `count` is a multiple of 8. */
static void pack(struct bytes *to, const uint64_t *values, size_t count, unsigned width)
{
	struct packer p = {.at = bytes_room(to, count / 8 * width)};

	to->size += count / 8 * width;
	for (size_t i = 0; i < count; i++) {
		pack_bits(&p, values[i] & UINT32_MAX, width < 32 ? width : 32);
		pack_bits(&p, values[i] >> 32, width < 32 ? 0 : width - 32);
	}
}

static size_t run_length(const uint32_t *values, size_t count)
{
	size_t n = 1;

	while (n < count && values[n] == values[0])
		n++;
	return n;
}

/* Write the groups before the next run of at least GROUP values. Return the number of values. */
static size_t put_groups(struct bytes *to, const uint32_t *values, size_t count, unsigned width)
{
	uint64_t group[GROUP];
	size_t taken = 0, groups;

	do {
		taken += GROUP;
	} while (taken < count &&
	         run_length(values + taken, count - taken < GROUP ? count - taken : GROUP) < GROUP);
	groups = taken / GROUP;
	bytes_varint(to, groups << 1 | 1);
	for (size_t i = 0; i < groups; i++) {
		for (size_t j = 0; j < GROUP; j++)
			group[j] = i * GROUP + j < count ? values[i * GROUP + j] : 0;
		pack(to, group, GROUP, width);
	}
	return taken < count ? taken : count;
}

void parquet_hybrid(struct bytes *to, const uint32_t *values, size_t count, unsigned width)
{
	for (size_t i = 0; i < count;) {
		size_t n = run_length(values + i, count - i);

		if (n < GROUP) {
			i += put_groups(to, values + i, count - i, width);
			continue;
		}
		bytes_varint(to, (uint64_t)n << 1);
		bytes_little_endian(to, values[i], (width + 7) / 8);
		i += n;
	}
}

/* Write up to a block of differences. The unused rest of the last miniblock repeats the smallest
 * difference. */
static void put_block(struct bytes *to, const uint64_t *differences, size_t count)
{
	uint64_t relative[BLOCK] = {0};
	int64_t least = (int64_t)differences[0];
	uint8_t *widths;
	size_t where;

	for (size_t i = 1; i < count; i++)
		least = (int64_t)differences[i] < least ? (int64_t)differences[i] : least;
	for (size_t i = 0; i < count; i++)
		relative[i] = differences[i] - (uint64_t)least;
	bytes_zigzag(to, least);
	where = to->size;
	bytes_little_endian(to, 0, MINIBLOCKS);
	for (size_t m = 0; m < MINIBLOCKS && m * MINIBLOCK < count; m++) {
		uint64_t all = 0;

		for (size_t i = 0; i < MINIBLOCK; i++)
			all |= relative[m * MINIBLOCK + i];
		pack(to, relative + m * MINIBLOCK, MINIBLOCK, bits_of(all));
		widths = to->data + where;
		widths[m] = (uint8_t)bits_of(all);
	}
}

void parquet_delta(struct bytes *to, const uint64_t *values, size_t count)
{
	uint64_t differences[BLOCK];

	bytes_varint(to, BLOCK);
	bytes_varint(to, MINIBLOCKS);
	bytes_varint(to, count);
	bytes_zigzag(to, count ? (int64_t)values[0] : 0);
	for (size_t i = 1; i < count; i += BLOCK) {
		size_t n = count - i < BLOCK ? count - i : BLOCK;

		for (size_t j = 0; j < n; j++)
			differences[j] = values[i + j] - values[i + j - 1];
		put_block(to, differences, n);
	}
}
