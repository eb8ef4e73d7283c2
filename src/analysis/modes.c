// SPDX-License-Identifier: MIT
//
// Modes: creation, which of the values are zero, their order, and the read-out. See tenon/modes.h,
// modes.h and docs/theory/modes.md.

#include "analysis/modes.h"

#include "analysis/linear_sampled.h"
#include "base/alloc.h"
#include "base/tolerance.h"
#include "linalg/dense.h"
#include "model/units.h"
#include "system/absolute.h"

#include <math.h>
#include <stdio.h>

// A double zero splits by the root of round-off. Values below this are zero:
static const double SPLIT = 1e-9;  // by the largest |s|
static const double DOUBLE = 1e-5; // by the slowest that is none, at which it was found
static const double SAME = 1e-4;   // sine of the angle between equal rigid motions
static const double GROWS = 1e-7;  // real part by |s|: more than round-off of swinging
enum {
    COUNT = 20,
    MOST_DENSE_VELOCITIES = 900,
    MOST_DENSE_FREEDOMS = 300,
    MOST_INSTEAD_VELOCITIES = 1500
};

tn_modes_options tn_default_modes(void)
{
    return (tn_modes_options){.find = tn_default_equilibrium(), .motion = 1.0};
}

const char *tn_mode_kind_word(tn_mode_kind kind)
{
    static const char *const words[] = {"rigid", "swing", "decay", "growth"};
    return (int)kind >= 0 && (int)kind < TN_COUNT(words) ? words[kind] : "";
}

// Collecting --------------------------------------------------------------------------------------

double *tn_modes_shape(const tn_modes *m, int i)
{
    return m->shape + 2 * (size_t)m->state->sys->nv * (size_t)i;
}

tn_status tn_modes_add(tn_modes *m, double re, double im, const double *xr, const double *xi)
{
    const int nv = m->state->sys->nv;
    if (m->n == m->room) {
        const int room = 2 * m->room + 16;
        tn_mode *mode = tn_resize(m->mode, sizeof *mode * (size_t)room);
        TN_TRY(tn_got(mode));
        m->mode = mode;
        double *shape = tn_resize(m->shape, 2 * sizeof(double) * (size_t)nv * (size_t)room);
        TN_TRY(tn_got(shape));
        m->shape = shape;
        m->room = room;
    }
    m->mode[m->n] = (tn_mode){.re = re, .im = im};
    double *shape = tn_modes_shape(m, m->n++);
    tn_copy(nv, xr, shape);
    tn_zero(nv, shape + nv);
    if (xi)
        tn_copy(nv, xi, shape + nv);
    return TN_OK;
}

tn_status tn_modes_add_square(tn_modes *m, double mu, const double *x)
{
    const double root = sqrt(fabs(mu));
    return tn_modes_add(m, mu < 0.0 ? root : 0.0, mu < 0.0 ? 0.0 : root, x, NULL);
}

double tn_modes_largest_square(const tn_modes *m)
{
    const tn_system *sys = m->state->sys;
    const double M = tn_sparse_norm1(sys->block[TN_BLOCK_M]);
    const double K = tn_sparse_norm1(sys->block[TN_BLOCK_K]);
    const double spin = tn_v3_dot(m->state->spin, m->state->spin);
    return M > 0.0 && fmax(K, spin) > 0.0 ? fmax(K / M, spin) : 1.0;
}

// Which values are zero ---------------------------------------------------------------------------

// x^H A x of the shape of a mode, as real and imaginary part.
static void quotient(tn_modes *m, int i, tn_eq_times *by, double out[2])
{
    tn_equilibrium *s = m->state;
    const int nv = s->sys->nv;
    const double *xr = tn_modes_shape(m, i), *xi = xr + nv;
    by(s, xr, s->y1);
    out[0] = tn_dot(nv, xr, s->y1);
    out[1] = -tn_dot(nv, xi, s->y1);
    by(s, xi, s->y1);
    out[0] += tn_dot(nv, xi, s->y1);
    out[1] += tn_dot(nv, xr, s->y1);
}

