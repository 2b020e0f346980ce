#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

#define MAX 100

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int gauge;
static volatile int done;

static void *server(void *arg)
{
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        int cmd = __VERIFIER_nondet_int();
        pthread_mutex_lock(&m);
        if (cmd > 0 && gauge < MAX)
            gauge++;
        else if (cmd < 0 && gauge > 0)
            gauge--;
        pthread_mutex_unlock(&m);
    }
    done = 1;
    return 0;
}

static void *monitor(void *arg)
{
    while (!done) {
        pthread_mutex_lock(&m);
        if (gauge < 0 || gauge > MAX)
            reach_error();
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t s, w;
    pthread_create(&s, 0, server, 0);
    pthread_create(&w, 0, monitor, 0);
    pthread_join(s, 0);
    pthread_join(w, 0);
    return 0;
}
