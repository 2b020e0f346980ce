#include "pool.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_RING 2

struct slot {
	struct pool *pool;
	struct scratch scratch;
	unsigned long done;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work;	/* a task has come, or the pool is stopping */
	pthread_cond_t idle;	/* no task is waiting or running */
	pthread_cond_t gone;	/* a worker has left */
	struct ring ring;
	struct slot *slots;
	pthread_t *threads;
	unsigned workers;
	unsigned live;
	unsigned long submitted;
	unsigned long pending;
	int stopping;
};

static int scratch_init(struct scratch *s, size_t cells)
{
	s->cells = NULL;
	s->count = 0;
	if (cells == 0)
		return 0;
	s->cells = malloc(cells * sizeof(*s->cells));
	if (s->cells == NULL)
		return -1;
	s->count = cells;
	return 0;
}

static void scratch_release(struct scratch *s)
{
	free(s->cells);
	s->cells = NULL;
	s->count = 0;
}

/* Waits for a task.  Returns 0 if there will be none any more. */
static int next_task(struct pool *p, struct task *t)
{
	while (p->ring.count == 0 && !p->stopping)
		pthread_cond_wait(&p->work, &p->lock);
	return ring_pop(&p->ring, t) == 0;
}

static void finish_task(struct pool *p, struct slot *slot)
{
	slot->done++;
	p->pending--;
	if (p->pending == 0)
		pthread_cond_broadcast(&p->idle);
}

static void *worker_main(void *arg)
{
	struct slot *slot = arg;
	struct pool *p = slot->pool;
	struct task t;

	pthread_mutex_lock(&p->lock);
	while (next_task(p, &t)) {
		pthread_mutex_unlock(&p->lock);
		t.fn(t.arg, &slot->scratch);
		pthread_mutex_lock(&p->lock);
		finish_task(p, slot);
	}
	p->live--;
	pthread_cond_signal(&p->gone);
	pthread_mutex_unlock(&p->lock);

	scratch_release(&slot->scratch);
	return NULL;
}

static void init_sync(struct pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->idle, NULL);
	pthread_cond_init(&p->gone, NULL);
}

static void destroy_sync(struct pool *p)
{
	pthread_cond_destroy(&p->gone);
	pthread_cond_destroy(&p->idle);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
}

/* Undo pool_create when no thread has been started. */
static void abandon(struct pool *p, unsigned prepared)
{
	unsigned i;

	for (i = 0; i < prepared; i++)
		scratch_release(&p->slots[i].scratch);
	ring_free(&p->ring);
	free(p->slots);
	free(p->threads);
	destroy_sync(p);
	free(p);
}

static int start_workers(struct pool *p)
{
	unsigned i;
	int rc = 0;

	pthread_mutex_lock(&p->lock);
	for (i = 0; i < p->workers; i++) {
		if (pthread_create(&p->threads[i], NULL, worker_main,
				   &p->slots[i]) != 0) {
			rc = -1;
			break;
		}
		p->live++;
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

struct pool *pool_create(unsigned workers, size_t scratch_cells)
{
	struct pool *p = calloc(1, sizeof(*p));
	unsigned i;

	if (p == NULL)
		return NULL;
	init_sync(p);
	p->workers = workers;
	p->slots = calloc(workers, sizeof(*p->slots));
	p->threads = calloc(workers, sizeof(*p->threads));
	if (p->slots == NULL || p->threads == NULL ||
	    ring_init(&p->ring, FIRST_RING) != 0) {
		abandon(p, 0);
		return NULL;
	}
	for (i = 0; i < workers; i++) {
		p->slots[i].pool = p;
		if (scratch_init(&p->slots[i].scratch, scratch_cells) != 0) {
			abandon(p, i);
			return NULL;
		}
	}
	if (start_workers(p) != 0)
		abort();
	return p;
}

int pool_submit(struct pool *p, task_fn fn, void *arg)
{
	struct task t = { fn, arg };
	int rc = -1;

	pthread_mutex_lock(&p->lock);
	if (!p->stopping)
		rc = ring_push(&p->ring, t);
	if (rc == 0) {
		p->submitted++;
		p->pending++;
		pthread_cond_signal(&p->work);
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

/* Returns when all tasks that were submitted have run. */
void pool_wait(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->pending > 0)
		pthread_cond_wait(&p->idle, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

unsigned long pool_done(struct pool *p)
{
	unsigned long done = 0;
	unsigned i;

	pthread_mutex_lock(&p->lock);
	for (i = 0; i < p->workers; i++)
		done += p->slots[i].done;
	pthread_mutex_unlock(&p->lock);
	return done;
}

/* Lets the workers finish what is in the ring and sends them home. */
static void stop_workers(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->stopping = 1;
	pthread_cond_broadcast(&p->work);
	while (p->live > 0)
		pthread_cond_wait(&p->gone, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

void pool_destroy(struct pool *p, struct pool_totals *totals)
{
	size_t cells = p->slots[0].scratch.count;
	unsigned i;

	stop_workers(p);
	if (totals != NULL) {
		memset(totals, 0, sizeof(*totals));
		totals->submitted = p->submitted;
		totals->workers = p->workers;
		totals->scratch_bytes = p->workers * cells * sizeof(long);
		for (i = 0; i < p->workers; i++)
			totals->done += p->slots[i].done;
	}
	ring_free(&p->ring);
	free(p->slots);
	for (i = 0; i < p->workers; i++)
		pthread_join(p->threads[i], NULL);
	free(p->threads);
	destroy_sync(p);
	free(p);
}
