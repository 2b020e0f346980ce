/* Shared/exclusive access to a record. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define RELAX() __asm__ __volatile__("pause" ::: "memory")

static volatile int nreaders;
static volatile int excl;

struct record { volatile int x, y; };
static struct record rec;

static void share(void)
{
    for (;;) {
        __sync_add_and_fetch(&nreaders, 1);
        if (!excl)
            return;
        __sync_sub_and_fetch(&nreaders, 1);
        while (excl)
            RELAX();
    }
}

static void unshare(void)
{
    __sync_sub_and_fetch(&nreaders, 1);
}

static void exclude(void)
{
    do {
        while (nreaders != 0)
            RELAX();
    } while (__sync_lock_test_and_set(&excl, 1) != 0);
}

static void unexclude(void)
{
    __sync_lock_release(&excl);
}

static void *look(void *arg)
{
    int i, x, y;

    for (i = 0; i < 3; i++) {
        share();
        x = rec.x;
        y = rec.y;
        unshare();
        assert(y == 2 * x);
        usleep(*(int *)arg);
    }
    return NULL;
}

static void *change(void *arg)
{
    int i;

    for (i = 0; i < 3; i++) {
        exclude();
        rec.x = rec.x + 1;
        rec.y = 2 * rec.x;
        unexclude();
        usleep(*(int *)arg);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int da = 130, db = 210;

    pthread_create(&a, NULL, look, &da);
    pthread_create(&b, NULL, change, &db);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", rec.x, rec.y);
    return 0;
}
