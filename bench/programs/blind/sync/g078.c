#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <assert.h>

#define SHOPPERS 3
#define BUNS 2

static atomic_bool picking[SHOPPERS];
static atomic_int  num[SHOPPERS];
static int shelf = SHOPPERS * BUNS;
static int bag[SHOPPERS];

static void shop_enter(int i)
{
    int top = 0;

    atomic_store(&picking[i], true);
    for (int j = 0; j < SHOPPERS; j++) {
        int n = atomic_load(&num[j]);
        if (n > top)
            top = n;
    }
    top++;
    atomic_store(&num[i], top);
    atomic_store(&picking[i], false);

    for (int j = 0; j < SHOPPERS; j++) {
        if (j == i)
            continue;
        while (atomic_load(&picking[j]))
            ;
        for (;;) {
            int n = atomic_load(&num[j]);
            if (n == 0 || n > top || (n == top && j > i))
                break;
        }
    }
}

static void shop_exit(int i)
{
    atomic_store(&num[i], 0);
}

static void *shopper(void *arg)
{
    int i = (int)(long)arg;

    for (int k = 0; k < BUNS; k++) {
        shop_enter(i);
        shelf--;
        bag[i]++;
        shop_exit(i);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[SHOPPERS];

    for (long i = 0; i < SHOPPERS; i++)
        pthread_create(&t[i], NULL, shopper, (void *)i);
    for (int i = 0; i < SHOPPERS; i++)
        pthread_join(t[i], NULL);
    assert(shelf == 0 && bag[0] == BUNS && bag[2] == BUNS);
    return 0;
}
