#include <pthread.h>
#include <stdatomic.h>

#define NT    3
#define LOGN  2          /* ceil(log2(NT)) */
#define TIMES 3

/* note[i][k] counts the messages that thread i got in step k */
static atomic_uint note[NT][LOGN];
static int wave[TIMES + 1][NT];

static void spread(int me, unsigned episode)
{
    int hop = 1;

    for (int k = 0; k < LOGN; k++, hop <<= 1) {
        int to = (me + hop) % NT;

        atomic_fetch_add(&note[to][k], 1);
        while (atomic_load(&note[me][k]) < episode)
            ;
    }
}

static void *propagate(void *arg)
{
    int me = (int)(long)arg;

    for (unsigned e = 1; e <= TIMES; e++) {
        wave[e][me] = wave[e - 1][me] + wave[e - 1][(me + 2) % NT] + 1;
        spread(me, e);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NT];

    for (long i = 0; i < NT; i++)
        pthread_create(&t[i], NULL, propagate, (void *)i);
    for (int i = 0; i < NT; i++)
        pthread_join(t[i], NULL);
    return wave[TIMES][0] == wave[TIMES][1] ? 0 : 1;
}
