#include <pthread.h>

static volatile int count, stop;

static void *counter(void *arg)
{
    while (!stop) {
        if (count < 10)
            count = count + 1;
    }
    return 0;
}

static void *controller(void *arg)
{
    while (count != 3)
        ;
    stop = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, counter, 0);
    pthread_create(&b, 0, controller, 0);
    pthread_join(b, 0);
    pthread_join(a, 0);
    return 0;
}
