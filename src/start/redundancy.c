// SPDX-License-Identifier: MIT
//
// Rank, redundant rows and unique multipliers; see redundancy.h.

#include "start/redundancy.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "linalg/solver.h"
#include "start/initial.h"

#include <math.h>
#include <string.h>

const double tn_redundancy_typed = 1e-12;

// Ways along a motion, in units of the bodies [rad]: far enough from a singular position that the
// rows are independent by much more than what is typed, near enough to be reached.
static const double WAYS[] = {0.03, 0.01, 1e-3};
static const double STANDS = 1e-7; // what is left of a random velocity where nothing can move
static const double SINGULAR = 1e-6;
static const double ANY = 1e300; // what is left of velocities may be as it is
static const double PART = 1e-8; // of a row that others repeat, from which on it counts

// C = (B; N) at a point, with the velocities scaled; one-sided rows are zero. A copy, as systems
// keep their blocks while they stay where they are.
typedef struct stack {
    const tn_sparse *C;
    tn_composition owned;
} stack;

static tn_status rows_at(tn_system *sys, const tn_point *at, const double *column, stack *c)
{
    *c = (stack){0};
    TN_TRY(tn_system_eval(sys, at, TN_EVAL_B));
    const tn_sparse *B = sys->block[TN_BLOCK_B], *N = sys->block[TN_BLOCK_N];
    const tn_placement place[2] = {{.source = B}, {.source = N, .row0 = sys->ng}};
    TN_TRY(tn_sparse_compose(sys->ng + sys->nn, sys->nv, N ? 2 : 1, place, &c->owned));
    tn_composition_add(&c->owned, 0, 1.0, B);
    if (N)
        tn_composition_add(&c->owned, 1, 1.0, N);
    const tn_sparse *C = c->C = c->owned.matrix;
    for (int j = 0; j < C->ncol; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
            C->val[k] *= tn_system_row_is_one_sided(sys, C->rowind[k]) ? 0.0
                         : column                                      ? column[j]
                                                                       : 1.0;
    return TN_OK;
}

// Adds the rows that are independent here of those that are so already, and notes how far the
// others are. SPQR has an order of its own: all that it finds count then.
static tn_status redundancy_extend(tn_system *sys, const tn_point *at, const double *column,
                                   double tol, tn_redundancy *r, int *rank)
{
    TN_ASSERT(tol > 0.0);
    stack c;
    TN_TRY(rows_at(sys, at, column, &c));
    TN_ASSERT(c.C->nrow == r->rows);
    int *found = tn_alloc(sizeof(int) * (size_t)(r->rows + 1));
    double *distance = tn_alloc(sizeof(double) * (size_t)(r->rows + 1));
    tn_status status = tn_got(found && distance);
    const bool dense = (double)r->rows * c.C->ncol <= TN_DENSE_ENTRIES;
    if (status == TN_OK) {
        memcpy(found, r->active, sizeof(int) * (size_t)r->rows);
        status = dense ? tn_row_extend(c.C, NULL, tol, r->rows, found, distance, rank)
                       : tn_row_rank(c.C, tol, found, rank);
    }
    for (int i = 0; status == TN_OK && dense && i < r->rows; i++) {
        if (!found[i])
            r->off = fmax(r->off, distance[i]);
        else if (!r->active[i] && distance[i] < r->least) {
            r->least = distance[i];
            r->least_row = i;
        }
    }
    for (int i = 0; status == TN_OK && i < r->rows; i++)
        r->active[i] = r->active[i] || found[i];
    TN_FREE(found, distance);
    tn_composition_clear(&c.owned);
    return status;
}

// A motion that the rows allow: what is left of a random velocity, in units of the bodies. Zero
// where nothing can move.
static tn_status free_motion(tn_system *sys, const tn_point *at, const tn_row_sizes *sizes,
                             tn_initial *initial, double *motion)
{
    double *still = tn_alloc(sizeof(double) * (size_t)(sys->nv + 1));
    TN_TRY(tn_got(still));
    uint32_t seed = 2463534242u;
    for (int i = 0; i < sys->nv; i++)
        motion[i] = sizes->unit[i] * tn_random_next(&seed);
    tn_status status = tn_initial_velocity(initial, at, ANY, motion);
    if (status == TN_OK) // what drives ask for is no free motion
        status = tn_initial_velocity(initial, at, ANY, still);
    if (status == TN_OK)
        tn_axpy(sys->nv, -1.0, still, motion);
    tn_free(still);
    double most = 0.0;
    for (int i = 0; i < sys->nv; i++)
        most = fmax(most, fabs(motion[i]) / sizes->unit[i]);
    tn_scale(sys->nv, most > STANDS ? 1.0 / most : 0.0, motion);
    return status;
}

// Goes along the motion as far as the rows can be made to hold there; false where they cannot.
static bool go_along(tn_system *sys, const tn_point *at, tn_initial *initial, const double *motion,
                     tn_point *there, double *dx, double *q, double *e)
{
    for (int k = 0; k < TN_COUNT(WAYS); k++) {
        for (int i = 0; i < sys->nv; i++)
            dx[i] = WAYS[k] * motion[i];
        tn_group_retract(sys->ngroup, sys->groups, at->q, dx, q);
        if (at->e)
            tn_copy(sys->ne, at->e, e);
        *there = *at;
        there->q = q;
        there->e = at->e ? e : NULL;
        if (tn_initial_position(initial, there, TN_ROUND_ITERATE, q, at->e ? e : NULL) == TN_OK)
            return true;
    }
    return false;
}

// Rows that are dependent here but not further along belong to a singular position.
static tn_status look_further(tn_system *sys, const tn_point *at, const tn_row_sizes *sizes,
                              double tol, tn_redundancy *r)
{
    tn_initial *initial = NULL;
    const size_t nv = (size_t)sys->nv;
    double *motion = tn_alloc(sizeof(double) * (2 * nv + (size_t)(sys->nq + sys->ne) + 1));
    tn_status status = tn_got(motion);
    TN_THEN(status, tn_initial_create(sys, NULL, &initial));
    if (status == TN_OK) {
        double *dx = motion + nv, *q = dx + nv, *e = q + sys->nq;
        tn_initial_set_rows(initial, r->active, r->active);
        tn_initial_set_metric(initial, sizes->unit, sizes->whole);
        tn_point there;
        const tn_status found = free_motion(sys, at, sizes, initial, motion);
        const bool moves = found == TN_OK && tn_norm_inf(sys->nv, motion) > 0.0 &&
                           go_along(sys, at, initial, motion, &there, dx, q, e);
        status = found == TN_ERR_MEMORY ? found : TN_OK;
        if (status == TN_OK)
            tn_clear_error();
        int rank = 0;
        if (moves)
            status = redundancy_extend(sys, &there, sizes->column, tol, r, &rank);
        if (status == TN_OK && moves && rank > r->rank) {
            r->moved = tn_alloc(sizeof(double) * (size_t)(sys->nq + 1));
            status = tn_got(r->moved);
            if (status == TN_OK)
                tn_copy(sys->nq, q, r->moved);
        }
    }
    tn_initial_destroy(initial);
    tn_free(motion);
    return status;
}

bool tn_redundancy_repeats(const tn_redundancy *r, int k, int i)
{
    TN_ASSERT(k >= 0 && k < r->count && i >= 0 && i < r->rows);
    const int own = r->redundant[k];
    const double c = r->combination[(size_t)k * (size_t)r->rows + (size_t)i];
    return fabs(c) * r->size[i] > fmax(PART, 10.0 * r->off) * r->size[own];
}

enum { AT_A_TIME = 64 }; // rows that are combined, which bounds memory

static tn_status combine_redundant(tn_row_basis *basis, tn_redundancy *r)
{
    double misfit[AT_A_TIME];
    for (int k = 0; k < r->count; k += AT_A_TIME)
        TN_TRY(tn_row_basis_combine(basis, r->count - k < AT_A_TIME ? r->count - k : AT_A_TIME,
                                    r->redundant + k, r->combination + (size_t)k * (size_t)r->rows,
                                    misfit));
    for (int k = 0; k < r->count; k++) {
        r->unique[r->redundant[k]] = false;
        for (int i = 0; i < r->rows; i++)
            if (tn_redundancy_repeats(r, k, i))
                r->unique[i] = false;
    }
    return TN_OK;
}

// The independent rows at a point, by which others are combined.
static tn_status basis_at(tn_system *sys, const tn_point *at, const double *column,
                          const int *active, tn_row_basis **out)
{
    stack c;
    TN_TRY(rows_at(sys, at, column, &c));
    const tn_status status = tn_row_basis_create(c.C, active, out);
    tn_composition_clear(&c.owned);
    return status;
}

static tn_status combinations(tn_system *sys, const tn_point *at, const double *column,
                              tn_redundancy *r)
{
    tn_row_basis *basis = NULL;
    TN_TRY(basis_at(sys, at, column, r->active, &basis));
    const tn_status status = combine_redundant(basis, r);
    tn_row_basis_destroy(basis);
    return status;
}

tn_status tn_redundancy_combine(tn_system *sys, const tn_point *at, const int *active, int row,
                                double *coefficient, double *misfit)
{
    TN_ASSERT(row >= 0 && row < sys->ng + sys->nn);
    tn_row_basis *basis = NULL;
    TN_TRY(basis_at(sys, at, NULL, active, &basis));
    const tn_status status = tn_row_basis_combine(basis, 1, &row, coefficient, misfit);
    tn_row_basis_destroy(basis);
    return status;
}

static tn_status allocate_redundancy(const tn_system *sys, tn_redundancy *r)
{
    *r = (tn_redundancy){.rows = sys->ng + sys->nn, .least = 1.0};
    const size_t rows = (size_t)r->rows + 1;
    r->active = tn_alloc(sizeof(int) * rows);
    r->redundant = tn_alloc(sizeof(int) * rows);
    r->unique = tn_alloc(rows);
    r->size = tn_alloc(sizeof(double) * rows);
    r->work = tn_alloc(sizeof(double) * (2 * rows + (size_t)sys->nv));
    const bool all = r->active && r->redundant && r->unique && r->size && r->work;
    return tn_got(all);
}

// One-sided rows are open at the start: contacts take part as they close (sim/contacts.c).
static int count_one_sided(const tn_system *sys)
{
    int n = 0;
    for (int i = 0; i < sys->ng + sys->nn; i++)
        n += tn_system_row_is_one_sided(sys, i);
    return n;
}

static void list_redundant(const tn_system *sys, tn_redundancy *r)
{
    TN_ASSERT(r->count == 0);
    for (int i = 0; i < r->rows; i++) {
        r->unique[i] = true;
        if (!r->active[i] && !tn_system_row_is_one_sided(sys, i))
            r->redundant[r->count++] = i;
    }
}

tn_status tn_redundancy_none(const tn_system *sys, const tn_row_sizes *sizes, tn_redundancy *out)
{
    const tn_status status = allocate_redundancy(sys, out);
    if (status != TN_OK) {
        tn_redundancy_clear(out);
        return status;
    }
    out->rank = out->rows - count_one_sided(sys);
    for (int i = 0; i < out->rows; i++) {
        out->size[i] = sizes ? sizes->row[i] : 1.0;
        out->unique[i] = 1;
        out->active[i] = !tn_system_row_is_one_sided(sys, i);
    }
    return TN_OK;
}

// Those farther from the first ones than a threshold that falls to tol.
static tn_status extend_first(tn_system *sys, const tn_point *at, const tn_row_sizes *sizes,
                              double tol, const int *first, tn_redundancy *r)
{
    int rank;
    memcpy(r->active, first, sizeof(int) * (size_t)r->rows);
    for (double far = 0.3; far > tol; far *= 0.1)
        TN_TRY(redundancy_extend(sys, at, sizes->column, far, r, &rank));
    r->off = 0.0;
    return TN_OK;
}

tn_status tn_redundancy_find(tn_system *sys, const tn_point *at, const tn_row_sizes *sizes,
                             double tol, const int *first, tn_redundancy *out)
{
    TN_ASSERT(tol > 0.0);
    tn_redundancy r;
    tn_status status = allocate_redundancy(sys, &r);
    if (status == TN_OK)
        tn_copy(r.rows, sizes->row, r.size);
    if (status == TN_OK && first)
        status = extend_first(sys, at, sizes, tol, first, &r);
    if (status == TN_OK && r.rows > 0)
        status = redundancy_extend(sys, at, sizes->column, tol, &r, &r.rank);
    if (status == TN_OK && r.rank < r.rows - count_one_sided(sys))
        status = look_further(sys, at, sizes, tol, &r);
    if (status == TN_OK)
        list_redundant(sys, &r);
    if (status == TN_OK && r.count > 0) {
        r.combination = tn_alloc(sizeof(double) * (size_t)r.count * (size_t)r.rows);
        status = r.combination ? combinations(sys, at, sizes->column, &r)
                               : tn_fail(TN_ERR_MEMORY, "out of memory");
    }
    *out = r;
    if (status != TN_OK)
        tn_redundancy_clear(out);
    return status;
}

// Takes rows in their order whose distance from those taken is above a threshold, which falls down
// to `least` until there are enough: what is small in these coordinates comes last.
static tn_status redundancy_take_rows(tn_system *sys, const tn_point *at, int enough, double least,
                                      tn_redundancy *r)
{
    TN_ASSERT(enough <= r->rows);
    stack c;
    int rank = 0;
    TN_TRY(rows_at(sys, at, NULL, &c));
    tn_status status = TN_OK;
    for (double tol = 0.3; status == TN_OK && rank < enough && tol > least; tol *= 0.1)
        status = tn_row_extend(c.C, r->size, tol, enough, r->active, NULL, &rank);
    tn_composition_clear(&c.owned);
    return status;
}

// Takes the rows at the point to which the world was moved.
static tn_status take_moved_rows(tn_system *sys, const tn_point *at, const tn_point *world_at,
                                 const tn_redundancy *world, int enough, tn_redundancy *r)
{
    double *q = tn_alloc(sizeof(double) * (size_t)(sys->nq + sys->nv + 1));
    TN_TRY(tn_got(q));
    tn_point there = *world_at, here = *at;
    there.q = world->moved;
    here.q = q;
    tn_status status = sys->ops->world->from(sys, &there, q, q + sys->nq);
    TN_THEN(status, redundancy_take_rows(sys, &here, enough, TN_ROUND_SUM, r));
    tn_free(q);
    return status;
}

// All rows that the world leaves out are rows here.
static bool leaves_out_the_same(const tn_system *sys, const tn_redundancy *world)
{
    TN_ASSERT(sys->ops->world);
    int found = 0;
    for (int i = 0; i < sys->ng + sys->nn; i++) {
        const int row = sys->ops->world->row(sys, i);
        found += row >= 0 && !world->active[row] && !tn_system_row_is_one_sided(sys, i);
    }
    return found == world->count;
}

tn_status tn_redundancy_over(tn_system *sys, const tn_point *at, const tn_point *world_at,
                             const tn_redundancy *world, tn_redundancy *out)
{
    TN_ASSERT(sys->ops->world && world->count <= world->rows);
    tn_redundancy r;
    tn_status status = allocate_redundancy(sys, &r);
    const int enough = r.rows - world->count - count_one_sided(sys);
    int same = 0; // rows of the world that are rows here
    for (int i = 0; status == TN_OK && i < r.rows; i++) {
        const int row = sys->ops->world->row(sys, i);
        r.size[i] = row >= 0 ? world->size[row] : 1.0;
        r.active[i] = row >= 0 ? world->active[row] : 1;
        same += row >= 0;
    }
    r.off = world->off;
    r.rank = r.rows - (world->rows - world->rank);
    const bool others = same < world->rows && !leaves_out_the_same(sys, world);
    if (status == TN_OK && others) {
        memset(r.active, 0, sizeof(int) * (size_t)r.rows);
        status = redundancy_take_rows(sys, at, enough, world->moved ? SINGULAR : TN_ROUND_SUM, &r);
        if (status == TN_OK && world->moved)
            status = take_moved_rows(sys, at, world_at, world, enough, &r);
    }
    if (status == TN_OK)
        list_redundant(sys, &r);
    *out = r;
    if (status != TN_OK)
        tn_redundancy_clear(out);
    return status;
}

void tn_redundancy_clear(tn_redundancy *r)
{
    TN_FREE(r->active, r->redundant, r->combination, r->unique, r->size, r->work, r->moved);
    *r = (tn_redundancy){0};
}
