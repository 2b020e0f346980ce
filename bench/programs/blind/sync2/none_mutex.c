/* Word counts gathered under a mutex. */
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t total_mx = PTHREAD_MUTEX_INITIALIZER;
static int total_words, total_chars;

static const char *text[3] = {
    "the quick brown fox",
    "jumps over",
    "the lazy dog",
};

static int count_words(const char *s)
{
    int n = 0;

    while (*s) {
        while (isspace((unsigned char)*s))
            s++;
        if (*s)
            n++;
        while (*s && !isspace((unsigned char)*s))
            s++;
    }
    return n;
}

static void *counter(void *arg)
{
    const char *s = arg, *e = s;
    int w = count_words(s);

    while (*e)
        e++;
    pthread_mutex_lock(&total_mx);
    total_words += w;
    total_chars += (int)(e - s);
    pthread_mutex_unlock(&total_mx);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, counter, (void *)text[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(total_words == 9);
    printf("%d words, %d chars\n", total_words, total_chars);
    return 0;
}
