// Five players hit one ball in turn. A player who has the ball takes it from the table and holds the table's lock until
// the ball is back.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { PLAYERS = 5 };

struct ball {
    int hits;
    int last_player;
};

struct table {
    pthread_mutex_t lock;
    struct ball *ball;
    int players;
};

static struct ball the_ball;
static struct table table = {PTHREAD_MUTEX_INITIALIZER, &the_ball, 0};

static void come_to(struct table *at) {
    pthread_mutex_lock(&at->lock);
    at->players++;
    pthread_mutex_unlock(&at->lock);
}

static void hit(struct table *at, int player) {
    pthread_mutex_lock(&at->lock);
    struct ball *ball = at->ball;

    assert(ball != NULL);
    at->ball = NULL;
    ball->hits++;
    ball->last_player = player;
    at->ball = ball;
    pthread_mutex_unlock(&at->lock);
}

static void *play(void *argument) {
    int player = (int)(size_t)argument;

    come_to(&table);
    hit(&table, player);
    return NULL;
}

int main(void) {
    pthread_t players[PLAYERS];

    for (int i = 0; i < PLAYERS; i++) {
        pthread_create(&players[i], NULL, play, (void *)(size_t)(i + 1));
    }
    for (int i = 0; i < PLAYERS; i++) {
        pthread_join(players[i], NULL);
    }
    return table.players == PLAYERS ? 0 : 1;
}
