// SPDX-License-Identifier: MIT
//
// Numbers with units; see measure.h. A unit is factor 10^ten times a product of powers of m, kg, s,
// rad and A. Powers of ten go into the exponent of the number as it is written, so that it is
// rounded once.

#include "text/measure.h"

#include "base/tolerance.h"
#include "text/number.h"
#include "text/table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DIMENSIONS = 5, MOST_POWER = 9, MOST_SYMBOL = 24 };

typedef struct known_unit {
    int power[DIMENSIONS]; // of m, kg, s, rad and A
    int ten;
    double factor;
} known_unit;

typedef struct symbol {
    const char *name;
    known_unit unit;
    bool prefixed; // true if prefixes may stand before it
} symbol;

// Names that are in the table are taken before prefixes are tried: `min` is a minute, `ft` a foot.
static const symbol symbols[] = {
    {"m", {{1}, 0, 1.0}, true},
    {"g", {{0, 1}, -3, 1.0}, true},
    {"t", {{0, 1}, 3, 1.0}, false},
    {"s", {{0, 0, 1}, 0, 1.0}, true},
    {"min", {{0, 0, 1}, 0, 60.0}, false},
    {"h", {{0, 0, 1}, 0, 3600.0}, false},
    {"Hz", {{0, 0, -1}, 0, 1.0}, true},
    {"rad", {{0, 0, 0, 1}, 0, 1.0}, true},
    {"deg", {{0, 0, 0, 1}, 0, TN_PI / 180.0}, false},
    {"°", {{0, 0, 0, 1}, 0, TN_PI / 180.0}, false},
    {"rev", {{0, 0, 0, 1}, 0, 2.0 * TN_PI}, false},
    {"rpm", {{0, 0, -1, 1}, 0, TN_PI / 30.0}, false},
    {"N", {{1, 1, -2}, 0, 1.0}, true},
    {"Nm", {{2, 1, -2}, 0, 1.0}, true},
    {"J", {{2, 1, -2}, 0, 1.0}, true},
    {"W", {{2, 1, -3}, 0, 1.0}, true},
    {"Pa", {{-1, 1, -2}, 0, 1.0}, true},
    {"bar", {{-1, 1, -2}, 5, 1.0}, true},
    {"in", {{1}, -4, 254.0}, false},
    {"ft", {{1}, -4, 3048.0}, false},
    {"lb", {{0, 1}, -8, 45359237.0}, false},
    {"lbf", {{1, 1, -2}, -13, 44482216152605.0}, false},
    {"A", {{0, 0, 0, 0, 1}, 0, 1.0}, true},
    {"V", {{2, 1, -3, 0, -1}, 0, 1.0}, true},
    {"ohm", {{2, 1, -3, 0, -2}, 0, 1.0}, true},
    {"Ω", {{2, 1, -3, 0, -2}, 0, 1.0}, true},
    {"H", {{2, 1, -2, 0, -2}, 0, 1.0}, true},
    {"F", {{-2, -1, 4, 0, 2}, 0, 1.0}, true},
};

static const struct {
    const char *name;
    int ten;
} prefixes[] = {{"n", -9}, {"u", -6}, {"µ", -6}, {"μ", -6}, {"m", -3}, {"c", -2},
                {"d", -1}, {"h", 2},  {"k", 3},  {"M", 6},  {"G", 9}};

// Units that hints offer.
static const char *const usual[] = {
    "m",   "mm",   "cm", "dm", "in",  "ft", "lb",  "lbf", "km",  "kg",  "g",   "mg",
    "t",   "s",    "ms", "us", "min", "h",  "Hz",  "kHz", "rad", "deg", "rev", "rpm",
    "N",   "kN",   "mN", "MN", "Nm",  "J",  "kJ",  "W",   "kW",  "Pa",  "kPa", "MPa",
    "GPa", "mrad", "A",  "mA", "V",   "mV", "ohm", "H",   "F",   "bar"};

// One symbol -----------------------------------------------------------------------------------

static const symbol *find_exactly(const char *name)
{
    for (int i = 0; i < TN_COUNT(symbols); i++)
        if (strcmp(symbols[i].name, name) == 0)
            return &symbols[i];
    return NULL;
}

