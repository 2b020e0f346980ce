#include <pthread.h>
#include <stdlib.h>

struct palette {
    int  n;
    long colour[2];
};

static struct palette *volatile palette;
static pthread_mutex_t pal_mutex = PTHREAD_MUTEX_INITIALIZER;
long used[2];

static struct palette *open_palette(void)
{
    if (palette)
        return palette;

    pthread_mutex_lock(&pal_mutex);
    if (!palette) {
        palette = calloc(1, sizeof(struct palette));
        palette->colour[0] = 0xff0000;
        palette->colour[1] = 0x00ff00;
        palette->n = 2;
    }
    pthread_mutex_unlock(&pal_mutex);
    return palette;
}

static void *painter(void *arg)
{
    int k = *(int *)arg;
    struct palette *p = open_palette();

    used[k] = p->n ? p->colour[k % p->n] : -1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int k0 = 0, k1 = 1;

    pthread_create(&a, NULL, painter, &k0);
    pthread_create(&b, NULL, painter, &k1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(palette);
    return 0;
}
