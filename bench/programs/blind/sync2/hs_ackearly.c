#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EMPTY = 0, FULL = 1 };

struct chan {
    int state;
    int word[2];
};

static struct chan ch;

#define SET(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
#define GET(p)    __atomic_load_n((p), __ATOMIC_SEQ_CST)

static void chan_send(struct chan *c, int hi, int lo)
{
    while (GET(&c->state) == FULL)
        usleep(40);
    SET(&c->word[0], hi);
    SET(&c->word[1], lo);
    SET(&c->state, FULL);
}

static void chan_recv(struct chan *c, int *hi, int *lo)
{
    while (GET(&c->state) == EMPTY)
        usleep(40);
    SET(&c->state, EMPTY);
    *hi = GET(&c->word[0]);
    *lo = GET(&c->word[1]);
}

static void *sender(void *arg)
{
    int i;

    for (i = 1; i <= 3; i++)
        chan_send(arg, i, 10 * i);
    return NULL;
}

static void *receiver(void *arg)
{
    int i, hi, lo;

    for (i = 1; i <= 3; i++) {
        chan_recv(arg, &hi, &lo);
        assert(hi == i && lo == 10 * i);
    }
    return NULL;
}

int main(void)
{
    pthread_t s, r;

    memset(&ch, 0, sizeof ch);
    pthread_create(&r, NULL, receiver, &ch);
    pthread_create(&s, NULL, sender, &ch);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    printf("last %d %d\n", ch.word[0], ch.word[1]);
    return 0;
}