static bool find_symbol(const char *name, known_unit *out)
{
    const symbol *found = find_exactly(name);
    if (found) {
        *out = found->unit;
        return true;
    }
    for (int i = 0; i < TN_COUNT(prefixes); i++) {
        const size_t n = strlen(prefixes[i].name);
        found = strncmp(name, prefixes[i].name, n) == 0 ? find_exactly(name + n) : NULL;
        if (!found || !found->prefixed)
            continue;
        *out = found->unit;
        out->ten += prefixes[i].ten;
        return true;
    }
    return false;
}

static void multiply(known_unit *u, const known_unit *by, int power)
{
    for (int i = 0; i < DIMENSIONS; i++)
        u->power[i] += power * by->power[i];
    u->ten += power * by->ten;
    for (int k = 0; k < abs(power); k++)
        u->factor = power > 0 ? u->factor * by->factor : u->factor / by->factor;
}

// A whole unit ---------------------------------------------------------------------------------

typedef struct scan {
    const char *at;
    known_unit unit;
} scan;

static void skip_spaces(scan *s)
{
    while (*s->at == ' ')
        s->at++;
}

static bool skip(scan *s, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

static bool is_letter(char c) // or a part of one beyond ASCII
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

static bool at_dot(const scan *s)
{
    return strncmp(s->at, "·", 2) == 0 || strncmp(s->at, "⋅", 3) == 0;
}

static tn_status read_power(scan *s, int *out)
{
    *out = 1;
    if (skip(s, "²"))
        *out = 2;
    else if (skip(s, "³"))
        *out = 3;
    if (!skip(s, "^"))
        return TN_OK;
    const bool minus = skip(s, "-");
    if (!isdigit((unsigned char)*s->at) || isdigit((unsigned char)s->at[1]))
        return tn_fail(TN_ERR_MODEL, "an exponent is a whole number up to %d, as in m^2",
                       MOST_POWER);
    *out = (*s->at++ - '0') * (minus ? -1 : 1);
    return TN_OK;
}

// "N mm or Nm m" for "Nmm": products whose sign was left out, of units of different dimensions.
static void split_product(const char *name, size_t size, char *out)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t n = 1; n < strlen(name); n++) {
        char first[MOST_SYMBOL];
        known_unit a, b;
        snprintf(first, sizeof first, "%.*s", (int)n, name);
        if (!find_symbol(first, &a) || !find_symbol(name + n, &b) ||
            memcmp(a.power, b.power, sizeof a.power) == 0 || used + MOST_SYMBOL + 8 > size)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s'%s %s'", used ? " or " : "", first,
                                 name + n);
    }
}

static tn_status unknown_unit(const char *name)
{
    char products[120];
    for (int i = 0; i < TN_COUNT(usual); i++)
        if (strcasecmp(name, usual[i]) == 0)
            return tn_fail(TN_ERR_MODEL, "unknown unit '%s'; did you mean '%s'?", name, usual[i]);
    split_product(name, sizeof products, products);
    if (*products)
        return tn_fail(TN_ERR_MODEL,
                       "unknown unit '%s'; did you mean %s? (a product needs a space or '*', a "
                       "quotient '/')",
                       name, products);
    return tn_fail(TN_ERR_MODEL, "unknown unit '%s'; %s (a product needs '*')", name,
                   tn_name_hint(name, TN_COUNT(usual), usual).text);
}

static tn_status read_factor(scan *s, int sign)
{
    char name[MOST_SYMBOL] = "";
    size_t n = 0;
    int power = 1;
    known_unit found;
    for (; is_letter(s->at[n]) && n + 1 < sizeof name; n++) {
        const scan here = {.at = s->at + n};
        if (at_dot(&here) || strncmp(s->at + n, "²", 2) == 0 || strncmp(s->at + n, "³", 2) == 0)
            break;
        name[n] = s->at[n];
    }
    name[n] = '\0';
    s->at += n;
    if (n == 0)
        return tn_fail(TN_ERR_MODEL, "a unit is missing at '%.20s'", s->at);
    if (!find_symbol(name, &found))
        return unknown_unit(name);
    TN_TRY(read_power(s, &power));
    multiply(&s->unit, &found, sign * power);
    return TN_OK;
}

