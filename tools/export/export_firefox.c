/* SPDX-License-Identifier: MIT */
/*
 * The Firefox Profiler's processed profile, version 60. It is JSON with tables of the stacks,
 * frames and functions of all threads, and the samples of each thread by time. The viewer upgrades
 * every older version.
 *
 * A table is written column by column. Therefore the tables of the code are kept in memory, and
 * samples are sorted in a file (export_order.h).
 */
#define _GNU_SOURCE
#include "export.h"
#include "export_order.h"
#include "export_text.h"
#include "../base/clean.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>

enum { PROCESSED_VERSION = 60, GECKO_VERSION = 31 };

/* The value of a cell without a number. It is smaller than any real value. */
#define CELL_NULL INT64_MIN
#define CELL_FALSE (INT64_MIN + 1)

/* A table of rows. Its columns end with NULL. */
enum { COLUMNS_MAX = 9 };
struct table {
	const char *name;
	const char *columns[COLUMNS_MAX + 1];
	int64_t (*rows)[COLUMNS_MAX];
	size_t count, capacity;
};

/* The limit of addresses, which the viewer keeps in 31 bits. */
#define ADDRESS_END 0x80000000u

enum category { OTHER, USER, KERNEL };
enum { RESOURCE_LIBRARY = 1 };

struct thread {
	const struct task *task;
	uint32_t recording;
	uint64_t count; /* number of samples */
};

struct firefox {
	struct export *e;
	struct order order;
	struct map thread_index; /* tasks, by thread */
	struct thread *threads;
	size_t thread_capacity;
	struct table stacks, frames, functions, symbols, resources, sources;
	struct map function_index, symbol_index, library_index, source_index;
	struct text_table texts;
	const struct place **libraries; /* a place in each library */
	size_t library_capacity;
	uint32_t *stack_of; /* stack of the innermost frame, by call */
};

static void *begin(struct export *e)
{
	struct firefox *f = xcalloc(1, sizeof(*f));

	*f = (struct firefox){
	        .e = e,
	        .stacks = {"stackTable", {"frame", "prefix"}},
	        .frames = {"frameTable",
	                   {"address", "inlineDepth", "category", "subcategory", "func",
	                    "nativeSymbol", "innerWindowID", "line", "column"}},
	        .functions = {"funcTable",
	                      {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber",
	                       "columnNumber"}},
	        .symbols = {"nativeSymbols", {"libIndex", "address", "name", "functionSize"}},
	        .resources = {"resourceTable", {"lib", "name", "host", "type"}},
	        .sources = {"sources", {"uuid", "filename"}}};
	return f;
}

static void take(void *state, const struct sample *sample)
{
	struct firefox *f = state;
	const struct map_key key = {(uintptr_t)sample->task, 0, 0};
	size_t i;

	if (map_insert(&f->thread_index, key, &i))
		GROW(f->threads, i, f->thread_capacity)
	[i] = (struct thread){.task = sample->task,
	                      .recording =
	                              (uint32_t)(sample->recording - f->e->samples.recordings)};
	f->threads[i].count++;
	order_add(&f->order, (struct ordered){.time = sample->time,
	                                      .weight = sample_weight(sample, f->e->weight),
	                                      .thread = (uint32_t)i,
	                                      .stack = sample->stack});
}

/* ---- tables of the code ---- */

static int64_t *add_row(struct table *t)
{
	int64_t *row = GROW(t->rows, t->count, t->capacity)[t->count];

	t->count++;
	return row;
}

#define ADD_ROW(table, ...)                                      \
	memcpy(add_row(table), ((const int64_t[]){__VA_ARGS__}), \
	       sizeof((const int64_t[]){__VA_ARGS__}))

/* Return the number of the library of a place, which is also the number of its resource. */
static int64_t find_library(struct firefox *f, const struct place *place)
{
	const struct map_key key = {(uintptr_t)place->object, 0, 0};
	size_t i;

	if (map_insert(&f->library_index, key, &i)) {
		GROW(f->libraries, i, f->library_capacity)[i] = place;
		ADD_ROW(&f->resources, (int64_t)i, text_number(&f->texts, place_object(place)),
		        CELL_NULL, RESOURCE_LIBRARY);
	}
	return (int64_t)i;
}

