// What lock, trylock, timedlock and unlock answer, for each kind of mutex, to their holder and to others.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct answers {
    pthread_mutex_t *mutex;
    int trylock, timedlock, unlock;
};

static const char *name(int error)
{
    switch (error) {
    case 0:
        return "ok";
    case EBUSY:
        return "EBUSY";
    case EDEADLK:
        return "EDEADLK";
    case EPERM:
        return "EPERM";
    case ETIMEDOUT:
        return "ETIMEDOUT";
    default:
        return "other";
    }
}

static void show(const char *what, int error)
{
    printf("%s %s\n", what, name(error));
}

static void init(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    int read_back;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_gettype(&attributes, &read_back);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    printf("kind as set: %d\n", read_back == type);
}

static void *other(void *arg)
{
    struct answers *a = arg;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    a->trylock = pthread_mutex_trylock(a->mutex);
    a->timedlock = pthread_mutex_timedlock(a->mutex, &now);
    a->unlock = 0;
    return NULL;
}

static void *stranger(void *arg)
{
    struct answers *a = arg;

    a->unlock = pthread_mutex_unlock(a->mutex);
    return NULL;
}

static struct answers ask(void *(*who)(void *), pthread_mutex_t *mutex)
{
    struct answers a = {.mutex = mutex};
    pthread_t thread;

    pthread_create(&thread, NULL, who, &a);
    pthread_join(thread, NULL);
    return a;
}

int main(void)
{
    pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, recursive, checking;
    struct answers a;

    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    init(&checking, PTHREAD_MUTEX_ERRORCHECK);

    show("normal: lock", pthread_mutex_lock(&normal));
    show("normal: own trylock", pthread_mutex_trylock(&normal));
    a = ask(other, &normal);
    show("normal held: trylock", a.trylock);
    show("normal held: timedlock", a.timedlock);
    show("normal: unlock", pthread_mutex_unlock(&normal));
    show("normal released: trylock", pthread_mutex_trylock(&normal));
    pthread_mutex_unlock(&normal);

    pthread_mutex_lock(&recursive);
    show("recursive: again", pthread_mutex_lock(&recursive));
    show("recursive: own trylock", pthread_mutex_trylock(&recursive));
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    show("recursive held once: trylock", ask(other, &recursive).trylock);
    show("recursive: unlock by a stranger", ask(stranger, &recursive).unlock);
    pthread_mutex_unlock(&recursive);
    show("recursive released: unlock", pthread_mutex_unlock(&recursive));

    pthread_mutex_lock(&checking);
    show("checking: again", pthread_mutex_lock(&checking));
    show("checking: own trylock", pthread_mutex_trylock(&checking));
    show("checking: unlock by a stranger", ask(stranger, &checking).unlock);
    show("checking: unlock by the holder", pthread_mutex_unlock(&checking));
    show("checking: unlock once more", pthread_mutex_unlock(&checking));

    show("destroy", pthread_mutex_destroy(&normal));
    show("destroy", pthread_mutex_destroy(&recursive));
    show("destroy", pthread_mutex_destroy(&checking));
    return 0;
}
