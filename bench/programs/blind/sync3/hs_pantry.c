#include <assert.h>
#include <pthread.h>

#define SHELF 2

struct pantry {
    pthread_mutex_t door;
    pthread_cond_t has_jar, has_room;
    int jar[SHELF];
    int first, count;
};

static struct pantry p = {
    .door = PTHREAD_MUTEX_INITIALIZER,
    .has_jar = PTHREAD_COND_INITIALIZER,
    .has_room = PTHREAD_COND_INITIALIZER,
};

static void pantry_store(struct pantry *q, int jam)
{
    pthread_mutex_lock(&q->door);
    while (q->count == SHELF)
        pthread_cond_wait(&q->has_room, &q->door);
    q->jar[(q->first + q->count++) % SHELF] = jam;
    pthread_cond_signal(&q->has_jar);
    pthread_mutex_unlock(&q->door);
}

static int pantry_fetch(struct pantry *q)
{
    pthread_mutex_lock(&q->door);
    while (q->count == 0)
        pthread_cond_wait(&q->has_jar, &q->door);
    int jam = q->jar[q->first];
    q->first = (q->first + 1) % SHELF;
    q->count--;
    pthread_cond_signal(&q->has_room);
    pthread_mutex_unlock(&q->door);
    return jam;
}

static void *filler(void *kind)
{
    for (int i = 1; i <= 2; i++)
        pantry_store(&p, *(int *)kind + i);
    return 0;
}

static void *eater(void *u)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += pantry_fetch(&p);
    assert(sum == 226);
    return u;
}

int main(void)
{
    pthread_t a, b, e;
    int plum = 10, fig = 100;
    pthread_create(&a, 0, filler, &plum);
    pthread_create(&b, 0, filler, &fig);
    pthread_create(&e, 0, eater, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(e, 0);
    return 0;
}
