/* Small text utilities used by the document jobs. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text_stats {
	size_t bytes;
	size_t words;
	size_t lines;
	size_t longest;
};

void text_measure(const char *text, struct text_stats *out);
uint32_t text_checksum(const char *text);
size_t text_pack(const char *src, char *dst, size_t cap);
size_t text_unpack(const char *src, char *dst, size_t cap);
int text_is_palindrome(const char *text);
size_t text_count_vowels(const char *text);
size_t text_count_match(const char *text, const char *needle);
size_t text_title_case(const char *src, char *dst, size_t cap);

#endif
