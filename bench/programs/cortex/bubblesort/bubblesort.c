// Five sorters run one pass each over an array. A sorter announces its pass before it begins, and main, which waits
// until all passes are announced, looks at the array while the last of them are still to come.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { SORTERS = 5, NUMBERS = 5 };

static int numbers[NUMBERS] = {5, 4, 3, 2, 1};
static int announced, errors;
static pthread_mutex_t array_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;

static void announce(void) {
    pthread_mutex_lock(&count_lock);
    announced++;
    pthread_cond_signal(&progress);
    pthread_mutex_unlock(&count_lock);
}

static void await_passes(void) {
    pthread_mutex_lock(&count_lock);
    while (announced < SORTERS) {
        pthread_cond_wait(&progress, &count_lock);
    }
    pthread_mutex_unlock(&count_lock);
}

static void swap(int *left, int *right) {
    int kept = *left;

    *left = *right;
    *right = kept;
}

static void run_pass(void) {
    pthread_mutex_lock(&array_lock);
    for (int i = 0; i + 1 < NUMBERS; i++) {
        if (numbers[i] > numbers[i + 1]) {
            swap(&numbers[i], &numbers[i + 1]);
        }
    }
    pthread_mutex_unlock(&array_lock);
}

static void *sort(void *unused) {
    (void)unused;
    announce();
    run_pass();
    return NULL;
}

static void check_order(void) {
    for (int i = 0; i + 1 < NUMBERS; i++) {
        if (numbers[i] > numbers[i + 1]) {
            errors++;
        }
    }
}

int main(void) {
    pthread_t sorters[SORTERS];

    for (int i = 0; i < SORTERS; i++) {
        pthread_create(&sorters[i], NULL, sort, NULL);
    }
    await_passes();
    check_order();
    assert(errors == 0);
    for (int i = 0; i < SORTERS; i++) {
        pthread_join(sorters[i], NULL);
    }
    return 0;
}
