/* SPDX-License-Identifier: MIT */
/* Started by UEFI: refused. */
#include "image.h"

#define EFI_UNSUPPORTED (BIT(63) | 3)

void uefi_put(char c);
void uefi_exit(unsigned status) __attribute__((noreturn));

void uefi_put(char c)
{
	(void)c;
}

void uefi_exit(unsigned status)
{
	(void)status;
	for (;;)
		;
}

u64 uefi_main(u64 handle, u64 table)
{
	(void)handle;
	(void)table;
	return EFI_UNSUPPORTED;
}
