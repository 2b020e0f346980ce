#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define CAP   2
#define ITEMS 5

static sem_t room, stock;
static int ring[CAP];

static void *producer(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < ITEMS; i++) {
        sem_wait(&room);
        ring[i % CAP] = 2 * i;
        sem_post(&stock);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    int i, *sum = arg;

    for (i = 0; i < ITEMS; i++) {
        sem_wait(&stock);
        *sum += ring[i % CAP];
        sem_post(&room);
    }
    return NULL;
}

int main(void)
{
    pthread_t p, c;
    int sum = 0;

    sem_init(&room, 0, CAP);
    sem_init(&stock, 0, 0);
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, &sum);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    sem_destroy(&room);
    sem_destroy(&stock);
    assert(sum == 20);
    printf("sum %d\n", sum);
    return 0;
}
