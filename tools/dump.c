/* SPDX-License-Identifier: MIT */
/* spemu dump: packets or records, as text or as JSON lines. */
#define _GNU_SOURCE
#include "base/options.h"
#include "base/optext.h"
#include "session/input.h"
#include "session/session.h"
#include "session/call_stacks.h"
#include "session/damage.h"
#include "base/common.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct dump_options {
	const char *input;
	bool raw, records, json, by_queue, by_cpu;
	uint64_t queue, cpu, from, to;
	const struct session *session; /* session of the recording, or NULL for bare data */
	struct stacks *stacks;         /* NULL if the recording has no call stacks */
};

static const char *const packet_names[] = {
        [SPEMU_PKT_PADDING] = "padding",         [SPEMU_PKT_END] = "end",
        [SPEMU_PKT_TIMESTAMP] = "timestamp",     [SPEMU_PKT_EVENTS] = "events",
        [SPEMU_PKT_DATA_SOURCE] = "data-source", [SPEMU_PKT_CONTEXT] = "context",
        [SPEMU_PKT_OP_TYPE] = "op-type",         [SPEMU_PKT_ADDRESS] = "address",
        [SPEMU_PKT_COUNTER] = "counter",         [SPEMU_PKT_UNKNOWN] = "unknown",
};

/* Write the name of a member of a JSON object, or of a line of text. */
static void put_name(struct out *o, bool json, const char *name)
{
	out_text(o, json ? ",\"" : " ");
	out_text(o, name);
	out_text(o, json ? "\":" : "=");
}

static void put_dec(struct out *o, bool json, const char *name, uint64_t value)
{
	put_name(o, json, name);
	out_dec(o, value);
}

static void put_hex(struct out *o, bool json, const char *name, uint64_t value)
{
	put_name(o, json, name);
	out_text(o, json ? "\"0x" : "0x");
	out_hex(o, value, 0);
	if (json)
		out_text(o, "\"");
}

/* Write a byte as two hexadecimal digits. */
static inline void hex2(char *to, uint8_t byte)
{
	static const char digit[] = "0123456789abcdef";

	to[0] = digit[byte >> 4];
	to[1] = digit[byte & 15];
}

/* Write ". OFFSET: " and up to 16 bytes in perf's columns. Return the length. */
static unsigned packet_prefix(char *line, uint64_t offset, const uint8_t *bytes, unsigned n)
{
	unsigned digits = offset >> 32 ? (67 - (unsigned)__builtin_clzll(offset)) / 4 : 8;
	unsigned len = 3;

	/* Write whole bytes from the right, and an odd digit in front. */
	memcpy(line, ".  ", 3);
	for (unsigned i = digits; i >= 2; i -= 2, offset >>= 8)
		hex2(line + len + i - 2, (uint8_t)offset);
	if (digits % 2)
		line[len] = "0123456789abcdef"[offset & 15];
	len += digits;
	memcpy(line + len, ": ", 2);
	len += 2;
	memset(line + len, ' ', 3 * 16 + 1);
	for (unsigned i = 0; i < n; i++)
		hex2(line + len + 3 * i + 1, bytes[i]);
	return len + 3 * 16 + 1;
}

/* Write a packet as a line of text. Dumps spend most of their time here, so the line is composed in
 * the output buffer. */
static void packet_text(struct out *o, uint64_t offset, const uint8_t *bytes, int size,
                        const struct spemu_packet *pkt)
{
	enum { LINE_MAX_BYTES = 1024, TEXT_MAX_BYTES = 768 };
	char *line;
	unsigned len;
	int described;

	if (sizeof(o->buf) - o->len < LINE_MAX_BYTES)
		out_flush(o);
	line = o->buf + o->len;
	len = packet_prefix(line, offset, bytes, (unsigned)size);
	described = spemu_packet_describe(line + len, TEXT_MAX_BYTES, pkt);
	len += described < TEXT_MAX_BYTES ? (unsigned)described : TEXT_MAX_BYTES - 1;
	line[len++] = '\n';
	o->len += len;
}

