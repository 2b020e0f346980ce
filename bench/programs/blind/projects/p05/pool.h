#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <stddef.h>

/* Memory that a task may use while it runs; contents are undefined. */
struct scratch {
	long *cells;
	size_t count;
};

typedef void (*task_fn)(void *arg, struct scratch *scratch);

struct task {
	task_fn fn;
	void *arg;
};

/* A growing ring of tasks, first in, first out.  Not locked by itself. */
struct ring {
	struct task *tasks;
	size_t head;
	size_t count;
	size_t capacity;
};

int ring_init(struct ring *r, size_t capacity);
void ring_free(struct ring *r);
int ring_push(struct ring *r, struct task t);
int ring_pop(struct ring *r, struct task *t);

struct pool;

struct pool_totals {
	unsigned long submitted;
	unsigned long done;
	unsigned workers;
	size_t scratch_bytes;
};

/*
 * The pool starts its workers at once.  Each worker owns a scratch area of
 * scratch_cells cells.
 */
struct pool *pool_create(unsigned workers, size_t scratch_cells);
int pool_submit(struct pool *p, task_fn fn, void *arg);
void pool_wait(struct pool *p);
unsigned long pool_done(struct pool *p);
void pool_destroy(struct pool *p, struct pool_totals *totals);

#endif
