#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[SENSOR_COUNT] = {
    [SENSOR_TEMPERATURE] = "temperature",
    [SENSOR_PRESSURE] = "pressure",
    [SENSOR_HUMIDITY] = "humidity",
};

static const calibration_t calibrations[SENSOR_COUNT] = {
    [SENSOR_TEMPERATURE] = { 625, 10, -40000, -20000, 60000 },
    [SENSOR_PRESSURE] = { 1000, 4, 300000, 850000, 1100000 },
    [SENSOR_HUMIDITY] = { 100, 1, 0, 0, 100000 },
};

const char *sensor_name(sensor_t sensor)
{
    if ((int)sensor < 0 || sensor >= SENSOR_COUNT)
        return "none";
    return names[sensor];
}

const calibration_t *sensor_calibration(sensor_t sensor)
{
    if ((int)sensor < 0 || sensor >= SENSOR_COUNT)
        return NULL;
    return &calibrations[sensor];
}

static sample_t *sample_new(sample_kind_t kind)
{
    sample_t *sample = malloc(sizeof(*sample));

    if (sample == NULL)
        abort();
    sample->kind = kind;
    sample->sensor = SENSOR_COUNT;
    sample->seq = 0;
    sample->raw = 0;
    return sample;
}

sample_t *sample_reading(sensor_t sensor, unsigned seq, int raw)
{
    sample_t *sample = sample_new(SAMPLE_READING);

    sample->sensor = sensor;
    sample->seq = seq;
    sample->raw = raw;
    return sample;
}

/* Tells one consumer that nothing more will come. */
sample_t *sample_stop(void)
{
    return sample_new(SAMPLE_STOP);
}

void sample_free(sample_t *sample)
{
    free(sample);
}

milli_t sample_value(const sample_t *sample)
{
    const calibration_t *cal = sensor_calibration(sample->sensor);

    if (cal == NULL)
        return 0;
    return (milli_t)cal->gain * sample->raw / cal->divisor + cal->offset;
}

int sample_in_range(const sample_t *sample)
{
    const calibration_t *cal = sensor_calibration(sample->sensor);
    milli_t value = sample_value(sample);

    return cal != NULL && value >= cal->low && value <= cal->high;
}

milli_t milli_from_parts(long units, long thousandths)
{
    if (units < 0)
        return units * 1000 - thousandths;
    return units * 1000 + thousandths;
}

int milli_format(milli_t value, char *buf, size_t size)
{
    const char *sign = value < 0 ? "-" : "";
    unsigned long v = value < 0 ? (unsigned long)-value : (unsigned long)value;

    return snprintf(buf, size, "%s%lu.%03lu", sign, v / 1000, v % 1000);
}
