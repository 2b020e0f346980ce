#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static atomic_int opened;
int handle_count;
int handle;

static void open_device(void)
{
    handle_count++;
    handle = 100 + handle_count;
}

static void device_init(void)
{
    if (atomic_load(&opened) == 0) {
        pthread_mutex_lock(&guard);
        open_device();
        atomic_store(&opened, 1);
        pthread_mutex_unlock(&guard);
    }
}

static void *io_thread(void *arg)
{
    int *out = arg;

    device_init();
    *out = handle;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int h1, h2;

    pthread_create(&a, NULL, io_thread, &h1);
    pthread_create(&b, NULL, io_thread, &h2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
