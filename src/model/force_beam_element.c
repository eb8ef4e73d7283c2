// SPDX-License-Identifier: MIT
//
// Element of a geometrically exact beam between frame A and frame B, whose z axes lie along it and
// whose x and y axes are the principal axes of the section. It has two forms.
//
// In absolute and joint coordinates its strain is that of a helix from A to B [SCB14]. With frames
// as elements of SE(3), body-fixed twists V_a, V_b and T of lie/se3.h:
//
//   h = log(A^-1 B),  strain (h - h_0) / L,  V = (h - h_0) . C (h - h_0) / (2 L)
//   h' = T(h)^-1 V_b - T(-h)^-1 V_a          as T(h)^-1 Ad(exp(-h)) = T(-h)^-1
//   s = C (h - h_0 + damping h') / L          force (1 to 3) and moment (4 to 6) in the section
//   wrench -T(h)^-T s on B and T(-h)^-T s on A, in their own axes
//
// It does not change when both frames move as one rigid body, has no locking, and is exact where
// strains are constant: a circle, a helix. C = diag(GA1, GA2, EA, EI1, EI2, GJ).
//
// Tangents. As T(h) = (F D; 0 F) with F(w)^T = F(-w), T(h)^-T = P T(-h)^-1 P, where P exchanges
// both halves of a vector. So the derivatives of the wrenches at constant s are those of T^-1 y by
// h. J takes world twists of the reference point of a body to body-fixed ones of its frame,
// J = (R^T, -R^T S(r); 0, R^T), and J^T takes wrenches back; with these wrenches W = (F, M) held in
// the axes of the frame, dF = dtheta x F and dM = dtheta x M.
//
// In director coordinates the element is that of [LMO08, sect. 6.1; BS02]: positions and directors
// are interpolated linearly and the energy is taken at the middle. All its strains are linear in
// products of vectors of the frames, d = p_B - p_A (tn_seen_span):
//
//   Gamma_i = (a_i + b_i) . d / (2 L)
//   K_i = (a_k . b_j - a_j . b_k) / (2 L),  i, j, k cyclic     (d_k . d_j' - d_j . d_k') / 2
//   V = L (Gamma - Gamma_0) . C_1 (Gamma - Gamma_0) / 2 + L (K - K_0) . C_2 (K - K_0) / 2
//
// so that V is quadratic in them and its discrete derivative is the mean of both ends.

#include "model/force.h"

