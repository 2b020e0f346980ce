#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_name(char *dst, size_t size, const char *src)
{
	size_t n = strlen(src);

	if (n >= size)
		n = size - 1;
	memcpy(dst, src, n);
	dst[n] = '\0';
}

int config_init(struct config *c, const char *text, const char *fallback)
{
	struct rule_set set;
	struct parse_result res;

	res = rules_parse(text, &set);
	if (res.error != PARSE_OK)
		return -1;
	c->rules = set.rules;
	c->nrules = set.count;
	c->generation = 1;
	c->rejected = 0;
	copy_name(c->fallback, sizeof(c->fallback), fallback);
	if (pthread_mutex_init(&c->lock, NULL) != 0) {
		rules_release(&set);
		return -1;
	}
	return 0;
}

void config_destroy(struct config *c)
{
	free(c->rules);
	c->rules = NULL;
	c->nrules = 0;
	pthread_mutex_destroy(&c->lock);
}

static void note_rejected(struct config *c, struct parse_result res)
{
	pthread_mutex_lock(&c->lock);
	c->rejected++;
	pthread_mutex_unlock(&c->lock);
	printf("config: line %u: %s\n", res.line, parse_error_text(res.error));
}

/*
 * Replaces the rules.  If the text is not valid the old rules stay.  Only
 * one thread at a time reloads.
 */
int config_reload(struct config *c, const char *text)
{
	struct rule_set set;
	struct rule *old;
	struct parse_result res;

	res = rules_parse(text, &set);
	if (res.error != PARSE_OK) {
		note_rejected(c, res);
		return -1;
	}

	pthread_mutex_lock(&c->lock);
	old = c->rules;
	c->rules = set.rules;
	pthread_mutex_unlock(&c->lock);
	free(old);

	pthread_mutex_lock(&c->lock);
	c->nrules = set.count;
	c->generation++;
	pthread_mutex_unlock(&c->lock);
	return 0;
}

/* Length of the prefix if the rule applies to the path, else 0. */
static size_t rule_applies(const struct rule *rule, const char *path)
{
	size_t n = strlen(rule->prefix);

	if (strncmp(rule->prefix, path, n) != 0)
		return 0;
	if (n > 1 && path[n] != '\0' && path[n] != '/')
		return 0;
	return n;
}

/* The rule with the longest prefix wins. */
void config_match(struct config *c, const char *path, struct match *m)
{
	const struct rule *best = NULL;
	size_t best_len = 0;
	size_t i;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < c->nrules; i++) {
		size_t n = rule_applies(&c->rules[i], path);

		if (n > best_len) {
			best = &c->rules[i];
			best_len = n;
		}
	}
	m->generation = c->generation;
	m->is_fallback = best == NULL;
	if (best != NULL) {
		copy_name(m->backend, sizeof(m->backend), best->backend);
		m->weight = best->weight;
	} else {
		copy_name(m->backend, sizeof(m->backend), c->fallback);
		m->weight = 0;
	}
	pthread_mutex_unlock(&c->lock);
}

size_t config_size(struct config *c)
{
	size_t n;

	pthread_mutex_lock(&c->lock);
	n = c->nrules;
	pthread_mutex_unlock(&c->lock);
	return n;
}

unsigned config_total_weight(struct config *c)
{
	unsigned total = 0;
	size_t i;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < c->nrules; i++)
		total += c->rules[i].weight;
	pthread_mutex_unlock(&c->lock);
	return total;
}

unsigned config_generation(struct config *c)
{
	unsigned g;

	pthread_mutex_lock(&c->lock);
	g = c->generation;
	pthread_mutex_unlock(&c->lock);
	return g;
}
