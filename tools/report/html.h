/* SPDX-License-Identifier: MIT */
/*
 * The page of --html: the files of tools/report/html around a JSON object. The object is the output
 * of --json with one more member, "page":
 *
 *   reasons  word and area of each reason
 *   tables   key, title, note, columns and number of omitted rows of each section
 *   stacks   call stacks as a tree, if there are any: html_stacks.c
 *   heat     memory accesses by time and address, if there are any: html_heat.c
 *   source   the lines and instructions of the functions that cost the most: html_source.c
 *   names    the short form of each long symbol; for two recordings, of both
 *
 * For `spemu diff --html`, "page" has "tables", "sides" with the objects of two such pages, and
 * "note" with the change of the total.
 */
#ifndef TOOLS_REPORT_HTML_H
#define TOOLS_REPORT_HTML_H

#include "arguments.h"
#include "../session/disassemble.h"

#include <json-c/json_object.h>

/* Add the short form of a symbol to the page, if it is long. */
void html_add_name(struct json_object *symbol);
/* Return the title, the note and the columns of a table, without its rows. */
struct json_object *html_table(const struct table *t);
/*
 * Return the JSON object of the `spemu report --html` page of one recording, with the filters and
 * limits of like. `spemu diff --html` includes two of them.
 */
struct json_object *html_side(const struct arguments *like, const char *path);
/* Add the member "page", which becomes the owner of tables. */
void html_add_page(struct json_object *root, struct profile *p, struct json_object *tables);
/* Write the page and free root. file "-" is standard output. */
void html_write(const char *file, struct json_object *root);

/* Return the functions that cost the most, with their source. */
struct json_object *html_source(struct profile *p);

/* The instructions of the page, and the disassembled functions that contain them. */
enum { HTML_INSTRUCTIONS = 4000, HTML_CODES = 40 };
struct html_code {
	size_t instruction_count; /* number of instructions so far, at most HTML_INSTRUCTIONS */
	struct html_function {
		struct object *object;
		struct disassembly code;
	} functions[HTML_CODES];
	size_t function_count;
	const char *problem; /* reason why an instruction has no text; the caller sets NULL */
};
/* Return the sampled instructions of a source line. */
struct json_object *html_instructions(const struct profile *p, const struct group *line,
                                      struct html_code *code);
void html_code_free(struct html_code *code);
/* Return the memory accesses by time and address. p->heat must be set. */
struct json_object *html_heat(const struct profile *p);
/* Return the call stacks. p->calls must be set. */
struct json_object *html_stacks(const struct profile *p);

#endif
