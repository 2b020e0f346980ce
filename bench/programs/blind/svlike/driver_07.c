#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

enum { OFF, STARTING, ON };

static atomic_int state = OFF;
static atomic_int starts;

static void *open_dev(void *arg)
{
    if (atomic_load(&state) == OFF) {
        atomic_store(&state, STARTING);
        atomic_fetch_add(&starts, 1);
        atomic_store(&state, ON);
    }
    while (atomic_load(&state) != ON)
        ;
    if (atomic_load(&starts) != 1)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, open_dev, 0);
    pthread_create(&b, 0, open_dev, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
