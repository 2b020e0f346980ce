#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define CAP 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int depth, pushed, popped;

static void *client(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int op = __VERIFIER_nondet_int();
        pthread_mutex_lock(&m);
        if (op > 0 && depth < CAP) {
            depth++;
            pushed++;
        } else if (op < 0 && depth > 0) {
            depth--;
            popped++;
        }
        assert(depth >= 0 && depth <= CAP);
        assert(pushed - popped == depth);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, client, 0);
    pthread_create(&b, 0, client, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
