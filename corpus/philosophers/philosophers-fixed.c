// Three philosophers take the fork with the lower number first: the last one begins on the right, and no cycle can
// form.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define SEATS 3

static pthread_mutex_t forks[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};
static const int seats[SEATS] = {0, 1, 2};
static int meals[SEATS];

static void *philosopher(void *arg)
{
    int seat = *(const int *)arg;
    int left = seat, right = (seat + 1) % SEATS;
    int low = left < right ? left : right;
    int high = left < right ? right : left;

    pthread_mutex_lock(&forks[low]);
    pthread_mutex_lock(&forks[high]);
    meals[seat]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];

    for (int i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)&seats[i]);
    for (int i = 0; i < SEATS; i++) {
        pthread_join(threads[i], NULL);
        assert(meals[i] == 1);
    }
    return 0;
}
