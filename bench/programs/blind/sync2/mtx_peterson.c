#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int interested[2];
static atomic_int turn;

static int balance;
static int history[8];

static void enter_region(int me)
{
    int other = 1 - me;

    atomic_store(&interested[me], 1);
    atomic_store(&turn, other);
    while (atomic_load(&interested[other]) && atomic_load(&turn) == other)
        ; /* busy wait */
}

static void leave_region(int me)
{
    atomic_store(&interested[me], 0);
}

static void *client(void *arg)
{
    int me = (int)(long)arg;
    int i;

    for (i = 0; i < 3; i++) {
        enter_region(me);
        history[balance] = me + 1;
        balance = balance + 1;
        leave_region(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int i, n[3] = { 0, 0, 0 };

    pthread_create(&a, NULL, client, (void *)0L);
    pthread_create(&b, NULL, client, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (i = 0; i < 6; i++)
        n[history[i]]++;
    assert(balance == 6 && n[1] == 3 && n[2] == 3);
    printf("balance %d\n", balance);
    return 0;
}
