// The functions of string.h, each with an answer that is easily checked.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static long offset(const char *base, const char *p)
{
    return p ? (long)(p - base) : -1;
}

int main(void)
{
    char buffer[32], other[8];
    const char *cloth = "plain weave, twill weave";

    strcpy(buffer, "warp");
    strcat(buffer, " and ");
    strncat(buffer, "weftage", 4);
    printf("'%s' %zu %zu\n", buffer, strlen(buffer), strnlen(buffer, 6));
    memset(other, '#', sizeof other);
    strncpy(other, "ab", 4);
    printf("%c%c%d%d%c\n", other[0], other[1], other[2], other[3], other[4]);

    printf("compare %d %d %d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("abc", "abc")), sign(strcmp("b", "abc")),
           sign(strncmp("abcdef", "abcxyz", 3)), sign(memcmp("ab\0c", "ab\0d", 4)));
    printf("find %ld %ld %ld %ld\n", offset(cloth, strchr(cloth, 'w')), offset(cloth, strrchr(cloth, 'w')),
           offset(cloth, strstr(cloth, "twill")), offset(cloth, strstr(cloth, "satin")));
    printf("find %ld %ld %ld\n", offset(cloth, strchr(cloth, '\0')), offset(cloth, strpbrk(cloth, ",;")),
           offset(cloth, memchr(cloth, 'v', 24)));
    printf("span %zu %zu\n", strspn("112358x", "1235"), strcspn("hello world", " "));

    char numbers[] = "12345678";
    memmove(numbers + 2, numbers, 5);
    printf("moved up %s\n", numbers);
    strcpy(numbers, "12345678");
    memmove(numbers, numbers + 3, 5);
    printf("moved down %s\n", numbers);
    memcpy(numbers, "xyz", 2);
    printf("copied %s\n", numbers);

    char list[] = "red,,green;blue";
    for (char *token = strtok(list, ",;"); token; token = strtok(NULL, ",;"))
        printf("[%s]", token);
    printf("\n");
    char path[] = "usr/share/doc", *rest = NULL;
    for (char *part = strtok_r(path, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
        printf("<%s>", part);
    printf("\n");

    char *copy = strdup(cloth), *start = strndup(cloth, 5);
    copy[0] = 'P';
    printf("%s, %s\n", copy, start);
    free(copy);
    free(start);
    printf("%d %d\n", strcmp(strerror(0), "") != 0, sign(strcmp("\xff", "a")));
    return 0;
}
