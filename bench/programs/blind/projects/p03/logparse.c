#include "log.h"

#include <stdio.h>
#include <string.h>

static void summary_reset(struct log_summary *sum)
{
    memset(sum, 0, sizeof(*sum));
    sum->ordered = 1;
}

static void summary_add(struct log_summary *sum, const struct record *r, size_t size)
{
    sum->records++;
    sum->bytes += size;
    sum->by_level[r->level]++;
    sum->by_source[r->source]++;
    if (r->seq != sum->last_seq[r->source] + 1) {
        sum->ordered = 0;
    }
    sum->last_seq[r->source] = r->seq;
}

/* Returns 0 if the data consist of valid records from end to end. */
int log_parse(const unsigned char *data, size_t size, struct log_summary *sum)
{
    struct record r;
    size_t at = 0;
    int n;

    summary_reset(sum);
    while (at < size) {
        n = record_decode(data + at, size - at, &r);
        if (n < 0) {
            return -1;
        }
        summary_add(sum, &r, (size_t)n);
        at += (size_t)n;
    }
    return 0;
}

int log_find(const unsigned char *data, size_t size, unsigned source, unsigned seq,
             struct record *out)
{
    size_t at = 0;
    int n;

    while (at < size) {
        n = record_decode(data + at, size - at, out);
        if (n < 0) {
            return -1;
        }
        if (out->source == source && out->seq == seq) {
            return 0;
        }
        at += (size_t)n;
    }
    return -1;
}

void log_dump(const unsigned char *data, size_t size)
{
    struct record r;
    size_t at = 0;
    int n;

    while (at < size) {
        n = record_decode(data + at, size - at, &r);
        if (n < 0) {
            printf("%04zx: damaged record\n", at);
            return;
        }
        printf("%04zx: [%u:%u] %-5s %s\n", at, r.source, r.seq, level_name(r.level), r.text);
        at += (size_t)n;
    }
}
