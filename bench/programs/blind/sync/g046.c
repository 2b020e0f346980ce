#include <pthread.h>

typedef struct {
    volatile unsigned version;
    volatile int      x, y;
} vec2;

static vec2 pos;
int last_x, last_y;

static void vec_put(vec2 *v, int x, int y)
{
    v->version++;
    __sync_synchronize();
    v->x = x;
    v->y = y;
    __sync_synchronize();
    v->version++;
}

static void vec_get(vec2 *v, int *x, int *y)
{
    unsigned before, after;

    do {
        before = v->version;
        __sync_synchronize();
        *x = v->x;
        *y = v->y;
        __sync_synchronize();
        after = v->version;
    } while (before != after);
}

static void *walker(void *arg)
{
    (void)arg;
    vec_put(&pos, 1, -1);
    vec_put(&pos, 2, -2);
    return NULL;
}

static void *watcher(void *arg)
{
    int x, y;

    (void)arg;
    vec_get(&pos, &x, &y);
    last_x = x;
    last_y = y;
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, walker, NULL);
    pthread_create(&b, NULL, watcher, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
