// SPDX-License-Identifier: MIT
//
// Ticks at round numbers. A linear tick is K 10^e with whole K, a multiple of 1, 2 or 5; its text
// is made from K, its value by reading "Ke" back, so that 0.3 is 0.3 and no locale plays a part.

#include "draw/plot_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIGITS = 6,   // of a text; more are taken out as a common term
    LARGEST_PLAIN = 4, // power of ten that is still written with zeros
    FEWEST_PLAIN = -4
};

static double decimal_value(long long mantissa, int exponent)
{
    char text[48];
    snprintf(text, sizeof(text), "%llde%d", mantissa, exponent);
    return strtod(text, NULL);
}

// The digits of mantissa * 10^exponent without an exponent, with a minus sign as wide as a plus.
static void decimal_text(long long mantissa, int exponent, char text[TN_TICK_TEXT])
{
    char digits[TN_TICK_TEXT];
    const int decimals = exponent < 0 ? -exponent : 0;
    int n = snprintf(digits, sizeof(digits), "%0*lld", decimals + 1, llabs(mantissa));
    for (int i = 0; mantissa != 0 && i < exponent && n < TN_TICK_TEXT - 1; i++)
        digits[n++] = '0';
    digits[n] = '\0';
    snprintf(text, TN_TICK_TEXT, "%s%.*s%s%.*s", mantissa < 0 ? "−" : "", n - decimals, digits,
             decimals ? "." : "", decimals, digits + n - decimals);
}

static void power_text(int exponent, char text[TN_TICK_TEXT])
{
    snprintf(text, TN_TICK_TEXT, "%s%d", exponent < 0 ? "−" : "", abs(exponent));
}

static int digit_count(long long value)
{
    int n = 1;
    while ((value /= 10) != 0)
        n++;
    return n;
}

static long long power_of_ten(int n)
{
    long long p = 1;
    while (n-- > 0)
        p *= 10;
    return p;
}

static tn_tick *next_tick(tn_ticks *ticks)
{
    tn_tick *tick = &ticks->at[ticks->n];
    if (ticks->n < TN_MOST_TICKS - 1)
        ticks->n++;
    memset(tick, 0, sizeof(*tick));
    return tick;
}

// The common term of texts that would need too many digits: the middle, rounded to the first digit
// before those in which the ticks differ.
static long long common_term(long long first, long long last)
{
    const long long largest = llabs(first) > llabs(last) ? llabs(first) : llabs(last);
    if (digit_count(largest) <= MOST_DIGITS)
        return 0;
    const long long unit = power_of_ten(digit_count(last - first));
    return llround((double)(first / 2 + last / 2) / (double)unit) * unit;
}

static void put_note(tn_ticks *out, int power, long long term, int exponent)
{
    char text[TN_TICK_TEXT];
    if (power != 0) {
        snprintf(out->note, sizeof(out->note), "×10");
        power_text(power, out->note_raised);
    }
    if (term == 0)
        return;
    for (; term % 10 == 0; term /= 10)
        exponent++;
    if (digit_count(term) + abs(exponent) <= 18)
        decimal_text(llabs(term), exponent, text);
    else
        snprintf(text, sizeof(text), "%llde%d", llabs(term), exponent);
    snprintf(out->note_rest, sizeof(out->note_rest), "%s%s %.24s", power ? " " : "",
             term < 0 ? "−" : "+", text);
}

// The step m 10^e, m = 1, 2 or 5, of which at most `most` fit into the range.
static void choose_step(double lo, double hi, int most, int *m, int *e)
{
    const double raw = (0.5 * hi - 0.5 * lo) / (0.5 * most); // the range itself may overflow
    const double slack = 1.0 - 1e-9;
    *e = (int)floor(log10(raw));
    *m = 1;
    while (decimal_value(*m, *e) < raw * slack) {
        *m = *m == 1 ? 2 : *m == 2 ? 5 : 1;
        *e += *m == 1;
    }
}

