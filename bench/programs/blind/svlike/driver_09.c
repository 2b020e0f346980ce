#include <pthread.h>
#include <stddef.h>

struct card {
    int irq;
    int count;
};

static struct card slot0 = { 9, 0 };
static struct card *volatile card = &slot0;
static volatile int removed;

static void *ioctl_thread(void *arg)
{
    for (int i = 0; i < 2; i++) {
        if (card != NULL)
            card->count = i;
    }
    return 0;
}

static void *remove_thread(void *arg)
{
    removed = 1;
    card = NULL;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, ioctl_thread, 0);
    pthread_create(&b, 0, remove_thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
