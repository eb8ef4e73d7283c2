// SPDX-License-Identifier: MIT
//
// Discontinuities and jumps at the point itself: of laws with abs, min, max or if, of tables, stops
// and what rests without load. Nothing is linear there. The point is moved aside along a motion
// that crosses all of them, as it is in no special direction, by two widths to both sides: where
// what the tangents differ by does not shrink with the width there is a discontinuity. Stability
// and linear motions are those of one side then, the less stable one, and the verdict states both.
// Where the sides agree and their mean goes away from the tangent at the point the narrower they
// are, there is none, as with sqrt at zero.

#include "analysis/equilibrium.h"

#include "analysis/linear_motion.h"
#include "base/alloc.h"
#include "base/carve.h"
#include "base/random.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>

// Displacements aside [sizes of the model, rad, states]: beyond the error of a search, 1e-9, and
// where functions are smooth. The narrow one finds modes.
static const double WIDTHS[] = {1e-6, 1e-7};
static const double KINK = 1e-4; // of one element, relative: more than smooth ones by the width

enum { MOST_GROWTH = 300, DIRECTIONS = 2, MOST_TOLD = 6 };

static const tn_block compared[] = {TN_BLOCK_K,  TN_BLOCK_D,  TN_BLOCK_FL, TN_BLOCK_FE,
                                    TN_BLOCK_NE, TN_BLOCK_EQ, TN_BLOCK_EV, TN_BLOCK_EE};

enum { COMPARED = TN_COUNT(compared), HERE = 4 };

// What is compared: both sides with each other, or their mean with the point.
typedef enum manner { BETWEEN, BESIDE } manner;

// What narrow sides differ by counts above this part of what wide ones do: that of smooth tangents
// is a tenth, and beside a point in a law that is steeper than the sides are wide nearly all.
static const double SHRINKS[] = {[BETWEEN] = 0.5, [BESIDE] = 1.05};
// And above this part of the largest of a block: round-off, or the error of differences.
static const double LEAST[] = {[BETWEEN] = 1e-10, [BESIDE] = 1e-4};

struct tn_eq_sides {
    int count, size;    // of modes; of what is compared
    int worst;          // the least stable one; -1: there is no discontinuity
    bool aside;         // the point is in one
    double noise;       // of what is compared, of differences
    double *x, *v, *e;  // the direction now
    double *values[5];  // of blocks and forces in two modes, wide and narrow, and at the point
    double *push;       // nv: velocities in a mode
    double *q, *states; // of the point in a mode
    eq_state kept;
    double growth[2 * DIRECTIONS]; // [1/s]
    void *block;
};

typedef struct sides_room {
    const tn_system *sys;
    struct tn_eq_sides *of;
} sides_room;

static void layout_sides(void *self, tn_carve *mem)
{
    const sides_room *r = self;
    struct tn_eq_sides *k = r->of;
    TN_CARVE_DOUBLES(mem, r->sys->nv, &k->x, &k->v, &k->push);
    TN_CARVE_DOUBLES(mem, r->sys->ne, &k->e, &k->states);
    k->q = tn_carve_doubles(mem, r->sys->nq);
    TN_CARVE_DOUBLES(mem, k->size, &k->values[0], &k->values[1], &k->values[2], &k->values[3],
                     &k->values[HERE]);
}

void tn_eq_close_sides(tn_equilibrium *s)
{
    if (s->sides)
        tn_free(s->sides->block);
    TN_FREE(s->sides);
    s->sides = NULL;
}

static void settle(tn_equilibrium *s)
{
    const tn_point at = tn_eq_point(s, &s->now);
    if (tn_absolute_decision_count(s->sys) > 0)
        s->sys->ops->mechanism->settle(s->sys, &at, NULL);
}

static void step_back(tn_equilibrium *s)
{
    if (!s->sides || !s->sides->aside)
        return;
    s->now = s->sides->kept;
    s->beside = NULL;
    s->sides->aside = false;
    settle(s);
}

static void step_aside(tn_equilibrium *s, double width)
{
    struct tn_eq_sides *k = s->sides;
    const tn_system *sys = s->sys;
    step_back(s);
    k->kept = s->now;
    for (int i = 0; i < sys->nv; i++)
        k->push[i] = width * k->x[i];
    tn_group_retract(sys->ngroup, sys->groups, s->now.q, k->push, k->q);
    for (int i = 0; i < sys->nv; i++)
        k->push[i] = width * k->v[i];
    for (int i = 0; i < sys->ne; i++)
        k->states[i] = s->now.e[i] + width * k->e[i] * fmax(1.0, fabs(s->now.e[i]));
    s->now.q = k->q;
    s->now.e = k->states;
    s->beside = k->push;
    k->aside = true;
    settle(s);
}

