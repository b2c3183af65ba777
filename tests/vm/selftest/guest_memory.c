/* SPDX-License-Identifier: MIT */
/*
 * Effects of memory on the Profiling Buffer besides translation: aborts, hardware management of
 * descriptors, granule protection, and a buffer of physical addresses.
 *
 * Arm ARM: DDI 0487 M.a, D17.8.3.1 (Access flag, dirty state), D17.8.4 (External aborts), D17.7.2
 * (nVM), D9.4, D9.5 (GPT), D24.2.40 (DFSC).
 */
#include "runtime.h"

#define ROUNDS 20000
#define FSC(status) ((status)&63)
#define EXTERNAL_ABORT 0x10
#define EXTERNAL_ABORT_LATE 0x11 /* asynchronous */
#define GPF 0x28
#define PAGE_USED 8 /* this page of the test window and the next one are used */

static u64 page_address(unsigned page)
{
	return WINDOW_BASE + page * PAGE;
}

static struct profile fill(const struct world *world, u64 limitr_bits, u64 scr2, u64 base)
{
	struct setup setup = setup_of(PMSCR_E1SPE, scr2);
	struct profile p;

	setup.base = base;
	setup.bytes = 2 * PAGE;
	setup.limitr |= limitr_bits;
	world_set(world);
	profile_start(&setup);
	p.x0 = run_at(world, (u64)work, ROUNDS);
	profile_stop(&p, &setup);
	return p;
}

static bool is_full(const struct profile *p)
{
	return p->status == (PMBSR_S | 1);
}

/* External aborts: Non-secure state has no memory at the address of Secure memory. */
static void test_external_abort(void)
{
	struct world world = world_of(1, NON_SECURE);
	u64 ea = (machine.pmbidr >> 8) & 15;
	struct profile p;

	window_map(PAGE_USED, window_page(SECURE_MEMORY));
	window_map(PAGE_USED + 1, window_page(SECURE_MEMORY + PAGE));
	p = fill(&world, 0, 0, page_address(PAGE_USED));
	if (ea != 0) /* ignored, or an SError that PSTATE.A masks */
		check(is_full(&p), "PMBIDR_EL1.EA %u: External aborts are not reported", ea);
	else
		check((p.status & (PMBSR_S | PMBSR_EA)) == (PMBSR_S | PMBSR_EA) &&
		              PMBSR_EC(p.status) == STAGE_1_FAULT &&
		              (FSC(p.status) == EXTERNAL_ABORT ||
		               FSC(p.status) == EXTERNAL_ABORT_LATE),
		      "an External abort is reported with EA and its FSC");
	if (ea != 0 ? !is_full(&p) : !(p.status & PMBSR_EA))
		note("PMBIDR_EL1.EA %u, PMBSR_EL1 %x", ea, p.status);
	window_map(PAGE_USED, window_page(page_address(PAGE_USED)));
	window_map(PAGE_USED + 1, window_page(page_address(PAGE_USED + 1)));
}

/* TCR_EL1.{HA, HD}: the SPU sets the Access flag and marks a page as dirty. */
static void test_hardware_management(void)
{
	struct world world = world_of(1, NON_SECURE);
	u64 usual = window_page(page_address(PAGE_USED)), tcr = READ(tcr_el1);
	u64 clean = (usual & ~BIT(10)) | BIT(7) | BIT(51); /* AF 0, read-only, DBM */
	struct profile p;

	if (!(machine.pmbidr & BIT(5))) { /* F */
		skip("hardware management of descriptors", "PMBIDR_EL1.F is 0");
		return;
	}
	WRITE(tcr_el1, tcr | BIT(39) | BIT(40));
	window_map(PAGE_USED, clean);
	p = fill(&world, 0, 0, page_address(PAGE_USED));
	check(is_full(&p), "a clean page with its Access flag 0 takes records");
	check((window_descriptor(PAGE_USED) & (BIT(10) | BIT(7))) == BIT(10),
	      "the SPU set the Access flag and made the page dirty");
	if (!is_full(&p))
		note("PMBSR_EL1 %x, descriptor %x", p.status, window_descriptor(PAGE_USED));
	WRITE(tcr_el1, tcr);
	ISB();
	window_map(PAGE_USED, clean);
	p = fill(&world, 0, 0, page_address(PAGE_USED));
	check(PMBSR_EC(p.status) == STAGE_1_FAULT && FSC(p.status) == 11,
	      "without TCR_EL1.HA it is an Access flag fault");
	window_map(PAGE_USED, usual);
}

/* PMBLIMITR_EL1.nVM: the buffer has physical addresses, or intermediate physical ones with stage
 * 2. */
