// SPDX-License-Identifier: MIT
//
// Start values of a model in absolute coordinates, and the read-out of bodies, joints and reactions
// in the user's own frames.

#include "system/absolute_parts.h"

#include "force/slip.h"
#include "kinds/own.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "tenon/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void put_frame(const abs_body *b, tn_frame frame, double *qb)
{
    tn_body_components(b->moves, 0, tn_frame_point(frame, b->com), (tn_vec3){0}, qb);
    if (b->turns == 3)
        tn_quat_to(tn_quat_from_matrix(frame.R), qb + 3);
    if (b->turns == 1)
        qb[2] = atan2(frame.R.m[1][0], frame.R.m[0][0]);
}

// From the velocity of the origin (inertial axes) and the rate (body axes) of a body frame.
static void put_velocity(const abs_body *b, tn_mat3 R, tn_vec3 velocity, tn_vec3 rate, double *vb)
{
    const tn_vec3 u = tn_v3_add(velocity, tn_m3_apply(R, tn_v3_cross(rate, b->com)));
    tn_body_components(b->moves, b->turns, b->se3 ? tn_m3_apply_t(R, u) : u, rate, vb);
}

void tn_absolute_put(const absolute *s, int body, double *q, double *v)
{
    TN_ASSERT(body > 0 && body < s->nbody);
    const abs_body *b = &s->body[body];
    const tn_vec3 arm = tn_m3_apply(b->R, b->com);
    put_frame(b, (tn_frame){b->R, tn_v3_sub(b->p, arm)}, q + b->q0);
    put_velocity(b, b->R, tn_v3_sub(b->V.v, tn_v3_cross(b->V.w, arm)), b->W, v + b->v0);
}

void tn_absolute_put_acceleration(const absolute *s, int body, tn_twist A, double *a)
{
    const abs_body *b = &s->body[body];
    tn_body_components(b->moves, b->turns, A.v, tn_m3_apply_t(b->R, A.w), a + b->v0);
}

// The first angle of a joint on the turn that another of its rows gives.
static double counted_angle(const absolute *s, int joint)
{
    TN_ASSERT(s->joint[joint].own_pair >= 0);
    const tn_joint_data *data = &s->model->joints.at[joint];
    const tn_pair *at = &s->pair[s->joint[joint].own_pair].at;
    double q[7] = {0};
    tn_joint_locate(data->ops, data->def, tn_frame_mul(tn_frame_inverse(at->a.x), at->b.x), q);
    return tn_row_value(&data->ops->coords[0].row, at, q[0]);
}

void tn_absolute_start(const tn_system *sys, double *q, double *v, double *r)
{
    const absolute *s = (const absolute *)sys;
    for (int k = 1; k < s->nbody; k++) {
        const tn_body_kept *def = &s->model->bodies.at[k].def;
        put_frame(&s->body[k], def->frame, q + s->body[k].q0);
        put_velocity(&s->body[k], def->frame.R, def->velocity, def->rate, v + s->body[k].v0);
    }
    tn_absolute_place((absolute *)s, &(tn_point){.q = q});
    for (int k = 0; k < abs_memory_size(s); k++)
        r[k] = 0.0;
    for (int k = 0; k < s->nmemory; k++)
        r[k] = tn_absolute_remember(s, k, 0.0);
    tn_absolute_start_samples(s, r);
    // A stated joint angle also gives the turn on which the joint starts; for a screw its advance
    // does.
    for (int k = 0; k < s->model->joints.count; k++) {
        if (s->model->joints.at[k].ops->counts_turns)
            r[s->joint[k].memory[0]] = counted_angle(s, k);
        for (int i = 0; i < s->model->joints.at[k].def->nposition; i++)
            if (s->joint[k].memory[i] >= 0)
                r[s->joint[k].memory[i]] = s->model->joints.at[k].def->position[i];
    }
}

void tn_absolute_start_extra(tn_system *sys, double t, double *e)
{
    absolute *s = (absolute *)sys;
    if (!s->signals)
        return;
    s->signals->t_first = t;
    for (int i = 0; i < sys->nc; i++)
        e[i] = s->model->states.at[i].initial;
    for (int i = 0; i < sys->nw; i++)
        e[sys->nc + i] = s->model->unknowns.at[i].start;
}

