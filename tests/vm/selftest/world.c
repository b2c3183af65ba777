/* SPDX-License-Identifier: MIT */
/*
 * Worlds: an Exception level, a Security state and the controls of EL2 and EL3 that belong to them.
 *
 * Arm ARM: DDI 0487 M.a, D1.1, D1.2 (Security states), D24.2 (SCR_EL3, HCR_EL2, MDCR_EL2,
 * MDCR_EL3).
 */
#include "runtime.h"

#define SCR_NS BIT(0)
#define SCR_HCE BIT(8)
#define SCR_RW BIT(10)
#define SCR_APK BIT(16)
#define SCR_API BIT(17)
#define SCR_EEL2 BIT(18)
#define SCR_FGTEN BIT(27)
#define SCR_NSE BIT(62)
#define HCR_TGE BIT(27)
#define HCR_RW BIT(31)
#define HCR_E2H BIT(34)
#define HCR_APK BIT(40)
#define HCR_API BIT(41)
#define SPSR_DAIF (BIT(9) | BIT(8) | BIT(7) | BIT(6))

extern char stacks[];

struct world world_of(unsigned el, enum security security)
{
	struct world world = {
	        .el = (u8)el,
	        .security = (u8)security,
	        .eel2 = security == SECURE && machine.has_sel2,
	        .nspbe = security == REALM,
	        .nspb = security == SECURE ? 1 : 3,
	        .e2pb = 3,
	};

	return world;
}

bool world_exists(const struct world *world)
{
	bool el2 = machine.has_el2 && (world->security != SECURE || world->eel2);

	if (world->security == REALM && !machine.has_rme)
		return false;
	if (world->security == SECURE && world->eel2 && !machine.has_sel2)
		return false;
	if (world->el == 2 && !el2)
		return false;
	if (world->e2h && !machine.has_vhe)
		return false;
	if (world->aarch32 && !(world->el == 0 ? machine.el0_aarch32 : machine.el1_aarch32))
		return false;
	if (world->el == 1 && world->tge && el2)
		return false; /* TGE hides EL1 (D1.1) */
	return true;
}

const char *world_name(const struct world *world)
{
	static char name[24];
	static const char *const states[] = {"Secure", "Non-secure", "Root", "Realm"};
	const char *from = states[world->security];
	char *to = name;

	while (*from)
		*to++ = *from++;
	*to++ = ' ';
	*to++ = 'E';
	*to++ = 'L';
	*to++ = (char)('0' + world->el);
	*to = 0;
	return name;
}

void world_set(const struct world *world)
{
	u64 scr = SCR_RW | SCR_HCE | SCR_APK | SCR_API | SCR_FGTEN | 0x30 | world->scr;
	u64 hcr = HCR_APK | HCR_API | world->hcr;
	bool el1_32 = world->aarch32 && world->el == 1;
	bool el2 = machine.has_el2 && (world->security != SECURE || world->eel2);

	if (world->security == NON_SECURE || world->security == REALM)
		scr |= SCR_NS;
	if (world->security == REALM)
		scr |= SCR_NSE;
	if (world->eel2)
		scr |= SCR_EEL2;
	if (el1_32 && !el2)
		scr &= ~SCR_RW;
	if (!el1_32)
		hcr |= HCR_RW;
	if (world->e2h)
		hcr |= HCR_E2H;
	if (world->tge)
		hcr |= HCR_TGE;
	WRITE(scr_el3, scr);
	WRITE(mdcr_el3, (machine.mdcr_el3 & ~world->without) | (u64)world->nspb << 12 |
	                        (u64)world->nspbe << 11 | world->mdcr3);
	if (machine.has_el2) {
		WRITE(hcr_el2, hcr);
		WRITE(mdcr_el2, machine.mdcr_el2 | (u64)world->e2pb << 12 | (u64)world->tpms << 14);
		if (machine.has_fgt) {
			WRITE(S3_4_C3_C1_4, world->hdfgrtr);
			WRITE(S3_4_C3_C1_5, world->hdfgwtr);
		}
	}
	ISB();
}

u64 run_at(const struct world *world, u64 function, u64 argument)
{
	world_set(world);
	return run_here(world, function, argument);
}

u64 run_here(const struct world *world, u64 function, u64 argument)
{
	struct cpu *cpu = this_cpu();
	/* Each PE has four stacks. EL3 uses the stack on which the PE started; see start.S. */
	u64 top = (u64)stacks + (CPUS + 1) * STACK_BYTES + cpu->index * 3 * STACK_BYTES;
	struct entry entry = {
	        .elr = function,
	        .argument = argument,
	        .lr = world->el == 0 ? (u64)leave_el0 : (u64)leave_el1,
	        .sp_el0 = top + STACK_BYTES,
	        .sp_el1 = top + 2 * STACK_BYTES,
	        .sp_el2 = top + 3 * STACK_BYTES,
	        .spsr = SPSR_DAIF,
	};

	if (world->serror)
		entry.spsr &= ~BIT(8);
	if (world->irq)
		entry.spsr &= ~BIT(7);
	if (world->pm)
		entry.spsr |= BIT(32);
	if (world->aarch32) /* A32: User or Supervisor */
		entry.spsr = (entry.spsr & ~BIT(9)) | BIT(4) | (world->el == 0 ? 0 : 3);
	else
		entry.spsr |= (u64)world->el << 2 | (world->el != 0);
	cpu->taken_count = 0;
	WRITE(tpidr_el3, cpu->saved);
	return enter_lower(&entry);
}
