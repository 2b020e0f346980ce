#include <pthread.h>

#define N 3

static volatile unsigned number[N];
int dough = 30;
int loaf[N];

static unsigned highest(void)
{
    unsigned m = 0;

    for (int i = 0; i < N; i++) {
        unsigned v = number[i];
        m = v > m ? v : m;
    }
    return m;
}

static void queue_enter(int me)
{
    unsigned n = highest() + 1;

    number[me] = n;
    __sync_synchronize();
    for (int k = 0; k < N; k++) {
        unsigned v;

        if (k == me)
            continue;
        do {
            v = number[k];
        } while (v != 0 && (v < n || (v == n && k < me)));
    }
}

static void queue_leave(int me)
{
    number[me] = 0;
}

static void *baker(void *arg)
{
    int me = (int)(long)arg;

    queue_enter(me);
    dough -= 10;
    loaf[me]++;
    queue_leave(me);
    return NULL;
}

int main(void)
{
    pthread_t t[N];

    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, baker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
