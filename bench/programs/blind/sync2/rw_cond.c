#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct rwl {
    pthread_mutex_t m;
    pthread_cond_t  c;
    int             readers;
    int             writing;
};

static struct rwl rw = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };

static void read_begin(struct rwl *l)
{
    pthread_mutex_lock(&l->m);
    while (l->writing)
        pthread_cond_wait(&l->c, &l->m);
    l->readers++;
    pthread_mutex_unlock(&l->m);
}

static void read_end(struct rwl *l)
{
    pthread_mutex_lock(&l->m);
    if (--l->readers == 0)
        pthread_cond_broadcast(&l->c);
    pthread_mutex_unlock(&l->m);
}

static void write_begin(struct rwl *l)
{
    pthread_mutex_lock(&l->m);
    while (l->writing || l->readers > 0)
        pthread_cond_wait(&l->c, &l->m);
    l->writing = 1;
    pthread_mutex_unlock(&l->m);
}

static void write_end(struct rwl *l)
{
    pthread_mutex_lock(&l->m);
    l->writing = 0;
    pthread_cond_broadcast(&l->c);
    pthread_mutex_unlock(&l->m);
}

static int matrix[3];

static void *rd(void *out)
{
    int i;

    for (i = 0; i < 2; i++) {
        read_begin(&rw);
        assert(matrix[0] == matrix[1] && matrix[1] == matrix[2]);
        *(int *)out = matrix[0];
        read_end(&rw);
    }
    return NULL;
}

static void *wr(void *by)
{
    int i, k;

    for (i = 0; i < 2; i++) {
        write_begin(&rw);
        for (k = 0; k < 3; k++)
            matrix[k] += *(int *)by;
        write_end(&rw);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int x = 0, y = 0, one = 1, ten = 10;

    pthread_create(&t[0], NULL, wr, &one);
    pthread_create(&t[1], NULL, rd, &x);
    pthread_create(&t[2], NULL, wr, &ten);
    pthread_create(&t[3], NULL, rd, &y);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(matrix[1] == 22);
    printf("%d %d\n", x, y);
    return 0;
}
