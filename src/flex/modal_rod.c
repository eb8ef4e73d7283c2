// SPDX-License-Identifier: MIT
//
// A straight rod along x whose shapes are expressions of s: displacements of its line are
// sum q_j (u_j, v_j, w_j)(s), and its sections stay plane and normal to the line, so that a point
// (s, y, z) of the rod moves by
//
//   phi_j = (u_j - y v_j' - z w_j', v_j, w_j)       rotation vector of a section (0, -w_j', v_j')
//
// Inertia: all fields are linear in y and z; integrals over a section are sums of three products.
// Stiffness: EA u_i' u_j' + EI_z v_i'' v_j'' + EI_y w_i'' w_j'', integrated.
//
// Stiffening: a line that keeps its length and whose start stays draws its points back by
// 1/2 q^T g(s) q, g_ij = integral of v_i' v_j' + w_i' w_j' from 0 to s: the axial force of loads
// acts through that. By parts, with the mass m per length,
//
//   acceleration along x   -integral of m g = -integral of m (L - s) (v_i' v_j' + w_i' w_j')
//   rates wy wy, wz wz      integral of m s g = integral of m (L^2 - s^2)/2 (...)
//   force along x at s      g(s)

#include "flex/modal_body.h"

#include "base/alloc.h"
#include "contact/mapping.h"
#include "flex/beam.h"
#include "flex/modal.h"
#include "model/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PANELS = 24, POINTS = 8, STATIONS = 33, MOST_SHAPES = 200 };

// Gauss's rule with eight points on [-1, 1], one half of it [AS64, table 25.4].
static const double gauss_x[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363};
static const double gauss_w[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                 0.1012285362903763};

typedef struct rod {
    const tn_rod_def *def;
    const char *what;
    tn_section section;
    tn_mapping *(*by)[3];  // of each shape; NULL: zero
    tn_grid_value (*f)[3]; // of each shape at one place
} rod;

// A field at one place of the line: on the line itself, and per unit of y and z.
typedef struct field {
    tn_vec3 at[3];
} field;

// Shapes ------------------------------------------------------------------------------------------

static tn_status compile_shape(const tn_model *model, rod *r, int j)
{
    static const char *const args[] = {"s"}, *const keys[] = {"x", "y", "z"};
    const tn_rod_shape *shape = &r->def->shapes[j];
    const char *const text[3] = {shape->x, shape->y, shape->z};
    bool any = false;
    for (int k = 0; k < 3; k++) {
        if (!text[k])
            continue;
        any = true;
        const tn_status s = tn_mapping_create(model, text[k], 1, args, &r->by[j][k]);
        if (s != TN_OK)
            return tn_fail_within(s, "%s: rod: shape %d: %s", r->what, j + 1, keys[k]);
    }
    return any ? TN_OK
               : tn_fail(TN_ERR_MODEL,
                         "%s: rod: shape %d moves nothing; state x, y or z as an expression of s",
                         r->what, j + 1);
}

static tn_status see_shapes(rod *r, double s)
{
    for (int j = 0; j < r->def->nshape; j++)
        for (int k = 0; k < 3; k++) {
            r->f[j][k] = (tn_grid_value){0};
            if (!r->by[j][k])
                continue;
            r->f[j][k] = tn_mapping_eval(r->by[j][k], &s);
            if (!isfinite(r->f[j][k].f) || !isfinite(r->f[j][k].x) || !isfinite(r->f[j][k].xx))
                return tn_fail(TN_ERR_MODEL,
                               "%s: rod: shape %d or one of its two derivatives is no number at "
                               "s = %g m",
                               r->what, j + 1, s);
        }
    return TN_OK;
}

static field shape_field(const rod *r, int j)
{
    const tn_grid_value *f = r->f[j];
    return (field){
        {tn_v3(f[0].f, f[1].f, f[2].f), tn_v3(-f[1].x, 0.0, 0.0), tn_v3(-f[2].x, 0.0, 0.0)}};
}

// Field number i of Z at s.
static field field_at(const rod *r, int i, double s)
{
    const int m = r->def->nshape, k = i % 3; // of axes, six fields before those of shapes
    const tn_vec3 axis = tn_v3(k == 0, k == 1, k == 2);
    const tn_vec3 place[3] = {tn_v3(s, 0.0, 0.0), tn_v3(0.0, 1.0, 0.0), tn_v3(0.0, 0.0, 1.0)};
    if (i >= tn_modal_phi(m, 0))
        return shape_field(r, i - tn_modal_phi(m, 0));
    if (i < 3)
        return (field){{axis}};
    field out = i < 6 ? (field){{place[0], place[1], place[2]}} : shape_field(r, (i - 6) / 3);
    for (int p = 0; p < 3; p++)
        out.at[p] = tn_v3_cross(axis, out.at[p]);
    return out;
}

// Integrals ---------------------------------------------------------------------------------------

static double entry_of(double weight, const double density[3], const field *a, const field *b)
{
    double sum = 0.0;
    for (int p = 0; p < 3; p++)
        sum += density[p] * tn_v3_dot(a->at[p], b->at[p]);
    return weight * sum;
}