// A motion that constraints allow and that is in no special direction: what loads without a
// pattern accelerate, by sparse factors.
static tn_status choose_direction(tn_equilibrium *s, uint32_t seed)
{
    struct tn_eq_sides *k = s->sides;
    const tn_system *sys = s->sys;
    const double M = tn_sparse_norm1(sys->block[TN_BLOCK_M]);
    double *const to[] = {k->x, k->v};
    TN_TRY(tn_eq_linearise(s, &s->now));
    const double K = tn_sparse_norm1(sys->block[TN_BLOCK_K]);
    TN_TRY(tn_eq_factor(s, M > 0.0 ? 1.0 + K / M : 1.0));
    for (int part = 0; part < 2; part++) {
        tn_zero(s->n, s->other);
        for (int i = 0; i < sys->nv; i++)
            s->other[i] = tn_random_next(&seed);
        TN_TRY(tn_eq_solve(s, s->other));
        const double most = tn_norm_inf(sys->nv, s->other);
        tn_copy(sys->nv, s->other, to[part]);
        tn_scale(sys->nv, most > 0.0 ? 1.0 / most : 0.0, to[part]);
    }
    for (int i = 0; i < sys->ne; i++)
        k->e[i] = tn_random_next(&seed);
    return TN_OK;
}

static int count_values(const tn_system *sys)
{
    int n = sys->nv;
    for (int b = 0; b < COMPARED; b++)
        n += sys->block[compared[b]] ? sys->block[compared[b]]->nnz : 0;
    return n;
}

static tn_status read_side(tn_equilibrium *s, double width, double *to)
{
    const tn_system *sys = s->sys;
    step_aside(s, width);
    TN_TRY(tn_eq_linearise(s, &s->now));
    for (int b = 0; b < COMPARED; b++)
        if (sys->block[compared[b]]) {
            tn_copy(sys->block[compared[b]]->nnz, sys->block[compared[b]]->val, to);
            to += sys->block[compared[b]]->nnz;
        }
    tn_copy(sys->nv, sys->f, to);
    return TN_OK;
}

// What entry i is off by with one of the widths.
static double off_by(const struct tn_eq_sides *k, manner how, int width, int i)
{
    const double above = k->values[2 * width][i], below = k->values[2 * width + 1][i];
    return fabs(how == BETWEEN ? above - below : 0.5 * (above + below) - k->values[HERE][i]);
}

// The largest difference, entry by entry, that does not shrink with the width, by the size
// of its block: of tangents, and of forces, these beside what they change by where all is displaced
// by its size.
static void compare_sides(const tn_equilibrium *s, manner how, double *bends, double *jumps)
{
    const tn_system *sys = s->sys;
    const struct tn_eq_sides *k = s->sides;
    double stiff = 0.0;
    int at = 0;
    *bends = *jumps = 0.0;
    for (int b = 0; b <= COMPARED; b++) {
        const tn_sparse *A = b < COMPARED ? sys->block[compared[b]] : NULL;
        const int n = b == COMPARED ? sys->nv : A ? A->nnz : 0;
        double size = b == COMPARED ? stiff : 0.0, off = 0.0;
        for (int i = at; i < at + n; i++) {
            const double wide = off_by(k, how, 0, i), narrow = off_by(k, how, 1, i);
            size = fmax(size, fmax(fabs(k->values[0][i]), fabs(k->values[1][i])));
            off = narrow > SHRINKS[how] * wide ? fmax(off, narrow) : off;
        }
        stiff = b < 2 ? fmax(stiff, size) : stiff; // by positions and by velocities
        double *most = b == COMPARED ? jumps : bends;
        *most = fmax(*most, size > 0.0 ? off / size : 0.0);
        at += n;
    }
}

static tn_status read_sides(tn_equilibrium *s)
{
    TN_TRY(read_side(s, 0.0, s->sides->values[HERE]));
    for (int i = 0; i < 2 * TN_COUNT(WIDTHS); i++) {
        TN_TRY(read_side(s, i % 2 ? -WIDTHS[i / 2] : WIDTHS[i / 2], s->sides->values[i]));
        s->sides->noise = fmax(s->sides->noise, s->unsure.noise);
    }
    return TN_OK;
}

