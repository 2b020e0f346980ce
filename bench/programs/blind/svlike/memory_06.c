#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define CAP 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *log_, len, dropped;

static void append(int v)
{
    pthread_mutex_lock(&m);
    if (len < CAP)
        log_[len++] = v;
    else
        dropped++;
    pthread_mutex_unlock(&m);
}

static void *writer(void *arg)
{
    int id = (int)(long)arg;
    append(id);
    append(id);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    log_ = malloc(CAP * sizeof *log_);
    if (!log_)
        exit(0);
    pthread_create(&a, 0, writer, (void *)1L);
    pthread_create(&b, 0, writer, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(len == CAP && dropped == 1);
    int sum = log_[0] + log_[1] + log_[2];
    assert(sum == 4 || sum == 5);
    free(log_);
    return 0;
}
