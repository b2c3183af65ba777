/* SPDX-License-Identifier: MIT */
/*
 * A file with two headers: that of an arm64 Image, which begins with "MZ", and that of a UEFI application. They are
 * followed by the parts of the image in assembly: relocation, exception vectors, transitions to a lower Exception level
 * and back, and register accesses.
 *
 * Sources: the boot protocol of arm64 Images; the PE/COFF format (machine 0xaa64, PE32+, subsystem 10: EFI
 * application); SMCCC (DEN0028); Arm ARM: DDI 0487 M.a, D1.3 (exception entry), D24.2.
 */
#include "image.h"

	.section .head, "ax"
	.global image_begin
	.hidden image_begin
image_begin:
	.inst	0xfa405a4d		/* "MZ", and CCMP X18, #0, #0xd, PL: no effect here */
	b	flat_entry
	.quad	0			/* offset of the image in a 2 MiB region */
	.long	image_size, 0
	.quad	0xa			/* little-endian, 4 KiB pages, anywhere in memory */
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.long	pe_header - image_begin

	.balign	8
pe_header:
	.ascii	"PE\0\0"
	.short	0xaa64
	.short	2			/* sections */
	.long	0, 0, 0
	.short	section_table - optional_header
	.short	0x206			/* executable, without line numbers and debug information */
optional_header:
	.short	0x20b
	.byte	1, 0
	.long	text_size
	.long	data_size
	.long	0
	.long	uefi_entry - image_begin
	.long	section_begin - image_begin
	.quad	0			/* any address */
	.long	4096, 512		/* alignment in memory and in the file */
	.short	0, 0, 1, 0, 0, 0
	.long	0
	.long	image_size
	.long	section_begin - image_begin
	.long	0
	.short	10			/* EFI application */
	.short	0x100			/* data need not be executable */
	.quad	0, 0, 0, 0
	.long	0
	.long	6			/* directories, all empty, because the image relocates itself */
	.quad	0, 0, 0, 0, 0, 0
section_table:
	.ascii	".text\0\0\0"
	.long	text_size, section_begin - image_begin
	.long	text_size, section_begin - image_begin
	.long	0, 0, 0
	.long	0x60000020		/* code, read, execute */
	.ascii	".data\0\0\0"
	.long	data_size, data_offset
	.long	data_file_size, data_offset
	.long	0, 0, 0
	.long	0xc0000040		/* data, read, write */

	.balign	4096
section_begin:

	.text
/* X0 is the device tree. The MMU is off. No boot loader starts an Image at EL3. */
flat_entry:
	msr	daifset, #15
	mov	x19, x0
	adr	x0, image_begin
	adrp	x20, bss_begin
	add	x20, x20, :lo12:bss_begin
	adrp	x21, bss_end
	add	x21, x21, :lo12:bss_end
	/* Clean the image from the caches to memory, because memory accesses without an MMU read it
	 * there. */
	mrs	x2, ctr_el0
	ubfx	x2, x2, #16, #4
	mov	x3, #4
	lsl	x22, x3, x2
1:	dc	civac, x0
	add	x0, x0, x22
	cmp	x0, x21
	b.lo	1b
	dsb	sy
	mov	x0, x20
2:	str	xzr, [x0], #8
	cmp	x0, x21
	b.lo	2b
	dsb	sy
	ic	iallu
	dsb	sy
	msr	spsel, #1
	isb
	adrp	x0, stack_end
	add	x0, x0, :lo12:stack_end
	mov	sp, x0
	bl	relocate
	mov	x0, x19
	bl	flat_main
3:	wfi
	b	3b

/* X0 is the handle of the image, and X1 the system table. The state and the stack of UEFI remain in
 * use. */
