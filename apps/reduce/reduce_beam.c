// SPDX-License-Identifier: MIT
//
// A beam of a model as finite elements. Freedoms of a node are its displacement and its rotation
// vector theta in inertial axes, R = exp(theta) R_0.
//
// Stiffness is the Hessian of the strain energy V in these coordinates: the symmetric part of the
// derivatives of wrenches that elements give.
//
// Geometric stiffness of a load f is that of the stresses under its static response K u = f, the
// derivative of the Hessian by strains C^-1 s that each element is given where the beam has its
// shape without load. (That the shape changes, too, is of no account in axial loads; what it does
// under loads that bend is of the next order of amplitudes, which linear modes leave out.) The
// response has the conditions of the frame: held at an attachment, or across all rigid motions by
// M, with the load in balance with inertia forces (K u = f - M R (R^T M R)^-1 R^T f). Inertia loads
// are those of displacements: f = -M (e_i x (e_j x x)) for products of rates, -M a for
// accelerations, -M b for angular ones.

#include "reduce/reduce_beam.h"

#include "base/alloc.h"
#include "flex/beam.h"
#include "lie/se3.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "linalg/entries.h"
#include "model/force.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// Forces below this part of the stiffness of an element are round-off of its shape.
static const double UNSTRAINED = 1e-9;
// Rotations, and displacements by the length, of the differences: their square is the error.
static const double SMALL = 1e-4;

static tn_frame node_frame(const tn_model *model, const tn_beam_data *beam, int k, const double *u)
{
    tn_frame x = model->bodies.at[beam->body + k].def.frame;
    if (!u)
        return x;
    x.p = tn_v3_add(x.p, tn_v3_from(u + 6 * k));
    x.R = tn_m3_mul(tn_so3_exp(tn_v3_from(u + 6 * k + 3)), x.R);
    return x;
}

static tn_pair element_pair(const tn_model *model, const tn_beam_data *beam, int k, const double *u)
{
    const tn_force_def *def = &model->forces.at[beam->force + k].def;
    const tn_frame a = node_frame(model, beam, k, u), b = node_frame(model, beam, k + 1, u);
    tn_pair p = {0};
    p.a.x = tn_frame_mul(a, def->frame_a);
    p.b.x = tn_frame_mul(b, def->frame_b);
    p.a.r = tn_v3_sub(p.a.x.p, a.p);
    p.b.r = tn_v3_sub(p.b.x.p, b.p);
    return p;
}

// Stiffness --------------------------------------------------------------------------------------

// The logarithm of frame B seen from A, whose difference from that without strain is the strain.
static void element_log(const tn_pair *p, double h[6])
{
    tn_se3_log(tn_frame_mul(tn_frame_inverse(p->a.x), p->b.x), h);
}

// The Hessian of the strain energy, times scale, with `strain` (6 for each element, lengths and
// angles; NULL: none) in the shape that it starts with.
static tn_status add_hessian(const tn_model *model, const tn_beam_data *beam, const double *strain,
                             double scale, tn_entries *e)
{
    for (int k = 0; k + 1 < beam->nnode; k++) {
        tn_force_data element = model->forces.at[beam->force + k];
        const tn_pair p = element_pair(model, beam, k, NULL);
        tn_load_tangent t = {0};
        if (strain) {
            tn_vec3 *stretch = &element.def.beam.stretch, *turn = &element.def.beam.turn;
            *stretch = tn_v3_sub(*stretch, tn_v3_from(strain + 6 * k));
            *turn = tn_v3_sub(*turn, tn_v3_from(strain + 6 * k + 3));
        }
        tn_force_tangent(&element, 0.0, 0.0, &p, &t);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) // wrenches are minus gradients
                TN_TRY(tn_entries_add(e, 6 * k + i, 6 * k + j,
                                      -0.5 * scale * (t.K[i][j] + t.K[j][i])));
    }
    return TN_OK;
}

static tn_status check_unstrained(const tn_model *model, const tn_beam_data *beam)
{
    for (int k = 0; k + 1 < beam->nnode; k++) {
        const tn_force_data *element = &model->forces.at[beam->force + k];
        const tn_pair p = element_pair(model, beam, k, NULL);
        tn_load load = {0};
        tn_force_eval(element, 0.0, 0.0, &p, &load);
        const double force = tn_norm_inf(3, load.w), moment = tn_norm_inf(3, load.w + 3);
        const tn_vec3 C = element->def.beam.stiffness, D = element->def.beam.rotational_stiffness;
        if (force > UNSTRAINED * (C.x + C.y + C.z) ||
            moment > UNSTRAINED * (D.x + D.y + D.z) / element->def.beam.length +
                         UNSTRAINED * (C.x + C.y + C.z) * element->def.beam.length)
            return tn_fail(TN_ERR_MODEL,
                           "beam '%s' is strained where it starts (element %d carries %.3g N and "
                           "%.3g N m); a beam is reduced without load: leave out 'tension' and "
                           "'bend'",
                           beam->name, k + 1, force, moment);
    }
    return TN_OK;
}

