/* SPDX-License-Identifier: MIT */
/*
 * A minimal ACPI parser: it finds the GICv3, SPE's interrupt of this PE, and the conduit of PSCI.
 *
 * Source: ACPI 6.5, 5.2.5 (RSDP), 5.2.8 (XSDT), 5.2.9 (FADT: ARM_BOOT_ARCH), 5.2.12 (MADT: GICC,
 * GICD, GICR).
 */
#include "image.h"

#define HEADER 36 /* bytes of a table's header */
#define LARGEST (1U << 20)

static u64 number(const u8 *from, unsigned bytes)
{
	u64 value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (u64)from[i] << 8 * i;
	return value;
}

static bool adds_up(const u8 *from, u32 bytes)
{
	u8 sum = 0;

	while (bytes--)
		sum = (u8)(sum + *from++);
	return sum == 0;
}

/* Return the length of the table, or 0 if the signature differs or the table is damaged. */
static u32 table_bytes(const u8 *table, const char *signature)
{
	u32 bytes;

	for (unsigned i = 0; i < 4; i++)
		if (table[i] != (u8)signature[i])
			return 0;
	bytes = (u32)number(table + 4, 4);
	return bytes >= HEADER && bytes <= LARGEST && adds_up(table, bytes) ? bytes : 0;
}

static void take_gicc(const u8 *entry, unsigned bytes)
{
	u64 mpidr = READ(mpidr_el1) & UINT64_C(0xff00ffffff);

	if (bytes < 76 || number(entry + 68, 8) != mpidr)
		return;
	if (bytes >= 80 && number(entry + 78, 2) >= 16 && number(entry + 78, 2) < 32)
		platform.spe_intid = (unsigned)number(entry + 78, 2);
	if (number(entry + 60, 8)) {
		platform.gicr = number(entry + 60, 8);
		platform.gicr_bytes = 0x20000;
	}
}

static void take_madt(const u8 *table, u32 bytes)
{
	for (u32 at = HEADER + 8; at + 2 <= bytes && table[at + 1] >= 2;) {
		const u8 *entry = table + at;
		unsigned length = entry[1];

		if (at + length > bytes)
			return;
		if (entry[0] == 0xb)
			take_gicc(entry, length);
		else if (entry[0] == 0xc && length >= 21 && entry[20] >= 3)
			platform.gicd = number(entry + 8, 8);
		else if (entry[0] == 0xe && length >= 16 && !platform.gicr) {
			platform.gicr = number(entry + 4, 8);
			platform.gicr_bytes = number(entry + 12, 4);
		}
		at += length;
	}
}

static void take_fadt(const u8 *table, u32 bytes)
{
	u64 flags = bytes >= 131 ? number(table + 129, 2) : 0;

	if (flags & 1)
		platform.psci = flags & 2 ? BY_HVC : BY_SMC;
}

void acpi_parse(u64 rsdp)
{
	const u8 *root = (const u8 *)rsdp, *xsdt;
	u32 bytes;

	if (!rsdp || root[15] < 2 || !adds_up(root, 36))
		return;
	xsdt = (const u8 *)number(root + 24, 8);
	bytes = xsdt ? table_bytes(xsdt, "XSDT") : 0;
	for (u32 at = HEADER; at + 8 <= bytes; at += 8) {
		const u8 *table = (const u8 *)number(xsdt + at, 8);
		u32 madt = table ? table_bytes(table, "APIC") : 0,
		    fadt = table ? table_bytes(table, "FACP") : 0;

		if (madt)
			take_madt(table, madt);
		if (fadt)
			take_fadt(table, fadt);
	}
}
