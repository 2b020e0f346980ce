/* Two parts of a server, ingest and query, share one log. */
#include "log.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 2
#define SRC_INGEST 1u
#define SRC_QUERY 2u

struct ingest {
    struct log_source log;
    unsigned long rows;
    unsigned rejected;
};

struct query {
    struct log_source log;
    unsigned long hits;
};

static const unsigned batch_rows[ROUNDS] = { 12, 30 };
static const unsigned batch_bad[ROUNDS] = { 0, 1 };
static const char *const searches[ROUNDS] = { "apple", "pear" };

static void *ingest_main(void *arg)
{
    struct ingest *in = arg;
    int i;
    int rc;

    for (i = 0; i < ROUNDS; i++) {
        in->rows += batch_rows[i] - batch_bad[i];
        in->rejected += batch_bad[i];
        if (batch_bad[i] > 0) {
            rc = log_value(&in->log, LEVEL_WARN, "rejected", batch_bad[i]);
            assert(rc == 1);
        }
        rc = log_value(&in->log, LEVEL_INFO, "rows", in->rows);
        assert(rc == 1);
    }
    rc = log_mark(&in->log, 0x1f);
    assert(rc == 1);
    (void)rc;
    return NULL;
}

static unsigned long search_cost(const char *word)
{
    unsigned long cost = 0;

    while (*word != '\0') {
        cost = cost * 3 + (unsigned long)(*word - 'a');
        word++;
    }
    return cost;
}

static void *query_main(void *arg)
{
    struct query *q = arg;
    int i;
    int rc;

    for (i = 0; i < ROUNDS; i++) {
        rc = log_value(&q->log, LEVEL_DEBUG, "cost", search_cost(searches[i]));
        assert(rc == 0);
        rc = log_write(&q->log, LEVEL_INFO, searches[i]);
        assert(rc == 1);
        q->hits++;
    }
    (void)rc;
    return NULL;
}

static void check_format(void)
{
    struct textline line;
    struct record r;
    struct record back;
    unsigned char raw[RECORD_MAX];
    size_t n;
    int rc;

    line_reset(&line);
    line_pair(&line, "a", 10);
    line_pair(&line, "b", 0);
    assert(strcmp(line.data, "a=10 b=0") == 0);
    line_reset(&line);
    line_hex(&line, 0xbeef);
    assert(strcmp(line.data, "0xbeef") == 0);

    r.level = LEVEL_ERROR;
    r.source = 3;
    r.seq = 9;
    r.length = 4;
    memcpy(r.text, "disk", 5);
    n = record_encode(&r, raw);
    assert(n == RECORD_HEADER + 4);
    rc = record_decode(raw, n, &back);
    assert(rc == (int)n);
    assert(back.level == LEVEL_ERROR && back.source == 3 && back.seq == 9);
    assert(strcmp(back.text, "disk") == 0);
    raw[RECORD_HEADER] ^= 1;
    rc = record_decode(raw, n, &back);
    assert(rc == -1);
    (void)rc;
}

static void check_full_buffer(void)
{
    static struct logger lg;
    struct log_source src;
    const char *text = "0123456789012345678901234567890123456789";
    unsigned stored = 0;

    logger_init(&lg, LEVEL_DEBUG);
    source_init(&src, &lg, 0);
    while (log_write(&src, LEVEL_INFO, text) == 1) {
        stored++;
    }
    assert(stored == LOGBUF_SIZE / (RECORD_HEADER + 40));
    assert(lg.dropped == 1);
    logger_destroy(&lg);
}

int main(void)
{
    static struct logger logger;
    static unsigned char sealed[LOGBUF_SIZE];
    struct ingest ingest = { .rows = 0 };
    struct query query = { .hits = 0 };
    struct log_summary sum;
    struct record r;
    pthread_t threads[2];
    size_t size;
    int rc;

    check_format();
    check_full_buffer();

    logger_init(&logger, LEVEL_INFO);
    source_init(&ingest.log, &logger, SRC_INGEST);
    source_init(&query.log, &logger, SRC_QUERY);
    rc = pthread_create(&threads[0], NULL, ingest_main, &ingest);
    assert(rc == 0);
    rc = pthread_create(&threads[1], NULL, query_main, &query);
    assert(rc == 0);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);

    size = logger_seal(&logger, sealed, sizeof(sealed));
    log_dump(sealed, size);
    assert(ingest.rows == 41 && ingest.rejected == 1);
    assert(query.hits == ROUNDS);
    assert(logger.written == 5);
    assert(logger.marks == 1);
    assert(logger.filtered == ROUNDS);
    assert(size == ingest.log.bytes + query.log.bytes);

    rc = log_parse(sealed, size, &sum);
    assert(rc == 0);
    assert(sum.records == 6);
    assert(sum.bytes == size);
    assert(sum.ordered);
    assert(sum.by_source[SRC_INGEST] == 4);
    assert(sum.by_source[SRC_QUERY] == 2);
    assert(sum.by_level[LEVEL_MARK] == 1);
    assert(sum.by_level[LEVEL_WARN] == 1);
    rc = log_find(sealed, size, SRC_INGEST, 4, &r);
    assert(rc == 0);
    assert(strcmp(r.text, "mark 0x1f") == 0);

    logger_destroy(&logger);
    return 0;
}
