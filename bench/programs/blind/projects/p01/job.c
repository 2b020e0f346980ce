#include "job.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH 64

static const char *const kind_names[JOB_KINDS] = {
	"measure",
	"checksum",
	"pack",
	"palindrome",
	"vowels"
};

struct job *job_create(int id, enum job_kind kind, int priority,
		       const char *text)
{
	struct job *job;
	size_t len = strlen(text);

	job = malloc(sizeof(*job));
	if (job == NULL)
		return NULL;
	job->text = malloc(len + 1);
	if (job->text == NULL) {
		free(job);
		return NULL;
	}
	memcpy(job->text, text, len + 1);
	job->id = id;
	job->kind = kind;
	job->priority = priority;
	job->seq = 0;
	job->status = JOB_NEW;
	job->value = 0;
	return job;
}

void job_free(struct job *job)
{
	if (job == NULL)
		return;
	free(job->text);
	free(job);
}

static int run_measure(struct job *job)
{
	struct text_stats st;

	text_measure(job->text, &st);
	job->value = (long)(st.words * 100 + st.longest);
	return 0;
}

static int run_checksum(struct job *job)
{
	job->value = (long)(text_checksum(job->text) & 0xffffu);
	return 0;
}

static int run_pack(struct job *job)
{
	char packed[SCRATCH];
	char plain[SCRATCH];
	size_t n;

	n = text_pack(job->text, packed, sizeof(packed));
	if (n == 0 && job->text[0] != '\0')
		return -1;
	text_unpack(packed, plain, sizeof(plain));
	if (strcmp(plain, job->text) != 0)
		return -1;
	job->value = (long)n;
	return 0;
}

static int run_palindrome(struct job *job)
{
	job->value = text_is_palindrome(job->text);
	return 0;
}

static int run_vowels(struct job *job)
{
	job->value = (long)text_count_vowels(job->text);
	return 0;
}

void job_run(struct job *job)
{
	int rc = -1;

	switch (job->kind) {
	case JOB_MEASURE:
		rc = run_measure(job);
		break;
	case JOB_CHECKSUM:
		rc = run_checksum(job);
		break;
	case JOB_PACK:
		rc = run_pack(job);
		break;
	case JOB_PALINDROME:
		rc = run_palindrome(job);
		break;
	case JOB_VOWELS:
		rc = run_vowels(job);
		break;
	case JOB_KINDS:
		break;
	}
	job->status = rc == 0 ? JOB_DONE : JOB_FAILED;
}

const char *job_kind_name(enum job_kind kind)
{
	if ((int)kind < 0 || kind >= JOB_KINDS)
		return "unknown";
	return kind_names[kind];
}

void board_init(struct board *b)
{
	memset(b->rows, 0, sizeof(b->rows));
	b->count = 0;
	b->failures = 0;
	pthread_mutex_init(&b->lock, NULL);
}

void board_destroy(struct board *b)
{
	pthread_mutex_destroy(&b->lock);
}

int board_post(struct board *b, const struct job *job, int worker)
{
	struct result *row;
	int rc = -1;

	pthread_mutex_lock(&b->lock);
	if (b->count < BOARD_MAX) {
		row = &b->rows[b->count++];
		row->job_id = job->id;
		row->kind = job->kind;
		row->status = job->status;
		row->value = job->value;
		row->worker = worker;
		if (job->status == JOB_FAILED)
			b->failures++;
		rc = 0;
	}
	pthread_mutex_unlock(&b->lock);
	return rc;
}

size_t board_times_run(struct board *b, int job_id)
{
	size_t i;
	size_t n = 0;

	pthread_mutex_lock(&b->lock);
	for (i = 0; i < b->count; i++) {
		if (b->rows[i].job_id == job_id)
			n++;
	}
	pthread_mutex_unlock(&b->lock);
	return n;
}

int board_value(struct board *b, int job_id, long *value)
{
	size_t i;
	int rc = -1;

	pthread_mutex_lock(&b->lock);
	for (i = 0; i < b->count; i++) {
		if (b->rows[i].job_id == job_id &&
		    b->rows[i].status == JOB_DONE) {
			*value = b->rows[i].value;
			rc = 0;
			break;
		}
	}
	pthread_mutex_unlock(&b->lock);
	return rc;
}

void board_print(struct board *b)
{
	size_t i;

	pthread_mutex_lock(&b->lock);
	for (i = 0; i < b->count; i++) {
		const struct result *row = &b->rows[i];

		printf("job %d %-10s worker %d value %ld\n", row->job_id,
		       job_kind_name(row->kind), row->worker, row->value);
	}
	pthread_mutex_unlock(&b->lock);
}
