// SPDX-License-Identifier: MIT
//
// Ticks: round numbers in the range, with texts that tell their values.

#include "draw/plot_parts.h"
#include "test.h"

static tn_ticks ticks;

// "0.0 0.5 1.0 | ×10^3 + 2": the texts, then the note.
static const char *texts(void)
{
    static char out[4096];
    int n = 0;

    out[0] = '\0';
    for (int i = 0; i < ticks.n; i++)
        if (!ticks.at[i].minor)
            n += snprintf(out + n, sizeof(out) - (size_t)n, "%s%s%s%s", n ? " " : "",
                          ticks.at[i].text, *ticks.at[i].raised ? "^" : "", ticks.at[i].raised);
    if (*ticks.note || *ticks.note_rest)
        snprintf(out + n, sizeof(out) - (size_t)n, " | %s%s%s%s", ticks.note,
                 *ticks.note_raised ? "^" : "", ticks.note_raised, ticks.note_rest);
    return out;
}

static const char *linear(double lo, double hi, int most)
{
    tn_ticks_linear(lo, hi, most, &ticks);
    return texts();
}

static const char *logarithmic(double lo, double hi, int most)
{
    tn_ticks_log(lo, hi, most, &ticks);
    return texts();
}

static void ticks_are_multiples_of_one_two_or_five(void)
{
    CHECK_TEXT(linear(0.0, 5.0, 8), "0 1 2 3 4 5");
    CHECK_TEXT(linear(0.0, 1.0, 5), "0.0 0.2 0.4 0.6 0.8 1.0");
    CHECK(ticks.at[3].value == 0.6); // not 3 * 0.2
    CHECK_TEXT(linear(-1.1, 1.1, 5), "−1.0 −0.5 0.0 0.5 1.0");
    CHECK_TEXT(linear(13.0, 48.0, 4), "20 30 40");
    CHECK_TEXT(linear(0.0012, 0.0019, 4), "0.0012 0.0014 0.0016 0.0018");
    CHECK_TEXT(linear(0.0, 10000.0, 3), "0 5000 10000");
}

static void tiny_and_huge_numbers_share_a_power_of_ten(void)
{
    CHECK_TEXT(linear(0.0, 120000.0, 6), "0.0 0.2 0.4 0.6 0.8 1.0 1.2 | ×10^5");
    CHECK_TEXT(linear(0.0, 3e-9, 6), "0.0 0.5 1.0 1.5 2.0 2.5 3.0 | ×10^−9");
    CHECK_TEXT(linear(-1e308, 1e308, 4), "−1.0 −0.5 0.0 0.5 1.0 | ×10^308"); // hi - lo overflows
    CHECK_TEXT(linear(0.0, 4e-320, 4), "0 1 2 3 4 | ×10^−320");              // denormal
}

static void narrow_ranges_share_a_term(void)
{
    CHECK_TEXT(linear(9.8099998, 9.8100002, 4), "−2 −1 0 1 2 | ×10^−7 + 9.81");
    CHECK_TEXT(linear(-9.8100002, -9.8099998, 4), "−2 −1 0 1 2 | ×10^−7 − 9.81");
    CHECK_TEXT(linear(1234567.0, 1234569.0, 2), "−3 −2 −1 | + 1234570");
}

static void log_ticks_are_powers_of_ten_with_their_parts_between(void)
{
    int minor = 0;

    CHECK_TEXT(logarithmic(1e-3, 1.0, 8), "10^−3 10^−2 10^−1 10^0");
    for (int i = 0; i < ticks.n; i++)
        minor += ticks.at[i].minor;
    CHECK(minor == 3 * 8);
    CHECK(ticks.at[1].value == 2e-3);
    CHECK_TEXT(logarithmic(1e-16, 1e-4, 5), "10^−15 10^−12 10^−9 10^−6");
    CHECK_TEXT(logarithmic(1e-300, 1e300, 6), "10^−200 10^0 10^200");
}

