#include <pthread.h>
#include <stdlib.h>

static char *volatile buffer;

static void *cleanup(void *arg)
{
    char *p = buffer;
    if (p != NULL) {
        buffer = NULL;
        free(p);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    buffer = malloc(8);
    if (!buffer)
        exit(0);
    pthread_create(&a, 0, cleanup, 0);
    pthread_create(&b, 0, cleanup, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
