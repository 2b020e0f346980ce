#include <pthread.h>
#include <stdatomic.h>

#define SEATS 2

struct arrayq {
    atomic_uint tail;
    atomic_int  pass[SEATS];
};

static struct arrayq aq = { .pass = { 1, 0 } };
int rope[3];
int knots;

static unsigned aq_enter(struct arrayq *q)
{
    unsigned seat = atomic_fetch_add(&q->tail, 1) % SEATS;

    while (!atomic_load(&q->pass[seat]))
        ;
    atomic_store(&q->pass[seat], 0);
    return seat;
}

static void aq_leave(struct arrayq *q, unsigned seat)
{
    atomic_store(&q->pass[(seat + 1) % SEATS], 1);
}

static void *climber(void *arg)
{
    int me = (int)(long)arg;
    unsigned s = aq_enter(&aq);

    rope[me] = ++knots;
    aq_leave(&aq, s);
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, NULL, climber, (void *)0L);
    pthread_create(&b, NULL, climber, (void *)1L);
    pthread_create(&c, NULL, climber, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
