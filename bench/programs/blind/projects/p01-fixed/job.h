/* Document jobs, the queue that holds them, and the board of results. */
#ifndef JOB_H
#define JOB_H

#include <pthread.h>
#include <stddef.h>

enum job_kind {
	JOB_MEASURE,
	JOB_CHECKSUM,
	JOB_PACK,
	JOB_PALINDROME,
	JOB_VOWELS,
	JOB_KINDS
};

enum job_status {
	JOB_NEW,
	JOB_DONE,
	JOB_FAILED
};

struct job {
	int id;
	enum job_kind kind;
	int priority;
	unsigned long seq;
	enum job_status status;
	long value;
	char *text;
};

struct job *job_create(int id, enum job_kind kind, int priority,
		       const char *text);
void job_free(struct job *job);
void job_run(struct job *job);
const char *job_kind_name(enum job_kind kind);

/* A priority queue: highest priority first, then oldest first. */
struct jobqueue {
	pthread_mutex_t lock;
	struct job **heap;
	size_t count;
	size_t capacity;
	unsigned long next_seq;
	unsigned long submitted;
	unsigned long taken;
};

int jq_init(struct jobqueue *q, size_t capacity);
void jq_destroy(struct jobqueue *q);
int jq_submit(struct jobqueue *q, struct job *job);
size_t jq_pending(struct jobqueue *q);
struct job *jq_pop(struct jobqueue *q);
struct job *jq_poll(struct jobqueue *q);
int jq_is_ordered(struct jobqueue *q);

#define BOARD_MAX 16

struct result {
	int job_id;
	enum job_kind kind;
	enum job_status status;
	long value;
	int worker;
};

struct board {
	pthread_mutex_t lock;
	struct result rows[BOARD_MAX];
	size_t count;
	size_t failures;
};

void board_init(struct board *b);
void board_destroy(struct board *b);
int board_post(struct board *b, const struct job *job, int worker);
size_t board_times_run(struct board *b, int job_id);
int board_value(struct board *b, int job_id, long *value);
void board_print(struct board *b);

#endif
