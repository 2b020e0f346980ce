// A thread's record is complete before the thread is created; the creator changes nothing in it afterwards.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum state { UNUSED, RUNNING, STOPPED };

struct thread_record {
    pthread_t handle;
    enum state state;
    int priority;
};

static struct thread_record record;

static void *thread_main(void *arg)
{
    struct thread_record *self = arg;

    assert(self->state == RUNNING);
    self->priority = 1;
    return NULL;
}

static void start_thread(struct thread_record *r)
{
    r->state = RUNNING;
    pthread_create(&r->handle, NULL, thread_main, r);
}

int main(void)
{
    start_thread(&record);
    pthread_join(record.handle, NULL);
    record.state = STOPPED;
    return record.priority != 1;
}
