/* SPDX-License-Identifier: MIT */
/*
 * Write a sample profile for GCC's -fauto-profile: version 2 of AutoFDO's gcov format, in words of
 * the machine's byte order. It has a header, a table of names, in which index 0 is the empty name,
 * and for each function:
 *
 *   head (8 bytes), then: index of its name, number of places, number of inlined functions (4 bytes
 *   each)
 *   each place: line offset << 16 | discriminator (4), number of calls (4), count (8)
 *       each call: kind (4), index of its name (8), count (8)
 *   each inlined function: line offset << 16 | discriminator (4), then as above without the head
 *
 * Texts have the form that GCC 12 and later read: not padded, with their length in bytes.
 * create_gcov of AutoFDO 0.19 writes the length in words. GCC 12 treats all counts of a function as
 * 0 if its head is 0, so the head of an executed function is at least 1. GCC before 15 ignores
 * discriminators and uses the last place of a line, so the largest count is last.
 */
#include "profiles.h"
#include "sample_order.h"

#include <string.h>

enum {
	MAGIC = 0x67636461,
	VERSION = 2,
	DISCRIMINATOR_MASK = 0xffff,
	INDIRECT_CALL = 7, /* kind of value profile, which GCC ignores */
};
#define TAG_NAMES UINT32_C(0xaa000000)
#define TAG_FUNCTIONS UINT32_C(0xac000000)

static void put_word(struct out *o, uint32_t value)
{
	out_bytes(o, (const char *)&value, sizeof(value));
}

/* Write the low word first. */
static void put_counter(struct out *o, uint64_t value)
{
	put_word(o, (uint32_t)value);
	put_word(o, (uint32_t)(value >> 32));
}

/* Write the number of bytes, including the final 0, and then the bytes. */
static void put_text(struct out *o, const char *text)
{
	put_word(o, (uint32_t)strlen(text) + 1);
	out_bytes(o, text, strlen(text) + 1);
}

/* Return the index of a name in the table. */
static uint32_t name_index(const struct map *names, const char *name)
{
	return (uint32_t)map_find(names, (struct map_key){(uintptr_t)name, 0, 0}) + 1;
}

static void put_place(struct out *o, struct place_key place)
{
	put_word(o, place.offset << 16 | (place.discriminator & DISCRIMINATOR_MASK));
}

static void put_line(struct out *o, const struct sample_order *order, const struct map *names,
                     uint32_t line)
{
	const struct sample_profile *p = &order->profile;
	const uint32_t *calls;
	size_t n = order_calls(order, &calls, line);

	put_place(o, p->lines[line].place);
	put_word(o, (uint32_t)n);
	put_counter(o, p->lines[line].count);
	for (size_t i = 0; i < n; i++) {
		put_word(o, INDIRECT_CALL);
		put_counter(o, name_index(names, p->calls[calls[i]].name));
		put_counter(o, p->calls[calls[i]].count);
	}
}

/* Write a function and the functions that are inlined in it. The recursion is as deep as the
 * debugging information. */
static void put_function(struct out *o, const struct sample_order *order, const struct map *names,
                         uint32_t function)
{
	const struct function_samples *f = &order->profile.functions[function];
	const uint32_t *lines, *inlined;
	size_t line_count = order_lines(order, &lines, function);
	size_t inlined_count = order_functions(order, &inlined, function);

	put_word(o, name_index(names, f->name));
	put_word(o, (uint32_t)line_count);
	put_word(o, (uint32_t)inlined_count);
	for (size_t i = 0; i < line_count; i++)
		put_line(o, order, names, lines[i]);
	for (size_t i = 0; i < inlined_count; i++) {
		put_place(o, order->profile.functions[inlined[i]].place);
		put_function(o, order, names, inlined[i]);
	}
}

/* Begin a section. Its length is 0, because readers ignore it. */
static void put_section(struct out *o, uint32_t tag, size_t count)
{
	put_word(o, tag);
	put_word(o, 0);
	put_word(o, (uint32_t)count);
}

static void put_names(struct out *o, const struct sample_profile *p, struct map *names)
{
	put_section(o, TAG_NAMES, p->name_count + 1);
	put_text(o, "");
	for (size_t i = 0; i < p->name_count; i++) {
		map_add(names, (struct map_key){(uintptr_t)p->names[i], 0, 0});
		put_text(o, p->names[i]);
	}
}

void gcov_write(const struct branches *b, struct out *o)
{
	struct sample_order order;
	struct map names = {0};
	const uint32_t *functions;
	size_t n;

	sample_order_make(&order, b, READ_BY_GCC);
	n = order_functions(&order, &functions, NO_PARENT);
	put_word(o, MAGIC);
	put_word(o, VERSION);
	put_word(o, 0);
	put_names(o, &order.profile, &names);
	put_section(o, TAG_FUNCTIONS, n);
	for (size_t i = 0; i < n; i++) {
		const struct function_samples *f = &order.profile.functions[functions[i]];

		put_counter(o, f->head ? f->head : f->total != 0);
		put_function(o, &order, &names, functions[i]);
	}
	map_free(&names);
	sample_order_free(&order);
}