// The sum of |x_i A_ij x_j|, which round-off of x^H A x goes by.
static double size_of_terms(const tn_modes *m, int i, const tn_sparse *A, const double *val)
{
    const int nv = m->state->sys->nv;
    const double *xr = tn_modes_shape(m, i), *xi = xr + nv;
    double sum = 0.0;
    for (int c = 0; c < nv; c++)
        for (int k = A->colptr[c]; k < A->colptr[c + 1]; k++) {
            const int row = A->rowind[k];
            sum += fabs(val[k]) * hypot(xr[row], xi[row]) * hypot(xr[c], xi[c]);
        }
    return sum;
}

static double stiffness_terms(const tn_modes *m, int i)
{
    const tn_equilibrium *s = m->state;
    const tn_sparse *K = s->sys->block[TN_BLOCK_K], *D = s->sys->block[TN_BLOCK_D],
                    *M = s->sys->block[TN_BLOCK_M];
    double sum = size_of_terms(m, i, K, K->val);
    if (tn_eq_moves(s))
        sum += size_of_terms(m, i, D, s->spun) + size_of_terms(m, i, M, s->moved);
    return sum;
}

bool tn_modes_is_held(tn_modes *m, int i)
{
    double k[2];
    quotient(m, i, tn_eq_times_stiffness, k);
    return hypot(k[0], k[1]) > TN_ROUND_MATRIX * stiffness_terms(m, i);
}

// With k = x^H K x = 0 the equation s (s m + d) = 0 is left: its value 0 is rigid, the other one is
// none, unless nothing damps the motion and it is 0 twice, split by the root of round-off.
static bool is_rigid(tn_modes *m, int i)
{
    const double size = hypot(m->mode[i].re, m->mode[i].im);
    double d[2], mass[2];
    if (m->zeros_known)
        return size == 0.0;
    if (size <= SPLIT * sqrt(tn_modes_largest_square(m)) || size <= DOUBLE * m->shift)
        return true;
    if (tn_modes_is_held(m, i))
        return false;
    if (!m->facts.damped)
        return true;
    quotient(m, i, tn_eq_times_damping, d);
    quotient(m, i, tn_eq_times_mass, mass);
    return size * size * mass[0] <= TN_ROUND_MATRIX * stiffness_terms(m, i) ||
           size * mass[0] <= 0.5 * hypot(d[0], d[1]);
}

// Takes the number of zero values from the state space, without the roots of round-off by which
// multiple ones split: the smallest become zero. For large mechanisms each value decides.
static tn_status find_zeros(tn_modes *m)
{
    tn_linear_motion *l = NULL;
    if (m->by_states || !m->facts.damped || m->facts.sparse)
        return TN_OK;
    tn_status status = tn_linear_motion_create(m->state, 0, NULL, &l);
    double *work =
        status == TN_OK ? tn_alloc(sizeof(double) * ((size_t)l->n * (size_t)l->n + 1)) : NULL;
    int left = 0;
    TN_THEN(status, tn_got(work));
    bool sure = false;
    TN_THEN(status, tn_linear_rest(l, work, &left, &sure));
    int zeros = status == TN_OK ? l->n - left : 0;
    m->zeros_known = status == TN_OK && sure;
    tn_free(work);
    tn_linear_motion_destroy(l);
    if (status != TN_OK && status != TN_ERR_MEMORY) { // it has no state space
        tn_clear_error();
        return TN_OK;
    }
    for (int i = 0; m->zeros_known && i < m->n; i++)
        zeros -= m->mode[i].re == 0.0 && m->mode[i].im == 0.0;
    while (m->zeros_known && zeros > 0) {
        int least = -1;
        for (int i = 0; i < m->n; i++) {
            const double size = hypot(m->mode[i].re, m->mode[i].im);
            if (size > 0.0 && (least < 0 || size < hypot(m->mode[least].re, m->mode[least].im)))
                least = i;
        }
        if (least < 0)
            break;
        zeros -= m->mode[least].im > 0.0 ? 2 : 1;
        m->mode[least].re = m->mode[least].im = 0.0;
    }
    return status;
}

