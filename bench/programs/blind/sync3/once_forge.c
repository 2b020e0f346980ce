#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static volatile int claimed;
static volatile int forged;
static int anvils, blows;

static inline int swap_in(volatile int *p, int v)
{
    __asm__ __volatile__("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

#define FORGE_ONCE(stmt)                      \
    do {                                      \
        if (swap_in(&claimed, 1)) {           \
            while (!forged)                   \
                usleep(10);                   \
        } else {                              \
            stmt;                             \
            __sync_synchronize();             \
            forged = 1;                       \
        }                                     \
        __sync_synchronize();                 \
    } while (0)

static void make_anvil(void)
{
    anvils++;
    blows = 300;
}

static void *smith(void *u)
{
    FORGE_ONCE(make_anvil());
    assert(anvils == 1);
    assert(blows == 300);
    return u;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, smith, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
