/* SPDX-License-Identifier: MIT */
/*
 * Exception levels: save and restore state, set the controls of a context, and run functions at
 * lower levels.
 *
 * Arm ARM: DDI 0487 M.a, D1.3, D24.2 (HCR_EL2, CPTR_EL2, CNTHCTL_EL2, HDFGRTR_EL2, HDFGRTR2_EL2),
 * D24.3 (MDCR_EL2).
 */
#include "image.h"

#define HCR_VM BIT(0)
#define HCR_TGE BIT(27)
#define HCR_RW BIT(31)
#define HCR_APK BIT(40)
#define HCR_API BIT(41)
#define SPSR_DAIF (BIT(9) | BIT(8) | BIT(7) | BIT(6))
#define HDFGRTR2_EL2 S3_4_C3_C1_0
#define HDFGWTR2_EL2 S3_4_C3_C1_1

static const struct context at_el1[] = {
        {"EL1", 1, 1, false, false},
        {"EL0", 0, 1, false, false},
};
static const struct context at_el2[] = {
        {"EL2", 2, 2, false, false},
        {"EL1", 1, 1, false, false},
        {"EL0", 0, 1, false, false},
        {"EL1, owned by EL2", 1, 2, false, false},
        {"EL0, owned by EL2", 0, 2, false, false},
        {"EL2 with E2H", 2, 2, true, false},
        {"EL0 under a host", 0, 2, true, true},
};
static const struct context at_el2_with_e2h[] = {
        {"EL2 with E2H", 2, 2, true, false},
        {"EL1", 1, 1, false, false},
        {"EL0", 0, 1, false, false},
        {"EL1, owned by EL2", 1, 2, false, false},
        {"EL0, owned by EL2", 0, 2, false, false},
        {"EL0 under a host", 0, 2, true, true},
};

unsigned contexts(const struct context **list)
{
	if (machine.el == 1) {
		*list = at_el1;
		return COUNT(at_el1);
	}
	if (machine.must_vhe) {
		*list = at_el2_with_e2h;
		return COUNT(at_el2_with_e2h);
	}
	*list = at_el2;
	return machine.can_vhe ? COUNT(at_el2)
	                       : COUNT(at_el2) - 2; /* the last two contexts have E2H */
}

/* Return the context of the image's own level. */
static const struct context *own_context(void)
{
	const struct context *list;

	contexts(&list);
	return &list[0];
}

const struct context *context_el1(void)
{
	return &at_el1[0];
}

const struct context *context_el0(void)
{
	return &at_el1[1];
}

enum tables tables_of(const struct context *context)
{
	return context->owner == 1 ? LOWER : OWN;
}

/* ---- saved state ----------------------------------------------------------------------------- */

/* State that UEFI needs again after the tests. A flat image starts without any. */
static struct {
	struct regime regime;
	u64 daif, vbar, mdcr, cptr;
} outside;
static bool inside;

static void keep(void)
{
	struct regime *regime = &outside.regime;

	outside.daif = READ(daif);
	if (machine.el == 1) {
		outside.vbar = READ(vbar_el1);
		*regime = (struct regime){READ(mair_el1), READ(tcr_el1), READ(ttbr0_el1),
		                          READ(sctlr_el1), 0};
		return;
	}
	outside.vbar = READ(vbar_el2);
	outside.mdcr = READ(mdcr_el2);
	outside.cptr = READ(cptr_el2);
	*regime = (struct regime){READ(mair_el2), READ(tcr_el2), READ(ttbr0_el2), READ(sctlr_el2),
	                          READ(hcr_el2)};
}

/* Trap nothing from EL1 and EL0 to EL2 until a test requests it. The values suit both layouts of
 * CPTR_EL2. */
static void open_el2(void)
{
	machine.hcr_el2 = HCR_RW | HCR_APK | HCR_API | (machine.must_vhe ? HCR_E2H : 0);
	machine.mdcr_el2 = outside.mdcr & ~(BIT(14) | BIT(13) | BIT(12) | BIT(11) | BIT(10) |
	                                    BIT(9) | BIT(8) | BIT(6) | BIT(5));
	WRITE(mdcr_el2, machine.mdcr_el2);
	WRITE(hstr_el2, 0);
	WRITE(cnthctl_el2, 3);
	WRITE(cntvoff_el2, 0);
	WRITE(vttbr_el2, 0);
	WRITE(vmpidr_el2, READ(mpidr_el1));
	WRITE(vpidr_el2, READ(midr_el1));
	ISB();
	if (machine.has_fgt) {
		WR(HDFGRTR_EL2, machine.ids.pmsidr & BIT(6) ? BIT(62) : 0);
		WR(HDFGWTR_EL2, machine.ids.pmsidr & BIT(6) ? BIT(62) : 0);
	}
	if (machine.has_fgt2) { /* nPMSDSFR_EL1, nPMBMAR_EL1 */
		WR(HDFGRTR2_EL2, BIT(19) | BIT(24));
		WR(HDFGWTR2_EL2, BIT(19) | BIT(24));
	}
	ISB();
}

#define FPEN (UINT64_C(3) << 20 | (machine.has_sve ? UINT64_C(3) << 16 : 0)) /* FPEN and ZEN */

