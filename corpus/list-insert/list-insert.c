// A scheduler's list of timers, made for one thread and used by two: both insertions link to the same old head, and
// one timer is lost.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct timer {
    int due;
    struct timer *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timer *timers;

static void insert(int due)
{
    struct timer *t = malloc(sizeof *t);

    t->due = due;
    t->next = timers;
    timers = t;
}

static int drain(void)
{
    int count = 0;

    pthread_mutex_lock(&lock);
    while (timers) {
        struct timer *t = timers;
        timers = t->next;
        free(t);
        count++;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

static void *driver(void *arg)
{
    insert(*(const int *)arg);
    return NULL;
}

int main(void)
{
    static const int dues[2] = {30, 10};
    pthread_t drivers[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&drivers[i], NULL, driver, (void *)&dues[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(drivers[i], NULL);
    int count = drain();
    assert(count == 2);
    return 0;
}
