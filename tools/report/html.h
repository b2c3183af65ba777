/* SPDX-License-Identifier: MIT */
/*
 * The page of --html: tools/report/html with one island of data. The data are those of --json, and
 * a member "page" with data for the page alone:
 *
 *   tables   for each section its key, title, note, columns, and the number of rows left out
 *   stacks   call stacks as a tree, if there are any: html_stacks.c
 *   heat     memory accesses by time and address, if there are any: html_heat.c
 *   source   the lines of the functions that cost the most: html_source.c
 *
 * The page of `spemu diff --html` has the data of its --json, tables, "sides", which are the data
 * of two such pages, and "note", how the whole changed.
 */
#ifndef TOOLS_REPORT_HTML_H
#define TOOLS_REPORT_HTML_H

#include "arguments.h"

#include <json-c/json_object.h>

/* Return the title, the note and the columns of a table, without its rows. */
struct json_object *html_table(const struct table *t);
/*
 * Return the data of a page of `spemu report --html` about one recording, with the filters and
 * limits of like. `spemu diff --html` has two of them.
 */
struct json_object *html_side(const struct arguments *like, const char *path);
/* Add the member "page", which takes over tables. */
void html_add_page(struct json_object *root, struct profile *p, struct json_object *tables);
/* Write the page and free root. file "-" is standard output. */
void html_write(const char *file, struct json_object *root);

/* Return the functions that cost the most, with their source. */
struct json_object *html_source(struct profile *p);
/* Return the memory accesses by time and address, which p has. */
struct json_object *html_heat(const struct profile *p);
/* Return the call stacks, which p has. */
struct json_object *html_stacks(const struct profile *p);

#endif
