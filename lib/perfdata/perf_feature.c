/* SPDX-License-Identifier: MIT */
/*
 * Read the description in a perf.data file: attrs, header features, and the metadata of its SPE
 * trace.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt of Linux 6.1;
 * tools/perf/util/arm-spe.h of Linux 6.14 (metadata version 2).
 */
#include <string.h>

#include "base/bits.h"
#include "perfdata/perf_file.h"

#define CMDLINE_MAX 65536

/* The contents of a feature that have not been read. */
struct in {
	const uint8_t *pos;
	uint64_t left;
};

static bool take(struct in *in, uint64_t n, const uint8_t **bytes)
{
	if (n > in->left)
		return false;
	*bytes = in->pos;
	in->pos += n;
	in->left -= n;
	return true;
}

static bool take32(struct in *in, uint32_t *v)
{
	const uint8_t *bytes;

	if (!take(in, 4, &bytes))
		return false;
	*v = le_load32(bytes);
	return true;
}

static bool take_string(struct in *in, const char **text)
{
	const uint8_t *bytes;
	uint32_t n;

	if (!take32(in, &n) || !take(in, n, &bytes) || !memchr(bytes, 0, n))
		return false;
	*text = (const char *)bytes;
	return true;
}

int spemu_perf_feature_string(const struct spemu_perf_file *file, const char **text, unsigned n)
{
	struct in in;
	int status = spemu__perf_feature(file, &in.pos, &in.left, n);

	*text = NULL;
	if (status != SPEMU_OK)
		return status;
	return take_string(&in, text) ? SPEMU_OK : SPEMU_ERR_CORRUPT;
}

int spemu_perf_cmdline(const struct spemu_perf_file *file, const char **text, uint32_t i)
{
	struct in in;
	uint32_t n;
	int status = spemu__perf_feature(file, &in.pos, &in.left, SPEMU_PERF_FEAT_CMDLINE);
	const char *one = NULL;

	*text = NULL;
	if (status != SPEMU_OK)
		return status;
	if (!take32(&in, &n))
		return SPEMU_ERR_CORRUPT;
	/* Each call begins at the front, so this limits the cost of reading all arguments. */
	if (n > CMDLINE_MAX)
		return SPEMU_ERR_NOT_SUPPORTED;
	if (i >= n)
		return SPEMU_ERR_END;
	do {
		if (!take_string(&in, &one))
			return SPEMU_ERR_CORRUPT;
	} while (i--);
	*text = one;
	return SPEMU_OK;
}

/* Return the name of attr i in EVENT_DESC, which lists the attrs in order. Return NULL if it has no
 * such name. */
static const char *attr_name(const struct spemu_perf_file *file, uint32_t i)
{
	const uint8_t *bytes;
	const char *name = NULL;
	uint32_t n, attr_size, n_ids;
	struct in in;

	if (spemu__perf_feature(file, &in.pos, &in.left, SPEMU_PERF_FEAT_EVENT_DESC) != SPEMU_OK ||
	    !take32(&in, &n) || !take32(&in, &attr_size) || i >= n)
		return NULL;
	for (uint32_t k = 0; k <= i; k++) {
		if (!take(&in, attr_size, &bytes) || !take32(&in, &n_ids) ||
		    !take_string(&in, &name) || !take(&in, 8 * (uint64_t)n_ids, &bytes))
			return NULL;
	}
	return name;
}

int spemu_perf_attr(const struct spemu_perf_file *file, struct spemu_perf_attr *attr, uint32_t i)
{
	const uint8_t *p, *section;
	uint64_t ids_size, attr_size;

	*attr = (struct spemu_perf_attr){0};
	if (i >= file->n_attrs)
		return SPEMU_ERR_END;
	p = file->base + file->attrs_at + i * file->attr_entry;
	attr_size = file->attr_entry - PERF_SECTION_SIZE;
	section = p + attr_size;
	ids_size = le_load64(section + 8);
	*attr = (struct spemu_perf_attr){
	        .type = le_load32(p + PERF_ATTR_TYPE_AT),
	        .config = le_load64(p + PERF_ATTR_CONFIG_AT),
	        .config1 = le_load64(p + PERF_ATTR_CONFIG1_AT),
	        .sample_period = le_load64(p + PERF_ATTR_PERIOD_AT),
	        .sample_type = le_load64(p + PERF_ATTR_SAMPLE_TYPE_AT),
	        .flags = le_load64(p + PERF_ATTR_FLAGS_AT),
	        .n_ids = (uint32_t)(ids_size / 8),
	        .name = attr_name(file, i),
	};
	if (attr_size >= PERF_ATTR_CONFIG2_AT + 8)
		attr->config2 = le_load64(p + PERF_ATTR_CONFIG2_AT);
	if (attr->n_ids)
		attr->ids = file->base + le_load64(section);
	return SPEMU_OK;
}

