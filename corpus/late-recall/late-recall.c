// A shop puts a toy on its shelf and takes it off again if it is recalled. The maker announces a recall and closes the
// shelf if the shop has taken note; when it does so after the shop has opened the shelf, the shop sells a toy that is not
// there. Both threads must decide otherwise than in the runs that pass: the failure depends on path and schedule.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int announced, noted, shelf_open, on_shelf;

static void *keep_shop(void *unused) {
    (void)unused;
    if (announced > 0) {
        noted++;
    }
    on_shelf = 1;
    shelf_open = 1;
    if (shelf_open == 0) {
        on_shelf--;
    }
    assert(on_shelf > 0);
    return NULL;
}

static void *recall(void *unused) {
    (void)unused;
    announced = 1;
    if (noted > 0) {
        shelf_open = 0;
    }
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
