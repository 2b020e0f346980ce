#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct bathroom {
    atomic_bool knock[2];
    atomic_int  favour;
    int         soap;
};

static struct bathroom br = { .soap = 6 };

static void bath_enter(struct bathroom *b, int me)
{
    int her = 1 - me;

    atomic_store(&b->knock[me], 1);
    while (atomic_load(&b->knock[her])) {
        if (atomic_load(&b->favour) != me) {
            atomic_store(&b->knock[me], 0);
            while (atomic_load(&b->favour) != me)
                ;
            atomic_store(&b->knock[me], 1);
        }
    }
}

static void bath_leave(struct bathroom *b, int me)
{
    atomic_store(&b->favour, 1 - me);
    atomic_store(&b->knock[me], 0);
}

static void *guest(void *arg)
{
    int me = (int)(long)arg;

    for (int i = 0; i < 3; i++) {
        bath_enter(&br, me);
        br.soap--;
        bath_leave(&br, me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, guest, (void *)0L);
    pthread_create(&t[1], NULL, guest, (void *)1L);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    if (br.soap != 0)
        abort();
    return 0;
}
