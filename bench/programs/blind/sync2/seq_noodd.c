#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct shared {
    volatile unsigned seq;
    volatile int a;
    volatile int b;
};

static struct shared sh;

#define fence() __sync_synchronize()

static void publish(struct shared *s, int v)
{
    s->seq++;
    fence();
    s->a = v;
    s->b = -v;
    fence();
    s->seq++;
}

static void snapshot(struct shared *s, int *a, int *b)
{
    unsigned before, after;

    do {
        before = s->seq;
        fence();
        *a = s->a;
        *b = s->b;
        fence();
        after = s->seq;
    } while (before != after);
}

static void *writer(void *p)
{
    int i;

    for (i = 1; i <= 3; i++) {
        publish(p, i);
        usleep(200);
    }
    return NULL;
}

static void *reader(void *p)
{
    int i, a, b;

    for (i = 0; i < 3; i++) {
        snapshot(p, &a, &b);
        assert(a + b == 0);
        usleep(130);
    }
    return NULL;
}

int main(void)
{
    pthread_t w, r1, r2;

    pthread_create(&w, NULL, writer, &sh);
    pthread_create(&r1, NULL, reader, &sh);
    pthread_create(&r2, NULL, reader, &sh);
    pthread_join(w, NULL);
    pthread_join(r1, NULL);
    pthread_join(r2, NULL);
    printf("seq %u\n", sh.seq);
    return 0;
}
