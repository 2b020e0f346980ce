#include <assert.h>
#include <pthread.h>

static int slot[4];
static volatile int tail;

static void *producer(void *arg)
{
    int t = tail;
    slot[t] = (int)(long)arg;
    tail = t + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int sum = 0;
    pthread_create(&a, 0, producer, (void *)1L);
    pthread_create(&b, 0, producer, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    for (int i = 0; i < 4; i++)
        sum += slot[i];
    assert(sum == 3);
    return 0;
}
