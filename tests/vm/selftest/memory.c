/* SPDX-License-Identifier: MIT */
/*
 * Translation tables. They map physical memory at the same addresses, with a 4 KiB granule and 39
 * address bits. All regimes share the tables, except for EL2 and EL2&0, which have their own. So
 * tests can map a page differently there.
 *
 * Arm ARM: DDI 0487 M.a, D8.3 (descriptors), D8.4 (permissions), D24.2 (TCR_ELx, MAIR_ELx,
 * SCTLR_ELx).
 */
#include "descriptor.h"
#include "runtime.h"

#define BLOCK 1
#define MEMORY UINT64_C(0x40000000)
/* With FEAT_RME, EL3 can only execute from the Root address space (NSE 1, NS 0). In other regimes,
 * this bit is nG. */
#define NSE BIT(11)
#define BLOCK_2M UINT64_C(0x200000)

#define TCR_COMMON (25 | 1 << 8 | 1 << 10 | 3 << 12) /* T0SZ, IRGN0, ORGN0, SH0; TG0 4 KiB */

typedef u64 table[512] __attribute__((aligned(4096)));

static table top, middle, window;                  /* EL3, EL1&0 */
static table top_2, middle_2, window_2;            /* EL2, EL2&0 */
static table upper, upper_middle;                  /* EL2&0, upper half */
static table second, second_middle, second_window; /* stage 2 */

static void fill(u64 *l1, u64 *l2, u64 *l3)
{
	l1[0] = DEVICE | BLOCK;
	l1[1] = (u64)l2 | TABLE;
	for (unsigned i = 0; i < 512; i++) {
		u64 address = MEMORY + i * BLOCK_2M;

		if (address == WINDOW_BASE)
			l2[i] = (u64)l3 | TABLE;
		else
			l2[i] = address | (address == TEXT_BASE ? CODE : DATA) | BLOCK |
			        (machine.has_rme ? NSE : 0);
		l3[i] = window_page(WINDOW_BASE + i * PAGE);
	}
}

u64 window_page(u64 physical)
{
	return physical | DATA | PAGE_DESCRIPTOR;
}

u64 stage2_page(u64 physical)
{
	/* MemAttr Normal Write-Back, S2AP read and write */
	return physical | UINT64_C(15) << 2 | UINT64_C(3) << 6 | INNER | AF | PAGE_DESCRIPTOR;
}

static void fill_stage2(void)
{
	u64 usual = stage2_page(0) & ~UINT64_C(3);

	second[0] = (usual & ~(UINT64_C(15) << 2)) | UINT64_C(1) << 2 | BLOCK; /* Device-nGnRE */
	second[1] = (u64)second_middle | TABLE;
	for (unsigned i = 0; i < 512; i++) {
		u64 address = MEMORY + i * BLOCK_2M;

		second_middle[i] = address == WINDOW_BASE ? (u64)second_window | TABLE
		                                          : address | usual | BLOCK;
		second_window[i] = stage2_page(WINDOW_BASE + i * PAGE);
	}
}

void memory_setup(void)
{
	fill(top, middle, window);
	fill(top_2, middle_2, window_2);
	fill_stage2();
	/* The first GiB of the upper half maps the memory from BUFFER_BASE. */
	upper[0] = (u64)upper_middle | TABLE;
	for (unsigned i = 0; i < 16; i++)
		upper_middle[i] = (BUFFER_BASE + i * BLOCK_2M) | DATA | BLOCK;
}

/* Invalidate the TLB entries of all levels and Security states. Called at the level of boot. */
void forget_translations(void)
{
	DSB();
	if (machine.boot_el == 3) {
		u64 scr = READ(scr_el3);

		for (unsigned security = 0; security < 4; security++) {
			if (security == ROOT || (security == REALM && !machine.has_rme))
				continue;
			WRITE(scr_el3, (scr & ~(BIT(62) | BIT(0) | BIT(18))) | (security & 1) |
			                       (u64)(security >> 1) << 62 |
			                       (u64)(machine.has_sel2 && security == SECURE) << 18);
			ISB();
			__asm__ volatile("tlbi alle1\n\tdsb sy" : : : "memory");
			if (machine.has_el2)
				__asm__ volatile("tlbi alle2\n\tdsb sy" : : : "memory");
		}
		WRITE(scr_el3, scr);
		__asm__ volatile("tlbi alle3" : : : "memory");
	} else if (machine.boot_el == 2) {
		__asm__ volatile("tlbi alle1\n\ttlbi alle2" : : : "memory");
	} else {
		__asm__ volatile("tlbi vmalle1" : : : "memory");
	}
	DSB();
	ISB();
}

