#include <assert.h>
#include <pthread.h>

#define SIZE 2
#define ITEMS 4

static volatile int ring[SIZE];
static volatile unsigned head, tail;

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        while (tail - head == SIZE)
            ;
        ring[tail % SIZE] = 10 + i;
        tail = tail + 1;
    }
    return 0;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        while (head == tail)
            ;
        int v = ring[head % SIZE];
        head = head + 1;
        assert(v == 10 + i);
    }
    return 0;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    assert(head == ITEMS && tail == ITEMS);
    return 0;
}