static void add_gram(const rod *r, double s, double weight, field *Z, tn_modal *out)
{
    const int n = tn_modal_size(out->m);
    const double density[3] = {r->section.mass, r->section.inertia_y, r->section.inertia_x};
    for (int i = 0; i < n; i++)
        Z[i] = field_at(r, i, s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out->gram[(size_t)i * (size_t)n + (size_t)j] += entry_of(weight, density, &Z[i], &Z[j]);
}

static double slopes(const rod *r, int i, int j)
{
    return r->f[i][1].x * r->f[j][1].x + r->f[i][2].x * r->f[j][2].x;
}

static void add_stiffness(const rod *r, double s, double weight, tn_modal *out)
{
    const int m = out->m, square = m * m;
    const double L = r->def->length, mass = r->section.mass;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            const tn_grid_value *a = r->f[i], *b = r->f[j];
            const int at = i * m + j;
            out->stiffness[at] += weight * (r->section.stiffness.z * a[0].x * b[0].x +
                                            r->section.rotational_stiffness.y * a[1].xx * b[1].xx +
                                            r->section.rotational_stiffness.x * a[2].xx * b[2].xx);
            const double g = weight * slopes(r, i, j);
            out->acceleration[at] -= mass * (L - s) * g;
            out->rate[square + at] += 0.5 * mass * (L * L - s * s) * g;
            out->rate[2 * square + at] += 0.5 * mass * (L * L - s * s) * g;
        }
}

typedef struct sum_to {
    tn_modal *out;
    field *Z; // NULL: the lengths that attachment `k` is drawn back by
    int k;
} sum_to;

static tn_status integrate(rod *r, double from, double to, sum_to into)
{
    const double half = 0.5 * (to - from) / PANELS;
    for (int p = 0; p < PANELS; p++)
        for (int i = 0; i < POINTS; i++) {
            const double x = i % 2 ? gauss_x[i / 2] : -gauss_x[i / 2];
            const double s = from + half * (2.0 * p + 1.0 + x), weight = half * gauss_w[i / 2];
            TN_TRY(see_shapes(r, s));
            const int m = into.out->m;
            if (into.Z) {
                add_gram(r, s, weight, into.Z, into.out);
                add_stiffness(r, s, weight, into.out);
                continue;
            }
            for (int a = 0; a < m * m; a++)
                into.out->loads[(size_t)(6 * into.k) * (size_t)(m * m) + (size_t)a] +=
                    weight * slopes(r, a / m, a % m);
        }
    return TN_OK;
}

// Parts -------------------------------------------------------------------------------------------

static tn_status rod_attachment(rod *r, int number, tn_modal *out, int k)
{
    const double s = r->def->attachment_at[number];
    tn_modal_attachment *at = &out->attachment[k];
    const int m = out->m;
    at->name = tn_strdup(r->def->attachment_name[number]);
    TN_TRY(tn_got(at->name));
    if (!(s >= 0.0 && s <= (1.0 + 1e-9) * r->def->length))
        return tn_fail(TN_ERR_MODEL,
                       "%s: rod: attachment '%s' is at s = %g m; the rod goes from 0 to %g m",
                       r->what, at->name, s, r->def->length);
    at->frame.p = tn_v3(s, 0.0, 0.0);
    TN_TRY(see_shapes(r, s));
    for (int j = 0; j < m; j++) {
        const tn_grid_value *f = r->f[j];
        const double x[6] = {f[0].f, f[1].f, f[2].f, 0.0, -f[2].x, f[1].x};
        for (int i = 0; i < 6; i++)
            at->modes[i * m + j] = x[i];
    }
    return integrate(r, 0.0, s, (sum_to){.out = out, .k = k});
}

// By name, as files have them.
static tn_status rod_attachments(rod *r, tn_modal *out)
{
    const int n = r->def->nattachment;
    const char *last = "";
    for (int k = 0; k < n; k++) {
        int next = -1;
        for (int i = 0; i < n; i++) {
            const char *name = r->def->attachment_name[i];
            if (strcmp(name, last) > 0 &&
                (next < 0 || strcmp(name, r->def->attachment_name[next]) < 0))
                next = i;
        }
        if (next < 0)
            return tn_fail(TN_ERR_MODEL, "%s: rod: the name of an attachment is used twice",
                           r->what);
        last = r->def->attachment_name[next];
        TN_TRY(rod_attachment(r, next, out, k));
    }
    return TN_OK;
}

