// One thread is interrupted by signals all the time, another one is cancelled wherever it is.
#include "recorded.h"

static volatile int done, handled;
static pthread_t main_thread;

static void handler(int signal) {
    handled++;
    for (int i = 0; i < 40; i++) decide(signal & 1);
    struct heddle_buffer buffer = {"handler", 7};
    __heddle_input(9, signal, 1, &buffer);
}

static void *sends(void *unused) {
    while (!done) {
        pthread_kill(main_thread, SIGUSR1);
        sched_yield();
    }
    return unused;
}

static sem_t begun;

static void *is_cancelled(void *unused) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (uint64_t i = 0;; i++) {
        decide(expected_bit(i));
        struct heddle_buffer buffer = {&i, sizeof i};
        __heddle_input(1, -(int64_t)i, 1, &buffer);
        if (i == 0) sem_post(&begun);
    }
    return unused;
}

int main(void) {
    main_thread = pthread_self();
    signal(SIGUSR1, handler);
    sem_init(&begun, 0, 0);
    pthread_t sender;
    CHECK(!pthread_create(&sender, NULL, sends, NULL));
    for (uint64_t i = 0; i < 200000 || handled < 100; i++) {
        decide(expected_bit(i));
        struct heddle_buffer buffer = {&i, sizeof i};
        __heddle_input(1, -(int64_t)i, 1, &buffer);
        __heddle_callee(main);
    }
    done = 1;
    CHECK(!pthread_join(sender, NULL));
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;
        CHECK(!pthread_create(&thread, NULL, is_cancelled, NULL));
        while (sem_wait(&begun)) {}
        CHECK(!pthread_cancel(thread) && !pthread_join(thread, &result) && result == PTHREAD_CANCELED);
    }
    printf("%d\n", handled);
}