// x less what it has of the rigid motions 0 … n - 1, orthonormal by mass; false where nothing is
// left.
static bool is_another(tn_modes *m, int n, double *x)
{
    tn_equilibrium *s = m->state;
    const int nv = s->sys->nv;
    tn_eq_times_mass(s, x, s->y1);
    const double before = tn_dot(nv, x, s->y1);
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < n; i++) {
            tn_eq_times_mass(s, x, s->y1);
            tn_axpy(nv, -tn_dot(nv, tn_modes_shape(m, i), s->y1), tn_modes_shape(m, i), x);
        }
    tn_eq_times_mass(s, x, s->y1);
    const double after = tn_dot(nv, x, s->y1);
    if (!(after > SAME * SAME * before))
        return false;
    tn_scale(nv, 1.0 / sqrt(after), x);
    return true;
}

static void swap_modes(tn_modes *m, int i, int j)
{
    const int nv = m->state->sys->nv;
    const tn_mode kept = m->mode[i];
    double *a = tn_modes_shape(m, i), *b = tn_modes_shape(m, j);
    m->mode[i] = m->mode[j];
    m->mode[j] = kept;
    for (int k = 0; k < 2 * nv && i != j; k++) {
        const double one = a[k];
        a[k] = b[k];
        b[k] = one;
    }
}

// Independent rigid motions come first, real and orthonormal, with s = 0; those that repeat them,
// as a double zero does, are dropped.
static void gather_rigid(tn_modes *m)
{
    const int nv = m->state->sys->nv;
    m->facts.rigid = 0;
    for (int i = 0; i < m->n; i++) {
        if (!is_rigid(m, i))
            continue;
        double *xr = tn_modes_shape(m, i), *xi = xr + nv;
        if (tn_norm2(nv, xi) > tn_norm2(nv, xr))
            tn_copy(nv, xi, xr);
        tn_zero(nv, xi);
        if (is_another(m, m->facts.rigid, xr)) {
            m->mode[i] = (tn_mode){.kind = TN_MODE_RIGID};
            swap_modes(m, i, m->facts.rigid++);
        } else {
            swap_modes(m, i--, --m->n);
        }
    }
}

// Order -------------------------------------------------------------------------------------------

static double modulus(const tn_mode *mode)
{
    return hypot(mode->re, mode->im);
}

static void classify_modes(tn_modes *m)
{
    double most = 0.0;
    for (int i = 0; i < m->n; i++)
        most = fmax(most, modulus(&m->mode[i]));
    for (int i = 0; i < m->n; i++) {
        tn_mode *mode = &m->mode[i];
        const double size = modulus(mode);
        const bool grows = mode->re > GROWS * size + TN_ROUND_MATRIX * most;
        if (size > 0.0)
            mode->kind = grows ? TN_MODE_GROWTH : mode->im > 0.0 ? TN_MODE_SWING : TN_MODE_DECAY;
        m->facts.unstable += mode->kind == TN_MODE_GROWTH;
    }
}

// The slowest, as many as are wanted, in their order.
static void order_modes(tn_modes *m)
{
    for (int i = m->facts.rigid; i < m->n; i++) {
        int least = i;
        for (int j = i + 1; j < m->n; j++)
            least = modulus(&m->mode[j]) < modulus(&m->mode[least]) ? j : least;
        swap_modes(m, i, least);
    }
    for (int i = m->wanted; i < m->n; i++)
        m->facts.hidden += m->mode[i].kind == TN_MODE_GROWTH;
    m->n = tn_smaller(m->n, m->wanted);
}

// From units of the model to SI units.
static void read_value(tn_modes *m, tn_mode *mode)
{
    const double time = m->state->sys->units.time;
    mode->re /= time;
    mode->im = mode->im > 0.0 ? mode->im / time : 0.0; // no -0
    mode->frequency = mode->im / (2.0 * TN_PI);
    mode->undamped = modulus(mode) / (2.0 * TN_PI);
    mode->damping = mode->re != 0.0 ? -mode->re / modulus(mode) : 0.0;
}