void tn_ticks_linear(double lo, double hi, int most, tn_ticks *out)
{
    int m, e;
    memset(out, 0, sizeof(*out));
    choose_step(lo, hi, most < 2 ? 2 : most, &m, &e);
    const double step = decimal_value(m, e), slack = 1e-9;
    const long long first = m * (long long)ceil(lo / step - slack);
    const long long last = m * (long long)floor(hi / step + slack);
    const long long term = common_term(first, last);
    const long long low = llabs(first - term), high = llabs(last - term);
    const int top = digit_count(low > high ? low : high) - 1 + e; // power of the leading digit
    const int power = top > LARGEST_PLAIN || e < FEWEST_PLAIN ? top : 0;
    for (long long k = first; k <= last; k += m) {
        tn_tick *tick = next_tick(out);
        tick->value = decimal_value(k, e);
        decimal_text(k - term, e - power, tick->text);
    }
    put_note(out, power, term, e);
}

// Logarithmic -----------------------------------------------------------------------------------

static void add_log_tick(tn_ticks *out, int mantissa, int exponent, bool minor, bool plain)
{
    tn_tick *tick = next_tick(out);
    tick->value = decimal_value(mantissa, exponent);
    tick->minor = minor;
    if (minor)
        return;
    if (plain && exponent <= LARGEST_PLAIN && exponent >= FEWEST_PLAIN) {
        decimal_text(mantissa, exponent, tick->text);
        return;
    }
    if (mantissa == 1)
        snprintf(tick->text, sizeof(tick->text), "10");
    else
        snprintf(tick->text, sizeof(tick->text), "%d×10", mantissa);
    power_text(exponent, tick->raised);
}

// Decades, every `each` of them with text, between them their parts or the decades left out.
static void decade_ticks(double lo, double hi, int first, int last, int each, tn_ticks *out)
{
    const int decades = last - first + 1;
    for (int k = first - 1; k <= last; k++) {
        const bool minor = k % each != 0;
        if (k >= first && (!minor || decades <= TN_MOST_TICKS / 2))
            add_log_tick(out, 1, k, minor, false);
        for (int m = 2; m < 10 && each == 1; m++) {
            const double value = decimal_value(m, k);
            if (value >= lo && value <= hi)
                add_log_tick(out, m, k, true, false);
        }
    }
}

// Less than two decades: the multiples in `chosen` get a text. Returns how many did.
static int part_ticks(double lo, double hi, const char *chosen, tn_ticks *out)
{
    const double slack = 1e-12;
    int texts = 0;
    memset(out, 0, sizeof(*out));
    for (int k = (int)floor(log10(lo)); k <= (int)floor(log10(hi) + slack); k++)
        for (int m = 1; m < 10; m++) {
            const double value = decimal_value(m, k);
            const bool minor = !strchr(chosen, '0' + m);
            if (value < lo * (1.0 - slack) || value > hi * (1.0 + slack))
                continue;
            add_log_tick(out, m, k, minor, true);
            texts += !minor;
        }
    return texts;
}

static int multiples(int first, int last, int each)
{
    return (int)(floor((double)last / each) - ceil((double)first / each)) + 1;
}

void tn_ticks_log(double lo, double hi, int most, tn_ticks *out)
{
    static const int each[] = {1, 2, 3, 5, 10, 20, 30, 50, 100, 200};
    const double slack = 1e-9;
    const int first = (int)ceil(log10(lo) - slack), last = (int)floor(log10(hi) + slack);
    const int decades = last - first + 1;
    int i = 0;
    memset(out, 0, sizeof(*out));
    if (most < 3)
        most = 3;
    while (i < TN_COUNT(each) - 1 && decades > most * each[i])
        i++;
    while (i > 0 && multiples(first, last, each[i]) < 2)
        i--;
    if (decades >= 2)
        decade_ticks(lo, hi, first, last, each[i], out);
    else if (part_ticks(lo, hi, "125", out) < 2 && part_ticks(lo, hi, "123456789", out) < 2)
        tn_ticks_linear(lo, hi, most < 5 ? 5 : most, out); // five make at least two
}
