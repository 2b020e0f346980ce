// A device's mode is kept as a text. A monitor compares it twice, without the lock under which it is changed: a mode that
// changes in between, or while it is compared, is none of those that the monitor knows.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char mode[8] = "idle";

static void *wake(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    strcpy(mode, "run");
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool is_known(void)
{
    bool running = strcmp(mode, "run") == 0;

    return running || strcmp(mode, "idle") == 0;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, wake, NULL);
    bool known = is_known();
    pthread_join(thread, NULL);
    assert(known);
    return 0;
}
