#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void) { assert(0); }

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int table, setups;

static int get(void)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&m);
        if (!atomic_load(&ready)) {
            table = 42;
            setups++;
            atomic_store(&ready, 1);
        }
        pthread_mutex_unlock(&m);
    }
    return table;
}

static void *user(void *arg)
{
    if (get() != 42)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, user, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    if (setups != 1)
        reach_error();
    return 0;
}
