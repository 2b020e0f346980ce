/* A name is looked up under the lock, made without it, and entered under it again: two threads enter the same one. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define NAMES 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int names[NAMES];
static int used;

static int number_of(int name)
{
    int made;

    pthread_mutex_lock(&lock);
    if (used > 0 && names[0] == name) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    pthread_mutex_unlock(&lock);
    made = name;
    pthread_mutex_lock(&lock);
    names[used++] = made;
    pthread_mutex_unlock(&lock);
    return used - 1;
}

static void *enter(void *arg)
{
    number_of(7);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, enter, NULL);
    pthread_create(&b, NULL, enter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(used == 1);
    return 0;
}
