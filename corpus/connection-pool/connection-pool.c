// A pool of database connections guarded by a semaphore of permits. A client that waited too long is counted as
// refused but goes on as if it had a permit, and finds no idle connection.
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define CONNECTIONS 1
#define CLIENTS 3

struct connection {
    int id;
    int queries;
    struct connection *next;
};

struct pool {
    sem_t permits;
    pthread_mutex_t lock;
    struct connection *idle;
    int served, refused;
};

static struct connection connections[CONNECTIONS];
static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void pool_init(struct pool *p)
{
    sem_init(&p->permits, 0, CONNECTIONS);
    for (int i = 0; i < CONNECTIONS; i++) {
        connections[i].id = i;
        connections[i].next = p->idle;
        p->idle = &connections[i];
    }
}

static bool permit_in_time(struct pool *p)
{
    struct timespec deadline;

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    return sem_timedwait(&p->permits, &deadline) == 0;
}

static struct connection *borrow(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct connection *c = p->idle;
    assert(c != NULL);
    p->idle = c->next;
    p->served++;
    pthread_mutex_unlock(&p->lock);
    return c;
}

static void give_back(struct pool *p, struct connection *c)
{
    pthread_mutex_lock(&p->lock);
    c->next = p->idle;
    p->idle = c;
    pthread_mutex_unlock(&p->lock);
}

static void refuse(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->refused++;
    pthread_mutex_unlock(&p->lock);
}

static void query(struct pool *p)
{
    if (!permit_in_time(p))
        refuse(p);
    struct connection *c = borrow(p);
    c->queries++;
    give_back(p, c);
    sem_post(&p->permits);
}

static void *client(void *arg)
{
    query(arg);
    return NULL;
}

int main(void)
{
    pthread_t clients[CLIENTS];

    pool_init(&pool);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, &pool);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    assert(connections[0].queries == pool.served);
    sem_destroy(&pool.permits);
    return 0;
}
