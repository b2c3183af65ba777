/* SPDX-License-Identifier: MIT */
/* The numbers of a profile by name: the sizes, latencies and modes of every structure. */
#include <stddef.h>
#include <string.h>
#include <spemu/status.h>
#include "uarch.h"
#include "uarch_object.h"

/* The type of an option's value. */
enum unit {
	NUMBER,  /* the number itself */
	LINES,   /* a size in bytes; stored as a number of lines of the current line size */
	POWER,   /* a power of two; stored as its logarithm */
	L1_DTLB, /* the number of entries, which is also stored as the number of ways, because this
	            TLB is fully associative */
	HUGE,    /* one of huge_words, or its number */
};

/* Names in the order of enum uarch_huge. */
static const char *const huge_words[] = {"never", "madvise", "always"};
#define HUGE_COUNT (sizeof(huge_words) / sizeof(huge_words[0]))

static const struct option {
	const char *name;
	uint8_t unit;
	uint8_t size; /* size of the member in bytes: 1, 2 or 4 */
	size_t offset;
} options[] = {
#define AT(member) \
	sizeof(((struct uarch_profile *)0)->member), offsetof(struct uarch_profile, member)
        {"l1d_size", LINES, AT(l1d.entries)},
        {"l1d_ways", NUMBER, AT(l1d.ways)},
        {"l1d_cycles", NUMBER, AT(l1d.cycles)},
        {"l2_size", LINES, AT(l2.entries)},
        {"l2_ways", NUMBER, AT(l2.ways)},
        {"l2_cycles", NUMBER, AT(l2.cycles)},
        {"llc_size", LINES, AT(llc.entries)},
        {"llc_ways", NUMBER, AT(llc.ways)},
        {"llc_cycles", NUMBER, AT(llc.cycles)},
        {"dtlb_entries", L1_DTLB, AT(dtlb.entries)},
        {"dtlb_cycles", NUMBER, AT(dtlb.cycles)},
        {"l2tlb_entries", NUMBER, AT(l2tlb.entries)},
        {"l2tlb_ways", NUMBER, AT(l2tlb.ways)},
        {"l2tlb_cycles", NUMBER, AT(l2tlb.cycles)},
        {"walk_cycles", NUMBER, AT(walk_cycles)},
        {"store_entries", NUMBER, AT(store_entries)},
        {"store_cycles", NUMBER, AT(store_cycles)},
        {"return_entries", NUMBER, AT(ras_entries)},
        {"bimodal_entries", POWER, AT(bimodal_shift)},
        {"gshare_entries", POWER, AT(gshare_shift)},
        {"history_bits", NUMBER, AT(history_bits)},
        {"indirect_entries", POWER, AT(indirect_shift)},
        {"line_size", POWER, AT(line_shift)},
        {"page_size", POWER, AT(page_shift)},
        {"peer_cycles", NUMBER, AT(peer_cycles)},
        {"dram_cycles", NUMBER, AT(dram_cycles)},
        {"core_mhz", NUMBER, AT(core_mhz)},
        {"sockets", NUMBER, AT(sockets)},
        {"socket_cores", NUMBER, AT(socket_cores)},
        {"socket_cycles", NUMBER, AT(socket_cycles)},
        {"stride_entries", NUMBER, AT(stride_entries)},
        {"stream_entries", NUMBER, AT(stream_entries)},
        {"prefetch_distance", NUMBER, AT(prefetch_distance)},
        {"prefetch_pages", NUMBER, AT(prefetch_pages)},
        {"l2_prefetch_after", NUMBER, AT(l2_prefetch_after)},
        {"l1_prefetch_after", NUMBER, AT(l1_prefetch_after)},
        {"l1_prefetch_distance", NUMBER, AT(l1_prefetch_distance)},
        {"fill_entries", NUMBER, AT(fill_entries)},
        {"window_accesses", NUMBER, AT(window_accesses)},
        {"dispatch_width", NUMBER, AT(dispatch_width)},
        {"l2_gap", NUMBER, AT(l2_gap)},
        {"llc_gap", NUMBER, AT(llc_gap)},
        {"dram_gap", NUMBER, AT(dram_gap)},
        {"forward_cycles", NUMBER, AT(forward_cycles)},
        {"retire_cycles", NUMBER, AT(retire_cycles)},
        {"huge_pages", HUGE, AT(huge_pages)},
#undef AT
};
#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

