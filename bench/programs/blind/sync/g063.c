#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>
#include <stdlib.h>

static volatile int config_loaded;
static struct { int width, height; } config;
static int area;

static void *loader(void *arg)
{
    (void)arg;
    config.width = 6;
    config.height = 7;
    __sync_synchronize();
    config_loaded = 1;
    return NULL;
}

static void *painter(void *arg)
{
    (void)arg;
    while (!config_loaded)
        usleep(100);
    __sync_synchronize();
    area = config.width * config.height;
    return NULL;
}

int main(void)
{
    pthread_t p, l;

    pthread_create(&p, NULL, painter, NULL);
    pthread_create(&l, NULL, loader, NULL);
    pthread_join(l, NULL);
    pthread_join(p, NULL);
    if (area != 42)
        abort();
    return 0;
}
