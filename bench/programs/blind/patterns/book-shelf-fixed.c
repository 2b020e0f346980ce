#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shelf {
    pthread_mutex_t lock;
    int *pages;
    size_t used;
    size_t room;
};

static struct shelf shelf = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void add_book(struct shelf *s, int pages)
{
    pthread_mutex_lock(&s->lock);
    if (s->used == s->room) {
        size_t room = s->room ? 2 * s->room : 1;
        int *wider = malloc(room * sizeof *wider);

        if (wider == NULL)
            abort();
        if (s->used)
            memcpy(wider, s->pages, s->used * sizeof *wider);
        free(s->pages);
        s->pages = wider;
        s->room = room;
    }
    s->pages[s->used++] = pages;
    pthread_mutex_unlock(&s->lock);
}

static void *binder(void *arg)
{
    struct shelf *s = arg;

    int covers = 4;
    pthread_mutex_lock(&s->lock);
    int *first = &s->pages[0];
    *first += covers;
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void *buyer(void *arg)
{
    add_book(arg, 320);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    add_book(&shelf, 150);
    pthread_create(&a, NULL, binder, &shelf);
    pthread_create(&b, NULL, buyer, &shelf);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%zu books, first has %d pages\n", shelf.used, shelf.pages[0]);
    free(shelf.pages);
    return 0;
}
