#include "pool.h"

#include <stdlib.h>

int ring_init(struct ring *r, size_t capacity)
{
	r->tasks = calloc(capacity, sizeof(*r->tasks));
	r->head = 0;
	r->count = 0;
	r->capacity = r->tasks != NULL ? capacity : 0;
	return r->tasks != NULL ? 0 : -1;
}

void ring_free(struct ring *r)
{
	free(r->tasks);
	r->tasks = NULL;
	r->head = 0;
	r->count = 0;
	r->capacity = 0;
}

static int ring_grow(struct ring *r)
{
	size_t capacity = r->capacity * 2;
	struct task *tasks;
	size_t i;

	tasks = calloc(capacity, sizeof(*tasks));
	if (tasks == NULL)
		return -1;
	for (i = 0; i < r->count; i++)
		tasks[i] = r->tasks[(r->head + i) % r->capacity];
	free(r->tasks);
	r->tasks = tasks;
	r->head = 0;
	r->capacity = capacity;
	return 0;
}

int ring_push(struct ring *r, struct task t)
{
	if (r->count == r->capacity && ring_grow(r) != 0)
		return -1;
	r->tasks[(r->head + r->count) % r->capacity] = t;
	r->count++;
	return 0;
}

int ring_pop(struct ring *r, struct task *t)
{
	if (r->count == 0)
		return -1;
	*t = r->tasks[r->head];
	r->head = (r->head + 1) % r->capacity;
	r->count--;
	return 0;
}
