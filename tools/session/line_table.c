/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "line_table.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

enum {
	ROW_COST = 152, /* bytes of memory for a row, as measured */
	ENTRY_COST = 64,
	FORMATS_MAX = 16,
};

/* State of reading a table. */
struct in {
	const uint8_t *p, *end;
	const struct line_sections *sections;
	unsigned offset_size;
	uint64_t cost, limit;
	bool bad;
};

void line_sections_find(struct line_sections *sections, Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	*sections = (struct line_sections){0};
	if (elf_getshdrstrndx(elf, &names))
		return;
	/* The sections are not compressed: libdw expanded them when it opened the file. */
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name =
		        gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;

		if (!name || sh.sh_type == SHT_NOBITS)
			continue;
		if (!strcmp(name, ".debug_line"))
			sections->line = elf_getdata(scn, NULL);
		else if (!strcmp(name, ".debug_line_str"))
			sections->line_str = elf_getdata(scn, NULL);
		else if (!strcmp(name, ".debug_str"))
			sections->str = elf_getdata(scn, NULL);
	}
}

static uint64_t take(struct in *in, uint64_t size)
{
	uint64_t v = 0;

	if (size > (uint64_t)(in->end - in->p)) {
		in->bad = true;
		in->p = in->end;
		return 0;
	}
	for (unsigned i = 0; i < size && i < 8; i++)
		v |= (uint64_t)in->p[i] << 8 * i;
	in->p += (size_t)size;
	return v;
}

static uint64_t take_uleb(struct in *in)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)take(in, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

/* Skip a string and return its length. */
static size_t take_string(struct in *in)
{
	size_t left = (size_t)(in->end - in->p), n = strnlen((const char *)in->p, left);

	take(in, n + 1);
	return n;
}

static size_t length_at(const Elf_Data *strings, uint64_t at)
{
	return strings && at < strings->d_size
	               ? strnlen((const char *)strings->d_buf + at, strings->d_size - (size_t)at)
	               : 0;
}

/* Skip a value. Return its length if it is a string, else 0. */
static size_t take_form(struct in *in, uint64_t form)
{
	static const uint8_t data_size[] = {[DW_FORM_data1] = 1,
	                                    [DW_FORM_data2] = 2,
	                                    [DW_FORM_data4] = 4,
	                                    [DW_FORM_data8] = 8,
	                                    [DW_FORM_data16] = 16};

	switch (form) {
	case DW_FORM_string:
		return take_string(in);
	case DW_FORM_line_strp:
		return length_at(in->sections->line_str, take(in, in->offset_size));
	case DW_FORM_strp:
		return length_at(in->sections->str, take(in, in->offset_size));
	case DW_FORM_udata:
		take_uleb(in);
		return 0;
	case DW_FORM_block:
		take(in, take_uleb(in));
		return 0;
	default:
		if (form < sizeof(data_size) && data_size[form])
			take(in, data_size[form]);
		else
			in->bad = true;
		return 0;
	}
}

static void add_cost(struct in *in, uint64_t cost)
{
	if (cost > in->limit - in->cost)
		in->bad = true;
	else
		in->cost += cost;
}

/* Read a list of folders or files of version 5. An entry costs its strings and more bytes. Return
 * the length of the longest entry. */
static size_t take_list(struct in *in, size_t more)
{
	uint64_t forms[FORMATS_MAX], entries;
	unsigned count = (unsigned)take(in, 1);
	size_t longest = 0;

	if (count > FORMATS_MAX) {
		in->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < count; i++) {
		take_uleb(in);
		forms[i] = take_uleb(in);
	}
	entries = take_uleb(in);
	for (uint64_t n = 0; n < entries && !in->bad; n++) {
		size_t length = 0;

		for (unsigned i = 0; i < count; i++)
			length += take_form(in, forms[i]);
		longest = length > longest ? length : longest;
		add_cost(in, ENTRY_COST + length + more);
	}
	return longest;
}

/* Read the folders and files of versions 2 to 4. Return the length of the longest folder. */
static size_t take_old_lists(struct in *in, size_t build_folder)
{
	size_t longest = 0, n;

	while (!in->bad && (n = take_string(in))) {
		longest = n > longest ? n : longest;
		add_cost(in, ENTRY_COST + n);
	}
	while (!in->bad && (n = take_string(in))) {
		add_cost(in, ENTRY_COST + n + longest + build_folder);
		for (int i = 0; i < 3; i++)
			take_uleb(in);
	}
	return longest + build_folder;
}

/* Add the cost of the line program: any byte may be a row. Also count each byte sequence that may
 * be a DW_LNE_define_file. */
static void take_program(struct in *in, size_t folder)
{
	add_cost(in, (uint64_t)(in->end - in->p) * ROW_COST);
	for (const uint8_t *p = in->p; p < in->end && !in->bad; p++) {
		const uint8_t *op = p + 1;

		if (*p)
			continue;
		while (op < in->end && *op & 0x80)
			op++;
		if (in->end - op >= 2 && op[1] == DW_LNE_define_file)
			add_cost(in, ENTRY_COST + folder);
	}
}

static uint64_t cost_at(struct in *in, size_t build_folder)
{
	uint64_t size = take(in, 4);
	unsigned version;
	size_t folder = 0;

	in->offset_size = size == UINT32_MAX ? 8 : 4;
	if (in->offset_size == 8)
		size = take(in, 8);
	if (in->bad || size > (size_t)(in->end - in->p))
		return UINT64_MAX;
	in->end = in->p + size;
	version = (unsigned)take(in, 2);
	if (version < 2 || version > 5)
		return UINT64_MAX;
	/* Skip the sizes of addresses, header and instructions, the line steps and the opcode
	 * lengths. */
	take(in, version == 5 ? 2 : 0);
	take(in, in->offset_size);
	take(in, version >= 4 ? 5 : 4);
	size = take(in, 1);
	take(in, size ? size - 1 : 0);
	if (version == 5)
		take_list(in, 2 * take_list(in, 0)); /* folders are relative to the first folder */
	else
		folder = take_old_lists(in, build_folder);
	take_program(in, folder);
	return in->bad ? UINT64_MAX : in->cost;
}

uint64_t line_table_cost(const struct line_sections *sections, Dwarf_Die *unit, uint64_t limit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word at;
	const char *folder;
	struct in in = {.sections = sections, .limit = limit};

	if (!dwarf_attr(unit, DW_AT_stmt_list, &attribute))
		return 0;
	if (dwarf_formudata(&attribute, &at) || !sections->line || at >= sections->line->d_size)
		return UINT64_MAX;
	folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	in.p = (const uint8_t *)sections->line->d_buf + at;
	in.end = (const uint8_t *)sections->line->d_buf + sections->line->d_size;
	return cost_at(&in, folder ? strlen(folder) : 0);
}
