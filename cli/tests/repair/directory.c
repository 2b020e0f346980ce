/* Entries are looked up for reading and added for writing; what was found out while reading no longer holds then. */
#include <assert.h>
#include <pthread.h>

#define ENTRIES 4

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int keys[ENTRIES];
static int used;

static int find(int key)
{
    for (int i = 0; i < used; i++)
        if (keys[i] == key)
            return i;
    return -1;
}

static void *enter(void *arg)
{
    int at;

    pthread_rwlock_rdlock(&lock);
    at = find(7);
    pthread_rwlock_unlock(&lock);
    if (at < 0) {
        pthread_rwlock_wrlock(&lock);
        keys[used++] = 7;
        pthread_rwlock_unlock(&lock);
    }
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
