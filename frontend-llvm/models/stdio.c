/* Streams. The type is the C library's own struct, because its headers' inline functions look inside; the buffer
 * pointers in it stay null, so that those functions always come here.
 *
 * Nothing is buffered. What a call writes goes out in one step that reads only the stream's descriptor. What it reads
 * comes byte by byte, and is one step too. The byte that ungetc gave back is in `_shortbuf`, `_cur_column` says whether
 * there is one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

/* What a failed write leaves behind; the standard output streams are constants and remember nothing. */
static void remember(FILE *stream, int flag) {
    if (stream->_flags2 != MODEL_STREAM_CONSTANT) {
        stream->_flags |= flag;
    }
}

static void forget(FILE *stream, int flags) {
    if (stream->_flags2 != MODEL_STREAM_CONSTANT) {
        stream->_flags &= ~flags;
    }
}

void __model_stream_failed(FILE *stream) { remember(stream, _IO_ERR_SEEN); }

static int stream_write(FILE *stream, const char *bytes, size_t length) {
    if (length == 0 || __heddle_file_write(stream->_fileno, bytes, length) == (long)length) {
        return 1;
    }
    remember(stream, _IO_ERR_SEEN);
    errno = EBADF;
    return 0;
}

int fputs(const char *string, FILE *stream) { return stream_write(stream, string, strlen(string)) ? 1 : EOF; }

int puts(const char *string) {
    struct model_text text;
    __model_text_begin(&text);
    __model_text_bytes(&text, string, strlen(string));
    __model_text_byte(&text, '\n');
    int fine = stream_write(stdout, text.bytes, text.length);
    int length = (int)text.length;
    __model_text_end(&text);
    return fine ? length : EOF;
}

int fputc(int byte, FILE *stream) {
    char out = (char)byte;
    return stream_write(stream, &out, 1) ? (unsigned char)byte : EOF;
}

size_t fwrite(const void *block, size_t size, size_t count, FILE *stream) {
    if (size == 0 || count == 0) {
        return 0;
    }
    return stream_write(stream, block, size * count) ? count : 0;
}

/* The caller is in an atomic section. */
static int take_byte(FILE *stream) {
    if (stream->_cur_column != 0) {
        stream->_cur_column = 0;
        return (unsigned char)stream->_shortbuf[0];
    }
    unsigned char byte = 0;
    long count = __heddle_file_read(stream->_fileno, &byte, 1);
    if (count == 1) {
        return byte;
    }
    remember(stream, count == 0 ? _IO_EOF_SEEN : _IO_ERR_SEEN);
    if (count < 0) {
        errno = EBADF;
    }
    return EOF;
}

int __model_stream_get(FILE *stream) { return take_byte(stream); }

int fgetc(FILE *stream) {
    __heddle_atomic_begin();
    int byte = take_byte(stream);
    __heddle_atomic_end();
    return byte;
}

int ungetc(int byte, FILE *stream) {
    if (byte == EOF || stream->_flags2 == MODEL_STREAM_CONSTANT) {
        return EOF;
    }
    __heddle_atomic_begin();
    stream->_shortbuf[0] = (char)byte;
    stream->_cur_column = 1;
    forget(stream, _IO_EOF_SEEN);
    __heddle_atomic_end();
    return (unsigned char)byte;
}

char *fgets(char *buffer, int size, FILE *stream) {
    if (size <= 0) {
        return NULL;
    }
    int length = 0;
    int byte = 0;
    __heddle_atomic_begin();
    while (length < size - 1 && byte != '\n') {
        byte = take_byte(stream);
        if (byte == EOF) {
            break;
        }
        buffer[length] = (char)byte;
        length++;
    }
    if (length > 0 || size == 1) {
        buffer[length] = '\0';
    }
    __heddle_atomic_end();
    return length > 0 || size == 1 ? buffer : NULL;
}

