/* SPDX-License-Identifier: MIT */
/*
 * The console and the end of the image. Under UEFI, the console is that of the firmware. Otherwise,
 * it is a UART that the device tree names. A flat image ends by semihosting, which reports its
 * status, or by PSCI if semihosting is missing.
 *
 * Sources: the PL011 (DDI 0183) and 16550 UARTs; PSCI (DEN0022) 5.1; semihosting for AArch64
 * (SYS_EXIT_EXTENDED).
 */
#include "image.h"

#define SYSTEM_OFF 0x84000008
#define PATIENCE 1000000

static u32 uart_read(unsigned offset)
{
	return *(volatile u32 *)(platform.uart_base + offset);
}

static void uart_put(u8 c)
{
	if (platform.uart == UART_PL011) {
		for (unsigned i = 0; i < PATIENCE && uart_read(0x18) & BIT(5); i++) /* FR.TXFF */
			;
		*(volatile u32 *)platform.uart_base = c;
	} else if (platform.uart == UART_16550 && platform.uart_shift == 2) {
		for (unsigned i = 0; i < PATIENCE && !(uart_read(5 << 2) & 0x20);
		     i++) /* LSR.THRE */
			;
		*(volatile u32 *)platform.uart_base = c;
	} else if (platform.uart == UART_16550) {
		volatile u8 *status =
		        (volatile u8 *)(platform.uart_base + (5U << platform.uart_shift));

		for (unsigned i = 0; i < PATIENCE && !(*status & 0x20); i++)
			;
		*(volatile u8 *)platform.uart_base = c;
	}
}

void console_put(char c)
{
	if (machine.uefi) {
		uefi_put(c);
		return;
	}
	if (c == '\n')
		uart_put('\r');
	uart_put((u8)c);
}

/* End with SYS_EXIT_EXTENDED. Without semihosting, its instruction is UNDEFINED, and the function
 * returns. */
static void semihosting_exit(unsigned status)
{
	u64 block[2] = {0x20026, status}; /* ADP_Stopped_ApplicationExit */
	unsigned el = READ(CurrentEL) >> 2 & 3;

	if (el == 2)
		WRITE(vbar_el2, (u64)vectors_el2);
	else if (el == 1)
		WRITE(vbar_el1, (u64)vectors_el1);
	else
		return;
	ISB();
	exceptions.expecting = true;
	semihosting(0x20, block);
}

void image_exit(unsigned status)
{
	if (machine.uefi)
		uefi_exit(status);
	semihosting_exit(status);
	if (platform.psci == BY_HVC)
		hvc_call(SYSTEM_OFF);
	if (platform.psci == BY_SMC)
		smc_call(SYSTEM_OFF);
	for (;;)
		__asm__ volatile("wfi");
}
