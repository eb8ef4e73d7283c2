// SPDX-License-Identifier: MIT
//
// A system made of a user's own functions: its requirements, its memory, its blocks and its names.
// callbacks_eval.c evaluates it, callbacks_space.c knows its configuration space.

#include "system/callbacks.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "linalg/dense.h"
#include "system/callbacks_parts.h"

#include <stdio.h>

typedef tn_callbacks_system callbacks;

enum { MAX_DIMENSION = 10000 }; // blocks are dense; their sizes stay inside int

// What the user must give -------------------------------------------------------------------------

static tn_status check_dimensions(const tn_callbacks *cb)
{
    const struct {
        const char *name;
        int value;
    } dims[] = {{"nq", cb->nq}, {"ng", cb->ng}, {"nn", cb->nn}, {"nc", cb->nc},
                {"nw", cb->nw}, {"ns", cb->ns}, {"nr", cb->nr}};
    for (int i = 0; i < TN_COUNT(dims); i++) {
        if (dims[i].value < 0)
            return tn_fail(TN_ERR_USAGE, "callbacks: %s = %d, but a dimension cannot be negative",
                           dims[i].name, dims[i].value);
        if (dims[i].value > MAX_DIMENSION)
            return tn_fail(TN_ERR_USAGE,
                           "callbacks: %s = %d is more than the %d that dense blocks allow",
                           dims[i].name, dims[i].value, MAX_DIMENSION);
    }
    if (cb->nq == 0)
        return tn_fail(TN_ERR_USAGE,
                       "callbacks: nq = 0, but there must be at least one coordinate");
    return TN_OK;
}

static tn_status check_functions(const tn_callbacks *cb)
{
    const struct {
        const char *name;
        bool given;
        const char *dim; // the function is needed when this one is positive
        int value;
    } needs[] = {
        {"mass", cb->mass, "nq", cb->nq},
        {"force", cb->force, "nq", cb->nq},
        {"constraint", cb->constraint, "ng", cb->ng},
        {"pfaffian", cb->pfaffian, "nn", cb->nn},
        {"states", cb->states, "nc", cb->nc},
        {"algebraic", cb->algebraic, "nw", cb->nw},
        {"contact", cb->contact, "ns", cb->ns},
    };
    for (int i = 0; i < TN_COUNT(needs); i++)
        if (needs[i].value > 0 && !needs[i].given)
            return tn_fail(TN_ERR_USAGE,
                           "callbacks: the function '%s' is missing; it is needed because %s = %d",
                           needs[i].name, needs[i].dim, needs[i].value);
    if (!cb->sample != !cb->next_sample)
        return tn_fail(
            TN_ERR_USAGE,
            "callbacks: the function '%s' is missing; it is needed because '%s' is given",
            cb->sample ? "next_sample" : "sample", cb->sample ? "sample" : "next_sample");
    if (cb->next_kink && cb->time_dependent && (!cb->constraint_t || !cb->gamma))
        return tn_fail(TN_ERR_USAGE,
                       "callbacks: the function '%s' is missing; it is needed because 'next_kink' "
                       "is given and constraints depend on t",
                       cb->constraint_t ? "gamma" : "constraint_t");
    return TN_OK;
}

// Creation ----------------------------------------------------------------------------------------

static void layout_scratch(tn_callbacks_scratch *work, int nx, int ne, int ny, tn_carve *mem)
{
    TN_CARVE_DOUBLES(mem, nx, &work->x, &work->dx);
    work->e = tn_carve_doubles(mem, ne);
    work->y = tn_carve_doubles(mem, ny);
}