// Mass -------------------------------------------------------------------------------------------

static tn_status add_block(tn_entries *e, int row, int col, double scale, tn_mat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            TN_TRY(tn_entries_add(e, row + i, col + j, scale * A.m[i][j]));
    return TN_OK;
}

// One body, about its origin.
static tn_status add_node_mass(const tn_body_data *body, int k, tn_entries *e)
{
    const tn_mat3 R = body->def.frame.R, back = tn_m3_transpose(R);
    const tn_vec3 c = tn_m3_apply(R, body->def.com);
    const double mass = body->def.mass;
    tn_mat3 J = tn_m3_mul(tn_m3_mul(R, body->inertia), back);
    const tn_mat3 arm = {{{0, -c.z, c.y}, {c.z, 0, -c.x}, {-c.y, c.x, 0}}};
    const tn_mat3 square = tn_m3_mul(arm, arm);
    for (int i = 0; i < 9; i++)
        J.m[i / 3][i % 3] -= mass * square.m[i / 3][i % 3];
    TN_TRY(add_block(e, 6 * k, 6 * k, mass, tn_m3_identity));
    TN_TRY(add_block(e, 6 * k, 6 * k + 3, -mass, arm));
    TN_TRY(add_block(e, 6 * k + 3, 6 * k, mass, arm));
    return add_block(e, 6 * k + 3, 6 * k + 3, 1.0, J);
}

// Inertia that an element spreads: lumped - m/12 |v_a - v_b|^2 - (W_a - W_b) . J (W_a - W_b) / 12,
// rates in axes of the bodies (system/absolute_spread.c).
static tn_status add_spread(const tn_model *model, const tn_beam_data *beam, int k, tn_entries *e)
{
    const tn_force_def *def = &model->forces.at[beam->force + k].def;
    const tn_mat3 J = tn_m3_diag(def->beam.inertia.x, def->beam.inertia.y, def->beam.inertia.z);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double scale = (i == j ? -1.0 : 1.0) / 6.0;
            const tn_mat3 Ri = model->bodies.at[beam->body + k + i].def.frame.R;
            const tn_mat3 Rj = model->bodies.at[beam->body + k + j].def.frame.R;
            const int row = 6 * (k + i), col = 6 * (k + j);
            TN_TRY(add_block(e, row, col, scale * def->beam.mass, tn_m3_identity));
            TN_TRY(add_block(e, row + 3, col + 3, scale,
                             tn_m3_mul(tn_m3_mul(Ri, J), tn_m3_transpose(Rj))));
        }
    return TN_OK;
}

static tn_status fill_mass(const tn_model *model, const tn_beam_data *beam, tn_fe *fe)
{
    tn_entries e = {0};
    tn_status s = TN_OK;
    for (int k = 0; k < beam->nnode; k++)
        TN_THEN(s, add_node_mass(&model->bodies.at[beam->body + k], k, &e));
    for (int k = 0; k + 1 < beam->nnode; k++)
        if (tn_force_spreads(&model->forces.at[beam->force + k]))
            TN_THEN(s, add_spread(model, beam, k, &e));
    TN_THEN(s, tn_entries_finish(&e, 6 * beam->nnode, 6 * beam->nnode, &fe->M));
    tn_entries_clear(&e);
    return s;
}

tn_status tn_fe_from_beam(const tn_model *model, tn_beam beam, tn_fe *fe)
{
    const tn_beam_data *data = &model->beams.at[beam.index];
    tn_entries e = {0};
    TN_TRY(check_unstrained(model, data));
    fe->nnode = data->nnode;
    fe->node = tn_alloc((size_t)fe->nnode * sizeof(*fe->node));
    tn_status s = tn_got(fe->node);
    for (int k = 0; s == TN_OK && k < fe->nnode; k++) {
        fe->node[k] = (tn_fe_node){.id = k, .x = node_frame(model, data, k, NULL).p};
        for (int d = 0; d < 6; d++)
            fe->node[k].row[d] = 6 * k + d;
    }
    TN_THEN(s, add_hessian(model, data, NULL, 1.0, &e));
    TN_THEN(s, tn_entries_finish(&e, 6 * fe->nnode, 6 * fe->nnode, &fe->K));
    TN_THEN(s, fill_mass(model, data, fe));
    tn_entries_clear(&e);
    return s;
}