// Shapes ------------------------------------------------------------------------------------------

// Turns the phase so that the largest part is real and positive.
static void turn_phase(int nv, double *xr, double *xi)
{
    int largest = 0;
    for (int i = 1; i < nv; i++) // the first of equals
        if (hypot(xr[i], xi[i]) > (1.0 + 1e-6) * hypot(xr[largest], xi[largest]))
            largest = i;
    const double size = hypot(xr[largest], xi[largest]);
    if (!(size > 0.0))
        return;
    const double c = xr[largest] / size, s = -xi[largest] / size;
    for (int i = 0; i < nv; i++) {
        const double re = c * xr[i] - s * xi[i], im = c * xi[i] + s * xr[i];
        xr[i] = re;
        xi[i] = im;
    }
    xi[largest] = 0.0;
}

// Parts of x^H M x by bodies, into `share`, and x^H M x itself.
static double share_mass(tn_modes *m, int i, double *share)
{
    tn_equilibrium *s = m->state;
    const int nv = s->sys->nv, bodies = s->model->bodies.count;
    double total = 0.0;
    for (int k = 0; k < bodies; k++)
        share[k] = 0.0;
    for (int part = 0; part < 2; part++) {
        const double *x = tn_modes_shape(m, i) + part * nv;
        tn_eq_times_mass(s, x, s->y1);
        for (int k = 1; k < bodies; k++) {
            int v0 = 0;
            const int n = tn_absolute_body_velocity(s->sys, k, &v0);
            share[k] += tn_dot(n, x + v0, s->y1 + v0);
        }
        total += tn_dot(nv, x, s->y1);
    }
    return total;
}

// x^H M x = 1 kg m^2; the largest part 1 m or 1 rad where there is no inertia.
static void normalise_mode(tn_modes *m, int i)
{
    const tn_units unit = m->state->sys->units;
    const int nv = m->state->sys->nv, bodies = m->state->model->bodies.count;
    double *x = tn_modes_shape(m, i), *share = m->share + (size_t)i * (size_t)bodies;
    turn_phase(nv, x, x + nv);
    const double total = share_mass(m, i, share), most = tn_norm_inf(2 * nv, x);
    if (total > 0.0) {
        tn_scale(2 * nv, 1.0 / sqrt(total * unit.mass * unit.length * unit.length), x);
        for (int k = 0; k < bodies; k++)
            share[k] /= total;
    } else if (most > 0.0) {
        tn_scale(2 * nv, 1.0 / most, x);
    }
    if (!m->mode[i].name[0])
        tn_eq_name(m->state, x, m->mode[i].name, sizeof m->mode[i].name);
}

static tn_status finish_modes(tn_modes *m)
{
    TN_TRY(find_zeros(m));
    gather_rigid(m);
    classify_modes(m);
    order_modes(m);
    m->facts.rigid = tn_smaller(m->facts.rigid, m->n);
    m->share = tn_alloc(sizeof(double) * (size_t)(m->n * m->state->model->bodies.count + 1));
    TN_TRY(tn_got(m->share));
    for (int i = 0; i < m->n; i++) {
        read_value(m, &m->mode[i]);
        normalise_mode(m, i);
    }
    return TN_OK;
}

// Creation ----------------------------------------------------------------------------------------

tn_status tn_modes_fail_motion(tn_modes *m, const double *x)
{
    char name[160] = "a motion";
    if (x)
        tn_eq_name(m->state, x, name, sizeof name);
    return tn_fail(TN_ERR_NUMERIC,
                   "modes: %s has neither inertia nor stiffness, so that it has no frequency; give "
                   "it a mass, an inertia or a spring, or lock it by a joint",
                   name);
}

// Damping that is not zero, or terms of a steady rotation.
static bool is_damped(const tn_modes *m)
{
    const tn_equilibrium *s = m->state;
    const tn_sparse *D = s->sys->block[TN_BLOCK_D];
    return tn_eq_moves(s) || (!m->options.undamped && D && tn_norm_inf(D->nnz, D->val) > 0.0);
}

