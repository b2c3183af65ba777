/* SPDX-License-Identifier: MIT */
/*
 * The firmware under UEFI. Its boot services stay available, and the image uses its console. Each
 * test runs with the image's own translation tables and vectors, without interrupts. Its output is
 * shown when the firmware's state has been restored.
 *
 * Source: UEFI 2.10, 4.3 (the system table), 4.6 (configuration tables), 7.4.6 (SetWatchdogTimer),
 * 8.5.1 (ResetSystem), 9.1 (EFI_LOADED_IMAGE_PROTOCOL), 12.4.3 (OutputString).
 */
#include "image.h"

#define EFI_ABORTED (BIT(63) | 21)
#define EFI_UNSUPPORTED (BIT(63) | 3)
#define SHUTDOWN 2

/* Offsets in the firmware's tables */
enum {
	SYSTEM_CON_OUT = 64,
	SYSTEM_RUNTIME = 88,
	SYSTEM_BOOT = 96,
	SYSTEM_TABLE_COUNT = 104,
	SYSTEM_TABLES = 112,
	CON_OUT_STRING = 8,
	RUNTIME_RESET = 104,
	BOOT_HANDLE_PROTOCOL = 152,
	BOOT_EXIT = 216,
	BOOT_WATCHDOG = 256,
	LOADED_OPTIONS_BYTES = 48,
	LOADED_OPTIONS = 56,
	TABLE_BYTES = 24,
};

typedef u64 (*firmware)(u64, u64, u64, u64);

static const u8 device_tree_guid[16] = {0xd5, 0x21, 0xb6, 0xb1, 0x9c, 0xf1, 0xa5, 0x41,
                                        0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0};
static const u8 acpi_guid[16] = {0x71, 0xe8, 0x68, 0x88, 0xf1, 0xe4, 0xd3, 0x11,
                                 0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81};
static const u8 loaded_image_guid[16] = {0xa1, 0x31, 0x1b, 0x5b, 0x62, 0x95, 0xd2, 0x11,
                                         0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b};

static u64 image_handle, system_table;
static u16 line[128];
static unsigned line_length;

static u64 at(u64 table, unsigned offset)
{
	return *(u64 *)(table + offset);
}

static u64 call(u64 table, unsigned offset, u64 a, u64 b, u64 c, u64 d)
{
	return ((firmware)at(table, offset))(a, b, c, d);
}

static void show_line(void)
{
	u64 console = at(system_table, SYSTEM_CON_OUT);

	line[line_length] = 0;
	line_length = 0;
	if (console)
		call(console, CON_OUT_STRING, console, (u64)line, 0, 0);
}

void uefi_put(char c)
{
	if (c == '\n')
		line[line_length++] = '\r';
	line[line_length++] = (u8)c;
	if (c == '\n' || line_length >= COUNT(line) - 3)
		show_line();
}

u64 uefi_end(unsigned status)
{
	if (line_length)
		show_line();
	if (option("poweroff"))
		call(at(system_table, SYSTEM_RUNTIME), RUNTIME_RESET, SHUTDOWN, 0, 0, 0);
	switch (status) {
	case EXIT_PASSED:
		return 0;
	case EXIT_NOTHING_TESTED:
		return EFI_UNSUPPORTED;
	default:
		return EFI_ABORTED;
	}
}

void uefi_exit(unsigned status)
{
	u64 end = uefi_end(status);

	for (;;)
		call(at(system_table, SYSTEM_BOOT), BOOT_EXIT, image_handle, end, 0, 0);
}

static bool equal(const u8 *a, const u8 *b)
{
	for (unsigned i = 0; i < 16; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* Find the firmware's descriptions of the machine. A missing description is 0. */
static void find_tables(u64 *tree, u64 *acpi)
{
	u64 tables = at(system_table, SYSTEM_TABLES);

	*tree = *acpi = 0;
	for (u64 i = 0; i < at(system_table, SYSTEM_TABLE_COUNT); i++) {
		u64 entry = tables + i * TABLE_BYTES;

		if (equal((const u8 *)entry, device_tree_guid))
			*tree = at(entry, 16);
		if (equal((const u8 *)entry, acpi_guid))
			*acpi = at(entry, 16);
	}
}

/* Read the words with which the shell or the boot manager has started the image. */
void uefi_options(void)
{
	u64 loaded = 0, bytes, from;
	unsigned i;

	if (call(at(system_table, SYSTEM_BOOT), BOOT_HANDLE_PROTOCOL, image_handle,
	         (u64)loaded_image_guid, (u64)&loaded, 0) ||
	    !loaded)
		return;
	bytes = at(loaded, LOADED_OPTIONS_BYTES) & 0xffffffff;
	from = at(loaded, LOADED_OPTIONS);
	for (i = 0; from && i + 1 < sizeof(platform.options) && 2 * i + 1 < bytes; i++) {
		u16 c = *(u16 *)(from + 2 * (u64)i);

		if (!c || c > 126)
			break;
		platform.options[i] = (char)c;
	}
	platform.options[i] = 0;
}

void uefi_begin(u64 handle, u64 table, u64 *tree, u64 *acpi)
{
	image_handle = handle;
	system_table = table;
	machine.uefi = true;
	call(at(system_table, SYSTEM_BOOT), BOOT_WATCHDOG, 0, 0, 0, 0);
	find_tables(tree, acpi);
}