#include "lie/se3.h"
#include "lie/so3.h"
#include "linalg/dense.h"
#include "model/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BEAM_PARAM(key, type, of_unit, ...) \
    TN_PARAM(tn_force_def, beam.key, type, #key, of_unit, __VA_ARGS__)

static const tn_param beam_element_params[] = {
    BEAM_PARAM(length, NUMBER, "m", .range = TN_POSITIVE, .required = true,
               .text = "length along the element"),
    BEAM_PARAM(stiffness, VEC3, "N", .range = TN_NONNEGATIVE, .required = true,
               .text = "stiffness against shear along x and y of the section, GA1 and GA2, and "
                       "against stretch, EA"),
    BEAM_PARAM(rotational_stiffness, VEC3, "N m^2", .range = TN_NONNEGATIVE, .required = true,
               .text = "stiffness against bending about x and y of the section, EI1 and EI2, and "
                       "against twist, GJ"),
    BEAM_PARAM(damping, NUMBER, "s", .range = TN_NONNEGATIVE,
               .text = "forces and moments by rates of strain: stiffness times this time"),
    BEAM_PARAM(stretch, VEC3, "m",
               .text = "translational part of the logarithm of frame B seen from A where nothing "
                       "is strained; without it, length along z"),
    BEAM_PARAM(turn, VEC3, "rad",
               .text = "rotation vector of frame B seen from A where nothing is strained"),
    BEAM_PARAM(mass, NUMBER, "kg", .range = TN_NONNEGATIVE,
               .text = "mass of the element, of which each body has one half, that is spread "
                       "between them (consistent inertia, in absolute coordinates); when left "
                       "out, the halves stay at the bodies"),
    BEAM_PARAM(inertia, VEC3, "kg m^2", .range = TN_NONNEGATIVE,
               .text = "moments of inertia of the element about x, y and z, spread in the same "
                       "way"),
};

static void stiffness_of(const tn_force_data *data, double C[6])
{
    const double scale = 1.0 / data->def.beam.length;
    tn_v3_to(tn_v3_scale(scale, data->def.beam.stiffness), C);
    tn_v3_to(tn_v3_scale(scale, data->def.beam.rotational_stiffness), C + 3);
}

// The element on SE(3) ----------------------------------------------------------------------------

typedef struct beam_element {
    double C[6];                   // over L
    double h[6], back[6];          // h and -h
    double Ja[6][6], Jb[6][6];     // to body-fixed twists of the frames
    double by_a[6][6], by_b[6][6]; // T(-h)^-1 and T(h)^-1
    double Va[6], Vb[6];           // body-fixed twists
    double strain[6], rate[6];     // h - h_0 and h'
    double s[6];                   // force and moment
} beam_element;

static void jacobian(const tn_end *end, double J[6][6])
{
    const tn_mat3 Rt = tn_m3_transpose(end->x.R), arm = tn_m3_mul(Rt, tn_m3_skew(end->r));
    memset(J, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = J[i + 3][j + 3] = Rt.m[i][j];
            J[i][j + 3] = -arm.m[i][j];
        }
}

static void twist_of(const tn_end *end, double J[6][6], double V[6])
{
    double world[6];
    tn_v3_to(end->V.v, world);
    tn_v3_to(end->V.w, world + 3);
    for (int i = 0; i < 6; i++)
        V[i] = tn_dot(6, J[i], world);
}

static beam_element element_at(const tn_force_data *data, const tn_pair *at)
{
    beam_element e;
    double free[6];
    stiffness_of(data, e.C);
    tn_se3_log(tn_frame_mul(tn_frame_inverse(at->a.x), at->b.x), e.h);
    tn_v3_to(data->def.beam.stretch, free);
    tn_v3_to(data->def.beam.turn, free + 3);
    for (int i = 0; i < 6; i++)
        e.back[i] = -e.h[i];
    tn_se3_tangent_inv(e.h, e.by_b);
    tn_se3_tangent_inv(e.back, e.by_a);
    jacobian(&at->a, e.Ja);
    jacobian(&at->b, e.Jb);
    twist_of(&at->a, e.Ja, e.Va);
    twist_of(&at->b, e.Jb, e.Vb);
    for (int i = 0; i < 6; i++) {
        e.rate[i] = tn_dot(6, e.by_b[i], e.Vb) - tn_dot(6, e.by_a[i], e.Va);
        e.strain[i] = e.h[i] - free[i];
        e.s[i] = e.C[i] * (e.strain[i] + data->def.beam.damping * e.rate[i]);
    }
    return e;
}

// out = scale A^T x
static void apply_transposed(double A[6][6], double scale, const double x[6], double out[6])
{
    memset(out, 0, 6 * sizeof(double));
    for (int i = 0; i < 6; i++)
        tn_axpy(6, scale * x[i], A[i], out);
}

static void element_wrenches(beam_element *e, double w[12])
{
    double on[6];
    apply_transposed(e->by_a, 1.0, e->s, on);
    apply_transposed(e->Ja, 1.0, on, w);
    apply_transposed(e->by_b, -1.0, e->s, on);
    apply_transposed(e->Jb, 1.0, on, w + 6);
}

static void element_eval(const tn_force_data *data, const tn_pair *at, tn_load *out)
{
    beam_element e = element_at(data, at);
    element_wrenches(&e, out->w);
    for (int i = 0; i < 6; i++) {
        out->energy += 0.5 * e.C[i] * e.strain[i] * e.strain[i];
        out->dissipated += data->def.beam.damping * e.C[i] * e.rate[i] * e.rate[i];
    }
}

typedef double columns[6][12]; // of a vector of the algebra by (dp_a, dtheta_a, dp_b, dtheta_b)

// out += scale A X, X seen as the half of 12 columns from `first` on where it has 6.
static void add_half(double scale, double A[6][6], double X[6][6], int first, columns out)
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            tn_axpy(6, scale * A[i][k], X[k], out[i] + first);
}

static void add_all(double scale, double A[6][6], columns X, columns out)
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            tn_axpy(12, scale * A[i][k], X[k], out[i]);
}

