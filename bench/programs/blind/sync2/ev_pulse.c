/* The controller opens the gate for a moment. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static volatile int gate;
static volatile int ticket_price;
static volatile int admitted;

static void gate_pass(void)
{
    while (!gate)
        sched_yield();
}

static void gate_pulse(void)
{
    gate = 1;
    usleep(5000);               /* let them all through */
    gate = 0;
}

static void *controller(void *arg)
{
    (void)arg;
    usleep(3000);
    ticket_price = 12;
    gate_pulse();
    return NULL;
}

static void *visitor(void *arg)
{
    int *paid = arg;

    gate_pass();
    *paid = ticket_price;
    __sync_fetch_and_add(&admitted, 1);
    return NULL;
}

int main(void)
{
    pthread_t v[2], c;
    int paid[2] = { 0, 0 };
    int i;

    for (i = 0; i < 2; i++)
        pthread_create(&v[i], NULL, visitor, &paid[i]);
    pthread_create(&c, NULL, controller, NULL);
    for (i = 0; i < 2; i++)
        pthread_join(v[i], NULL);
    pthread_join(c, NULL);
    assert(paid[0] == 12 && paid[1] == 12 && admitted == 2);
    printf("admitted %d\n", admitted);
    return 0;
}
