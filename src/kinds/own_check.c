// SPDX-License-Identifier: MIT
//
// Compares the derivatives that a user-defined kind gives with differences of its functions: at
// random places (tn_check_kind), and where an element of a model starts. Differences are taken with
// two steps: a number on which they do not agree, or which is not finite, is one near a
// discontinuity or off the domain, and shows nothing.

#include "kinds/family.h"
#include "kinds/own.h"
#include "row/own_row.h"

#include "base/random.h"
#include "lie/so3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 64 };
// A number is wrong where it is off by this part of the largest one beside it: differences of
// fourth order are good to 1e-9, those of two steps to 1e-7 where the function has a discontinuity
// nearby.
static const double WRONG = 1e-6;
// At the start of an element: slips are found, and derivatives that are nearly right are taken.
static const double WRONG_AT_START = 1e-3;

typedef struct checker {
    const char *subject, *advice; // of messages
    const void *params;
    uint32_t seed;
    double wrong;   // as WRONG
    double length;  // of the model [m]: steps are parts of it
    bool finite;    // the results of the kind were, at some place
    bool right;     // some number that is not zero was, at the last place
    bool powers;    // are compared with energies, too
    bool closer;    // laws and functions may change over less than a step, see below
    unsigned still; // bits of those of 12 variations that no body of an element makes
} checker;

static tn_own_steps steps_of(const checker *c, double part)
{
    const tn_own_steps whole = tn_own_steps_for(c->length);
    return (tn_own_steps){part * whole.shift, part * whole.turn};
}

static double chance(checker *c) // from -1 to 1
{
    return 2.0 * tn_random_next(&c->seed);
}

static tn_vec3 chance_vector(checker *c)
{
    const double x = chance(c), y = chance(c);
    return tn_v3(x, y, chance(c));
}

static tn_frame chance_frame(checker *c)
{
    const tn_vec3 p = chance_vector(c);
    return (tn_frame){tn_so3_exp(tn_v3_scale(3.0, chance_vector(c))), p};
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : most;
    return most;
}

// "shift x of A": variation, velocity or effort k of 12.
static void put_words(char *text, size_t size, const char *linear, const char *angular,
                      const char *link, int k)
{
    snprintf(text, size, "%s %c %s %c", k % 6 < 3 ? linear : angular, "xyz"[k % 3], link,
             k < 6 ? 'A' : 'B');
}

// n numbers that were given, beside differences with a step and with its half.
typedef struct comparison {
    const char *what; // "D"
    int n;            // 1, 12 variations or 12 x 12
    const double *given, *coarse, *fine;
    double size; // of what is differentiated: its round-off is no derivative
} comparison;

static bool is_still(const checker *c, int n, int i)
{
    const bool row = n > 12 && (c->still >> (i / 12) & 1u);
    return row || (n > 1 && (c->still >> (i % 12) & 1u));
}

static int first_wrong(checker *c, const comparison *x)
{
    const double size = fmax(x->size, fmax(largest(x->n, x->fine), largest(x->n, x->given)));
    for (int i = 0; i < x->n; i++) {
        const bool certain = fabs(x->fine[i] - x->coarse[i]) <= 0.1 * c->wrong * size;
        if (is_still(c, x->n, i))
            continue;
        if (certain && !(fabs(x->given[i] - x->fine[i]) <= c->wrong * size))
            return i;
        c->right = c->right || (certain && fabs(x->fine[i]) > c->wrong * size);
    }
    return -1;
}

static tn_status tell_wrong(const checker *c, const comparison *x, int i, const char *words)
{
    return tn_fail(TN_ERR_MODEL,
                   "%s: %s, %s, is given as %.9g, but differences give %.9g (the largest number "
                   "beside it is %.3g)%s",
                   c->subject, x->what, words, x->given[i], x->fine[i],
                   fmax(x->size, largest(x->n, x->fine)), c->advice);
}

static tn_status compare_number(checker *c, const char *what, const char *words, double given,
                                double coarse, double fine, double size)
{
    const comparison x = {what, 1, &given, &coarse, &fine, size};
    return first_wrong(c, &x) == 0 ? tell_wrong(c, &x, 0, words) : TN_OK;
}

