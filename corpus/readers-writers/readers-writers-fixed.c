// Readers share a board, a writer needs it alone. The first reader lets nobody else in before it has the board.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#define LINES 4

static sem_t counter, board;
static int readers;
static int notice[LINES];

static void *reader(void *arg)
{
    (void)arg;
    sem_wait(&counter);
    int present = ++readers;
    if (present == 1)
        sem_wait(&board);
    sem_post(&counter);

    int last = notice[LINES - 1];
    int first = notice[0];
    assert(first == last);

    sem_wait(&counter);
    if (--readers == 0)
        sem_post(&board);
    sem_post(&counter);
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    sem_wait(&board);
    for (int i = 0; i < LINES; i++)
        notice[i] = 1;
    sem_post(&board);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    sem_init(&counter, 0, 1);
    sem_init(&board, 0, 1);
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&counter);
    sem_destroy(&board);
    return 0;
}
