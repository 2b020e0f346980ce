// Each worker copies its log line into the common buffer at `outcnt` and then advances `outcnt`. The second copies
// before the first has advanced: its line overwrites the first one's, and the log is corrupt.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    WORKERS = 2,
    LINE = 3,
    BUFFER = 12,
    DISK = 16
};

enum method { GET, POST };

struct request {
    enum method method;
    int status;
};

struct buffered_log {
    char outbuf[BUFFER];
    int outcnt;
};

struct worker {
    pthread_t thread;
    struct request request;
    struct buffered_log *log;
};

static struct buffered_log access_log;
static struct worker workers[WORKERS];
static char disk[DISK];
static int disk_used;

/* Lines. */

static char method_letter(enum method method) {
    switch (method) {
    case GET:
        return 'G';
    case POST:
        return 'P';
    }
    return '?';
}

static char status_letter(int status) {
    if (status < 300) {
        return '2';
    }
    if (status < 400) {
        return '3';
    }
    if (status < 500) {
        return '4';
    }
    return '5';
}

static int format_line(char *line, const struct request *request) {
    line[0] = method_letter(request->method);
    line[1] = status_letter(request->status);
    line[2] = '\n';
    return LINE;
}

/* The log. */

static void write_to_disk(const char *text, int length) {
    for (int i = 0; i < length; i++) {
        disk[disk_used + i] = text[i];
    }
    disk_used += length;
}

static void flush_log(struct buffered_log *log) {
    if (log->outcnt > 0) {
        write_to_disk(log->outbuf, log->outcnt);
        log->outcnt = 0;
    }
}

static void log_line(struct buffered_log *log, const char *line, int length) {
    if (length + log->outcnt > BUFFER) {
        flush_log(log);
    }
    char *to = &log->outbuf[log->outcnt];

    for (int i = 0; i < length; i++) {
        to[i] = line[i];
    }
    log->outcnt += length;
}

/* Requests. */

static void serve(struct request *request) {
    if (request->method == POST && request->status == 0) {
        request->status = 404;
    }
    if (request->status == 0) {
        request->status = 200;
    }
}

static void *handle(void *argument) {
    struct worker *self = argument;
    char line[LINE];
    int length;

    serve(&self->request);
    length = format_line(line, &self->request);
    log_line(self->log, line, length);
    return NULL;
}

static void start(struct worker *worker, enum method method) {
    worker->request.method = method;
    worker->request.status = 0;
    worker->log = &access_log;
    pthread_create(&worker->thread, NULL, handle, worker);
}

/* What must be in the file. */

static int is_line_at(int at, const char *line) {
    for (int i = 0; i < LINE; i++) {
        if (disk[at + i] != line[i]) {
            return 0;
        }
    }
    return 1;
}

static int was_logged(const struct request *request) {
    char line[LINE];

    format_line(line, request);
    for (int at = 0; at + LINE <= disk_used; at += LINE) {
        if (is_line_at(at, line)) {
            return 1;
        }
    }
    return 0;
}

static int all_were_logged(void) {
    for (int i = 0; i < WORKERS; i++) {
        if (!was_logged(&workers[i].request)) {
            return 0;
        }
    }
    return disk_used == WORKERS * LINE;
}

int main(void) {
    start(&workers[0], GET);
    start(&workers[1], POST);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
    }

    flush_log(&access_log);
    assert(all_were_logged());
    return 0;
}
