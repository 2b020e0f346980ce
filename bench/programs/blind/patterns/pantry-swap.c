#include <pthread.h>
#include <stdio.h>

struct pantry {
    int shelf;
    int sacks;
    pthread_mutex_t lock;
};

struct order {
    struct pantry *from;
    struct pantry *to;
    int sacks;
};

static struct pantry kitchen = { 1, 5, PTHREAD_MUTEX_INITIALIZER };
static struct pantry cellar = { 2, 9, PTHREAD_MUTEX_INITIALIZER };

static void move_sacks(struct pantry *from, struct pantry *to, int sacks)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->sacks -= sacks;
    to->sacks += sacks;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *helper(void *arg)
{
    struct order *o = arg;

    move_sacks(o->from, o->to, o->sacks);
    return NULL;
}

int main(void)
{
    struct order up = { &cellar, &kitchen, 3 };
    struct order down = { &kitchen, &cellar, 1 };
    pthread_t a, b;

    pthread_create(&a, NULL, helper, &up);
    pthread_create(&b, NULL, helper, &down);
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    printf("kitchen %d, cellar %d\n", kitchen.sacks, cellar.sacks);
    return 0;
}
