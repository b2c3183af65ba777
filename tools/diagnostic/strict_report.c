/* SPDX-License-Identifier: MIT */
/* See strict_report.h. */
#define _GNU_SOURCE
#include "strict_report.h"
#include "../base/clean.h"
#include "../base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sarif.h"
#include "suppression.h"

struct strict_report {
	struct suppression_list *suppressions;
	struct sarif *sarif;
	const struct images *images;
	uint64_t shown, suppressed;
};

struct strict_report *strict_report_new(const char *suppressions, const char *sarif,
                                        const struct images *images)
{
	struct strict_report *r = xcalloc(1, sizeof(*r));

	r->suppressions = suppressions_read(suppressions);
	if (sarif)
		r->sarif = sarif_open(sarif);
	r->images = images;
	return r;
}

void strict_report_ignore(struct strict_report *r, const char *diagnostic)
{
	suppressions_add(r->suppressions, diagnostic);
}

/* Return "name+0x10", or NULL. The caller frees it. */
static char *place_of(const struct strict_report *r, const struct spemu_diagnostic *d,
                      const char **name)
{
	uint64_t offset = 0;
	char *text;

	*name = d->has_pc ? images_symbol(r->images, &offset, d->pc) : NULL;
	text = *name ? xasprintf("%s+%#" PRIx64, *name, offset) : NULL;
	return text ? clean_text(text) : NULL;
}

static void add_json(struct out *out, const struct report_place *place,
                     const struct spemu_diagnostic *d, const char *symbol)
{
	struct json_object *o = json_object_new_object(), *values = json_object_new_object();

	json_add_text(o, "event", "diagnostic");
	json_add_text(o, "file", place->file);
	json_add_text(o, "scenario", place->scenario);
	json_add_text(o, "name", d->name);
	json_add_text(o, "rule", d->rule);
	json_add_text(o, "cause", d->cause);
	json_add_text(o, "remedy", d->remedy);
	json_add_text(o, "symbol", symbol);
	if (place->line)
		json_add_number(o, "line", place->line);
	if (place->vcpu >= 0)
		json_add_number(o, "vcpu", (uint64_t)place->vcpu);
	if (d->has_pc)
		json_add_hex(o, "pc", d->pc);
	for (unsigned i = 0; i < d->values; i++)
		json_add_hex(values, d->value[i].name, d->value[i].value);
	json_object_object_add(o, "values", values);
	out_json_line(out, o);
}

static void add_text(struct out *o, const char *prefix, const struct report_place *place,
                     const struct spemu_diagnostic *d, const char *symbol)
{
	char *file = clean_text(xstrdup(place->file ? place->file : ""));
	char *source = clean_text(xstrdup(place->source ? place->source : ""));

	out_text(o, prefix);
	if (place->file && place->line)
		out_fmt(o, "%s:%u: ", file, place->line);
	out_fmt(o, "%s (%s)\n", d->name, d->rule);
	if (*source)
		out_fmt(o, "%s    %s\n", prefix, source);
	free(file);
	free(source);
	if (d->has_pc || place->vcpu >= 0) {
		out_fmt(o, "%s    ", prefix);
		if (d->has_pc)
			out_fmt(o, "at %#" PRIx64, d->pc);
		if (symbol)
			out_fmt(o, " %s", symbol);
		if (place->vcpu >= 0)
			out_fmt(o, "%son CPU %d", d->has_pc ? " " : "", place->vcpu);
		out_text(o, "\n");
	}
	for (unsigned i = 0; i < d->values; i++)
		out_fmt(o, "%s%s%s=%#" PRIx64, i ? "" : prefix, i ? " " : "    ", d->value[i].name,
		        d->value[i].value);
	out_fmt(o, "%s%s    cause: %s\n%s    remedy: %s\n", d->values ? "\n" : "", prefix, d->cause,
	        prefix, d->remedy);
}

void strict_report_add(struct strict_report *r, struct out *o, bool json, bool comment,
                       const struct report_place *place, const struct spemu_diagnostic *d)
{
	const char *name;
	char *symbol = place_of(r, d, &name);
	bool suppressed = suppressions_match(r->suppressions, d, name);

	if (r->sarif)
		sarif_add(r->sarif, place, d, name, suppressed);
	if (suppressed)
		r->suppressed++;
	else
		r->shown++;
	if (!suppressed && json)
		add_json(o, place, d, symbol);
	else if (!suppressed)
		add_text(o, comment ? "# " : "", place, d, symbol);
	free(symbol);
}

uint64_t strict_report_count(const struct strict_report *r)
{
	return r->shown;
}

void strict_report_finish(struct strict_report *r, struct out *o, bool json, bool comment)
{
	unsigned long long shown = r->shown, suppressed = r->suppressed;

	if (o && json)
		out_fmt(o, "{\"event\":\"diagnostics\",\"shown\":%llu,\"suppressed\":%llu}\n",
		        shown, suppressed);
	else if (o)
		out_fmt(o, "%s%llu diagnostics, %llu suppressed\n", comment ? "# " : "", shown,
		        suppressed);
	suppressions_report_unused(r->suppressions);
	if (r->sarif)
		sarif_close(r->sarif);
	free(r);
}
