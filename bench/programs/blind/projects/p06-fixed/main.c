/* A weather station: one thread reads the sensors, two evaluate them. */
#include "buffer.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define CONSUMERS 2
#define CAPACITY 2

typedef struct {
    sensor_t sensor;
    int raw;
} reading_t;

static const reading_t readings[] = {
    { SENSOR_TEMPERATURE, 976 },
    { SENSOR_PRESSURE, 2852 },
    { SENSOR_TEMPERATURE, 1640 },
};

#define READINGS (sizeof(readings) / sizeof(readings[0]))

typedef struct {
    pthread_t thread;
    buffer_t *buffer;
    unsigned sent;
} producer_t;

typedef struct {
    pthread_t thread;
    buffer_t *buffer;
    summary_t *summary;
    unsigned handled;
    unsigned stops;
} consumer_t;

static void *producer_main(void *arg)
{
    producer_t *producer = arg;

    for (size_t i = 0; i < READINGS; i++) {
        sample_t *sample = sample_reading(readings[i].sensor, (unsigned)i + 1, readings[i].raw);

        buffer_put(producer->buffer, sample);
        producer->sent++;
    }
    for (int i = 0; i < CONSUMERS; i++)
        buffer_put(producer->buffer, sample_stop());
    return NULL;
}

static void *consumer_main(void *arg)
{
    consumer_t *consumer = arg;

    while (consumer->stops == 0) {
        sample_t *sample = buffer_get(consumer->buffer);

        if (sample->kind == SAMPLE_STOP) {
            consumer->stops++;
        } else {
            summary_add(consumer->summary, sample);
            consumer->handled++;
        }
        sample_free(sample);
    }
    return NULL;
}

static void check_samples(void)
{
    char buf[24];
    sample_t *sample;

    assert(milli_from_parts(-2, 250) == -2250);
    milli_format(-2250, buf, sizeof(buf));
    assert(strcmp(buf, "-2.250") == 0);
    milli_format(milli_from_parts(7, 5), buf, sizeof(buf));
    assert(strcmp(buf, "7.005") == 0);

    sample = sample_reading(SENSOR_HUMIDITY, 1, 455);
    assert(sample_value(sample) == 45500);
    assert(sample_in_range(sample));
    sample->raw = 1001;
    assert(!sample_in_range(sample));
    sample_free(sample);
    assert(strcmp(sensor_name(SENSOR_COUNT), "none") == 0);
    assert(sensor_calibration(SENSOR_COUNT) == NULL);
}

static void check_buffer(void)
{
    buffer_t buffer;
    buffer_stats_t stats;
    sample_t *extra = sample_stop();
    sample_t *sample;
    int rc;

    rc = buffer_init(&buffer, 2);
    assert(rc == 0);
    sample = buffer_try_get(&buffer);
    assert(sample == NULL);
    buffer_put(&buffer, sample_reading(SENSOR_PRESSURE, 1, 10));
    buffer_put(&buffer, sample_reading(SENSOR_PRESSURE, 2, 20));
    rc = buffer_try_put(&buffer, extra);
    assert(rc == -1);
    sample = buffer_get(&buffer);
    assert(sample->seq == 1);
    sample_free(sample);
    rc = buffer_try_put(&buffer, extra);
    assert(rc == 0);
    (void)rc;
    sample = buffer_get(&buffer);
    assert(sample->seq == 2 && sample->raw == 20);
    sample_free(sample);
    assert(buffer_count(&buffer) == 1);
    stats = buffer_stats(&buffer);
    assert(stats.puts == 3 && stats.gets == 2 && stats.high_water == 2);
    buffer_destroy(&buffer);
}

int main(void)
{
    buffer_t buffer;
    buffer_stats_t stats;
    summary_t summary;
    producer_t producer = { .sent = 0 };
    consumer_t consumers[CONSUMERS];
    channel_t channel;
    unsigned handled = 0;
    int rc;

    check_samples();
    check_buffer();

    rc = buffer_init(&buffer, CAPACITY);
    assert(rc == 0);
    summary_init(&summary);
    for (int i = 0; i < CONSUMERS; i++) {
        consumers[i].buffer = &buffer;
        consumers[i].summary = &summary;
        consumers[i].handled = 0;
        consumers[i].stops = 0;
        rc = pthread_create(&consumers[i].thread, NULL, consumer_main, &consumers[i]);
        assert(rc == 0);
    }
    producer.buffer = &buffer;
    rc = pthread_create(&producer.thread, NULL, producer_main, &producer);
    assert(rc == 0);
    (void)rc;

    pthread_join(producer.thread, NULL);
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(consumers[i].thread, NULL);
        assert(consumers[i].stops == 1);
        handled += consumers[i].handled;
    }

    summary_print(&summary);
    assert(producer.sent == READINGS);
    assert(handled == READINGS);
    assert(summary_total(&summary) == READINGS);
    assert(summary_alarms(&summary) == 1);
    channel = summary_channel(&summary, SENSOR_TEMPERATURE);
    assert(channel.count == 2);
    assert(channel.seq_sum == 1 + 3);
    assert(channel.min == 21000);
    assert(channel.max == 62500);
    assert(channel_mean(&channel) == 41750);
    channel = summary_channel(&summary, SENSOR_PRESSURE);
    assert(channel.count == 1);
    assert(channel.sum == 1013000);
    stats = buffer_stats(&buffer);
    assert(stats.puts == READINGS + CONSUMERS);
    assert(stats.gets == stats.puts);
    assert(stats.high_water <= CAPACITY);
    assert(buffer_count(&buffer) == 0);

    buffer_destroy(&buffer);
    summary_destroy(&summary);
    return 0;
}
