/* SPDX-License-Identifier: MIT */
/* The result of a test, with the text that is collected while the test runs. Also the end of the
 * image if a test dies. */
#include "image.h"

#define LOG_BYTES 16384
#define REASON_BYTES 200
#define NOTES 8

/* ---- text that is collected while a test runs ------------------------------------------------ */

static char collected[LOG_BYTES];
static unsigned length, notes;
static bool collecting;

void put(char c)
{
	if (!collecting)
		console_put(c);
	else if (length < sizeof(collected))
		collected[length++] = c;
}

struct outcome {
	char why[REASON_BYTES];
	bool is;
};
static struct outcome failed, skipped;
static const char *name; /* name of the current test */

/* Keep the first reason, and print the others as lines of diagnosis. */
static void give(struct outcome *outcome, const char *format, va_list list)
{
	unsigned before = length;

	if (outcome->is && notes++ > NOTES)
		return;
	if (outcome->is)
		print("#   also: ");
	print_list(format, list);
	if (outcome->is) {
		put('\n');
		return;
	}
	outcome->is = true;
	for (unsigned i = before; i < length && i - before < REASON_BYTES - 1; i++)
		outcome->why[i - before] = collected[i];
	length = before;
}

void fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	give(&failed, format, list);
	va_end(list);
}

void skip(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	give(&skipped, format, list);
	va_end(list);
}

bool expect(bool ok, const char *format, ...)
{
	va_list list;

	if (ok)
		return true;
	va_start(list, format);
	give(&failed, format, list);
	va_end(list);
	return false;
}

void note(const char *format, ...)
{
	va_list list;

	if (notes++ > NOTES)
		return;
	print("#   ");
	va_start(list, format);
	print_list(format, list);
	va_end(list);
	put('\n');
}

void observe(const char *choice, const char *format, ...)
{
	va_list list;

	print("# observed %s: ", choice);
	va_start(list, format);
	print_list(format, list);
	va_end(list);
	put('\n');
}

void result_begin(const struct test *test)
{
	memset(&failed, 0, sizeof(failed));
	memset(&skipped, 0, sizeof(skipped));
	length = notes = 0;
	collecting = true;
	name = test->name;
}

void result_end(void)
{
	collecting = false;
}

const char *result_failed(void)
{
	return failed.is ? failed.why : NULL;
}

const char *result_skipped(void)
{
	return skipped.is ? skipped.why : NULL;
}

void result_show(void)
{
	for (unsigned i = 0; i < length; i++)
		put(collected[i]);
}

/* ---- the end of the image -------------------------------------------------------------------- */

static bool bailed;
static void (*undo)(void);

void before_bail_out(void (*function)(void))
{
	undo = function;
}

/* End the image from its own level, because only this level can access the console. */
void bail_out(void)
{
	if (!bailed)
		return;
	collecting = false;
	if (undo)
		undo();
	result_show();
	image_exit(EXIT_FAILED);
}

void die(const char *format, ...)
{
	va_list list;

	bailed = collecting = true;
	print("\nBail out! ");
	if (name)
		print("%s: ", name);
	va_start(list, format);
	print_list(format, list);
	va_end(list);
	put('\n');
	if (machine.el && (READ(CurrentEL) >> 2 & 3) != machine.el)
		leave_el1(); /* return to run_at() at its own level */
	bail_out();
	for (;;)
		;
}
