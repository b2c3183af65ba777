/* SPDX-License-Identifier: MIT */
/*
 * Translation tables that map the image, the UART and the interrupt controller to themselves, in
 * pages of 4 KiB with 48 bits. There are two tables of stage 1, for the image's own level and for
 * EL1&0 below it, and one of stage 2.
 *
 * Arm ARM: DDI 0487 M.a, D8.3 (descriptors), D8.4 (permissions), D24.2 (TCR_ELx, VTCR_EL2,
 * MAIR_ELx, SCTLR_ELx).
 */
#include "descriptor.h"
#include "image.h"

#define TABLES 40
#define ADDRESS UINT64_C(0x0000fffffffff000)
#define MAIR 0x04ff /* Normal Write-Back, Device-nGnRE */

extern char text_end[], image_begin[], image_end[];
static u64 pool[TABLES][512] __attribute__((aligned(4096)));
static unsigned taken;
static u64 *roots[3]; /* indexed by enum tables */

u8 buffer[(BUFFER_PAGES + GUARD_PAGES) * PAGE] __attribute__((aligned(4096)));
u8 elsewhere[8 * PAGE] __attribute__((aligned(4096)));

static u64 *new_table(void)
{
	if (taken == TABLES)
		die("the memory is too scattered for %u translation tables", (u64)TABLES);
	return pool[taken++];
}

/* Return the entry of an address at a level from 0 to 3, after making the tables above it. */
static volatile u64 *entry_at(u64 *table, u64 address, unsigned level)
{
	unsigned shift = 39;

	for (; level; level--, shift -= 9) {
		u64 *at = &table[(address >> shift) & 511];

		if (!*at)
			*at = (u64)new_table() | TABLE;
		table = (u64 *)(*at & ADDRESS);
	}
	return &table[(address >> shift) & 511];
}

static volatile u64 *entry(u64 *table, u64 address)
{
	return entry_at(table, address, 3);
}

u64 page_descriptor(u64 physical)
{
	return physical | DATA | PAGE_DESCRIPTOR;
}

u64 page_stage2(u64 physical)
{
	/* MemAttr Normal Write-Back, S2AP read and write */
	return physical | UINT64_C(15) << 2 | UINT64_C(3) << 6 | INNER | AF | PAGE_DESCRIPTOR;
}

static void map(u64 *root, u64 first, u64 end, u64 attributes)
{
	for (u64 page = first & ~(PAGE - 1); page < end; page += PAGE)
		*entry(root, page) = page | attributes | PAGE_DESCRIPTOR;
}

static void map_all(u64 *root)
{
	map(root, (u64)image_begin, (u64)text_end, CODE);
	map(root, (u64)text_end, (u64)image_end, DATA);
	if (platform.uart)
		map(root, platform.uart_base, platform.uart_base + 1, DEVICE);
	if (platform.gicd)
		map(root, platform.gicd, platform.gicd + 0x10000, DEVICE);
	if (platform.gicr)
		map(root, platform.gicr, platform.gicr + platform.gicr_bytes, DEVICE);
}

void memory_setup(void)
{
	roots[OWN] = new_table();
	map_all(roots[OWN]);
	roots[LOWER] = roots[OWN];
	if (machine.el == 1)
		return;
	roots[LOWER] = new_table();
	map_all(roots[LOWER]);
	roots[STAGE_2] = new_table();
	map(roots[STAGE_2], (u64)image_begin, (u64)image_end,
	    page_stage2(0) & ~(u64)PAGE_DESCRIPTOR);
}

void forget_translations(void)
{
	DSB();
	if (machine.el == 2)
		__asm__ volatile("tlbi alle1\n\ttlbi alle2\n\tdsb sy\n\ttlbi vmalle1"
		                 :
		                 :
		                 : "memory");
	else
		__asm__ volatile("tlbi vmalle1" : : : "memory");
	DSB();
	ISB();
}