// A box with the width and height of the section, for pictures.
static tn_status rod_surface(rod *r, tn_modal *out)
{
    static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const int m = out->m;
    out->points = tn_alloc(3 * 4 * STATIONS * sizeof(double));
    out->triangles = tn_alloc(3 * (8 * (STATIONS - 1) + 4) * sizeof(int));
    out->shapes = tn_alloc((size_t)m * 3 * 4 * STATIONS * sizeof(float));
    TN_TRY(tn_got(out->points && out->triangles && out->shapes));
    out->npoint = 4 * STATIONS;
    int *t = out->triangles;
    for (int i = 0; i < STATIONS; i++) {
        const double s = r->def->length * i / (STATIONS - 1);
        TN_TRY(see_shapes(r, s));
        for (int c = 0; c < 4; c++) {
            const double y = 0.5 * corner[c][0] * r->section.width,
                         z = 0.5 * corner[c][1] * r->section.height;
            const int p = 4 * i + c, q = 4 * i + (c + 1) % 4;
            tn_v3_to(tn_v3(s, y, z), out->points + 3 * p);
            for (int j = 0; j < m; j++) {
                const field f = shape_field(r, j);
                const tn_vec3 u = tn_v3_axpy(z, f.at[2], tn_v3_axpy(y, f.at[1], f.at[0]));
                float *to = out->shapes + ((size_t)j * 4 * STATIONS + (size_t)p) * 3;
                to[0] = (float)u.x;
                to[1] = (float)u.y;
                to[2] = (float)u.z;
            }
            if (i + 1 == STATIONS)
                continue;
            const int side[6] = {p, q + 4, q, p, p + 4, q + 4};
            for (int k = 0; k < 6; k++)
                *t++ = side[k];
        }
    }
    const int last = 4 * (STATIONS - 1);
    const int ends[12] = {0, 1, 2, 0, 2, 3, last, last + 2, last + 1, last, last + 3, last + 2};
    for (int k = 0; k < 12; k++)
        *t++ = ends[k];
    out->ntriangle = (int)(t - out->triangles) / 3;
    return TN_OK;
}

static tn_status name_shapes(tn_modal *out)
{
    const int m = out->m, n = tn_modal_size(m);
    for (int j = 0; j < m; j++) {
        const int phi = tn_modal_phi(m, j);
        const double mass = out->gram[(size_t)phi * (size_t)(n + 1)];
        out->names[j] = tn_format("shape %d", j + 1);
        TN_TRY(tn_got(out->names[j]));
        out->frequency[j] =
            mass > 0.0 ? sqrt(out->stiffness[j * m + j] / mass) / 6.283185307179586 : 0.0;
    }
    return TN_OK;
}

static tn_status check_rod(const tn_rod_def *def, const char *what, tn_section *section)
{
    if (!(def->length > 0.0 && isfinite(def->length)))
        return tn_fail(TN_ERR_MODEL, "%s: rod: length is %g m; it must be positive", what,
                       def->length);
    if (def->nshape < 1 || def->nshape > MOST_SHAPES)
        return tn_fail(TN_ERR_MODEL, "%s: rod: it has %d shapes; take 1 to %d", what, def->nshape,
                       MOST_SHAPES);
    for (int k = 0; k < def->nattachment; k++)
        if (!def->attachment_name[k] || !*def->attachment_name[k])
            return tn_fail(TN_ERR_MODEL, "%s: rod: an attachment has no name", what);
    char words[320];
    snprintf(words, sizeof words, "%.280s: rod: section", what);
    TN_TRY(tn_section_named(&def->section, words, section));
    if (!(section->mass > 0.0))
        return tn_fail(TN_ERR_MODEL, "%s: its mass per length is zero; state its density", words);
    return TN_OK;
}

static tn_status make_rod(const tn_model *model, rod *r, tn_modal *out)
{
    const int m = out->m;
    const size_t square = (size_t)m * (size_t)m * sizeof(double);
    out->source = tn_strdup("a rod with shapes by expressions");
    out->rate = tn_alloc(6 * square);
    out->acceleration = tn_alloc(3 * square);
    out->turning = tn_alloc(3 * square);
    out->loads = tn_alloc(6 * square * (size_t)(out->nattachment + 1));
    r->by = tn_alloc(sizeof *r->by * (size_t)m);
    r->f = tn_alloc(sizeof *r->f * (size_t)m);
    field *Z = tn_alloc(sizeof *Z * (size_t)tn_modal_size(m));
    tn_status s = tn_got(out->source && out->rate && out->acceleration && out->turning &&
                         out->loads && r->by && r->f && Z);
    for (int j = 0; j < m && s == TN_OK; j++)
        s = compile_shape(model, r, j);
    TN_THEN(s, integrate(r, 0.0, r->def->length, (sum_to){.out = out, .Z = Z}));
    TN_THEN(s, rod_attachments(r, out));
    TN_THEN(s, rod_surface(r, out));
    TN_THEN(s, name_shapes(out));
    for (int j = 0; r->by && j < m; j++)
        for (int k = 0; k < 3; k++)
            tn_mapping_destroy(r->by[j][k]);
    TN_FREE(r->by, r->f, Z);
    return s;
}

tn_status tn_modal_of_rod(const tn_model *model, const tn_rod_def *def, const char *what,
                          tn_modal **out)
{
    rod r = {.def = def, .what = what};
    tn_modal *made = NULL;
    *out = NULL;
    TN_TRY(check_rod(def, what, &r.section));
    TN_TRY(tn_modal_create(def->nshape, def->nattachment, &made));
    tn_status s = make_rod(model, &r, made);
    if (s == TN_OK) {
        s = tn_modal_check(made);
        s = s == TN_OK ? TN_OK : tn_fail_within(s, "%s: rod", what);
    }
    TN_HAND_OUT(s, made, tn_modal_destroy, out);
}
