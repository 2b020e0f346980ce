#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct handoff {
    pthread_mutex_t lock;
    pthread_cond_t passed;
    int baton;
};

static struct handoff *new_handoff(void)
{
    struct handoff *h = malloc(sizeof *h);

    if (h == NULL)
        abort();
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->passed, NULL);
    h->baton = 0;
    return h;
}

static void *runner(void *arg)
{
    struct handoff *h = arg;

    pthread_mutex_lock(&h->lock);
    h->baton = 17;
    pthread_cond_signal(&h->passed);
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static int receive(struct handoff *h)
{
    pthread_mutex_lock(&h->lock);
    while (h->baton == 0)
        pthread_cond_wait(&h->passed, &h->lock);
    int baton = h->baton;
    pthread_mutex_unlock(&h->lock);

    pthread_cond_destroy(&h->passed);
    pthread_mutex_destroy(&h->lock);
    free(h);
    return baton;
}

int main(void)
{
    pthread_t thread;
    struct handoff *h = new_handoff();

    pthread_create(&thread, NULL, runner, h);
    int baton = receive(h);
    pthread_join(thread, NULL);
    printf("got baton %d\n", baton);
    return 0;
}
