/* K&R: no prototypes, no declarations, results and variables without type. */
#include <stdio.h>

counter;
static limit = 3;

add(a, b)
int a, b;
{
    return a + b;
}

char *last(text)
char *text;
{
    while (*text && text[1]) text++;
    return text;
}

main(argc, argv)
int argc;
char **argv;
{
    char line[80];
    register i;
    for (i = 0; i < limit; i++) counter = add(counter, i);
    printf("%d %c %d\n", counter, *last("word"), later(4));
    line[0] = 'x';
    line[1] = 0;
    if (!gets(line)) printf("no line, %s\n", line);
    while (gets(line)) printf("%s\n", line);
    return 0;
}

later(n)
{
    return n * n;
}
