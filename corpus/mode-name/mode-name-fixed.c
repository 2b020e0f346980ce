// A device's mode is kept as a text. A monitor compares it twice, under the lock under which it is changed.
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
    pthread_mutex_lock(&lock);
    bool known = strcmp(mode, "run") == 0 || strcmp(mode, "idle") == 0;
    pthread_mutex_unlock(&lock);
    return known;
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
