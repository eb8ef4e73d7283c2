// SPDX-License-Identifier: MIT
//
// Compiles a tree for many states at once; see tree_lanes.h. Numbers and memory are arrays of
// vectors, [what][vector of the block][lane of the vector], which is [what][lane of the block]
// whatever the width of vectors is.

#include "tree/tree_lanes.h"

#include "base/alloc.h"
#include "base/carve.h"
#include "tree/tree_lanes_parts.h"
#include "tree/tree_parts.h"

#include <math.h>

// Structure ---------------------------------------------------------------------------------------

static tn_status kind_of(const tree *t, int k, tree_axis *out)
{
    const tn_tree_body *body = &t->base.body[k];
    const tn_model *model = t->base.model;
    switch ((tree_kind)t->node[k].kind) {
    case TREE_WELD:
        *out = TREE_AXIS_NONE;
        return TN_OK;
    case TREE_REVOLUTE:
    case TREE_FLAT_TURN:
        *out = TREE_TURNS_Z;
        return TN_OK;
    case TREE_PRISMATIC:
        *out = TREE_SLIDES_Z;
        return TN_OK;
    case TREE_FLAT_SLIDE:
        *out = TREE_SLIDES_X;
        return TN_OK;
    default:
        if (body->joint < 0)
            return tn_fail(TN_ERR_MODEL,
                           "body '%s' is carried by no joint; bodies of an ensemble stand on "
                           "revolute, prismatic and fixed joints",
                           model->bodies.at[body->body].name);
        return tn_fail(TN_ERR_MODEL,
                       "joint '%s' is %s; joints of an ensemble are revolute, prismatic or fixed",
                       model->joints.at[body->joint].name, model->joints.at[body->joint].ops->name);
    }
}

// The velocity that a force acts along; refused where it is no spring on a joint of the tree.
static tn_status spring_of(const tn_tree *base, int force, int *v0)
{
    const tn_force_data *data = &base->model->forces.at[force];
    if (data->def.kind != TN_FORCE_JOINT_SPRING)
        return tn_fail(TN_ERR_MODEL,
                       "force '%s' is a %s; forces of an ensemble are gravity and springs on joint "
                       "coordinates",
                       data->name, data->ops->name);
    if (data->table)
        return tn_fail(TN_ERR_MODEL,
                       "force '%s' has a table; springs of an ensemble have stiffness, damping, "
                       "cubic, free and preload alone",
                       data->name);
    for (int k = 0; k < base->model->lives.count; k++)
        if (base->model->lives.at[k].force == force)
            return tn_fail(TN_ERR_MODEL,
                           "%s is an expression of the time or the state; springs of an ensemble "
                           "have constant numbers",
                           base->model->lives.at[k].what);
    for (int k = 1; k < base->n; k++)
        if (base->body[k].joint == data->def.joint.index && base->body[k].nv == 1) {
            *v0 = base->body[k].v0;
            return TN_OK;
        }
    return tn_fail(TN_ERR_MODEL, "force '%s' acts on a joint that does not carry a body",
                   data->name);
}

static bool is_in_plane(const tree *t, int k)
{
    return t->node[k].kind == TREE_FLAT_TURN || t->node[k].kind == TREE_FLAT_SLIDE;
}

// Row i of a joint that closes a loop.
static tn_status row_of(const tn_tree *base, int joint, int i, lanes_row *out)
{
    const tn_joint_data *data = &base->model->joints.at[joint];
    const tn_constraint_row from = tn_constraint_get(base->model, joint, i);
    const tn_row_form form = from.nterm == 1 ? from.term[0].row.form : TN_ROW_OWN;
    if (from.u || (form != TN_ROW_COORD && form != TN_ROW_DOT))
        return tn_fail(TN_ERR_MODEL,
                       "joint '%s' closes a loop and is %s; joints that close loops of an ensemble "
                       "are revolute or spherical",
                       data->name, data->ops->name);
    *out = (lanes_row){.a = base->place[data->def->body_a.index],
                       .b = base->place[data->def->body_b.index],
                       .turns = form == TN_ROW_DOT,
                       .i = from.term[0].row.i,
                       .j = from.term[0].row.j,
                       .joint = joint};
    return TN_OK;
}

// All rows that take part; with `out` NULL they are only counted.
static tn_status list_rows(const tn_tree *base, const int *active, lanes_row *out, int *count)
{
    *count = 0;
    for (int k = 0, all = 0; k < base->ncut; k++)
        for (int i = 0; i < tn_constraint_count(base->model, base->cut[k]); i++, all++) {
            lanes_row row;
            TN_TRY(row_of(base, base->cut[k], i, &row));
            if (active && !active[all])
                continue;
            if (out)
                out[*count] = row;
            (*count)++;
        }
    return TN_OK;
}

static double sign_of(const tree *t, int k)
{
    return is_in_plane(t, k) ? t->link[k].z.z : 0.0;
}

