/*
 * dekker.c -- critical sections after T. J. Dekker
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define TRUE  1
#define FALSE 0
#define MB()  __sync_synchronize()

volatile int want[2] = { FALSE, FALSE };
volatile int favoured = 0;
volatile int total = 0;

void dekker_lock(i)
int i;
{
    int j = 1 - i;

    want[i] = TRUE;
    MB();
    while (want[j]) {
        if (favoured != i) {
            want[i] = FALSE;
            while (favoured != i)
                ;
            want[i] = TRUE;
            MB();
        }
    }
}

void dekker_unlock(i)
int i;
{
    favoured = 1 - i;
    want[i] = FALSE;
    MB();
}

void *summer(p)
void *p;
{
    int i = *(int *)p;
    int k, t;

    for (k = 1; k <= 3; k++) {
        dekker_lock(i);
        t = total;
        t += k;
        total = t;
        dekker_unlock(i);
    }
    return 0;
}

int main()
{
    pthread_t t[2];
    int id[2], i;

    for (i = 0; i < 2; i++) {
        id[i] = i;
        pthread_create(&t[i], 0, summer, &id[i]);
    }
    for (i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(total == 12);
    printf("total = %d\n", total);
    return 0;
}