static void packet_json(struct out *o, const struct chunk *c, uint64_t offset, const uint8_t *bytes,
                        int size, const struct spemu_packet *pkt)
{
	char text[256];

	spemu_packet_describe(text, sizeof(text), pkt);
	out_text(o, "{\"queue\":");
	out_dec(o, c->idx);
	put_dec(o, true, "offset", offset);
	out_text(o, ",\"bytes\":\"");
	for (int i = 0; i < size; i++)
		out_hex(o, bytes[i], 2);
	out_text(o, "\",\"type\":\"");
	out_text(o, packet_names[pkt->type]);
	out_text(o, "\"");
	if (pkt->type == SPEMU_PKT_ADDRESS || pkt->type == SPEMU_PKT_COUNTER ||
	    pkt->type == SPEMU_PKT_CONTEXT || pkt->type == SPEMU_PKT_OP_TYPE)
		put_dec(o, true, "index", pkt->index);
	if (pkt->payload_size)
		put_hex(o, true, "payload", pkt->payload);
	out_text(o, ",\"text\":");
	out_json_string(o, text);
	out_text(o, "}\n");
}

/* Decode a packet. Like perf, merge up to 16 bytes of padding. */
static int packet_at(struct spemu_packet *pkt, const uint8_t *data, uint64_t size)
{
	int n = spemu_packet_decode(pkt, data, (size_t)size);

	if (n > 0 && pkt->type == SPEMU_PKT_PADDING) {
		while (n < 16 && (uint64_t)n < size && !data[n])
			n++;
	}
	return n;
}

/* Write the packets of a buffer. Like perf, show damage byte by byte. */
static bool dump_packets(struct out *o, const struct dump_options *opt, const struct chunk *c,
                         const uint8_t *data, uint64_t size, uint64_t base)
{
	uint64_t pos = 0;
	bool good = true;

	/* Like perf, count from the start of each AUXTRACE event. */
	while (pos < size) {
		struct spemu_packet pkt;
		int n = packet_at(&pkt, data + pos, size - pos);
		uint64_t offset = base + pos;

		if (n > 0 && opt->json) {
			packet_json(o, c, offset, data + pos, n, &pkt);
		} else if (n > 0) {
			packet_text(o, offset - c->offset, data + pos, n, &pkt);
		} else {
			n = 1;
			good = false;
			if (opt->json) {
				out_fmt(o,
				        "{\"queue\":%u,\"offset\":%llu,\"bytes\":\"%02x\","
				        "\"type\":\"bad\"}\n",
				        c->idx, (unsigned long long)offset, data[pos]);
			} else {
				char line[512];

				out_bytes(o, line,
				          packet_prefix(line, offset - c->offset, data + pos, 1));
				out_text(o, "Bad packet!\n");
			}
		}
		pos += (uint64_t)n;
	}
	return good;
}

static const char *const context_names[2] = {"context_el1", "context_el2"};
static const char *const addr_names[8] = {"pc",    "target", "va",   "pa", "previous_target",
                                          "addr5", "addr6",  "addr7"};
static const char *const counter_names[8] = {"total",     "issue",    "translation", "counter3",
                                             "alt_issue", "counter5", "counter6",    "counter7"};

static void record_events(struct out *o, uint64_t events, bool json)
{
	bool first = true;

	out_text(o, json ? "[" : "");
	for (; events; events &= events - 1) {
		char name[32];

		out_text(o, first ? "" : ",");
		first = false;
		out_text(o, json ? "\"" : "");
		out_text(o, event_name(name, sizeof(name), (unsigned)__builtin_ctzll(events)));
		out_text(o, json ? "\"" : "");
	}
	out_text(o, json ? "]" : "");
}

static uint64_t shown_address(unsigned index, uint64_t payload)
{
	return index == SPEMU_ADDR_DATA_PA ? spemu_addr_bits(payload) : spemu_addr_va(payload);
}

/* Write the callers of the sampled instruction, the innermost first, if the record has a call
 * stack. */
