// A manager hands out tasks to five workers, which wait for one each, repair a car and print a card for it. A monitor
// guards the tasks and the number of printed cards. The worker that prints the last card closes the garage.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 5, PARTS = 6 };

struct task {
    int car;
    int hours[PARTS];
};

static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed_out = PTHREAD_COND_INITIALIZER;
static struct task tasks[WORKERS];
static int first, last;
static int hours_worked[PARTS];
static int long_repairs;
static int cards, closed;

static void hand_out(int car) {
    pthread_mutex_lock(&monitor);
    tasks[last].car = car;
    for (int part = 0; part < PARTS; part++) {
        tasks[last].hours[part] = 1 + (car + part) % 3;
    }
    last++;
    pthread_cond_signal(&handed_out);
    pthread_mutex_unlock(&monitor);
}

static void *manage(void *unused) {
    (void)unused;
    for (int car = 0; car < WORKERS; car++) {
        hand_out(car);
    }
    return NULL;
}

static struct task await_task(void) {
    pthread_mutex_lock(&monitor);
    while (first == last) {
        pthread_cond_wait(&handed_out, &monitor);
    }
    struct task task = tasks[first++];
    pthread_mutex_unlock(&monitor);
    return task;
}

static void repair(const struct task *task) {
    pthread_mutex_lock(&monitor);
    for (int part = 0; part < PARTS; part++) {
        hours_worked[part] += task->hours[part];
    }
    if (task->hours[0] > 2) {
        long_repairs++;
    }
    pthread_mutex_unlock(&monitor);
}

static void print_card(void) {
    pthread_mutex_lock(&monitor);
    int number = cards + 1;

    cards = number;
    if (number == WORKERS) {
        closed = 1;
    }
    pthread_mutex_unlock(&monitor);
}

static void *work(void *unused) {
    (void)unused;
    struct task task = await_task();

    repair(&task);
    print_card();
    return NULL;
}

int main(void) {
    pthread_t manager, workers[WORKERS];

    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&workers[i], NULL, work, NULL);
    }
    pthread_create(&manager, NULL, manage, NULL);
    pthread_join(manager, NULL);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], NULL);
    }
    assert(closed);
    return 0;
}
