/* SPDX-License-Identifier: MIT */
/*
 * A minimal parser of flattened device trees. It never reads outside the blob, even if the blob
 * claims more. Malformed data end the walk, and fields that were not found by then stay unset.
 *
 * Source: Devicetree Specification 0.4, 2.3 (reg, ranges), 3.8 (chosen), 5 (the format); the
 * bindings of arm,gic-v3, arm,psci, arm,pl011, ns16550a and arm,statistical-profiling-extension-v1.
 */
#include "image.h"

#define DEPTH 8
enum { BEGIN_NODE = 1, END_NODE, PROP, NOP, END };

struct level {
	char path[96];
	u32 address_cells, size_cells; /* cells of a child's address and size */
	const u8 *ranges;
	u32 ranges_bytes;
	bool has_ranges;
};

struct properties { /* properties of the node that is being read */
	const u8 *reg, *compatible, *interrupts, *method, *model;
	u32 reg_bytes, compatible_bytes, interrupts_bytes, method_bytes, model_bytes;
	u32 shift;
	bool disabled, memory;
};

struct tree {
	const u8 *blob, *structure, *end, *strings;
	u32 strings_bytes;
	struct level levels[DEPTH];
	struct properties node;
	char console[96]; /* path or alias in stdout-path */
	char alias[96];   /* path of this alias */
	bool first;       /* true: read chosen and aliases; false: read devices */
};

