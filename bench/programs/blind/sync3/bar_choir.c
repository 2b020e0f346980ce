#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { VOICES = 3, VERSES = 4 };

struct singer {
    atomic_int verse;
    char pad[60];
};

static struct singer choir[VOICES];
static int note[VERSES + 1][VOICES];

static void breathe(struct singer *all, int me, int verse)
{
    atomic_store(&all[me].verse, verse);
    for (struct singer *s = all; s != all + VOICES; s++)
        while (atomic_load(&s->verse) < verse)
            sched_yield();
}

static void *sing(void *p)
{
    int me = (int)((struct singer *)p - choir);
    for (int v = 1; v <= VERSES; v++) {
        note[v][me] = 10 * v + me;
        breathe(choir, me, v);
        for (int i = 0; i < VOICES; i++)
            assert(note[v][i] == 10 * v + i);
    }
    return 0;
}

int main(void)
{
    pthread_t t[VOICES];
    for (int i = 0; i < VOICES; i++)
        pthread_create(&t[i], 0, sing, &choir[i]);
    for (int i = 0; i < VOICES; i++)
        pthread_join(t[i], 0);
    return 0;
}
