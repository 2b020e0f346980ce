#include "sample.h"

#include <stdio.h>
#include <string.h>

void summary_init(summary_t *summary)
{
    memset(summary->channels, 0, sizeof(summary->channels));
    summary->total = 0;
    pthread_mutex_init(&summary->lock, NULL);
}

void summary_destroy(summary_t *summary)
{
    pthread_mutex_destroy(&summary->lock);
}

static void channel_add(channel_t *channel, milli_t value, unsigned seq, int alarm)
{
    if (channel->count == 0 || value < channel->min)
        channel->min = value;
    if (channel->count == 0 || value > channel->max)
        channel->max = value;
    channel->sum += value;
    channel->seq_sum += seq;
    channel->count++;
    if (alarm)
        channel->alarms++;
}

void summary_add(summary_t *summary, const sample_t *sample)
{
    milli_t value = sample_value(sample);
    int alarm = !sample_in_range(sample);

    pthread_mutex_lock(&summary->lock);
    channel_add(&summary->channels[sample->sensor], value, sample->seq, alarm);
    summary->total++;
    pthread_mutex_unlock(&summary->lock);
}

channel_t summary_channel(summary_t *summary, sensor_t sensor)
{
    channel_t copy;

    pthread_mutex_lock(&summary->lock);
    copy = summary->channels[sensor];
    pthread_mutex_unlock(&summary->lock);
    return copy;
}

milli_t channel_mean(const channel_t *channel)
{
    if (channel->count == 0)
        return 0;
    return channel->sum / (milli_t)channel->count;
}

unsigned summary_total(summary_t *summary)
{
    unsigned total;

    pthread_mutex_lock(&summary->lock);
    total = summary->total;
    pthread_mutex_unlock(&summary->lock);
    return total;
}

unsigned summary_alarms(summary_t *summary)
{
    unsigned alarms = 0;

    pthread_mutex_lock(&summary->lock);
    for (int i = 0; i < SENSOR_COUNT; i++)
        alarms += summary->channels[i].alarms;
    pthread_mutex_unlock(&summary->lock);
    return alarms;
}

void summary_print(summary_t *summary)
{
    char min[24];
    char max[24];
    char mean[24];

    for (int i = 0; i < SENSOR_COUNT; i++) {
        channel_t channel = summary_channel(summary, (sensor_t)i);

        if (channel.count == 0)
            continue;
        milli_format(channel.min, min, sizeof(min));
        milli_format(channel.max, max, sizeof(max));
        milli_format(channel_mean(&channel), mean, sizeof(mean));
        printf("%-12s n=%u min=%s max=%s mean=%s alarms=%u\n", sensor_name((sensor_t)i),
               channel.count, min, max, mean, channel.alarms);
    }
}