void tn_absolute_start_turns(const tn_system *sys, double t, double *r)
{
    const absolute *s = (const absolute *)sys;
    for (int k = 0; k < s->model->joints.count; k++) {
        const tn_joint_data *data = &s->model->joints.at[k];
        tn_driven driven;
        double u[3];
        if (!tn_joint_drives(data, &driven))
            continue;
        const int memory = s->joint[driven.joint.index].memory[driven.coordinate];
        tn_timefn_eval(data->u[0], t, u);
        if (memory >= 0 && isfinite(u[0]))
            r[memory] = u[0];
    }
}

double tn_absolute_restate(const tn_system *sys, const double *q, double *v)
{
    const absolute *s = (const absolute *)sys;
    double most = 0.0;
    const tn_point at = {.q = q, .v = v};
    for (int k = 1; k < s->nbody; k++) {
        const tn_body_kept *def = &s->model->bodies.at[k].def;
        if (!def->given_velocity && !def->given_rate)
            continue;
        const abs_body *b = &s->body[k];
        tn_body_state now;
        double stated[6];
        tn_absolute_body(sys, &at, k, &now);
        put_velocity(b, now.frame.R, def->given_velocity ? def->velocity : now.velocity,
                     def->given_rate ? def->rate : now.rate, stated);
        for (int i = 0; i < b->nv; i++) {
            most = fmax(most, fabs(stated[i] - v[b->v0 + i]));
            v[b->v0 + i] = stated[i];
        }
    }
    return most;
}

void tn_absolute_set_body(const tn_system *sys, int body, const tn_body_state *state, double *q,
                          double *v)
{
    TN_ASSERT(body > 0 && body < ((const absolute *)sys)->nbody);
    const abs_body *b = &((const absolute *)sys)->body[body];
    put_frame(b, state->frame, q + b->q0);
    put_velocity(b, state->frame.R, state->velocity, state->rate, v + b->v0);
}

static void put_offset(const abs_body *b, const tn_body_kept *def, const tn_body_state *now,
                       double *d)
{
    const tn_mat3 R = now->frame.R;
    const tn_vec3 apart = tn_v3_sub(def->frame.p, now->frame.p), none = {0, 0, 0};
    const tn_vec3 turn =
        def->given_rotation ? tn_so3_log(tn_m3_mul(tn_m3_transpose(R), def->frame.R)) : none;
    const tn_vec3 move = !def->given_position ? none : b->se3 ? tn_m3_apply_t(R, apart) : apart;
    tn_body_components(b->moves, b->turns, move, turn, d);
}

void tn_absolute_stated_offset(const tn_system *sys, const double *q, double *d)
{
    const absolute *s = (const absolute *)sys;
    for (int k = 1; k < s->nbody; k++) {
        tn_body_state now;
        tn_absolute_body(sys, &(tn_point){.q = q}, k, &now);
        put_offset(&s->body[k], &s->model->bodies.at[k].def, &now, d + s->body[k].v0);
    }
}

bool tn_absolute_lever(const tn_system *sys, const double *q, int body, double L[3][6])
{
    absolute *s = (absolute *)sys;
    TN_ASSERT(body > 0 && body < s->nbody);
    const abs_body *b = &s->body[body];
    if (b->nv == 0 || tn_v3_norm(b->com) == 0.0)
        return false;
    tn_absolute_place_body(s, &(tn_point){.q = q}, body);
    const tn_mat3 turn = tn_m3_skew(b->com), inertial = tn_m3_mul(b->R, turn);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            L[i][j] = j < 3 ? 0.0 : b->se3 ? turn.m[i][j - 3] : inertial.m[i][j - 3];
    if (b->turns == 1)
        for (int i = 0; i < 2; i++)
            L[i][2] = L[i][5];
    return b->turns > 0;
}

