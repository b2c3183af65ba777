/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader of the plugin's configuration; see config.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spemu/codec.h>

#include "config.h"

struct config config = {.spe_minor = 2, .ppi = 21, .events_fd = -1};

static char problem[256];

static bool number(uint64_t *value, const char *text, uint64_t least, uint64_t most)
{
	char *end;

	*value = strtoull(text, &end, 0);
	return *text && !*end && *value >= least && *value <= most;
}

/* Parse a power of two and return its logarithm, as in PMSIDR_EL1.MaxSize and PMBIDR_EL1.Align. */
static bool power_of_two(uint8_t *log2, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value;

	if (!number(&value, text, least, most) || (value & (value - 1)))
		return false;
	*log2 = (uint8_t)__builtin_ctzll(value);
	return true;
}

static bool yes(bool *flag, const char *text)
{
	*flag = strcmp(text, "yes") == 0;
	return *flag || strcmp(text, "no") == 0;
}

static bool set_layout(const char *name)
{
	uint8_t align = config.spu.layout.align_log2;

	if (spemu_layout_parse(&config.spu.layout, NULL, name) != SPEMU_OK)
		return false;
	if (align)
		config.spu.layout.align_log2 = align;
	return true;
}

static bool set_alternate_clock(const char *name)
{
	bool smcu = strcmp(name, "smcu") == 0;

	config.spu.alternate_clock = smcu ? SPEMU_ALTCLK_SMCU : SPEMU_ALTCLK_IMPDEF;
	return smcu || strcmp(name, "impdef") == 0;
}

static bool set_choice(const char *text)
{
	size_t i = config.choices;

	if (i == CONFIG_CHOICES ||
	    spemu_choice_parse(&config.choose[i].choice, &config.choose[i].option, NULL, text))
		return false;
	config.choices++;
	return true;
}

static bool chosen(enum spemu_choice choice)
{
	for (size_t i = 0; i < config.choices; i++)
		if (config.choose[i].choice == choice ||
		    config.choose[i].choice == SPEMU_CHOICE_COUNT)
			return true;
	return false;
}

/* Add a struct spemu_injection from its bytes in hexadecimal. `spemu vm` parsed the user's text. */
static bool add_injection(const char *hex)
{
	unsigned char *to = (unsigned char *)&config.inject[config.injections];

	if (config.injections == SPEMU_INJECTIONS_MAX ||
	    strlen(hex) != 2 * sizeof(struct spemu_injection))
		return false;
	for (size_t i = 0; i < sizeof(struct spemu_injection); i++)
		if (sscanf(hex + 2 * i, "%2hhx", to + i) != 1)
			return false;
	config.injections++;
	return true;
}

static bool set_flag(const char *key, const char *value)
{
#define CONFIG_ROW(member, name) {name, &config.member},
	static const struct {
		const char *name;
		bool *flag;
	} rows[] = {CONFIG_FLAGS(CONFIG_ROW)};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(key, rows[i].name) == 0)
			return yes(rows[i].flag, value);
	return false;
}

static bool set(const char *key, const char *value)
{
	uint64_t n;

	if (strcmp(key, "spe") == 0) {
		if (strncmp(value, "v1p", 3) != 0 || !number(&n, value + 3, 0, 5))
			return false;
		config.spe_minor = (unsigned)n;
	} else if (strcmp(key, "max-size") == 0) {
		return power_of_two(&config.spu.max_size_log2, value, 16, 2048);
	} else if (strcmp(key, "align") == 0) {
		return power_of_two(&config.spu.layout.align_log2, value, 1, 2048);
	} else if (strcmp(key, "count-size") == 0) {
		if (!number(&n, value, 12, 16) || (n != 12 && n != 16))
			return false;
		config.spu.counter_bits = (uint8_t)n;
	} else if (strcmp(key, "min-interval") == 0) {
		if (!number(&n, value, 256, 4096))
			return false;
		config.spu.min_interval = (uint16_t)n;
	} else if (strcmp(key, "layout") == 0) {
		return set_layout(value);
	} else if (strcmp(key, "choose") == 0) {
		return set_choice(value);
	} else if (strcmp(key, "machine") == 0) {
		config.machine = uarch_profile(value);
		return config.machine || strcmp(value, "none") == 0;
	} else if (strcmp(key, "inject") == 0) {
		return add_injection(value);
	} else if (strcmp(key, "seed") == 0) {
		return number(&config.seed, value, 0, UINT64_MAX);
	} else if (strcmp(key, "alternate-clock") == 0) {
		return set_alternate_clock(value);
	} else if (strcmp(key, "pmu-snapshot") == 0) {
		bool wanted;

		if (!yes(&wanted, value))
			return false;
		config.pmu_snapshot = wanted ? SNAPSHOT_YES : SNAPSHOT_NO;
	} else if (strcmp(key, "ppi") == 0) {
		if (!number(&n, value, 16, 31))
			return false;
		config.ppi = (unsigned)n;
	} else if (strcmp(key, "events-fd") == 0) {
		if (!number(&n, value, 0, INT32_MAX))
			return false;
		config.events_fd = (int)n;
	} else {
		return set_flag(key, value);
	}
	return true;
}

/* Hash a line with FNV-1a, except lines that only configure reports of this run. */
static void add_to_fingerprint(const char *line)
{
	static const char *const others[] = {"events-fd ", "trace ", "restored "};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(line, others[i], strlen(others[i])) == 0)
			return;
	for (; *line; line++)
		config.fingerprint =
		        (config.fingerprint ^ (unsigned char)*line) * UINT64_C(0x100000001b3);
}

static bool read_line(char *line)
{
	char *value;

	line[strcspn(line, "\n")] = '\0';
	if (line[0] == '\0' || line[0] == '#')
		return true;
	value = strchr(line, ' ');
	if (!value)
		return false;
	*value++ = '\0';
	return set(line, value);
}

const char *config_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024], copy[128];
	const char *wrong = NULL;

	if (!file) {
		snprintf(problem, sizeof(problem), "cannot open %.200s", path);
		return problem;
	}
	while (!wrong && fgets(line, sizeof(line), file)) {
		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
		add_to_fingerprint(copy);
		if (!read_line(line)) {
			snprintf(problem, sizeof(problem), "configuration line '%s'", copy);
			wrong = problem;
		}
	}
	fclose(file);
	config.serror = chosen(SPEMU_CHOICE_EXTERNAL_ABORT);
	config.profiling_exceptions = config.spe_minor >= 5;
	config.barriers = config.strict || chosen(SPEMU_CHOICE_UNSYNCHRONIZED_SNAPSHOT);
	return wrong;
}
