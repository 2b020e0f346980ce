// A ring buffer with one producer and two consumers. A consumer takes the element that it has seen under the same
// mutex.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define SIZE 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ring[SIZE];
static int head, rear;

static bool put(int element)
{
    bool room;

    pthread_mutex_lock(&mutex);
    room = (rear + 1) % SIZE != head;
    if (room) {
        ring[rear] = element;
        rear = (rear + 1) % SIZE;
    }
    pthread_mutex_unlock(&mutex);
    return room;
}

static bool get(int *element)
{
    bool empty;

    pthread_mutex_lock(&mutex);
    empty = head == rear;
    if (!empty) {
        assert(head != rear);
        *element = ring[head];
        head = (head + 1) % SIZE;
    }
    pthread_mutex_unlock(&mutex);
    return !empty;
}

static void *consumer(void *arg)
{
    get(arg);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int got[2] = {0, 0};

    put(7);
    pthread_create(&first, NULL, consumer, &got[0]);
    pthread_create(&second, NULL, consumer, &got[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return got[0] + got[1] != 7;
}
