// SPDX-License-Identifier: MIT
//
// The fewest digits of a double; see number.h. Every decimal of up to 15 digits survives the way
// through a normal double and 17 separate any two of them, so 15, 16 or 17 are needed; subnormal
// numbers hold fewer.
//
// Numbers from 1e-4 to 1e15, which are most of those of a motion, are written by whole numbers of
// 128 bits, exactly. With x = m 2^-s, 2^52 <= m < 2^53, and p such that 10^16 <= x 10^p < 10^17,
// the whole number T = m 10^p is x in units of 10^-p 2^-s; it is below 10^17 2^66 < 2^123. A
// decimal of n digits is the multiple of 10^(17-n) 2^s next to T, of two the even one, as printf
// rounds. It reads back as x when it is not farther from T than half of the distance to the next
// double, which is 10^p; where it is just that far doubles with even m win. Below a power of two
// doubles are half as far.
//
// The other way round numbers are decimal: [+-] digits [. digits] [e [+-] digits], with digits on
// at least one side of the point. The text is checked against that form first, because strtod also
// takes hexadecimal, "infinity" and, in some locales, a comma.

#include "text/number.h"

#include "base/array.h"

#include "base/status.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const uint64_t tens[] = {1u,
                                10u,
                                100u,
                                1000u,
                                10000u,
                                100000u,
                                1000000u,
                                10000000u,
                                100000000u,
                                1000000000u,
                                10000000000u,
                                100000000000u,
                                1000000000000u,
                                10000000000000u,
                                100000000000000u,
                                1000000000000000u,
                                10000000000000000u,
                                100000000000000000u,
                                1000000000000000000u,
                                10000000000000000000u};

static wide power_of_ten(int n) // up to 38
{
    return n < TN_COUNT(tens) ? (wide)tens[n] : (wide)tens[19] * tens[n - 19];
}

// A double as T with its parts; see above.
typedef struct exact {
    wide T, unit; // unit: 10^p
    uint64_t m;
    int s, first; // the first digit counts 10^first
} exact;

static exact take_exact(double value)
{
    exact x;
    const double part = frexp(value, &x.s); // in [1/2, 1)
    x.m = (uint64_t)ldexp(part, DBL_MANT_DIG);
    x.s = DBL_MANT_DIG - x.s;
    x.first = (int)floor((DBL_MANT_DIG - x.s - 1) * 0.30102999566398120);
    x.unit = power_of_ten(16 - x.first);
    x.T = x.m * x.unit;
    if (x.T >> x.s >= tens[17]) { // the power of two was far below
        x.first++;
        x.unit /= 10;
        x.T = x.m * x.unit;
    }
    return x;
}

// The nearest decimal of n digits, as a whole number, and whether it reads back.
static bool round_exact(const exact *x, int n, uint64_t *digits)
{
    const uint64_t apart = tens[17 - n], whole = (uint64_t)(x->T >> x->s);
    const wide step = (wide)apart << x->s;
    *digits = whole / apart;
    const wide rest = x->T - ((wide)*digits * apart << x->s);
    const bool up = rest > step - rest || (rest == step - rest && *digits % 2 == 1);
    const wide off = up ? step - rest : rest;
    *digits += up;
    if (!up && x->m == (uint64_t)1 << (DBL_MANT_DIG - 1))
        return 4 * off <= x->unit;
    return 2 * off < x->unit || (2 * off == x->unit && x->m % 2 == 0);
}

// The number 0.d1d2d3… 10^(first+1) without zeros at the end; its length.
static size_t put_digits(uint64_t digits, int n, int first, char *text)
{
    char all[20];
    char *to = text;
    while (n > 1 && digits % 10 == 0) {
        digits /= 10;
        n--;
    }
    for (int i = n; i-- > 0; digits /= 10)
        all[i] = (char)('0' + digits % 10);
    if (first < 0) {
        memcpy(to, "0.0000", (size_t)(1 - first));
        to += 1 - first;
        memcpy(to, all, (size_t)n);
        to += n;
    } else {
        for (int i = 0; i < n || i <= first; i++) {
            if (i == first + 1)
                *to++ = '.';
            *to++ = i < n ? all[i] : '0';
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}

// The length of the text; 0 where the number is not of those that are written so.
static size_t write_exactly(double value, char *text)
{
    const double size = fabs(value);
    uint64_t digits, fewer;
    int n = DBL_DIG + 1;
    if (!(size >= 1e-4 && size < 1e15))
        return 0;
    exact x = take_exact(size);
    if (!round_exact(&x, n, &digits))
        round_exact(&x, ++n, &digits);
    else if (round_exact(&x, n - 1, &fewer)) {
        digits = fewer;
        n--;
    }
    if (digits == tens[n]) { // 9.99… has become 10
        digits /= 10;
        x.first++;
    }
    if (x.first >= DBL_DIG)
        return 0;
    *text = '-';
    const int sign = value < 0.0;
    return (size_t)sign + put_digits(digits, n, x.first, text + sign);
}

static bool reads_back(double value, int digits, char text[TN_NUMBER_SIZE])
{
    TN_ASSERT(digits > 0 && digits <= DBL_DECIMAL_DIG);
    snprintf(text, TN_NUMBER_SIZE, "%.*g", digits, value);
    return strtod(text, NULL) == value;
}

// Most numbers of a motion need 16 or 17 digits: where 16 are not enough 15 need not be tried.
static void shortest(double value, char text[TN_NUMBER_SIZE])
{
    if (value == 0.0) {
        strcpy(text, signbit(value) ? "-0" : "0");
        return;
    }
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
    const size_t length = write_exactly(value, text);
    if (length > 0)
        return length;
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
    char number[1200]; // more digits than separate two doubles
    if (!tn_number_is_one(text))
        return false;
    const char *dot = strchr(text, '.');
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

// Between numbers --------------------------------------------------------------------------------

double tn_value_through(int n, const double *t, const double *y, double at)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double factor = y[i];
        for (int j = 0; j < n; j++)
            if (j != i)
                factor *= (at - t[j]) / (t[i] - t[j]);
        sum += factor;
    }
    return sum;
}

// A time that rows share is that of a jump: nodes are taken from one side of it only.
double tn_value_between(long n, const double *t, const double *y, double at)
{
    enum { NODES = 4 };
    const double slack = 1e-9 * (t[n - 1] - t[0]);
    if (!(at >= t[0] - slack && at <= t[n - 1] + slack))
        return NAN;
    at = at < t[0] ? t[0] : at;
    long right = tn_count_up_to((int)n, t, at);
    if (right == n) // the last one
        return y[n - 1];
    long first = right - 1, end = right + 1;
    if (at == t[first])
        return y[first];
    while (end - first < NODES) {
        const bool before = first > 0 && t[first - 1] < t[first];
        const bool behind = end < n && t[end] > t[end - 1];
        if (!before && !behind)
            break;
        const bool left = before && (!behind || at - t[first - 1] <= t[end] - at);
        first -= left;
        end += !left;
    }
    return tn_value_through((int)(end - first), t + first, y + first, at);
}
