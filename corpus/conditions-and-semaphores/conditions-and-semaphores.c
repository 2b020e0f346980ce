// A relay race: a condition starts the runners, semaphores pass the baton, and waits with a time limit give up or
// not.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define RUNNERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t start = PTHREAD_COND_INITIALIZER;
static pthread_cond_t finish;
static sem_t baton[RUNNERS + 1];
static bool started;
static int finished, order[RUNNERS];

static struct timespec in_a_minute(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 60;
    return t;
}

static void *runner(void *arg)
{
    int self = *(const int *)arg;

    pthread_mutex_lock(&lock);
    while (!started)
        pthread_cond_wait(&start, &lock);
    pthread_mutex_unlock(&lock);

    sem_wait(&baton[self]);
    pthread_mutex_lock(&lock);
    order[finished++] = self;
    if (finished == RUNNERS)
        pthread_cond_signal(&finish);
    pthread_mutex_unlock(&lock);
    sem_post(&baton[self + 1]);
    return NULL;
}

int main(void)
{
    static const int ids[RUNNERS] = {0, 1};
    pthread_t runners[RUNNERS];
    int value, result;

    pthread_cond_init(&finish, NULL);
    for (int i = 0; i <= RUNNERS; i++)
        sem_init(&baton[i], 0, 0);
    for (int i = 0; i < RUNNERS; i++)
        pthread_create(&runners[i], NULL, runner, (void *)&ids[i]);

    pthread_mutex_lock(&lock);
    started = true;
    pthread_cond_broadcast(&start);
    pthread_mutex_unlock(&lock);
    sem_post(&baton[0]);

    struct timespec deadline = in_a_minute();
    pthread_mutex_lock(&lock);
    result = 0;
    while (finished < RUNNERS && result == 0)
        result = pthread_cond_timedwait(&finish, &lock, &deadline);
    while (finished < RUNNERS)
        pthread_cond_wait(&finish, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(runners[i], NULL);
    printf("order %d %d\n", order[0], order[1]);

    sem_getvalue(&baton[RUNNERS], &value);
    printf("baton at the end %d\n", value);
    if (sem_timedwait(&baton[RUNNERS], &deadline) != 0)
        sem_wait(&baton[RUNNERS]);
    errno = 0;
    result = sem_trywait(&baton[RUNNERS]);
    printf("taken, trywait %d with EAGAIN %d\n", result, errno == EAGAIN);
    struct timespec past = {0, 0};
    errno = 0;
    result = sem_timedwait(&baton[RUNNERS], &past);
    printf("timedwait %d with ETIMEDOUT %d\n", result, errno == ETIMEDOUT);
    pthread_mutex_lock(&lock);
    result = pthread_cond_timedwait(&finish, &lock, &past);
    pthread_mutex_unlock(&lock);
    printf("nobody signals: ETIMEDOUT %d\n", result == ETIMEDOUT);

    for (int i = 0; i <= RUNNERS; i++)
        sem_destroy(&baton[i]);
    pthread_cond_destroy(&finish);
    return 0;
}