// D = d(T(x)^-1 y)/dx, times scale, with both halves exchanged where asked for.
static void inverse_slope(const double x[6], const double y[6], double scale, bool exchange,
                          double D[6][6])
{
    for (int j = 0; j < 6; j++) {
        double along[6] = {0}, slope[6];
        along[j] = 1.0;
        tn_se3_tangent_inv_along(x, y, along, slope);
        for (int i = 0; i < 6; i++)
            D[exchange ? (i + 3) % 6 : i][j] = scale * slope[i];
    }
}

// dV of a body-fixed twist by dtheta, with the world twist held.
static void add_twist_turn(const tn_end *end, double by[6][6], double scale, int first, columns out)
{
    const tn_vec3 u = tn_v3_add(end->V.v, tn_v3_cross(end->V.w, end->r));
    const tn_mat3 Rt = tn_m3_transpose(end->x.R);
    const tn_mat3 arm = tn_m3_mul(tn_m3_skew(end->V.w), tn_m3_skew(end->r));
    const tn_mat3 upper = tn_m3_mul(Rt, tn_m3_axpy(-1.0, arm, tn_m3_skew(u)));
    const tn_mat3 lower = tn_m3_mul(Rt, tn_m3_skew(end->V.w));
    double X[6][6] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            X[i][j + 3] = upper.m[i][j];
            X[i + 3][j + 3] = lower.m[i][j];
        }
    add_half(scale, by, X, first, out);
}

// d(h')/dq
static void rate_slope(beam_element *e, const tn_pair *at, columns dh, columns out)
{
    double D[6][6];
    inverse_slope(e->h, e->Vb, 1.0, false, D);
    add_all(1.0, D, dh, out);
    inverse_slope(e->back, e->Va, 1.0, false, D);
    add_all(1.0, D, dh, out);
    add_twist_turn(&at->b, e->by_b, 1.0, TN_FB, out);
    add_twist_turn(&at->a, e->by_a, -1.0, TN_FA, out);
}

// rows += sign J^T (by^T ds + slope dh)
static void add_rows(double sign, double J[6][6], double by[6][6], columns ds, double slope[6][6],
                     columns dh, double rows[6][12])
{
    columns on = {{0}};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            tn_axpy(12, by[k][i], ds[k], on[i]);
    if (slope)
        add_all(1.0, slope, dh, on);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            tn_axpy(12, sign * J[k][i], on[k], rows[i]);
}

// Of force and moment by the state, ds and ds_v, with the derivatives of h.
static void section_slopes(beam_element *e, const tn_pair *at, double damping, columns dh,
                           columns ds, columns ds_v)
{
    columns dh_rate = {{0}};
    memset(dh, 0, sizeof(columns));
    add_half(-1.0, e->by_a, e->Ja, TN_FA, dh);
    add_half(1.0, e->by_b, e->Jb, TN_FB, dh);
    if (damping > 0.0)
        rate_slope(e, at, dh, dh_rate);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 12; j++) {
            ds[i][j] = e->C[i] * (dh[i][j] + damping * dh_rate[i][j]);
            ds_v[i][j] = e->C[i] * damping * dh[i][j];
        }
}

static void element_section(const tn_force_data *data, const tn_pair *at, bool tangent,
                            tn_section_load *out)
{
    const double per_length = 1.0 / data->def.beam.length;
    beam_element e = element_at(data, at);
    tn_copy(6, e.s, out->s);
    for (int i = 0; i < 6; i++)
        out->strain[i] = per_length * e.strain[i];
    if (!tangent)
        return;
    section_slopes(&e, at, data->def.beam.damping, out->strain_q, out->s_q, out->s_v);
    tn_scale(72, per_length, &out->strain_q[0][0]);
}

