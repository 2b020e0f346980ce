#include <pthread.h>
#include <stdbool.h>

struct room {
    pthread_mutex_t guard;
    pthread_cond_t  vacant;
    bool            taken;
};

static struct room room = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false
};
int chairs = 12;
int sessions;

static void room_book(struct room *r)
{
    pthread_mutex_lock(&r->guard);
    if (r->taken)
        pthread_cond_wait(&r->vacant, &r->guard);
    r->taken = true;
    pthread_mutex_unlock(&r->guard);
}

static void room_free(struct room *r)
{
    pthread_mutex_lock(&r->guard);
    r->taken = false;
    pthread_cond_signal(&r->vacant);
    pthread_mutex_unlock(&r->guard);
}

static void *meeting(void *arg)
{
    int need = *(int *)arg;

    room_book(&room);
    chairs -= need;
    sessions++;
    if (chairs < 6)
        chairs = 12;
    room_free(&room);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int need[3] = { 4, 6, 12 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, meeting, &need[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
