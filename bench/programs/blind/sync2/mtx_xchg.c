/* Bank accounts behind a spin lock built on xchg. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

typedef struct { volatile int v; } spin_t;

static inline int xchg(volatile int *p, int val)
{
    __asm__ __volatile__("lock; xchgl %0, %1"
                         : "+r"(val), "+m"(*p)
                         :
                         : "memory");
    return val;
}

static inline void spin_lock(spin_t *s)
{
    while (xchg(&s->v, 1)) {
        while (s->v)
            __asm__ __volatile__("pause");
    }
}

static inline void spin_unlock(spin_t *s)
{
    __asm__ __volatile__("" ::: "memory");
    s->v = 0;
}

static spin_t lk;
static int account[2] = { 100, 100 };

static void *transfer(void *arg)
{
    int from = (int)(long)arg & 1;
    int i;

    for (i = 1; i <= 3; i++) {
        spin_lock(&lk);
        account[from] -= i;
        account[!from] += i;
        assert(account[0] + account[1] == 200);
        spin_unlock(&lk);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, transfer, (void *)i);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(account[0] == 94 && account[1] == 106);
    printf("%d %d\n", account[0], account[1]);
    return 0;
}
