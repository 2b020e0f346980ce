// A thread's record is marked as running by its creator after pthread_create has returned. The new thread may look at
// its own record before that.
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
    pthread_create(&r->handle, NULL, thread_main, r);
    r->state = RUNNING;
}

int main(void)
{
    start_thread(&record);
    pthread_join(record.handle, NULL);
    record.state = STOPPED;
    return record.priority != 1;
}
