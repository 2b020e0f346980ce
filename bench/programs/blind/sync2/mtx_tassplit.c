#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int locked;
static volatile int hits;
static volatile int inside;

#define LOCK()                  \
    do {                        \
        while (locked)          \
            usleep(10);         \
        locked = 1;             \
    } while (0)

#define UNLOCK()                \
    do {                        \
        locked = 0;             \
    } while (0)

static void *counter(void *arg)
{
    int i;

    usleep((int)(long)arg * 700);
    for (i = 0; i < 3; i++) {
        LOCK();
        inside++;
        assert(inside == 1);
        hits++;
        inside--;
        UNLOCK();
        usleep(100);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    long i;

    for (i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, counter, (void *)i);
    for (i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(hits == 6);
    printf("hits %d\n", hits);
    return 0;
}
