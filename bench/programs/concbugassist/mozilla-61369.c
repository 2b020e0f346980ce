// A thread object creates its thread and then stores the handle. The new thread runs at once and uses the object
// before its creator has stored the handle in it.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum state { FRESH, RUNNING, DONE };

struct thread_object {
    pthread_t handle;
    int has_handle;
    enum state state;
    int events;
};

static struct thread_object object;

static void process_events(struct thread_object *self) {
    for (int i = 0; i < 2; i++) {
        self->events++;
    }
}

static void *thread_main(void *argument) {
    struct thread_object *self = argument;

    assert(self->has_handle);
    assert(pthread_equal(self->handle, pthread_self()));
    self->state = RUNNING;
    process_events(self);
    self->state = DONE;
    return NULL;
}

static int init(struct thread_object *self) {
    pthread_t created;
    int error;

    error = pthread_create(&created, NULL, thread_main, self);
    if (error) {
        return error;
    }
    self->handle = created;
    self->has_handle = 1;
    return 0;
}

static void *create(void *argument) {
    struct thread_object *self = argument;

    if (init(self) == 0) {
        pthread_join(self->handle, NULL);
    }
    return NULL;
}

int main(void) {
    pthread_t creator;

    pthread_create(&creator, NULL, create, &object);
    pthread_join(creator, NULL);

    assert(object.state == DONE);
    assert(object.events == 2);
    return 0;
}
