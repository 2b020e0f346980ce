// The server keeps the current time as text for the headers of its answers. One thread rebuilds the text while
// another copies it: the copy holds the hours of one time and the minutes of another, which never was.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum {
    MINUTES_OF_HOUR = 60,
    HOURS_OF_DAY = 24,
    TEXT = 4,
    BEFORE = 9 * MINUTES_OF_HOUR + 59,
    AFTER = 10 * MINUTES_OF_HOUR,
    OK = 200
};

struct moment {
    int hours;
    int minutes;
};

struct clock_cache {
    int now;
    char text[TEXT];
};

struct header {
    int status;
    char date[TEXT];
};

struct answer {
    struct header header;
    int length;
};

static struct clock_cache cache;
static struct answer answer;

/* Times. */

static struct moment split(int minutes) {
    struct moment moment;

    moment.hours = minutes / MINUTES_OF_HOUR % HOURS_OF_DAY;
    moment.minutes = minutes % MINUTES_OF_HOUR;
    return moment;
}

static int join(struct moment moment) {
    return moment.hours * MINUTES_OF_HOUR + moment.minutes;
}

static char tens(int number) {
    return (char)('0' + number / 10);
}

static char ones(int number) {
    return (char)('0' + number % 10);
}

static int number_at(const char *text) {
    return 10 * (text[0] - '0') + (text[1] - '0');
}

static int is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

static int parse(const char *text) {
    struct moment moment;

    for (int i = 0; i < TEXT; i++) {
        if (!is_digit(text[i])) {
            return -1;
        }
    }
    moment.hours = number_at(text);
    moment.minutes = number_at(text + 2);
    return join(moment);
}

/* The cache. */

static void write_text(char *text, struct moment moment) {
    text[0] = tens(moment.hours);
    text[1] = ones(moment.hours);
    text[2] = tens(moment.minutes);
    text[3] = ones(moment.minutes);
}

static void update(struct clock_cache *cache, int now) {
    if (now == cache->now) {
        return;
    }
    cache->now = now;
    write_text(cache->text, split(now));
}

static void copy_text(struct clock_cache *cache, char *to) {
    for (int i = 0; i < TEXT; i++) {
        to[i] = cache->text[i];
    }
}

/* Answers. */

static void begin_answer(struct answer *answer, int status) {
    answer->header.status = status;
    answer->length = 0;
}

static void add_date(struct answer *answer) {
    copy_text(&cache, answer->header.date);
    answer->length += TEXT;
}

static void build_answer(struct answer *answer) {
    begin_answer(answer, OK);
    add_date(answer);
}

/* Threads. */

static void *tick(void *argument) {
    (void)argument;
    update(&cache, AFTER);
    return NULL;
}

static void *serve(void *argument) {
    int shown;

    (void)argument;
    build_answer(&answer);
    shown = parse(answer.header.date);
    assert(shown == BEFORE || shown == AFTER);
    return NULL;
}

static void start_clock(struct clock_cache *cache) {
    cache->now = 0;
    update(cache, BEFORE);
}

int main(void) {
    pthread_t clock, connection;

    start_clock(&cache);
    assert(parse(cache.text) == BEFORE);

    pthread_create(&clock, NULL, tick, NULL);
    pthread_create(&connection, NULL, serve, NULL);
    pthread_join(clock, NULL);
    pthread_join(connection, NULL);

    assert(parse(cache.text) == AFTER);
    assert(answer.header.status == OK);
    assert(answer.length == TEXT);
    return 0;
}
