#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { NEW, BUSY, DONE };

struct lazy {
    pthread_mutex_t m;
    pthread_cond_t  c;
    int             state;
    char            text[24];
    int             loads;
};

static struct lazy motd = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NEW, "", 0
};

static void load_text(struct lazy *z)
{
    strcpy(z->text, "welcome");
    z->loads++;
}

static const char *lazy_get(struct lazy *z)
{
    pthread_mutex_lock(&z->m);
    if (z->state == NEW) {
        z->state = BUSY;
        pthread_mutex_unlock(&z->m);
        load_text(z);           /* may be slow, not under the mutex */
        pthread_mutex_lock(&z->m);
        z->state = DONE;
        pthread_cond_broadcast(&z->c);
    } else {
        while (z->state != DONE)
            pthread_cond_wait(&z->c, &z->m);
    }
    pthread_mutex_unlock(&z->m);
    return z->text;
}

static void *session(void *arg)
{
    const char *s = lazy_get(&motd);

    assert(strcmp(s, "welcome") == 0);
    *(size_t *)arg = strlen(s);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    size_t len[3];
    int i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, session, &len[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(motd.loads == 1);
    printf("%zu %zu %zu\n", len[0], len[1], len[2]);
    return 0;
}
