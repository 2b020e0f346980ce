/* Time: every clock is the machine's virtual one, and every place is in UTC. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include "model.h"

enum { SECOND = 1000000000, DAY_SECONDS = 86400 };

char *tzname[2] = {"UTC", "UTC"};
long timezone;
int daylight;

time_t time(time_t *where) {
    time_t now = __heddle_input_clock() / SECOND;
    if (where != NULL) {
        *where = now;
    }
    return now;
}

clock_t clock(void) { return __heddle_input_clock() / (SECOND / CLOCKS_PER_SEC); }

clock_t times(struct tms *used) {
    clock_t now = __heddle_input_clock() / (SECOND / 100);
    if (used != NULL) {
        *used = (struct tms){.tms_utime = now};
    }
    return now;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    long now = __heddle_input_clock();
    time->tv_sec = now / SECOND;
    time->tv_nsec = now % SECOND;
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *resolution) {
    (void)clock;
    if (resolution != NULL) {
        resolution->tv_sec = 0;
        resolution->tv_nsec = 1;
    }
    return 0;
}

int timespec_get(struct timespec *time, int base) {
    if (base != TIME_UTC) {
        return 0;
    }
    clock_gettime(CLOCK_REALTIME, time);
    return base;
}

int gettimeofday(struct timeval *time, void *zone) {
    long now = __heddle_input_clock();
    time->tv_sec = now / SECOND;
    time->tv_usec = now % SECOND / 1000;
    if (zone != NULL) {
        *(struct timezone *)zone = (struct timezone){0};
    }
    return 0;
}

double difftime(time_t later, time_t earlier) { return (double)(later - earlier); }

void tzset(void) {}

/* Days since 1970 of the first day of a year. */
static long days_before_year(long year) {
    long past = year - 1;
    long leaps = past / 4 - past / 100 + past / 400;
    if (past < 0) {
        /* Division truncates; leap days of years before the first count downwards. */
        long up = -past;
        leaps = -((up + 3) / 4 - (up + 99) / 100 + (up + 399) / 400);
    }
    return 365 * (year - 1970) + leaps - 477;
}

static bool is_leap(long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static const short days_before_month[2][13] = {
    {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365},
    {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366},
};

struct tm *gmtime_r(const time_t *time, struct tm *parts) {
    long days = *time / DAY_SECONDS;
    long rest = *time % DAY_SECONDS;
    if (rest < 0) {
        rest += DAY_SECONDS;
        days--;
    }
    long year = 1970 + days / 366;
    while (days_before_year(year + 1) <= days) {
        year++;
    }
    while (days_before_year(year) > days) {
        year--;
    }
    long day = days - days_before_year(year);
    const short *before = days_before_month[is_leap(year)];
    int month = 0;
    while (before[month + 1] <= day) {
        month++;
    }
    long weekday = (days + 4) % 7;
    *parts = (struct tm){
        .tm_sec = (int)(rest % 60),
        .tm_min = (int)(rest / 60 % 60),
        .tm_hour = (int)(rest / 3600),
        .tm_mday = (int)(day - before[month]) + 1,
        .tm_mon = month,
        .tm_year = (int)(year - 1900),
        .tm_wday = (int)(weekday < 0 ? weekday + 7 : weekday),
        .tm_yday = (int)day,
        .tm_gmtoff = 0,
        .tm_zone = "UTC",
    };
    return parts;
}

struct tm *localtime_r(const time_t *time, struct tm *parts) { return gmtime_r(time, parts); }

/* Shared by all threads, as in the C library: two threads that use it race. */
static struct tm shared_parts;

struct tm *gmtime(const time_t *time) { return gmtime_r(time, &shared_parts); }

struct tm *localtime(const time_t *time) { return gmtime_r(time, &shared_parts); }

time_t timegm(struct tm *parts) {
    long month = parts->tm_mon % 12;
    long year = 1900l + parts->tm_year + parts->tm_mon / 12;
    if (month < 0) {
        month += 12;
        year--;
    }
    long days = days_before_year(year) + days_before_month[is_leap(year)][month] + parts->tm_mday - 1;
    time_t time = days * DAY_SECONDS + parts->tm_hour * 3600l + parts->tm_min * 60l + parts->tm_sec;
    gmtime_r(&time, parts);
    return time;
}

time_t mktime(struct tm *parts) { return timegm(parts); }

time_t timelocal(struct tm *parts) { return timegm(parts); }

char *asctime_r(const struct tm *parts, char *buffer) {
    strftime(buffer, 26, "%a %b %e %H:%M:%S %Y\n", parts);
    return buffer;
}

static char shared_text[32];

char *asctime(const struct tm *parts) { return asctime_r(parts, shared_text); }

char *ctime_r(const time_t *time, char *buffer) {
    struct tm parts;
    return asctime_r(gmtime_r(time, &parts), buffer);
}

char *ctime(const time_t *time) { return ctime_r(time, shared_text); }
