#include <pthread.h>
#include <sched.h>

static volatile int remaining = 2;
int image[2][4];
int brightness;

#define COUNT_DOWN()     (remaining--)
#define AWAIT_ZERO()                    \
    do                                  \
        sched_yield();                  \
    while (remaining != 0)

static void *scan(void *arg)
{
    int row = (int)(long)arg;

    for (int x = 0; x < 4; x++)
        image[row][x] = row * 4 + x;
    COUNT_DOWN();
    return NULL;
}

static void *measure(void *arg)
{
    (void)arg;
    AWAIT_ZERO();
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++)
            brightness += image[y][x];
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    pthread_create(&t[0], NULL, scan, (void *)0L);
    pthread_create(&t[1], NULL, scan, (void *)1L);
    pthread_create(&t[2], NULL, measure, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
