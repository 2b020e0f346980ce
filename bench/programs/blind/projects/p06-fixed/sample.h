#ifndef SAMPLE_H
#define SAMPLE_H

#include <pthread.h>
#include <stddef.h>

/* Fixed point numbers with three decimals. */
typedef long milli_t;

typedef enum {
    SENSOR_TEMPERATURE,
    SENSOR_PRESSURE,
    SENSOR_HUMIDITY,
    SENSOR_COUNT
} sensor_t;

typedef enum {
    SAMPLE_READING,
    SAMPLE_STOP
} sample_kind_t;

typedef struct {
    sample_kind_t kind;
    sensor_t sensor;
    unsigned seq;
    int raw;
} sample_t;

/* value = gain * raw / divisor + offset */
typedef struct {
    int gain;
    int divisor;
    milli_t offset;
    milli_t low;
    milli_t high;
} calibration_t;

const char *sensor_name(sensor_t sensor);
const calibration_t *sensor_calibration(sensor_t sensor);

sample_t *sample_reading(sensor_t sensor, unsigned seq, int raw);
sample_t *sample_stop(void);
void sample_free(sample_t *sample);
milli_t sample_value(const sample_t *sample);
int sample_in_range(const sample_t *sample);

milli_t milli_from_parts(long units, long thousandths);
int milli_format(milli_t value, char *buf, size_t size);

/* What has been seen, per sensor; may be updated by several threads. */
typedef struct {
    unsigned count;
    unsigned alarms;
    unsigned seq_sum;
    milli_t min;
    milli_t max;
    milli_t sum;
} channel_t;

typedef struct {
    pthread_mutex_t lock;
    channel_t channels[SENSOR_COUNT];
    unsigned total;
} summary_t;

void summary_init(summary_t *summary);
void summary_destroy(summary_t *summary);
void summary_add(summary_t *summary, const sample_t *sample);
channel_t summary_channel(summary_t *summary, sensor_t sensor);
milli_t channel_mean(const channel_t *channel);
unsigned summary_total(summary_t *summary);
unsigned summary_alarms(summary_t *summary);
void summary_print(summary_t *summary);

#endif
