// A request uses its session only while it holds the table's lock; the janitor frees it only when it is out of the
// table.
#include <pthread.h>
#include <stdlib.h>

struct session {
    int user;
    int hits;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *table;

static void *request(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&table_lock);
    struct session *s = table;
    if (s)
        s->hits++;
    pthread_mutex_unlock(&table_lock);
    return NULL;
}

static void *janitor(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&table_lock);
    struct session *expired = table;
    table = NULL;
    pthread_mutex_unlock(&table_lock);
    free(expired);
    return NULL;
}

int main(void)
{
    pthread_t server, cleaner;

    table = malloc(sizeof *table);
    table->user = 1;
    table->hits = 0;
    pthread_create(&server, NULL, request, NULL);
    pthread_create(&cleaner, NULL, janitor, NULL);
    pthread_join(server, NULL);
    pthread_join(cleaner, NULL);
    return 0;
}
