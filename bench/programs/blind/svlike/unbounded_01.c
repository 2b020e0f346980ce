#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

#define CAP 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock;
static volatile int stop;

static void *supplier(void *arg)
{
    while (1) {
        if (stop)
            break;
        pthread_mutex_lock(&m);
        if (stock < CAP)
            stock++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *buyer(void *arg)
{
    while (1) {
        if (stop)
            break;
        pthread_mutex_lock(&m);
        if (stock > 0)
            stock--;
        if (stock < 0 || stock >= CAP)
            reach_error();
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t s, b;
    pthread_create(&s, 0, supplier, 0);
    pthread_create(&b, 0, buyer, 0);
    stop = 1;
    pthread_join(s, 0);
    pthread_join(b, 0);
    return 0;
}