static u32 word(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static bool equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* Copy the text of a property, to its end or, if `to_colon` is set, to a ':'. */
static void copy_text(char *to, unsigned size, const u8 *from, u32 bytes, bool to_colon)
{
	unsigned i = 0;

	while (i < bytes && i + 1 < size && from[i] && !(to_colon && from[i] == ':')) {
		to[i] = (char)from[i];
		i++;
	}
	to[i] = 0;
}

static bool compatible_with(const struct properties *node, const char *name)
{
	u32 at = 0;

	while (at < node->compatible_bytes) {
		char text[64];
		u32 end = at;

		while (end < node->compatible_bytes && node->compatible[end])
			end++;
		copy_text(text, sizeof(text), node->compatible + at, end - at, false);
		if (equal(text, name))
			return true;
		at = end + 1;
	}
	return false;
}

static u64 cells(const u8 *from, u32 count)
{
	u64 value = 0;

	while (count--) {
		value = value << 32 | word(from);
		from += 4;
	}
	return value;
}

/* Translate an address of a bus to the CPU's address. Return false if no range of a bus has it. */
static bool translated(const struct tree *tree, unsigned depth, u64 *address)
{
	for (unsigned d = depth; d > 0;
	     d--) { /* levels[d] is a bus whose parent is levels[d - 1] */
		const struct level *bus = &tree->levels[d];
		u32 row = 4 * (bus->address_cells + tree->levels[d - 1].address_cells +
		               bus->size_cells);
		bool found = !bus->ranges_bytes;

		if (!bus->has_ranges)
			return false;
		for (u32 at = 0; !found && row && at + row <= bus->ranges_bytes; at += row) {
			const u8 *p = bus->ranges + at;
			u64 child = cells(p, bus->address_cells);
			u64 parent = cells(p + 4 * bus->address_cells,
			                   tree->levels[d - 1].address_cells);
			u64 size = cells(p + row - 4 * bus->size_cells, bus->size_cells);

			if (*address < child || *address - child >= size)
				continue;
			*address = *address - child + parent;
			found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

/* Read the n-th region of reg. `depth` is the depth of the parent. Return false if the region does
 * not exist. */
static bool region(const struct tree *tree, unsigned depth, unsigned n, u64 *base, u64 *bytes)
{
	const struct level *parent = &tree->levels[depth];
	u32 row = 4 * (parent->address_cells + parent->size_cells);

	if (!row || (u64)(n + 1) * row > tree->node.reg_bytes)
		return false;
	*base = cells(tree->node.reg + n * row, parent->address_cells);
	*bytes = cells(tree->node.reg + n * row + 4 * parent->address_cells, parent->size_cells);
	return translated(tree, depth, base);
}

static void take_uart(struct tree *tree, unsigned depth)
{
	const struct properties *node = &tree->node;
	bool pl011 = compatible_with(node, "arm,pl011");
	bool is_16550 = compatible_with(node, "ns16550a") || compatible_with(node, "ns16550") ||
	                compatible_with(node, "snps,dw-apb-uart");
	bool console = equal(tree->levels[depth + 1].path, tree->console) ||
	               equal(tree->levels[depth + 1].path, tree->alias);
	u64 base, bytes;

	if ((!pl011 && !is_16550) || node->disabled || (platform.uart && !console) ||
	    !region(tree, depth, 0, &base, &bytes))
		return;
	platform.uart = pl011 ? UART_PL011 : UART_16550;
	platform.uart_base = base;
	platform.uart_shift = node->shift;
}

static void take_gic(struct tree *tree, unsigned depth)
{
	u64 base, bytes;

	if (!compatible_with(&tree->node, "arm,gic-v3") || platform.gicd)
		return;
	if (!region(tree, depth, 0, &base, &bytes) ||
	    !region(tree, depth, 1, &platform.gicr, &platform.gicr_bytes))
		return;
	platform.gicd = base;
}

static void take_psci(const struct properties *node)
{
	char method[8];

	if (!compatible_with(node, "arm,psci-1.0") && !compatible_with(node, "arm,psci-0.2"))
		return;
	copy_text(method, sizeof(method), node->method, node->method_bytes, false);
	if (equal(method, "hvc"))
		platform.psci = BY_HVC;
	if (equal(method, "smc"))
		platform.psci = BY_SMC;
}

/* Read the interrupt of SPE. It is a PPI, which is encoded as type 1 and its number minus 16. */
static void take_spe(const struct properties *node)
{
	if (!compatible_with(node, "arm,statistical-profiling-extension-v1") || node->disabled ||
	    node->interrupts_bytes < 12 || word(node->interrupts) != 1 ||
	    word(node->interrupts + 4) > 15)
		return;
	platform.spe_intid = 16 + word(node->interrupts + 4);
}

/* Handle a node when all its properties are known. `depth` is the depth of its parent. */
static void take_node(struct tree *tree, unsigned depth)
{
	u64 base, bytes;

	if (tree->first)
		return;
	take_uart(tree, depth);
	take_gic(tree, depth);
	take_psci(&tree->node);
	take_spe(&tree->node);
	for (unsigned n = 0; tree->node.memory && region(tree, depth, n, &base, &bytes); n++)
		platform_memory(base, bytes);
}

static void take_first(struct tree *tree, const char *path, const char *name, const u8 *p,
                       u32 bytes)
{
	if (equal(path, "/chosen") && equal(name, "stdout-path"))
		copy_text(tree->console, sizeof(tree->console), p, bytes, true);
	if (equal(path, "/chosen") && equal(name, "bootargs"))
		copy_text(platform.options, sizeof(platform.options), p, bytes, false);
	if (equal(path, "") && equal(name, "model"))
		copy_text(platform.description, sizeof(platform.description), p, bytes, false);
	if (equal(path, "/aliases") && equal(name, tree->console))
		copy_text(tree->alias, sizeof(tree->alias), p, bytes, true);
}

static void take_property(struct tree *tree, unsigned depth, const char *name, const u8 *p,
                          u32 bytes)
{
	struct properties *node = &tree->node;
	struct level *level = &tree->levels[depth];

	if (tree->first)
		take_first(tree, level->path, name, p, bytes);
	if (equal(name, "#address-cells") && bytes == 4 && word(p) <= 3)
		level->address_cells = word(p);
	else if (equal(name, "#size-cells") && bytes == 4 && word(p) <= 2)
		level->size_cells = word(p);
	else if (equal(name, "ranges"))
		level->ranges = p, level->ranges_bytes = bytes, level->has_ranges = true;
	else if (equal(name, "reg"))
		node->reg = p, node->reg_bytes = bytes;
	else if (equal(name, "compatible"))
		node->compatible = p, node->compatible_bytes = bytes;
	else if (equal(name, "interrupts"))
		node->interrupts = p, node->interrupts_bytes = bytes;
	else if (equal(name, "method"))
		node->method = p, node->method_bytes = bytes;
	else if (equal(name, "reg-shift") && bytes == 4 && word(p) <= 4)
		node->shift = word(p);
	else if (equal(name, "device_type"))
		node->memory = bytes == 7 && p[0] == 'm' && p[1] == 'e' && p[2] == 'm';
	else if (equal(name, "status"))
		node->disabled = !(bytes >= 2 && p[0] == 'o' && p[1] == 'k');
}

/* Begin a node below levels[depth - 1]. The root is levels[0], with an empty path. */
static void begin_node(struct tree *tree, unsigned depth, const u8 *name, u32 bytes)
{
	struct level *level = &tree->levels[depth];
	unsigned at = 0;

	memset(level, 0, sizeof(*level));
	memset(&tree->node, 0, sizeof(tree->node));
	level->address_cells = 2;
	level->size_cells = 1;
	if (!depth)
		return;
	while (tree->levels[depth - 1].path[at]) {
		level->path[at] = tree->levels[depth - 1].path[at];
		at++;
	}
	if (at + bytes + 2 > sizeof(level->path))
		return;
	level->path[at++] = '/';
	copy_text(level->path + at, (unsigned)sizeof(level->path) - at, name, bytes, false);
}

static bool read_property(struct tree *tree, const u8 **at, unsigned depth)
{
	const u8 *p = *at;
	char name[32];
	u32 bytes, offset;

	if (tree->end - p < 8)
		return false;
	bytes = word(p);
	offset = word(p + 4);
	p += 8;
	if ((u64)(tree->end - p) < bytes || offset >= tree->strings_bytes)
		return false;
	copy_text(name, sizeof(name), tree->strings + offset, tree->strings_bytes - offset, false);
	if (depth < DEPTH)
		take_property(tree, depth, name, p, bytes);
	*at = p + ((bytes + 3) & ~3U);
	return *at <= tree->end;
}

static bool read_node(struct tree *tree, const u8 **at, unsigned depth)
{
	const u8 *name = *at;
	u32 bytes = 0;

	while (name + bytes < tree->end && name[bytes])
		bytes++;
	*at = name + ((bytes + 4) & ~3U);
	if (*at > tree->end)
		return false;
	if (depth < DEPTH)
		begin_node(tree, depth, name, bytes);
	return true;
}

static void walk(struct tree *tree)
{
	const u8 *p = tree->structure;
	unsigned depth = 0;   /* number of open nodes */
	bool reading = false; /* reading properties of the innermost node */

	while (tree->end - p >= 4) {
		u32 token = word(p);

		p += 4;
		if (token == NOP)
			continue;
		if (token != PROP && reading && depth >= 2 && depth <= DEPTH)
			take_node(tree, depth - 2);
		if (token == BEGIN_NODE) {
			if (!read_node(tree, &p, depth++))
				return;
		} else if (token == PROP) {
			if (!depth || !read_property(tree, &p, depth - 1))
				return;
		} else if (token == END_NODE && depth) {
			depth--;
		} else {
			return;
		}
		reading = token == BEGIN_NODE || (token == PROP && reading);
	}
}

void fdt_parse(const u8 *dtb)
{
	static struct tree tree;
	u32 total, structure, strings;

	if (!dtb || (u64)dtb & 7 || word(dtb) != 0xd00dfeed || word(dtb + 20) < 16)
		return;
	total = word(dtb + 4);
	structure = word(dtb + 8);
	strings = word(dtb + 12);
	if (structure >= total || strings >= total)
		return;
	memset(&tree, 0, sizeof(tree));
	tree.blob = dtb;
	tree.structure = dtb + structure;
	tree.end = dtb + total;
	tree.strings = dtb + strings;
	tree.strings_bytes = total - strings;
	tree.first = true;
	walk(&tree);
	/* Walk twice, because an alias may follow the property that names it. */
	walk(&tree);
	tree.first = false;
	walk(&tree);
}
