// N philosophers take the fork on their left and then the one on their right, and eat once. When each has taken a first
// fork, nobody gets a second. With -DCORRECT everybody takes the fork with the smaller number first.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t forks[N];
static int seats[N];
static int eaten[N];

static void *dine(void *argument) {
    int seat = *(int *)argument;
    int first = seat, second = (seat + 1) % N;

#ifdef CORRECT
    if (second < first) {
        first = second;
        second = seat;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    eaten[seat]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void) {
    pthread_t philosophers[N];

    for (int i = 0; i < N; i++) {
        pthread_mutex_init(&forks[i], NULL);
        seats[i] = i;
    }
    for (int i = 0; i < N; i++) {
        pthread_create(&philosophers[i], NULL, dine, &seats[i]);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(philosophers[i], NULL);
        assert(eaten[i] == 1);
    }
    return 0;
}
