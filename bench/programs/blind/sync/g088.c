#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct registry {
    int entries;
    int limit;
};

static _Atomic(struct registry *) instance;
static pthread_mutex_t build_lock = PTHREAD_MUTEX_INITIALIZER;
static int answers[3];

static struct registry *build(void)
{
    struct registry *r = malloc(sizeof *r);

    r->entries = 4;
    r->limit = 16;
    return r;
}

static struct registry *get_registry(void)
{
    struct registry *r = atomic_load_explicit(&instance, memory_order_acquire);

    if (r == NULL) {
        pthread_mutex_lock(&build_lock);
        r = atomic_load(&instance);
        if (r == NULL) {
            r = build();
            atomic_store_explicit(&instance, r, memory_order_release);
        }
        pthread_mutex_unlock(&build_lock);
    }
    return r;
}

static void *client(void *arg)
{
    int k = (int)(long)arg;
    struct registry *r = get_registry();

    answers[k] = r->entries * r->limit;
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, client, (void *)i);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        if (answers[i] != 64)
            abort();
    }
    free(atomic_load(&instance));
    return 0;
}
