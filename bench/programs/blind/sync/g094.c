#include <pthread.h>
#include <assert.h>

static volatile int door;       /* protects 'people' */
static volatile int hall;       /* taken by the group or by the cleaner */
static int people;

static int price = 10, tax = 2;

static void take(volatile int *w)
{
    while (__sync_lock_test_and_set(w, 1))
        while (*w)
            __builtin_ia32_pause();
}

static void drop(volatile int *w)
{
    __sync_lock_release(w);
}

static void visitor_in(void)
{
    take(&door);
    if (++people == 1)
        take(&hall);
    drop(&door);
}

static void visitor_out(void)
{
    take(&door);
    if (--people == 0)
        drop(&hall);
    drop(&door);
}

#define CLEANER_IN()   take(&hall)
#define CLEANER_OUT()  drop(&hall)

static void *visitor(void *arg)
{
    int *bill = arg;

    visitor_in();
    *bill = price + tax;
    visitor_out();
    return NULL;
}

static void *cleaner(void *arg)
{
    (void)arg;
    CLEANER_IN();
    price = 20;
    tax = 4;
    CLEANER_OUT();
    return NULL;
}

int main(void)
{
    pthread_t v1, v2, c;
    int bill[2];

    pthread_create(&v1, NULL, visitor, &bill[0]);
    pthread_create(&v2, NULL, visitor, &bill[1]);
    pthread_create(&c, NULL, cleaner, NULL);
    pthread_join(v1, NULL);
    pthread_join(v2, NULL);
    pthread_join(c, NULL);
    assert(bill[0] == 12 || bill[0] == 24);
    assert(bill[1] == 12 || bill[1] == 24);
    return 0;
}
