/*
 * Document processing: a few documents are turned into jobs, two workers
 * take the jobs from a priority queue and post what they found.
 */
#include "job.h"
#include "text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define WORKERS 2
#define FOLLOW_UP 100

struct worker {
	pthread_t thread;
	int index;
	struct jobqueue *queue;
	struct board *board;
	unsigned done;
};

struct document {
	int id;
	enum job_kind kind;
	int priority;
	const char *text;
};

static const struct document documents[] = {
	{ 1, JOB_PALINDROME, 1, "Never odd or even" },
	{ 2, JOB_MEASURE, 5, "one three\nfive" },
	{ 3, JOB_PACK, 3, "aaabccd" },
};

#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

/* A measured document is worth a vowel count as well. */
static void submit_follow_up(struct worker *w, const struct job *job)
{
	struct job *next;
	int rc;

	if (job->kind != JOB_MEASURE || job->status != JOB_DONE)
		return;
	next = job_create(FOLLOW_UP + job->id, JOB_VOWELS, job->priority,
			  job->text);
	assert(next != NULL);
	rc = jq_submit(w->queue, next);
	assert(rc == 0);
	(void)rc;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct job *job;
	int rc;

	while ((job = jq_poll(w->queue)) != NULL) {
		job_run(job);
		rc = board_post(w->board, job, w->index);
		assert(rc == 0);
		(void)rc;
		submit_follow_up(w, job);
		job_free(job);
		w->done++;
	}
	return NULL;
}

static void check_text(void)
{
	struct text_stats st;
	char buf[32];
	size_t n;

	text_measure("alpha be\n", &st);
	assert(st.bytes == 9);
	assert(st.words == 2);
	assert(st.lines == 1);
	assert(st.longest == 5);
	n = text_title_case("red FOX", buf, sizeof(buf));
	assert(n == 7);
	assert(strcmp(buf, "Red Fox") == 0);
	n = text_pack("xxxxy", buf, sizeof(buf));
	assert(n == 3);
	assert(strcmp(buf, "4xy") == 0);
	assert(text_count_match("abcabab", "ab") == 3);
	assert(text_checksum("") == 1);
}

static void check_queue_order(void)
{
	static const int priorities[] = { 2, 7, 2 };
	static const int expected[] = { 1, 0, 2 };
	struct jobqueue q;
	int i;
	int rc;

	rc = jq_init(&q, 2);
	assert(rc == 0);
	for (i = 0; i < 3; i++) {
		rc = jq_submit(&q, job_create(i, JOB_VOWELS, priorities[i],
					      "oak"));
		assert(rc == 0);
	}
	(void)rc;
	assert(jq_is_ordered(&q));
	for (i = 0; i < 3; i++) {
		struct job *job = jq_pop(&q);

		assert(job->id == expected[i]);
		job_free(job);
	}
	assert(jq_pending(&q) == 0);
	jq_destroy(&q);
}

static void expect_value(struct board *b, int id, long value)
{
	long got = -1;
	int rc;

	rc = board_value(b, id, &got);
	assert(rc == 0);
	(void)rc;
	assert(got == value);
	assert(board_times_run(b, id) == 1);
}

int main(void)
{
	struct jobqueue queue;
	struct board board;
	struct worker workers[WORKERS];
	unsigned done = 0;
	size_t i;
	int rc;

	check_text();
	check_queue_order();

	rc = jq_init(&queue, 2);
	assert(rc == 0);
	board_init(&board);
	for (i = 0; i < DOCUMENTS; i++) {
		const struct document *d = &documents[i];
		struct job *job;

		job = job_create(d->id, d->kind, d->priority, d->text);
		assert(job != NULL);
		rc = jq_submit(&queue, job);
		assert(rc == 0);
	}

	for (i = 0; i < WORKERS; i++) {
		workers[i].index = (int)i;
		workers[i].queue = &queue;
		workers[i].board = &board;
		workers[i].done = 0;
		rc = pthread_create(&workers[i].thread, NULL, worker_main,
				    &workers[i]);
		assert(rc == 0);
	}
	for (i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		done += workers[i].done;
	}

	board_print(&board);
	assert(done == DOCUMENTS + 1);
	assert(board.count == DOCUMENTS + 1);
	assert(board.failures == 0);
	assert(queue.submitted == queue.taken);
	assert(jq_pending(&queue) == 0);
	expect_value(&board, 1, 1);
	expect_value(&board, 2, 305);
	expect_value(&board, 3, 6);
	expect_value(&board, FOLLOW_UP + 2, 6);

	jq_destroy(&queue);
	board_destroy(&board);
	printf("documents: all %u jobs done\n", done);
	return 0;
}
