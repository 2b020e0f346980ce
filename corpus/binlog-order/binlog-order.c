// A database applies a statement to the table and then writes it to the log, each under its own lock. Between the two
// steps another statement can be applied and logged: the log no longer tells what happened to the table.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum statement { DELETE_ALL, INSERT };

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int rows = 3;
static enum statement binlog[2];
static int logged;

static int apply(enum statement s, int count)
{
    return s == DELETE_ALL ? 0 : count + 1;
}

static void *execute(void *arg)
{
    enum statement s = *(const enum statement *)arg;

    pthread_mutex_lock(&table_lock);
    rows = apply(s, rows);
    pthread_mutex_unlock(&table_lock);

    pthread_mutex_lock(&log_lock);
    binlog[logged++] = s;
    pthread_mutex_unlock(&log_lock);
    return NULL;
}

int main(void)
{
    static const enum statement statements[2] = {DELETE_ALL, INSERT};
    pthread_t clients[2];
    int replica = 3;

    for (int i = 0; i < 2; i++)
        pthread_create(&clients[i], NULL, execute, (void *)&statements[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(clients[i], NULL);
    for (int i = 0; i < logged; i++)
        replica = apply(binlog[i], replica);
    assert(replica == rows);
    return 0;
}
