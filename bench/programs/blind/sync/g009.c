#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

/*
 * One cell with a running number: 2*k means free for item k,
 * 2*k + 1 means item k lies in it.
 */
static struct {
    atomic_uint num;
    int         val;
} cell;

static atomic_uint put_no, get_no;
static int got[4];

static void cell_store(int v)
{
    unsigned k = atomic_fetch_add(&put_no, 1);

    while (atomic_load(&cell.num) != 2 * k)
        ;
    cell.val = v;
    atomic_store(&cell.num, 2 * k + 1);
}

static int cell_fetch(void)
{
    unsigned k = atomic_fetch_add(&get_no, 1);
    int v;

    while (atomic_load(&cell.num) != 2 * k + 1)
        ;
    v = cell.val;
    atomic_store(&cell.num, 2 * k + 2);
    return v;
}

static void *source(void *arg)
{
    int base = (int)(long)arg;

    cell_store(base);
    cell_store(base + 1);
    return NULL;
}

static void *drain(void *arg)
{
    int *out = arg;

    out[0] = cell_fetch();
    out[1] = cell_fetch();
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int sum = 0;

    pthread_create(&t[0], NULL, source, (void *)10L);
    pthread_create(&t[1], NULL, drain, &got[0]);
    pthread_create(&t[2], NULL, source, (void *)20L);
    pthread_create(&t[3], NULL, drain, &got[2]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++)
        sum += got[i];
    assert(sum == 62);
    return 0;
}
