// Standard input read by lines, by characters and by formats, and sscanf's conversions on text in memory.
#include <stdio.h>
#include <string.h>

static void scan_text(void)
{
    int day, month, year, hex, octal, skipped = 0;
    char name[8], letters[8], c;
    float f;
    double d;
    long long big;
    unsigned u;

    printf("%d: ", sscanf("24.12.2024", "%d.%d.%d", &day, &month, &year));
    printf("%d %d %d\n", day, month, year);
    printf("%d: ", sscanf("name:  heddle 3.5 -2.25e1", "name: %7s %f %lf", name, &f, &d));
    printf("%s %.2f %.2f\n", name, f, d);
    printf("%d: ", sscanf("ff 17 0x10", "%x %o %i", (unsigned *)&hex, (unsigned *)&octal, &day));
    printf("%d %d %d\n", hex, octal, day);
    printf("%d: ", sscanf("abcdef123", "%3[a-z]%c%*[a-z]%u%n", letters, &c, &u, &skipped));
    printf("%s %c %u after %d\n", letters, c, u, skipped);
    printf("%d: ", sscanf("12345678901234", "%4lld%2d", &big, &day));
    printf("%lld %d\n", big, day);
    printf("%d %d\n", sscanf("word", "%d", &day), sscanf("", "%d", &day) == EOF);
}

int main(void)
{
    char line[64], name[16];
    int age, number, sum = 0, count = 0, c, letters = 0;

    if (scanf("%15s %d", name, &age) == 2)
        printf("%s is %d\n", name, age);
    while ((c = getchar()) != EOF && c != '\n')
        ;
    if (fgets(line, sizeof line, stdin))
        printf("%zu characters: %s", strlen(line), line);
    while (count < 4 && fscanf(stdin, "%d", &number) == 1) {
        sum += number;
        count++;
    }
    printf("%d numbers, sum %d\n", count, sum);
    c = getchar();
    c = getc(stdin);
    printf("empty line: %d\n", c == '\n');
    if (fgets(line, 6, stdin))
        printf("first part '%s'\n", line);
    int y, z;
    if (scanf(" y = %i ; z = %i", &y, &z) == 2)
        printf("y %d, z %d\n", y, z);
    c = fgetc(stdin);
    c = getchar();
    ungetc('L', stdin);
    while ((c = getchar()) != EOF)
        letters += c != ' ';
    printf("%d letters, end %d, error %d\n", letters, feof(stdin) != 0, ferror(stdin) != 0);
    printf("no more lines: %d\n", fgets(line, sizeof line, stdin) == NULL);
    scan_text();
    return 0;
}
