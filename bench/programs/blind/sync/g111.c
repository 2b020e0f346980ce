#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

/* -1, 0 or a head count */
static atomic_int rw;
static int a = 1, b = 1;

static void read_lock(void)
{
    for (;;) {
        int v = atomic_load(&rw);
        if (v >= 0 && atomic_compare_exchange_weak(&rw, &v, v + 1))
            break;
    }
}

static void read_unlock(void)
{
    atomic_fetch_sub(&rw, 1);
}

static void write_lock(void)
{
    int zero = 0;

    while (!atomic_compare_exchange_weak(&rw, &zero, -1))
        zero = 0;
}

static void write_unlock(void)
{
    atomic_store(&rw, 0);
}

static void *reader(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        read_lock();
        assert(a == b);
        read_unlock();
    }
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        write_lock();
        a *= 2;
        b *= 2;
        write_unlock();
    }
    return NULL;
}

int main(void)
{
    pthread_t r1, r2, w;

    pthread_create(&r1, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r2, NULL, reader, NULL);
    pthread_join(r1, NULL);
    pthread_join(r2, NULL);
    pthread_join(w, NULL);
    return 0;
}
