/* Three players pass the ball in a fixed order. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PLAYERS 3
#define ROUNDS  3

volatile int turn = 0;
char score[PLAYERS * ROUNDS + 1];
int  at = 0;

void *player(void *p)
{
    int me = *(int *)p;
    int r;

    for (r = 0; r < ROUNDS; r++) {
        while (turn != me)
            usleep(5);
        __sync_synchronize();
        score[at++] = 'A' + me;
        __sync_synchronize();
        turn = (me + 1) % PLAYERS;
    }
    return 0;
}

int main(void)
{
    pthread_t t[PLAYERS];
    int id[PLAYERS];
    int i;

    for (i = PLAYERS - 1; i >= 0; i--) {
        id[i] = i;
        pthread_create(&t[i], 0, player, &id[i]);
    }
    for (i = 0; i < PLAYERS; i++)
        pthread_join(t[i], 0);
    for (i = 0; i < PLAYERS * ROUNDS; i++)
        assert(score[i] == 'A' + i % PLAYERS);
    printf("%s\n", score);
    return 0;
}