// Laws with a narrow band, and functions with ripples, are right in shorter steps alone. Wrong
// derivatives are so in all of them.
typedef void differences(const checker *c, const void *table, const void *at, double part,
                         double *slope);
enum { SLOPES_MAX = 3 };

static bool is_right_closer(checker *c, differences *form, const void *table, const void *at, int k,
                            double given)
{
    for (double part = 0x1p-4; c->closer && part >= 0x1p-40; part *= 0x1p-4) {
        double coarse[SLOPES_MAX], fine[SLOPES_MAX];
        form(c, table, at, part, coarse);
        form(c, table, at, 0.5 * part, fine);
        const double room = c->wrong * fmax(fabs(given), fabs(fine[k]));
        if (fabs(fine[k] - coarse[k]) <= room && fabs(given - fine[k]) <= room) {
            tn_clear_error();
            c->right = c->right || given != 0.0;
            return true;
        }
    }
    return false;
}

// Forces ------------------------------------------------------------------------------------------

static tn_status compare_tangent(checker *c, const comparison *x, const char *by, const char *turn)
{
    const int wrong = first_wrong(c, x);
    char row[64], column[64], words[160];
    if (wrong < 0)
        return TN_OK;
    put_words(row, sizeof row, "force", "moment", "on", wrong / 12);
    put_words(column, sizeof column, by, turn, "of", wrong % 12);
    snprintf(words, sizeof words, "row %d column %d (%s by %s)", wrong / 12, wrong % 12, row,
             column);
    return tell_wrong(c, x, wrong, words);
}

// The energy after a time h at constant velocities.
static double energy_after(const tn_own_force *table, tn_force_at at, double h)
{
    tn_moving_frame *end[2] = {&at.a, &at.b};
    tn_own_load load = {0};
    for (int k = 0; k < 2; k++) {
        end[k]->x.p = tn_v3_axpy(h, end[k]->V.v, end[k]->x.p);
        end[k]->x.R = tn_m3_mul(tn_so3_exp(tn_v3_scale(h, end[k]->V.w)), end[k]->x.R);
    }
    table->eval(&at, &load);
    return load.energy;
}

static double energy_rate(const tn_own_force *table, const tn_force_at *at, double h)
{
    double sum = 0.0;
    for (int n = 0; n < TN_OWN_POINTS; n++)
        sum += tn_own_weight[n] / h * energy_after(table, *at, tn_own_point[n] * h);
    return sum;
}

// The power of the wrenches is the supplied power, less heat and the stored power.
static tn_status check_powers(checker *c, const tn_own_force *table, const tn_force_at *at)
{
    tn_own_load load = {0};
    table->eval(at, &load);
    const double power = tn_power(load.a, at->a.V) + tn_power(load.b, at->b.V);
    const double rest = load.supplied - load.dissipated;
    const double coarse = rest - energy_rate(table, at, 2e-3);
    const double fine = rest - energy_rate(table, at, 1e-3);
    const double size = fabs(power) + fabs(load.dissipated) + fabs(load.supplied);
    return compare_number(c, "the power of its wrenches [W]",
                          "which is supplied - dissipated - d(energy)/dt", power, coarse, fine,
                          size);
}

static tn_status check_wrench(checker *c, const tn_own_force *table, const tn_force_at *at)
{
    const tn_own_steps coarsely = steps_of(c, 1.0), finely = steps_of(c, 0.5);
    const tn_own_steps steps[] = {coarsely, coarsely}, half[] = {finely, finely};
    tn_own_tangent T = {0}, coarse, fine;
    tn_own_load load = {0};
    table->eval(at, &load);
    const double size =
        tn_v3_norm(load.a.f) + tn_v3_norm(load.a.m) + tn_v3_norm(load.b.f) + tn_v3_norm(load.b.m);
    c->finite = c->finite || isfinite(size + load.energy);
    if (table->energies && c->powers)
        TN_TRY(check_powers(c, table, at));
    if (!table->tangent)
        return TN_OK;
    table->tangent(at, &T);
    tn_own_force_differences(table, at, steps, &coarse);
    tn_own_force_differences(table, at, half, &fine);
    const comparison K = {"K", 144, &T.K[0][0], &coarse.K[0][0], &fine.K[0][0], size};
    const comparison D = {"D", 144, &T.D[0][0], &coarse.D[0][0], &fine.D[0][0], size};
    TN_TRY(compare_tangent(c, &K, "shift", "turn"));
    return compare_tangent(c, &D, "velocity", "rate");
}

