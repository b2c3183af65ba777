/* SPDX-License-Identifier: MIT */
/* The two entry points of the image: one for an arm64 Image with a device tree, and one for a UEFI
 * application. */
#include "image.h"

void flat_main(const u8 *dtb)
{
	fdt_parse(dtb);
	if (platform.memory_found && !platform.memory_fits)
		die("the image, %u bytes from %x on, is not all in memory", image_bytes(),
		    image_first());
	image_exit(image_run());
}

u64 uefi_main(u64 handle, u64 table)
{
	u64 tree, acpi;

	uefi_begin(handle, table, &tree, &acpi);
	if (tree)
		fdt_parse((const u8 *)tree);
	else
		acpi_parse(acpi);
	platform.uart = NO_UART; /* the firmware uses the UART */
	uefi_options();
	return uefi_end(image_run());
}
