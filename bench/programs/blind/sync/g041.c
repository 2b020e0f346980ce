#include <pthread.h>
#include <stdint.h>
#include <assert.h>

/* high half: next number to hand out, low half: number being served */
static volatile uint32_t both;
static unsigned long hash = 5381;
static int rounds;

static void tl_lock(volatile uint32_t *w)
{
    uint32_t old = __sync_fetch_and_add(w, 0x10000u);
    uint16_t my = (uint16_t)(old >> 16);

    if (my == (uint16_t)old)
        return;
    do {
        __builtin_ia32_pause();
    } while ((uint16_t)*w != my);
}

static void tl_unlock(volatile uint32_t *w)
{
    __sync_fetch_and_add(w, 1u);   /* too few rounds to carry over */
}

static void *mixer(void *arg)
{
    unsigned c = (unsigned)(uintptr_t)arg;

    for (int i = 0; i < 2; i++) {
        tl_lock(&both);
        hash += c;
        rounds++;
        tl_unlock(&both);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, mixer, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(rounds == 6 && hash == 5381 + 12);
    return 0;
}
