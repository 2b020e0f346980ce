#include <assert.h>
#include <pthread.h>
#include <sched.h>

static volatile int asked;
static volatile int permits = 1;
static int began, ended;

static inline int bump(volatile int *p)
{
    int one = 1;
    __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(one), "+m"(*p) : : "memory");
    return one;
}

#define HANG_COAT()                    \
    do {                               \
        int slip = bump(&asked);       \
        while (permits <= slip)        \
            sched_yield();             \
        __sync_synchronize();          \
    } while (0)

#define FREE_HOOK() ((void)bump(&permits))

static void *visitor(void *u)
{
    for (int i = 0; i < 2; i++) {
        HANG_COAT();
        int e = __sync_add_and_fetch(&ended, 1);
        assert(e <= 1 + __sync_fetch_and_add(&began, 0));
    }
    return u;
}

static void *attendant(void *u)
{
    for (int i = 0; i < 3; i++) {
        __sync_fetch_and_add(&began, 1);
        FREE_HOOK();
    }
    return u;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, visitor, 0);
    pthread_create(&b, 0, visitor, 0);
    pthread_create(&c, 0, attendant, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
