// SPDX-License-Identifier: MIT
//
// Note of a run on factors that have become far larger than their matrices: where the entries are,
// and what is cheaper.
//
// Nets along a line have up to 2 entries of L + U for each of the matrix, those in a plane 3 to 5
// with 10^4 loops (docs/theory/cost.md), a tangle of 300 bodies 11. Where there are more than 10,
// loops tie parts together that are far apart otherwise, and no order of elimination keeps the
// matrix sparse. The columns of L that have most entries are those of bodies and joints between
// such parts: what is eliminated last is what separates the rest.

#include "base/alloc.h"
#include "coords/joint_coords.h"
#include "formulation/corrector.h"
#include "linalg/solver.h"
#include "sim/monitor.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

// Times the entries of the matrix, and entries at least: below, a factorisation takes milliseconds.
static const double EXPLODES = 10.0, MATTERS = 2e5;

enum { NAMED = 3, NAME = 48 };

// A matrix and what its unknowns are called. Without a corrector it is that of the accelerations.
typedef struct filled {
    const tn_solver *solver;
    const tn_system *sys;
    const struct tn_corrector *corrector;
    int part;
} filled;

static double entries_of(const tn_solver *solver)
{
    return solver ? tn_solver_fill_of(solver).fact : 0.0;
}

static filled fullest_of(const tn_sim *sim)
{
    filled f = {.sys = sim->start.sys};
    const tn_accel *accel = sim->start.accel;
    if (accel && !accel->by_schur)
        f.solver = accel->kkt.solver;
    int part = 0;
    const tn_solver *other =
        sim->problem ? tn_corrector_fullest(sim->problem->corrector, &part) : NULL;
    if (entries_of(other) > entries_of(f.solver)) {
        f.solver = other;
        f.corrector = sim->problem->corrector;
        f.part = part;
    }
    return f;
}

// Writes the name of the body or joint of an unknown, without its direction or row.
static void name_filled(const filled *f, int i, char *text, size_t size)
{
    const int nv = f->sys->nv;
    if (f->corrector)
        tn_corrector_name(f->corrector, f->part, i, text, size);
    else if (i < nv)
        f->sys->ops->velocity_name(f->sys, i, text, size);
    else
        f->sys->ops->row_name(f->sys, i - nv, text, size);
    text[strcspn(text, ",")] = '\0';
}

static bool is_named(char (*names)[NAME], int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (!strcmp(names[k], name))
            return true;
    return false;
}

// The next widest unknown; its width becomes 0. -1: there is none.
static int take_widest(int n, int *width)
{
    int at = -1;
    for (int i = 0; i < n; i++)
        if (width[i] > 0 && (at < 0 || width[i] > width[at]))
            at = i;
    if (at >= 0)
        width[at] = 0;
    return at;
}

// Names of what has the widest columns, as one text.
static void list_names(const filled *f, int n, int *width, char *text, size_t size)
{
    char names[NAMED][NAME];
    int count = 0;
    for (int i = take_widest(n, width); i >= 0 && count < NAMED; i = take_widest(n, width)) {
        char name[NAME];
        name_filled(f, i, name, sizeof name);
        if (!is_named(names, count, name))
            memcpy(names[count++], name, sizeof name);
    }
    text[0] = '\0';
    for (int k = 0; k < count; k++) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s",
                 k == 0           ? ""
                 : k + 1 == count ? " and "
                                  : ", ",
                 names[k]);
    }
}

// Writes what to take instead, by the estimate that `auto` goes by.
static void advise(const tn_sim *sim, char *text, size_t size)
{
    const tn_start *world = sim->start.world ? sim->start.world : &sim->start;
    const bool joint = sim->start.world && !tn_sim_has_directors(sim);
    tn_joint_coords_cost cost;
    double by = 1.0; // of the other coordinates
    if (sim->model && !tn_sim_has_directors(sim) &&
        tn_joint_coords_estimate(world->sys, &cost) == TN_OK)
        by = joint ? cost.absolute / cost.joint : cost.joint / cost.absolute;
    if (by < 1.0)
        snprintf(text, size, "@%s takes %.2g of the products by the estimate",
                 joint ? "absolute" : "joint", by);
    else
        snprintf(text, size,
                 "springs in the place of some joints, with an explicit method, need "
                 "no factors");
}

static void note_fill(tn_monitor *m, tn_sim *sim)
{
    const filled f = fullest_of(sim);
    const tn_solver_fill fill = f.solver ? tn_solver_fill_of(f.solver) : (tn_solver_fill){0};
    if (fill.fact < MATTERS || fill.fact < EXPLODES * fill.matrix)
        return;
    const int n = f.solver->scaled.nrow;
    char names[NAMED * (NAME + 8)], advice[96];
    int *width = tn_alloc(sizeof *width * (size_t)n);
    if (width && tn_solver_widths(f.solver, width)) {
        list_names(&f, n, width, names, sizeof names);
        advise(sim, advice, sizeof advice);
        tn_notes_add(&sim->start.notes,
                     "factors have %.2g entries, %.0f times those of their matrix, which loops "
                     "through %s fill; %s",
                     fill.fact, fill.fact / fill.matrix, names, advice);
    }
    tn_free(width);
}

const tn_monitor_ops tn_monitor_fill = {.name = "fill", .note = note_fill};
