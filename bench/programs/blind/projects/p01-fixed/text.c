#include "text.h"

#include <string.h>

#define ADLER_BASE 65521u

static int is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

static char upper(char c)
{
	if (c >= 'a' && c <= 'z')
		return (char)(c - 'a' + 'A');
	return c;
}

void text_measure(const char *text, struct text_stats *out)
{
	size_t run = 0;
	const char *p;

	memset(out, 0, sizeof(*out));
	for (p = text; *p != '\0'; p++) {
		out->bytes++;
		if (*p == '\n')
			out->lines++;
		if (is_space(*p)) {
			run = 0;
			continue;
		}
		if (run == 0)
			out->words++;
		run++;
		if (run > out->longest)
			out->longest = run;
	}
	if (out->bytes > 0 && text[out->bytes - 1] != '\n')
		out->lines++;
}

uint32_t text_checksum(const char *text)
{
	uint32_t a = 1;
	uint32_t b = 0;

	for (; *text != '\0'; text++) {
		a = (a + (unsigned char)*text) % ADLER_BASE;
		b = (b + a) % ADLER_BASE;
	}
	return (b << 16) | a;
}

/*
 * Run length packing: a run of 2..9 equal characters becomes the digit
 * followed by the character.  Digits never occur in the input.
 */
size_t text_pack(const char *src, char *dst, size_t cap)
{
	size_t used = 0;

	while (*src != '\0') {
		size_t run = 1;

		while (run < 9 && src[run] == src[0])
			run++;
		if (used + 3 > cap)
			return 0;
		if (run > 1)
			dst[used++] = (char)('0' + run);
		dst[used++] = src[0];
		src += run;
	}
	dst[used] = '\0';
	return used;
}

size_t text_unpack(const char *src, char *dst, size_t cap)
{
	size_t used = 0;

	while (*src != '\0') {
		size_t run = 1;

		if (*src >= '2' && *src <= '9') {
			run = (size_t)(*src - '0');
			src++;
			if (*src == '\0')
				return 0;
		}
		if (used + run + 1 > cap)
			return 0;
		memset(dst + used, *src, run);
		used += run;
		src++;
	}
	dst[used] = '\0';
	return used;
}

int text_is_palindrome(const char *text)
{
	size_t lo = 0;
	size_t hi = strlen(text);

	if (hi == 0)
		return 1;
	hi--;
	while (lo < hi) {
		if (!is_letter(text[lo])) {
			lo++;
			continue;
		}
		if (!is_letter(text[hi])) {
			hi--;
			continue;
		}
		if (lower(text[lo]) != lower(text[hi]))
			return 0;
		lo++;
		hi--;
	}
	return 1;
}

size_t text_count_vowels(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++) {
		switch (lower(*text)) {
		case 'a':
		case 'e':
		case 'i':
		case 'o':
		case 'u':
			n++;
			break;
		default:
			break;
		}
	}
	return n;
}

size_t text_count_match(const char *text, const char *needle)
{
	size_t n = 0;
	size_t len = strlen(needle);

	if (len == 0)
		return 0;
	while (*text != '\0') {
		if (strncmp(text, needle, len) == 0) {
			n++;
			text += len;
		} else {
			text++;
		}
	}
	return n;
}

size_t text_title_case(const char *src, char *dst, size_t cap)
{
	size_t i;
	int start = 1;

	for (i = 0; src[i] != '\0'; i++) {
		if (i + 1 >= cap)
			return 0;
		dst[i] = start ? upper(src[i]) : lower(src[i]);
		start = is_space(src[i]);
	}
	dst[i] = '\0';
	return i;
}