// What sides differ by counts above this part of the largest of a block.
static double least_of(const struct tn_eq_sides *k, manner how)
{
    return fmax(LEAST[how], 4.0 * k->noise);
}

// The largest real part of the exponents where the point stands, with dampers and gyroscopic
// forces; not a number where matrices are large or there is no linear motion.
static double find_growth(tn_equilibrium *s)
{
    tn_linear_motion *l = NULL;
    double *re = NULL, fastest = NAN;
    if (s->sys->nv > MOST_GROWTH)
        return NAN;
    tn_status status = tn_linear_motion_create(s, 0, NULL, &l);
    if (status == TN_OK) {
        re = tn_alloc(sizeof(double) * 2 * (size_t)(l->n + 1));
        status = tn_got(re);
    }
    TN_THEN(status, tn_eigen_general(l->n, l->A, re, re + l->n, NULL));
    for (int i = 0; status == TN_OK && i < l->n; i++) {
        const bool swings = fabs(re[i]) <= 1e-9 * fabs(re[l->n + i]); // what grows is round-off
        fastest = fmax(fastest, swings ? 0.0 : re[i]);
    }
    tn_linear_motion_destroy(l);
    tn_free(re);
    tn_clear_error();
    return fastest / s->sys->units.time;
}

tn_status tn_eq_stand_aside(tn_equilibrium *s, bool aside)
{
    step_back(s);
    if (!aside || !s->sides || s->sides->worst < 0)
        return TN_OK;
    TN_TRY(choose_direction(s, 7u + (uint32_t)(s->sides->worst / 2)));
    step_aside(s, s->sides->worst % 2 ? -WIDTHS[1] : WIDTHS[1]);
    return TN_OK;
}

void tn_eq_measure_growth(tn_equilibrium *s)
{
    double growth = NAN;
    if (tn_eq_stand_aside(s, true) == TN_OK)
        growth = find_growth(s);
    tn_eq_stand_aside(s, false);
    if (!isnan(growth))
        s->facts.growth = growth;
}

// Stability and growth of all modes; the facts become those of the worst.
static tn_status judge_sides(tn_equilibrium *s)
{
    struct tn_eq_sides *k = s->sides;
    const bool judged = s->facts.stability != TN_STABILITY_OPEN;
    tn_equilibrium_facts worst = s->facts;
    k->worst = 0;
    for (int i = 0; i < 2 * DIRECTIONS; i++) {
        if (i % 2 == 0)
            TN_TRY(choose_direction(s, 7u + (uint32_t)(i / 2)));
        step_aside(s, i % 2 ? -WIDTHS[1] : WIDTHS[1]);
        k->growth[i] = find_growth(s);
        if (judged)
            TN_TRY(tn_eq_judge(s, NULL));
        const bool worse = judged ? s->facts.stability > worst.stability ||
                                        (s->facts.stability == worst.stability &&
                                         s->facts.unstable > worst.unstable)
                                  : k->growth[i] > k->growth[k->worst];
        if (worse || i == 0) {
            k->worst = i;
            worst = s->facts;
        }
        step_back(s);
    }
    s->facts = worst;
    return TN_OK;
}

// Telling -----------------------------------------------------------------------------------------

// An element in the two modes.
typedef struct kink {
    char where[96];
    const char *what, *unit;
    double one, other;
} kink;

static void tell_kink(tn_equilibrium *s, manner how, const kink *of)
{
    const struct tn_eq_sides *k = s->sides;
    const double size = fmax(fabs(of->one), fabs(of->other));
    double least = k->growth[0], most = k->growth[0];
    for (int i = 1; i < 2 * DIRECTIONS; i++) {
        least = fmin(least, k->growth[i]);
        most = fmax(most, k->growth[i]);
    }
    char grows[160] = "";
    if (!isnan(most))
        snprintf(grows, sizeof grows,
                 ", and what is told is of the less stable side (growth up to %.3g 1/s on one, "
                 "%.3g on the other)",
                 least, most);
    tn_judged what = {.quantity = "kink",
                      .value = size > 0.0 ? fabs(of->one - of->other) / size : INFINITY,
                      .bound = KINK,
                      .t = s->facts.t};
    snprintf(what.where, sizeof what.where, "%s", of->where);
    if (how == BETWEEN)
        tn_verdict_add(&s->verdict, &what,
                       "%s: its %s is %.4g%s on one side of this point and %.4g on the other; "
                       "nothing is linear here%s; round the kink, or move off it",
                       of->where, of->what, of->one, of->unit, of->other, grows);
    else
        tn_verdict_add(&s->verdict, &what,
                       "%s: its %s is %.4g%s at this point and %.4g right beside it; nothing is "
                       "linear here; bound the slope, or move off the point",
                       of->where, of->what, of->one, of->unit, of->other);
}