static void log_ranges_of_less_than_two_decades_show_parts(void)
{
    CHECK_TEXT(logarithmic(1.5, 30.0, 6), "2 5 10 20");
    CHECK_TEXT(logarithmic(2e-7, 8e-7, 6), "2×10^−7 5×10^−7");
    CHECK_TEXT(logarithmic(0.029, 0.041, 6), "0.03 0.04");
    CHECK_TEXT(logarithmic(3.1, 3.2, 6), "3.10 3.12 3.14 3.16 3.18 3.20");
}

// A number as ticks write it, with its own minus sign.
static double number_of(const char *text)
{
    char plain[64] = "";
    int n = 0;

    while (*text && n < 60) {
        if (strncmp(text, "−", strlen("−")) == 0) {
            plain[n++] = '-';
            text += strlen("−");
        } else if (*text == ' ' || *text == '+') {
            text++;
        } else {
            plain[n++] = *text++;
        }
    }
    return *plain ? strtod(plain, NULL) : 0.0;
}

// Texts have at most six digits behind a common term: what they miss is less than a step.
static void texts_tell_the_values_for_any_range(void)
{
    const double ROUNDING = 1e-12;

    for (int k = 0; k < 3000; k++) {
        const double sign = tn_random(), middle = sign * pow(10.0, 290.0 * tn_random());
        const double half = fabs(middle) * pow(10.0, -5.0 + 5.5 * tn_random());
        const double lo = middle - half, hi = middle + half;
        tn_ticks_linear(lo, hi, 3 + k % 10, &ticks);
        const double power = *ticks.note ? number_of(ticks.note_raised) : 0.0;
        CHECK(ticks.n >= (k % 10 < 2 ? 1 : 2) && ticks.n <= 4 + k % 10);
        for (int i = 0; i < ticks.n; i++) {
            const double told =
                number_of(ticks.at[i].text) * pow(10.0, power) + number_of(ticks.note_rest);
            const double slack = 1e-9 * half;
            CHECK(ticks.at[i].value >= lo - slack && ticks.at[i].value <= hi + slack);
            CHECK(i == 0 || ticks.at[i].value > ticks.at[i - 1].value);
            CHECK_NEAR(told / hi, ticks.at[i].value / hi, ROUNDING * fmax(1.0, fabs(lo / hi)));
        }
    }
}

static void log_ticks_lie_in_any_range(void)
{
    for (int k = 0; k < 3000; k++) {
        const double lo = pow(10.0, 150.0 * tn_random());
        const double hi = lo * (1.0 + pow(10.0, 100.0 * fabs(tn_random()) - 3.0));
        int labels = 0;
        tn_ticks_log(lo, hi, 3 + k % 10, &ticks);
        for (int i = 0; i < ticks.n; i++) {
            CHECK(ticks.at[i].value > lo * (1.0 - 1e-8) && ticks.at[i].value < hi * (1.0 + 1e-8));
            CHECK(ticks.at[i].minor == (ticks.at[i].text[0] == '\0'));
            labels += !ticks.at[i].minor;
        }
        CHECK(labels >= 2 && labels <= 20);
    }
}

static const tn_test tests[] = {
    {"ticks are multiples of one, two or five", ticks_are_multiples_of_one_two_or_five},
    {"tiny and huge numbers share a power of ten", tiny_and_huge_numbers_share_a_power_of_ten},
    {"narrow ranges share a term", narrow_ranges_share_a_term},
    {"log ticks are powers of ten with their parts between",
     log_ticks_are_powers_of_ten_with_their_parts_between},
    {"log ranges of less than two decades show parts",
     log_ranges_of_less_than_two_decades_show_parts},
    {"texts tell the values for any range", texts_tell_the_values_for_any_range},
    {"log ticks lie in any range", log_ticks_lie_in_any_range},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