static void layout_lanes(void *self, tn_carve *mem)
{
    tn_lanes *s = self;
    s->node = tn_carve_bytes(mem, sizeof *s->node * (size_t)s->n);
    s->spring = tn_carve_ints(mem, s->nspring);
    s->row = tn_carve_bytes(mem, sizeof *s->row * (size_t)s->nrow);
}

static tn_status compile_lanes(tn_lanes *s, const tree *t)
{
    for (int k = 1; k < s->n; k++) {
        lanes_node *node = &s->node[k];
        node->parent = t->node[k].parent;
        node->v0 = t->base.body[k].v0;
        node->leaf = true;
        node->sign = sign_of(t, k);
        TN_TRY(kind_of(t, k, &node->kind));
        s->node[node->parent].several = !s->node[node->parent].leaf;
        s->node[node->parent].leaf = false;
    }
    for (int k = s->n - 1; k > 0; k--) { // its successor arrives first, and its other children
        const int parent = s->node[k].parent;
        s->node[k].first = t->base.body[k].end == t->base.body[parent].end;
    }
    for (int i = 0; i < s->nspring; i++)
        TN_TRY(spring_of(&t->base, i, &s->spring[i]));
    return TN_OK;
}

// Bodies of the plane on joints that turn or slide have recursions of their own, without loops.
static bool is_flat(const tree *t)
{
    bool flat = true;
    for (int k = 1; k < t->base.n; k++)
        flat = flat && is_in_plane(t, k);
    return flat;
}

// Trees that the mass matrix is taken for. In space one of the bodies must carry all others.
static bool has_few_turns(const tn_lanes *s)
{
    bool few = s->nrow == 0 && s->n > 1 && s->n <= LANES_FEW;
    for (int k = 1; few && k < s->n; k++)
        few = s->node[k].v0 == k - 1 && s->node[k].kind == TREE_TURNS_Z &&
              (s->flat || k == 1 || s->node[k].parent > 0);
    return few;
}

static void choose_function(tn_lanes *s, const tree *t)
{
    s->flat = s->nrow == 0 && is_flat(t);
    s->few = has_few_turns(s);
    static tn_lanes_function *const by_two[] = {tn_lanes_by_two, tn_lanes_flat_by_two,
                                                tn_lanes_few_by_two, tn_lanes_few_flat_by_two};
    const int which = 2 * s->few + s->flat;
    s->accelerate = by_two[which];
#if defined(__x86_64__)
    static tn_lanes_function *const by_four[] = {tn_lanes_by_four, tn_lanes_flat_by_four,
                                                 tn_lanes_few_by_four, tn_lanes_few_flat_by_four};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        s->accelerate = by_four[which];
#endif
}

tn_status tn_lanes_create(const tn_tree *self, const int *active, tn_lanes **out)
{
    *out = NULL;
    tn_lanes *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->n = self->n;
    s->nv = self->nv;
    s->nspring = self->model->forces.count;
    tn_status status = list_rows(self, active, NULL, &s->nrow);
    TN_THEN(status, tn_carve_block(s, layout_lanes, &s->block));
    TN_THEN(status, compile_lanes(s, (const tree *)self));
    TN_THEN(status, list_rows(self, active, s->row, &s->nrow));
    if (status == TN_OK)
        choose_function(s, (const tree *)self);
    TN_HAND_OUT(status, s, tn_lanes_destroy, out);
}

void tn_lanes_destroy(tn_lanes *s)
{
    if (!s)
        return;
    TN_FREE(s->block, s);
}

static bool same_row(const lanes_row *a, const lanes_row *b)
{
    return a->joint == b->joint && a->a == b->a && a->b == b->b && a->turns == b->turns &&
           a->i == b->i && a->j == b->j;
}

// All rows are among those of another tree, which has some if there are any.
static bool rows_fit(const tn_lanes *s, const tn_lanes *other)
{
    int found = 0;
    for (int r = 0; r < s->nrow; r++)
        for (int i = 0; i < other->nrow && found == r; i++)
            found += same_row(&s->row[r], &other->row[i]);
    return found == s->nrow && (other->nrow > 0) == (s->nrow > 0);
}

bool tn_lanes_fits(const tn_lanes *s, const tn_tree *self)
{
    tn_lanes *other = NULL;
    bool fits = tn_lanes_create(self, NULL, &other) == TN_OK && other->n == s->n &&
                other->nv == s->nv && other->nspring == s->nspring;
    for (int k = 1; fits && k < s->n; k++) {
        const lanes_node *a = &s->node[k], *b = &other->node[k];
        fits = a->kind == b->kind && a->parent == b->parent && a->v0 == b->v0 && a->sign == b->sign;
    }
    for (int i = 0; fits && i < s->nspring; i++)
        fits = s->spring[i] == other->spring[i];
    fits = fits && rows_fit(s, other);
    tn_lanes_destroy(other);
    return fits;
}

// Numbers -----------------------------------------------------------------------------------------

size_t tn_lanes_numbers(const tn_lanes *s)
{
    return TN_LANES * (size_t)(3 + (s->n - 1) * (int)LANES_PLACE + s->nspring * (int)LANES_SPRING +
                               s->nrow * (int)LANES_ROW);
}

