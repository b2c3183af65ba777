/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include "print.h"

/* ---- functions for the compiler -------------------------------------------------------------- */

void *memset(void *to, int value, size_t bytes)
{
	volatile uint8_t *p = to;

	while (bytes--)
		*p++ = (uint8_t)value;
	return to;
}

void *memcpy(void *to, const void *from, size_t bytes)
{
	volatile uint8_t *p = to;
	const uint8_t *q = from;

	while (bytes--)
		*p++ = *q++;
	return to;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void put_number(uint64_t value, unsigned base)
{
	char digits[24];
	unsigned n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (n)
		put(digits[--n]);
}

void print_list(const char *format, va_list list)
{
	for (; *format; format++) {
		if (*format != '%') {
			put(*format);
			continue;
		}
		switch (*++format) {
		case 's':
			for (const char *s = va_arg(list, const char *); *s; s++)
				put(*s);
			break;
		case 'd': {
			int64_t value = va_arg(list, int64_t);

			if (value < 0)
				put('-');
			put_number(value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
			break;
		}
		case 'u':
			put_number(va_arg(list, uint64_t), 10);
			break;
		case 'x':
			put('0');
			put('x');
			put_number(va_arg(list, uint64_t), 16);
			break;
		default:
			put(*format);
		}
	}
}

void print(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	print_list(format, list);
	va_end(list);
}
