/* SPDX-License-Identifier: MIT */
/*
 * Test the description of packets in words. The expected lines are those that perf 6.1 prints for
 * these bytes, derived by hand from perf's format. The first table begins with packets of published
 * dumps. The second table contains the packets that perf 6.1 leaves out.
 *
 * Arm ARM: DDI 0487 M.a, D18.2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>

struct line {
	const char *bytes; /* hexadecimal */
	const char *words;
};

static const struct line perf_lines[] = {
        /* A load and a branch from a Neoverse N1 server. */
        {"b0 d0 c2 a1 ed 66 ba ff c0", "PC 0xffba66eda1c2d0 el2 ns=1"},
        {"00", "PAD"},
        {"65 80 5f 00 00", "CONTEXT 0x5f80 el2"},
        {"49 00", "LD GP-REG"},
        {"52 16 00", "EV RETIRED L1D-ACCESS TLB-ACCESS"},
        {"99 04 00", "LAT 4 ISSUE"},
        {"98 0c 00", "LAT 12 TOT"},
        {"b2 28 6b 09 03 37 0e ff 00", "VA 0xff0e3703096b28"},
        {"9a 01 00", "LAT 1 XLAT"},
        {"43 00", "DATA-SOURCE 0"},
        {"71 2e 65 2f 6a 0a 00 00 00", "TS 44731163950"},
        {"4a 01", "B COND"},
        {"52 42 00", "EV RETIRED NOT-TAKEN"},
        {"b1 e4 b0 ef ed 66 ba ff c0", "TGT 0xffba66edefb0e4 el2 ns=1"},
        {"b3 e8 09 8a d8 0b 08 00 80", "PA 0x80bd88a09e8 ns=1 ch=0 pat=0"},
        {"52 1e 03", "EV RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS LLC-ACCESS LLC-REFILL"},
        /* Framing packets, and the bounds of the other packet types. */
        {"01", "END"},
        {"71 00 00 00 00 00 00 00 00", "TS 0"},
        {"71 ff ff ff ff ff ff ff ff", "TS -1"},
        {"71 00 00 00 00 00 00 00 40", "TS 4611686018427387904"},
        {"71 00 00 00 00 00 00 00 80", "TS -9223372036854775808"},
        {"64 ff ff ff ff", "CONTEXT 0xffffffff el1"},
        {"43 ff", "DATA-SOURCE 255"},
        {"53 0c 80", "DATA-SOURCE 32780"},
        {"98 ff ff", "LAT 65535 TOT"},
        {"b0 00 00 00 00 00 00 00 20", "PC 0x0 el1 ns=0"},
        {"20 b0 10 00 00 00 00 00 00 60", "PC 0x10 el3 ns=0"},
        {"b2 01 00 00 00 00 00 00 f1", "VA 0xf100000000000001"},
        {"b3 00 10 00 00 00 00 00 4a", "PA 0x1000 ns=0 ch=1 pat=a"},
        /* Operation types. */
        {"48 00", "OTHER INSN-OTHER"},
        {"48 01", "OTHER COND-SELECT"},
        {"48 08", "SVE-OTHER EVLEN 32"},
        {"48 2e", "SVE-OTHER EVLEN 128 FP PRED"},
        {"48 6a", "SVE-OTHER EVLEN 2048 FP"},
        {"49 01", "ST GP-REG"},
        {"49 04", "LD SIMD-FP"},
        {"49 05", "ST SIMD-FP"},
        {"49 10", "LD UNSPEC-REG"},
        {"49 31", "ST NV-SYSREG"},
        {"49 02", "LD"},
        {"49 06", "LD AT"},
        {"49 0b", "ST EXCL"},
        {"49 16", "LD AT AR"},
        {"49 1f", "ST AT EXCL AR"},
        {"49 08", "LD EVLEN 32"},
        {"49 ad", "ST EVLEN 128 PRED SG"},
        {"4a 00", "B"},
        {"4a 02", "B IND"},
        {"4a 03", "B COND IND"},
        {"4b 05", "OP-TYPE 0x5 (3)"},
        /* Events. */
        {"42 00", "EV"},
        {"42 e1", "EV EXCEPTION-GEN TLB-REFILL NOT-TAKEN MISPRED"},
        {"52 00 0c", "EV REMOTE-ACCESS ALIGNMENT"},
        {"62 00 00 06 00", "EV SVE-PARTIAL-PRED SVE-EMPTY-PRED"},
        {"72 02 00 04 00 00 00 00 00", "EV RETIRED SVE-EMPTY-PRED"},
};

