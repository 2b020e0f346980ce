#include <assert.h>
#include <pthread.h>
#include <sched.h>

typedef struct {
    int posting;
    int readers;
} board_t;

static board_t bb;
static int headline, subtitle;

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_SEQ_CST)

static void board_read(board_t *b)
{
    while (LOAD(b->posting))
        sched_yield();
    __sync_add_and_fetch(&b->readers, 1);
}

static void board_unread(board_t *b)
{
    __sync_sub_and_fetch(&b->readers, 1);
}

static void board_post(board_t *b)
{
    while (!__sync_bool_compare_and_swap(&b->posting, 0, 1))
        sched_yield();
    while (LOAD(b->readers) > 0)
        sched_yield();
}

static void board_unpost(board_t *b)
{
    __atomic_store_n(&b->posting, 0, __ATOMIC_SEQ_CST);
}

static void *passer(void *b)
{
    for (int i = 0; i < 4; i++) {
        board_read(b);
        int h = headline, s = subtitle;
        board_unread(b);
        assert(h == s);
    }
    return 0;
}

static void *poster(void *b)
{
    for (int i = 0; i < 4; i++) {
        board_post(b);
        headline++;
        subtitle++;
        board_unpost(b);
    }
    return 0;
}

int main(void)
{
    pthread_t a, p, c;
    pthread_create(&a, 0, passer, &bb);
    pthread_create(&p, 0, poster, &bb);
    pthread_create(&c, 0, passer, &bb);
    pthread_join(a, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