static void record_stack(struct out *o, const struct dump_options *opt,
                         const struct spemu_record *rec)
{
	const uint32_t mask = SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) | SPEMU_RECORD_TIMESTAMP |
	                      SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL1);
	struct spemu_perf_sample sample;
	const char *separator = "";

	if (!opt->stacks || (rec->present & mask) != mask ||
	    !stacks_find(opt->stacks, &sample, rec->context[SPEMU_CONTEXT_EL1],
	                 session_time(opt->session, rec), spemu_addr_va(rec->addr[SPEMU_ADDR_PC])))
		return;
	out_text(o, opt->json ? ",\"callers\":[" : " callers=");
	for (uint32_t i = 2; i < sample.n_chain; i++) {
		out_text(o, separator);
		out_text(o, opt->json ? "\"0x" : "0x");
		out_hex(o, spemu_perf_sample_chain(&sample, i), 0);
		out_text(o, opt->json ? "\"" : "");
		separator = ",";
	}
	out_text(o, opt->json ? "]" : "");
}

/* Write the packets of a damaged record that are not members: repeated or unknown ones, and a
 * truncated one. */
static void other_packets(struct out *o, const struct damaged *damaged, bool json)
{
	uint64_t offset = damaged->record.offset;
	const char *separator = json ? ",\"other\":[" : " other=\"";
	int n;

	for (const uint8_t *p = damaged->begin; p < damaged->end; p += n, offset += (uint64_t)n) {
		struct spemu_packet pkt;
		char text[256] = "cut off";
		size_t left = (size_t)(damaged->end - p);

		n = spemu_packet_decode(&pkt, p, left);
		if (n > 0 && !(packet_member(&pkt) & (damaged->repeated | SPEMU_RECORD_OTHER)))
			continue;
		if (n > 0)
			spemu_packet_describe(text, sizeof(text), &pkt);
		else
			n = (int)left;
		out_text(o, separator);
		separator = json ? "," : "; ";
		if (!json) {
			out_text(o, text);
			continue;
		}
		out_text(o, "{\"offset\":");
		out_dec(o, offset);
		out_text(o, ",\"bytes\":\"");
		for (int i = 0; i < n; i++)
			out_hex(o, p[i], 2);
		out_text(o, "\",\"text\":");
		out_json_string(o, text);
		out_text(o, "}");
	}
	if (separator[0] == ',' && separator[1] == 0)
		out_text(o, "]");
	else if (separator[0] == ';')
		out_text(o, "\"");
}

/* Write the members of a record. The Exception level follows the PC in text, and all addresses in
 * JSON. */
static void put_members(struct out *o, bool json, const struct spemu_record *rec)
{
	char text[100];

	for (unsigned i = 0; i < 2; i++) {
		if (rec->present & SPEMU_RECORD_CONTEXT(i))
			put_dec(o, json, context_names[i], rec->context[i]);
	}
	for (unsigned i = 0; i < 8; i++) {
		if (!(rec->present & SPEMU_RECORD_ADDR(i)))
			continue;
		put_hex(o, json, addr_names[i], shown_address(i, rec->addr[i]));
		if (i == SPEMU_ADDR_PC && !json) {
			out_text(o, " el");
			out_dec(o, spemu_addr_el(rec->addr[i]));
		}
	}
	if (json && (rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC)))
		put_dec(o, json, "el", spemu_addr_el(rec->addr[SPEMU_ADDR_PC]));
	if (rec->present & SPEMU_RECORD_OP_TYPE) {
		if (json) {
			put_dec(o, json, "op_class", rec->op_class);
			put_hex(o, json, "op_subclass", rec->op_subclass);
		}
		op_describe(text, sizeof(text), rec->op_class, rec->op_subclass);
		put_name(o, json, "op");
		out_text(o, "\"");
		out_text(o, text);
		out_text(o, "\"");
	}
	for (unsigned i = 0; i < 8; i++) {
		if (rec->present & SPEMU_RECORD_COUNTER(i))
			put_dec(o, json, counter_names[i], rec->counter[i]);
	}
	if (rec->present & SPEMU_RECORD_DATA_SOURCE)
		put_hex(o, json, "source", rec->data_source);
	if (rec->present & SPEMU_RECORD_EVENTS) {
		if (json)
			put_hex(o, json, "event_bits", rec->events);
		put_name(o, json, "events");
		record_events(o, rec->events, json);
	}
	if (rec->present & SPEMU_RECORD_TIMESTAMP)
		put_dec(o, json, "timestamp", rec->timestamp);
}