// Geometric stiffness ----------------------------------------------------------------------------

typedef struct response {
    const tn_model *model;
    const tn_beam_data *beam;
    tn_fe *fe;
    int n, held;      // freedoms, and the node that is held
    bool relieved;    // loads are in balance with inertia forces
    tn_cholmod *free; // of K without the node that is held
    double *R, *MR;   // n x 6, M-orthonormal rigid motions
    double *f, *u;    // n
    double *part;     // n
} response;

static tn_vec3 axis(int k)
{
    return tn_v3(k == 0, k == 1, k == 2);
}

static tn_status open_response(response *r)
{
    const size_t n = (size_t)r->n;
    tn_entries e = {0};
    tn_sparse *K = NULL;
    int row = -1;
    r->R = tn_alloc(15 * n * sizeof(double));
    tn_status s = tn_got(r->R);
    if (s == TN_OK) {
        r->MR = r->R + 6 * n;
        r->f = r->MR + 6 * n;
        r->u = r->f + n;
        r->part = r->u + n;
        for (int k = 0; k < 6; k++)
            for (int i = 0; i < r->n / 6; i++)
                tn_rigid_motion(k, r->fe->node[i].x, r->R + k * r->n + 6 * i);
        s = tn_reduce_orthonormal(r->fe->M, r->R, r->MR);
    }
    const tn_sparse *A = r->fe->K;
    for (int j = 0; s == TN_OK && j < A->ncol; j++)
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) {
            const int i = A->rowind[k];
            if (i / 6 != r->held && j / 6 != r->held)
                TN_THEN(s, tn_entries_add(&e, i - (i / 6 > r->held ? 6 : 0),
                                          j - (j / 6 > r->held ? 6 : 0), A->val[k]));
        }
    TN_THEN(s, tn_entries_finish(&e, r->n - 6, r->n - 6, &K));
    TN_THEN(s, tn_cholmod_create(K, &r->free, &row));
    if (s == TN_RETRY_SINGULAR)
        s = tn_fail(TN_ERR_MODEL, "beam '%s' has no stiffness against some of its motions",
                    r->beam->name);
    tn_sparse_destroy(K);
    tn_entries_clear(&e);
    return s;
}

static void response_clear(response *r)
{
    tn_cholmod_destroy(r->free);
    tn_free(r->R);
}

// u from f.
static tn_status respond(response *r)
{
    const int n = r->n, at = 6 * r->held;
    for (int k = 0; r->relieved && k < 6; k++)
        tn_axpy(n, -tn_dot(n, r->R + k * n, r->f), r->MR + k * n, r->f);
    memmove(r->f + at, r->f + at + 6, (size_t)(n - at - 6) * sizeof(double));
    TN_TRY(tn_cholmod_solve(r->free, r->f, r->u));
    memmove(r->u + at + 6, r->u + at, (size_t)(n - at - 6) * sizeof(double));
    tn_zero(6, r->u + at);
    for (int k = 0; r->relieved && k < 6; k++)
        tn_axpy(n, -tn_dot(n, r->MR + k * n, r->u), r->R + k * n, r->u);
    return TN_OK;
}

// Strains of the elements by small displacements `part`: differences to both sides.
static void strains_of(const response *r, double *part, double *strain)
{
    double h[2][6];
    for (int k = 0; k + 1 < r->beam->nnode; k++) {
        for (int side = 0; side < 2; side++) {
            const tn_pair p = element_pair(r->model, r->beam, k, part);
            element_log(&p, h[side]);
            tn_scale(12, -1.0, part + 6 * k); // both nodes, and back
        }
        for (int i = 0; i < 6; i++)
            strain[6 * k + i] = 0.5 * (h[0][i] - h[1][i]);
    }
}