void tn_absolute_fix_constants(tn_system *sys, const double *q, double *r)
{
    absolute *s = (absolute *)sys;
    tn_absolute_place(s, &(tn_point){.q = q});
    for (int k = 0; k < s->nmemory; k++)
        r[k] = tn_absolute_remember(s, k, r[k]);
    for (int k = 0; k < s->model->joints.count; k++) {
        const tn_joint_data *data = &s->model->joints.at[k];
        if (data->ops->relative) {
            tn_pair *at = &s->pair[s->joint[k].own_pair].at;
            const double stated = data->ops->length ? data->ops->length(data->def) : 0.0;
            at->length = stated > 0.0 ? stated : tn_v3_norm(tn_v3_sub(at->b.x.p, at->a.x.p));
        }
        if (s->joint[k].formula)
            tn_absolute_scale_formula(s, &s->joint[k], &(abs_point){.r = r});
        for (int i = 0; i < s->joint[k].nrow; i++) {
            abs_row *row = &s->joint[k].row[i];
            if (!row->start_constant)
                continue;
            row->constant = 0.0;
            for (int m = 0; m < row->nterm; m++) {
                const abs_term *term = &row->term[m];
                row->constant +=
                    term->coefficient * tn_row_value(&term->row, &s->pair[term->pair].at,
                                                     term->memory >= 0 ? r[term->memory] : 0.0);
            }
        }
    }
    for (int k = 0; k < s->nforce; k++) {
        abs_force *f = &s->force[k];
        if (f->data.has_row && f->data.free_at_start)
            f->data.free = tn_row_value(&f->data.row, &s->pair[f->pair].at,
                                        f->memory >= 0 ? r[f->memory] : 0.0);
    }
}

void tn_placed_body(const absolute *s, int body, const tn_twist *A, tn_quat *last,
                    tn_body_state *out)
{
    TN_ASSERT(body >= 0 && body < s->nbody);
    const abs_body *b = &s->body[body];
    const tn_vec3 arm = tn_v3_neg(tn_m3_apply(b->R, b->com)), w = b->V.w; // to the origin
    tn_quat now = tn_quat_from_matrix(b->R);
    if (now.w * last->w + now.x * last->x + now.y * last->y + now.z * last->z < 0.0)
        now = (tn_quat){-now.w, -now.x, -now.y, -now.z};
    *last = now;
    *out = (tn_body_state){.frame = {b->R, tn_v3_add(b->p, arm)},
                           .rotation = now,
                           .velocity = tn_v3_add(b->V.v, tn_v3_cross(w, arm)),
                           .rate = tn_m3_apply_t(b->R, w)};
    if (!A)
        return;
    const tn_vec3 centripetal = tn_v3_cross(w, tn_v3_cross(w, arm));
    out->acceleration = tn_v3_add(tn_v3_add(A->v, tn_v3_cross(A->w, arm)), centripetal);
    out->rate_dot = tn_m3_apply_t(b->R, A->w);
}

void tn_absolute_body(const tn_system *sys, const tn_point *at, int body, tn_body_state *out)
{
    absolute *s = (absolute *)sys;
    const abs_body *b = &s->body[body];
    tn_quat rotation = tn_quat_identity;
    tn_twist A = {0};
    tn_absolute_place_body(s, at, body);
    if (body > 0 && b->turns == 3)
        rotation = tn_quat_from(at->q + b->q0 + 3);
    if (body > 0 && at->a) {
        const double *a = at->a + b->v0;
        A.v = tn_v3(a[0], b->moves > 1 ? a[1] : 0.0, b->moves == 3 ? a[2] : 0.0);
        A.w = b->turns == 3 ? tn_m3_apply(b->R, tn_v3_from(a + 3)) : tn_v3(0.0, 0.0, 0.0);
        if (b->turns == 1)
            A.w.z = a[2];
        if (b->se3)
            A.v = tn_m3_apply(b->R, tn_v3_add(A.v, tn_v3_cross(b->W, b->U)));
    }
    tn_placed_body(s, body, at->a ? &A : NULL, &rotation, out);
    if (body > 0 && b->turns == 3) // as it stands in the state
        out->rotation = tn_quat_from(at->q + b->q0 + 3);
}

tn_frame tn_absolute_frame_in_si(const tn_system *sys, const tn_point *at, int body)
{
    tn_body_state state;
    if (body == TN_GROUND.index)
        return tn_frame_identity;
    tn_absolute_body(sys, at, body, &state);
    state.frame.p = tn_v3_scale(sys->units.length, state.frame.p);
    return state.frame;
}