static void put_record(struct out *o, const struct dump_options *opt, const struct chunk *c,
                       const struct spemu_record *rec, const struct damaged *damaged)
{
	bool json = opt->json;

	out_text(o, json ? "{\"queue\":" : "");
	out_dec(o, c->idx);
	if (json) {
		put_dec(o, json, "offset", rec->offset);
		put_dec(o, json, "size", rec->size);
	} else {
		out_text(o, ":");
		out_hex(o, rec->offset, 8);
	}
	if (damaged) {
		out_text(o, json ? ",\"" : " ");
		out_text(o, damaged->suspect ? "suspect" : "damaged");
		out_text(o, json ? "\":true" : "");
	}
	put_members(o, json, rec);
	if (damaged)
		other_packets(o, damaged, json);
	else
		record_stack(o, opt, rec);
	out_text(o, json ? "}\n" : "\n");
}

/* Show the damaged records of a stretch, whose first byte is at `data`. */
static void show_damaged(struct out *o, const struct dump_options *opt, const struct chunk *c,
                         const uint8_t *data, const uint8_t *end, uint64_t base)
{
	struct damaged damaged;
	const uint8_t *p = data;

	while (damaged_next(&damaged, &p, end)) {
		damaged.record.offset = base + (uint64_t)(damaged.begin - data);
		put_record(o, opt, c, &damaged.record, &damaged);
	}
}

/* Show a record from the decoder, packet by packet if it is suspect. */
static void show_record(struct out *o, const struct dump_options *opt, const struct chunk *c,
                        const struct spemu_decoder *dec, const struct spemu_record *rec)
{
	struct damaged damaged;
	const uint8_t *p = dec->pos - rec->size;

	if ((rec->present & SPEMU_RECORD_SUSPECT) && damaged_next(&damaged, &p, dec->pos)) {
		damaged.suspect = true;
		damaged.record.offset = rec->offset;
		put_record(o, opt, c, &damaged.record, &damaged);
	} else {
		put_record(o, opt, c, rec, NULL);
	}
}

/* Report a stretch once, and print its contents. */
static void tell_stretch(struct out *o, const struct dump_options *opt, const struct chunk *c,
                         struct stretch *stretch, const struct spemu_decoder *dec)
{
	unsigned long long size = stretch->to - stretch->from;
	uint64_t start = stretch->from > stretch->given ? stretch->from : stretch->given;

	if (!size)
		return;
	warn("queue %u: %llu bytes at offset %#llx are not records", c->idx, size,
	     (unsigned long long)stretch->from);
	if (opt->json)
		out_fmt(o, "{\"queue\":%u,\"offset\":%llu,\"skipped\":%llu}\n", c->idx,
		        (unsigned long long)stretch->from, size);
	if (start < stretch->to)
		show_damaged(o, opt, c, dec->begin + (start - dec->base),
		             dec->begin + (stretch->to - dec->base), start);
	stretch->from = stretch->to;
}

static bool dump_records(struct out *o, const struct dump_options *opt, const struct chunk *c,
                         const uint8_t *data, uint64_t size, uint64_t base)
{
	struct spemu_decoder dec;
	struct spemu_record rec;
	struct stretch stretch = {0};
	bool good = true;
	int status;

	spemu_decoder_init(&dec, data, (size_t)size, base);
	while ((status = spemu_decoder_next(&dec, &rec)) != SPEMU_ERR_END) {
		if (status == SPEMU_OK) {
			tell_stretch(o, opt, c, &stretch, &dec);
			show_record(o, opt, c, &dec, &rec);
			stretch.given = rec.offset + rec.size;
			continue;
		}
		good = false;
		if (status == SPEMU_ERR_TRUNCATED) {
			dec.skip_offset = base + (uint64_t)(dec.pos - dec.begin);
			dec.skip_size = (uint64_t)(dec.end - dec.pos);
		}
		if (!stretch_continues(&stretch, dec.skip_offset))
			tell_stretch(o, opt, c, &stretch, &dec);
		stretch_add(&stretch, dec.skip_offset, dec.skip_size);
		if (status != SPEMU_ERR_CORRUPT)
			break;
	}
	tell_stretch(o, opt, c, &stretch, &dec);
	return good;
}

