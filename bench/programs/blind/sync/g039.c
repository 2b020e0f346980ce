#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

struct sema {
    atomic_int avail;
};

static struct sema s = { 2 };
int done[3];
int inside;

static void sema_down(struct sema *p)
{
    while (atomic_load(&p->avail) < 1)
        sched_yield();
    atomic_fetch_sub(&p->avail, 1);
}

static void sema_up(struct sema *p)
{
    atomic_fetch_add(&p->avail, 1);
}

static void *task(void *arg)
{
    long n = (long)arg;

    sema_down(&s);
    __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    done[n] = 1;
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    sema_up(&s);
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, task, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