static void element_tangent(const tn_force_data *data, const tn_pair *at, tn_load_tangent *out)
{
    beam_element e = element_at(data, at);
    const double damping = data->def.beam.damping;
    columns dh, ds, ds_v;
    double slope[6][6], w[12], exchanged[6];
    section_slopes(&e, at, damping, dh, ds, ds_v);
    for (int i = 0; i < 6; i++)
        exchanged[(i + 3) % 6] = e.s[i];
    inverse_slope(e.h, exchanged, 1.0, true, slope);
    add_rows(1.0, e.Ja, e.by_a, ds, slope, dh, out->K + TN_FA);
    inverse_slope(e.back, exchanged, -1.0, true, slope);
    add_rows(-1.0, e.Jb, e.by_b, ds, slope, dh, out->K + TN_FB);
    if (damping > 0.0) {
        add_rows(1.0, e.Ja, e.by_a, ds_v, NULL, dh, out->D + TN_FA);
        add_rows(-1.0, e.Jb, e.by_b, ds_v, NULL, dh, out->D + TN_FB);
    }
    element_wrenches(&e, w);
    for (int end = 0; end < 12; end += 6)
        for (int part = 0; part < 6; part += 3)
            tn_block_add(out->K, end + part, end + 3, -1.0, tn_m3_skew(tn_v3_from(w + end + part)));
}

// The element of directors ------------------------------------------------------------------------

// Strains as sums of products, (E z)_i, times L.
static void strains_of(double E[6][TN_SEEN])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        E[i][i] = E[i][TN_BACK + i] = 0.5;
        E[3 + i][TN_TURN + 3 * k + j] = 0.5;
        E[3 + i][TN_TURN + 3 * j + k] = -0.5;
    }
}

// The strains, times L, where nothing is strained.
static void free_strains(const tn_force_data *data, double out[6])
{
    double h[6];
    tn_v3_to(data->def.beam.stretch, h);
    tn_v3_to(data->def.beam.turn, h + 3);
    const tn_frame B = tn_se3_exp(h);
    const tn_vec3 mean = tn_v3_axpy(1.0, B.p, tn_m3_apply_t(B.R, B.p));
    tn_v3_to(tn_v3_scale(0.5, mean), out);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[3 + i] = 0.5 * (B.R.m[k][j] - B.R.m[j][k]);
    }
}

static void beam_between(const tn_force_data *data, const tn_seen_span *over, tn_seen_load *out)
{
    const double damping = data->def.beam.damping;
    double E[6][TN_SEEN] = {{0}}, C[6], free[6];
    strains_of(E);
    stiffness_of(data, C);
    free_strains(data, free);
    for (int m = 0; m < 6; m++) {
        const double end = tn_dot(TN_SEEN, E[m], over->to) - free[m];
        const double mean = 0.5 * (end + tn_dot(TN_SEEN, E[m], over->from) - free[m]);
        const double rate = tn_dot(TN_SEEN, E[m], over->rate);
        out->energy += 0.5 * C[m] * end * end;
        out->dissipated += C[m] * damping * rate * rate;
        tn_axpy(TN_SEEN, -C[m] * (mean + damping * rate), E[m], out->Q);
        for (int i = 0; i < TN_SEEN; i++) {
            if (E[m][i] == 0.0)
                continue;
            tn_axpy(TN_SEEN, -0.5 * C[m] * E[m][i], E[m], out->Q_1[i]);
            tn_axpy(TN_SEEN, -C[m] * damping * E[m][i], E[m], out->Q_v[i]);
        }
    }
}

// C times strains and their rates, which are the products and their rates: x' = G V, with
// dx = G and dx' = V^T H dx + G dV.
static void product_section(const tn_force_data *data, const tn_pair *at, bool tangent,
                            tn_section_load *out)
{
    const double damping = data->def.beam.damping, per_length = 1.0 / data->def.beam.length;
    double E[6][TN_SEEN] = {{0}}, C[6], free[6], V[12];
    strains_of(E);
    stiffness_of(data, C);
    free_strains(data, free);
    tn_pair_twists(at, V);
    memset(out, 0, sizeof *out);
    for (int m = 0; m < 6; m++) {
        out->strain[m] = -per_length * free[m];
        out->s[m] = -C[m] * free[m];
        for (int i = 0; i < TN_SEEN; i++) {
            const tn_row row = tn_seen_row(i);
            const double part = E[m][i];
            double G[12], H[12][12] = {{0}};
            if (part == 0.0)
                continue;
            tn_row_gradient(&row, at, G);
            const double x = part * tn_row_value(&row, at, 0.0);
            out->strain[m] += per_length * x;
            out->s[m] += C[m] * (x + damping * part * tn_row_rate(G, at));
            if (!tangent)
                continue;
            tn_row_hessian(&row, at, part, H);
            tn_axpy(12, per_length * part, G, out->strain_q[m]);
            tn_axpy(12, C[m] * part, G, out->s_q[m]);
            tn_axpy(12, C[m] * damping * part, G, out->s_v[m]);
            for (int k = 0; k < 12; k++)
                tn_axpy(12, C[m] * damping * V[k], H[k], out->s_q[m]);
        }
    }
}

