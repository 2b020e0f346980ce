// submit() hands the worker a request from the heap, which the worker frees.
#include <pthread.h>
#include <stdlib.h>

struct request {
    int sector;
    int count;
};

static int transferred;

static void *disk(void *arg)
{
    struct request *r = arg;

    transferred = r->count;
    free(r);
    return NULL;
}

static pthread_t submit(int sector, int count)
{
    pthread_t thread;
    struct request *r = malloc(sizeof *r);

    r->sector = sector;
    r->count = count;
    pthread_create(&thread, NULL, disk, r);
    return thread;
}

int main(void)
{
    pthread_t thread = submit(100, 8);

    pthread_join(thread, NULL);
    return transferred != 8;
}
