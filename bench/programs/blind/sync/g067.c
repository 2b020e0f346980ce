#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>
#include <assert.h>

struct inbox {
    _Atomic char left_ready;
    _Atomic char right_ready;
    int left, right;
};

static struct inbox box;
static int product;

static void *make_left(void *arg)
{
    struct inbox *b = arg;

    b->left = 11;
    b->left_ready = 1;
    return NULL;
}

static void *make_right(void *arg)
{
    struct inbox *b = arg;

    b->right = 13;
    b->right_ready = 1;
    return NULL;
}

static void *join_both(void *arg)
{
    struct inbox *b = arg;
    int l, r;

    do {
        l = b->left_ready;
        r = b->right_ready;
        if (!l || !r)
            sched_yield();
    } while (!(l && r));
    product = b->left * b->right;
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    void *(*fn[3])(void *) = { join_both, make_left, make_right };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, fn[i], &box);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(product == 143);
    return 0;
}
