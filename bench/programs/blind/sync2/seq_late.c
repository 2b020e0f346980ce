#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    int      x;
    unsigned seq;
    int      y;
} cell_t;

static cell_t cell;

#define LOAD(v)     __atomic_load_n(&(v), __ATOMIC_SEQ_CST)
#define STORE(v, n) __atomic_store_n(&(v), (n), __ATOMIC_SEQ_CST)

static void cell_write(cell_t *c, int v)
{
    unsigned s = LOAD(c->seq);

    STORE(c->seq, s + 1);
    STORE(c->x, v);
    STORE(c->y, v);
    STORE(c->seq, s + 2);
}

static void cell_read(cell_t *c, int *px, int *py)
{
    unsigned s;
    int x, y;

again:
    x = LOAD(c->x);
    s = LOAD(c->seq);
    if (s & 1) {
        sched_yield();
        goto again;
    }
    y = LOAD(c->y);
    if (LOAD(c->seq) != s)
        goto again;
    *px = x;
    *py = y;
}

static void *writer(void *arg)
{
    int i;

    for (i = 1; i <= 3; i++) {
        cell_write(arg, i);
        usleep(170);
    }
    return NULL;
}

static void *reader(void *arg)
{
    int i, x, y;

    for (i = 0; i < 3; i++) {
        cell_read(arg, &x, &y);
        assert(x == y);
        usleep(210);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, writer, &cell);
    pthread_create(&t[1], NULL, reader, &cell);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d %d\n", cell.x, cell.y);
    return 0;
}