// Finds the entry of the derivatives of a force, or of its wrench, in which two modes differ most.
static bool compare_force(tn_equilibrium *s, int force, tn_load_tangent T[2], double w[2][12],
                          kink *out)
{
    const tn_units u = s->model->units;
    double size[3] = {0.0}, most = 0.0;
    for (int side = 0; side < 2; side++) {
        size[0] = fmax(size[0], tn_norm_inf(144, T[side].K[0]));
        size[1] = fmax(size[1], tn_norm_inf(144, T[side].D[0]));
        size[2] = fmax(size[2], tn_norm_inf(12, w[side]));
    }
    size[1] = fmax(size[1], 1e-3 * size[0]); // what vanishes at rest is no discontinuity
    size[2] = fmax(size[2], fmax(size[0], size[1]));
    for (int i = 0; i < 36; i++) {
        static const char *const words[] = {"stiffness", "damping", "load"};
        static const char *const units[3][2] = {
            {" N/m", " N m/rad"}, {" N s/m", " N m s/rad"}, {" N", " N m"}};
        const int part = i / 12, c = i % 12, turns = c % 6 > 2;
        const double *const of[2] = {part == 0   ? &T[0].K[c][c]
                                     : part == 1 ? &T[0].D[c][c]
                                                 : &w[0][c],
                                     part == 0   ? &T[1].K[c][c]
                                     : part == 1 ? &T[1].D[c][c]
                                                 : &w[1][c]};
        const double off = fabs(*of[0] - *of[1]);
        if (!(off > KINK * size[part]) || !(off > most * size[part]))
            continue;
        most = off / size[part];
        const double load = turns ? tn_unit_energy(u) : tn_unit_force(u);
        const double length = turns ? 1.0 : u.length;
        const double unit = part == 2 ? load : -load / length * (part == 1 ? u.time : 1.0);
        out->what = words[part];
        out->unit = units[part][turns];
        out->one = *of[0] * unit + 0.0; // no -0
        out->other = *of[1] * unit + 0.0;
    }
    snprintf(out->where, sizeof out->where, "force '%.80s'", s->model->forces.at[force].name);
    return most > 0.0;
}

static int tell_forces(tn_equilibrium *s, manner how)
{
    int told = 0;
    for (int f = 0; f < s->model->forces.count && told < MOST_TOLD; f++) {
        tn_load_tangent T[2];
        double w[2][12];
        kink of;
        for (int side = 0; side < 2; side++) {
            step_aside(s, side ? -WIDTHS[1] : how == BETWEEN ? WIDTHS[1] : 0.0);
            const tn_point at = tn_eq_point(s, &s->now);
            tn_absolute_force_tangent(s->sys, &at, f, w[side], &T[side]);
        }
        if (compare_force(s, f, T, w, &of)) {
            tell_kink(s, how, &of);
            told++;
        }
    }
    return told;
}

// The entry of a block that differs most of those that do not shrink; -1 for none.
static int worst_entry(const struct tn_eq_sides *k, manner how, int at, int n)
{
    double size = 0.0, most = 0.0;
    int worst = -1;
    for (int i = at; i < at + n; i++)
        size = fmax(size, fmax(fabs(k->values[0][i]), fabs(k->values[1][i])));
    for (int i = at; i < at + n; i++) {
        const double wide = off_by(k, how, 0, i), narrow = off_by(k, how, 1, i);
        if (narrow > fmax(most, least_of(k, how) * size) && narrow > SHRINKS[how] * wide) {
            most = narrow;
            worst = i;
        }
    }
    return worst;
}

// Unit of derivatives of rates of states and of unknowns, in SI units.
static double entry_unit(const tn_equilibrium *s, tn_block block, const tn_sparse *A, int k)
{
    const tn_system *sys = s->sys;
    const double time = sys->units.time, rate = A->rowind[k] < sys->nc ? 1.0 / time : 1.0;
    int column = 0;
    while (column + 1 < A->ncol && A->colptr[column + 1] <= k)
        column++;
    if (block == TN_BLOCK_EQ)
        return rate / (time * tn_system_unit(sys, TN_MEASURE_VELOCITY, column));
    if (block == TN_BLOCK_EV)
        return rate / tn_system_unit(sys, TN_MEASURE_VELOCITY, column);
    return block == TN_BLOCK_EE ? rate : 1.0;
}

