#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define CAP   2
#define ITEMS 6

typedef struct {
    pthread_mutex_t mx;
    pthread_cond_t  nonzero;
    int             n;
} Sem;

#define SEM_INIT(k) { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, (k) }

static void P(Sem *s)
{
    pthread_mutex_lock(&s->mx);
    while (s->n == 0)
        pthread_cond_wait(&s->nonzero, &s->mx);
    s->n--;
    pthread_mutex_unlock(&s->mx);
}

static void V(Sem *s)
{
    pthread_mutex_lock(&s->mx);
    s->n++;
    pthread_cond_signal(&s->nonzero);
    pthread_mutex_unlock(&s->mx);
}

static Sem empty = SEM_INIT(CAP);
static Sem full  = SEM_INIT(0);
static int ring[CAP];

static void *producer(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < ITEMS; i++) {
        P(&empty);
        ring[i % CAP] = i + 1;
        V(&full);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    int i, *sum = arg;

    for (i = 0; i < ITEMS; i++) {
        P(&full);
        assert(ring[i % CAP] == i + 1);
        *sum += ring[i % CAP];
        V(&empty);
    }
    return NULL;
}

int main(void)
{
    pthread_t p, c;
    int sum = 0;

    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, &sum);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    assert(sum == ITEMS * (ITEMS + 1) / 2);
    printf("sum %d\n", sum);
    return 0;
}
