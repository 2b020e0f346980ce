// submit() hands the worker the address of a local request and returns. A worker that is slow reads the request after
// it is gone.
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
    return NULL;
}

static pthread_t submit(int sector, int count)
{
    pthread_t thread;
    struct request r = {sector, count};

    pthread_create(&thread, NULL, disk, &r);
    return thread;
}

int main(void)
{
    pthread_t thread = submit(100, 8);

    pthread_join(thread, NULL);
    return transferred != 8;
}
