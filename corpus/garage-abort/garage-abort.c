// A garage lets a car in and counts it afterwards. A car that leaves at once is subtracted before it was added, and
// the controller finds a negative number of cars.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t let_in;
static int cars;

static void count(int change)
{
    pthread_mutex_lock(&lock);
    cars += change;
    if (cars < 0)
        abort();
    pthread_mutex_unlock(&lock);
}

static void *entry(void *arg)
{
    (void)arg;
    sem_post(&let_in);
    count(+1);
    return NULL;
}

static void *driver(void *arg)
{
    (void)arg;
    sem_wait(&let_in);
    count(-1);
    return NULL;
}

int main(void)
{
    pthread_t gate, car;

    sem_init(&let_in, 0, 0);
    pthread_create(&gate, NULL, entry, NULL);
    pthread_create(&car, NULL, driver, NULL);
    pthread_join(gate, NULL);
    pthread_join(car, NULL);
    sem_destroy(&let_in);
    return cars;
}
