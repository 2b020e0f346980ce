#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define CUSTOMERS 3
#define VISITS    2

static struct {
    atomic_int choosing;
    atomic_int number;
} desk[CUSTOMERS];

static int sold;
static int inside;

static int before(int a, int i, int b, int j)
{
    return a < b || (a == b && i < j);
}

static void bakery_lock(int i)
{
    int j, max = 0, mine;

    atomic_store(&desk[i].choosing, 1);
    for (j = 0; j < CUSTOMERS; j++) {
        int n = atomic_load(&desk[j].number);
        if (n > max)
            max = n;
    }
    mine = max + 1;
    atomic_store(&desk[i].number, mine);
    atomic_store(&desk[i].choosing, 0);

    for (j = 0; j < CUSTOMERS; j++) {
        if (j == i)
            continue;
        while (atomic_load(&desk[j].choosing))
            sched_yield();
        for (;;) {
            int n = atomic_load(&desk[j].number);
            if (n == 0 || !before(n, j, mine, i))
                break;
            sched_yield();
        }
    }
}

static void bakery_unlock(int i)
{
    atomic_store(&desk[i].number, 0);
}

static void *customer(void *arg)
{
    int me = (int)(long)arg;
    int v;

    for (v = 0; v < VISITS; v++) {
        bakery_lock(me);
        inside++;
        assert(inside == 1);
        sold++;
        inside--;
        bakery_unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[CUSTOMERS];
    long i;

    for (i = 0; i < CUSTOMERS; i++)
        pthread_create(&t[i], NULL, customer, (void *)i);
    for (i = 0; i < CUSTOMERS; i++)
        pthread_join(t[i], NULL);
    assert(sold == CUSTOMERS * VISITS);
    printf("sold %d\n", sold);
    return 0;
}
