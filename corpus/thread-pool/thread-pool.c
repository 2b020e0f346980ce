// A thread pool that renders image tiles. pool_wait() returns as soon as no task is queued; a worker may still be
// running one, and main reads its result too early.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define WORKERS 2
#define TILES 3
#define TILE_SIZE 4

typedef void (*task_function)(void *);

struct task {
    task_function run;
    void *argument;
    struct task *next;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct task *first, **last;
    int queued, running;
    bool closing;
    pthread_t workers[WORKERS];
};

static struct task *take_task(struct pool *p)
{
    struct task *t = p->first;

    p->first = t->next;
    if (p->first == NULL)
        p->last = &p->first;
    p->queued--;
    return t;
}

static void *worker_main(void *arg)
{
    struct pool *p = arg;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->queued == 0 && !p->closing)
            pthread_cond_wait(&p->work, &p->lock);
        if (p->queued == 0)
            break;
        struct task *t = take_task(p);
        p->running++;
        if (p->queued == 0)
            pthread_cond_broadcast(&p->idle);
        pthread_mutex_unlock(&p->lock);

        t->run(t->argument);
        free(t);

        pthread_mutex_lock(&p->lock);
        p->running--;
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void pool_init(struct pool *p)
{
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->first = NULL;
    p->last = &p->first;
    p->queued = p->running = 0;
    p->closing = false;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&p->workers[i], NULL, worker_main, p);
}

static void pool_submit(struct pool *p, task_function run, void *argument)
{
    struct task *t = malloc(sizeof *t);

    t->run = run;
    t->argument = argument;
    t->next = NULL;
    pthread_mutex_lock(&p->lock);
    *p->last = t;
    p->last = &t->next;
    p->queued++;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

static void pool_wait(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->queued > 0)
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void pool_destroy(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(p->workers[i], NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
}

struct tile {
    int number;
    unsigned char pixels[TILE_SIZE];
    int brightness;
};

static void render(void *arg)
{
    struct tile *t = arg;
    int sum = 0;

    for (int i = 0; i < TILE_SIZE; i++) {
        t->pixels[i] = (unsigned char)(16 * t->number + i);
        sum += t->pixels[i];
    }
    t->brightness = sum / TILE_SIZE;
}

int main(void)
{
    struct pool pool;
    struct tile tiles[TILES];
    int total = 0;

    pool_init(&pool);
    for (int i = 0; i < TILES; i++) {
        tiles[i].number = i + 1;
        tiles[i].brightness = 0;
        pool_submit(&pool, render, &tiles[i]);
    }
    pool_wait(&pool);
    for (int i = 0; i < TILES; i++)
        total += tiles[i].brightness;
    assert(total == 99);
    pool_destroy(&pool);
    return 0;
}
