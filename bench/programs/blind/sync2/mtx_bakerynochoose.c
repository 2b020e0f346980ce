/* N-process lock with numbers. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define N 3

static volatile int number[N];
static volatile int inside;
static int served;

static void take(int i)
{
    int j, m = 0;

    for (j = 0; j < N; j++)
        if (number[j] > m)
            m = number[j];
    number[i] = m + 1;
    __sync_synchronize();

    for (j = 0; j < N; j++) {
        int n;
again:
        n = number[j];
        if (j != i && n != 0 && (n < number[i] || (n == number[i] && j < i))) {
            sched_yield();
            goto again;
        }
    }
}

static void give(int i)
{
    __sync_synchronize();
    number[i] = 0;
}

static void *client(void *p)
{
    int i = *(int *)p;
    int k;

    for (k = 0; k < 2; k++) {
        usleep(300 * (i + 1));
        take(i);
        inside = inside + 1;
        assert(inside == 1);
        served++;
        inside = inside - 1;
        give(i);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    int id[N], i;

    for (i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, client, &id[i]);
    }
    for (i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(served == 2 * N);
    printf("served %d\n", served);
    return 0;
}