// Adds the part of -C^T (lambda, eta) that rows of a joint put on one body, in world axes.
static void add_constraint_wrench(const absolute *s, const abs_joint *j, const double *lambda,
                                  int body, double *w)
{
    for (int i = 0; i < j->nrow; i++)
        for (int m = 0; m < j->row[i].nterm; m++) {
            const abs_term *term = &j->row[i].term[m];
            const abs_pair *p = &s->pair[term->pair];
            double G[12];
            tn_row_gradient(&term->row, &p->at, G);
            const double scale = -lambda[j->row0 + i] * term->coefficient;
            for (int c = 0; c < 6; c++)
                w[c] += scale * ((p->b == body ? G[6 + c] : 0.0) + (p->a == body ? G[c] : 0.0));
        }
}

tn_wrench tn_placed_reaction(const absolute *s, const abs_point *at, int joint)
{
    TN_ASSERT(joint >= 0 && joint < s->njoint && at->lambda);
    const abs_joint *j = &s->joint[joint];
    const abs_joint *by = j->formula || j->rolling < 0 ? j : &s->joint[j->rolling];
    if (by->formula)
        return tn_absolute_formula_reaction(s, by, at);
    const abs_pair *p = &s->pair[j->own_pair >= 0 ? j->own_pair : j->pair[0]];
    double sum[6] = {0};
    abs_share_loads of = {0};
    if (j->nshare > 0)
        tn_absolute_share(s, j, &of);
    else
        add_constraint_wrench(s, j, at->lambda, p->b, sum);
    for (int i = 0; i < of.n; i++)
        tn_axpy(6, -at->lambda[of.row[i]], of.w[i], sum);
    if (j->rolling >= 0)
        add_constraint_wrench(s, &s->joint[j->rolling], at->eta, p->b, sum);
    tn_wrench w = {tn_v3_from(sum), tn_v3_from(sum + 3)};
    w.m = tn_v3_sub(w.m, tn_v3_cross(p->at.b.r, w.f)); // from the centre of mass to frame B
    return w;
}

tn_wrench tn_absolute_reaction(const tn_system *sys, const tn_point *at, int joint)
{
    absolute *s = (absolute *)sys;
    abs_point here = abs_here(at);
    here.eta = tn_slides_eta(&s->base, at);
    if (s->nformula_row > 0)
        tn_absolute_place(s, at);
    else
        tn_absolute_place_joint(s, at, &s->joint[joint]);
    return tn_placed_reaction(s, &here, joint);
}

int tn_absolute_joint_row(const tn_system *sys, int joint, int i)
{
    const absolute *s = (const absolute *)sys;
    TN_ASSERT(joint >= 0 && joint < s->model->joints.count);
    const abs_joint *j = &s->joint[joint];
    return i < j->nrow || j->rolling < 0 ? j->row0 + i
                                         : sys->ng + s->joint[j->rolling].row0 + i - j->nrow;
}

void tn_absolute_turns(const tn_system *sys, bool *turns)
{
    const absolute *s = (const absolute *)sys;
    for (int k = 1; k < s->nbody; k++)
        for (int i = 0; i < s->body[k].nv; i++)
            turns[s->body[k].v0 + i] = i >= s->body[k].moves;
}

int tn_absolute_row_joint(const tn_system *sys, int row, int *of_joint)
{
    TN_ASSERT(row >= 0 && row < sys->ng + sys->nn);
    const absolute *s = (const absolute *)sys;
    int i;
    const abs_joint *j = abs_joint_of(s, row, &i);
    if (of_joint)
        *of_joint = i + (j->rolls ? s->joint[j->model_index].nrow : 0);
    return j->model_index;
}

tn_row_levels tn_absolute_row_levels(const tn_system *sys, int row)
{
    TN_ASSERT(row >= 0 && row < sys->ng + sys->nn);
    int i;
    const abs_joint *j = abs_joint_of((const absolute *)sys, row, &i);
    const abs_row *r = &j->row[i];
    return (tn_row_levels){!r->no_position && !j->rolls, !r->no_velocity, r->guess};
}

int tn_placed_coordinates(const absolute *s, const abs_point *at, int joint, double *q, double *qd)
{
    TN_ASSERT(joint >= 0 && joint < s->model->joints.count);
    const abs_joint *j = &s->joint[joint];
    const tn_joint_ops *ops = s->model->joints.at[joint].ops;
    if (j->own_pair < 0)
        return 0;
    const tn_pair *pair = &s->pair[j->own_pair].at;
    for (int i = 0; i < ops->ncoord; i++) {
        double G[12];
        q[i] = tn_row_value(&ops->coords[i].row, pair, abs_expected(s, at, j->memory[i]));
        tn_row_gradient(&ops->coords[i].row, pair, G);
        qd[i] = tn_row_rate(G, pair);
    }
    return ops->ncoord;
}

