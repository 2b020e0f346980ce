#include <pthread.h>
#include <stdio.h>

struct show {
    pthread_mutex_t lock;
    pthread_cond_t cue_given;
    int cue;
    int done[3];
};

static struct show show = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .cue_given = PTHREAD_COND_INITIALIZER,
};

static void give_cue(struct show *s, int cue)
{
    pthread_mutex_lock(&s->lock);
    s->cue = cue;
    pthread_cond_broadcast(&s->cue_given);
    pthread_mutex_unlock(&s->lock);
}

static void await_cue(struct show *s, int cue)
{
    pthread_mutex_lock(&s->lock);
    while (s->cue < cue)
        pthread_cond_wait(&s->cue_given, &s->lock);
    s->done[cue] = 1;
    pthread_mutex_unlock(&s->lock);
}

static void *sound(void *arg)
{
    await_cue(arg, 2);
    return NULL;
}

static void *lights(void *arg)
{
    await_cue(arg, 1);
    give_cue(arg, 2);
    return NULL;
}

int main(void)
{
    pthread_t s, l;

    pthread_create(&s, NULL, sound, &show);
    pthread_create(&l, NULL, lights, &show);
    give_cue(&show, 1);
    pthread_join(l, NULL);
    pthread_join(s, NULL);
    printf("lights %d, sound %d\n", show.done[1], show.done[2]);
    return 0;
}