void page_map(enum tables tables, u64 address, u64 descriptor)
{
	level_map(tables, address, 3, descriptor);
}

u64 level_map(enum tables tables, u64 address, unsigned level, u64 descriptor)
{
	volatile u64 *at = entry_at(roots[tables], address, level);
	u64 before = *at;

	*at = 0;
	forget_translations();
	*at = descriptor;
	forget_translations();
	return before;
}

u64 block_descriptor(u64 physical, unsigned level)
{
	return (physical & ~(BIT(39 - 9 * level) - 1)) | DATA | 1;
}

static u64 physical_size(void)
{
	u64 range = READ(id_aa64mmfr0_el1) & 15;

	return range > 5 ? 5 : range; /* 48 bits */
}

bool stage2_reaches(void)
{
	return physical_size() >= 4 || image_first() + image_bytes() < BIT(39);
}

void stage2_registers(bool on)
{
	/* With fewer than 44 bits, the walk cannot begin at level 0. */
	bool four = physical_size() >= 4;
	u64 first = four ? (u64)roots[STAGE_2] : roots[STAGE_2][0] & ADDRESS;
	/* T0SZ, SL0, write-back, inner shareable, PS, RES1 */
	u64 bits = four ? physical_size() == 4 ? 44 : 48 : 39, level = four ? 2 : 1;
	u64 vtcr = (64 - bits) | level << 6 | 1 << 8 | 1 << 10 | 3 << 12 | physical_size() << 16 |
	           BIT(31);

	WRITE(vtcr_el2, on ? vtcr : 0);
	WRITE(vttbr_el2, on ? first : 0);
}

static const u64 sctlr_el2 = 0x30c50830 | 0x1005 | BIT(23) | BIT(20);

/* Set the registers of EL1&0 below EL2, by the names that reach them. */
static void lower_controls(u64 tcr)
{
	const u64 sctlr = 0x30d00800 | 0x1005;

	if (machine.must_vhe) {
		WRITE(S3_5_C10_C2_0, MAIR);
		WRITE(S3_5_C2_C0_2, tcr);
		WRITE(S3_5_C2_C0_0, (u64)roots[LOWER]);
		WRITE(S3_5_C1_C0_0, sctlr);
		WRITE(S3_5_C12_C0_0, (u64)vectors_el1);
		WRITE(S3_5_C1_C0_2, UINT64_C(3) << 20); /* CPACR_EL12.FPEN */
	} else {
		WRITE(mair_el1, MAIR);
		WRITE(tcr_el1, tcr);
		WRITE(ttbr0_el1, (u64)roots[LOWER]);
		WRITE(sctlr_el1, sctlr);
		WRITE(vbar_el1, (u64)vectors_el1);
		WRITE(cpacr_el1, UINT64_C(3) << 20);
	}
	ISB();
}

void memory_own(u64 hcr)
{
	u64 size = physical_size(),
	    common = 16 | 1 << 8 | 1 << 10 | 3 << 12; /* T0SZ, IRGN0, ORGN0, SH0 */
	struct regime regime = {.mair = MAIR, .ttbr0 = (u64)roots[OWN], .hcr = hcr};

	if (machine.el == 1) {
		regime.tcr = common | BIT(23) | size << 32; /* EPD1, IPS */
		regime.sctlr = 0x30d00800 | 0x1005;
	} else {
		regime.tcr = hcr & HCR_E2H ? common | BIT(23) | size << 32
		                           : common | BIT(31) | BIT(23) | size << 16; /* RES1, PS */
		regime.sctlr = sctlr_el2;
	}
	memory_switch(&regime, image_first(), image_first() + image_bytes());
}

void memory_controls(void)
{
	if (machine.el == 2)
		lower_controls(16 | 1 << 8 | 1 << 10 | 3 << 12 | BIT(23) | physical_size() << 32);
	memory_own(machine.hcr_el2);
}