int tn_absolute_coordinates(const tn_system *sys, const tn_point *at, int joint, double *q,
                            double *qd)
{
    absolute *s = (absolute *)sys;
    const abs_point here = abs_here(at);
    tn_absolute_place_joint(s, at, &s->joint[joint]);
    return tn_placed_coordinates(s, &here, joint, q, qd);
}

// The law itself: its wrench does not give the force along the coordinate.
static void read_scalar_law(const tn_force_data *data, double t, double reference,
                            const tn_pair *pair, tn_force_state *out)
{
    double G[12];
    tn_scalar_load load = {0};
    tn_row_gradient(&data->row, pair, G);
    out->is_scalar = true;
    out->coordinate = tn_row_value(&data->row, pair, reference);
    out->deflection = out->coordinate - data->free;
    out->rate = tn_row_rate(G, pair);
    data->ops->law(data, t, out->coordinate, out->rate, reference, &load);
    out->effort = load.Q;
}

static void read_section(const tn_force_data *data, const tn_pair *pair, tn_force_state *out)
{
    tn_section_load load;
    data->ops->section(data, pair, false, &load);
    out->is_section = true;
    out->section = (tn_wrench){tn_v3_from(load.s), tn_v3_from(load.s + 3)};
    out->strain = tn_v3_from(load.strain);
    out->curvature = tn_v3_from(load.strain + 3);
}

void tn_placed_force(absolute *s, const abs_point *at, int force, tn_force_state *out)
{
    TN_ASSERT(force >= 0 && force < s->nforce);
    const abs_force *f = &s->force[force];
    const tn_pair *pair = &s->pair[f->pair].at;
    const double t = abs_clock(s, at->t), reference = abs_expected(s, at, f->memory);
    double V[12];
    if (f->live >= 0)
        tn_absolute_set_signals(s, at, false);
    const tn_load load = tn_absolute_load(s, at, f);
    out->on_b.f = tn_v3_from(load.w + 6);
    out->on_b.m = tn_v3_sub(tn_v3_from(load.w + 9), tn_v3_cross(pair->b.r, out->on_b.f));
    out->energy = load.energy;
    out->dissipated = load.dissipated;
    out->supplied = load.supplied;
    tn_pair_twists(pair, V);
    out->power = tn_dot(12, load.w, V);
    if (f->data.slip.n > 0) {
        tn_slip_at slip;
        tn_slip_see(&f->data, pair, false, &slip);
        out->slips = tn_v3(slip.u[0], slip.u[1], f->data.slip.touches ? 0.0 : slip.u[2]);
        out->slip = tn_v3_norm(out->slips);
    }
    if (f->data.has_row)
        read_scalar_law(&f->data, t, reference, pair, out);
    if (f->data.ops->section)
        read_section(&f->data, pair, out);
}

void tn_absolute_force_tangent(tn_system *sys, const tn_point *at, int force, double w[12],
                               tn_load_tangent *T)
{
    absolute *s = (absolute *)sys;
    const abs_point here = abs_here(at);
    const abs_force *f = &s->force[force];
    tn_absolute_place(s, at);
    tn_absolute_set_signals(s, &here, true);
    const tn_load load = tn_absolute_load(s, &here, f);
    memcpy(w, load.w, sizeof load.w);
    *T = tn_absolute_load_tangent(s, &here, f);
}

// Differences by steps of one width: by what part of the largest entry they are off from those of
// the width before, and what of that may be round-off of the load.
typedef struct off_by {
    double part, noise;
} off_by;

static off_by compare_differences(const double *A, const double *wide, double round_off)
{
    static const double NONE = 1e-9;
    const double size = fmax(tn_norm_inf(144, A), tn_norm_inf(144, wide));
    double off = 0.0;
    for (int i = 0; i < 144; i++)
        off = fmax(off, fabs(A[i] - wide[i]));
    if (!(size > 0.0))
        return (off_by){0.0, 0.0};
    return (off_by){off <= NONE * size + round_off ? 0.0 : off / size, round_off / size};
}