// Derivatives of a law.
enum { BY_X, BY_RATE, ELASTIC_BY_X, SLOPES };

static void slopes_of(const tn_own_law *law, double slope[SLOPES])
{
    slope[BY_X] = law->by_x;
    slope[BY_RATE] = law->by_rate;
    slope[ELASTIC_BY_X] = law->elastic_by_x;
}

static void law_differences(const checker *c, const void *table, const void *at, double part,
                            double slope[SLOPES])
{
    tn_own_law law = {0};
    const double step = steps_of(c, part).shift, steps[] = {step, step};
    tn_own_law_differences(table, at, steps, &law);
    slopes_of(&law, slope);
}

static tn_status check_slopes(checker *c, const tn_own_force *table, const tn_force_at *at,
                              const double given[SLOPES])
{
    static const char *const names[SLOPES][2] = {{"by_x", "d(force)/dx"},
                                                 {"by_rate", "d(force)/d(rate)"},
                                                 {"elastic_by_x", "d(elastic)/dx"}};
    double coarse[SLOPES], fine[SLOPES];
    law_differences(c, table, at, 1.0, coarse);
    law_differences(c, table, at, 0.5, fine);
    const double size = fmax(fabs(fine[BY_X]), fabs(fine[BY_RATE]));
    for (int k = 0; k < SLOPES; k++) {
        const tn_status status =
            compare_number(c, names[k][0], names[k][1], given[k], coarse[k], fine[k], size);
        if (status != TN_OK && !is_right_closer(c, law_differences, table, at, k, given[k]))
            return status;
    }
    return TN_OK;
}

static tn_status check_law(checker *c, const tn_own_force *table, const tn_force_at *at)
{
    tn_own_law law = {0};
    double given[SLOPES];
    table->law(at, &law);
    slopes_of(&law, given);
    c->finite = c->finite || isfinite(law.force + law.elastic);
    if (table->derives)
        TN_TRY(check_slopes(c, table, at, given));
    if (!table->energies || !c->powers)
        return TN_OK;
    const double rest = law.elastic * at->rate + law.supplied - law.dissipated;
    return compare_number(c, "the power of its force [W]",
                          "which is elastic rate + supplied - dissipated", law.force * at->rate,
                          rest, rest, fabs(rest) + fabs(law.force));
}

static tn_status check_force_at(checker *c, const tn_own_force *table, const tn_force_at *at)
{
    return table->law ? check_law(c, table, at) : check_wrench(c, table, at);
}

static tn_status check_force(checker *c, const tn_own_force *table)
{
    double u[6][3] = {{0}};
    for (int n = 0; n < PLACES; n++) {
        for (int i = 0; i < 6; i++)
            u[i][0] = chance(c);
        tn_force_at at = {.t = chance(c),
                          .params = c->params,
                          .u = (const double(*)[3])u,
                          .user = table->kind.user};
        at.a = (tn_moving_frame){.x = tn_frame_identity};
        if (table->law) {
            at.x = 1.0 + chance(c);
            at.rate = chance(c);
        } else {
            at.b = (tn_moving_frame){chance_frame(c), {chance_vector(c), chance_vector(c)}};
            if (table->place != TN_OWN_SINGLE)
                at.a = (tn_moving_frame){chance_frame(c), {chance_vector(c), chance_vector(c)}};
        }
        TN_TRY(check_force_at(c, table, &at));
    }
    return TN_OK;
}

// Joints ------------------------------------------------------------------------------------------

static const char *function_name(const tn_own_joint *table, int i)
{
    return i < table->nrow ? table->rows[i].name : table->coords[i - table->nrow].name;
}

