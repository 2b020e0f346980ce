#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

static atomic_int flag[2];
static atomic_int who;

static void *proc(void *arg)
{
    int i = (int)(long)arg, j = 1 - i;
    for (int k = 0; k < 2; k++) {
        while (atomic_load(&flag[j]))
            ;
        atomic_store(&flag[i], 1);
        atomic_store(&who, i);
        if (atomic_load(&who) != i)
            reach_error();
        atomic_store(&flag[i], 0);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, proc, (void *)0L);
    pthread_create(&b, 0, proc, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
