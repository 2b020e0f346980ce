#include <pthread.h>

static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  cv  = PTHREAD_COND_INITIALIZER;
static int parties = 3;
static int arrivals;

int position[3], next_pos[3];

static void wait_for_team(void)
{
    pthread_mutex_lock(&mtx);
    arrivals++;
    if (arrivals % parties == 0)
        pthread_cond_broadcast(&cv);
    else
        while (arrivals % parties != 0)
            pthread_cond_wait(&cv, &mtx);
    pthread_mutex_unlock(&mtx);
}

static void *particle(void *arg)
{
    int i = (int)(long)arg;

    next_pos[i] = position[(i + 1) % 3] + 1;
    wait_for_team();
    position[i] = next_pos[i];
    wait_for_team();
    return NULL;
}

int main(void)
{
    pthread_t th[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&th[i], NULL, particle, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(th[i], NULL);
    return 0;
}