static tn_status check_function_of_frames(checker *c, const tn_own_joint *table,
                                          const tn_joint_at *at, int i)
{
    const tn_own_steps steps = steps_of(c, 1.0), half = steps_of(c, 0.5);
    double G[2][12], H[2][12][12], given[12] = {0}, second[12][12] = {{0}};
    char column[64], words[256];
    table->gradient(at, i, given);
    tn_own_gradient_differences(table, at, i, steps, G[0]);
    tn_own_gradient_differences(table, at, i, half, G[1]);
    const comparison gradient = {"gradient", 12, given, G[0], G[1], fabs(table->value(at, i))};
    int wrong = first_wrong(c, &gradient);
    put_words(column, sizeof column, "shift", "turn", "of", wrong < 0 ? 0 : wrong);
    snprintf(words, sizeof words, "row '%s' column %d (%s)", function_name(table, i), wrong,
             column);
    if (wrong >= 0)
        return tell_wrong(c, &gradient, wrong, words);
    if (!table->hessian)
        return TN_OK;
    table->hessian(at, i, second);
    tn_own_hessian_differences(table, at, i, steps, H[0]);
    tn_own_hessian_differences(table, at, i, half, H[1]);
    const comparison hessian = {"hessian",   144,         &second[0][0],
                                &H[0][0][0], &H[1][0][0], largest(12, given)};
    wrong = first_wrong(c, &hessian);
    snprintf(words, sizeof words, "row '%s' at [%d][%d]", function_name(table, i), wrong / 12,
             wrong % 12);
    return wrong < 0 ? TN_OK : tell_wrong(c, &hessian, wrong, words);
}

static tn_status check_freedom(checker *c, const tn_own_joint *table, const tn_joint_at *at,
                               const double *q, int i)
{
    const tn_twist near = tn_own_freedom(table, at, q, i, 0.25);
    const tn_twist far = tn_own_freedom(table, at, q, i, 0.5);
    double moved[TN_JOINT_MAX_COORDS];
    memcpy(moved, q, (size_t)table->ncoord * sizeof *q);
    for (int j = 0; j < i; j++) // those before it do not change it
        moved[j] += 0.3;
    const tn_twist carried = tn_own_freedom(table, at, moved, i, 0.25);
    const double off = tn_v3_norm(tn_v3_sub(near.v, far.v)) + tn_v3_norm(tn_v3_sub(near.w, far.w)) +
                       tn_v3_norm(tn_v3_sub(near.v, carried.v)) +
                       tn_v3_norm(tn_v3_sub(near.w, carried.w));
    if (off <= c->wrong)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: its placement is no turn, slide or screw about an axis that stays, where "
                   "coordinate '%s' changes (off by %.3g); leave the placement out",
                   c->subject, table->coords[i].name, off);
}

static tn_status check_placement(checker *c, const tn_own_joint *table, const void *params,
                                 const double *q)
{
    tn_joint_at at = {.params = params, .user = table->kind.user};
    at.a = tn_frame_identity;
    at.b = table->placement(&at, q);
    for (int i = 0; i < table->nrow + table->ncoord; i++) {
        const double x = table->value(&at, i), want = i < table->nrow ? 0.0 : q[i - table->nrow];
        if (!(fabs(x - want) <= c->wrong))
            return tn_fail(TN_ERR_MODEL, "%s: on its placement '%s' is %.9g instead of %.9g",
                           c->subject, function_name(table, i), x, want);
    }
    for (int i = 0; i < table->ncoord; i++)
        TN_TRY(check_freedom(c, table, &at, q, i));
    c->right = true;
    return TN_OK;
}

static tn_status check_joint_at(checker *c, const tn_own_joint *table, const tn_joint_at *at)
{
    for (int i = 0; i < table->nrow + table->ncoord; i++) {
        c->finite = c->finite || isfinite(table->value(at, i));
        if (table->gradient)
            TN_TRY(check_function_of_frames(c, table, at, i));
    }
    return TN_OK;
}

static tn_status check_joint_kind(checker *c, const tn_own_joint *table)
{
    for (int n = 0; n < PLACES; n++) {
        const tn_joint_at at = {chance_frame(c), chance_frame(c), c->params, table->kind.user};
        double q[TN_JOINT_MAX_COORDS];
        TN_TRY(check_joint_at(c, table, &at));
        for (int i = 0; i < table->ncoord; i++)
            q[i] = chance(c);
        if (table->placement)
            TN_TRY(check_placement(c, table, c->params, q));
    }
    return TN_OK;
}

