/* SPDX-License-Identifier: MIT */
#include "model_error.h"

#include <string.h>

static const char modeled[] = "modeled by spemu";

const char *recorded_machine(const struct recording *r)
{
	const char *machine;

	if (spemu_perf_feature_string(r->session.file, &machine, SPEMU_PERF_FEAT_CPUDESC))
		return NULL;
	return strstr(machine, modeled) || strstr(machine, "no timing model") ? machine : NULL;
}

/* Return true if the timing model made the latencies of all recordings. */
static bool is_modeled(const struct profile *p)
{
	for (unsigned i = 0; i < p->samples.recording_count; i++) {
		const char *machine = recorded_machine(&p->samples.recordings[i]);

		if (!machine || !strstr(machine, modeled))
			return false;
	}
	return true;
}

int model_error(const struct profile *p, enum area area)
{
	for (const struct model_error *e = model_errors; e->area; e++) {
		if (strcmp(e->area, area_words[area]) == 0)
			return is_modeled(p) ? e->percent : -1;
	}
	return -1;
}
