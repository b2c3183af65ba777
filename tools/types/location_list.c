/* SPDX-License-Identifier: MIT */
/*
 * See location_list.h.
 *
 * DWARF:       DWARF 5, sections 2.5 (expressions), 2.6.2 and 7.7.3 (location lists); DWARF 4,
 *              section 2.6.2
 */
#include "location_list.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

enum { ENTRIES_MAX = 1 << 16 };

/* Bytes of a section. `at` does not pass `end`. */
struct bytes {
	const uint8_t *at, *end;
	bool failed; /* true after an attempt to read beyond the end */
};

static uint64_t fixed(struct bytes *b, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->at) < size) {
		b->failed = true;
		b->at = b->end;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)b->at[i] << (8 * i);
	b->at += size;
	return value;
}

static uint64_t leb(struct bytes *b, bool is_signed)
{
	uint64_t value = 0, byte = 0x80;
	unsigned shift = 0;

	for (; byte & 0x80 && !b->failed && shift < 70; shift += 7) {
		byte = fixed(b, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
	}
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	return value;
}

/* Read an operation. Return false for those that the caller of location_list_read() does not
 * need. */
static bool read_operation(Dwarf_Op *op, struct bytes *b)
{
	*op = (Dwarf_Op){.atom = (uint8_t)fixed(b, 1)};
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return true;
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		op->number = leb(b, true);
		return true;
	}
	switch (op->atom) {
	case DW_OP_fbreg:
		op->number = leb(b, true);
		return true;
	case DW_OP_regx:
	case DW_OP_piece:
		op->number = leb(b, false);
		return true;
	case DW_OP_bregx:
		op->number = leb(b, false);
		op->number2 = leb(b, true);
		return true;
	case DW_OP_stack_value:
	case DW_OP_deref:
	case DW_OP_GNU_uninit:
		return true;
	default:
		return false;
	}
}

static bool read_expression(struct location_entry *entry, struct bytes *list, uint64_t size)
{
	struct bytes b = {.at = list->at};

	if (list->failed || size > (uint64_t)(list->end - list->at)) {
		list->failed = true;
		return false;
	}
	b.end = list->at += size;
	for (entry->count = 0; b.at < b.end && entry->count < LOCATION_OPS_MAX; entry->count++) {
		if (!read_operation(&entry->ops[entry->count], &b))
			return false;
	}
	return b.at == b.end && !b.failed;
}

/* Read the head of an entry of DWARF 4. Return false at the end of the list. */
static bool next_old(struct bytes *b, struct location_entry *entry, uint64_t *base, bool *has_range)
{
	entry->low = fixed(b, 8);
	entry->high = fixed(b, 8);
	*has_range = entry->low != UINT64_MAX;
	if (!*has_range)
		*base = entry->high;
	else if (!entry->low && !entry->high)
		return false;
	entry->low += *base;
	entry->high += *base;
	return !b->failed;
}

/* Read the head of an entry of DWARF 5. Return false at the end of the list. */
static bool next_new(struct bytes *b, struct location_entry *entry, uint64_t *base, bool *has_range)
{
	unsigned kind = (unsigned)fixed(b, 1);

	*has_range = kind != DW_LLE_base_address;
	switch (kind) {
	case DW_LLE_base_address:
		*base = fixed(b, 8);
		break;
	case DW_LLE_offset_pair:
		entry->low = *base + leb(b, false);
		entry->high = *base + leb(b, false);
		break;
	case DW_LLE_start_end:
		entry->low = fixed(b, 8);
		entry->high = fixed(b, 8);
		break;
	case DW_LLE_start_length:
		entry->low = fixed(b, 8);
		entry->high = entry->low + leb(b, false);
		break;
	default:
		return false; /* the end, or an index into the addresses of split DWARF */
	}
	return !b->failed;
}

/* Find a section with the list. Return false if it is missing or compressed. */
static bool find_section(struct bytes *b, Elf *elf, const char *name, uint64_t offset)
{
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_flags & SHF_COMPRESSED ||
		    !(found = elf_strptr(elf, names, header.sh_name)) || strcmp(found, name) != 0)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf || offset >= data->d_size)
			return false;
		*b = (struct bytes){(const uint8_t *)data->d_buf + offset,
		                    (const uint8_t *)data->d_buf + data->d_size, false};
		return true;
	}
	return false;
}

void location_list_read(Dwarf_Attribute *list, Dwarf_Die *owner, take_location_fn *take,
                        void *context)
{
	struct location_entry entry;
	Dwarf_Half version;
	uint8_t address_size;
	Dwarf_Word offset;
	Dwarf_Die unit;
	uint64_t base = 0;
	struct bytes b;
	bool has_range;

	if (dwarf_whatform(list) == DW_FORM_loclistx || dwarf_formudata(list, &offset) ||
	    !dwarf_cu_die(owner->cu, &unit, &version, NULL, &address_size, NULL, NULL, NULL) ||
	    address_size != 8 ||
	    !find_section(&b, dwarf_getelf(dwarf_cu_getdwarf(owner->cu)),
	                  version < 5 ? ".debug_loc" : ".debug_loclists", offset))
		return;
	if (dwarf_lowpc(&unit, &base))
		base = 0;
	for (int i = 0; i < ENTRIES_MAX; i++) {
		uint64_t size;

		if (!(version < 5 ? next_old : next_new)(&b, &entry, &base, &has_range))
			break;
		if (!has_range)
			continue;
		size = version < 5 ? fixed(&b, 2) : leb(&b, false);
		if (read_expression(&entry, &b, size))
			take(context, &entry);
		if (b.failed)
			break;
	}
}
