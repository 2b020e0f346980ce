#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

struct session {
    const char *user;
    int pages_seen;
};

static struct session anna = { "anna", 4 };
static _Atomic(struct session *) current = &anna;
static atomic_int pages_total;

static void count_pages(void)
{
    struct session *s = atomic_load(&current);
    if (s != NULL)
        atomic_fetch_add(&pages_total, s->pages_seen);
}

static void *statistics(void *unused)
{
    (void)unused;
    count_pages();
    return NULL;
}

static void *logout(void *unused)
{
    (void)unused;
    atomic_store(&current, NULL);
    return NULL;
}

int main(void)
{
    pthread_t stats, out;

    pthread_create(&stats, NULL, statistics, NULL);
    pthread_create(&out, NULL, logout, NULL);
    pthread_join(stats, NULL);
    pthread_join(out, NULL);

    printf("%d pages seen\n", atomic_load(&pages_total));
    return 0;
}
