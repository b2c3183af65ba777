/* SPDX-License-Identifier: MIT */
/*
 * An SQLite database. Tables: recording, code (an instruction in one task), call (a stack: an
 * instruction, and the stack of its caller), sample_row and event_name. Views: sample, which joins
 * the tables, and function, line, stack and event.
 *
 * Values that are equal for all samples of an instruction are stored once.
 */
#define _GNU_SOURCE
#include "export.h"
#include "export_columns.h"
#include "../base/clean.h"
#include "../base/optext.h"
#include "../base/whole_file.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct database {
	struct export *e;
	sqlite3 *db;
	sqlite3_stmt *insert; /* statement that inserts a sample */
};

static const char *const tables[] = {[OF_RECORDING] = "recording",
                                     [OF_CODE] = "code",
                                     [OF_CALL] = "call",
                                     [OF_SAMPLE] = "sample_row"};

static const char after_rows[] =
        "CREATE INDEX sample_by_code ON sample_row(code);"
        "CREATE INDEX sample_by_time ON sample_row(time);"
        "CREATE INDEX sample_by_va ON sample_row(va) WHERE va IS NOT NULL;"
        "CREATE INDEX code_by_symbol ON code(symbol);"
        "CREATE INDEX call_by_caller ON call(caller);"
        "CREATE VIEW function AS SELECT symbol, object, count(*) AS samples, sum(period) AS "
        "operations,"
        " sum(total) AS cycles FROM sample GROUP BY symbol, object;"
        "CREATE VIEW line AS SELECT file, line, symbol, count(*) AS samples, sum(period) AS "
        "operations,"
        " sum(total) AS cycles FROM sample WHERE file IS NOT NULL GROUP BY file, line, symbol;"
        "CREATE VIEW event AS SELECT n.name AS name, count(*) AS samples, sum(s.total) AS cycles"
        " FROM event_name n JOIN sample_row s ON s.event_bits >> n.bit & 1 GROUP BY n.bit;"
        /* The instructions of each stack. Number 0 is the sampled instruction. */
        "CREATE VIEW stack AS WITH RECURSIVE up(call, depth, caller, code) AS"
        " (SELECT id, 0, caller, code FROM call UNION ALL"
        " SELECT up.call, up.depth + 1, c.caller, c.code FROM up JOIN call c ON c.id = up.caller)"
        " SELECT up.call, up.depth, code.* FROM up JOIN code ON code.id = up.code;";

static _Noreturn void cannot(const struct database *d)
{
	die(EXIT_OWN, "cannot write %s: %s", d->e->path, sqlite3_errmsg(d->db));
}

static void execute(struct database *d, const char *sql)
{
	if (sqlite3_exec(d->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		cannot(d);
}

static sqlite3_stmt *prepare(struct database *d, const char *sql)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(d->db, sql, -1, &statement, NULL) != SQLITE_OK)
		cannot(d);
	return statement;
}

/* Remove a file of an earlier database, which SQLite would apply to this one. */
static void remove_beside(const char *path, const char *ending)
{
	char *name = xasprintf("%s%s", path, ending);

	unlink(name);
	free(name);
}

