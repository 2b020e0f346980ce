#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int      ready;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static int             crc_table[16];
static int             builds;

static void build_table(void)
{
    int i;

    for (i = 0; i < 16; i++)
        crc_table[i] = (i << 4) ^ (i * 7);
    builds++;
}

static void ensure_table(void)
{
    if (atomic_load(&ready))
        return;
    pthread_mutex_lock(&init_lock);
    if (!atomic_load(&ready)) {
        build_table();
        atomic_store(&ready, 1);
    }
    pthread_mutex_unlock(&init_lock);
}

static void *checksum(void *arg)
{
    const char *s = arg;
    long c = 0;

    ensure_table();
    for (; *s; s++)
        c = (c >> 2) ^ crc_table[(c ^ *s) & 15];
    return (void *)c;
}

int main(void)
{
    pthread_t t[3];
    void *r[3];
    int i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, checksum, "hello");
    for (i = 0; i < 3; i++)
        pthread_join(t[i], &r[i]);
    assert(r[0] == r[1] && r[1] == r[2]);
    assert(builds == 1);
    printf("crc %ld\n", (long)r[0]);
    return 0;
}