static int64_t find_source(struct firefox *f, const char *file)
{
	uint32_t text;
	size_t i;

	if (!file)
		return CELL_NULL;
	text = text_number(&f->texts, file);
	if (map_insert(&f->source_index, (struct map_key){text, 0, 0}, &i))
		ADD_ROW(&f->sources, CELL_NULL, text);
	return (int64_t)i;
}

/* Return the function with a name in a library. Its code may come from several files. */
static int64_t find_function(struct firefox *f, const struct place *place, const char *name,
                             const char *file)
{
	int64_t resource = place->object ? find_library(f, place) : -1;
	uint32_t text = text_number(&f->texts, name);
	size_t i;

	if (map_insert(&f->function_index, (struct map_key){text, (uint64_t)resource, 0}, &i))
		ADD_ROW(&f->functions, text, CELL_FALSE, CELL_FALSE, resource, find_source(f, file),
		        CELL_NULL, CELL_NULL);
	return (int64_t)i;
}

static bool has_address(const struct place *place)
{
	return place->resolved && place->addr < ADDRESS_END;
}

static int64_t find_symbol(struct firefox *f, const struct place *place)
{
	const struct map_key key = {(uintptr_t)place->object, place->start, 0};
	size_t i;

	if (!has_address(place) || !place->symbol)
		return CELL_NULL;
	if (map_insert(&f->symbol_index, key, &i))
		ADD_ROW(&f->symbols, find_library(f, place), (int64_t)place->start,
		        text_number(&f->texts, place->symbol), CELL_NULL);
	return (int64_t)i;
}

static enum category category_of(const struct code *code)
{
	if (code_is_kernel(code))
		return KERNEL;
	return code->place->object ? USER : OTHER;
}

/* Add a frame and a stack for each function of an instruction, from the outermost on. Return the
 * stack of the innermost function. */
static uint32_t add_call(struct firefox *f, const struct call *call)
{
	const struct code *code = code_at(&f->e->codes, call->place);
	const struct place *place = code->place;
	uint32_t count = code_frames(code);
	int64_t prefix = call->caller ? f->stack_of[call->caller] : CELL_NULL;

	for (uint32_t n = count; n-- > 0;) {
		const char *file, *name;
		int line;

		name = code_frame(code, n, &file, &line);
		ADD_ROW(&f->frames, has_address(place) ? (int64_t)place->addr : -1, count - 1 - n,
		        category_of(code), 0, find_function(f, place, name, file),
		        find_symbol(f, place), 0, line ? line : CELL_NULL, CELL_NULL);
		ADD_ROW(&f->stacks, (int64_t)f->frames.count - 1, prefix);
		prefix = (int64_t)f->stacks.count - 1;
	}
	return (uint32_t)prefix;
}

static void add_calls(struct firefox *f)
{
	const struct samples *s = &f->e->samples;

	f->stack_of = xcalloc(s->call_index.count + 1, sizeof(*f->stack_of));
	/* A caller precedes its callees. */
	for (size_t i = 1; i < s->call_index.count; i++)
		f->stack_of[i] = add_call(f, &s->calls[i]);
}

/* ---- writing ---- */

static void put_cell(struct out *o, int64_t cell)
{
	if (cell == CELL_NULL) {
		out_text(o, "null");
	} else if (cell == CELL_FALSE) {
		out_text(o, "false");
	} else {
		out_bytes(o, "-", cell < 0);
		out_dec(o, (uint64_t)(cell < 0 ? -cell : cell));
	}
}

static void put_table(struct out *o, const struct table *t)
{
	out_fmt(o, "\"%s\":{", t->name);
	for (unsigned column = 0; t->columns[column]; column++) {
		out_fmt(o, "\"%s\":[", t->columns[column]);
		for (size_t i = 0; i < t->count; i++) {
			out_bytes(o, ",", i != 0);
			put_cell(o, t->rows[i][column]);
		}
		out_text(o, "],\n");
	}
	out_fmt(o, "\"length\":%zu},\n", t->count);
}

/* Write a time in ms, the unit of the viewer. */
static void put_time(struct out *o, uint64_t ns)
{
	out_fmt(o, "%llu.%06llu", (unsigned long long)(ns / 1000000),
	        (unsigned long long)(ns % 1000000));
}

