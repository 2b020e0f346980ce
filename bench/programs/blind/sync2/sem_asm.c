#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

typedef volatile int sema_t;

static inline int cmpxchg(sema_t *p, int old, int new_)
{
    int seen;

    __asm__ __volatile__("lock; cmpxchgl %2, %1"
                         : "=a"(seen), "+m"(*p)
                         : "r"(new_), "0"(old)
                         : "memory", "cc");
    return seen;
}

static void sema_take(sema_t *s)
{
    int v = *s;

    for (;;) {
        if (v > 0) {
            int seen = cmpxchg(s, v, v - 1);
            if (seen == v)
                return;
            v = seen;
        } else {
            usleep(5);
            v = *s;
        }
    }
}

static void sema_give(sema_t *s)
{
    int one = 1;

    __asm__ __volatile__("lock; xaddl %0, %1"
                         : "+r"(one), "+m"(*s)
                         :
                         : "memory", "cc");
}

static sema_t items = 0;
static int box[4];
static volatile int put;

static void *maker(void *arg)
{
    int base = *(int *)arg;
    int i, at;

    for (i = 0; i < 2; i++) {
        at = __sync_fetch_and_add(&put, 1);
        box[at] = base + i;
        sema_give(&items);
    }
    return NULL;
}

static void *waiter(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 4; i++)
        sema_take(&items);
    assert(box[0] + box[1] + box[2] + box[3] == 62);
    return NULL;
}

int main(void)
{
    pthread_t m[2], w;
    int base[2] = { 10, 20 };

    pthread_create(&w, NULL, waiter, NULL);
    pthread_create(&m[0], NULL, maker, &base[0]);
    pthread_create(&m[1], NULL, maker, &base[1]);
    pthread_join(m[0], NULL);
    pthread_join(m[1], NULL);
    pthread_join(w, NULL);
    printf("items left %d\n", items);
    return 0;
}
