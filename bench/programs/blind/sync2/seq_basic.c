/* One clock writer, two readers. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define UPDATES 3
#define READS   3

static volatile unsigned seq;
static volatile long     sec, nsec;

#define barrier() __asm__ __volatile__("" ::: "memory")

static void clock_set(long s, long n)
{
    seq++;
    barrier();
    sec = s;
    nsec = n;
    barrier();
    seq++;
}

static void clock_get(long *s, long *n)
{
    unsigned start;

    do {
        while ((start = seq) & 1)
            sched_yield();
        barrier();
        *s = sec;
        *n = nsec;
        barrier();
    } while (seq != start);
}

static void *ticker(void *arg)
{
    long i;

    (void)arg;
    for (i = 1; i <= UPDATES; i++)
        clock_set(i, i * 1000);
    return NULL;
}

static void *watcher(void *arg)
{
    long s, n, last = 0;
    int i;

    (void)arg;
    for (i = 0; i < READS; i++) {
        clock_get(&s, &n);
        assert(n == s * 1000);
        assert(s >= last);
        last = s;
    }
    return NULL;
}

int main(void)
{
    pthread_t w, r[2];

    pthread_create(&r[0], NULL, watcher, NULL);
    pthread_create(&w, NULL, ticker, NULL);
    pthread_create(&r[1], NULL, watcher, NULL);
    pthread_join(w, NULL);
    pthread_join(r[0], NULL);
    pthread_join(r[1], NULL);
    printf("%ld.%ld seq %u\n", sec, nsec, seq);
    return 0;
}
