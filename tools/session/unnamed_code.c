/* SPDX-License-Identifier: MIT */
/*
 * Functions of stripped files. Their ranges are in the call frame information, which unwinding
 * needs and strip(1) therefore keeps. A function gets its address as a name: "fn_49c0".
 *
 * Sources: Linux Standard Base 5.0, section 10.6 (.eh_frame, .eh_frame_hdr and pointer encodings);
 * the AArch64 DWARF ABI for augmentation "B".
 */
#define _GNU_SOURCE
#include "object.h"
#include "../base/common.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Encodings of pointers: the format, and what the value is relative to. */
	FORMAT = 0x0f,
	ABSPTR = 0x00,
	UDATA2 = 0x02,
	UDATA4 = 0x03,
	UDATA8 = 0x04,
	SDATA2 = 0x0a,
	SDATA4 = 0x0b,
	SDATA8 = 0x0c,
	RELATIVE = 0x70,
	PCREL = 0x10,
	OMITTED = 0xff,
};

/* The section .eh_frame, and the encoding of the addresses that refer to its last CIE. */
struct frame_section {
	Elf_Data *data;
	uint64_t vaddr;
	const unsigned char *ident; /* e_ident of the file */
	Dwarf_Off cie;
	uint8_t encoding;
};

static unsigned format_size(uint8_t encoding)
{
	switch (encoding & FORMAT) {
	case UDATA2:
	case SDATA2:
		return 2;
	case UDATA4:
	case SDATA4:
		return 4;
	case ABSPTR:
	case UDATA8:
	case SDATA8:
		return 8;
	default:
		return 0;
	}
}

/* Read an encoded value that is stored at vaddr. Return its size, or 0 if it cannot be read. */
static unsigned read_encoded(uint64_t *value, const uint8_t *p, size_t room, uint8_t encoding,
                             uint64_t vaddr)
{
	unsigned size = format_size(encoding);
	unsigned relative = encoding & RELATIVE;

	if (encoding == OMITTED || !size || size > room || (relative && relative != PCREL))
		return 0;
	*value = 0;
	for (unsigned i = 0; i < size; i++)
		*value |= (uint64_t)p[i] << 8 * i;
	if (encoding & 8 && size < 8 && *value >> (8 * size - 1))
		*value |= UINT64_MAX << 8 * size;
	if (relative == PCREL)
		*value += vaddr;
	return size;
}

/* Return the encoding of addresses that a CIE gives, or OMITTED if it cannot be read. */
static uint8_t cie_encoding(const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	size_t left = cie->augmentation_data_size;
	unsigned size;

	for (const char *c = cie->augmentation; *c; c++) {
		switch (*c) {
		case 'z':
		case 'S':
		case 'B':
			continue;
		case 'R':
			return left ? *data : OMITTED;
		case 'L':
			size = 1;
			break;
		case 'P':
			size = left ? 1 + format_size(*data) : 1;
			break;
		default:
			return OMITTED;
		}
		if (left < size)
			return OMITTED;
		data += size;
		left -= size;
	}
	return ABSPTR;
}

static void find_encoding(struct frame_section *s, Dwarf_Off cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (s->cie == cie)
		return;
	s->cie = cie;
	s->encoding = OMITTED;
	if (!dwarf_next_cfi(s->ident, s->data, true, cie, &next, &entry) && dwarf_cfi_cie_p(&entry))
		s->encoding = cie_encoding(&entry.cie);
}

static void add_function(struct object *obj, struct frame_section *s, const Dwarf_FDE *fde)
{
	uint64_t at = s->vaddr + (uint64_t)(fde->start - (const uint8_t *)s->data->d_buf);
	size_t room = (size_t)(fde->end - fde->start);
	uint64_t start, length;
	unsigned size;

	find_encoding(s, fde->CIE_pointer);
	size = read_encoded(&start, fde->start, room, s->encoding, at);
	/* The length has the same format, but it is not relative. */
	if (!size ||
	    !read_encoded(&length, fde->start + size, room - size, s->encoding & FORMAT, 0) ||
	    !length || length > UINT64_MAX - start)
		return;
	symbols_add(
	        &obj->unwound,
	        &(struct symbol){.start = start, .end = start + length, .name = "", .sized = 1});
}

/* Find the section by its name, or in a file without section headers, by the program header. */
static bool find_section(struct frame_section *s, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS ||
		    !(name = elf_strptr(elf, names, sh.sh_name)) || strcmp(name, ".eh_frame") != 0)
			continue;
		s->vaddr = sh.sh_addr;
		s->data = elf_rawdata(scn, NULL);
		return s->data && s->data->d_buf;
	}
	return false;
}

static bool find_by_header(struct frame_section *s, const struct object *obj, Elf *elf)
{
	uint8_t header[12];
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME)
			continue;
		/* Byte 1 is the encoding of the address of .eh_frame, which begins at byte 4. */
		if (!elf_bytes(obj, header, ph.p_vaddr, sizeof(header)) ||
		    !read_encoded(&s->vaddr, header + 4, sizeof(header) - 4, header[1],
		                  ph.p_vaddr + 4))
			return false;
		for (size_t k = 0; k < obj->segment_count; k++) {
			const struct segment *g = &obj->segments[k];
			uint64_t at = s->vaddr - g->vaddr;

			if (s->vaddr < g->vaddr || at >= g->file_size || g->offset > INT64_MAX - at)
				continue;
			s->data = elf_getdata_rawchunk(elf, (int64_t)(g->offset + at),
			                               g->file_size - at, ELF_T_BYTE);
			return s->data && s->data->d_buf;
		}
	}
	return false;
}

void unnamed_load(struct object *obj)
{
	struct frame_section s = {.cie = (Dwarf_Off)-1};
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	GElf_Addr bias;
	Elf *elf;

	if (obj->unwound_loaded || obj->kind != OBJECT_FILE || !obj->module)
		return;
	obj->unwound_loaded = true;
	elf = dwfl_module_getelf(obj->module, &bias);
	if (!elf || (!find_section(&s, elf) && !find_by_header(&s, obj, elf)))
		return;
	s.ident = (const unsigned char *)elf_getident(elf, NULL);
	for (Dwarf_Off at = 0; !dwarf_next_cfi(s.ident, s.data, true, at, &next, &entry);
	     at = next) {
		if (!dwarf_cfi_cie_p(&entry))
			add_function(obj, &s, &entry.fde);
		if (next <= at)
			break;
	}
	symbols_finish(&obj->unwound);
	for (size_t i = 0; i < obj->unwound.count; i++)
		obj->unwound.items[i].name = NULL;
}

const char *unnamed_name(struct symbol *function)
{
	if (!function->words)
		function->words = xasprintf("fn_%llx", (unsigned long long)function->start);
	return function->words;
}