static void layout_callbacks(callbacks *s, tn_carve *mem)
{
    tn_system *sys = &s->base;
    const int nv = sys->nv, ng = sys->ng, nn = sys->nn, ne = sys->ne, ns = sys->ns;
    const int nx = tn_larger(tn_larger(sys->nq, ne), tn_larger(ng, nn)), ny = nv + ng + nn + ne;
    s->group = tn_carve_bytes(mem, sizeof(tn_group) * (size_t)sys->ngroup);
    s->sided = tn_carve_ints(mem, sys->ngroup);
    s->group_of = tn_carve_ints(mem, nv);
    sys->f = tn_carve_doubles(mem, nv);
    TN_CARVE_DOUBLES(mem, ng, &sys->g, &sys->gdot, &sys->gamma);
    TN_CARVE_DOUBLES(mem, nn, &sys->ndot, &sys->ngamma);
    sys->extra = tn_carve_doubles(mem, ne);
    layout_scratch(&s->in, nx, ne, ny, mem);
    layout_scratch(&s->out, nx, ne, ny, mem);
    s->M = tn_carve_doubles(mem, nv * nv);
    TN_CARVE_DOUBLES(mem, nv, &s->f, &s->length_q);
    s->B = tn_carve_doubles(mem, ng * nv);
    s->N = tn_carve_doubles(mem, nn * nv);
    s->n0 = tn_carve_doubles(mem, nn);
    s->gs = tn_carve_doubles(mem, ng * ns);
    s->hs = tn_carve_doubles(mem, ns * ns);
    s->sq = tn_carve_doubles(mem, ns * nv);
    s->pivot = tn_carve_ints(mem, ns);
    TN_CARVE_DOUBLES(mem, ns, &s->h, &s->st, &s->length_s);
    s->J = tn_carve_doubles(mem, ny * nx);
}

static tn_status allocate_callbacks(const callbacks *shape, callbacks **out)
{
    callbacks draft = *shape;
    tn_carve mem = {0};
    tn_carve_bytes(&mem, sizeof(callbacks));
    layout_callbacks(&draft, &mem);
    mem = (tn_carve){.base = tn_alloc(mem.used)};
    if (!mem.base)
        return tn_fail(TN_ERR_MEMORY, "callbacks: no memory for %d coordinates and %d constraints",
                       shape->base.nq, shape->base.ng + shape->base.nn);
    callbacks *s = tn_carve_bytes(&mem, sizeof(callbacks));
    *s = *shape;
    layout_callbacks(s, &mem);
    s->base.ops = &s->ops;
    s->base.groups = s->group;
    tn_callbacks_take_spaces(s);
    s->length_t = 1.0;
    for (int j = 0; j < s->base.nv; j++)
        s->length_q[j] = 1.0;
    for (int j = 0; j < s->base.ns; j++)
        s->length_s[j] = 1.0;
    *out = s;
    return TN_OK;
}

static tn_status create_block(tn_system *sys, tn_block id, int nrow, int ncol)
{
    TN_ASSERT(id >= 0 && id < TN_BLOCK_COUNT && !sys->block[id]);
    const tn_pair_index whole = {0, 0};
    if (nrow == 0 || ncol == 0)
        return TN_OK;
    return tn_sparse_create(1, &nrow, 1, &ncol, 1, &whole, &sys->block[id]);
}

// Only blocks that can be other than zero: rows of gdot and ndot see of e only s, and TN_BLOCK_GE
// has been eliminated (callbacks_eval.c); h sees neither v nor multipliers.
static tn_status create_blocks(tn_system *sys)
{
    const int nv = sys->nv, ng = sys->ng, nn = sys->nn, ne = sys->ne;
    const int by_s = sys->ns > 0 ? ne : 0, moving = sys->nc + sys->nw > 0 ? ne : 0;
    const int by_lambda = sys->force_uses_lambda ? ng : 0, by_eta = sys->force_uses_lambda ? nn : 0;
    const struct {
        tn_block id;
        int nrow, ncol;
    } blocks[] = {
        {TN_BLOCK_M, nv, nv},          {TN_BLOCK_B, ng, nv},
        {TN_BLOCK_N, nn, nv},          {TN_BLOCK_K, nv, nv},
        {TN_BLOCK_D, nv, nv},          {TN_BLOCK_Z, ng, nv},
        {TN_BLOCK_NZ, nn, nv},         {TN_BLOCK_FL, nv, by_lambda},
        {TN_BLOCK_FN, nv, by_eta},     {TN_BLOCK_FE, nv, ne},
        {TN_BLOCK_ZE, ng, by_s},       {TN_BLOCK_NE, nn, by_s},
        {TN_BLOCK_EQ, ne, nv},         {TN_BLOCK_EV, moving, nv},
        {TN_BLOCK_EE, ne, ne},         {TN_BLOCK_EL, moving, by_lambda},
        {TN_BLOCK_EN, moving, by_eta},
    };
    for (int i = 0; i < TN_COUNT(blocks); i++)
        TN_TRY(create_block(sys, blocks[i].id, blocks[i].nrow, blocks[i].ncol));
    return TN_OK;
}

