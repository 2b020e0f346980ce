#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct event {
    pthread_mutex_t lock;
    pthread_cond_t  cond;
    bool            signalled;
} event_t;

static void event_init(event_t *ev)
{
    pthread_mutex_init(&ev->lock, NULL);
    pthread_cond_init(&ev->cond, NULL);
    ev->signalled = false;
}

static void event_set(event_t *ev)
{
    pthread_mutex_lock(&ev->lock);
    ev->signalled = true;
    pthread_mutex_unlock(&ev->lock);
    pthread_cond_broadcast(&ev->cond);
}

static void event_wait(event_t *ev)
{
    pthread_mutex_lock(&ev->lock);
    while (!ev->signalled)
        pthread_cond_wait(&ev->cond, &ev->lock);
    pthread_mutex_unlock(&ev->lock);
}

static event_t opened, parsed;
static char line[32];
static int  words;

static void *opener(void *x)
{
    (void)x;
    strcpy(line, "one two three");
    event_set(&opened);
    return NULL;
}

static void *parser(void *x)
{
    char *p;

    (void)x;
    event_wait(&opened);
    for (p = line, words = 1; *p; p++)
        words += *p == ' ';
    event_set(&parsed);
    return NULL;
}

static void *reporter(void *x)
{
    (void)x;
    event_wait(&parsed);
    assert(words == 3);
    printf("%d words in \"%s\"\n", words, line);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int i;

    event_init(&opened);
    event_init(&parsed);
    pthread_create(&t[0], NULL, reporter, NULL);
    pthread_create(&t[1], NULL, parser, NULL);
    pthread_create(&t[2], NULL, opener, NULL);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
