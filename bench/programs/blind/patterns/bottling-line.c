#include <pthread.h>
#include <stdio.h>

enum { BOTTLES = 2, PACKERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int on_belt;
static int packed;

static void *filler(void *unused)
{
    (void)unused;
    for (int i = 0; i < BOTTLES; i++) {
        pthread_mutex_lock(&lock);
        while (on_belt == 1)
            pthread_cond_wait(&changed, &lock);
        on_belt = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *packer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (on_belt == 0)
        pthread_cond_wait(&changed, &lock);
    on_belt = 0;
    packed++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t f, packers[PACKERS];

    for (int i = 0; i < PACKERS; i++)
        pthread_create(&packers[i], NULL, packer, NULL);
    pthread_create(&f, NULL, filler, NULL);

    pthread_join(f, NULL);
    for (int i = 0; i < PACKERS; i++)
        pthread_join(packers[i], NULL);
    printf("%d bottles packed\n", packed);
    return 0;
}
