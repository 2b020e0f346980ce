// The list of processes tests that a connection says what it does, and reads the text, under the connection's lock.
// The connection takes it to set the pointer to null.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WIDTH = 4 };

struct connection {
    pthread_mutex_t lock;
    const char *proc_info;
    int id;
    int queries;
};

struct line {
    int id;
    char text[WIDTH + 1];
};

static const char opening[] = "open";
static struct connection connection = {PTHREAD_MUTEX_INITIALIZER, opening, 7, 0};
static struct line line;

static void copy_text(char *to, const char *from) {
    int i = 0;

    while (i < WIDTH && from[i] != '\0') {
        to[i] = from[i];
        i++;
    }
    to[i] = '\0';
}

/* One line of SHOW PROCESSLIST. */
static void describe(struct connection *thd, struct line *line) {
    line->id = thd->id;
    pthread_mutex_lock(&thd->lock);
    if (thd->proc_info) {
        copy_text(line->text, thd->proc_info);
    } else {
        copy_text(line->text, "");
    }
    pthread_mutex_unlock(&thd->lock);
}

static void end_of_query(struct connection *thd) {
    thd->queries++;
    pthread_mutex_lock(&thd->lock);
    thd->proc_info = NULL;
    pthread_mutex_unlock(&thd->lock);
}

static void *show_processes(void *argument) {
    struct connection *thd = argument;

    describe(thd, &line);
    return NULL;
}

static void *serve(void *argument) {
    struct connection *thd = argument;

    end_of_query(thd);
    return NULL;
}

int main(void) {
    pthread_t administrator, owner;

    pthread_create(&administrator, NULL, show_processes, &connection);
    pthread_create(&owner, NULL, serve, &connection);
    pthread_join(administrator, NULL);
    pthread_join(owner, NULL);

    assert(connection.queries == 1);
    assert(line.id == connection.id);
    assert(line.text[0] == 'o' || line.text[0] == '\0');
    return 0;
}
