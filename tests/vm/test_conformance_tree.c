/* SPDX-License-Identifier: MIT */
/*
 * The device tree parser of the conformance image. It finds everything in a tree that libfdt makes.
 * For a tree with any damaged byte, or truncated anywhere, it never reads outside the tree.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "image.h"
#include <cmocka.h>
#include <libfdt.h>

#define SIZE 4096

struct platform platform;
static u64 memory_base[4], memory_bytes[4];
static unsigned memory_count;

void platform_memory(u64 base, u64 bytes)
{
	if (memory_count < 4) {
		memory_base[memory_count] = base;
		memory_bytes[memory_count] = bytes;
	}
	memory_count++;
}

static void cells(void *tree, const char *name, const u32 *values, unsigned count)
{
	u32 big[16];

	for (unsigned i = 0; i < count; i++)
		big[i] = cpu_to_fdt32(values[i]);
	assert_true(fdt_property(tree, name, big, (int)(4 * count)) == 0);
}
#define CELLS(tree, name, ...) \
	cells(tree, name, (const u32[]){__VA_ARGS__}, COUNT(((const u32[]){__VA_ARGS__})))

static void node(void *tree, const char *name, const char *compatible)
{
	assert_int_equal(fdt_begin_node(tree, name), 0);
	if (compatible)
		fdt_property(tree, "compatible", compatible, (int)strlen(compatible) + 1);
}

/* Make a tree with a bus that translates addresses, two UARTs (an alias names the second), and
 * other nodes. */
static void *make_tree(void)
{
	void *tree = aligned_alloc(8, SIZE);

	assert_int_equal(fdt_create(tree, SIZE), 0);
	fdt_finish_reservemap(tree);
	fdt_begin_node(tree, "");
	CELLS(tree, "#address-cells", 2);
	CELLS(tree, "#size-cells", 2);
	fdt_property_string(tree, "model", "a board");
	node(tree, "memory@80000000", NULL);
	fdt_property_string(tree, "device_type", "memory");
	CELLS(tree, "reg", 0, 0x80000000, 0, 0x40000000, 8, 0, 1, 0);
	fdt_end_node(tree);
	node(tree, "soc", "simple-bus");
	CELLS(tree, "#address-cells", 1);
	CELLS(tree, "#size-cells", 1);
	CELLS(tree, "ranges", 0, 4, 0x10000000, 0x1000000, 0x2000000, 5, 0, 0x1000000);
	node(tree, "serial@100", "ns16550a");
	CELLS(tree, "reg", 0x100, 0x100);
	fdt_end_node(tree);
	node(tree, "serial@2000300", "snps,dw-apb-uart");
	CELLS(tree, "reg-shift", 2);
	CELLS(tree, "reg", 0x2000300, 0x100);
	fdt_end_node(tree);
	node(tree, "interrupts@1000", "arm,gic-v3");
	CELLS(tree, "reg", 0x1000, 0x10000, 0x20000, 0x40000);
	fdt_end_node(tree);
	fdt_end_node(tree);
	node(tree, "psci", "arm,psci-1.0");
	fdt_property_string(tree, "method", "smc");
	fdt_end_node(tree);
	node(tree, "spe", "arm,statistical-profiling-extension-v1");
	CELLS(tree, "interrupts", 1, 5, 4);
	fdt_end_node(tree);
	node(tree, "aliases", NULL);
	fdt_property_string(tree, "serial7", "/soc/serial@2000300");
	fdt_end_node(tree);
	node(tree, "chosen", NULL);
	fdt_property_string(tree, "stdout-path", "serial7:115200n8");
	fdt_property_string(tree, "bootargs", "semihosting quiet");
	fdt_end_node(tree);
	fdt_end_node(tree);
	assert_int_equal(fdt_finish(tree), 0);
	return tree;
}

static void parse(const void *tree)
{
	memset(&platform, 0, sizeof(platform));
	memory_count = 0;
	fdt_parse(tree);
}

static void whole(void **state)
{
	void *tree = make_tree();

	(void)state;
	parse(tree);
	assert_int_equal(platform.uart, UART_16550);
	assert_int_equal(platform.uart_base, 0x500000000 + 0x300);
	assert_int_equal(platform.uart_shift, 2);
	assert_int_equal(platform.gicd, 0x410001000);
	assert_int_equal(platform.gicr, 0x410020000);
	assert_int_equal(platform.gicr_bytes, 0x40000);
	assert_int_equal(platform.spe_intid, 21);
	assert_int_equal(platform.psci, BY_SMC);
	assert_string_equal(platform.options, "semihosting quiet");
	assert_string_equal(platform.description, "a board");
	assert_int_equal(memory_count, 2);
	assert_int_equal(memory_base[1], 0x800000000);
	assert_int_equal(memory_bytes[1], 0x100000000);
	free(tree);
}

/* The tree is in memory of its exact size, so a sanitizer detects reads past the end. */
static void damaged(void **state)
{
	void *tree = make_tree();
	u32 bytes = fdt_totalsize(tree);

	(void)state;
	for (u32 at = 8; at < bytes; at++) { /* skip the magic number and the size */
		for (unsigned k = 0; k < 4; k++) {
			static const u8 values[] = {0, 0xff, 0x7f, 0x01};
			u8 *copy = malloc(bytes);

			memcpy(copy, tree, bytes);
			copy[at] = values[k];
			parse(copy);
			free(copy);
		}
	}
	free(tree);
}

static void cut_off(void **state)
{
	void *tree = make_tree();
	u32 bytes = fdt_totalsize(tree);

	(void)state;
	for (u32 size = 40; size < bytes; size++) {
		u8 *copy = malloc(size);

		memcpy(copy, tree, size);
		fdt_set_totalsize(copy, size);
		parse(copy);
		free(copy);
	}
	parse(NULL);
	assert_int_equal(platform.uart, NO_UART);
	free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(whole),
	        cmocka_unit_test(damaged),
	        cmocka_unit_test(cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
