/* Two threads route requests while a third reloads the configuration. */
#include "config.h"
#include "router.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ROUTERS 2
#define REQUESTS 2
#define RELOADS 2

static const char initial_text[] =
	"# production\n"
	"/ web 10\n"
	"/api api 5\n"
	"/img media 3\n";

static const char small_text[] =
	"/ web 10\n";

static const char broken_text[] =
	"/ web 10\n"
	"/api api zero\n";

static const char *const reload_texts[RELOADS] = { small_text, broken_text };

struct client {
	pthread_t thread;
	struct router router;
	const char *const *requests;
};

struct reloader {
	pthread_t thread;
	struct config *config;
	unsigned accepted;
	unsigned refused;
};

static const char *const first_requests[REQUESTS] = {
	"GET /api/users?page=2",
	"GET /index.html",
};

static const char *const second_requests[REQUESTS] = {
	"POST /img/logo.png",
	"BREW /coffee",
};

static void *client_main(void *arg)
{
	struct client *cl = arg;
	int i;

	for (i = 0; i < REQUESTS; i++)
		router_handle(&cl->router, cl->requests[i]);
	return NULL;
}

static void *reloader_main(void *arg)
{
	struct reloader *rl = arg;
	int i;

	for (i = 0; i < RELOADS; i++) {
		if (config_reload(rl->config, reload_texts[i]) == 0)
			rl->accepted++;
		else
			rl->refused++;
	}
	return NULL;
}

static void expect_error(const char *text, enum parse_error error,
			 unsigned line)
{
	struct rule_set set;
	struct parse_result res = rules_parse(text, &set);

	assert(res.error == error);
	assert(res.line == line);
	(void)res;
	assert(set.rules == NULL && set.count == 0);
}

static void check_parser(void)
{
	struct rule_set set;
	struct parse_result res;

	res = rules_parse(initial_text, &set);
	assert(res.error == PARSE_OK);
	assert(set.count == 3);
	assert(strcmp(set.rules[1].prefix, "/api") == 0);
	assert(strcmp(set.rules[2].backend, "media") == 0);
	assert(set.rules[0].weight == 10);
	(void)res;
	rules_release(&set);
	expect_error("# nothing\n\n", PARSE_EMPTY, 0);
	expect_error("\n/a b\n", PARSE_MISSING_FIELD, 2);
	expect_error("a b 1\n", PARSE_BAD_PREFIX, 1);
	expect_error("/a b 1\n/a c 2\n", PARSE_DUPLICATE, 2);
}

static void check_match(void)
{
	struct config c;
	struct match m;
	int rc;

	rc = config_init(&c, "/api api 5\n/api/v2 next 7\n", "none");
	assert(rc == 0);
	config_match(&c, "/api/v2/x", &m);
	assert(strcmp(m.backend, "next") == 0 && m.weight == 7);
	config_match(&c, "/apix", &m);
	assert(m.is_fallback && strcmp(m.backend, "none") == 0);
	assert(config_total_weight(&c) == 12);
	rc = config_reload(&c, initial_text);
	assert(rc == 0);
	(void)rc;
	assert(config_size(&c) == 3);
	config_match(&c, "/apix", &m);
	assert(strcmp(m.backend, "web") == 0 && m.generation == 2);
	config_destroy(&c);
}

int main(void)
{
	struct config config;
	struct client clients[ROUTERS];
	struct reloader reloader = { .accepted = 0 };
	struct router all;
	int i;
	int rc;

	check_parser();
	check_match();

	rc = config_init(&config, initial_text, "none");
	assert(rc == 0);
	router_init(&all, &config);
	for (i = 0; i < ROUTERS; i++) {
		router_init(&clients[i].router, &config);
		clients[i].requests = i == 0 ? first_requests : second_requests;
		rc = pthread_create(&clients[i].thread, NULL, client_main,
				    &clients[i]);
		assert(rc == 0);
	}
	reloader.config = &config;
	rc = pthread_create(&reloader.thread, NULL, reloader_main, &reloader);
	assert(rc == 0);
	(void)rc;

	for (i = 0; i < ROUTERS; i++) {
		pthread_join(clients[i].thread, NULL);
		assert(!clients[i].router.went_back);
		router_merge(&all, &clients[i].router);
	}
	pthread_join(reloader.thread, NULL);

	router_print(&all);
	assert(reloader.accepted == 1 && reloader.refused == 1);
	assert(config.rejected == 1);
	assert(config_generation(&config) == 2);
	assert(config_size(&config) == 1);
	assert(config_total_weight(&config) == 10);
	assert(all.routed == 3);
	assert(all.malformed == 1);
	assert(all.fallbacks == 0);
	assert(router_count(&all, "web") >= 1);
	assert(router_count(&all, "web") + router_count(&all, "api") +
	       router_count(&all, "media") == 3);
	config_destroy(&config);
	return 0;
}