static void open_database(struct database *d)
{
	const char *given = d->e->path, *name;
	struct stat st;
	char *path;

	if (!stat(given, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		die(EXIT_OWN, "cannot write a database to %s: it is not a regular file", given);
	whole_file_open(given);
	name = whole_file_name();
	/* SQLite might interpret a relative name in another way. */
	path = xasprintf("%s%s", *name == '/' ? "" : "./", name);
	if (sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		cannot(d);
	free(path);
	/* An incomplete database is useless, so no journal is needed. */
	execute(d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;");
}

/* Write the columns of a scope. The names are spemu's own, so SQL needs no quoting of them. */
static void put_names(FILE *sql, enum column_scope scope, const char *format)
{
	for (unsigned i = 0; i < export_column_count; i++) {
		const struct export_column *c = &export_columns[i];

		if (c->scope == scope)
			fprintf(sql, format, c->name, c->kind == COLUMN_WORDS ? "TEXT" : "INTEGER");
	}
}

/* Write a column of the view. Values of a call are looked up only if a query uses them. */
static void put_of_sample(FILE *sql, const struct export_column *c)
{
	if (c->scope == OF_CALL)
		fprintf(sql, ", (SELECT \"%s\" FROM call WHERE id = s.call) AS \"%s\"", c->name,
		        c->name);
	else
		fprintf(sql, ", %s.\"%s\"", c->scope == OF_SAMPLE ? "s" : tables[c->scope],
		        c->name);
}

static char *finish_sql(FILE *sql, char **text)
{
	if (fclose(sql))
		die(EXIT_OWN, "out of memory");
	return *text;
}

static FILE *begin_sql(char **text, size_t *size)
{
	FILE *sql = open_memstream(text, size);

	if (!sql)
		die(EXIT_OWN, "out of memory");
	return sql;
}

static void create_tables(struct database *d)
{
	char *text;
	size_t size;
	FILE *sql = begin_sql(&text, &size);

	fputs("CREATE TABLE recording(id INTEGER PRIMARY KEY", sql);
	put_names(sql, OF_RECORDING, ", \"%s\" %s");
	fputs("); CREATE TABLE code(id INTEGER PRIMARY KEY", sql);
	put_names(sql, OF_CODE, ", \"%s\" %s");
	fputs("); CREATE TABLE call(id INTEGER PRIMARY KEY, caller INTEGER REFERENCES call, "
	      "code INTEGER REFERENCES code",
	      sql);
	put_names(sql, OF_CALL, ", \"%s\" %s");
	fputs(");"
	      "CREATE TABLE event_name(bit INTEGER PRIMARY KEY, name TEXT);"
	      "CREATE TABLE sample_row(recording INTEGER REFERENCES recording, "
	      "code INTEGER REFERENCES code, call INTEGER REFERENCES call",
	      sql);
	put_names(sql, OF_SAMPLE, ", \"%s\" %s");
	fputs("); CREATE VIEW sample AS SELECT s.recording, s.code, s.call", sql);
	for (unsigned i = 0; i < export_column_count; i++)
		put_of_sample(sql, &export_columns[i]);
	fputs(" FROM sample_row s JOIN code ON code.id = s.code JOIN recording ON recording.id = "
	      "s.recording;",
	      sql);
	execute(d, finish_sql(sql, &text));
	free(text);
}

/* Prepare "INSERT INTO table VALUES (?, ...)" with the given number of keys and the columns of the
 * scope. */
static sqlite3_stmt *prepare_insert(struct database *d, enum column_scope scope, unsigned keys)
{
	char *text;
	size_t size;
	FILE *sql = begin_sql(&text, &size);
	sqlite3_stmt *statement;

	fprintf(sql, "INSERT INTO %s VALUES (?", tables[scope]);
	for (unsigned i = 1; i < keys; i++)
		fputs(", ?", sql);
	for (unsigned i = 0; i < export_column_count; i++)
		fputs(export_columns[i].scope == scope ? ", ?" : "", sql);
	fputs(")", sql);
	statement = prepare(d, finish_sql(sql, &text));
	free(text);
	return statement;
}

/* Free a text for SQLite. free() may be a macro, so its address is not used. */
static void release(void *words)
{
	free(words);
}

static void bind_words(struct database *d, sqlite3_stmt *statement, int place, const char *words)
{
	char *copy = clean_text(xstrdup(words));

	if (sqlite3_bind_text(statement, place, copy, -1, release) != SQLITE_OK)
		cannot(d);
}

static void insert(struct database *d, sqlite3_stmt *statement, enum column_scope scope, int place,
                   const struct row *row)
{
	struct value value;

	for (unsigned i = 0; i < export_column_count; i++) {
		if (export_columns[i].scope != scope)
			continue;
		if (!column_get(&value, i, row))
			sqlite3_bind_null(statement, place);
		else if (export_columns[i].kind == COLUMN_WORDS)
			bind_words(d, statement, place, value.words);
		else
			sqlite3_bind_int64(statement, place, (sqlite3_int64)value.number);
		place++;
	}
	if (sqlite3_step(statement) != SQLITE_DONE)
		cannot(d);
	sqlite3_reset(statement);
}

static void *begin(struct export *e)
{
	struct database *d = xcalloc(1, sizeof(*d));

	d->e = e;
	open_database(d);
	create_tables(d);
	d->insert = prepare_insert(d, OF_SAMPLE, 3);
	return d;
}

static void take(void *state, const struct sample *sample)
{
	struct database *d = state;
	struct row row = {
	        .recording = sample->recording, .codes = &d->e->codes, .sample = sample};

	sqlite3_bind_int64(d->insert, 1, sample->recording - d->e->samples.recordings);
	sqlite3_bind_int64(d->insert, 2, sample->place);
	sqlite3_bind_int64(d->insert, 3, sample->stack);
	insert(d, d->insert, OF_SAMPLE, 4, &row);
}

static void add_recordings(struct database *d)
{
	sqlite3_stmt *statement = prepare_insert(d, OF_RECORDING, 1);

	for (unsigned i = 0; i < d->e->samples.recording_count; i++) {
		struct row row = {.recording = &d->e->samples.recordings[i]};

		sqlite3_bind_int64(statement, 1, i);
		insert(d, statement, OF_RECORDING, 2, &row);
	}
	sqlite3_finalize(statement);
}

/* Add the instructions of samples and calls. A filter may have looked up other instructions. */
static void add_codes(struct database *d)
{
	struct samples *s = &d->e->samples;
	bool *wanted = xcalloc(s->place_index.count + 1, sizeof(*wanted));
	sqlite3_stmt *statement = prepare_insert(d, OF_CODE, 1);

	for (size_t i = 1; i < s->call_index.count; i++)
		wanted[s->calls[i].place] = true;
	for (size_t i = 0; i < s->place_index.count; i++) {
		struct row row = {NULL};

		if (!wanted[i])
			continue;
		row.code = code_at(&d->e->codes, (uint32_t)i);
		row.recording = &s->recordings[row.code->place->input];
		sqlite3_bind_int64(statement, 1, (sqlite3_int64)i);
		insert(d, statement, OF_CODE, 2, &row);
	}
	sqlite3_finalize(statement);
	free(wanted);
}

static void add_calls(struct database *d)
{
	sqlite3_stmt *statement = prepare_insert(d, OF_CALL, 3);
	struct samples *s = &d->e->samples;

	for (size_t i = 1; i < s->call_index.count; i++) {
		const struct row row = {.stack = (uint32_t)i, .codes = &d->e->codes};

		sqlite3_bind_int64(statement, 1, (sqlite3_int64)i);
		if (s->calls[i].caller)
			sqlite3_bind_int64(statement, 2, s->calls[i].caller);
		else
			sqlite3_bind_null(statement, 2);
		sqlite3_bind_int64(statement, 3, s->calls[i].place);
		insert(d, statement, OF_CALL, 4, &row);
	}
	sqlite3_finalize(statement);
}

static void add_event_names(struct database *d)
{
	sqlite3_stmt *statement = prepare(d, "INSERT INTO event_name VALUES (?, ?)");
	char name[32];

	for (int bit = 0; bit < 64; bit++) {
		sqlite3_bind_int64(statement, 1, bit);
		sqlite3_bind_text(statement, 2, event_name(name, sizeof(name), (unsigned)bit), -1,
		                  SQLITE_STATIC);
		if (sqlite3_step(statement) != SQLITE_DONE)
			cannot(d);
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
}

static void end(void *state)
{
	struct database *d = state;

	sqlite3_finalize(d->insert);
	add_recordings(d);
	add_codes(d);
	add_calls(d);
	add_event_names(d);
	execute(d, after_rows);
	execute(d, "COMMIT; ANALYZE;");
	if (sqlite3_close(d->db) != SQLITE_OK)
		cannot(d);
	remove_beside(d->e->path, "-journal");
	remove_beside(d->e->path, "-wal");
	whole_file_close();
	free(d);
}

const struct format sqlite_format = {.name = "sqlite",
                                     .begin = begin,
                                     .sample = take,
                                     .end = end,
                                     .has_rows = true,
                                     .makes_file = true};
