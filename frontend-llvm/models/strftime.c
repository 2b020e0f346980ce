/* Dates as text, in the C locale and in UTC. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model.h"

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

static void put_string(struct model_text *text, const char *string) {
    __model_text_bytes(text, string, strlen(string));
}

static void put_name(struct model_text *text, const char *const names[], int count, int index, int letters) {
    if (index < 0 || index >= count) {
        put_string(text, "?");
    } else {
        __model_text_bytes(text, names[index], letters > 0 ? (size_t)letters : strlen(names[index]));
    }
}

/* `pad` is the byte that fills up to the width, `-` for none; `flag` of the format wins over it. */
static void put_number(struct model_text *text, long value, int width, char pad, char flag) {
    char digits[24];
    pad = flag == '_' ? ' ' : flag == '0' || flag == '-' ? flag : pad;
    int length = pad == '-'   ? snprintf(digits, sizeof digits, "%ld", value)
                 : pad == ' ' ? snprintf(digits, sizeof digits, "%*ld", width, value)
                              : snprintf(digits, sizeof digits, "%0*ld", width, value);
    __model_text_bytes(text, digits, (size_t)length);
}

static int days_of_year(long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365; }

/* The year and week of ISO 8601: weeks begin on Monday, and the first one holds the year's first Thursday. */
static int iso_week(const struct tm *parts, long *year) {
    int monday = parts->tm_yday - (parts->tm_wday + 6) % 7;
    *year = parts->tm_year + 1900l;
    if (monday + 3 < 0) {
        (*year)--;
        return (monday + days_of_year(*year) + 10) / 7;
    }
    if (monday + 3 >= days_of_year(*year)) {
        (*year)++;
        return 1;
    }
    return (monday + 10) / 7;
}

static void put_parts(struct model_text *text, const char *format, const struct tm *parts);

static int hour12(const struct tm *parts) { return parts->tm_hour % 12 == 0 ? 12 : parts->tm_hour % 12; }

static void put_year_part(struct model_text *text, char kind, char flag, const struct tm *parts) {
    long year;
    int week = iso_week(parts, &year);
    switch (kind) {
    case 'G':
        put_number(text, year, 1, '-', flag);
        break;
    case 'g':
        put_number(text, (year % 100 + 100) % 100, 2, '0', flag);
        break;
    case 'V':
        put_number(text, week, 2, '0', flag);
        break;
    case 'U':
        put_number(text, (parts->tm_yday - parts->tm_wday + 7) / 7, 2, '0', flag);
        break;
    case 'W':
        put_number(text, (parts->tm_yday - (parts->tm_wday + 6) % 7 + 7) / 7, 2, '0', flag);
        break;
    case 'C':
        put_number(text, (parts->tm_year + 1900l) / 100, 1, '-', flag);
        break;
    case 'y':
        put_number(text, ((parts->tm_year % 100) + 100) % 100, 2, '0', flag);
        break;
    default:
        put_number(text, parts->tm_year + 1900l, 1, '-', flag);
        break;
    }
}

static void put_epoch(struct model_text *text, char flag, const struct tm *parts) {
    struct tm copy = *parts;
    put_number(text, timegm(&copy), 1, '-', flag);
}

