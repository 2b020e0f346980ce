// Two threads add 1 and 2 to a number under the lock, a third asserts under the lock that it is below 3. Nothing says
// that it looks in time: when it comes after both additions, the number is 3.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { LIMIT = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *add_one(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    number += 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *add_two(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    number += 2;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *argument) {
    (void)argument;
    pthread_mutex_lock(&lock);
    assert(number < LIMIT);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t one, two, looking;

    pthread_create(&one, NULL, add_one, NULL);
    pthread_create(&two, NULL, add_two, NULL);
    pthread_create(&looking, NULL, look, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(looking, NULL);

    assert(number == 3);
    return 0;
}