// Up to a '/', a ')' or the end.
static tn_status read_product(scan *s, int sign)
{
    do {
        TN_TRY(read_factor(s, sign));
        skip_spaces(s);
        if (skip(s, "*") || skip(s, "·") || skip(s, "⋅"))
            skip_spaces(s);
    } while (*s->at && *s->at != '/' && *s->at != ')');
    return TN_OK;
}

static tn_status read_unit(const char *text, known_unit *out)
{
    scan s = {.at = text, .unit = {.factor = 1.0}};
    if (!(s.at[0] == '1' && s.at[1] == '/' && s.at++))
        TN_TRY(read_product(&s, 1));
    if (skip(&s, "/")) {
        skip_spaces(&s);
        if (!skip(&s, "("))
            TN_TRY(read_factor(&s, -1));
        else {
            skip_spaces(&s);
            TN_TRY(read_product(&s, -1));
            if (!skip(&s, ")"))
                return tn_fail(TN_ERR_MODEL, "a ')' is missing in the unit");
        }
        skip_spaces(&s);
        if (*s.at && *s.at != ')')
            return tn_fail(TN_ERR_MODEL,
                           "behind '/' stands more than one unit; put all of them in parentheses, "
                           "as in N/(m s)");
    }
    if (*s.at)
        return tn_fail(TN_ERR_MODEL, "'%.20s' does not belong to a unit", s.at);
    *out = s.unit;
    return TN_OK;
}

// A number with its unit ------------------------------------------------------------------------

// Returns the beginning of the unit; NULL for none.
static const char *unit_of(const char *text)
{
    const char *number = text + (*text == '+' || *text == '-');
    const size_t n = tn_number_length(number);
    const char *rest = number + n;
    if (n == 0)
        return NULL;
    while (*rest == ' ')
        rest++;
    const bool one_over = rest > number + n && rest[0] == '1' && rest[1] == '/';
    return is_letter(*rest) || one_over ? rest : NULL;
}

bool tn_unit_is_known(const char *unit)
{
    known_unit ignored;
    return unit && *unit && read_unit(unit, &ignored) == TN_OK;
}

bool tn_measure_is_one(const char *text)
{
    return unit_of(text) != NULL;
}

bool tn_measure_is_alike(const char *a, const char *b)
{
    const char *one = unit_of(a), *two = unit_of(b);
    known_unit x, y;
    if (!one || !two)
        return !one && !two;
    return read_unit(one, &x) == TN_OK && read_unit(two, &y) == TN_OK &&
           memcmp(x.power, y.power, sizeof x.power) == 0;
}

// The number before the unit, times a power of ten.
static bool read_scaled(const char *text, const char *end, int ten, double *out)
{
    char number[1200], shifted[1216];
    while (end > text && end[-1] == ' ')
        end--;
    const size_t n = (size_t)(end - text);
    if (n >= sizeof number)
        return false;
    memcpy(number, text, n);
    number[n] = '\0';
    const size_t digits = strcspn(number, "eE");
    const long stated = digits < n ? strtol(number + digits + 1, NULL, 10) : 0;
    if (stated < -100000 || stated > 100000)
        return tn_number_from_text(number, out); // zero or infinity
    snprintf(shifted, sizeof shifted, "%.*se%ld", (int)digits, number, stated + ten);
    return tn_number_from_text(shifted, out);
}

// A number with few digits times a whole factor and a power of ten: both are whole numbers that
// doubles hold, so that their quotient is rounded once and 1 in is the double 0.0254.
static bool read_whole(const char *text, const char *end, int ten, double factor, double *out)
{
    static const double MOST = 9007199254740992.0; // 2^53
    const bool minus = *text == '-';
    double whole = 0.0, power = 1.0;
    bool behind = false;
    for (text += *text == '-' || *text == '+'; text < end; text++) {
        if (*text == '.' && !behind)
            behind = true;
        else if (isdigit((unsigned char)*text))
            whole = 10.0 * whole + (*text - '0'), ten -= behind;
        else if (*text != ' ')
            return false; // an exponent
        if (whole * factor > MOST)
            return false;
    }
    if (factor != floor(factor) || ten > 0 || ten < -22) // 10^22 is the last that doubles hold
        return false;
    for (int k = 0; k < -ten; k++)
        power *= 10.0;
    *out = (minus ? -whole : whole) * factor / power;
    return true;
}