const char *uarch_option_at(size_t index)
{
	return index < OPTION_COUNT ? options[index].name : NULL;
}

static int put(struct uarch_profile *profile, const struct option *option, uint64_t value)
{
	uint32_t word;
	uint16_t half;
	uint8_t byte;

	if (option->unit == POWER) {
		if (uarch_log2(value) < 0)
			return SPEMU_ERR_INVALID;
		value = (uint64_t)uarch_log2(value);
	} else if (option->unit == LINES) {
		value >>= profile->line_shift;
	}
	if (value >> 8 * option->size || (option->unit == HUGE && value >= HUGE_COUNT))
		return SPEMU_ERR_INVALID;
	word = (uint32_t)value;
	half = (uint16_t)value;
	byte = (uint8_t)value;
	memcpy((char *)profile + option->offset,
	       option->size == 1   ? (void *)&byte
	       : option->size == 2 ? (void *)&half
	                           : (void *)&word,
	       option->size);
	if (option->unit == L1_DTLB)
		profile->dtlb.ways = word;
	return SPEMU_OK;
}

static const struct option *find(const char *name, size_t length)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strncmp(options[i].name, name, length) == 0 && !options[i].name[length])
			return &options[i];
	return NULL;
}

int uarch_set(struct uarch_profile *profile, const char *name, uint64_t value)
{
	const struct option *option = profile && name ? find(name, strlen(name)) : NULL;

	return option ? put(profile, option, value) : SPEMU_ERR_INVALID;
}

/* Parse a decimal number, optionally followed by K or M for 1024 or 1048576, and move *text past
 * it. */
static int parse_value(uint64_t *value, const char **text)
{
	const char *p = *text;

	*value = 0;
	if (*p < '0' || *p > '9')
		return SPEMU_ERR_INVALID;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (*value > UINT32_MAX)
			return SPEMU_ERR_INVALID;
		*value = *value * 10 + (uint64_t)(*p - '0');
	}
	if (*p == 'K' || *p == 'k')
		*value <<= 10;
	else if (*p == 'M')
		*value <<= 20;
	if (*p == 'K' || *p == 'k' || *p == 'M')
		p++;
	*text = p;
	return *p == 0 || *p == ',' ? SPEMU_OK : SPEMU_ERR_INVALID;
}

/* Parse a word of huge_words, or a number. */
static int parse_huge(uint64_t *value, const char **text)
{
	size_t length = strcspn(*text, ",");

	for (*value = 0; *value < HUGE_COUNT; ++*value) {
		const char *word = huge_words[*value];

		if (strlen(word) == length && strncmp(word, *text, length) == 0) {
			*text += length;
			return SPEMU_OK;
		}
	}
	return parse_value(value, text);
}

int uarch_parse(struct uarch_profile *profile, size_t *error_offset, const char *text)
{
	const char *p = text;

	if (error_offset)
		*error_offset = 0;
	if (!profile || !text)
		return SPEMU_ERR_INVALID;
	while (*p) {
		size_t length = strcspn(p, "=,");
		const struct option *option = find(p, length);
		const char *at = p;
		uint64_t value;
		int status = option && p[length] == '=' ? SPEMU_OK : SPEMU_ERR_INVALID;

		if (!status) {
			p += length + 1;
			at = p;
			status = option->unit == HUGE ? parse_huge(&value, &p)
			                              : parse_value(&value, &p);
		}
		if (!status)
			status = put(profile, option, value);
		if (status) {
			if (error_offset)
				*error_offset = (size_t)(at - text);
			return status;
		}
		p += *p == ',';
	}
	return SPEMU_OK;
}
