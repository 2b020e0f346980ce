#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

void reach_error(void) { assert(0); }

static sem_t room, gate;
static int nreaders;
static int even, twice;

static void *reader(void *arg)
{
    sem_wait(&gate);
    if (++nreaders == 1)
        sem_wait(&room);
    sem_post(&gate);

    if (twice != 2 * even)
        reach_error();

    sem_wait(&gate);
    if (--nreaders == 0)
        sem_post(&room);
    sem_post(&gate);
    return 0;
}

static void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&room);
        even += 2;
        twice = 2 * even;
        sem_post(&room);
    }
    return 0;
}

int main(void)
{
    pthread_t r1, r2, w;
    sem_init(&room, 0, 1);
    sem_init(&gate, 0, 1);
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_create(&w, 0, writer, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    pthread_join(w, 0);
    if (even != 4 || twice != 8)
        reach_error();
    return 0;
}
