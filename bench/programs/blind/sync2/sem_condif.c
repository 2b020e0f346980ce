#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct semaphore {
    int count;
    pthread_mutex_t lock;
    pthread_cond_t  wake;
};

static struct semaphore printer = {
    1, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER
};
static int printing;
static int pages;

static void sema_down(struct semaphore *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->count == 0)
        pthread_cond_wait(&s->wake, &s->lock);
    s->count--;
    pthread_mutex_unlock(&s->lock);
}

static void sema_up(struct semaphore *s)
{
    pthread_mutex_lock(&s->lock);
    s->count++;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

static void *print_job(void *arg)
{
    int i, id = (int)(long)arg;

    for (i = 0; i < 2; i++) {
        usleep(600 * id + 200);
        sema_down(&printer);
        assert(__sync_add_and_fetch(&printing, 1) == 1);
        pages++;
        __sync_sub_and_fetch(&printing, 1);
        sema_up(&printer);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    long i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, print_job, (void *)i);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(pages == 6);
    printf("%d pages\n", pages);
    return 0;
}
