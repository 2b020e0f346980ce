#include <pthread.h>
#include <stdint.h>

static uint16_t next_ticket;
static uint16_t now_serving;
static int stock = 10;
int sold[2];

static void shop_lock(void)
{
    uint16_t my = __atomic_fetch_add(&next_ticket, 1, __ATOMIC_ACQ_REL);

    for (;;) {
        int16_t ahead = (int16_t)(my - __atomic_load_n(&now_serving, __ATOMIC_ACQUIRE));

        if (ahead <= 1)
            break;
        /* the longer the line, the longer the nap */
        while (ahead-- > 0)
            __builtin_ia32_pause();
    }
}

static void shop_unlock(void)
{
    __atomic_fetch_add(&now_serving, 1, __ATOMIC_RELEASE);
}

static void *buyer(void *arg)
{
    int who = (int)(intptr_t)arg;

    for (int i = 0; i < 2; i++) {
        shop_lock();
        if (stock > 0) {
            stock--;
            sold[who]++;
        }
        shop_unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, buyer, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
