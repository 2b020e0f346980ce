#include <assert.h>
#include <pthread.h>

#define N 3

static pthread_mutex_t fork_[N] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
};
static int user[N] = { -1, -1, -1 };

static void *philosopher(void *arg)
{
    int id = (int)(long)arg;
    int l = id, r = (id + 1) % N;
    if (id == N - 1) {
        l = 0;
        r = N - 1;
    }
    pthread_mutex_lock(&fork_[l]);
    user[l] = id;
    pthread_mutex_lock(&fork_[r]);
    user[r] = id;
    assert(user[l] == id && user[r] == id);
    pthread_mutex_unlock(&fork_[r]);
    pthread_mutex_unlock(&fork_[l]);
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