static const struct line further_lines[] = {
        {"b4 00 10 00 00 00 00 00 80", "PBT 0x1000 el0 ns=1"},
        {"b0 00 10 00 00 00 00 00 b0", "PC 0x1000 el1 ns=1 nse=1"},
        {"b3 00 10 00 00 00 00 00 90", "PA 0x1000 ns=1 ch=0 pat=0 nse=1"},
        {"b5 01 00 00 00 00 00 00 00", "ADDR 0x1 RESERVED 5"},
        {"b6 01 00 00 00 00 00 00 00", "ADDR 0x1 IMPDEF 6"},
        {"21 b0 01 00 00 00 00 00 00 00", "ADDR 0x1 RESERVED 8"},
        {"23 b7 01 00 00 00 00 00 00 00", "ADDR 0x1 IMPDEF 31"},
        {"9c 07 00", "LAT 7 ALT-ISSUE"},
        {"9b 07 00", "LAT 7 RESERVED 3"},
        {"9f 07 00", "LAT 7 IMPDEF 7"},
        {"22 98 07 00", "LAT 7 IMPDEF 16"},
        {"66 07 00 00 00", "CONTEXT 0x7 RESERVED 2"},
        {"63 07 00 00 00", "DATA-SOURCE 7"},
        {"48 06", "OTHER ASE FP INSN-OTHER"},
        {"48 05", "OTHER ASE COND-SELECT"},
        {"48 10", "OTHER INSN-OTHER RESERVED 0x10"},
        {"48 78", "SVE-OTHER EVLEN 4096"},
        {"48 88", "SME-OTHER ETS 128"},
        {"48 8c", "SME-OTHER ETS 256"},
        {"48 de", "SME-OTHER ETS 262144 FP"},
        {"48 fc", "SME-OTHER ETS ZA"},
        {"48 e8", "SME-OTHER ETS RESERVED 0xc"},
        {"49 14", "LD MTE-TAG"},
        {"49 20", "LD MEMCPY"},
        {"49 21", "ST MEMCPY"},
        {"49 25", "ST MEMSET"},
        {"49 24", "LD RESERVED 0x24"},
        {"49 40", "LD GCS"},
        {"49 45", "ST GCS COMM"},
        {"49 5c", "LD EVLEN 1024 PRED"},
        {"49 80", "LD RESERVED 0x80"},
        {"49 82", "LD RESERVED 0x82"},
        {"4a 0e", "B IND GCS CR-BL"},
        {"4a 12", "B IND CR-RET"},
        {"4a 19", "B COND CR-NON-BL-RET"},
        {"4a 21", "B COND RESERVED 0x21"},
        {"52 02 f0", "EV RETIRED IMPDEF:12,13,14,15"},
        {"62 00 00 01 00", "EV TXN"},
        {"62 00 00 f8 03", "EV L2D-ACCESS L2D-MISS HITM LFB SNOOPED STREAMING-SVE SMCU"},
        {"72 02 00 00 04 00 00 00 80", "EV RETIRED IMPDEF:26,63"},
        {"02", "UNKNOWN 02"},
        {"03", "UNKNOWN 03"},
        {"20 00", "UNKNOWN 20 00"},
        {"90 34 12", "UNKNOWN 90 0x1234"},
        {"24 b0 01 00 00 00 00 00 00 00", "UNKNOWN 24 b0 0x1"},
};

static size_t bytes_of(uint8_t *buf, const char *hex)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	while (*hex) {
		buf[n++] = (uint8_t)((strchr(digits, hex[0]) - digits) << 4 |
		                     (strchr(digits, hex[1]) - digits));
		hex += hex[2] ? 3 : 2;
	}
	return n;
}

/* The caller may pass a header size that is too large. The text shows only the bytes that the
 * header has. */
static void header_size_is_bounded_in_descriptions(void **state)
{
	struct spemu_packet pkt = {
	        .type = SPEMU_PKT_UNKNOWN, .header = {0x20, 0}, .header_size = 9};
	char text[128];

	(void)state;
	assert_int_equal(spemu_packet_describe(text, sizeof(text), &pkt), strlen("UNKNOWN 20 00"));
	assert_string_equal(text, "UNKNOWN 20 00");
}

static void check_lines(const struct line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t buf[16];
		size_t size = bytes_of(buf, lines[i].bytes), length = strlen(lines[i].words);
		struct spemu_packet pkt;
		char text[128];

		assert_int_equal(spemu_packet_decode(&pkt, buf, size), size);
		assert_int_equal(spemu_packet_describe(text, sizeof(text), &pkt), length);
		assert_string_equal(text, lines[i].words);
		/* A shorter buffer gets the text that fits. The function still returns the full
		 * length. */
		for (size_t room = 1; room <= length; room++) {
			memset(text, '#', sizeof(text));
			assert_int_equal(spemu_packet_describe(text, room, &pkt), length);
			assert_memory_equal(text, lines[i].words, room - 1);
			assert_int_equal(text[room - 1], '\0');
			assert_int_equal(text[room], '#');
		}
		assert_int_equal(spemu_packet_describe(NULL, 0, &pkt), length);
	}
}

static void descriptions_are_those_of_perf(void **state)
{
	(void)state;
	check_lines(perf_lines, sizeof(perf_lines) / sizeof(perf_lines[0]));
}

static void packets_unknown_to_perf_are_described(void **state)
{
	(void)state;
	check_lines(further_lines, sizeof(further_lines) / sizeof(further_lines[0]));
}

static void null_arguments_are_refused(void **state)
{
	struct spemu_packet pkt = {.type = SPEMU_PKT_END};
	char text[8];

	(void)state;
	assert_int_equal(spemu_packet_describe(text, sizeof(text), NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_packet_describe(NULL, 8, &pkt), SPEMU_ERR_INVALID);
}

/* D18.2.6: check the first and the last event that have a name. IMPLEMENTATION DEFINED events have
 * no name, and there are only 64 events. */
static void first_and_last_event_have_names(void **state)
{
	(void)state;
	assert_string_equal(spemu_event_name(0), "exception-gen");
	assert_string_equal(spemu_event_meaning(0), "exception generated");
	assert_string_equal(spemu_event_name(1), "retired");
	assert_string_equal(spemu_event_meaning(1), "architecturally retired");
	for (unsigned bit = 48; bit < 200; bit++) {
		assert_null(spemu_event_name(bit));
		assert_null(spemu_event_meaning(bit));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(first_and_last_event_have_names),
	        cmocka_unit_test(descriptions_are_those_of_perf),
	        cmocka_unit_test(packets_unknown_to_perf_are_described),
	        cmocka_unit_test(header_size_is_bounded_in_descriptions),
	        cmocka_unit_test(null_arguments_are_refused),
	};
	return cmocka_run_group_tests_name("codec_describe", tests, NULL, NULL);
}
