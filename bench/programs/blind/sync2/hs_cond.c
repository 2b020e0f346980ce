#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct mailslot {
    pthread_mutex_t m;
    pthread_cond_t  not_full;
    pthread_cond_t  not_empty;
    int             occupied;
    int             letter;
};

static struct mailslot box = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_COND_INITIALIZER,
    PTHREAD_COND_INITIALIZER,
    0, 0
};

static void deposit(struct mailslot *s, int letter)
{
    pthread_mutex_lock(&s->m);
    while (s->occupied)
        pthread_cond_wait(&s->not_full, &s->m);
    s->letter = letter;
    s->occupied = 1;
    pthread_cond_signal(&s->not_empty);
    pthread_mutex_unlock(&s->m);
}

static int collect(struct mailslot *s)
{
    int l;

    pthread_mutex_lock(&s->m);
    while (!s->occupied)
        pthread_cond_wait(&s->not_empty, &s->m);
    l = s->letter;
    s->occupied = 0;
    pthread_cond_signal(&s->not_full);
    pthread_mutex_unlock(&s->m);
    return l;
}

static void *sender(void *arg)
{
    int base = *(int *)arg, i;

    for (i = 0; i < 3; i++)
        deposit(&box, base + i);
    return NULL;
}

static void *receiver(void *arg)
{
    int i, *sum = arg;

    for (i = 0; i < 6; i++)
        *sum += collect(&box);
    return NULL;
}

int main(void)
{
    pthread_t s[2], r;
    int base[2] = { 10, 50 }, sum = 0;

    pthread_create(&r, NULL, receiver, &sum);
    pthread_create(&s[0], NULL, sender, &base[0]);
    pthread_create(&s[1], NULL, sender, &base[1]);
    pthread_join(s[0], NULL);
    pthread_join(s[1], NULL);
    pthread_join(r, NULL);
    assert(sum == 186);
    printf("sum %d\n", sum);
    return 0;
}
