// SPDX-License-Identifier: MIT
//
// The fewest digits of a double; see number.h. Every decimal of up to 15 digits survives the way
// through a normal double and 17 tell any two of them apart, so 15, 16 or 17 are needed; subnormal
// numbers hold fewer.

#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reads_back(double value, int digits, char text[TN_NUMBER_SIZE])
{
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
