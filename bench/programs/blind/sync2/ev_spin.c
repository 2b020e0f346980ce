/* start-up flag: the loader fills the table, the users wait for it */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define TABSIZE 8

int table[TABSIZE];
volatile int loaded = 0;

void *loader(void *unused)
{
    int i;

    (void)unused;
    for (i = 0; i < TABSIZE; i++)
        table[i] = i * i;
    usleep(200);
    __asm__ __volatile__("" : : : "memory");
    loaded = 1;
    return 0;
}

void *user(void *arg)
{
    int key = *(int *)arg;
    int v;

    while (!loaded);
    __asm__ __volatile__("" : : : "memory");
    v = table[key];
    assert(v == key * key);
    *(int *)arg = v;
    return 0;
}

int main(void)
{
    pthread_t l, u[2];
    int key[2] = { 3, 7 };
    int i;

    for (i = 0; i < 2; i++)
        pthread_create(&u[i], 0, user, &key[i]);
    pthread_create(&l, 0, loader, 0);
    pthread_join(l, 0);
    for (i = 0; i < 2; i++)
        pthread_join(u[i], 0);
    printf("%d %d\n", key[0], key[1]);
    return 0;
}
