#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  idle = PTHREAD_COND_INITIALIZER;
static int  nr;
static bool wr;
char name[2][4] = { "ab", "ab" };
int  same[2];

static void rd_in(void)
{
    pthread_mutex_lock(&mx);
    while (wr)
        pthread_cond_wait(&idle, &mx);
    nr++;
    pthread_mutex_unlock(&mx);
}

static void rd_out(void)
{
    pthread_mutex_lock(&mx);
    nr--;
    if (nr == 0)
        pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&mx);
}

static void wr_in(void)
{
    pthread_mutex_lock(&mx);
    if (wr || nr > 0)
        pthread_cond_wait(&idle, &mx);
    wr = true;
    pthread_mutex_unlock(&mx);
}

static void wr_out(void)
{
    pthread_mutex_lock(&mx);
    wr = false;
    pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&mx);
}

static void *compare(void *arg)
{
    int k = (int)(long)arg;

    rd_in();
    same[k] = name[0][0] == name[1][0];
    rd_out();
    return NULL;
}

static void *rename_both(void *arg)
{
    (void)arg;
    wr_in();
    name[0][0] = 'x';
    name[1][0] = 'x';
    wr_out();
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, NULL, compare, (void *)0L);
    pthread_create(&b, NULL, rename_both, NULL);
    pthread_create(&c, NULL, compare, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
