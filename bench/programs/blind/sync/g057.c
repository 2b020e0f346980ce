#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define MEMBERS 3                 /* number 0 is the chief */

static atomic_bool ready[MEMBERS];
static atomic_uint whistle;
int plot[MEMBERS];
int yield_of[MEMBERS];

static void chief_collect(void)
{
    for (int i = 1; i < MEMBERS; i++)
        while (!atomic_load(&ready[i]))
            ;
    atomic_fetch_add(&whistle, 1);
    for (int i = 1; i < MEMBERS; i++)
        atomic_store(&ready[i], false);
}

static void member_report(int i)
{
    unsigned w = atomic_load(&whistle);

    atomic_store(&ready[i], true);
    while (atomic_load(&whistle) == w)
        ;
}

static void field_day(int me)
{
    if (me == 0)
        chief_collect();
    else
        member_report(me);
}

static void *farmer(void *arg)
{
    int me = (int)(long)arg;

    plot[me] = 3 + me;
    field_day(me);
    yield_of[me] = plot[(me + 1) % MEMBERS];
    field_day(me);
    plot[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t t[MEMBERS];

    for (long i = 0; i < MEMBERS; i++)
        pthread_create(&t[i], NULL, farmer, (void *)i);
    for (int i = 0; i < MEMBERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