/* Write a build-id in breakpad's form: the first 16 bytes as a GUID, whose first fields are
 * little-endian, and an age of 0. */
static void put_breakpad_id(struct out *o, const struct object *object)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	size_t size;
	const uint8_t *id = object_build_id(object, &size);

	for (unsigned i = 0; size && i < sizeof(order); i++)
		out_fmt(o, "%02X", order[i] < size ? id[order[i]] : 0);
	out_text(o, size ? "0" : "");
}

static void put_member(struct out *o, const char *name, const char *text)
{
	char *copy = clean_text(xstrdup(text));

	out_fmt(o, "\"%s\":", name);
	out_json_string(o, copy);
	out_text(o, ",");
	free(copy);
}

static void put_libraries(struct firefox *f)
{
	struct out *o = f->e->out;

	out_text(o, "\"libs\":[");
	for (size_t i = 0; i < f->library_index.count; i++) {
		const struct place *place = f->libraries[i];
		const char *name = place_object(place), *path = object_path(place->object);
		char id[BUILD_ID_TEXT];

		out_text(o, i ? ",\n{\"arch\":\"arm64\"," : "{\"arch\":\"arm64\",");
		put_member(o, "name", name);
		put_member(o, "path", path);
		put_member(o, "debugName", name);
		put_member(o, "debugPath", path);
		out_text(o, "\"breakpadId\":\"");
		put_breakpad_id(o, place->object);
		build_id_text(id, place->object);
		out_fmt(o, *id ? "\",\"codeId\":\"%s\"}" : "\",\"codeId\":null}", id);
	}
	out_text(o, "],\n");
}

static void put_shared(struct firefox *f)
{
	struct out *o = f->e->out;

	out_text(o, "\"shared\":{");
	put_table(o, &f->stacks);
	put_table(o, &f->frames);
	put_table(o, &f->functions);
	put_table(o, &f->resources);
	put_table(o, &f->symbols);
	put_table(o, &f->sources);
	out_text(o, "\"stringArray\":[");
	for (uint32_t i = 0; i < f->texts.count; i++) {
		out_text(o, i ? ",\n" : "");
		out_json_string(o, f->texts.texts[i]);
	}
	out_text(o, "]},\n");
}

/* ---- threads ---- */

/* Return the index of the first thread that is the main thread of the same process, or of the
 * thread itself if there is none. */
static size_t main_thread(const struct firefox *f, size_t of)
{
	const struct thread *threads = f->threads;

	for (size_t i = 0; i < f->thread_index.count; i++) {
		if (threads[i].task->tid == threads[of].task->pid &&
		    threads[i].task->pid == threads[of].task->pid &&
		    threads[i].recording == threads[of].recording)
			return i;
	}
	return of;
}

static void put_samples(struct firefox *f, uint64_t from, uint64_t count)
{
	static const char *const columns[] = {"stack", "time", "weight"};
	struct out *o = f->e->out;
	const struct ordered *sample;
	struct order_reader r;

	out_text(o, "\"samples\":{");
	for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		uint64_t time = 0;

		out_fmt(o, "\"%s\":[", columns[i]);
		order_open(&r, &f->order, from, from + count);
		for (const char *comma = ""; (sample = order_look(&r)); comma = ",") {
			out_text(o, comma);
			/* Samples without a time come last, and get the last known time. */
			time = sample->time == UINT64_MAX ? time : sample->time;
			if (*columns[i] == 't')
				put_time(o, time);
			else
				out_dec(o, *columns[i] == 's' ? f->stack_of[sample->stack]
				                              : sample->weight);
			order_pass(&r);
		}
		out_text(o, "],\n");
	}
	/* The viewer knows only ms and bytes as units, so meta.extra has the name of the actual
	 * unit. */
	out_fmt(o, "\"weightType\":\"samples\",\"length\":%llu},\n", (unsigned long long)count);
}

static uint64_t first_time(const struct firefox *f, uint64_t from)
{
	struct order_reader r;
	uint64_t time;

	order_open(&r, &f->order, from, from + 1);
	time = order_look(&r)->time;
	return time == UINT64_MAX ? 0 : time;
}

