#include <pthread.h>
#include <sched.h>

struct port {
    volatile unsigned char valid;
    volatile int           data;
};

static struct port wire;
int in[3] = { 1, 2, 3 };
int out[3];

static void *drive(void *arg)
{
    struct port *p = arg;

    for (int i = 0; i < 3; i++) {
        while (p->valid)
            sched_yield();
        p->valid = 1;
        __sync_synchronize();
        p->data = in[i];
    }
    return NULL;
}

static void *sample(void *arg)
{
    struct port *p = arg;

    for (int i = 0; i < 3; i++) {
        while (!p->valid)
            sched_yield();
        out[i] = p->data;
        __sync_synchronize();
        p->valid = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t d, s;

    pthread_create(&d, NULL, drive, &wire);
    pthread_create(&s, NULL, sample, &wire);
    pthread_join(d, NULL);
    pthread_join(s, NULL);
    return 0;
}