// Functions of time -------------------------------------------------------------------------------

static void function_differences(const checker *c, const void *table, const void *at, double part,
                                 double *slope)
{
    (void)c;
    tn_own_function_differences(table, at, 2e-3 * part, slope);
}

static tn_status check_function_at(checker *c, const tn_own_function *table,
                                   const tn_function_at *at)
{
    char words[64];
    double u[2] = {0}, coarse[2], fine[2], size = fabs(table->value(at));
    c->finite = c->finite || isfinite(size);
    if (!table->derivatives)
        return TN_OK;
    table->derivatives(at, u);
    function_differences(c, table, at, 1.0, coarse);
    function_differences(c, table, at, 0.5, fine);
    for (int k = 0; k < 2; k++) {
        size += fabs(fine[k]);
        snprintf(words, sizeof words, "%s at t = %.6g s", k == 0 ? "first" : "second", at->t);
        const tn_status status =
            compare_number(c, "derivatives", words, u[k], coarse[k], fine[k], size);
        if (status != TN_OK && !is_right_closer(c, function_differences, table, at, k, u[k]))
            return status;
    }
    return TN_OK;
}

static tn_status check_function(checker *c, const tn_own_function *table)
{
    for (int n = 0; n < PLACES; n++) {
        const tn_function_at at = {10.0 * fabs(chance(c)), c->params, table->kind.user};
        TN_TRY(check_function_at(c, table, &at));
    }
    return TN_OK;
}

// All of them -------------------------------------------------------------------------------------

static const void *table_of(tn_family family, int i)
{
    const void *kind = tn_own_at(family, i);
    return !kind || family == TN_FAMILY_FUNCTION ? kind
           : family == TN_FAMILY_FORCE           ? (const void *)((const tn_force_ops *)kind)->own
                                                 : ((const tn_joint_ops *)kind)->own;
}