uefi_entry:
	stp	x29, x30, [sp, #-32]!
	stp	x0, x1, [sp, #16]
	bl	relocate
	/* Clean the copied image to memory, because fetches without an MMU read it there. */
	adr	x1, image_begin
	adrp	x2, bss_end
	add	x2, x2, :lo12:bss_end
	bl	lose_cached
	ldp	x0, x1, [sp, #16]
	bl	uefi_main
	ldp	x29, x30, [sp], #32
	ret

/* The link address of the image is 0. */
relocate:
	adr	x0, image_begin
	adrp	x1, rela_begin
	add	x1, x1, :lo12:rela_begin
	adrp	x2, rela_end
	add	x2, x2, :lo12:rela_end
1:	cmp	x1, x2
	b.hs	2f
	ldp	x3, x4, [x1]		/* offset, type */
	ldr	x5, [x1, #16]		/* addend */
	add	x1, x1, #24
	cmp	w4, #1027		/* R_AARCH64_RELATIVE is the only type */
	b.ne	1b
	add	x5, x5, x0
	str	x5, [x0, x3]
	b	1b
2:	ret

/*
 * void memory_switch(const struct regime *regime, u64 first, u64 end): set MAIR, TCR, TTBR0 and SCTLR of the image's
 * own level, and HCR_EL2 at EL2. Between the old and the new regime, the MMU is off, and nothing is read or written. If
 * the MMU was off before, the lines of the caches from first to end are invalidated.
 */
	.global memory_switch
memory_switch:
	ldp	x3, x4, [x0]
	ldp	x5, x6, [x0, #16]
	ldr	x7, [x0, #32]
	mrs	x8, CurrentEL
	cmp	x8, #(2 << 2)
	b.eq	2f
	mrs	x9, sctlr_el1
	tbnz	w9, #0, 1f
	mov	x10, x30
	bl	lose_cached
	mov	x30, x10
	mrs	x9, sctlr_el1
1:	bic	x9, x9, #1
	msr	sctlr_el1, x9
	isb
	msr	mair_el1, x3
	msr	tcr_el1, x4
	msr	ttbr0_el1, x5
	isb
	tlbi	vmalle1
	dsb	sy
	isb
	msr	sctlr_el1, x6
	isb
	ret
2:	mrs	x9, sctlr_el2
	tbnz	w9, #0, 3f
	mov	x10, x30
	bl	lose_cached
	mov	x30, x10
	mrs	x9, sctlr_el2
3:	bic	x9, x9, #1
	msr	sctlr_el2, x9
	isb
	msr	hcr_el2, x7
	isb
	msr	mair_el2, x3
	msr	tcr_el2, x4
	msr	ttbr0_el2, x5
	isb
	tlbi	alle2
	tlbi	alle1
	tlbi	vmalle1
	dsb	sy
	isb
	msr	sctlr_el2, x6
	isb
	ret

lose_cached:
	mrs	x11, ctr_el0
	ubfx	x11, x11, #16, #4
	mov	x12, #4
	lsl	x11, x12, x11
1:	dc	civac, x1
	add	x1, x1, x11
	cmp	x1, x2
	b.lo	1b
	dsb	sy
	ret

/* void with_own_stack(void (*function)(void)) */
	.global with_own_stack
with_own_stack:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	adrp	x1, test_stack_end
	add	x1, x1, :lo12:test_stack_end
	mov	sp, x1
	blr	x0
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	ret

/* ---- exceptions -------------------------------------------------------------------------------- */

#include "vectors.inc"

	vectors	1
	vectors	2

/* EL1 returns to the caller if the image is at EL1. Otherwise it passes X0 on to EL2. */
leave_handler_el1:
	adrp	x1, machine
	ldr	w1, [x1, :lo12:machine]	/* machine.el */
	cmp	w1, #1
	b.eq	leave_handler_el2
	ldr	x0, [sp]
	add	sp, sp, #FRAME
	hvc	#LEAVE
	b	.

leave_handler_el2:
	ldr	x0, [sp]
	adrp	x1, lower_saved
	add	x1, x1, :lo12:lower_saved
	restore_caller x1, x2
	ret

/* u64 enter_lower(u64 function, u64 argument, u64 spsr, u64 return address): uses separate
 * stacks */
	.global enter_lower
enter_lower:
	adrp	x4, lower_saved
	add	x4, x4, :lo12:lower_saved
	save_caller x4, x5
	mov	x30, x3
	adrp	x5, lower_stack_end
	add	x5, x5, :lo12:lower_stack_end
	msr	sp_el0, x5
	adrp	x6, machine
	ldr	w6, [x6, :lo12:machine]
	cmp	w6, #1
	b.eq	1f
	sub	x5, x5, #0x2000
	msr	sp_el1, x5
	msr	elr_el2, x0
	msr	spsr_el2, x2
	b	2f
1:	msr	elr_el1, x0
	msr	spsr_el1, x2
2:	mov	x0, x1
	isb
	eret

	.global leave_el1, leave_el0
leave_el1:
	hvc	#LEAVE
	b	.
leave_el0:
	svc	#LEAVE
	b	.

/* u64 smc_call(u64 function), u64 hvc_call(u64 function): without arguments */
	.global smc_call, hvc_call
smc_call:
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	smc	#0
	ret
hvc_call:
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	hvc	#0
	ret

/* u64 semihosting(u64 operation, const void *block) */
	.global semihosting
semihosting:
	hlt	#0xf000
	ret

/* ---- register accesses: one MRS and one MSR of each register with x3, 16 bytes each ---------- */

	.macro	access_pair op1, crm, op2
	mrs	x3, S3_\op1\()_C9_C\crm\()_\op2
	mov	x0, x3
	ret
	nop
	mov	x3, x0
	msr	S3_\op1\()_C9_C\crm\()_\op2, x3
	ret
	nop
	.endm

	.balign	16
	.global access_stubs
access_stubs:
#define X(name, op1, crm, op2) access_pair op1, crm, op2;
	SPE_REGISTERS(X)
#undef X

/* u64 floating(u64 rounds): execute FMUL, FADD, an Advanced SIMD ADD and a load of a vector register; 8 operations per round */
	.global floating, floating_fp, floating_simd, floating_load
floating:
	adrp	x1, work_data
	add	x1, x1, :lo12:work_data
1:	nop
floating_fp:
	fmul	d0, d1, d2
	nop
floating_simd:
	add	v3.4s, v4.4s, v5.4s
	nop
floating_load:
	ldr	q6, [x1]
	subs	x0, x0, #1
	b.ne	1b
	ret

/*
 * u64 scalable(u64 rounds): execute SVE operations with all, one and none of the elements, and without a predicate; 8
 * operations per round. Returns the length of a vector in bytes.
 */
	.arch_extension sve
	.global scalable, scalable_all, scalable_one, scalable_none, scalable_plain, scalable_load, scalable_store
scalable:
	adrp	x1, work_data
	add	x1, x1, :lo12:work_data
	mov	x4, #1
	ptrue	p0.s
	whilelo	p1.s, xzr, x4
	pfalse	p2.b
1:
scalable_all:
	add	z0.s, p0/m, z0.s, z1.s
scalable_one:
	fadd	z2.s, p1/m, z2.s, z3.s
scalable_none:
	add	z4.s, p2/m, z4.s, z5.s
scalable_plain:
	add	z6.s, z7.s, z8.s
scalable_load:
	ld1w	{z9.s}, p0/z, [x1]
scalable_store:
	st1w	{z9.s}, p0, [x1]
	subs	x0, x0, #1
	b.ne	1b
	rdvl	x0, #1
	ret

/* u64 calling(u64 rounds): execute a call, a return, and a branch that is never taken; 6 operations per round */
	.global calling, calling_bl, calling_ret, calling_never
calling:
	mov	x4, x30
1:
calling_bl:
	bl	calling_function
	subs	x0, x0, #1
calling_never:
	b.mi	calling_function
	b.ne	1b
	mov	x30, x4
	ret
calling_function:
	nop
calling_ret:
	ret

	.bss
	.balign	16
lower_saved:
	.skip	112
	.balign	4096
	.skip	0x8000
stack_end:
	.skip	0x8000
test_stack_end:
	.skip	0x4000
lower_stack_end:
