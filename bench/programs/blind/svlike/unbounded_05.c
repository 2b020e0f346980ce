#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

static atomic_int stop;
static unsigned hits;

static void *spinner(void *arg)
{
    while (1) {
        if (atomic_load(&stop))
            break;
        hits++;
    }
    return 0;
}

int main(void)
{
    pthread_t s;
    pthread_create(&s, 0, spinner, 0);
    atomic_store(&stop, 1);
    pthread_join(s, 0);
    if (hits == 5)
        reach_error();
    return 0;
}
