#include <pthread.h>

#define N 3

struct queue {
    pthread_mutex_t lk;
    int len;
};

static struct queue q[N] = {
    { PTHREAD_MUTEX_INITIALIZER, 1 },
    { PTHREAD_MUTEX_INITIALIZER, 1 },
    { PTHREAD_MUTEX_INITIALIZER, 1 }
};

static void move(struct queue *from, struct queue *to)
{
    pthread_mutex_lock(&from->lk);
    if (from->len > 0) {
        pthread_mutex_lock(&to->lk);
        from->len--;
        to->len++;
        pthread_mutex_unlock(&to->lk);
    }
    pthread_mutex_unlock(&from->lk);
}

static void *mover(void *arg)
{
    int id = (int)(long)arg;
    move(&q[id], &q[(id + 1) % N]);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, mover, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
