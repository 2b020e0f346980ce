#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { NOTES = 3 };

struct board {
    atomic_int posted;
    atomic_int room[NOTES];
};

static struct board board;

static void post(struct board *b, int room)
{
    int at = atomic_load(&b->posted);

    atomic_store(&b->posted, at + 1);
    atomic_store(&b->room[at], room);
}

static void *secretary(void *arg)
{
    struct board *b = arg;

    post(b, 101);
    post(b, 204);
    post(b, 305);
    return NULL;
}

static void *student(void *arg)
{
    struct board *b = arg;
    int posted = atomic_load(&b->posted);

    for (int i = 0; i < posted; i++) {
        int room = atomic_load(&b->room[i]);
        assert(room >= 100);
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, secretary, &board);
    pthread_create(&reader, NULL, student, &board);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);

    printf("%d notes posted\n", atomic_load(&board.posted));
    return 0;
}
