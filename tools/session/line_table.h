/* SPDX-License-Identifier: MIT */
/*
 * Estimate the memory that libdw will need for the line table of a unit (DWARF 5, section 6.2.4).
 *
 * libdw keeps each row, and makes the whole path of each file. So a table of a few bytes can need
 * much memory: its files may all be in one folder with a long name, and the tables of several units
 * may overlap.
 */
#ifndef SPEMU_SESSION_LINE_TABLE_H
#define SPEMU_SESSION_LINE_TABLE_H

#include <elfutils/libdw.h>
#include <stdint.h>

/* The sections with line tables and their strings. A section that the file does not have is
 * NULL. */
struct line_sections {
	const Elf_Data *line, *line_str, *str;
};

void line_sections_find(struct line_sections *sections, Dwarf *dwarf);

/*
 * Return an upper bound of the bytes for the unit's table. Return 0 if the unit has no table, and
 * UINT64_MAX if the bound exceeds limit or the table cannot be read.
 */
uint64_t line_table_cost(const struct line_sections *sections, Dwarf_Die *unit, uint64_t limit);

#endif
