#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void reach_error(void) { assert(0); }

#define CELLS 2

static volatile int top = 0;
static volatile int nxt[CELLS] = { 1, -1 };
static volatile int content[CELLS];

static int cas(volatile int *p, int from, int to)
{
    int done = 0;
    __VERIFIER_atomic_begin();
    if (*p == from) {
        *p = to;
        done = 1;
    }
    __VERIFIER_atomic_end();
    return done;
}

static int cell_get(void)
{
    for (;;) {
        int t = top;
        if (t < 0)
            return t;
        int n = nxt[t];
        if (cas(&top, t, n))
            return t;
    }
}

static void cell_put(int t)
{
    for (;;) {
        int o = top;
        nxt[t] = o;
        if (cas(&top, o, t))
            return;
    }
}

static void *user(void *arg)
{
    int id = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        int c = cell_get();
        if (c < 0)
            reach_error();
        content[c] = id;
        if (content[c] != id)
            reach_error();
        cell_put(c);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, (void *)1L);
    pthread_create(&b, 0, user, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
