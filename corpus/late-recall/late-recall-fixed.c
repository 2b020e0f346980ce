// A shop puts a toy on its shelf and takes it off again if it is recalled. It does so under the lock under which the maker
// closes the shelf, so that the shelf stays open from filling it to selling.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t shelf = PTHREAD_MUTEX_INITIALIZER;
static int announced, noted, shelf_open, on_shelf;

static void *keep_shop(void *unused) {
    (void)unused;
    pthread_mutex_lock(&shelf);
    if (announced > 0) {
        noted++;
    }
    on_shelf = 1;
    shelf_open = 1;
    if (shelf_open == 0) {
        on_shelf--;
    }
    assert(on_shelf > 0);
    pthread_mutex_unlock(&shelf);
    return NULL;
}

static void *recall(void *unused) {
    (void)unused;
    pthread_mutex_lock(&shelf);
    announced = 1;
    if (noted > 0) {
        shelf_open = 0;
    }
    pthread_mutex_unlock(&shelf);
    return NULL;
}

int main(void) {
    pthread_t shop, maker;

    pthread_create(&shop, NULL, keep_shop, NULL);
    pthread_create(&maker, NULL, recall, NULL);
    pthread_join(shop, NULL);
    pthread_join(maker, NULL);
    return 0;
}
