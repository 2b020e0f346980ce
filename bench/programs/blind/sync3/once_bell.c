#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct bell {
    atomic_int cast;
    pthread_mutex_t mould;
    int weight;
    int tone;
};

static struct bell big = { 0, PTHREAD_MUTEX_INITIALIZER, 0, 0 };

static void cast_bell(struct bell *b)
{
    b->weight = 900;
    b->tone = 440;
}

static struct bell *bell_of(struct bell *b)
{
    if (!atomic_load(&b->cast)) {
        pthread_mutex_lock(&b->mould);
        if (!atomic_load(&b->cast)) {
            atomic_store(&b->cast, 1);
            cast_bell(b);
        }
        pthread_mutex_unlock(&b->mould);
    }
    return b;
}

static void *ringer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        struct bell *b = bell_of(arg);
        assert(b->tone == 440);
        assert(b->weight == 900);
    }
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, ringer, &big);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