// The derivative of K by the strains under u.
static tn_status differentiate(response *r, tn_sparse **out)
{
    const double length = tn_beam_length(r->model, (tn_beam){(int)(r->beam - r->model->beams.at)});
    double largest = 0.0;
    double *strain = r->f; // the load is not needed any more
    tn_entries e = {0};
    tn_status s = TN_OK;
    for (int i = 0; i < r->n; i++)
        largest = fmax(largest, fabs(r->u[i]) / (i % 6 < 3 ? length : 1.0));
    const double step = largest > 0.0 ? SMALL / largest : 1.0;
    for (int i = 0; i < r->n; i++)
        r->part[i] = step * r->u[i];
    strains_of(r, r->part, strain);
    // The Hessian is linear in these strains: large ones leave less round-off.
    const double strained = tn_norm_inf(r->n - 6, strain), more = strained > 0 ? 1 / strained : 1;
    tn_scale(r->n - 6, more, strain);
    for (int side = 1; side >= -1; side -= 2) {
        TN_THEN(s, add_hessian(r->model, r->beam, strain, side / (2.0 * step * more), &e));
        tn_scale(r->n - 6, -1.0, strain);
    }
    TN_THEN(s, tn_entries_finish(&e, r->n, r->n, out));
    tn_entries_clear(&e);
    return s;
}

static tn_status add_load(response *r, tn_fe_load load, int component, int attachment)
{
    tn_fe_geometric g = {load, component, attachment, NULL};
    TN_TRY(respond(r));
    TN_TRY(differentiate(r, &g.K));
    r->fe->geometric[r->fe->ngeometric++] = g;
    return TN_OK;
}

// f = -M of the field of accelerations e_i x (e_j x x), and of the other order.
static void rate_load(response *r, int component)
{
    const int i = component < 3 ? component : component - 3, j = component < 3 ? i : (i + 1) % 3;
    tn_zero(r->n, r->part);
    for (int k = 0; k < r->fe->nnode; k++) {
        const tn_vec3 x = r->fe->node[k].x;
        tn_vec3 a = tn_v3_cross(axis(i), tn_v3_cross(axis(j), x));
        if (i != j)
            a = tn_v3_add(a, tn_v3_cross(axis(j), tn_v3_cross(axis(i), x)));
        tn_v3_to(a, r->part + 6 * k);
    }
    tn_zero(r->n, r->f);
    tn_sparse_mul(r->fe->M, -1.0, r->part, r->f);
}

static void rigid_load(response *r, int k)
{
    for (int i = 0; i < r->fe->nnode; i++)
        tn_rigid_motion(k, r->fe->node[i].x, r->part + 6 * i);
    tn_zero(r->n, r->f);
    tn_sparse_mul(r->fe->M, -1.0, r->part, r->f);
}

// A wrench on an attachment, spread evenly over its nodes; these are one as a rule.
static void wrench_load(response *r, const tn_fe_attachment *a, int component)
{
    tn_zero(r->n, r->f);
    for (int k = 0; k < a->nnode; k++) {
        const tn_vec3 arm = tn_v3_sub(a->at, r->fe->node[a->node[k]].x);
        double *f = r->f + 6 * a->node[k];
        f[component] += 1.0 / a->nnode;
        if (component < 3) {
            const tn_vec3 m = tn_v3_scale(1.0 / a->nnode, tn_v3_cross(arm, axis(component)));
            f[3] += m.x;
            f[4] += m.y;
            f[5] += m.z;
        }
    }
}

static tn_status add_loads(response *r, int n, const tn_fe_attachment *attachments, int frame)
{
    tn_status s = TN_OK;
    for (int k = 0; s == TN_OK && k < 6; k++) {
        rate_load(r, k);
        s = add_load(r, TN_FE_RATE, k, 0);
    }
    for (int k = 0; s == TN_OK && k < 6; k++) {
        rigid_load(r, k);
        s = add_load(r, k < 3 ? TN_FE_ACCELERATION : TN_FE_TURNING, k % 3, 0);
    }
    for (int a = 0; a < n; a++)
        for (int k = 0; s == TN_OK && a != frame && k < 6; k++) {
            wrench_load(r, &attachments[a], k);
            s = add_load(r, TN_FE_ATTACHMENT, k, a);
        }
    return s;
}

tn_status tn_fe_beam_geometric(const tn_model *model, tn_beam beam, int n,
                               const tn_fe_attachment *attachments, int frame, tn_fe *fe)
{
    response r = {.model = model,
                  .beam = &model->beams.at[beam.index],
                  .fe = fe,
                  .n = 6 * fe->nnode,
                  .held = frame >= 0 ? attachments[frame].node[0] : 0,
                  .relieved = frame < 0};
    fe->geometric = tn_alloc((12 + 6 * (size_t)n) * sizeof(*fe->geometric));
    tn_status s = tn_got(fe->geometric);
    TN_THEN(s, open_response(&r));
    TN_THEN(s, add_loads(&r, n, attachments, frame));
    response_clear(&r);
    return s;
}
