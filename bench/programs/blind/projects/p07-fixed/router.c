#include "router.h"

#include <stdio.h>
#include <string.h>

static enum method parse_method(const char *word, size_t n)
{
	if (n == 3 && strncmp(word, "GET", n) == 0)
		return METHOD_GET;
	if (n == 4 && strncmp(word, "POST", n) == 0)
		return METHOD_POST;
	return METHOD_OTHER;
}

/* Understands "GET /some/path" and cuts a query string off. */
int request_parse(const char *line, struct request *req)
{
	const char *space = strchr(line, ' ');
	size_t n = 0;

	if (space == NULL || space[1] != '/')
		return -1;
	req->method = parse_method(line, (size_t)(space - line));
	if (req->method == METHOD_OTHER)
		return -1;
	space++;
	while (*space != '\0' && *space != '?' && *space != ' ') {
		if (n + 1 >= sizeof(req->path))
			return -1;
		req->path[n++] = *space++;
	}
	req->path[n] = '\0';
	return 0;
}

void router_init(struct router *r, struct config *config)
{
	memset(r, 0, sizeof(*r));
	r->config = config;
}

static struct backend_count *find_count(struct router *r, const char *name)
{
	struct backend_count *bc;
	size_t i;

	for (i = 0; i < r->ncounts; i++) {
		if (strcmp(r->counts[i].name, name) == 0)
			return &r->counts[i];
	}
	if (r->ncounts == BACKENDS_MAX)
		return NULL;
	bc = &r->counts[r->ncounts++];
	memcpy(bc->name, name, strlen(name) + 1);
	bc->requests = 0;
	bc->posts = 0;
	return bc;
}

int router_handle(struct router *r, const char *line)
{
	struct request req;
	struct match m;
	struct backend_count *bc;

	if (request_parse(line, &req) != 0) {
		r->malformed++;
		return -1;
	}
	config_match(r->config, req.path, &m);
	bc = find_count(r, m.backend);
	if (bc == NULL)
		return -1;
	bc->requests++;
	if (req.method == METHOD_POST)
		bc->posts++;
	r->routed++;
	if (m.is_fallback)
		r->fallbacks++;
	if (m.generation < r->last_generation)
		r->went_back = 1;
	r->last_generation = m.generation;
	return 0;
}

unsigned router_count(const struct router *r, const char *backend)
{
	size_t i;

	for (i = 0; i < r->ncounts; i++) {
		if (strcmp(r->counts[i].name, backend) == 0)
			return r->counts[i].requests;
	}
	return 0;
}

void router_merge(struct router *into, const struct router *from)
{
	size_t i;

	for (i = 0; i < from->ncounts; i++) {
		struct backend_count *bc;

		bc = find_count(into, from->counts[i].name);
		if (bc == NULL)
			continue;
		bc->requests += from->counts[i].requests;
		bc->posts += from->counts[i].posts;
	}
	into->routed += from->routed;
	into->fallbacks += from->fallbacks;
	into->malformed += from->malformed;
}

void router_print(const struct router *r)
{
	size_t i;

	for (i = 0; i < r->ncounts; i++)
		printf("%-10s %u requests, %u posts\n", r->counts[i].name,
		       r->counts[i].requests, r->counts[i].posts);
}
