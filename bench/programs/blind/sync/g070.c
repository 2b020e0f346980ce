#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    atomic_int occupied;
    int        dish;
} tray_t;

static tray_t tray;
int eaten[3];

static void tray_give(tray_t *t, int dish)
{
    while (atomic_load(&t->occupied))
        ;
    t->dish = dish;
    atomic_store(&t->occupied, 1);
}

static int tray_take(tray_t *t)
{
    while (!atomic_load(&t->occupied))
        ;
    atomic_store(&t->occupied, 0);
    return t->dish;
}

static void *kitchen(void *arg)
{
    (void)arg;
    for (int d = 1; d <= 3; d++)
        tray_give(&tray, d);
    return NULL;
}

static void *table(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        int d = tray_take(&tray);
        eaten[i] = d;
    }
    return NULL;
}

int main(void)
{
    pthread_t k, t;

    pthread_create(&k, NULL, kitchen, NULL);
    pthread_create(&t, NULL, table, NULL);
    pthread_join(k, NULL);
    pthread_join(t, NULL);
    return 0;
}
