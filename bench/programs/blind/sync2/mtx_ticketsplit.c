/* Ticket lock guarding a small stack. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    atomic_uint next;
    atomic_uint owner;
} tlock;

static tlock tl;
static int stack[16];
static int sp;

static void tl_lock(tlock *l)
{
    unsigned me = atomic_load(&l->next);
    atomic_store(&l->next, me + 1);

    for (;;) {
        if (atomic_load(&l->owner) == me)
            break;
        sched_yield();
    }
}

static void tl_unlock(tlock *l)
{
    atomic_fetch_add(&l->owner, 1);
}

static void push(int v)
{
    tl_lock(&tl);
    stack[sp] = v;
    sp = sp + 1;
    tl_unlock(&tl);
}

static void *worker(void *arg)
{
    int base = *(int *)arg;
    int i;

    usleep(base * 50);
    for (i = 0; i < 2; i++)
        push(base + i);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int b[3] = { 10, 20, 30 };
    int i, sum = 0;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &b[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (i = 0; i < sp; i++)
        sum += stack[i];
    assert(sp == 6 && sum == 123);
    printf("sp=%d sum=%d\n", sp, sum);
    return 0;
}
