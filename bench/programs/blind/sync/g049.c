#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t  not_full = PTHREAD_COND_INITIALIZER;
static bool present;
static int  parcel;
int delivered[2];

static void ship(int v)
{
    pthread_mutex_lock(&mu);
    while (present)
        pthread_cond_wait(&not_full, &mu);
    parcel = v;
    present = true;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mu);
}

static int unload(void)
{
    int v;

    pthread_mutex_lock(&mu);
    if (!present)
        pthread_cond_wait(&not_empty, &mu);
    v = parcel;
    present = false;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mu);
    return v;
}

static void *harbour(void *arg)
{
    (void)arg;
    ship(1);
    ship(2);
    return NULL;
}

static void *truck(void *arg)
{
    int *d = arg;

    *d = unload();
    return NULL;
}

int main(void)
{
    pthread_t h, t1, t2;

    pthread_create(&t1, NULL, truck, &delivered[0]);
    pthread_create(&h, NULL, harbour, NULL);
    pthread_create(&t2, NULL, truck, &delivered[1]);
    pthread_join(h, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}