static void row_name(const tn_system *self, int i, char *text, size_t size)
{
    const char *const *names = ((const callbacks *)self)->cb.row_names;
    TN_ASSERT(i >= 0);
    if (names && names[i])
        snprintf(text, size, "%s", names[i]);
    else
        snprintf(text, size, "row %d", i);
}

static void destroy_callbacks(tn_system *self)
{
    tn_free(self); // base stands first, and all arrays in the same block
}

// Returns true if G or g' is made by differences.
static bool by_differences(const tn_callbacks *cb)
{
    if (!cb->jacobian || (cb->time_dependent && (!cb->constraint_t || cb->ns > 0)))
        return true;
    return cb->ns > 0 && !(cb->constraint_ds && cb->contact_dq && cb->contact_ds);
}

tn_status tn_callbacks_create(const tn_callbacks *cb, tn_system **out)
{
    *out = NULL;
    TN_TRY(check_dimensions(cb));
    TN_TRY(tn_callbacks_check_spaces(cb));
    TN_TRY(check_functions(cb));
    const callbacks shape = {
        .cb = *cb,
        .base = {.nq = cb->nq,
                 .nv = tn_callbacks_nv(cb),
                 .ng = cb->ng,
                 .nn = cb->nn,
                 .nc = cb->nc,
                 .nw = cb->nw,
                 .ns = cb->ns,
                 .ne = cb->nc + cb->nw + cb->ns,
                 .nr = cb->nr,
                 .ngroup = tn_callbacks_ngroup(cb),
                 .units = tn_units_si,
                 .time_scale = 1.0,
                 .force_uses_lambda = cb->lambda_in_force,
                 .noisy_gamma = cb->ng > 0 && !cb->gamma && !cb->jacobian},
        .ops = {.coordinates = "callbacks",
                .eval = tn_callbacks_eval,
                .energy = cb->energy ? tn_callbacks_energy : NULL,
                .next_sample = cb->next_sample ? tn_callbacks_next_sample : NULL,
                .sample = cb->sample ? tn_callbacks_sample : NULL,
                .row_name = row_name,
                .velocity_name = tn_callbacks_velocity_name,
                .destroy = destroy_callbacks},
        .rheonomic = cb->time_dependent || cb->constraint_t,
        .nested = cb->ng > 0 && by_differences(cb),
    };
    callbacks *s = NULL;
    TN_TRY(allocate_callbacks(&shape, &s));
    const tn_status status = create_blocks(&s->base);
    TN_HAND_OUT(status, &s->base, tn_system_destroy, out);
}

static void start_callbacks(int n, const double *given, double *x)
{
    if (given)
        tn_copy(n, given, x);
    else
        tn_zero(n, x);
}

void tn_callbacks_start(const tn_system *sys, double *e, double *r)
{
    const callbacks *s = (const callbacks *)sys;
    start_callbacks(sys->nc, s->cb.c0, e);
    start_callbacks(sys->nw, s->cb.w0, e + sys->nc);
    start_callbacks(sys->ns, s->cb.s0, e + sys->nc + sys->nw);
    start_callbacks(sys->nr, s->cb.r0, r);
}
