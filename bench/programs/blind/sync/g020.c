#include <pthread.h>
#include <stdint.h>

static volatile int32_t ncome;
static volatile int32_t side;
static int32_t nproc = 2;

static inline int32_t xadd32(volatile int32_t *p, int32_t v)
{
    __asm__ volatile("lock xaddl %0, %1"
                     : "+r"(v), "+m"(*p)
                     :
                     : "memory", "cc");
    return v;
}

static void both_here(void)
{
    int32_t before = side;

    if (xadd32(&ncome, 1) + 1 != nproc)
        goto spin;
    ncome = 0;
    side = before ^ 1;
    return;
spin:
    if (side == before) {
        __builtin_ia32_pause();
        goto spin;
    }
}

int left_half[4], right_half[4];

static void *do_left(void *unused)
{
    (void)unused;
    for (int i = 1; i < 4; i++) {
        left_half[i] = right_half[i - 1] + 1;
        both_here();
    }
    return NULL;
}

static void *do_right(void *unused)
{
    (void)unused;
    for (int i = 1; i < 4; i++) {
        right_half[i] = left_half[i - 1] + 1;
        both_here();
    }
    return NULL;
}

int main(void)
{
    pthread_t l, r;

    pthread_create(&l, NULL, do_left, NULL);
    pthread_create(&r, NULL, do_right, NULL);
    pthread_join(l, NULL);
    pthread_join(r, NULL);
    return left_half[3] == right_half[3] ? 0 : 1;
}