// Units that are offered where another dimension is needed.
static const char *examples(const char *unit)
{
    static const char *const offered[][2] = {
        {"m", "m, mm, cm or km"},          {"kg", "kg, g or t"},
        {"s", "s, ms, min or h"},          {"rad", "rad, deg or rev"},
        {"deg", "deg, rad or rev"},        {"m/s", "m/s, mm/s or km/h"},
        {"rad/s", "rad/s, deg/s or rpm"},  {"N", "N, kN or mN"},
        {"N m", "N m, kN m or N mm"},      {"N/m", "N/m, kN/m or N/mm"},
        {"N m/rad", "N m/rad or N m/deg"}, {"N s/m", "N s/m or kN s/m"},
        {"Pa", "Pa, MPa, GPa or bar"},     {"kg m^2", "kg m^2 or g cm^2"},
        {"kg/m^3", "kg/m^3 or g/cm^3"},    {"m/rad", "m/rad, mm/rad or mm/rev"},
    };
    for (int i = 0; i < TN_COUNT(offered); i++)
        if (strcmp(offered[i][0], unit) == 0)
            return offered[i][1];
    return unit;
}

static tn_status in_unit(const char *text, const char *stated, const char *wanted, known_unit *out)
{
    known_unit key = {.factor = 1.0};
    int number = (int)(stated - text);
    while (number > 0 && text[number - 1] == ' ')
        number--;
    if (read_unit(stated, out) != TN_OK)
        return tn_fail_within(TN_ERR_MODEL, "'%.60s'", text);
    if (wanted && !*wanted)
        return tn_fail(TN_ERR_MODEL,
                       "'%.60s' has the unit %.40s, but this number has none; write a plain number",
                       text, stated);
    if (wanted && read_unit(wanted, &key) != TN_OK)
        return tn_fail(TN_ERR_MODEL,
                       "'%.60s' has the unit %.40s, which cannot be converted to %s; write a plain "
                       "number in %s",
                       text, stated, wanted, wanted);
    if (wanted && memcmp(out->power, key.power, sizeof key.power) != 0)
        return tn_fail(TN_ERR_MODEL,
                       "'%.60s' is in %.40s, which is no multiple of %s; write it in %s, or "
                       "'%.*s' alone for %s",
                       text, stated, wanted, examples(wanted), number, text, wanted);
    multiply(out, &key, -1);
    memset(out->power, 0, sizeof out->power);
    return TN_OK;
}

tn_status tn_measure_read(const char *text, const char *wanted, double *out)
{
    const char *stated = unit_of(text);
    known_unit u;
    double value = 0.0;
    TN_ASSERT(stated);
    TN_TRY(in_unit(text, stated, wanted, &u));
    if (u.factor == 1.0 || !read_whole(text, stated, u.ten, u.factor, &value)) {
        if (!read_scaled(text, stated, u.ten, &value))
            return tn_fail(TN_ERR_MODEL, "'%.60s' has too many digits", text);
        value *= u.factor;
    }
    if (!isfinite(value))
        return tn_fail(TN_ERR_MODEL, "'%.60s' must be finite", text);
    *out = value;
    return TN_OK;
}

const char *tn_unit_chosen(const char *unit, bool angle, int place, char text[TN_UNIT_SIZE])
{
    const char *comma = strstr(unit, ", ");
    const char *from = comma && place == 1 ? comma + 2 : unit;
    size_t n = comma && place == 0 ? (size_t)(comma - unit) : strlen(from);
    const char *other = strstr(from, " or ");
    if (other && other < from + n) {
        n = angle ? n - (size_t)(other + 4 - from) : (size_t)(other - from);
        from = angle ? other + 4 : from;
    }
    snprintf(text, TN_UNIT_SIZE, "%.*s", (int)n, from);
    return text;
}
