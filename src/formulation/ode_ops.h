// SPDX-License-Identifier: MIT
//
// Functions of a formulation that form the explicit view (ode.h): one const table for each, in its
// own file, named by `.ode` of its tn_formulation. The object of a formulation begins with a
// tn_ode.
//
//   z = (x, u, c)     x: nx coordinates of the configuration, u: nu of the velocity
//
// In one evaluation ode.c calls
//
//   motion   q, v                of x, u
//   (e)      w, s                by Newton's method, in ode.c; where forces depend on
//            lambda, eta         multipliers these too, unless accel does
//   accel    a, lambda, eta      at t, q, v, e, r
//   rates    x', u'              of all that
//   (c)      c' = d              in ode.c
//
// Functions that are NULL do what most formulations need: x are the coordinates of the chart and u
// is v. Nothing allocates after `open`.

#pragma once

#include "formulation/ode.h"
#include "motion/accel.h"
#include "motion/roots.h"

typedef struct tn_ode_ops {
    size_t size;         // of the formulation's own struct
    bool massless;       // solves for the velocities of motions without inertia (massless.h)
    bool reactions;      // `accel` solves for multipliers on which forces depend, and for w
    bool recursive;      // takes accelerations of a tree without its mass matrix
    bool mixed;          // u are combinations of speeds and rates
    bool local_rotation; // takes LOCAL where QUATERNION is asked for: one coordinate per velocity
    // Own memory: called twice, as all layouts, when system and chart are set. NULL: none.
    void (*layout)(tn_ode *self, tn_carve *mem);
    // Once, after the layout, with all rows active: reads options, creates solvers. NULL: nothing.
    tn_status (*open)(tn_ode *self, const tn_sim_options *options);
    // Kinematic characteristics by name, after open; NULL: the formulation has none to choose.
    tn_status (*choose)(tn_ode *self, const tn_model *model, const char *names);
    void (*close)(tn_ode *self); // frees what open created, also after a failed open
    // The active rows have changed (also called after open): sets nx and nu where they are not
    // chart.nz and nv. At most nx = chart.nz and nu = nv. NULL: nothing to do.
    void (*activate)(tn_ode *self);

    // Takes the state as base, chart included, and writes x and u; q, v, e of tn_ode are those of
    // the state already. *changed: the meaning of z is another one now. NULL: moves the
    // chart to q and writes its coordinates and v.
    tn_status (*base)(tn_ode *self, double *x, double *u, bool *changed);
    // q and v of x and u at self->t; c stands in self->e, w and s there are those of the last
    // evaluation. One that needs s may call tn_ode_extra. NULL: chart, u is v.
    tn_status (*motion)(tn_ode *self, const double *x, const double *u);
    // a, lambda and eta at tn_ode_point(self). Rows that are not active have multiplier zero,
    // unless the formulation deals with repeated rows itself.
    tn_status (*accel)(tn_ode *self);
    // x' and u' after accel; NULL: A v and a.
    tn_status (*rates)(tn_ode *self, const double *x, const double *u, double *xdot, double *udot);
    // `rates` needs q, v, a, lambda, eta, e alone, nothing that accel has left behind: tn_ode_begin
    // then takes known ones without calling accel. True where rates is NULL.
    bool rates_from_known;
    bool (*is_good)(const tn_ode *self, const double *x); // chart included; NULL: the chart's
    void (*sizes)(const tn_ode *self, const double *x, const double *u, double *size_x,
                  double *size_u); // NULL: chart; |u|
    // As tn_ode_by_kind, for x and u; NULL: as in the chart, and velocities.
    void (*by_kind)(const tn_ode *self, const double value[TN_KIND_COUNT], double *of_x,
                    double *of_u);
    const char *(*solver)(const tn_ode *self);  // name of the linear solver
    void (*values)(tn_ode *self, tn_values *v); // saved ones beside those of the layout; or NULL
} tn_ode_ops;

struct tn_ode {
    const tn_ode_ops *ops;
    const tn_formulation *formulation;
    tn_system *sys;
    tn_chart chart;
    int nx, nu;
    int *active; // ng + nn
    // The point of the current evaluation, and what has been found there.
    double t;
    double *q, *v, *a, *lambda, *eta, *e;
    bool plain;      // q and v are parts of z, and a is one of zdot
    const double *r; // sampled states, of the state that `begin` was called with
    // The last complete evaluation: arrays above and zdot belong to t and z.
    bool valid;
    bool has_extra; // accel has left c' in the system: forces are made of what c' is made of
    double *z, *zdot;
    long factorizations;   // of accelerations: one for each evaluation
    tn_roots extra;        // w and s
    const tn_ode_way *way; // by which they are found; NULL: by `extra`
    tn_accel
        *reactions; // finds multipliers on which forces depend; NULL: there are none, or `accel`
    void *block;
};

tn_point tn_ode_point(const tn_ode *ode); // t, q, v, a, lambda, eta, e, r as they stand
// Solves b = 0 and h = 0 for w and s in ode->e at t, q, v, c.
tn_status tn_ode_extra(tn_ode *ode);

// For index1 and baumgarte, whose own files say more than their explicit form.
extern const tn_ode_ops tn_ode_kkt;
