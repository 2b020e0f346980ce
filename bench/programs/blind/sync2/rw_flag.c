/* Reader count plus writer flag. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int readers;
static volatile int writer;

static inline int swap(volatile int *p, int v)
{
    __asm__ __volatile__("lock; xchgl %0, %1"
                         : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

static void begin_read(void)
{
retry:
    while (writer)
        usleep(2);
    __sync_fetch_and_add(&readers, 1);
    if (writer) {
        __sync_fetch_and_sub(&readers, 1);
        goto retry;
    }
}

static void end_read(void)
{
    __sync_fetch_and_sub(&readers, 1);
}

static void begin_write(void)
{
    while (swap(&writer, 1))
        usleep(2);
    while (readers)
        usleep(2);
}

static void end_write(void)
{
    swap(&writer, 0);
}

static int head, tail;

static void *produce(void *arg)
{
    int i;

    for (i = 0; i < 2; i++) {
        begin_write();
        head += *(int *)arg;
        tail -= *(int *)arg;
        end_write();
    }
    return NULL;
}

static void *inspect(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 2; i++) {
        begin_read();
        assert(head + tail == 0);
        end_read();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int a = 3, b = 4, i;

    pthread_create(&t[0], NULL, produce, &a);
    pthread_create(&t[1], NULL, inspect, NULL);
    pthread_create(&t[2], NULL, produce, &b);
    pthread_create(&t[3], NULL, inspect, NULL);
    for (i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(head == 14);
    printf("%d %d\n", head, tail);
    return 0;
}
