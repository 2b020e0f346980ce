#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

static atomic_int want[2];
static atomic_int polite;
static int fuel = 0;

static void go_in(int i)
{
    int j = 1 - i;

    atomic_store(&want[i], 1);
    atomic_store(&polite, j);
    while (atomic_load(&want[j]) && atomic_load(&polite) == j)
        ;
}

static void go_out(int i)
{
    atomic_store(&want[i], 0);
}

static void *driver(void *arg)
{
    int i = *(int *)arg;

    for (int k = 0; k < 3; k++) {
        go_in(i);
        int f = fuel;
        fuel = f + 10;
        go_out(i);
    }
    return NULL;
}

int main(void)
{
    int zero = 0, one = 1;
    pthread_t a, b;

    pthread_create(&a, NULL, driver, &zero);
    pthread_create(&b, NULL, driver, &one);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(fuel == 60);
    return 0;
}