static bool dump_chunk(struct out *o, const struct dump_options *opt, const struct chunk *c)
{
	uint64_t skip = opt->from > c->offset ? opt->from - c->offset : 0;
	uint64_t end = opt->to > c->offset ? opt->to - c->offset : 0;

	if ((opt->by_queue && c->idx != opt->queue) || (opt->by_cpu && c->cpu != opt->cpu))
		return true;
	if (end > c->size)
		end = c->size;
	if (skip >= end)
		return true;
	if (!opt->json && !opt->records && !opt->raw)
		out_fmt(o, "# queue %u cpu %d offset %#llx\n", c->idx, (int)c->cpu,
		        (unsigned long long)c->offset);
	if (!opt->json && !opt->records)
		out_fmt(o, ". ... ARM SPE data: size %#llx bytes\n", (unsigned long long)c->size);
	return (opt->records ? dump_records : dump_packets)(o, opt, c, c->data + skip, end - skip,
	                                                    c->offset + skip);
}

/* Show a file with bare SPE data, which is queue 0. */
static int dump_raw(const struct dump_options *opt)
{
	int fd = open(input_raw(opt->input), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	struct chunk c = {0};
	void *data;
	bool good;

	if (fd < 0)
		die(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_OWN, "cannot open %s: %s", opt->input,
		    strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		die(EXIT_OWN, "%s is neither a file nor a pipe", opt->input);
	if (!st.st_size)
		return 0;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		die(EXIT_OWN, "cannot read %s: %s", opt->input, strerror(errno));
	c.data = data;
	c.size = (uint64_t)st.st_size;
	good = dump_chunk(&out_stdout, opt, &c);
	out_flush(&out_stdout);
	return good ? 0 : EXIT_DAMAGED;
}

/* Take the file: the last --raw or --input counts. */
static void take_input(void *to, int row)
{
	struct dump_options *opt = to;

	if (row == DUMP_RAW || row == DUMP_INPUT) {
		opt->raw = row == DUMP_RAW;
		opt->input = optarg;
	}
}

static void parse_dump_arguments(struct dump_options *opt, int argc, char **argv)
{
	struct option_value value[DUMP_OPTION_COUNT] = {0};

	value[DUMP_TO].number = UINT64_MAX;
	read_options(value, &dump_options, argc, argv, take_input, opt);
	opt->records = value[DUMP_RECORDS].given;
	opt->json = value[DUMP_JSON].given;
	opt->by_queue = value[DUMP_QUEUE].given;
	opt->queue = value[DUMP_QUEUE].number;
	opt->by_cpu = value[DUMP_CPU].given;
	opt->cpu = value[DUMP_CPU].number;
	opt->from = value[DUMP_FROM].number;
	opt->to = value[DUMP_TO].number;
	if (optind < argc && opt->raw)
		die(EXIT_USAGE, "only one file can be shown; '%s' is too many", argv[optind]);
	if (optind < argc)
		opt->input = argv[optind++];
	if (optind < argc)
		die(EXIT_USAGE, "only one file can be shown; '%s' is too many", argv[optind]);
}

int cmd_dump(int argc, char **argv)
{
	struct dump_options opt = {.input = "perf.data"};
	struct session session;
	bool good;

	parse_dump_arguments(&opt, argc, argv);
	if (opt.raw)
		return dump_raw(&opt);
	session_open(&session, opt.input);
	good = !session.damage;
	opt.session = &session;
	if (opt.records)
		opt.stacks = stacks_read(&session);
	for (size_t i = 0; i < session.chunk_count; i++) {
		good = dump_chunk(&out_stdout, &opt, &session.chunks[i]) && good;
		session_release(&session, &session.chunks[i]);
	}
	stacks_free(opt.stacks);
	out_flush(&out_stdout);
	return good ? 0 : EXIT_DAMAGED;
}
