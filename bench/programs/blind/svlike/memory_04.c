#include <pthread.h>
#include <stdlib.h>

#define CAP 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *log_, len;

static int room(void)
{
    pthread_mutex_lock(&m);
    int r = CAP - len;
    pthread_mutex_unlock(&m);
    return r;
}

static void append(int v)
{
    pthread_mutex_lock(&m);
    log_[len] = v;
    len++;
    pthread_mutex_unlock(&m);
}

static void *writer(void *arg)
{
    if (room() > 0)
        append((int)(long)arg);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    log_ = malloc(CAP * sizeof *log_);
    if (!log_)
        exit(0);
    append(0);
    pthread_create(&a, 0, writer, (void *)1L);
    pthread_create(&b, 0, writer, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(log_);
    return 0;
}
