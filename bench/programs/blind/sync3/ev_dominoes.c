#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define PIECES 3

static atomic_bool fallen[PIECES];
static int fell_as[PIECES];

static void *piece(void *arg)
{
    atomic_bool *own = arg;
    int pos = (int)(own - fallen);

    if (pos > 0) {
        atomic_bool *before = own - 1;
        int spin = 0;
        while (!atomic_load(before)) {
            if (++spin % 50 == 0)
                sched_yield();
            else
                __builtin_ia32_pause();
        }
        assert(fell_as[pos - 1] == pos);
    }

    fell_as[pos] = pos + 1;
    atomic_store(own, true);
    return 0;
}

int main(void)
{
    pthread_t t[PIECES];
    for (int i = PIECES - 1; i >= 0; i--)
        pthread_create(&t[i], 0, piece, &fallen[i]);
    for (int i = 0; i < PIECES; i++)
        pthread_join(t[i], 0);
    assert(fell_as[PIECES - 1] == PIECES);
    return 0;
}
