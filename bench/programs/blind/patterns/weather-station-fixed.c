#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct reading {
    atomic_int celsius;
    atomic_int fahrenheit;
};

static struct reading latest = { 0, 32 };
static pthread_mutex_t display = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t latest_lock = PTHREAD_MUTEX_INITIALIZER;

static int to_fahrenheit(int celsius)
{
    return celsius * 9 / 5 + 32;
}

static void report(int celsius)
{
    pthread_mutex_lock(&latest_lock);
    atomic_store(&latest.celsius, celsius);
    atomic_store(&latest.fahrenheit, to_fahrenheit(celsius));
    pthread_mutex_unlock(&latest_lock);
}

static void *sensor(void *unused)
{
    (void)unused;
    report(10);
    report(15);
    return NULL;
}

static void *panel(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&latest_lock);
    int c = atomic_load(&latest.celsius);
    int f = atomic_load(&latest.fahrenheit);
    pthread_mutex_unlock(&latest_lock);
    assert(f == to_fahrenheit(c));

    pthread_mutex_lock(&display);
    printf("%d C is %d F\n", c, f);
    pthread_mutex_unlock(&display);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, sensor, NULL);
    pthread_create(&threads[1], NULL, panel, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
