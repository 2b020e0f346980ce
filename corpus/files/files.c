// A ledger kept in a file: written, appended to, read back by line, by record and by position, and removed.
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char path[] = "ledger.tmp";

struct record {
    int number;
    char name[12];
    double amount;
};

static int write_text(void)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return -1;
    for (int i = 1; i <= 3; i++)
        fprintf(f, "%d:%s:%.2f\n", i, i == 2 ? "rent" : "food", i * 12.5);
    fputs("end\n", f);
    return fclose(f);
}

static void read_text(void)
{
    FILE *f = fopen(path, "r");
    char line[40], name[12];
    int number, lines = 0;
    double amount, total = 0;

    while (fgets(line, sizeof line, f)) {
        lines++;
        if (sscanf(line, "%d:%11[^:]:%lf", &number, name, &amount) == 3)
            total += amount;
        else
            printf("line %d is '%.3s'\n", lines, line);
    }
    printf("%d lines, total %.2f, at the end %d\n", lines, total, feof(f) != 0);
    fclose(f);
}

static void append_and_seek(void)
{
    FILE *f = fopen(path, "a");

    fputs("more\n", f);
    fclose(f);
    f = fopen(path, "r+");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fseek(f, -5, SEEK_END);
    int c = fgetc(f);
    ungetc(c, f);
    char word[8] = "";
    fscanf(f, "%7s", word);
    rewind(f);
    fputc('9', f);
    fseek(f, 0, SEEK_SET);
    printf("size %ld, last word %s, first character %c\n", size, word, fgetc(f));
    fclose(f);
}

static void records(void)
{
    struct record out[3], in;
    FILE *f = tmpfile();

    memset(out, 0, sizeof out);
    for (int i = 0; i < 3; i++) {
        out[i].number = 100 + i;
        snprintf(out[i].name, sizeof out[i].name, "account%d", i);
        out[i].amount = i * 0.75;
    }
    size_t written = fwrite(out, sizeof out[0], 3, f);
    fseek(f, (long)sizeof out[0], SEEK_SET);
    size_t got = fread(&in, sizeof in, 1, f);
    printf("wrote %zu, read %zu: %d %s %.2f\n", written, got, in.number, in.name, in.amount);
    got = fread(out, sizeof out[0], 3, f);
    printf("then %zu, %s, end %d\n", got, out[0].name, feof(f) != 0);
    fclose(f);
}

int main(void)
{
    printf("written %d\n", write_text());
    read_text();
    append_and_seek();
    records();
    printf("removed %d\n", remove(path));
    errno = 0;
    FILE *gone = fopen(path, "r");
    printf("gone %d, ENOENT %d\n", gone == NULL, errno == ENOENT);
    return 0;
}
