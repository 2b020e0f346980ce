#include <pthread.h>

typedef struct ticket {
    volatile unsigned head;
    volatile unsigned tail;
} ticket_t;

static void ticket_lock(ticket_t *t)
{
    unsigned mine = t->tail++;

    while (t->head != mine)
        __builtin_ia32_pause();
}

static void ticket_unlock(ticket_t *t)
{
    t->head++;
}

static ticket_t L;
struct { int x, y; } point;

static void *mover(void *arg)
{
    int d = (int)(long)arg;

    ticket_lock(&L);
    point.x += d;
    point.y -= d;
    ticket_unlock(&L);
    return NULL;
}

int main(void)
{
    pthread_t th[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&th[i], NULL, mover, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(th[i], NULL);
    return 0;
}
