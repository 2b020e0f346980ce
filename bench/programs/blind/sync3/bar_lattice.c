#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define NODES 3
#define STEPS 2
#define LAYERS 2

static atomic_int mark[NODES][STEPS];
static atomic_int layer_of[NODES];

static void *node(void *arg)
{
    int me = (int)(long)arg;

    for (int layer = 1; layer <= LAYERS; layer++) {
        atomic_store(&layer_of[me], layer);

        int step = 0;
        for (int dist = 1; dist < NODES - 1; dist <<= 1) {
            atomic_store(&mark[(me + dist) % NODES][step], layer);
            while (atomic_load(&mark[me][step]) < layer)
                sched_yield();
            step++;
        }

        for (int i = 0; i < NODES; i++)
            assert(atomic_load(&layer_of[i]) >= layer);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NODES];
    for (long i = 0; i < NODES; i++)
        pthread_create(&t[i], NULL, node, (void *)i);
    for (int i = 0; i < NODES; i++)
        pthread_join(t[i], NULL);
    return 0;
}