static const tn_own_kind *find_own(tn_family family, const char *name)
{
    const tn_own_kind *kind; // every table begins with it
    for (int i = 0; (kind = table_of(family, i)); i++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

static tn_status check_table_of(checker *c, tn_family family, const void *table)
{
    return family == TN_FAMILY_FORCE   ? check_force(c, table)
           : family == TN_FAMILY_JOINT ? check_joint_kind(c, table)
                                       : check_function(c, table);
}

tn_status tn_check_kind(const char *name, const void *params)
{
    TN_NEED(name, TN_ERR_USAGE);
    tn_own_values defaults = {0};
    bool found = false;
    for (int family = 0; family < TN_FAMILY_COUNT; family++) {
        const tn_own_kind *kind = find_own((tn_family)family, name);
        char subject[160];
        checker c = {.subject = subject,
                     .advice = "",
                     .params = params ? params : defaults.at,
                     .seed = 1,
                     .wrong = WRONG,
                     .length = 1.0,
                     .powers = true};
        if (!kind)
            continue;
        snprintf(subject, sizeof subject, "kind '%s'", name);
        found = true;
        tn_params_default(kind->nparam, kind->params, defaults.at);
        TN_TRY(check_table_of(&c, (tn_family)family, kind));
        if (!c.finite)
            return tn_fail(TN_ERR_MODEL,
                           "kind '%s' gives nothing that is finite at any of %d random places",
                           name, PLACES);
    }
    return found ? TN_OK : tn_fail(TN_ERR_USAGE, "no own kind is called '%s'", name);
}

// Where an element starts -------------------------------------------------------------------------
//
// A discontinuity at the start, or next to it, is no mistake, and a number that is zero there shows
// nothing. So five places are checked, the start and four nearby, and an element is refused where
// none is right and one is wrong. Energies are left to tn_check_kind and the balance of the run: no
// motion depends on them.

enum { NEARBY = 5 };
// Lengths of the model, rad: many steps.
static const double ASIDE[NEARBY] = {0.0, 0.0011, -0.0013, 0.053, -0.047};
static const double SPEED = 10.0; // that many times, in a second
// [s]: drives often begin at the start.
static const double LATER[NEARBY] = {0.0618, 0.618, 0.00618, 0.31, 6.18};
static const tn_vec3 SHIFT = {0.8, -0.5, 0.6}, TURN = {-0.4, 0.7, 0.9}; // along no axis

typedef tn_status check_nearby(checker *c, const void *table, const void *start, int place);

static tn_status joint_nearby(checker *c, const void *table, const void *start, int place)
{
    const tn_own_joint *kind = table;
    tn_joint_at at = *(const tn_joint_at *)start;
    double q[TN_JOINT_MAX_COORDS];
    for (int i = 0; i < kind->ncoord; i++)
        q[i] = kind->value(&at, kind->nrow + i) + ASIDE[place];
    at.b.p = tn_v3_axpy(ASIDE[place] * c->length, SHIFT, at.b.p);
    at.b.R = tn_m3_mul(tn_so3_exp(tn_v3_scale(ASIDE[place], TURN)), at.b.R);
    TN_TRY(check_joint_at(c, kind, &at));
    return kind->placement ? check_placement(c, kind, at.params, q) : TN_OK;
}

static tn_status force_nearby(checker *c, const void *table, const void *start, int place)
{
    const double aside = ASIDE[place] * c->length;
    tn_force_at at = *(const tn_force_at *)start;
    at.b.x.p = tn_v3_axpy(aside, SHIFT, at.b.x.p);
    at.b.x.R = tn_m3_mul(tn_so3_exp(tn_v3_scale(ASIDE[place], TURN)), at.b.x.R);
    at.b.V.v = tn_v3_axpy(SPEED * aside, TURN, at.b.V.v);
    at.b.V.w = tn_v3_axpy(SPEED * ASIDE[place], SHIFT, at.b.V.w);
    at.x += aside;
    at.rate += SPEED * aside;
    return check_force_at(c, table, &at);
}

static tn_status function_nearby(checker *c, const void *table, const void *start, int place)
{
    tn_function_at at = *(const tn_function_at *)start;
    at.t += LATER[place];
    return check_function_at(c, table, &at);
}

static tn_status judge_start(const char *element, double length, unsigned still,
                             check_nearby *check, const void *table, const void *start)
{
    const tn_own_kind *kind = table; // every table begins with it
    char subject[256];
    checker c = {.subject = subject,
                 .advice = "; mend it, or leave it out of the table of the kind",
                 .wrong = WRONG_AT_START,
                 .length = length,
                 .closer = true,
                 .still = still};
    int wrong = -1;
    bool right = false;
    snprintf(subject, sizeof subject, "%s, kind '%s'", element, kind->name);
    for (int k = 0; k < NEARBY; k++) {
        c.right = false;
        const tn_status status = check(&c, table, start, k);
        right = right || (status == TN_OK && c.right);
        wrong = status != TN_OK ? k : wrong; // at the start itself may be a discontinuity
        tn_clear_error();
    }
    return wrong >= 0 && !right ? check(&c, table, start, wrong) : TN_OK;
}

tn_status tn_own_check_joint(const char *element, const tn_joint_def *def, tn_frame a, tn_frame b,
                             unsigned still)
{
    const tn_joint_at at = tn_own_joint_place(a, b, def);
    return judge_start(element, tn_own_unit(&def->own, 0), still, joint_nearby, def->own.table,
                       &at);
}

tn_status tn_own_check_force(const char *element, const tn_force_data *data, double t,
                             const tn_pair *pair, double x, double rate, unsigned still)
{
    const tn_own_values *own = &data->def.own;
    const double length =
        data->has_row && !tn_row_is_length(&data->row) ? 1.0 : tn_own_unit(own, 0);
    double u[TN_COUNT(data->u)][3];
    tn_force_at at = tn_own_force_place(data, t, pair, u);
    at.x = x * length;
    at.rate = rate * length / tn_own_unit(own, 2);
    return judge_start(element, length, still, force_nearby, data->ops->own, &at);
}

tn_status tn_own_check_function(const char *element, const tn_timefn *f, double t)
{
    const void *params = NULL;
    const tn_own_function *table = tn_timefn_own_table(f, &t, &params);
    if (!table)
        return TN_OK;
    const tn_function_at at = {t, params, table->kind.user};
    return judge_start(element, 1.0, 0, function_nearby, table, &at);
}
