// Plugins add their folders to one search path. Each measures the path and then prints behind its end, with the lock
// released in between: what another has added meanwhile is overwritten.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char path[24] = "/lib";

static void add_folder(const char *folder)
{
    pthread_mutex_lock(&lock);
    size_t end = strlen(path);
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&lock);
    snprintf(path + end, sizeof path - end, ":%s", folder);
    pthread_mutex_unlock(&lock);
}

static void *plugin(void *folder)
{
    add_folder(folder);
    return NULL;
}

int main(void)
{
    pthread_t other;

    pthread_create(&other, NULL, plugin, "/opt");
    add_folder("/a");
    pthread_join(other, NULL);
    assert(strlen(path) == strlen("/lib:/opt:/a"));
    return 0;
}