static void put_thread(struct firefox *f, size_t i, uint64_t from)
{
	const struct thread *thread = &f->threads[i];
	size_t main = main_thread(f, i);
	struct out *o = f->e->out;

	out_text(o, "{\"processType\":\"default\",\"processShutdownTime\":null,\"unregisterTime\":"
	            "null,\"pausedRanges\":[],\"processStartupTime\":");
	put_time(o, first_time(f, from));
	out_text(o, ",\"registerTime\":");
	put_time(o, first_time(f, from));
	out_fmt(o, ",\"pid\":\"%u", thread->task->pid);
	if (f->e->samples.recording_count > 1)
		out_fmt(o, ".%u", thread->recording + 1);
	out_fmt(o, "\",\"tid\":%u,", thread->task->tid);
	put_member(o, "name", thread->task->comm);
	put_member(o, "processName", f->threads[main].task->comm);
	out_fmt(o, "\"isMainThread\":%s,\n",
	        main == i && thread->task->pid == thread->task->tid ? "true" : "false");
	put_samples(f, from, thread->count);
	out_text(o, "\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
	            "\"phase\":[],\"category\":[],\"length\":0}}");
}

/* Return the mean time in ns between samples of a thread. The viewer derives widths from it. */
static uint64_t mean_interval(const struct firefox *f)
{
	uint64_t from = 0, distances = 0, sum = 0;
	struct order_reader r;

	for (size_t i = 0; i < f->thread_index.count; from += f->threads[i++].count) {
		uint64_t first = UINT64_MAX, last = 0;

		order_open(&r, &f->order, from, from + f->threads[i].count);
		for (const struct ordered *s; (s = order_look(&r)); order_pass(&r)) {
			if (s->time == UINT64_MAX)
				break;
			distances += first != UINT64_MAX;
			first = first == UINT64_MAX ? s->time : first;
			last = s->time;
		}
		sum += first == UINT64_MAX ? 0 : last - first;
	}
	return sum && sum / distances ? sum / distances : 1;
}

static void put_meta(struct firefox *f)
{
	static const char text[] =
	        ",\"startTime\":0,\"processType\":0,\"product\":\"spemu\",\"stackwalk\":1,"
	        "\"importedFrom\":\"" SPEMU_VERSION_TEXT "\",\"oscpu\":\"Linux aarch64\","
	        "\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
	        "\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[],\n"
	        "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
	        "\"categories\":["
	        "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	        "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	        "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}],\n"
	        "\"extra\":[{\"label\":\"spemu\",\"entries\":[{\"label\":\"Weight of a "
	        "sample\",\"format\":\"string\",\"value\":\"";
	struct out *o = f->e->out;

	out_fmt(o, "{\"meta\":{\"version\":%u,\"preprocessedProfileVersion\":%u,\"interval\":",
	        GECKO_VERSION, PROCESSED_VERSION);
	put_time(o, mean_interval(f));
	out_text(o, text);
	out_text(o, weight_names[f->e->weight]);
	out_text(o, "\"}]}]},\n");
}

static void free_tables(struct firefox *f)
{
	struct table *tables[] = {&f->stacks,  &f->frames,    &f->functions,
	                          &f->symbols, &f->resources, &f->sources};

	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		free(tables[i]->rows);
	map_free(&f->thread_index);
	map_free(&f->function_index);
	map_free(&f->symbol_index);
	map_free(&f->library_index);
	map_free(&f->source_index);
	text_table_free(&f->texts);
	free(f->threads);
	free(f->libraries);
	free(f->stack_of);
}

static void end(void *state)
{
	struct firefox *f = state;
	uint64_t from = 0;

	order_sort(&f->order);
	add_calls(f);
	put_meta(f);
	put_libraries(f);
	put_shared(f);
	out_text(f->e->out, "\"threads\":[");
	for (size_t i = 0; i < f->thread_index.count; from += f->threads[i++].count) {
		out_text(f->e->out, i ? ",\n" : "");
		put_thread(f, i, from);
	}
	out_text(f->e->out, "]}\n");
	order_free(&f->order);
	free_tables(f);
	free(f);
}

const struct format firefox_format = {
        .name = "firefox", .begin = begin, .sample = take, .end = end};
