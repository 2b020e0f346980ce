// Seven agencies sell seats until sales are stopped. The counter and the flag are not changed together.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { SELLERS = 7, CAPACITY = 6 };

static int sold, stop_sales;

static void *sell(void *argument) {
    (void)argument;
    for (int tries = 0; tries < 2; tries++) {
        if (stop_sales) return NULL;
        sold++;
        if (sold >= CAPACITY) stop_sales = 1;
    }
    return NULL;
}

int main(void) {
    pthread_t sellers[SELLERS];
    for (int i = 0; i < SELLERS; i++) pthread_create(&sellers[i], NULL, sell, NULL);
    for (int i = 0; i < SELLERS; i++) pthread_join(sellers[i], NULL);
    assert(sold <= CAPACITY);
    return 0;
}
