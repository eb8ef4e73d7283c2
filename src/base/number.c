// SPDX-License-Identifier: MIT
//
// The fewest digits of a double; see number.h. Every decimal of up to 15 digits survives the way
// through a normal double and 17 tell any two of them apart, so 15, 16 or 17 are needed; subnormal
// numbers hold fewer.
//
// The other way round numbers are decimal: [+-] digits [. digits] [e [+-] digits], with digits on
// at least one side of the point. The text is checked against that form first, because strtod also
// takes hexadecimal, "infinity" and, in some locales, a comma.

#include "base/number.h"

#include "base/status.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reads_back(double value, int digits, char text[TN_NUMBER_SIZE])
{
    TN_ASSERT(digits > 0 && digits <= DBL_DECIMAL_DIG);
    snprintf(text, TN_NUMBER_SIZE, "%.*g", digits, value);
    return strtod(text, NULL) == value;
}

// Most numbers of a motion need 16 or 17 digits: where 16 are not enough 15 need not be tried.
static void shortest(double value, char text[TN_NUMBER_SIZE])
{
    if (fabs(value) < DBL_MIN) {
        for (int n = 1; !reads_back(value, n, text) && n < DBL_DECIMAL_DIG;)
            n++;
        return;
    }
    char fewer[TN_NUMBER_SIZE];
    if (!reads_back(value, DBL_DIG + 1, text))
        reads_back(value, DBL_DECIMAL_DIG, text);
    else if (reads_back(value, DBL_DIG, fewer))
        memcpy(text, fewer, sizeof fewer);
}

size_t tn_number_text(double value, char text[TN_NUMBER_SIZE])
{
    TN_ASSERT(isfinite(value));
    const char *point = localeconv()->decimal_point;
    shortest(value, text);
    char *found = strstr(text, point);
    if (found) {
        const char *rest = found + strlen(point);
        *found = '.';
        memmove(found + 1, rest, strlen(rest) + 1);
    }
    return strlen(text);
}

static const char *skip_digits(const char *c)
{
    while (*c >= '0' && *c <= '9')
        c++;
    return c;
}

size_t tn_number_length(const char *text)
{
    const char *whole = skip_digits(text), *end = *whole == '.' ? skip_digits(whole + 1) : whole;
    if (end - text == (*whole == '.')) // no digits
        return 0;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + (end[1] == '+' || end[1] == '-' ? 2 : 1);
        end = skip_digits(exponent) > exponent ? skip_digits(exponent) : end;
    }
    return (size_t)(end - text);
}

bool tn_number_is_one(const char *text)
{
    text += *text == '+' || *text == '-';
    const size_t n = tn_number_length(text);
    return n > 0 && text[n] == '\0';
}

bool tn_number_from_text(const char *text, double *out)
{
    char number[1200]; // more digits than tell two doubles apart
    const char *dot = strchr(text, '.');
    if (!tn_number_is_one(text))
        return false;
    const char *point = dot ? localeconv()->decimal_point : ".";
    if (strcmp(point, ".") != 0) {
        const size_t whole = (size_t)(dot - text), width = strlen(point), rest = strlen(dot);
        if (whole + width + rest > sizeof(number))
            return false;
        memcpy(number, text, whole);
        memcpy(number + whole, point, width);
        memcpy(number + whole + width, dot + 1, rest); // with the final zero
        text = number;
    }
    *out = strtod(text, NULL);
    return true;
}
