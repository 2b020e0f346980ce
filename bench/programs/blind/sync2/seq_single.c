/* Versioned pair. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_uint version;
static atomic_int width = 2, height = 3;

static void resize(int w)
{
    atomic_store(&width, w);
    atomic_store(&height, w + 1);
    atomic_fetch_add(&version, 2);
}

static int area(void)
{
    unsigned v;
    int w, h;

    for (;;) {
        v = atomic_load(&version);
        if (v & 1)
            continue;
        w = atomic_load(&width);
        h = atomic_load(&height);
        if (atomic_load(&version) == v)
            break;
    }
    assert(h == w + 1);
    return w * h;
}

static void *window(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 3; i++) {
        resize(10 * (i + 1));
        usleep(180);
    }
    return NULL;
}

static void *render(void *arg)
{
    int i;

    for (i = 0; i < 3; i++) {
        *(int *)arg = area();
        usleep(250);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int last = 0;

    pthread_create(&a, NULL, window, NULL);
    pthread_create(&b, NULL, render, &last);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("last area %d, version %u\n", last, atomic_load(&version));
    return 0;
}