static tn_status check_count(tn_modes *m)
{
    const int count = m->options.count, n = m->facts.freedoms;
    const tn_system *sys = m->state->sys;
    const bool pairs = m->by_states || is_damped(m); // real values come in pairs
    const int most = pairs ? 2 * n + sys->nn + sys->ne : n;
    m->facts.most = most;
    if (most == 0)
        return tn_fail(TN_ERR_MODEL,
                       "modes: the mechanism cannot move, it has no freedoms; free a joint, or "
                       "leave out the drive that holds it");
    if (count > most && !m->at_most)
        return tn_fail(TN_ERR_USAGE,
                       "count: %d modes were asked for, but the mechanism has %d freedom%s; ask "
                       "for as many, or leave it out",
                       count, n, n == 1 ? "" : "s");
    m->wanted = tn_smaller(count > 0 ? count : COUNT, most);
    return TN_OK;
}

static tn_status check_modes_options(const tn_modes_options *o)
{
    if (o->count < 0)
        return tn_fail(TN_ERR_USAGE, "count: %d modes cannot be found; ask for 1 or more",
                       o->count);
    if (o->find.arc || o->find.steps > 0)
        return tn_fail(TN_ERR_USAGE, "modes are those of one state, not of a path; leave out "
                                     "steps and arc");
    if (!isfinite(o->motion))
        return tn_fail(TN_ERR_USAGE, "motion: the factor of velocities must be finite");
    if (o->about == TN_ABOUT_STATE && !o->state)
        return tn_fail(TN_ERR_USAGE, "about: there is no state; read one by tn_result_state");
    return TN_OK;
}

// The state that modes are about, linearised.
static tn_status find_state(tn_modes *m)
{
    tn_equilibrium *s = m->state;
    const bool stated = m->options.about != TN_ABOUT_EQUILIBRIUM;
    TN_TRY(stated ? tn_eq_take_motion(s) : tn_equilibrium_find(s));
    if (stated)
        TN_TRY(tn_eq_judge_sides(s));
    s->border = EQ_LOAD; // inputs that were trimmed are held
    TN_TRY(tn_eq_stand_aside(s, true));
    tn_sampled_poles poles;
    TN_TRY(tn_linear_judge_sampled(s, &poles)); // they are reported with it
    tn_free(poles.re);
    m->facts.turning = tn_v3_scale(1.0 / s->sys->units.time, s->spin);
    TN_TRY(tn_eq_linearise(s, &s->now));
    m->facts.state = tn_equilibrium_facts_of(s);
    m->facts.freedoms = s->facts.freedoms;
    const tn_point at = tn_eq_point(s, &s->now);
    for (int k = 1; k < s->model->bodies.count; k++) {
        tn_body_state body;
        tn_absolute_body(s->sys, &at, k, &body);
        m->facts.speed = fmax(m->facts.speed, tn_v3_norm(body.rate) / s->sys->units.time);
    }
    return TN_OK;
}

static tn_status choose_road(tn_modes *m)
{
    const tn_system *sys = m->state->sys;
    const int n = m->facts.freedoms;
    const bool small = sys->nv <= MOST_DENSE_VELOCITIES && n <= MOST_DENSE_FREEDOMS;
    if (m->by_states)
        return tn_modes_states(m);
    m->facts.damped = is_damped(m);
    m->facts.sparse = m->options.method == TN_MODES_SPARSE ||
                      (m->options.method == TN_MODES_AUTO && !small && m->wanted < n / 4);
    if (!m->facts.sparse)
        return tn_modes_dense(m);
    const tn_status status = tn_modes_sparse(m);
    if (status != TN_ERR_NUMERIC || m->options.method != TN_MODES_AUTO ||
        sys->nv > MOST_INSTEAD_VELOCITIES)
        return status;
    tn_clear_error(); // much damping crowds the values: all of them at once
    m->n = 0;
    m->facts.sparse = false;
    return tn_modes_dense(m);
}

