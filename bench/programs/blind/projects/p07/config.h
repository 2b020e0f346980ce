/* The routing configuration of a small proxy. */
#ifndef CONFIG_H
#define CONFIG_H

#include <pthread.h>
#include <stddef.h>

#define PREFIX_MAX 16
#define BACKEND_MAX 12

struct rule {
	char prefix[PREFIX_MAX];
	char backend[BACKEND_MAX];
	unsigned weight;
};

/* The outcome of parsing: an array that belongs to whoever has the set. */
struct rule_set {
	struct rule *rules;
	size_t count;
};

enum parse_error {
	PARSE_OK,
	PARSE_EMPTY,
	PARSE_MISSING_FIELD,
	PARSE_FIELD_TOO_LONG,
	PARSE_BAD_PREFIX,
	PARSE_BAD_WEIGHT,
	PARSE_DUPLICATE,
	PARSE_NO_MEMORY
};

struct parse_result {
	enum parse_error error;
	unsigned line;
};

/*
 * Parses lines of the form "<prefix> <backend> <weight>"; empty lines and
 * lines that start with '#' are skipped.
 */
struct parse_result rules_parse(const char *text, struct rule_set *set);
void rules_release(struct rule_set *set);
const char *parse_error_text(enum parse_error error);

struct config {
	pthread_mutex_t lock;
	struct rule *rules;
	size_t nrules;
	unsigned generation;
	unsigned rejected;
	char fallback[BACKEND_MAX];
};

struct match {
	char backend[BACKEND_MAX];
	unsigned weight;
	unsigned generation;
	int is_fallback;
};

int config_init(struct config *c, const char *text, const char *fallback);
void config_destroy(struct config *c);
int config_reload(struct config *c, const char *text);
void config_match(struct config *c, const char *path, struct match *m);
size_t config_size(struct config *c);
unsigned config_total_weight(struct config *c);
unsigned config_generation(struct config *c);

#endif
