#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    _Atomic int in_use;
    char        pad[60];
} side_t;

static side_t side[2];
int bridge_load;
int crossed[2];

static inline void bridge_on(side_t *me, side_t *other)
{
    while (other->in_use)
        __builtin_ia32_pause();
    me->in_use = 1;
}

static inline void bridge_off(side_t *me)
{
    me->in_use = 0;
}

static void cross(int s, int weight)
{
    bridge_on(&side[s], &side[!s]);
    bridge_load += weight;
    crossed[s]++;
    bridge_load -= weight;
    bridge_off(&side[s]);
}

static void *north(void *x)
{
    (void)x;
    cross(0, 5);
    cross(0, 7);
    return NULL;
}

static void *south(void *x)
{
    (void)x;
    cross(1, 3);
    cross(1, 4);
    return NULL;
}

int main(void)
{
    pthread_t n, s;

    pthread_create(&n, NULL, north, NULL);
    pthread_create(&s, NULL, south, NULL);
    pthread_join(n, NULL);
    pthread_join(s, NULL);
    return 0;
}
