/* once-only start of a module */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

struct module {
    volatile int state;         /* 0 new, 1 busy, 2 up */
    volatile int starts;
    volatile int id;
};

static struct module mod;

static void module_start(struct module *m)
{
    switch (m->state) {
    case 0:
        m->state = 1;
        m->starts = m->starts + 1;
        m->id = 77;
        m->state = 2;
        break;
    case 1:
        do
            sched_yield();
        while (m->state != 2);
        break;
    default:
        break;
    }
}

static void *client(void *arg)
{
    usleep(900 * *(int *)arg);
    module_start(&mod);
    assert(mod.id == 77);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int delay[3] = { 0, 1, 2 };
    int i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, client, &delay[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(mod.starts == 1);
    printf("started %d time(s)\n", mod.starts);
    return 0;
}