size_t tn_lanes_memory(const tn_lanes *s)
{
    const int loops = s->nrow * (10 + s->nrow + s->nv) + 12 * s->n; // see close_loops
    const int matrix = s->few ? s->n * s->n : 0;
    return TN_LANES *
           (size_t)(s->n * (LANES_KEPT + LANES_SUM) + 3 * s->nv + (s->nrow > 0 ? loops : matrix));
}

static void put_vector(double *to, int lane, tn_vec3 x)
{
    to[lane] = x.x;
    to[TN_LANES + lane] = x.y;
    to[2 * TN_LANES + lane] = x.z;
}

static void put_place(const tree *t, int k, int lane, double *to)
{
    const tree_base *at = &t->at[k];
    const tree_mass *mass = &t->mass[k];
    put_vector(to + LANES_X * TN_LANES, lane, at->X);
    put_vector(to + LANES_Y * TN_LANES, lane, at->Y);
    put_vector(to + LANES_Z * TN_LANES, lane, at->Z);
    put_vector(to + LANES_D * TN_LANES, lane, at->d);
    put_vector(to + LANES_MC * TN_LANES, lane, mass->mc);
    put_vector(to + LANES_G * TN_LANES, lane, mass->g);
    to[LANES_M * TN_LANES + lane] = mass->m;
    to[LANES_LAMBDA * TN_LANES + lane] = mass->lambda;
    to[LANES_KY * TN_LANES + lane] = mass->ky;
    to[LANES_KZ * TN_LANES + lane] = mass->kz;
}

// The mass of node k and its subtree.
static double carried_mass(const tree *t, int k)
{
    double sum = 0.0;
    for (int i = k; i < t->base.body[k].end; i++)
        sum += t->mass[i].m;
    return sum;
}

// y is across x to the left, whatever the axis of a joint: its sign goes into the numbers.
static void put_flat_place(const tree *t, int k, int lane, double *to)
{
    const tree_base *at = &t->at[k];
    const tree_mass *mass = &t->mass[k];
    const double below = t->link[t->node[k].parent].z.z, own = t->link[k].z.z;
    double gx = mass->mc.x, gy = mass->mc.y;
    double J = mass->lambda + mass->g.z * mass->g.z + mass->kz * mass->kz;
    for (int i = k + 1; i < t->base.body[k].end; i++)
        if (t->node[i].parent == k) {
            const double m = carried_mass(t, i), x = t->at[i].d.x, y = t->at[i].d.y;
            gx += m * x;
            gy += m * y;
            J += m * (x * x + y * y);
        }
    to[FLAT_ANGLE * TN_LANES + lane] = atan2(below * at->X.y, at->X.x);
    to[FLAT_DX * TN_LANES + lane] = at->d.x;
    to[FLAT_DY * TN_LANES + lane] = below * at->d.y;
    to[FLAT_GX * TN_LANES + lane] = gx;
    to[FLAT_GY * TN_LANES + lane] = own * gy;
    to[FLAT_J * TN_LANES + lane] = J;
}

static void put_row(const tn_tree *base, const lanes_row *row, int lane, double *to)
{
    const tn_joint_def *def = base->model->joints.at[row->joint].def;
    const tn_frame a = tn_tree_local(base, row->a, def->frame_a);
    const tn_frame b = tn_tree_local(base, row->b, def->frame_b);
    put_vector(to, lane, row->turns ? tn_m3_column(a.R, row->i) : a.p);
    put_vector(to + 3 * TN_LANES, lane, row->turns ? tn_m3_column(b.R, row->j) : b.p);
}

void tn_lanes_put(const tn_lanes *s, const tn_tree *self, const double *q, int lane,
                  double *numbers)
{
    TN_ASSERT(lane >= 0 && lane < TN_LANES);
    double *to = numbers;
    put_vector(to, lane, tn_v3_neg(self->model->gravity));
    to += 3 * TN_LANES;
    for (int k = 1; k < s->n; k++, to += LANES_PLACE * TN_LANES)
        (s->few && s->flat ? put_flat_place : put_place)((const tree *)self, k, lane, to);
    for (int i = 0; i < s->nspring; i++, to += LANES_SPRING * TN_LANES) {
        const tn_force_data *data = &self->model->forces.at[i];
        to[LANES_K * TN_LANES + lane] = data->def.spring.stiffness;
        to[LANES_C * TN_LANES + lane] = data->def.spring.damping;
        to[LANES_K3 * TN_LANES + lane] = data->def.spring.cubic;
        to[LANES_PRELOAD * TN_LANES + lane] = data->def.spring.preload;
        to[LANES_FREE * TN_LANES + lane] = data->free_at_start ? q[s->spring[i]] : data->free;
    }
    for (int r = 0; r < s->nrow; r++, to += LANES_ROW * TN_LANES)
        put_row(self, &s->row[r], lane, to);
}

void tn_lanes_accelerate(const tn_lanes *s, const double *numbers, const double *q, const double *v,
                         double *vdot, double *memory)
{
    s->accelerate(s, numbers, q, v, vdot, memory);
}
