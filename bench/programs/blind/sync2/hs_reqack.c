#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define CALLS 3

typedef struct {
    atomic_int req;
    atomic_int ack;
    int arg;
    int res;
} port_t;

static port_t port;

static int port_call(port_t *p, int arg)
{
    int n;

    p->arg = arg;
    n = atomic_fetch_add(&p->req, 1) + 1;
    while (atomic_load(&p->ack) != n)
        sched_yield();
    return p->res;
}

static void port_serve(port_t *p, int n, int (*fn)(int))
{
    for (;;) {
        if (atomic_load(&p->req) == n)
            break;
        sched_yield();
    }
    p->res = fn(p->arg);
    atomic_store(&p->ack, n);
}

static int cube(int x)
{
    return x * x * x;
}

static void *server(void *arg)
{
    int n;

    for (n = 1; n <= CALLS; n++)
        port_serve(arg, n, cube);
    return NULL;
}

static void *client(void *arg)
{
    int i, r;

    for (i = 1; i <= CALLS; i++) {
        r = port_call(arg, i);
        assert(r == cube(i));
    }
    return NULL;
}

int main(void)
{
    pthread_t s, c;

    pthread_create(&s, NULL, server, &port);
    pthread_create(&c, NULL, client, &port);
    pthread_join(c, NULL);
    pthread_join(s, NULL);
    printf("%d calls\n", atomic_load(&port.ack));
    return 0;
}