/* Enable FP and SVE with the largest vector length. CPTR_EL2 has two layouts: one has FPEN and ZEN,
 * and the other RES1 bits and traps. */
static void open_fp(bool e2h)
{
	WRITE(cptr_el2, e2h ? FPEN : 0x32ff);
	ISB();
	if (machine.has_sve)
		WRITE(S3_4_C1_C2_0, 15); /* ZCR_EL2 */
}

void world_begin(void)
{
	__asm__ volatile("msr daifset, #15" : : : "memory");
	before_bail_out(world_end);
	exceptions.expecting = false;
	exceptions.count = 0;
	if (!inside)
		keep();
	if (machine.el == 2)
		open_el2();
	if (!inside)
		memory_controls();
	inside = true;
	if (machine.el == 1) {
		WRITE(vbar_el1, (u64)vectors_el1);
		WRITE(cpacr_el1, READ(cpacr_el1) | FPEN);
		ISB();
		if (machine.has_sve)
			WRITE(S3_0_C1_C2_0, 15); /* ZCR_EL1 */
	} else {
		WRITE(vbar_el2, (u64)vectors_el2);
		context_set(own_context());
	}
	if (machine.has_pan)
		__asm__ volatile(".inst 0xd500409f" : : : "memory"); /* MSR PAN, #0 */
	ISB();
}

void world_end(void)
{
	if (!machine.uefi || !inside)
		return;
	context_set(own_context());
	if (machine.el == 2) {
		WRITE(mdcr_el2, outside.mdcr);
		WRITE(vbar_el2, outside.vbar);
	} else {
		WRITE(vbar_el1, outside.vbar);
	}
	inside = false;
	memory_switch(&outside.regime, image_first(), image_first() + image_bytes());
	if (machine.el == 2)
		WRITE(cptr_el2, outside.cptr);
	ISB();
	WRITE(daif, outside.daif);
}

/* ---- contexts -------------------------------------------------------------------------------- */

void context_set(const struct context *context)
{
	bool e2h = context->e2h || machine.must_vhe;
	u64 hcr;

	if (machine.el == 1)
		return;
	hcr = machine.hcr_el2 | (e2h ? HCR_E2H : 0) | (context->tge ? HCR_TGE : 0);
	if ((hcr ^ READ(hcr_el2)) & HCR_E2H)
		memory_own(hcr); /* TCR_EL2 has another layout */
	else
		WRITE(hcr_el2, hcr);
	WRITE(mdcr_el2, machine.mdcr_el2 | (context->owner == 1 ? UINT64_C(3) << 12 : 0));
	ISB();
	open_fp(e2h);
	forget_translations();
}

void stage2_enable(bool on)
{
	stage2_registers(on);
	machine.hcr_el2 = (machine.hcr_el2 & ~HCR_VM) | (on ? HCR_VM : 0);
	context_set(context_el1());
}

u64 run_at(const struct context *context, u64 function, u64 argument)
{
	u64 spsr = SPSR_DAIF, result;

	exceptions.count = 0;
	if (context->el == machine.el)
		return ((u64(*)(u64))function)(argument);
	if (context->el)
		spsr |= 5; /* EL1h */
	result = enter_lower(function, argument, spsr,
	                     context->el ? (u64)leave_el1 : (u64)leave_el0);
	bail_out();
	return result;
}

u64 access_at(const struct context *context, unsigned index, bool write, u64 value)
{
	u64 result;

	exceptions.expecting = true;
	result = run_at(context, (u64)access_stubs + index * 32 + write * 16, value);
	exceptions.expecting = false;
	return result;
}

u64 access_here(unsigned index, bool write, u64 value)
{
	u64 result;

	exceptions.expecting = true;
	exceptions.count = 0;
	result = ((u64(*)(u64))((u64)access_stubs + index * 32 + write * 16))(value);
	exceptions.expecting = false;
	return result;
}

enum { EC_SVC64 = 0x15, EC_HVC64 = 0x16 };

unsigned exception(u64 vector, u64 el, u64 esr, u64 far, struct frame *frame);

/* Handle an exception. The vectors of every level call this function. Return an ACTION_. */
unsigned exception(u64 vector, u64 el, u64 esr, u64 far, struct frame *frame)
{
	u64 ec = (esr >> 26) & 63;

	if ((vector & 3) == 0 && vector >= 8 && (esr & 0xffff) == LEAVE &&
	    (ec == EC_SVC64 || ec == EC_HVC64))
		return ACTION_LEAVE;
	if ((vector & 3) != 0 || !exceptions.expecting)
		die("unexpected exception at EL%u: vector %u ESR %x FAR %x ELR %x (image at %x) "
		    "SPSR %x",
		    el, vector, esr, far, frame->elr, image_first(), frame->spsr);
	if (exceptions.count < COUNT(exceptions.taken)) {
		struct taken *taken = &exceptions.taken[exceptions.count];

		taken->el = (u8)el;
		taken->vector = (u8)vector;
		taken->esr = esr;
		taken->far = far;
		taken->elr = frame->elr;
		taken->spsr = frame->spsr;
	}
	exceptions.count++;
	if (ec != EC_SVC64 && ec != EC_HVC64)
		frame->elr += 4;
	return ACTION_RESUME;
}