size_t fread(void *block, size_t size, size_t count, FILE *stream) {
    size_t wanted = size * count;
    size_t length = 0;
    char *bytes = block;
    if (wanted == 0) {
        return 0;
    }
    __heddle_atomic_begin();
    if (stream->_cur_column != 0) {
        stream->_cur_column = 0;
        bytes[0] = stream->_shortbuf[0];
        length = 1;
    }
    while (length < wanted) {
        long got = __heddle_file_read(stream->_fileno, bytes + length, wanted - length);
        if (got <= 0) {
            remember(stream, got == 0 ? _IO_EOF_SEEN : _IO_ERR_SEEN);
            break;
        }
        length += (size_t)got;
    }
    __heddle_atomic_end();
    return length / size;
}

ssize_t getdelim(char **line, size_t *capacity, int delimiter, FILE *stream) {
    struct model_text text;
    if (line == NULL || capacity == NULL) {
        errno = EINVAL;
        return -1;
    }
    __model_text_begin(&text);
    __heddle_atomic_begin();
    int byte = 0;
    do {
        byte = take_byte(stream);
        if (byte != EOF) {
            __model_text_byte(&text, (char)byte);
        }
    } while (byte != EOF && byte != delimiter);
    __heddle_atomic_end();
    ssize_t length = (ssize_t)text.length;
    if (length == 0) {
        return -1;
    }
    __model_text_byte(&text, '\0');
    if (*line == NULL || *capacity < text.length) {
        size_t size = text.length < 120 ? 120 : text.length;
        char *bytes = realloc(*line, size);
        if (bytes == NULL) {
            __model_text_end(&text);
            return -1;
        }
        *line = bytes;
        *capacity = size;
    }
    memcpy(*line, text.bytes, text.length);
    __model_text_end(&text);
    return length;
}

ssize_t getline(char **line, size_t *capacity, FILE *stream) { return getdelim(line, capacity, '\n', stream); }

/* The flags of file.open, or -1 when the mode means nothing. */
static int flags_of_mode(const char *mode) {
    int flags;
    if (*mode == 'r') {
        flags = 1;
    } else if (*mode == 'w') {
        flags = 2 | 8 | 16;
    } else if (*mode == 'a') {
        flags = 2 | 4 | 8;
    } else {
        return -1;
    }
    for (mode++; *mode != '\0' && *mode != ','; mode++) {
        if (*mode == '+') {
            flags |= 1 | 2;
        } else if (*mode == 'x') {
            flags |= 32;
        }
    }
    return flags;
}

static int open_mode(const char *path, const char *mode) {
    int flags = flags_of_mode(mode);
    if (flags < 0) {
        errno = EINVAL;
        return -1;
    }
    int descriptor = __heddle_file_open(path, flags);
    if (descriptor < 0) {
        errno = flags & 32 ? EEXIST : ENOENT;
    }
    return descriptor;
}

static FILE *new_stream(int descriptor) {
    FILE *stream = __heddle_memory_alloc(sizeof *stream, 16, 1);
    if (stream != NULL) {
        stream->_fileno = descriptor;
        stream->_flags2 = MODEL_STREAM_ALLOCATED;
    } else {
        errno = ENOMEM;
    }
    return stream;
}

FILE *fopen(const char *path, const char *mode) {
    int descriptor = open_mode(path, mode);
    return descriptor < 0 ? NULL : new_stream(descriptor);
}

FILE *fdopen(int descriptor, const char *mode) {
    if (flags_of_mode(mode) < 0) {
        errno = EINVAL;
        return NULL;
    }
    return new_stream(descriptor);
}

/* The standard output streams cannot be sent elsewhere: this function is undefined on purpose. */
_Noreturn void __model_freopen_of_standard_output(void);

