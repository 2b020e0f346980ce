#include <pthread.h>
#include <assert.h>

struct parking {
    pthread_mutex_t m;
    pthread_cond_t  space;
    int             free;
};

static struct parking lot = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 2
};
static int parked[3];

static void drive_in(struct parking *p)
{
    pthread_mutex_lock(&p->m);
    while (p->free == 0)
        pthread_cond_wait(&p->space, &p->m);
    --p->free;
    pthread_mutex_unlock(&p->m);
}

static void drive_out(struct parking *p)
{
    pthread_mutex_lock(&p->m);
    ++p->free;
    pthread_cond_signal(&p->space);
    pthread_mutex_unlock(&p->m);
}

static void *car(void *arg)
{
    int n = (int)(long)arg;

    for (int i = 0; i < 2; i++) {
        drive_in(&lot);
        parked[n]++;
        drive_out(&lot);
    }
    return NULL;
}

int main(void)
{
    pthread_t c[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&c[i], NULL, car, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(c[i], NULL);
    assert(lot.free == 2);
    return parked[0] == 2 ? 0 : 1;
}
