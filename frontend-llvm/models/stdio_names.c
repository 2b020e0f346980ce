/* Other names for what the stream functions do: macros that are functions too, the unlocked variants, the 64-bit
 * names, and what the C library's inline functions call when a buffer is empty or full. */
#define _GNU_SOURCE
#include <stdio.h>

#include "model.h"

#undef putc
#undef getc
#undef putchar
#undef getchar
#undef fread_unlocked
#undef fwrite_unlocked

int putc(int byte, FILE *stream) { return fputc(byte, stream); }

int _IO_putc(int byte, FILE *stream) { return fputc(byte, stream); }

int putchar(int byte) { return fputc(byte, stdout); }

int getc(FILE *stream) { return fgetc(stream); }

int _IO_getc(FILE *stream) { return fgetc(stream); }

int getchar(void) { return fgetc(stdin); }

int putw(int word, FILE *stream) { return fwrite(&word, sizeof word, 1, stream) == 1 ? 0 : EOF; }

int getw(FILE *stream) {
    int word = EOF;
    return fread(&word, sizeof word, 1, stream) == 1 ? word : EOF;
}

int __uflow(FILE *stream) { return fgetc(stream); }

int __overflow(FILE *stream, int byte) { return fputc(byte, stream); }

int putc_unlocked(int byte, FILE *stream) { return fputc(byte, stream); }

int fputc_unlocked(int byte, FILE *stream) { return fputc(byte, stream); }

int putchar_unlocked(int byte) { return fputc(byte, stdout); }

int getc_unlocked(FILE *stream) { return fgetc(stream); }

int fgetc_unlocked(FILE *stream) { return fgetc(stream); }

int getchar_unlocked(void) { return fgetc(stdin); }

int fputs_unlocked(const char *string, FILE *stream) { return fputs(string, stream); }

int puts_unlocked(const char *string) { return puts(string); }

/* Writes as much as a line has, past the end of the buffer too. */
char *gets(char *buffer) {
    char *at = buffer;
    int byte = fgetc(stdin);
    if (byte == EOF) {
        return NULL;
    }
    for (; byte != EOF && byte != '\n'; byte = fgetc(stdin)) {
        *at++ = (char)byte;
    }
    *at = '\0';
    return buffer;
}

char *fgets_unlocked(char *buffer, int size, FILE *stream) { return fgets(buffer, size, stream); }

size_t fread_unlocked(void *block, size_t size, size_t count, FILE *stream) {
    return fread(block, size, count, stream);
}

size_t fwrite_unlocked(const void *block, size_t size, size_t count, FILE *stream) {
    return fwrite(block, size, count, stream);
}

int fflush_unlocked(FILE *stream) { return fflush(stream); }

int feof_unlocked(FILE *stream) { return feof(stream); }

int ferror_unlocked(FILE *stream) { return ferror(stream); }

void clearerr_unlocked(FILE *stream) { clearerr(stream); }

int fileno_unlocked(FILE *stream) { return fileno(stream); }

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

FILE *freopen64(const char *path, const char *mode, FILE *stream) { return freopen(path, mode, stream); }

FILE *tmpfile64(void) { return tmpfile(); }

int fseeko64(FILE *stream, off64_t offset, int whence) { return fseek(stream, offset, whence); }

off64_t ftello64(FILE *stream) { return ftell(stream); }

int fgetpos64(FILE *stream, fpos64_t *position) { return fgetpos(stream, (fpos_t *)position); }

int fsetpos64(FILE *stream, const fpos64_t *position) { return fsetpos(stream, (const fpos_t *)position); }

ssize_t __getdelim(char **line, size_t *capacity, int delimiter, FILE *stream) {
    return getdelim(line, capacity, delimiter, stream);
}
