#include <pthread.h>

struct evt {
    pthread_mutex_t m;
    pthread_cond_t  c;
    unsigned char   on;
};

static struct evt power = { .m = PTHREAD_MUTEX_INITIALIZER,
                            .c = PTHREAD_COND_INITIALIZER };
int voltage;
int lamp[2];

static void evt_set(struct evt *e)
{
    pthread_mutex_lock(&e->m);
    if (!e->on) {
        e->on = 1;
        pthread_cond_signal(&e->c);
    }
    pthread_mutex_unlock(&e->m);
}

static void evt_wait(struct evt *e)
{
    pthread_mutex_lock(&e->m);
    for (; !e->on; )
        pthread_cond_wait(&e->c, &e->m);
    pthread_mutex_unlock(&e->m);
}

static void *light(void *arg)
{
    int n = (int)(long)arg;

    evt_wait(&power);
    lamp[n] = voltage;
    return NULL;
}

static void *plant(void *arg)
{
    (void)arg;
    voltage = 230;
    evt_set(&power);
    return NULL;
}

int main(void)
{
    pthread_t a, b, p;

    pthread_create(&a, NULL, light, (void *)0L);
    pthread_create(&b, NULL, light, (void *)1L);
    pthread_create(&p, NULL, plant, NULL);
    pthread_join(p, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
