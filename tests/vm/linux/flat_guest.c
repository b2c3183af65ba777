/* SPDX-License-Identifier: MIT */
/*
 * A guest of monitor.c without an operating system, at EL1 with its MMU off. It prints "REGISTER
 * VALUE" or "REGISTER UNDEFINED" for each SPE register, loops LOOPS times, and powers off.
 */
#include <stdint.h>

#include "monitor.h"

#define LOOPS 10000000

extern char vectors[];

extern volatile uint64_t syndrome; /* set by the exception handlers below */
volatile uint64_t syndrome;

/* An exception with EC 0 is that of an UNDEFINED instruction. The handler skips the instruction. */
__asm__("	.text\n" /* at the start of the image, with -fno-toplevel-reorder */
        "	.global _start\n"
        "_start:\n"
        "	adrp	x0, stack_end\n"
        "	add	sp, x0, :lo12:stack_end\n"
        "	bl	flat_main\n"
        "	b	.\n"
        "	.balign	2048\n"
        "vectors:\n"
        "	.fill	128, 4, 0xd503207f\n" /* WFI */
        "	mrs	x16, esr_el1\n"
        "	adrp	x17, syndrome\n"
        "	str	x16, [x17, :lo12:syndrome]\n"
        "	mrs	x16, elr_el1\n"
        "	add	x16, x16, #4\n"
        "	msr	elr_el1, x16\n"
        "	eret\n"
        "	.bss\n"
        "	.balign	16\n"
        "	.skip	4096\n"
        "stack_end:\n"
        "	.text\n");

static void print(const char *text)
{
	for (; *text; text++)
		__asm__ volatile("str %w0, [%1]" ::"r"((uint32_t)*text),
		                 "r"((uint64_t)MONITOR_CONSOLE)
		                 : "memory");
}

static void print_number(uint64_t value)
{
	char digit[2] = "";

	print("0x");
	for (int shift = 60; shift >= 0; shift -= 4) {
		digit[0] = "0123456789abcdef"[value >> shift & 15];
		print(digit);
	}
}

/* Print a register. An exception changes syndrome, and uses x16 and x17. */
#define REPORT(NAME, REGISTER)                                                               \
	do {                                                                                 \
		uint64_t value = 0;                                                          \
		syndrome = UINT64_MAX;                                                       \
		__asm__ volatile("mrs %0, " REGISTER : "+r"(value)::"x16", "x17", "memory"); \
		print(NAME " ");                                                             \
		if (syndrome == UINT64_MAX)                                                  \
			print_number(value);                                                 \
		else                                                                         \
			print(syndrome >> 26 ? "trapped" : "UNDEFINED");                     \
		print("\n");                                                                 \
	} while (0)

static void loop(void)
{
	uint64_t left = LOOPS;

	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left)::"cc");
}

static void power_off(void)
{
	register uint64_t function __asm__("x0") = 0x84000008; /* PSCI SYSTEM_OFF, DEN0022 */

	__asm__ volatile("hvc #0" : "+r"(function)::"memory");
}

void flat_main(void);
void flat_main(void)
{
	__asm__ volatile("msr vbar_el1, %0\n\tisb" ::"r"(vectors));
	REPORT("ID_AA64DFR0_EL1", "id_aa64dfr0_el1");
	REPORT("PMSIDR_EL1", "s3_0_c9_c9_7");
	REPORT("PMBIDR_EL1", "s3_0_c9_c10_7");
	REPORT("PMSCR_EL1", "s3_0_c9_c9_0");
	REPORT("PMBLIMITR_EL1", "s3_0_c9_c10_0");
	loop();
	print("end\n");
	power_off();
}