FILE *freopen(const char *path, const char *mode, FILE *stream) {
    if (stream->_flags2 == MODEL_STREAM_CONSTANT) {
        __model_freopen_of_standard_output();
    }
    int descriptor = path == NULL ? stream->_fileno : open_mode(path, mode);
    if (descriptor < 0) {
        return NULL;
    }
    __heddle_atomic_begin();
    if (descriptor != stream->_fileno) {
        __heddle_file_close(stream->_fileno);
    }
    stream->_fileno = descriptor;
    stream->_flags = 0;
    stream->_cur_column = 0;
    __heddle_atomic_end();
    return stream;
}

FILE *tmpfile(void) {
    char path[] = "/tmp/tmpfXXXXXX";
    int descriptor = mkstemp(path);
    if (descriptor < 0) {
        return NULL;
    }
    __heddle_file_remove(path);
    return new_stream(descriptor);
}

int fclose(FILE *stream) {
    int code = __heddle_file_close(stream->_fileno);
    if (stream->_flags2 == MODEL_STREAM_ALLOCATED) {
        __heddle_memory_free(stream);
    }
    if (code < 0) {
        errno = EBADF;
        return EOF;
    }
    return 0;
}

int fflush(FILE *stream) {
    (void)stream;
    return 0;
}

int fseek(FILE *stream, long offset, int whence) {
    __heddle_atomic_begin();
    if (whence == SEEK_CUR && stream->_cur_column != 0) {
        offset--;
    }
    long position = __heddle_file_seek(stream->_fileno, offset, whence);
    if (position >= 0 && stream->_flags2 != MODEL_STREAM_CONSTANT) {
        stream->_cur_column = 0;
        forget(stream, _IO_EOF_SEEN);
    }
    __heddle_atomic_end();
    if (position < 0) {
        errno = ESPIPE;
        return -1;
    }
    return 0;
}

long ftell(FILE *stream) {
    __heddle_atomic_begin();
    long position = __heddle_file_seek(stream->_fileno, 0, SEEK_CUR);
    if (position > 0 && stream->_cur_column != 0) {
        position--;
    }
    __heddle_atomic_end();
    if (position < 0) {
        errno = ESPIPE;
    }
    return position;
}

int fseeko(FILE *stream, off_t offset, int whence) { return fseek(stream, offset, whence); }

off_t ftello(FILE *stream) { return ftell(stream); }

void rewind(FILE *stream) {
    fseek(stream, 0, SEEK_SET);
    forget(stream, _IO_EOF_SEEN | _IO_ERR_SEEN);
}

int fgetpos(FILE *stream, fpos_t *position) {
    long offset = ftell(stream);
    if (offset < 0) {
        return -1;
    }
    position->__pos = offset;
    return 0;
}

int fsetpos(FILE *stream, const fpos_t *position) { return fseek(stream, position->__pos, SEEK_SET); }

int feof(FILE *stream) { return (stream->_flags & _IO_EOF_SEEN) != 0; }

int ferror(FILE *stream) { return (stream->_flags & _IO_ERR_SEEN) != 0; }

void clearerr(FILE *stream) { forget(stream, _IO_EOF_SEEN | _IO_ERR_SEEN); }

int fileno(FILE *stream) { return stream->_fileno; }

int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
    (void)stream;
    (void)buffer;
    (void)mode;
    (void)size;
    return 0;
}

void setbuf(FILE *stream, char *buffer) {
    (void)stream;
    (void)buffer;
}

void setbuffer(FILE *stream, char *buffer, size_t size) {
    (void)stream;
    (void)buffer;
    (void)size;
}

void setlinebuf(FILE *stream) { (void)stream; }

int remove(const char *path) {
    if (__heddle_file_remove(path) < 0) {
        errno = ENOENT;
        return -1;
    }
    return 0;
}

/* A lock that only those feel who ask for it: single calls are single steps without it. */
static const int recursive = 1;

void flockfile(FILE *stream) { __heddle_mutex_lock(&stream->_lock, &recursive); }

int ftrylockfile(FILE *stream) { return __heddle_mutex_trylock(&stream->_lock, &recursive) != HEDDLE_OK; }

void funlockfile(FILE *stream) { __heddle_mutex_unlock(&stream->_lock, &recursive); }
