#define _XOPEN_SOURCE 600
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct entry {
    char name[12];
    int  port;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry table[4] = { { "ssh", 22 }, { "http", 80 } };
static int used = 2;

static int find(const char *name)
{
    int i, port = -1;

    pthread_rwlock_rdlock(&lock);
    for (i = 0; i < used; i++)
        if (strcmp(table[i].name, name) == 0)
            port = table[i].port;
    pthread_rwlock_unlock(&lock);
    return port;
}

static void *reader(void *arg)
{
    int p = find(arg);

    assert(p == -1 || p == 22 || p == 443);
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    strcpy(table[used].name, "https");
    table[used].port = 443;
    used++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int i;

    pthread_create(&t[0], NULL, reader, "ssh");
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_create(&t[2], NULL, reader, "https");
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(find("https") == 443);
    printf("%d entries\n", used);
    return 0;
}
