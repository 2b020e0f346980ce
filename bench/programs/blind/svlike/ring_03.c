#include <assert.h>
#include <pthread.h>

#define N 3

/* box[i] holds a message for node i, or 0 */
static volatile int box[N] = { 1, 10, 0 };

static void *node(void *arg)
{
    int id = (int)(long)arg;
    int msg;
    while ((msg = box[id]) == 0)
        ;
    box[id] = 0;
    box[(id + 1) % N] = msg;
    return 0;
}

int main(void)
{
    pthread_t t[N];
    int filled = 0;
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < N; i++)
        if (box[i] != 0)
            filled++;
    assert(filled == 2);
    return 0;
}
