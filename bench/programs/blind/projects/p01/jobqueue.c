#include "job.h"

#include <assert.h>
#include <stdlib.h>

/* True if a must leave the queue before b. */
static int goes_first(const struct job *a, const struct job *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->seq < b->seq;
}

static void swap_slots(struct jobqueue *q, size_t i, size_t j)
{
	struct job *tmp = q->heap[i];

	q->heap[i] = q->heap[j];
	q->heap[j] = tmp;
}

static void sift_up(struct jobqueue *q, size_t i)
{
	while (i > 0) {
		size_t parent = (i - 1) / 2;

		if (!goes_first(q->heap[i], q->heap[parent]))
			break;
		swap_slots(q, i, parent);
		i = parent;
	}
}

static void sift_down(struct jobqueue *q, size_t i)
{
	for (;;) {
		size_t left = 2 * i + 1;
		size_t right = left + 1;
		size_t best = i;

		if (left < q->count && goes_first(q->heap[left], q->heap[best]))
			best = left;
		if (right < q->count &&
		    goes_first(q->heap[right], q->heap[best]))
			best = right;
		if (best == i)
			break;
		swap_slots(q, i, best);
		i = best;
	}
}

/* Called with the lock held. */
static int grow(struct jobqueue *q)
{
	size_t capacity = q->capacity * 2;
	struct job **heap;

	heap = realloc(q->heap, capacity * sizeof(*heap));
	if (heap == NULL)
		return -1;
	q->heap = heap;
	q->capacity = capacity;
	return 0;
}

/* Called with the lock held. */
static struct job *remove_top(struct jobqueue *q)
{
	struct job *top;

	assert(q->count > 0);
	top = q->heap[0];
	q->count--;
	q->heap[0] = q->heap[q->count];
	q->heap[q->count] = NULL;
	sift_down(q, 0);
	q->taken++;
	return top;
}

int jq_init(struct jobqueue *q, size_t capacity)
{
	q->heap = calloc(capacity, sizeof(*q->heap));
	if (q->heap == NULL)
		return -1;
	q->count = 0;
	q->capacity = capacity;
	q->next_seq = 1;
	q->submitted = 0;
	q->taken = 0;
	if (pthread_mutex_init(&q->lock, NULL) != 0) {
		free(q->heap);
		return -1;
	}
	return 0;
}

/* Frees the jobs that nobody has taken. */
void jq_destroy(struct jobqueue *q)
{
	size_t i;

	for (i = 0; i < q->count; i++)
		job_free(q->heap[i]);
	free(q->heap);
	q->heap = NULL;
	q->count = 0;
	pthread_mutex_destroy(&q->lock);
}

int jq_submit(struct jobqueue *q, struct job *job)
{
	pthread_mutex_lock(&q->lock);
	if (q->count == q->capacity && grow(q) != 0) {
		pthread_mutex_unlock(&q->lock);
		return -1;
	}
	job->seq = q->next_seq++;
	q->heap[q->count] = job;
	sift_up(q, q->count);
	q->count++;
	q->submitted++;
	pthread_mutex_unlock(&q->lock);
	return 0;
}

size_t jq_pending(struct jobqueue *q)
{
	size_t n;

	pthread_mutex_lock(&q->lock);
	n = q->count;
	pthread_mutex_unlock(&q->lock);
	return n;
}

/* Take the first job; the queue must not be empty. */
struct job *jq_pop(struct jobqueue *q)
{
	struct job *job;

	pthread_mutex_lock(&q->lock);
	job = remove_top(q);
	pthread_mutex_unlock(&q->lock);
	return job;
}

/* Take the first job, or return NULL if there is none. */
struct job *jq_poll(struct jobqueue *q)
{
	if (jq_pending(q) == 0)
		return NULL;
	return jq_pop(q);
}

int jq_is_ordered(struct jobqueue *q)
{
	size_t i;
	int ok = 1;

	pthread_mutex_lock(&q->lock);
	for (i = 1; i < q->count; i++) {
		if (goes_first(q->heap[i], q->heap[(i - 1) / 2]))
			ok = 0;
	}
	pthread_mutex_unlock(&q->lock);
	return ok;
}