int spemu_perf_next_build_id(const struct spemu_perf_file *file, struct spemu_perf_build_id *entry,
                             uint64_t *pos)
{
	const uint8_t *data, *p;
	uint64_t size;
	uint32_t misc, n;
	int status = spemu__perf_feature(file, &data, &size, SPEMU_PERF_FEAT_BUILD_ID);

	memset(entry, 0, sizeof(*entry));
	if (status != SPEMU_OK)
		return status;
	if (*pos >= size)
		return SPEMU_ERR_END;
	p = data + *pos;
	if (size - *pos < PERF_BUILD_ID_ENTRY_SIZE)
		return SPEMU_ERR_CORRUPT;
	misc = le_load16(p + 4);
	n = le_load16(p + 6);
	if (n <= PERF_BUILD_ID_ENTRY_SIZE || n > size - *pos ||
	    !memchr(p + PERF_BUILD_ID_ENTRY_SIZE, 0, n - PERF_BUILD_ID_ENTRY_SIZE))
		return SPEMU_ERR_CORRUPT;
	entry->pid = le_load32(p + 8);
	entry->cpumode = misc & SPEMU_PERF_MISC_CPUMODE;
	entry->size = SPEMU_PERF_BUILD_ID_MAX;
	if (misc & SPEMU_PERF_MISC_BUILD_ID_SIZE && p[32] < SPEMU_PERF_BUILD_ID_MAX)
		entry->size = p[32];
	memcpy(entry->id, p + 12, entry->size);
	entry->filename = (const char *)p + PERF_BUILD_ID_ENTRY_SIZE;
	*pos += n;
	return SPEMU_OK;
}

int spemu_perf_find_spe(struct spemu_perf_file *file, struct spemu_perf_auxtrace_info *info,
                        struct spemu_perf_time_conv *conv)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	bool have_info = false, have_conv = !conv;
	int status = SPEMU_OK;

	*info = (struct spemu_perf_auxtrace_info){0};
	if (conv)
		*conv = (struct spemu_perf_time_conv){0};
	while (!(have_info && have_conv)) {
		status = spemu_perf_next(file, &event, &cursor);
		if (status != SPEMU_OK || (have_info && event.type == SPEMU_PERF_AUXTRACE))
			break;
		if (event.type == SPEMU_PERF_TIME_CONV && conv) {
			*conv = event.u.time_conv;
			have_conv = true;
		} else if (event.type == SPEMU_PERF_AUXTRACE_INFO &&
		           event.u.auxtrace_info.type == SPEMU_PERF_AUXTRACE_SPE && !have_info) {
			*info = event.u.auxtrace_info;
			have_info = true;
		}
	}
	if (!have_info && conv)
		*conv = (struct spemu_perf_time_conv){0};
	return have_info ? SPEMU_OK : status;
}

int spemu_perf_spe_cpu(struct spemu_perf_spe_cpu *cpu, const struct spemu_perf_auxtrace_info *info,
                       uint32_t i)
{
	uint64_t at, left, n;

	*cpu = (struct spemu_perf_spe_cpu){0};
	if (info->version < 2 || i >= info->n_cpus)
		return SPEMU_ERR_END;
	/* The second word is the number of words before the first CPU. */
	if (le_load64(info->priv + 8) > info->priv_size / 8)
		return SPEMU_ERR_CORRUPT;
	at = 8 * le_load64(info->priv + 8);
	for (;;) {
		left = info->priv_size - at;
		if (left < 24 || le_load64(info->priv + at) != PERF_SPE_CPU_MAGIC)
			return SPEMU_ERR_CORRUPT;
		n = le_load64(info->priv + at + 16); /* number of words after the third one */
		if (n > (left - 24) / 8)
			return SPEMU_ERR_CORRUPT;
		if (!i--)
			break;
		at += 24 + 8 * n;
	}
	cpu->cpu = le_load64(info->priv + at + 8);
	if (n > 0)
		cpu->midr = le_load64(info->priv + at + 24);
	if (n > 1)
		cpu->pmu_type = le_load64(info->priv + at + 32);
	if (n > 2)
		cpu->min_interval = le_load64(info->priv + at + 40);
	if (n > 3)
		cpu->event_filter = le_load64(info->priv + at + 48);
	return SPEMU_OK;
}
