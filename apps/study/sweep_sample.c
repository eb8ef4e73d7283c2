// SPDX-License-Identifier: MIT
//
// The values of a case by its number alone, so that any worker, shard or later run has the same.

#include "study/sweep_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWN = 100000000, SOBOL_AXES = 16 };

// Random numbers: SplitMix64 [Steele, Lea, Flood: Fast splittable pseudorandom number generators,
// OOPSLA 2014], a function of where they are asked for.
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t random_bits(const sweep_sample *s, int axis, uint64_t what)
{
    return mix(mix(mix(s->seed) + (uint64_t)axis) + what);
}

static double between_0_and_1(uint64_t bits)
{
    return ((double)(bits >> 11) + 0.5) / 9007199254740992.0;
}

// Latin hypercube: each of N equal parts of an axis has one case.
static tn_status shuffle(sweep_sample *s, int axis)
{
    int *order = tn_alloc(sizeof(int) * (size_t)s->cases);
    TN_TRY(tn_got(order));
    s->order[axis] = order;
    for (int i = 0; i < (int)s->cases; i++)
        order[i] = i;
    for (int i = (int)s->cases - 1; i > 0; i--) {
        const int k = (int)(random_bits(s, axis, (uint64_t)i) % (uint64_t)(i + 1));
        const int kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    return TN_OK;
}

// Sobol's sequence: primitive polynomials (degree, inner coefficients) and first direction numbers
// of S. Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections,
// SIAM J. Sci. Comput. 30 (2008), file new-joe-kuo-6; the first axis is van der Corput's.
typedef struct sobol_row {
    int degree, inner, m[6];
} sobol_row;

static const sobol_row sobol_rows[SOBOL_AXES - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
};

static uint32_t sobol(int axis, uint32_t index)
{
    uint32_t v[32], x = 0;
    const sobol_row *row = axis > 0 ? &sobol_rows[axis - 1] : NULL;
    for (int i = 0; i < 32; i++) {
        if (!row || i < row->degree) {
            v[i] = (row ? (uint32_t)row->m[i] : 1u) << (31 - i);
            continue;
        }
        const int d = row->degree;
        v[i] = v[i - d] ^ (v[i - d] >> d);
        for (int k = 1; k < d; k++)
            if ((row->inner >> (d - 1 - k)) & 1)
                v[i] ^= v[i - k];
    }
    for (int i = 0; i < 32; i++)
        if ((index >> i) & 1u)
            x ^= v[i];
    return x;
}

// A number between 0 and 1 for an axis of a case that is drawn. Sobol's points are shifted digit by
// digit, which keeps their evenness and their ends open.
static double drawn(const sweep_sample *s, int axis, int64_t index)
{
    if (s->way == SWEEP_RANDOM)
        return between_0_and_1(random_bits(s, axis, (uint64_t)index));
    if (s->way == SWEEP_LHS)
        return (s->order[axis][index] +
                between_0_and_1(random_bits(s, axis, (uint64_t)index + (1ull << 32)))) /
               (double)s->cases;
    const uint32_t shift = (uint32_t)random_bits(s, axis, 0);
    return ((double)(sobol(axis, (uint32_t)index) ^ shift) + 0.5) / 4294967296.0;
}

// x with 1/2 erfc(-x/sqrt 2) = u, by halving: the function is smooth but flat far out.
static double normal_at(double u)
{
    double low = -40.0, high = 40.0;
    for (int i = 0; i < 80; i++) {
        const double x = 0.5 * (low + high);
        if (0.5 * erfc(-x * M_SQRT1_2) < u)
            low = x;
        else
            high = x;
    }
    return 0.5 * (low + high);
}

static double triangle_at(const sweep_axis *x, double u)
{
    const double whole = x->c - x->a, rise = x->b - x->a;
    return u * whole < rise ? x->a + sqrt(u * whole * rise)
                            : x->c - sqrt((1.0 - u) * whole * (x->c - x->b));
}

static double at_quantile(const sweep_axis *x, double u)
{
    switch (x->kind) {
    case SWEEP_LIST:
        return x->list.at[(int)fmin(u * x->list.count, x->list.count - 1.0)];
    case SWEEP_RANGE:
        return x->log ? x->a * pow(x->b / x->a, u) : x->a + (x->b - x->a) * u;
    case SWEEP_NORMAL:
        return x->a + x->b * normal_at(u);
    case SWEEP_LOGNORMAL:
        return exp(x->a + x->b * normal_at(u));
    case SWEEP_TRIANGLE:
        return triangle_at(x, u);
    default:
        return NAN;
    }
}

// The last axis goes fastest.
static int grid_place(const sweep_axes *axes, int axis, int64_t index)
{
    for (int i = axes->count - 1; i > axis; i--)
        if (axes->at[i].kind == SWEEP_LIST)
            index /= axes->at[i].list.count;
    return (int)(index % axes->at[axis].list.count);
}

double tn_sweep_value(const sweep_sample *sample, const sweep_axes *axes, int axis, int64_t index)
{
    const sweep_axis *x = &axes->at[axis];
    if (x->kind == SWEEP_FIXED)
        return NAN;
    if (sample->way == SWEEP_GRID)
        return x->list.at[grid_place(axes, axis, index)];
    if (sample->way == SWEEP_ROWS)
        return x->list.at[index];
    return at_quantile(x, drawn(sample, axis, index));
}

tn_status tn_sweep_read_sample(const char *text, sweep_sample *out)
{
    static const char *const names[] = {"grid", "rows", "lhs", "sobol", "random"};
    char *end = NULL;
    const size_t n = strcspn(text, ":");
    for (int i = 0; i < TN_COUNT(names); i++) {
        if (strlen(names[i]) != n || strncmp(names[i], text, n) != 0)
            continue;
        out->way = (sweep_way)i;
        if (i <= SWEEP_ROWS && !text[n])
            return TN_OK;
        out->cases = text[n] ? strtoll(text + n + 1, &end, 10) : 0;
        if (i > SWEEP_ROWS && end && !*end && out->cases >= 1 && out->cases <= MOST_DRAWN)
            return TN_OK;
    }
    return tn_fail(
        TN_ERR_USAGE,
        "--sample '%s': write grid, rows, lhs:N, sobol:N or random:N with N from 1 to %d", text,
        MOST_DRAWN);
}

static tn_status count_grid(sweep_sample *s, const sweep_axes *axes)
{
    s->cases = 1;
    for (int i = 0; i < axes->count; i++) {
        const sweep_axis *x = &axes->at[i];
        if (x->kind == SWEEP_LIST && s->cases > INT64_C(1000000000000) / x->list.count)
            return tn_fail(TN_ERR_USAGE,
                           "the grid has more than 1e12 cases; vary fewer parameters");
        s->cases *= x->kind == SWEEP_LIST ? x->list.count : 1;
    }
    return TN_OK;
}

static tn_status count_rows(sweep_sample *s, const sweep_axes *axes)
{
    const sweep_axis *first = NULL;
    for (int i = 0; i < axes->count; i++) {
        const sweep_axis *x = &axes->at[i];
        if (x->kind != SWEEP_LIST)
            continue;
        if (first && first->list.count != x->list.count)
            return tn_fail(TN_ERR_USAGE,
                           "--sample rows: '%s' has %d values and '%s' has %d; lists side by side "
                           "have as many each",
                           first->name, first->list.count, x->name, x->list.count);
        first = x;
    }
    s->cases = first ? first->list.count : 1;
    return TN_OK;
}

tn_status tn_sweep_prepare(sweep_sample *s, const sweep_axes *axes)
{
    s->naxis = axes->count;
    if (s->way == SWEEP_GRID)
        return count_grid(s, axes);
    if (s->way == SWEEP_ROWS)
        return count_rows(s, axes);
    if (s->way == SWEEP_SOBOL && axes->count > SOBOL_AXES)
        return tn_fail(TN_ERR_USAGE, "--sample sobol takes up to %d parameters; lhs takes any",
                       SOBOL_AXES);
    if (s->way != SWEEP_LHS)
        return TN_OK;
    s->order = tn_alloc(sizeof *s->order * (size_t)(axes->count + 1));
    TN_TRY(tn_got(s->order));
    for (int i = 0; i < axes->count; i++)
        TN_TRY(shuffle(s, i));
    return TN_OK;
}

void tn_sweep_free_sample(sweep_sample *sample)
{
    for (int i = 0; sample->order && i < sample->naxis; i++)
        tn_free(sample->order[i]);
    tn_free(sample->order);
}