// By positions (K) or by velocities (D) the widest steps, by the usual ones, whose differences the
// next ones confirm; where none are, those to which these are nearest.
static off_by settle_differences(absolute *s, const abs_point *here, abs_force *f, bool velocity)
{
    enum { WIDTHS = 8 };
    static const double NARROWER = 0.1, USUAL = 2e-3;
    const tn_load load = tn_absolute_load(s, here, f);
    off_by least = {INFINITY, 0.0};
    double best = 1.0, width = 1.0, wide[144];
    for (int k = 0; k < WIDTHS && least.part > 0.0; k++, width *= NARROWER) {
        f->data.spread[velocity] = width;
        const tn_load_tangent T = tn_absolute_load_tangent(s, here, f);
        const double *A = velocity ? T.D[0] : T.K[0];
        const double round_off = 8.0 * DBL_EPSILON * tn_norm_inf(12, load.w) / (USUAL * width);
        const off_by off = k > 0 ? compare_differences(A, wide, round_off) : least;
        if (off.part < least.part) {
            least = off;
            best = width / NARROWER;
        }
        tn_copy(144, A, wide);
    }
    f->data.spread[velocity] = best;
    return least;
}

tn_unsure tn_absolute_settle_differences(tn_system *sys, const tn_point *at)
{
    absolute *s = (absolute *)sys;
    const abs_point here = abs_here(at);
    tn_unsure most = {0};
    for (int i = 0; i < 2 * s->nforce; i++) {
        abs_force *f = &s->force[i / 2];
        if (!f->data.ops->own || !tn_own_force_differs(f->data.ops->own))
            continue;
        tn_absolute_place(s, at);
        tn_absolute_set_signals(s, &here, true);
        const off_by off = settle_differences(s, &here, f, i % 2);
        most.force = off.part > most.part ? i / 2 : most.force;
        most.part = fmax(most.part, off.part);
        most.noise = fmax(most.noise, off.noise);
    }
    return most;
}

// The load of a force element; out comes zeroed.
static void absolute_force(const tn_system *sys, const tn_point *at, int force, tn_force_state *out)
{
    absolute *s = (absolute *)sys;
    const abs_point here = abs_here(at);
    if (s->force[force].live >= 0)
        tn_absolute_place(s, at);
    else
        tn_absolute_place_force(s, at, &s->force[force]);
    tn_placed_force(s, &here, force, out);
}

int tn_absolute_body_velocity(const tn_system *sys, int body, int *v0)
{
    const absolute *s = (const absolute *)sys;
    TN_ASSERT(body >= 0 && body < s->nbody);
    *v0 = s->body[body].v0;
    return s->body[body].nv;
}

const tn_exchange *tn_absolute_exchange(const tn_system *sys)
{
    return ((const absolute *)sys)->exchange;
}

double tn_absolute_gain(const tn_system *sys, int force, double *turn)
{
    const absolute *s = (const absolute *)sys;
    const abs_force *f = &s->force[force];
    double u[3];
    *turn = 0.0;
    if (!f->data.ops->is_motor)
        return 0.0;
    tn_timefn_eval(f->data.u[0], 0.0, u);
    *turn = tn_row_is_length(&f->data.row) ? 0.0 : 2.0 * M_PI * u[0];
    return u[0] * tn_row_value(&f->data.row, &s->pair[f->pair].at, 0.0);
}

const tn_model *tn_absolute_model(const tn_system *sys)
{
    return ((const absolute *)sys)->model;
}

int tn_placed_multipliers(const tn_system *self, const tn_point *at, int joint, double *lambda)
{
    const absolute *s = self->world;
    TN_ASSERT(at->lambda && joint >= 0 && joint < s->model->joints.count);
    const abs_joint *j = &s->joint[joint];
    tn_copy(j->nrow, at->lambda + self->ng - s->base.ng + j->row0, lambda); // own rows come first
    if (j->rolling < 0)
        return j->nrow;
    const abs_joint *rolling = &s->joint[j->rolling];
    tn_copy(rolling->nrow, tn_slides_eta((tn_system *)self, at) + rolling->row0, lambda + j->nrow);
    return j->nrow + rolling->nrow;
}

