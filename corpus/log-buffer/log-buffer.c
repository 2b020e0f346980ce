// A web server collects log lines in a buffer: copy to the end, then advance the end. Two requests that log at once
// copy to the same place.
#include <assert.h>
#include <pthread.h>
#include <string.h>

#define REQUESTS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char outbuf[16];
static size_t outcnt;

static void log_line(const char *line, size_t length)
{
    memcpy(&outbuf[outcnt], line, length);
    pthread_mutex_lock(&lock);
    outcnt += length;
    pthread_mutex_unlock(&lock);
}

static void *request(void *arg)
{
    log_line(arg, 4);
    return NULL;
}

int main(void)
{
    static char *lines[REQUESTS] = {"GET\n", "PUT\n"};
    pthread_t requests[REQUESTS];

    for (int i = 0; i < REQUESTS; i++)
        pthread_create(&requests[i], NULL, request, lines[i]);
    for (int i = 0; i < REQUESTS; i++)
        pthread_join(requests[i], NULL);
    assert(memcmp(outbuf, "GET\nPUT\n", 8) == 0 || memcmp(outbuf, "PUT\nGET\n", 8) == 0);
    return 0;
}
