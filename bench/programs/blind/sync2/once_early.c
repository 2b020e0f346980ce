#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

struct settings {
    atomic_int size;
    atomic_int depth;
};

static struct settings storage;
static _Atomic(struct settings *) instance;
static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;

static struct settings *settings(void)
{
    struct settings *p = atomic_load(&instance);

    if (p == NULL) {
        pthread_mutex_lock(&mx);
        p = atomic_load(&instance);
        if (p == NULL) {
            p = &storage;
            atomic_store(&instance, p);
            atomic_store(&p->size, 640);
            atomic_store(&p->depth, 8);
        }
        pthread_mutex_unlock(&mx);
    }
    return p;
}

static void *view(void *arg)
{
    struct settings *s;

    usleep(700 * (int)(long)arg);
    s = settings();
    assert(atomic_load(&s->size) == 640);
    assert(atomic_load(&s->depth) == 8);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, view, (void *)i);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d x %d\n", atomic_load(&storage.size), atomic_load(&storage.depth));
    return 0;
}
