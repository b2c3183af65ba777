/* SPDX-License-Identifier: MIT */
/*
 * Write a sample profile in Clang's text format: "FUNCTION:TOTAL:HEAD", then
 * "OFFSET.DISCRIMINATOR: COUNT [CALLEE:COUNT]..." for lines, then "OFFSET.DISCRIMINATOR:
 * FUNCTION:TOTAL" for functions that are inlined there. Each level is indented by one more blank.
 */
#include "profiles.h"
#include "sample_order.h"

static void write_place(struct out *o, unsigned depth, struct place_key place)
{
	out_fmt(o, "%*s%u", (int)depth, "", place.offset);
	if (place.discriminator)
		out_fmt(o, ".%u", place.discriminator);
	out_text(o, ": ");
}

static void write_line(struct out *o, const struct sample_order *order, uint32_t line,
                       unsigned depth)
{
	const struct sample_profile *p = &order->profile;
	const uint32_t *calls;
	size_t n = order_calls(order, &calls, line);

	write_place(o, depth, p->lines[line].place);
	out_dec(o, p->lines[line].count);
	for (size_t i = 0; i < n; i++) {
		out_fmt(o, " %s:", p->calls[calls[i]].name);
		out_dec(o, p->calls[calls[i]].count);
	}
	out_text(o, "\n");
}

/* Write a function, its lines at this depth, and the functions that are inlined in it. The
 * recursion is as deep as the debugging information. */
static void write_function(struct out *o, const struct sample_order *order, uint32_t function,
                           unsigned depth)
{
	const struct sample_profile *p = &order->profile;
	const struct function_samples *f = &p->functions[function];
	const uint32_t *lines, *inlined;
	size_t n = order_lines(order, &lines, function);

	out_text(o, f->name);
	out_text(o, ":");
	out_dec(o, f->total);
	if (f->parent == NO_PARENT) {
		out_text(o, ":");
		out_dec(o, f->head);
	}
	out_text(o, "\n");
	for (size_t i = 0; i < n; i++)
		write_line(o, order, lines[i], depth);
	n = order_functions(order, &inlined, function);
	for (size_t i = 0; i < n; i++) {
		write_place(o, depth, p->functions[inlined[i]].place);
		write_function(o, order, inlined[i], depth + 1);
	}
}

void autofdo_write(const struct branches *b, struct out *o)
{
	struct sample_order order;
	const uint32_t *functions;
	size_t n;

	sample_order_make(&order, b, READ_BY_LLVM);
	n = order_functions(&order, &functions, NO_PARENT);
	for (size_t i = 0; i < n; i++)
		write_function(o, &order, functions[i], 1);
	sample_order_free(&order);
}
