/* SPDX-License-Identifier: MIT */
/*
 * Entry, exception vectors of EL1, EL2 and EL3, and the transitions to a lower Exception level and back.
 *
 * Arm ARM: DDI 0487 M.a, D1.3 (exception entry), D24.2.
 *
 * Every PE starts at _start, at the highest Exception level of the machine. A function at a lower Exception level
 * returns through leave_el1 or leave_el0. Their SMC or SVC with the immediate LEAVE returns to the caller of
 * enter_lower().
 */
#include "layout.h"

	.section .text.start, "ax"
	.global _start
_start:
	mrs	x19, mpidr_el1
	and	x19, x19, #0xff
	mrs	x20, CurrentEL
	lsr	x20, x20, #2
	msr	spsel, #1
	adrp	x0, stacks
	add	x0, x0, :lo12:stacks
	add	x1, x19, #1
	mov	x2, #STACK_BYTES
	madd	x0, x1, x2, x0
	mov	sp, x0
	cmp	x20, #3
	b.eq	1f
	cmp	x20, #2
	b.eq	2f
	adr	x0, vectors_el1
	msr	vbar_el1, x0
	b	3f
1:	adr	x0, vectors_el3
	msr	vbar_el3, x0
	b	3f
2:	adr	x0, vectors_el2
	msr	vbar_el2, x0
3:	isb
	cbnz	x19, 5f
	/* The first PE clears the memory that the image does not initialize, before any other PE
	 * reads it. */
	adrp	x0, bss_begin
	add	x0, x0, :lo12:bss_begin
	adrp	x1, bss_end
	add	x1, x1, :lo12:bss_end
4:	str	xzr, [x0], #8
	cmp	x0, x1
	b.lo	4b
	mov	x0, x20
	bl	primary_main
6:	wfi
	b	6b
5:	adrp	x0, released
	ldr	w0, [x0, :lo12:released]
	cbz	w0, 5b
	dmb	ish
	mov	x0, x19
	mov	x1, x20
	bl	secondary_main
	b	6b

/* void psci_entry(void): entry of a PE that CPU_ON starts. */
	.global psci_entry
psci_entry:
	b	_start

/* ---- exceptions -------------------------------------------------------------------------------- */

#include "vectors.inc"

	vectors	1
	vectors	2
	vectors	3

/* A call from EL0 to EL1 or EL2 that leaves the world: continue to EL3 with EL0's x0. */
leave_handler_el1:
leave_handler_el2:
	ldr	x0, [sp]
	add	sp, sp, #FRAME
	smc	#LEAVE
	b	.

/* A lower Exception level is finished: return to the caller of enter_lower() with the x0 of that
 * level. */
leave_handler_el3:
	ldr	x0, [sp]
	mrs	x1, tpidr_el3
	restore_caller x1, x2
	ret

/*
 * u64 enter_lower(const struct entry *entry): enter a lower level with {elr, spsr, argument, return address, SP_EL0,
 * SP_EL1, SP_EL2}. Called at EL3 only. Returns the x0 with which the function left.
 */
	.global enter_lower
enter_lower:
	mrs	x1, tpidr_el3
	save_caller x1, x2
	ldp	x1, x2, [x0]
	msr	elr_el3, x1
	msr	spsr_el3, x2
	ldp	x1, x30, [x0, #16]
	ldp	x3, x4, [x0, #32]
	msr	sp_el0, x3
	msr	sp_el1, x4
	ldr	x3, [x0, #48]
	msr	sp_el2, x3
	mov	x0, x1
	eret

	.global leave_el1
leave_el1:
	smc	#LEAVE
	b	.
	.global leave_el0
leave_el0:
	svc	#LEAVE
	b	.

/* u64 psci(u64 function, u64 argument1, u64 argument2): call PSCI by HVC at EL1 and by SMC at EL2 */
	.global psci
psci:
	mov	x3, #0
	mrs	x4, CurrentEL
	cmp	x4, #(1 << 2)
	b.eq	1f
	smc	#0
	ret
1:	hvc	#0
	ret

/* ---- semihosting (A64: HLT #0xF000) ------------------------------------------------------------- */

/* u64 semihosting(u64 operation, const void *block) */
	.global semihosting
semihosting:
	hlt	#0xf000
	ret

/* ---- register accesses: one MRS and one MSR of each register with x3, 16 bytes each ---------- */

	.macro	access_pair op0, op1, crn, crm, op2
	mrs	x3, S\op0\()_\op1\()_C\crn\()_C\crm\()_\op2
	mov	x0, x3
	ret
	nop
	mov	x3, x0
	msr	S\op0\()_\op1\()_C\crn\()_C\crm\()_\op2, x3
	ret
	nop
	.endm

	.balign	16
	.global access_stubs
access_stubs:
#define X(name, op1, crm, op2) access_pair 3, op1, 9, crm, op2;
	SPE_REGISTERS(X)
#undef X
	.global snapshot_stubs
snapshot_stubs:
#define X(name, op0, crn, crm, op2) access_pair op0, 0, crn, crm, op2;
	SNAPSHOT_REGISTERS(X)
#undef X

/* The stacks: each PE has one for the level of boot and three for the lower levels; see
 * run_at(). */
	.section .stacks, "aw", @nobits
	.balign	16
	.global stacks
stacks:
	.skip	(CPUS + 1) * 4 * STACK_BYTES
