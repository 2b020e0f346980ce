#include <pthread.h>
#include <stddef.h>

struct msg { int id; };

static struct msg *volatile spot;
int sum_of_ids;

static void leave_msg(struct msg *m)
{
    while (spot != NULL)
        __builtin_ia32_pause();
    spot = m;
}

static struct msg *collect_msg(void)
{
    struct msg *m;

    do {
        m = spot;
    } while (m == NULL);
    spot = NULL;
    return m;
}

static void *poster(void *arg)
{
    struct msg *m = arg;

    leave_msg(&m[0]);
    leave_msg(&m[1]);
    return NULL;
}

static void *postman(void *arg)
{
    (void)arg;
    for (int i = 0; i < 4; i++) {
        struct msg *m = collect_msg();
        sum_of_ids += m->id;
    }
    return NULL;
}

int main(void)
{
    struct msg a[2] = { { 1 }, { 2 } }, b[2] = { { 3 }, { 4 } };
    pthread_t p, q, r;

    pthread_create(&p, NULL, poster, a);
    pthread_create(&q, NULL, poster, b);
    pthread_create(&r, NULL, postman, NULL);
    pthread_join(p, NULL);
    pthread_join(q, NULL);
    pthread_join(r, NULL);
    return 0;
}
