#include "bank.h"

#include <stdio.h>

/* Accepts "12", "12.5" and "12.50", with an optional minus sign. */
bool money_parse(const char *text, money_t *out)
{
    bool negative = false;
    money_t units = 0;
    money_t cents = 0;
    int digits = 0;

    if (*text == '-') {
        negative = true;
        text++;
    }
    if (*text < '0' || *text > '9')
        return false;
    while (*text >= '0' && *text <= '9') {
        units = units * 10 + (*text - '0');
        text++;
    }
    if (*text == '.') {
        text++;
        while (*text >= '0' && *text <= '9') {
            if (digits == 2)
                return false;
            cents = cents * 10 + (*text - '0');
            digits++;
            text++;
        }
        if (digits == 0)
            return false;
        if (digits == 1)
            cents *= 10;
    }
    if (*text != '\0')
        return false;
    *out = units * 100 + cents;
    if (negative)
        *out = -*out;
    return true;
}

int money_format(money_t amount, char *buf, size_t size)
{
    const char *sign = "";

    if (amount < 0) {
        sign = "-";
        amount = -amount;
    }
    return snprintf(buf, size, "%s%ld.%02ld", sign, amount / 100, amount % 100);
}

/* Rounds half up; 10000 basis points are 100 per cent. */
money_t money_percent(money_t amount, unsigned basis_points)
{
    money_t scaled = amount * (money_t)basis_points;

    return (scaled + 5000) / 10000;
}

const char *bank_status_text(bank_status_t status)
{
    switch (status) {
    case BANK_OK:
        return "ok";
    case BANK_NO_ACCOUNT:
        return "no such account";
    case BANK_NO_FUNDS:
        return "insufficient funds";
    case BANK_BAD_AMOUNT:
        return "bad amount";
    case BANK_NO_MEMORY:
        return "out of memory";
    }
    return "?";
}
