#include <pthread.h>
#include <stdio.h>

struct rwlock {
    pthread_mutex_t m;
    pthread_cond_t c;
    int readers;
    int writing;
};

static struct rwlock rw = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0
};
static int year;

static void write_lock(struct rwlock *l)
{
    pthread_mutex_lock(&l->m);
    while (l->writing || l->readers > 0)
        pthread_cond_wait(&l->c, &l->m);
    l->writing = 1;
    pthread_mutex_unlock(&l->m);
}

static void unlock(struct rwlock *l)
{
    pthread_mutex_lock(&l->m);
    if (l->writing)
        l->writing = 0;
    else
        l->readers--;
    pthread_cond_broadcast(&l->c);
    pthread_mutex_unlock(&l->m);
}

static void *editor(void *unused)
{
    (void)unused;
    write_lock(&rw);
    int next = year + 1;
    year = next;
    unlock(&rw);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    write_lock(&rw);
    year = 1990;
    unlock(&rw);
    pthread_create(&a, NULL, editor, NULL);
    pthread_create(&b, NULL, editor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("almanac for %d\n", year);
    return 0;
}
