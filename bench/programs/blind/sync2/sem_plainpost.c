#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define SEATS  2
#define GUESTS 3

typedef struct sem_s {
    volatile int value;
} sem_type;

static sem_type seats = { SEATS };
static volatile int seated;

#define CAS(p, o, n) __sync_bool_compare_and_swap((p), (o), (n))

static void sem_p(sem_type *s)
{
    int v;

    do {
        while ((v = s->value) <= 0)
            sched_yield();
    } while (!CAS(&s->value, v, v - 1));
}

static void sem_v(sem_type *s)
{
    s->value = s->value + 1;
    __sync_synchronize();
}

static void *guest(void *arg)
{
    int id = (int)(long)arg;
    int i, now;

    for (i = 0; i < 2; i++) {
        usleep(400 * id);
        sem_p(&seats);
        now = __sync_add_and_fetch(&seated, 1);
        assert(now <= SEATS);
        usleep(50);
        __sync_sub_and_fetch(&seated, 1);
        sem_v(&seats);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[GUESTS];
    long i;

    for (i = 0; i < GUESTS; i++)
        pthread_create(&t[i], NULL, guest, (void *)i);
    for (i = 0; i < GUESTS; i++)
        pthread_join(t[i], NULL);
    printf("%d seats free\n", seats.value);
    return 0;
}
