#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#define NORTH 0x1u
#define SOUTH 0x2u

typedef struct {
    unsigned fires;
} coast;

static coast shore;
static int report[2];

static void kindle(coast *c, unsigned which)
{
    __atomic_fetch_or(&c->fires, which, __ATOMIC_RELEASE);
}

static void look_for(coast *c, unsigned want)
{
    unsigned now;
    do {
        now = __atomic_load_n(&c->fires, __ATOMIC_ACQUIRE);
        if ((now & want) != want)
            usleep(30);
    } while ((now & want) != want);
}

static void *north(void *u)
{
    report[0] = 11;
    kindle(&shore, NORTH);
    return u;
}

static void *south(void *u)
{
    report[1] = 22;
    kindle(&shore, SOUTH);
    return u;
}

static void *castle(void *u)
{
    look_for(&shore, SOUTH);
    assert(report[1] == 22);
    look_for(&shore, NORTH | SOUTH);
    assert(report[0] == 11);
    return u;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&c, 0, castle, 0);
    pthread_create(&a, 0, north, 0);
    pthread_create(&b, 0, south, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