static void test_no_translation(void)
{
	struct world world = world_of(1, NON_SECURE);
	const u64 nvm = BIT(7), envm = BIT(11), base = page_address(PAGE_USED);
	struct profile p;

	if (!(machine.pmbidr & (BIT(6) | BIT(7)))) {
		skip("a buffer of physical addresses", "no FEAT_SPE_nVM");
		return;
	}
	WR(PMBMAR_EL1, 0xff); /* Normal, Write-Back */
	window_map(PAGE_USED, 0);
	window_map(PAGE_USED + 1, 0);
	p = fill(&world, nvm, 0, base);
	check(PMBSR_EC(p.status) == STAGE_1_FAULT, "PMSCR_EL2.EnVM 0: nVM is Effectively 0");
	p = fill(&world, nvm, envm, base);
	window_map(PAGE_USED, window_page(base));
	window_map(PAGE_USED + 1, window_page(base + PAGE));
	check(is_full(&p), "nVM: physical addresses");
	profile_decode(&p, base);
	check(!p.damage && p.count > 20, "nVM: the records are there");
	window_map(PAGE_USED, 0);
	window_map(PAGE_USED + 1, 0);
	world.hcr = BIT(0); /* VM */
	stage2_enable(true);
	stage2_map(PAGE_USED, stage2_page(page_address(20)));
	stage2_map(PAGE_USED + 1, stage2_page(page_address(21)));
	p = fill(&world, nvm, envm, base);
	profile_decode(&p, page_address(20));
	check(is_full(&p) && !p.damage && p.count > 20, "nVM: intermediate physical addresses");
	stage2_map(PAGE_USED, stage2_page(base));
	stage2_map(PAGE_USED + 1, stage2_page(base + PAGE));
	stage2_enable(false);
	window_map(PAGE_USED, window_page(base));
	window_map(PAGE_USED + 1, window_page(base + PAGE));
}

/* ---- granule protection ---------------------------------------------------------------------- */

/* Granule protection tables for physical addresses of 40 bits. An L0 entry covers 1 GiB (L0GPTSZ
 * 0), and an L1 entry covers 16 pages of 4 KiB. */
static u64 gpt_l0[1024] __attribute__((aligned(8192)));
static u64 gpt_l1[16384] __attribute__((aligned(131072)));
enum { GPI_NONE = 0, GPI_SECURE = 8, GPI_NON_SECURE = 9, GPI_ANY = 15 };

static void forget_granules(void)
{
	DSB();
	__asm__ volatile("sys #6, c8, c7, #4" : : : "memory"); /* TLBI PAALL */
	DSB();
	ISB();
}

static void granule(u64 address, u64 gpi)
{
	u64 index = (address - 0x40000000) / PAGE, shift = index % 16 * 4;

	gpt_l1[index / 16] = (gpt_l1[index / 16] & ~(UINT64_C(15) << shift)) | gpi << shift;
	forget_granules();
}

static void test_granules(void)
{
	struct world world = world_of(1, NON_SECURE);
	u64 base = page_address(PAGE_USED);
	struct profile p;

	if (!machine.has_rme) {
		skip("granule protection", "no FEAT_RME");
		return;
	}
	for (unsigned i = 0; i < COUNT(gpt_l0); i++)
		gpt_l0[i] = GPI_ANY << 4 | 1;
	for (unsigned i = 0; i < COUNT(gpt_l1); i++)
		gpt_l1[i] = ~UINT64_C(0);
	gpt_l0[1] = (u64)gpt_l1 | 3;
	DSB();
	WRITE(S3_6_C2_C1_4, (u64)gpt_l0 >> 12); /* GPTBR_EL3 */
	/* GPCCR_EL3: PPS 40 bits, write-back, inner shareable, PGS 4 KiB, GPC */
	WRITE(S3_6_C2_C1_6, 2 | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 16);
	ISB();
	forget_granules();
	p = fill(&world, 0, 0, base);
	check(is_full(&p), "granule protection lets records through");
	granule(base + PAGE, GPI_NON_SECURE);
	p = fill(&world, 0, 0, base);
	check(is_full(&p), "a Non-secure granule takes Non-secure records");
	granule(base + PAGE, GPI_SECURE);
	p = fill(&world, 0, 0, base);
	check(PMBSR_EC(p.status) == STAGE_1_FAULT && FSC(p.status) == GPF && p.end == base + PAGE,
	      "a Secure granule: a Granule Protection Fault, EC 0x24, FSC 0x28");
	if (FSC(p.status) != GPF)
		note("PMBSR_EL1 %x PMBPTR_EL1 %x", p.status, p.end);
	granule(base + PAGE, GPI_ANY);
	WRITE(S3_6_C2_C1_6, 0);
	ISB();
	forget_granules();
}

void test_memory(void)
{
	test_external_abort();
	test_hardware_management();
	test_no_translation();
	test_granules();
}