// Rates of states, unknowns, and where nothing else is known motions of bodies.
static int tell_entries(tn_equilibrium *s, manner how, bool motions)
{
    const tn_system *sys = s->sys;
    const struct tn_eq_sides *k = s->sides;
    int at = 0, told = 0;
    for (int b = 0; b < COMPARED; b++) {
        const tn_sparse *A = sys->block[compared[b]];
        const int n = A ? A->nnz : 0, worst = worst_entry(k, how, at, n);
        const bool extra = compared[b] >= TN_BLOCK_EQ;
        if (worst >= 0 && (extra || motions)) {
            kink of = {.what = "derivative",
                       .unit = "",
                       .one = k->values[how == BETWEEN ? 2 : HERE][worst],
                       .other = k->values[3][worst]};
            const int row = A->rowind[worst - at];
            const double unit = entry_unit(s, compared[b], A, worst - at);
            of.one *= unit;
            of.other *= unit;
            if (extra)
                tn_system_extra_name(sys, row, of.where, sizeof of.where);
            else
                sys->ops->velocity_name(sys, row, of.where, sizeof of.where);
            tell_kink(s, how, &of);
            told++;
        }
        at += n;
    }
    return told;
}

static tn_status look_at_sides(tn_equilibrium *s)
{
    struct tn_eq_sides *k = s->sides;
    double bends = 0.0, jumps = 0.0;
    manner how = BETWEEN;
    k->size = count_values(s->sys);
    k->worst = -1;
    TN_TRY(tn_carve_block(&(sides_room){s->sys, k}, layout_sides, &k->block));
    TN_TRY(choose_direction(s, 7u));
    TN_TRY(read_sides(s));
    step_back(s);
    compare_sides(s, how, &bends, &jumps);
    if (!(fmax(bends, jumps) > least_of(k, how)))
        compare_sides(s, how = BESIDE, &bends, &jumps);
    if (!(fmax(bends, jumps) > least_of(k, how)))
        return TN_OK;
    for (int i = 0; i < 2 * DIRECTIONS; i++)
        k->growth[i] = NAN;
    if (how == BETWEEN && bends > least_of(k, how)) // what jumps alone has one tangent
        TN_TRY(judge_sides(s));
    const int forces = tell_forces(s, how);
    const int told = forces + tell_entries(s, how, false);
    if (told == 0)
        tell_entries(s, how, true);
    step_back(s);
    return TN_OK;
}

static tn_status judge_all_sides(tn_equilibrium *s)
{
    tn_eq_close_sides(s);
    if (s->sys->nv == s->start.redundancy.rank || s->sys->ns > 0)
        return TN_OK;
    s->sides = tn_alloc(sizeof *s->sides);
    TN_TRY(tn_got(s->sides));
    *s->sides = (struct tn_eq_sides){.worst = -1};
    const tn_status status = look_at_sides(s);
    step_back(s);
    if (status != TN_OK && status != TN_ERR_MEMORY) { // not defined aside
        tn_clear_error();
        s->sides->worst = -1;
    } else {
        TN_TRY(status);
    }
    return tn_eq_linearise(s, &s->now);
}

// Differences of forces of a program that part however narrow they are.
static void tell_differences(tn_equilibrium *s)
{
    static const double PARTS = 1e-5;
    if (!(s->unsure.part > PARTS))
        return;
    const char *name = s->model->forces.at[s->unsure.force].name;
    tn_judged what = {
        .quantity = "difference", .value = s->unsure.part, .bound = PARTS, .t = s->facts.t};
    snprintf(what.where, sizeof what.where, "force '%.80s'", name);
    tn_verdict_add(
        &s->verdict, &what,
        "force '%s' has derivatives by differences, which part by %.2g of the largest one "
        "however narrow they are, bound %.2g; give them with the kind, bound its slope, "
        "or move off the point",
        name, s->unsure.part, PARTS);
}

tn_status tn_eq_judge_sides(tn_equilibrium *s)
{
    TN_TRY(judge_all_sides(s));
    tell_differences(s);
    return TN_OK;
}
