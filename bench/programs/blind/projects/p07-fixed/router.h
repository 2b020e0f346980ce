/* Sends requests to backends according to the configuration. */
#ifndef ROUTER_H
#define ROUTER_H

#include "config.h"

#define BACKENDS_MAX 6
#define PATH_MAX_LEN 32

enum method {
	METHOD_GET,
	METHOD_POST,
	METHOD_OTHER
};

struct request {
	enum method method;
	char path[PATH_MAX_LEN];
};

struct backend_count {
	char name[BACKEND_MAX];
	unsigned requests;
	unsigned posts;
};

/* A router belongs to one thread; only the configuration is shared. */
struct router {
	struct config *config;
	struct backend_count counts[BACKENDS_MAX];
	size_t ncounts;
	unsigned routed;
	unsigned fallbacks;
	unsigned malformed;
	unsigned last_generation;
	int went_back;
};

int request_parse(const char *line, struct request *req);
void router_init(struct router *r, struct config *config);
int router_handle(struct router *r, const char *line);
unsigned router_count(const struct router *r, const char *backend);
void router_merge(struct router *into, const struct router *from);
void router_print(const struct router *r);

#endif