/* Names and compositions; false when the conversion is none of them. */
static int put_named(struct model_text *text, char kind, const struct tm *parts) {
    switch (kind) {
    case 'a':
        put_name(text, days, 7, parts->tm_wday, 3);
        return 1;
    case 'A':
        put_name(text, days, 7, parts->tm_wday, 0);
        return 1;
    case 'b':
    case 'h':
        put_name(text, months, 12, parts->tm_mon, 3);
        return 1;
    case 'B':
        put_name(text, months, 12, parts->tm_mon, 0);
        return 1;
    case 'c':
        put_parts(text, "%a %b %e %H:%M:%S %Y", parts);
        return 1;
    case 'D':
    case 'x':
        put_parts(text, "%m/%d/%y", parts);
        return 1;
    case 'F':
        put_parts(text, "%Y-%m-%d", parts);
        return 1;
    case 'R':
        put_parts(text, "%H:%M", parts);
        return 1;
    case 'r':
        put_parts(text, "%I:%M:%S %p", parts);
        return 1;
    case 'T':
    case 'X':
        put_parts(text, "%H:%M:%S", parts);
        return 1;
    case 'n':
        put_string(text, "\n");
        return 1;
    case 't':
        put_string(text, "\t");
        return 1;
    case 'p':
        put_string(text, parts->tm_hour >= 12 ? "PM" : "AM");
        return 1;
    case 'P':
        put_string(text, parts->tm_hour >= 12 ? "pm" : "am");
        return 1;
    case 'z':
        put_string(text, "+0000");
        return 1;
    case 'Z':
        put_string(text, parts->tm_zone == NULL ? "UTC" : parts->tm_zone);
        return 1;
    case '%':
        put_string(text, "%");
        return 1;
    default:
        return 0;
    }
}

static int put_numbered(struct model_text *text, char kind, char flag, const struct tm *parts) {
    switch (kind) {
    case 'd':
        put_number(text, parts->tm_mday, 2, '0', flag);
        return 1;
    case 'e':
        put_number(text, parts->tm_mday, 2, ' ', flag);
        return 1;
    case 'H':
        put_number(text, parts->tm_hour, 2, '0', flag);
        return 1;
    case 'k':
        put_number(text, parts->tm_hour, 2, ' ', flag);
        return 1;
    case 'I':
        put_number(text, hour12(parts), 2, '0', flag);
        return 1;
    case 'l':
        put_number(text, hour12(parts), 2, ' ', flag);
        return 1;
    case 'j':
        put_number(text, parts->tm_yday + 1, 3, '0', flag);
        return 1;
    case 'm':
        put_number(text, parts->tm_mon + 1, 2, '0', flag);
        return 1;
    case 'M':
        put_number(text, parts->tm_min, 2, '0', flag);
        return 1;
    case 'S':
        put_number(text, parts->tm_sec, 2, '0', flag);
        return 1;
    case 'u':
        put_number(text, parts->tm_wday == 0 ? 7 : parts->tm_wday, 1, '0', flag);
        return 1;
    case 'w':
        put_number(text, parts->tm_wday, 1, '0', flag);
        return 1;
    case 's':
        put_epoch(text, flag, parts);
        return 1;
    case 'G':
    case 'g':
    case 'V':
    case 'U':
    case 'W':
    case 'C':
    case 'y':
    case 'Y':
        put_year_part(text, kind, flag, parts);
        return 1;
    default:
        return 0;
    }
}

static void put_parts(struct model_text *text, const char *format, const struct tm *parts) {
    for (; *format != '\0'; format++) {
        if (*format != '%') {
            __model_text_byte(text, *format);
            continue;
        }
        const char *begin = format;
        char flag = '\0';
        format++;
        if (*format == '-' || *format == '_' || *format == '0') {
            flag = *format;
            format++;
        }
        if (*format == 'E' || *format == 'O') {
            format++;
        }
        if (*format == '\0') {
            put_string(text, begin);
            return;
        }
        if (!put_named(text, *format, parts) && !put_numbered(text, *format, flag, parts)) {
            __model_text_bytes(text, begin, (size_t)(format + 1 - begin));
        }
    }
}

size_t strftime(char *buffer, size_t size, const char *format, const struct tm *parts) {
    struct model_text text;
    __model_text_begin(&text);
    put_parts(&text, format, parts);
    size_t length = text.length;
    __model_text_byte(&text, '\0');
    if (length < size) {
        memcpy(buffer, text.bytes, length + 1);
    }
    __model_text_end(&text);
    return length < size ? length : 0;
}
