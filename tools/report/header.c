/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "header.h"
#include "../base/fit.h"
#include "../base/json.h"

#include <json-c/json.h>

#include <stdlib.h>
#include <string.h>

enum {
	COMMAND_SIZE = 4096,
	COMMAND_REST = 50, /* columns of three lines that the rest takes */
};

/* Print the command on about three lines of a terminal, depending on its words. Line feeds in it
 * become blanks. */
static void print_command(const struct session *s, struct out *o)
{
	char *command = session_command_line(s), cut[COMMAND_SIZE];
	unsigned width = 3 * screen_width();

	for (char *c = strchr(command, '\n'); c; c = strchr(c, '\n'))
		*c = ' ';
	if (*command)
		out_comment_fmt(o, "recorded by: %s",
		                width ? cut_end(cut, sizeof(cut), command, width - COMMAND_REST)
		                      : command);
	free(command);
}

static void print_input(const struct recording *r, struct out *o)
{
	const struct session *s = &r->session;
	const char *text;
	char period[64], left_out[64];
	size_t processes = timeline_process_count(s->timeline),
	       threads = timeline_thread_count(s->timeline);

	out_comment_fmt(o, "Arm SPE report of %s", r->path);
	print_command(s, o);
	if (spemu_perf_feature_string(s->file, &text, SPEMU_PERF_FEAT_CPUDESC) == SPEMU_OK)
		out_comment_fmt(o, "machine: %s", text);
	snprintf(period, sizeof(period), "; period %llu operations",
	         (unsigned long long)s->attr.sample_period);
	snprintf(left_out, sizeof(left_out), "; %llu more left out by filters",
	         (unsigned long long)r->left_out);
	out_comment_fmt(o, "samples: %llu of %zu process%s, %zu thread%s%s%s",
	                (unsigned long long)r->samples, processes, processes == 1 ? "" : "es",
	                threads, threads == 1 ? "" : "s", s->attr.sample_period ? period : "",
	                r->left_out ? left_out : "");
	if (s->truncated || s->collisions || s->lost)
		out_comment_fmt(
		        o,
		        "incomplete: %llu buffers truncated, %llu with collisions, %llu events "
		        "lost",
		        (unsigned long long)s->truncated, (unsigned long long)s->collisions,
		        (unsigned long long)s->lost);
	if (s->damage)
		out_comment_fmt(o, "cut off: the part after offset %#llx is missing",
		                (unsigned long long)s->damage_offset);
}

/* The damage of all recordings. */
struct damage {
	uint64_t bytes, records, suspect;
};

static struct damage damage_of(const struct profile *p)
{
	struct damage d = {0};

	for (unsigned i = 0; i < p->samples.recording_count; i++) {
		d.bytes += p->samples.recordings[i].session.skipped;
		d.records += p->samples.recordings[i].session.damaged;
		d.suspect += p->samples.recordings[i].session.suspect;
	}
	return d;
}

void header_print(const struct profile *p, struct out *o)
{
	const struct damage d = damage_of(p);

	for (unsigned i = 0; i < p->samples.recording_count; i++)
		print_input(&p->samples.recordings[i], o);
	if (d.bytes)
		out_comment_fmt(o, "damaged: %llu record%s left out, %llu bytes of trace",
		                (unsigned long long)d.records, d.records == 1 ? " is" : "s are",
		                (unsigned long long)d.bytes);
	if (d.suspect)
		out_comment_fmt(
		        o,
		        "suspect: %llu record%s may lack a packet or have an extra one; all count",
		        (unsigned long long)d.suspect, d.suspect == 1 ? "" : "s");
}

static void add_input(struct json_object *to, const struct recording *r)
{
	const struct session *s = &r->session;
	const uint64_t *totals = sample_totals(r);
	struct json_object *cmd = json_object_new_array();
	const char *text;

	json_object_object_add(to, "file", json_text(r->path));
	for (uint32_t i = 0; spemu_perf_cmdline(s->file, &text, i) == SPEMU_OK; i++)
		json_object_array_add(cmd, json_text(text));
	json_object_object_add(to, "command_line", cmd);
	if (spemu_perf_feature_string(s->file, &text, SPEMU_PERF_FEAT_CPUDESC) == SPEMU_OK)
		json_object_object_add(to, "machine", json_text(text));
	json_add_number(to, "samples", r->samples);
	json_add_number(to, "left_out", r->left_out);
	if (totals)
		json_add_number(to, "model_cycles", totals[SPEMU_PERF_TOTAL_CYCLES]);
	json_add_number(to, "period", s->attr.sample_period);
	json_add_number(to, "processes", timeline_process_count(s->timeline));
	json_add_number(to, "threads", timeline_thread_count(s->timeline));
	json_add_number(to, "truncated_buffers", s->truncated);
	json_add_number(to, "collided_buffers", s->collisions);
	json_add_number(to, "lost_events", s->lost);
	json_object_object_add(to, "cut_off", json_object_new_boolean(s->damage != SPEMU_OK));
}

struct json_object *header_json(const struct profile *p)
{
	struct json_object *root = json_object_new_object(), *inputs, *one;
	const struct damage d = damage_of(p);

	json_object_object_add(root, "version", json_object_new_string(SPEMU_VERSION_TEXT));
	if (p->samples.recording_count == 1) {
		add_input(root, &p->samples.recordings[0]);
	} else {
		inputs = json_object_new_array();
		for (unsigned i = 0; i < p->samples.recording_count; i++) {
			one = json_object_new_object();
			add_input(one, &p->samples.recordings[i]);
			json_object_array_add(inputs, one);
		}
		json_object_object_add(root, "inputs", inputs);
		json_add_number(root, "samples", p->all.samples);
	}
	json_add_number(root, "damaged_bytes", d.bytes);
	json_add_number(root, "damaged_records", d.records);
	json_add_number(root, "suspect_records", d.suspect);
	return root;
}
