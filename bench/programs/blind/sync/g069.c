#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

struct stamp {
    atomic_uint seq;
    atomic_int  sec;
    atomic_int  usec;
};

static struct stamp now;

static void stamp_write(struct stamp *s, int sec, int usec)
{
    unsigned q = atomic_load(&s->seq);

    atomic_store(&s->seq, q + 1);
    atomic_store(&s->sec, sec);
    atomic_store(&s->usec, usec);
    atomic_store(&s->seq, q + 2);
}

static void stamp_read(struct stamp *s, int *sec, int *usec)
{
    unsigned q0, q1;

    do {
        while ((q0 = atomic_load(&s->seq)) & 1)
            ;
        *sec = atomic_load(&s->sec);
        *usec = atomic_load(&s->usec);
        q1 = atomic_load(&s->seq);
    } while (q0 != q1);
}

static void *clock_thread(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 3; i++)
        stamp_write(&now, i, i * 1000);
    return NULL;
}

static void *user_thread(void *arg)
{
    int s, u;

    (void)arg;
    for (int i = 0; i < 2; i++) {
        stamp_read(&now, &s, &u);
        assert(u == s * 1000);
    }
    return NULL;
}

int main(void)
{
    pthread_t c, u;

    pthread_create(&c, NULL, clock_thread, NULL);
    pthread_create(&u, NULL, user_thread, NULL);
    pthread_join(c, NULL);
    pthread_join(u, NULL);
    return 0;
}
