// A command line parsed by hand; the words that remain are counted by two threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slice {
    char **words;
    int count;
    size_t letters;
};

static void *count_letters(void *arg)
{
    struct slice *s = arg;

    for (int i = 0; i < s->count; i++)
        s->letters += strlen(s->words[i]);
    return NULL;
}

int main(int argc, char *argv[])
{
    const char *name = "none";
    int repeat = 1, i;

    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
            repeat = atoi(argv[++i]);
        else if (strncmp(argv[i], "--name=", 7) == 0)
            name = argv[i] + 7;
        else
            printf("unknown option %s\n", argv[i]);
    }
    int words = argc - i;
    struct slice slices[2] = {{argv + i, words / 2, 0}, {argv + i + words / 2, words - words / 2, 0}};
    pthread_t threads[2];

    for (int t = 0; t < 2; t++)
        pthread_create(&threads[t], NULL, count_letters, &slices[t]);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    printf("name %s, repeat %d, words %d, end is null %d\n", name, repeat, words, argv[argc] == NULL);
    printf("letters %zu and %zu\n", slices[0].letters, slices[1].letters);
    for (int r = 0; r < repeat; r++)
        printf("%s%s", argv[i + r], r + 1 < repeat ? " " : "\n");
    return 0;
}