void window_map(unsigned page, u64 descriptor)
{
	window[page] = descriptor;
	window_2[page] = descriptor;
	forget_translations();
}

void window_set(u64 page, u64 descriptor)
{
	((volatile u64 *)window)[page] = descriptor;
}

u64 window_descriptor(unsigned page)
{
	return ((volatile u64 *)window)[page];
}

void window_map_el2(unsigned page, u64 descriptor)
{
	window_2[page] = descriptor;
	forget_translations();
}

void stage2_map(unsigned page, u64 descriptor)
{
	second_window[page] = descriptor;
	forget_translations();
}

void stage2_enable(bool on)
{
	/* T0SZ 25, SL0 level 1, write-back, inner shareable, PS 40 bits, RES1 */
	u64 vtcr = 25 | 1 << 6 | 1 << 8 | 1 << 10 | 3 << 12 | 2 << 16 | BIT(31);

	WRITE(vtcr_el2, on ? vtcr : 0);
	WRITE(vttbr_el2, on ? (u64)second : 0);
	if (machine.has_sel2) {
		WRITE(S3_4_C2_C6_2, on ? vtcr : 0);        /* VSTCR_EL2 */
		WRITE(S3_4_C2_C6_0, on ? (u64)second : 0); /* VSTTBR_EL2 */
	}
	ISB();
	forget_translations();
}

/* Set up EL2's own tables. With E2H set, TCR_EL2 has the layout of TCR_EL1. */
static void el2_setup(bool upper_half)
{
	WRITE(mair_el2, 0x04ff);
	WRITE(ttbr0_el2, (u64)top_2);
	/*
	 * One value serves both layouts. Without E2H, bits 31 and 23 are RES1, and PS is bits
	 * 18:16. With E2H, these bits mean TG1 4 KiB and EPD1, and IPS is bits 34:32.
	 */
	WRITE(tcr_el2, TCR_COMMON | BIT(31) | BIT(23) | UINT64_C(2) << 16 | UINT64_C(2) << 32);
	if (upper_half) {
		/* T1SZ 25, IRGN1, ORGN1, SH1, TG1 4 KiB, IPS 40 bits */
		WRITE(tcr_el2, TCR_COMMON | UINT64_C(25) << 16 | BIT(24) | BIT(26) |
		                       UINT64_C(3) << 28 | BIT(31) | UINT64_C(2) << 32);
		if (machine.has_vhe)
			WRITE(S3_4_C2_C0_1, (u64)upper); /* TTBR1_EL2 */
	}
	ISB();
}

void upper_half_enable(bool on)
{
	el2_setup(on);
	forget_translations();
}

void memory_enable(unsigned el)
{
	u64 tcr_single = TCR_COMMON | UINT64_C(2) << 16 | BIT(31) | BIT(23);
	/* M, C and I, in addition to the RES1 bits of each register */
	u64 sctlr_el1 = 0x30d00800 | 0x1005;
	u64 sctlr_single = 0x30c50830 | 0x1005;

	WRITE(mair_el1, 0x04ff);
	WRITE(ttbr0_el1, (u64)top);
	WRITE(tcr_el1, TCR_COMMON | BIT(23) | UINT64_C(2) << 32);
	WRITE(vbar_el1, (u64)vectors_el1);
	if (el >= 2 && machine.has_el2) {
		el2_setup(false);
		WRITE(vbar_el2, (u64)vectors_el2);
	}
	if (el == 3) {
		WRITE(mair_el3, 0x04ff);
		WRITE(ttbr0_el3, (u64)top);
		WRITE(tcr_el3, tcr_single);
	}
	ISB();
	forget_translations();
	WRITE(sctlr_el1, sctlr_el1);
	/* With E2H and TGE, EL0 uses SCTLR_EL2. The bits that are RES1 without E2H are harmless. */
	if (el >= 2 && machine.has_el2)
		WRITE(sctlr_el2, sctlr_single | BIT(23) | BIT(20));
	if (el == 3)
		WRITE(sctlr_el3, sctlr_single);
	ISB();
}
