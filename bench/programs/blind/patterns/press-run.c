#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int pages;
    int copies;
};

static atomic_int sheets;
static atomic_int started;

static void *press(void *arg)
{
    struct job *job = arg;

    atomic_store(&started, 1);
    for (int copy = 0; copy < job->copies; copy++)
        atomic_fetch_add(&sheets, job->pages);
    return NULL;
}

static struct job *new_job(int pages, int copies)
{
    struct job *job = malloc(sizeof *job);

    if (job == NULL)
        abort();
    job->pages = pages;
    job->copies = copies;
    return job;
}

int main(void)
{
    pthread_t thread;
    struct job *job = new_job(8, 2);

    pthread_create(&thread, NULL, press, job);
    printf("ordered %d copies\n", job->copies);
    free(job);
    pthread_join(thread, NULL);

    printf("press %s, %d sheets\n",
           atomic_load(&started) ? "started" : "idle", atomic_load(&sheets));
    return 0;
}
