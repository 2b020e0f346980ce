#include <pthread.h>
#include <stdatomic.h>

#define P       3
#define ROUNDS  3

static _Atomic int cnt   = 0;
static _Atomic int sense = 1;      /* +1: counting up, -1: counting down */
int buf[2][P];

void global_sync(void)
{
    int s = sense;
    int c, limit = s > 0 ? P : 0;

    do {
        c = cnt;
    } while (!atomic_compare_exchange_strong(&cnt, &c, c + s));

    if (c + s == limit)
        sense = -s;
    else
        while (sense == s)
            continue;
}

static void *stage(void *v)
{
    int me = *(const int *)v;

    for (int r = 0; r < ROUNDS; r++) {
        int src = r & 1, dst = src ^ 1;
        buf[dst][me] = buf[src][(me + 1) % P] + me;
        global_sync();
    }
    return NULL;
}

int main(void)
{
    static const int name[P] = { 0, 1, 2 };
    pthread_t th[P];
    int i;

    for (i = 0; i < P; ++i)
        pthread_create(&th[i], NULL, stage, (void *)&name[i]);
    for (i = 0; i < P; ++i)
        pthread_join(th[i], NULL);
    return 0;
}