// -------------------------------------------------------------------------------------------------

static void beam_section(const tn_force_data *data, const tn_pair *at, bool tangent,
                         tn_section_load *out)
{
    if (data->by_products)
        product_section(data, at, tangent, out);
    else
        element_section(data, at, tangent, out);
}

static void beam_eval(const tn_force_data *data, double t, double reference, const tn_pair *at,
                      tn_load *out)
{
    memset(out, 0, sizeof *out);
    if (data->by_products)
        tn_seen_eval(data, at, out);
    else
        element_eval(data, at, out);
}

static void beam_tangent(const tn_force_data *data, double t, double reference, const tn_pair *at,
                         tn_load_tangent *out)
{
    memset(out, 0, sizeof *out);
    if (data->by_products)
        tn_seen_tangent(data, at, out);
    else
        element_tangent(data, at, out);
}

// Inertia is spread between centres of mass along axes of the bodies (absolute_spread.c).
static tn_status check_spread(const tn_model *model, tn_body body, tn_frame frame, const char *what)
{
    const tn_vec3 arm = tn_v3_sub(frame.p, model->bodies.at[body.index].def.com);
    const tn_mat3 turn = tn_m3_axpy(-1.0, tn_m3_identity, frame.R);
    double most = tn_v3_norm(arm);
    for (int i = 0; i < 3; i++)
        most = fmax(most, tn_v3_norm(tn_v3(turn.m[i][0], turn.m[i][1], turn.m[i][2])));
    if (most == 0.0)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "%s: 'mass' and 'inertia' are spread between bodies, so its frame on body '%s' "
                   "must be at the centre of mass of the body and have its axes; leave them out, "
                   "or attach it there",
                   what, model->bodies.at[body.index].name);
}

static tn_status beam_prepare(tn_force_data *data, const tn_model *model)
{
    tn_force_def *def = &data->def;
    char what[160];
    snprintf(what, sizeof(what), "force '%.120s'", data->name);
    TN_TRY(tn_check_rotation(model, def->body_a, what, "a beam element"));
    TN_TRY(tn_check_rotation(model, def->body_b, what, "a beam element"));
    if (tn_force_spreads(data)) {
        TN_TRY(check_spread(model, def->body_a, def->frame_a, what));
        TN_TRY(check_spread(model, def->body_b, def->frame_b, what));
    }
    if (tn_v3_norm(def->beam.stretch) == 0.0)
        def->beam.stretch = tn_v3(0.0, 0.0, def->beam.length);
    return TN_OK;
}

static double turn_between(const tn_force_view *at)
{
    return tn_v3_norm(tn_so3_log(tn_m3_mul(tn_m3_transpose(at->a.R), at->b.R)));
}

// Halves of a helix that has made half a turn: from there on the way round the other side is
// shorter.
static const double WIDE = 0.75 * 3.14159265358979323846;

static void beam_tell_step(const tn_force_data *data, const tn_force_view *before,
                           const tn_force_view *now, tn_notes *notes)
{
    if (turn_between(now) > WIDE && turn_between(before) <= WIDE)
        tn_notes_add(notes,
                     "beam element '%s' is turned by %.3g rad from one end to the other; at half a "
                     "turn its moment jumps to the other side: take more elements",
                     data->name, turn_between(now));
}

const tn_force_ops tn_force_beam_element = {
    .name = "beam-element",
    .text = "element of a geometrically exact beam between two frames",
    TN_PARAMS(beam_element_params),
    .needs_rotation = true,
    .prepare = beam_prepare,
    .between = beam_between,
    .section = beam_section,
    .products = true,
    .tell_step = beam_tell_step,
    .eval = beam_eval,
    .tangent = beam_tangent,
};