static tn_status find_modes(tn_modes *m)
{
    const tn_system *sys = m->state->sys;
    TN_TRY(find_state(m));
    m->by_states = sys->ne > 0 || sys->nn > 0 || sys->force_uses_lambda;
    TN_TRY(check_count(m));
    TN_TRY(choose_road(m));
    TN_TRY(finish_modes(m));
    return tn_eq_stand_aside(m->state, false);
}

tn_status tn_modes_create_case(const tn_model *model, const tn_modes_options *options,
                               const tn_modes_case *at, tn_modes **out)
{
    const tn_eq_purpose purpose = {
        .as_stated = options->about != TN_ABOUT_EQUILIBRIUM,
        .faster = options->motion,
        .state = options->about == TN_ABOUT_STATE ? options->state : NULL,
        .hold_sampled = true,
        .unjudged = options->find.nearest, // modes show it, and a search that stays does not ask
        .input = at->input,
        .value = at->value,
    };
    *out = NULL;
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    TN_TRY(check_modes_options(options));
    tn_modes *m = tn_alloc(sizeof *m);
    TN_TRY(tn_got(m));
    m->options = *options;
    m->at_most = at->at_most;
    m->given = model;
    tn_status status = tn_eq_create(model, &options->find, &purpose, &m->state);
    if (status == TN_OK)
        status = tn_place_error(model, tn_leave(find_modes(m), "no modes were found"));
    TN_HAND_OUT(status, m, tn_modes_destroy, out);
}

tn_status tn_modes_create(const tn_model *model, const tn_modes_options *options, tn_modes **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    return tn_modes_create_case(model, options, &(tn_modes_case){0}, out);
}

void tn_modes_destroy(tn_modes *m)
{
    if (!m)
        return;
    tn_equilibrium_destroy(m->state);
    TN_FREE(m->mode, m->shape, m->share, m);
}

// Read-out ----------------------------------------------------------------------------------------

TN_GETTER(int, tn_modes_count, (const tn_modes *m), m, 0, m->n);
TN_GETTER(tn_modes_facts, tn_modes_facts_of, (const tn_modes *m), m, ((tn_modes_facts){0}),
          m->facts);
TN_GETTER(const tn_verdict *, tn_modes_verdict, (const tn_modes *m), m, NULL, &m->state->verdict);
TN_GETTER_AT(tn_mode, tn_mode_of, (const tn_modes *m, int i), m, i, m->n, ((tn_mode){0}),
             m->mode[i]);

double tn_mode_share(const tn_modes *m, int i, tn_body body)
{
    TN_NEED(m, NAN);
    TN_NEED_INDEX(i, m->n, NAN);
    TN_NEED_INDEX(body.index, m->state->model->bodies.count, NAN);
    return m->share[(size_t)i * (size_t)m->state->model->bodies.count + (size_t)body.index];
}

// The motion x of a body as velocities are read, in SI units.
static void read_motion(const tn_modes *m, const double *x, int body, tn_vec3 *move, tn_vec3 *turn)
{
    tn_equilibrium *s = m->state;
    tn_body_state state;
    tn_point at = tn_eq_point(s, &s->now);
    at.v = x;
    at.a = NULL;
    tn_absolute_body(s->sys, &at, body, &state);
    *move = tn_v3_scale(s->sys->units.length, state.velocity);
    *turn = tn_m3_apply(state.frame.R, state.rate);
}

tn_mode_motion tn_mode_motion_of(const tn_modes *m, int i, tn_body body)
{
    tn_mode_motion out = {0};
    TN_NEED(m, out);
    TN_NEED_INDEX(i, m->n, out);
    TN_NEED_INDEX(body.index, m->state->model->bodies.count, out);
    if (body.index == TN_GROUND.index)
        return out;
    const double *x = tn_modes_shape(m, i);
    read_motion(m, x, body.index, &out.move_re, &out.turn_re);
    read_motion(m, x + m->state->sys->nv, body.index, &out.move_im, &out.turn_im);
    return out;
}

tn_frame tn_modes_body_frame(const tn_modes *m, tn_body body)
{
    TN_NEED(m, tn_frame_identity);
    return tn_equilibrium_body_frame(m->state, body);
}