tn_status tn_placed_accept(tn_system *self, const tn_point *at, double *r)
{
    absolute *s = self->world;
    if (s->nmemory == 0)
        return TN_OK;
    tn_place_at(self, at, PLACED_SEEN);
    return tn_absolute_count_turns(s, at->t, s->nmemory, NULL, r);
}

void tn_placed_look(tn_system *self, const tn_point *at)
{
    tn_place_at(self, at, PLACED_ALL);
    self->looked = true;
}

int tn_seen_coordinates(const tn_system *self, const tn_point *at, int joint, double *q, double *qd)
{
    const abs_point here = tn_place_at((tn_system *)self, at, PLACED_SEEN);
    return tn_placed_coordinates(self->world, &here, joint, q, qd);
}

void tn_seen_force(const tn_system *self, const tn_point *at, int force, tn_force_state *out)
{
    const abs_point here = tn_place_at((tn_system *)self, at, PLACED_SEEN);
    tn_placed_force(self->world, &here, force, out);
}

const tn_mechanism_ops tn_absolute_mechanism = {
    .out_of_range = tn_placed_out_of_range,
    .decisions = tn_placed_decisions,
    .settle = tn_placed_settle,
    .body = tn_absolute_body,
    .reaction = tn_absolute_reaction,
    .multipliers = tn_placed_multipliers,
    .coordinates = tn_absolute_coordinates,
    .force = absolute_force,
    .signals = tn_placed_signals,
};

bool tn_absolute_row_is_bent(const tn_system *sys, int row)
{
    int i;
    return abs_is_bent(abs_joint_of((const absolute *)sys, row, &i));
}

bool tn_absolute_row_turns(const tn_system *sys, int row, double *coefficient)
{
    TN_ASSERT(row >= 0 && row < sys->ng + sys->nn);
    int i;
    const abs_joint *j = abs_joint_of((const absolute *)sys, row, &i);
    const abs_row *r = &j->row[i];
    bool turns = true;
    *coefficient = j->formula ? 1.0 : 0.0;
    if (j->formula)
        return !j->formula->from.length;
    for (int k = 0; k < r->nterm; k++)
        turns = turns && !tn_row_is_length(&r->term[k].row);
    for (int k = 0; k < r->nterm; k++)
        if (tn_row_is_length(&r->term[k].row) != turns)
            *coefficient = fmax(*coefficient, fabs(r->term[k].coefficient));
    return turns;
}

void tn_absolute_between(int nturn, double t0, double t1, const double *r0, const double *r1,
                         double t, double *r)
{
    TN_ASSERT(t1 > t0);
    const int n = nturn / 2 - 1;
    const double h = t1 - t0, s = (t - t0) / h;
    for (int k = 0; k < n; k++) {
        const double d = (r1[k] - r0[k]) / h, rate1 = r1[n + k];
        const double rate0 = r0[2 * n + 1] > 0.0 ? r0[n + k] : 2.0 * d - rate1; // not known yet
        const double a = rate0 - d, b = d - rate1;
        r[k] = r0[k] + h * s * (d + (1.0 - s) * ((1.0 - s) * a + s * b));
        r[n + k] = d + (1.0 - s) * (1.0 - 3.0 * s) * a + s * (2.0 - 3.0 * s) * b;
    }
    if (nturn > 0) {
        r[2 * n] = t;
        r[2 * n + 1] = 1.0;
    }
}

void tn_absolute_slip(tn_system *sys, const tn_point *at, int force, double u[TN_SLIPS],
                      double rate[TN_SLIPS])
{
    absolute *s = (absolute *)sys;
    TN_ASSERT(force >= 0 && force < s->nforce && s->force[force].data.slip.n > 0);
    const abs_force *f = &s->force[force];
    const tn_pair *pair = &s->pair[f->pair].at;
    tn_slip_at now, next;
    tn_point moved = *at;
    double V[12];
    tn_absolute_place_force(s, at, f);
    tn_slip_see(&f->data, pair, true, &now);
    tn_pair_twists(pair, V);
    moved.v = at->a;
    tn_absolute_place_force(s, &moved, f);
    tn_slip_see(&f->data, pair, false, &next);
    for (int k = 0; k < TN_SLIPS; k++) {
        u[k] = now.u[k];
        rate[k] = next.u[k];
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                rate[k] += V[i] * now.H[k][i][j] * V[j];
    }
}
