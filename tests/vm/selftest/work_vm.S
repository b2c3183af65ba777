/* SPDX-License-Identifier: MIT */
/* Code to sample, in addition to conformance/work.S. It does not use a stack, so it runs at every
 * level. */
#include "layout.h"

	.text
	.balign	64
/* void sleep(u64 rounds): execute hints, WFE with an event, and WFI, which an interrupt ends; 8 operations per round. */
	.global sleep, sleep_wfi
sleep:
	sevl
	wfe
	yield
	nop
sleep_wfi:
	wfi
	nop
	subs	x0, x0, #1
	b.ne	sleep
	ret

/*
 * void devices(u64 rounds): load from a device twice in each round. After the first load comes a loop that is not
 * repeated, and after the second one an indirect branch. Each is in the same block of QEMU as its load, which makes
 * QEMU leave the block.
 */
	.global devices, devices_round, devices_reached, devices_end
devices:
	mov	x1, #UART
	adr	x4, devices_reached
devices_round:
	mov	x3, #1
	ldr	w2, [x1, #UART_FLAGS]
1:	subs	x3, x3, #1
	b.ne	1b
	ldr	w2, [x1, #UART_FLAGS]
	nop
	br	x4
devices_reached:
	subs	x0, x0, #1
	b.ne	devices_round
devices_end:
	ret

/* A32 code: count r0 down, then execute SVC (in User mode) or SMC (in Supervisor mode). */
	.balign	4
	.global work_user32, work_supervisor32
work_user32:
	.word	0xe2500001 /* subs r0, r0, #1 */
	.word	0x1afffffd /* bne work_user32 */
	.word	0xef005e5e /* svc #0x5e5e */
work_supervisor32:
	.word	0xe2500001
	.word	0x1afffffd
	.word	0xe1600070 /* smc #0 */

	.text
/* Execute 40 operations before the next switch. */
	.macro	some_work
	mov	x1, #20
8:	subs	x1, x1, #1
	b.ne	8b
	.endm

/* u64 switch_el1(u64 rounds): switch registers; an even number of rounds restores them. TCR_EL1.A1 selects one of two equal ASIDs. */
	.global switch_el1, switch_contextidr, switch_tcr
switch_el1:
	some_work
	mrs	x3, contextidr_el1
	eor	x3, x3, #1
switch_contextidr:
	msr	contextidr_el1, x3
	some_work
	mrs	x3, tcr_el1
	eor	x3, x3, #(1 << 22)
switch_tcr:
	msr	tcr_el1, x3
	subs	x0, x0, #1
	b.ne	switch_el1
	ret

/* u64 stop_and_start(u64 rounds): at EL1, or as a host at EL2, stop profiling like a driver, and start it again. */
	.global	stop_and_start
stop_and_start:
	mrs	x3, s3_0_c9_c9_0		/* PMSCR_EL1 */
	mrs	x4, s3_0_c9_c10_0		/* PMBLIMITR_EL1 */
1:	mov	x1, #50
8:	subs	x1, x1, #1
	b.ne	8b
	msr	s3_0_c9_c9_0, xzr
	isb
	hint	#17				/* PSB CSYNC */
	dsb	nsh
	msr	s3_0_c9_c10_0, xzr
	isb
	msr	s3_0_c9_c10_0, x4
	isb
	msr	s3_0_c9_c9_0, x3
	isb
	subs	x0, x0, #1
	b.ne	1b
	ret

/* u64 switch_el2(u64 rounds): switch the registers that a hypervisor changes for its guest:
 * HCR_EL2.{VM, TGE}, VTTBR_EL2. */
	.global switch_el2
switch_el2:
	some_work
	mrs	x3, hcr_el2
	eor	x3, x3, #(1 << 27)
	msr	hcr_el2, x3
	some_work
	eor	x3, x3, #1
	msr	hcr_el2, x3
	some_work
	mrs	x3, vttbr_el2
	eor	x3, x3, #(1 << 48)
	msr	vttbr_el2, x3
	subs	x0, x0, #1
	b.ne	switch_el2
	ret

/* u64 vector_lengths(void): return the bytes of a vector, and at bit 16 those of a vector in Streaming SVE mode. */
	.arch_extension sve
	.arch_extension sme
	.global vector_lengths
vector_lengths:
	rdvl	x0, #1
	rdsvl	x1, #1
	orr	x0, x0, x1, lsl #16
	ret

/* void streaming_loop(u64 rounds): use vectors outside and inside Streaming SVE mode; 17 operations per round. */
	.global streaming_loop, streaming_add, streaming_load, streaming_start, streaming_add_in
	.global streaming_load_in, streaming_outer, streaming_scalar, streaming_stop, streaming_after
streaming_loop:
	adrp	x1, streaming_data
	add	x1, x1, :lo12:streaming_data
1:	ptrue	p0.b
streaming_add:
	add	z0.s, z0.s, z1.s
streaming_load:
	ld1w	{z1.s}, p0/z, [x1]
	nop
streaming_start:
	smstart
	ptrue	p0.b
	ptrue	p1.b
streaming_add_in:
	add	z0.s, z0.s, z1.s
streaming_load_in:
	ld1w	{z1.s}, p0/z, [x1]
streaming_outer:
	fmopa	za0.s, p0/m, p1/m, z0.s, z1.s
streaming_scalar:
	add	x2, x2, #1
	nop
streaming_stop:
	smstop
streaming_after:
	add	x2, x2, #1
	nop
	subs	x0, x0, #1
	b.ne	1b
	ret
	.section .bss
	.balign	256
streaming_data:
	.skip	256
	.text

/* ---- Profiling exceptions ----------------------------------------------------------------------- */

/* u64 raise_el1(u64 value): write an event to PMBSR_EL1, then a Context synchronization event. */
	.global raise_el1, raise_el1_isb, raise_el1_after
raise_el1:
	msr	S3_0_C9_C10_3, x0
raise_el1_isb:
	isb
raise_el1_after:
	mov	x0, #1
	ret

/* u64 unmask_immediate(u64), u64 unmask_register(u64 pm): write PSTATE.PM, then a Context synchronization event. */
	.global unmask_immediate, unmask_immediate_isb, unmask_immediate_after
unmask_immediate:
	.inst	0xd501421f		/* MSR PM, #0 */
unmask_immediate_isb:
	isb
unmask_immediate_after:
	mov	x0, #1
	ret

	.global unmask_register, unmask_register_isb, unmask_register_after
unmask_register:
	msr	S3_0_C4_C3_1, x0	/* PM */
unmask_register_isb:
	isb
unmask_register_after:
	mov	x0, #1
	ret

/* u64 illegal_return(u64 spsr): return with an illegal SPSR_EL1; returns PM. */
	.global illegal_return, illegal_return_after
illegal_return:
	msr	spsr_el1, x0
	adr	x1, illegal_return_after
	msr	elr_el1, x1
	eret
illegal_return_after:
	mrs	x0, S3_0_C4_C3_1
	ret

/* u64 drained(u64), u64 drained_at_once(u64): execute operations, PSB CSYNC, and a Context synchronization event. */
	.macro	drain name, before
	.global \name, \name\()_after
\name:
	.rept	24
	nop
	.endr
	\before
	hint	#17
	isb
\name\()_after:
	mov	x0, #1
	ret
	.endm
	drain	drained, isb
	drain	drained_at_once, nop

	.balign	16
	.global pm_stubs
pm_stubs:
	.irp	insn, 0xd5384320, 0xd5184320, 0xd501421f, 0xd501431f, 0xd53c9a60, 0xd53d9a60, 0xd53e9a60
	.inst	\insn
	ret
	nop
	nop
	.endr
