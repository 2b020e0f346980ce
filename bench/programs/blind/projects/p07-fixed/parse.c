#include "config.h"

#include <stdlib.h>
#include <string.h>

struct cursor {
	const char *pos;
	const char *end;
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *line_end(const char *p)
{
	while (*p != '\0' && *p != '\n')
		p++;
	return p;
}

static void skip_blanks(struct cursor *cur)
{
	while (cur->pos < cur->end && is_blank(*cur->pos))
		cur->pos++;
}

/* Is there anything on this line besides blanks and a comment? */
static int line_has_rule(const char *start, const char *end)
{
	struct cursor cur = { start, end };

	skip_blanks(&cur);
	return cur.pos < cur.end && *cur.pos != '#';
}

static size_t count_rules(const char *text)
{
	size_t n = 0;

	while (*text != '\0') {
		const char *end = line_end(text);

		if (line_has_rule(text, end))
			n++;
		text = *end == '\n' ? end + 1 : end;
	}
	return n;
}

static enum parse_error take_word(struct cursor *cur, char *out, size_t size)
{
	size_t n = 0;

	skip_blanks(cur);
	while (cur->pos < cur->end && !is_blank(*cur->pos)) {
		if (n + 1 >= size)
			return PARSE_FIELD_TOO_LONG;
		out[n++] = *cur->pos++;
	}
	out[n] = '\0';
	return n > 0 ? PARSE_OK : PARSE_MISSING_FIELD;
}

static enum parse_error take_weight(struct cursor *cur, unsigned *out)
{
	char word[8];
	unsigned value = 0;
	const char *p;
	enum parse_error err;

	err = take_word(cur, word, sizeof(word));
	if (err != PARSE_OK)
		return err;
	for (p = word; *p != '\0'; p++) {
		if (*p < '0' || *p > '9')
			return PARSE_BAD_WEIGHT;
		value = value * 10 + (unsigned)(*p - '0');
	}
	if (value == 0 || value > 1000)
		return PARSE_BAD_WEIGHT;
	*out = value;
	return PARSE_OK;
}

static enum parse_error parse_line(struct cursor *cur, struct rule *rule)
{
	enum parse_error err;

	err = take_word(cur, rule->prefix, sizeof(rule->prefix));
	if (err == PARSE_OK && rule->prefix[0] != '/')
		err = PARSE_BAD_PREFIX;
	if (err == PARSE_OK)
		err = take_word(cur, rule->backend, sizeof(rule->backend));
	if (err == PARSE_OK)
		err = take_weight(cur, &rule->weight);
	return err;
}

static int is_duplicate(const struct rule *rules, size_t n, const char *prefix)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(rules[i].prefix, prefix) == 0)
			return 1;
	}
	return 0;
}

struct parse_result rules_parse(const char *text, struct rule_set *set)
{
	struct parse_result res = { PARSE_OK, 0 };
	size_t total = count_rules(text);

	set->rules = NULL;
	set->count = 0;
	if (total == 0) {
		res.error = PARSE_EMPTY;
		return res;
	}
	set->rules = calloc(total, sizeof(*set->rules));
	if (set->rules == NULL) {
		res.error = PARSE_NO_MEMORY;
		return res;
	}
	while (*text != '\0') {
		const char *end = line_end(text);
		struct cursor cur = { text, end };
		struct rule *rule;

		res.line++;
		text = *end == '\n' ? end + 1 : end;
		if (!line_has_rule(cur.pos, end))
			continue;
		rule = &set->rules[set->count];
		res.error = parse_line(&cur, rule);
		if (res.error == PARSE_OK &&
		    is_duplicate(set->rules, set->count, rule->prefix))
			res.error = PARSE_DUPLICATE;
		if (res.error != PARSE_OK) {
			rules_release(set);
			return res;
		}
		set->count++;
	}
	return res;
}

void rules_release(struct rule_set *set)
{
	free(set->rules);
	set->rules = NULL;
	set->count = 0;
}

const char *parse_error_text(enum parse_error error)
{
	switch (error) {
	case PARSE_OK:
		return "ok";
	case PARSE_EMPTY:
		return "no rules";
	case PARSE_MISSING_FIELD:
		return "missing field";
	case PARSE_FIELD_TOO_LONG:
		return "field too long";
	case PARSE_BAD_PREFIX:
		return "prefix must start with a slash";
	case PARSE_BAD_WEIGHT:
		return "weight must be from 1 to 1000";
	case PARSE_DUPLICATE:
		return "duplicate prefix";
	case PARSE_NO_MEMORY:
		return "out of memory";
	}
	return "?";
}
