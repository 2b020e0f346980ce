#include <pthread.h>
#include <stdatomic.h>

/*
 * Four players, two levels:  1 reports to 0, 3 reports to 2,
 * then 2 reports to 0, and 0 rings the bell for everybody.
 */
#define PLAYERS 4

static atomic_int report[PLAYERS];
static atomic_int bell;
int score[PLAYERS];
int best[PLAYERS];

static void await(atomic_int *v, int want)
{
    while (atomic_load(v) != want)
        ;
}

static void match(int me, int game)
{
    switch (me) {
    case 0:
        await(&report[1], game);
        await(&report[2], game);
        atomic_store(&bell, game);
        return;
    case 2:
        await(&report[3], game);
        break;
    default:
        break;
    }
    atomic_store(&report[me], game);
    await(&bell, game);
}

static void *player(void *arg)
{
    int me = (int)(long)arg;

    score[me] = 7 * me;
    match(me, 1);
    for (int i = 2; i < PLAYERS; i++)
        if (score[i] > best[me])
            best[me] = score[i];
    match(me, 2);
    score[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t p[PLAYERS];

    for (long i = 0; i < PLAYERS; i++)
        pthread_create(&p[i], NULL, player, (void *)i);
    for (int i = 0; i < PLAYERS; i++)
        pthread_join(p[i], NULL);
    return 0;
}
