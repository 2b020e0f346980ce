#include <pthread.h>
#include <assert.h>

/* 0: free, otherwise 1 + index of the owner */
typedef struct { volatile int owner; } owned_lock;

static owned_lock ol;
static int words, lines;

static inline int cas_int(volatile int *p, int old, int new_)
{
    int prev = old;

    __asm__ __volatile__("lock; cmpxchgl %2, %1"
                         : "+a"(prev), "+m"(*p)
                         : "r"(new_)
                         : "memory", "cc");
    return prev == old;
}

static void own(owned_lock *l, int me)
{
    while (!cas_int(&l->owner, 0, me + 1))
        __builtin_ia32_pause();
}

static void disown(owned_lock *l, int me)
{
    assert(l->owner == me + 1);
    __asm__ __volatile__("" ::: "memory");
    l->owner = 0;
}

static void *count(void *arg)
{
    int me = (int)(long)arg;

    for (int i = 0; i < 2; i++) {
        own(&ol, me);
        words += 5;
        lines += 1;
        disown(&ol, me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, count, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(words == 30 && lines == 6);
    return 0;
}
