// SPDX-License-Identifier: MIT
//
// Every joint kind in the registry, tested against itself: its constraint side and its motion side
// must describe the same mechanism. A new kind is covered the moment it is registered.

#include "kinds/family.h"
#include "lie/so3.h"
#include "model/joint.h"
#include "model/model.h"
#include "test.h"

static const double ROUNDOFF = 1e-13; // a few dozen operations on numbers of size one
// Central differences with step 1e-5 of sines and cosines: 1e-10 / 6 plus round-off 1e-11.
static const double STEP = 1e-5;
static const double DIFFERENCE = 1e-9;
static const double PITCH = 0.3; // of the screw [m/rad]; the others have no number to set

// A joint of some kind between two moving bodies, in a model that holds nothing else.
typedef struct specimen {
    const tn_joint_ops *ops;
    tn_joint_def def;
    tn_joint_data data;
    tn_model model;
    double q[7], v[6];
    tn_joint_motion motion;
    tn_frame body[2];
    tn_pair at;
} specimen;

static tn_vec3 random_vec3(int dim)
{
    const double x = tn_random(), y = tn_random(), z = tn_random();
    return dim == 3 ? tn_v3(x, y, z) : tn_v3(x, y, 0.0);
}

static tn_vec3 random_axial(int dim)
{
    const double x = tn_random(), y = tn_random(), z = tn_random();
    return dim == 3 ? tn_v3(x, y, z) : tn_v3(0.0, 0.0, z);
}

static tn_frame random_frame(int dim)
{
    const tn_vec3 turn = tn_v3_scale(2.0, random_axial(dim));
    return (tn_frame){tn_so3_exp(turn), random_vec3(dim)};
}

static bool has_quaternion(const tn_joint_ops *ops)
{
    return ops->nq != ops->nv;
}

static void random_q(const tn_joint_ops *ops, double *q)
{
    for (int i = 0; i < ops->nq; i++)
        q[i] = 3.0 * tn_random(); // inside (-pi, pi]
    if (has_quaternion(ops)) {
        q[0] = fabs(q[0]); // the sign that tn_quat_from_matrix picks
        tn_quat_to(tn_quat_normalize(tn_quat_from(q)), q);
    }
}

// q moved by t v, along the group where q is a unit quaternion.
static void moved_q(const tn_joint_ops *ops, const double *q, const double *v, double t,
                    double *out)
{
    if (has_quaternion(ops)) {
        const tn_quat step = tn_so3_exp_quat(tn_v3_scale(t, tn_v3_from(v)));
        tn_quat_to(tn_quat_mul(tn_quat_from(q), step), out);
        return;
    }
    for (int i = 0; i < ops->nq; i++)
        out[i] = q[i] + t * v[i];
}

// Body A and both attachment frames at random, body B where the joint puts it.
static void place(specimen *s)
{
    const int dim = s->ops->dim;
    const tn_frame local_a = random_frame(dim), local_b = random_frame(dim);
    s->body[0] = random_frame(dim);
    const tn_frame a = tn_frame_mul(s->body[0], local_a), b = tn_frame_mul(a, s->motion.X);
    s->body[1] = tn_frame_mul(b, tn_frame_inverse(local_b));
    s->at = (tn_pair){
        .a = {.x = a, .r = tn_m3_apply(s->body[0].R, local_a.p)},
        .b = {.x = b, .r = tn_m3_apply(s->body[1].R, local_b.p)},
        .length = 1.0,
    };
}

static void make(specimen *s, const tn_joint_ops *ops)
{
    *s = (specimen){.ops = ops, .data = {.ops = ops, .def = &s->def, .u = tn_joint_no_functions}};
    if (ops == tn_joint_ops_of(TN_JOINT_SCREW))
        s->def.screw.pitch = PITCH;
    s->model.joints.at = &s->data;
    s->model.joints.count = 1;
    random_q(ops, s->q);
    for (int i = 0; i < ops->nv; i++)
        s->v[i] = tn_random();
    ops->motion(s->data.def, s->q, s->v, &s->motion);
    place(s);
}

// Lets both bodies move together at random, and B against A with the given twist (axes of B).
static void move(specimen *s, tn_twist relative)
{
    const int dim = s->ops->dim;
    tn_end *a = &s->at.a, *b = &s->at.b;
    a->V = (tn_twist){random_vec3(dim), random_axial(dim)};

    const tn_vec3 arm = tn_v3_sub(b->x.p, s->body[0].p);
    const tn_vec3 carried = tn_v3_add(a->V.v, tn_v3_cross(a->V.w, arm));
    const tn_vec3 origin = tn_v3_add(carried, tn_m3_apply(b->x.R, relative.v));
    b->V.w = tn_v3_add(a->V.w, tn_m3_apply(b->x.R, relative.w));
    b->V.v = tn_v3_sub(origin, tn_v3_cross(b->V.w, b->r));
}

static double constraint_value(const specimen *s, int i)
{
    const tn_constraint_row row = tn_constraint_get(&s->model, 0, i);
    double sum = 0.0;
    for (int k = 0; k < row.nterm; k++)
        sum += row.term[k].coefficient * tn_row_value(&row.term[k].row, &s->at, 0.0);
    return sum;
}

static void constraint_gradient(const specimen *s, int i, double G[12])
{
    const tn_constraint_row row = tn_constraint_get(&s->model, 0, i);
    for (int p = 0; p < 12; p++)
        G[p] = 0.0;
    for (int k = 0; k < row.nterm; k++) {
        double one[12];
        tn_row_gradient(&row.term[k].row, &s->at, one);
        for (int p = 0; p < 12; p++)
            G[p] += row.term[k].coefficient * one[p];
    }
}

// Runs a check over random specimens of all kinds with a motion side.
static void over_all_joints(void (*check)(specimen *))
{
    for (int kind = 0; kind < TN_JOINT_KIND_COUNT; kind++)
        for (int i = 0; !tn_joint_ops_of(kind)->coupling && i < 20; i++) {
            specimen s;
            make(&s, tn_joint_ops_of(kind));
            check(&s);
        }
}

static void check_entry(const tn_joint_ops *ops)
{
    CHECK(ops->name && *ops->name && ops->text && *ops->text);
    CHECK(ops->dim == 2 || ops->dim == 3);
    CHECK(ops->nrow + ops->nroll >= 1 && ops->nrow + ops->nroll <= TN_JOINT_MAX_ROWS);
    for (int i = 0; i < ops->nroll; i++)
        CHECK(ops->roll_names[i] != NULL);
    CHECK(ops->ncoord >= 0 && ops->ncoord <= TN_JOINT_MAX_COORDS);
    CHECK(ops->coupling == !ops->motion);
    CHECK(ops->coordinates || !ops->motion || ops->nq == ops->ncoord);
    CHECK(ops->relative == (ops->rows != NULL) && (ops->rows || ops->row || ops->nroll > 0));
    for (int i = 0; ops->row_names && i < ops->nrow; i++)
        CHECK(ops->row_names[i] && *ops->row_names[i]);
    for (int i = 0; !ops->row_names && i < ops->nrow; i++)
        CHECK(ops->rows && ops->rows[i].form <= TN_ROW_DOT);
    for (int i = 0; i < ops->ncoord; i++)
        CHECK_TEXT(ops->coords[i].unit, ops->coords[i].row.form == TN_ROW_ANGLE ? "rad" : "m");
    for (int i = 0; i < ops->nparam; i++)
        CHECK(ops->params[i].name && ops->params[i].unit && ops->params[i].text);
}

static void the_registry_is_complete(void)
{
    for (int kind = 0; kind < TN_JOINT_KIND_COUNT; kind++) {
        CHECK(tn_joint_ops_of(kind) != NULL);
        check_entry(tn_joint_ops_of(kind));
        for (int other = 0; other < kind; other++)
            CHECK(strcmp(tn_joint_ops_of(kind)->name, tn_joint_ops_of(other)->name) != 0);
    }
}

static void planar_bodies_get_planar_joints(void)
{
    for (int kind = 0; kind < TN_JOINT_KIND_COUNT; kind++) {
        const tn_joint_ops *planar = tn_joint_ops_of(kind)->planar;
        CHECK(!planar || (planar->dim == 2 && !planar->planar));
    }
    CHECK(tn_joint_ops_of(TN_JOINT_FIXED)->planar == &tn_joint_planar_fixed);
    CHECK(tn_joint_ops_of(TN_JOINT_REVOLUTE)->planar == &tn_joint_planar_revolute);
    CHECK(tn_joint_ops_of(TN_JOINT_SPHERICAL)->planar == &tn_joint_planar_revolute);
    CHECK(tn_joint_ops_of(TN_JOINT_PRISMATIC)->planar == &tn_joint_planar_prismatic);
    CHECK(tn_joint_ops_of(TN_JOINT_POINT_ON_LINE)->planar == &tn_joint_pin_in_slot);
}

static void check_count(specimen *s)
{
    CHECK(tn_constraint_count(&s->model, 0) + s->ops->nv == (s->ops->dim == 3 ? 6 : 3));
}

static void rows_and_freedoms_add_up(void)
{
    over_all_joints(check_count);
}

static void check_vanishing(specimen *s)
{
    for (int i = 0; i < tn_constraint_count(&s->model, 0); i++)
        CHECK_NEAR(constraint_value(s, i), 0.0, ROUNDOFF);
}

static void rows_vanish_on_the_motion(void)
{
    over_all_joints(check_vanishing);
}

static void check_annihilation(specimen *s)
{
    for (int j = 0; j < s->ops->nv; j++) {
        move(s, s->motion.S[j]);
        for (int i = 0; i < tn_constraint_count(&s->model, 0); i++) {
            double G[12];
            constraint_gradient(s, i, G);
            CHECK_NEAR(tn_row_rate(G, &s->at), 0.0, 10.0 * ROUNDOFF); // arms and twists up to 5
        }
    }
}

static void rows_annihilate_the_subspace(void)
{
    over_all_joints(check_annihilation);
}

// Gram-Schmidt: what is left of a row beside the rows before it. A lever arm is at most 4, so rows
// that are independent keep far more than SLACK of their length of one or more.
static void check_independence(specimen *s)
{
    const double SLACK = 1e-3;
    double basis[TN_JOINT_MAX_ROWS][12];
    const int n = tn_constraint_count(&s->model, 0);
    for (int i = 0; i < n; i++) {
        double *G = basis[i], norm = 0.0;
        constraint_gradient(s, i, G);
        for (int j = 0; j < i; j++) {
            double dot = 0.0;
            for (int p = 0; p < 12; p++)
                dot += G[p] * basis[j][p];
            for (int p = 0; p < 12; p++)
                G[p] -= dot * basis[j][p];
        }
        for (int p = 0; p < 12; p++)
            norm += G[p] * G[p];
        CHECK(norm > SLACK * SLACK);
        for (int p = 0; p < 12; p++)
            G[p] /= sqrt(norm);
    }
}

static void rows_are_independent(void)
{
    over_all_joints(check_independence);
}

// The twist that carries X0 to X1 in the time 2 STEP, in axes of B at X.
static tn_twist twist_between(tn_frame X, tn_frame X0, tn_frame X1)
{
    const double scale = 0.5 / STEP;
    const tn_mat3 W = tn_m3_mul(tn_m3_transpose(X.R), tn_m3_axpy(-1.0, X0.R, X1.R));
    const tn_vec3 v = tn_m3_apply_t(X.R, tn_v3_sub(X1.p, X0.p));
    return (tn_twist){tn_v3_scale(scale, v),
                      tn_v3_scale(scale, tn_v3(W.m[2][1], W.m[0][2], W.m[1][0]))};
}

static void check_twist(tn_twist actual, tn_twist expected)
{
    CHECK_NEAR(actual.v.x, expected.v.x, DIFFERENCE);
    CHECK_NEAR(actual.v.y, expected.v.y, DIFFERENCE);
    CHECK_NEAR(actual.v.z, expected.v.z, DIFFERENCE);
    CHECK_NEAR(actual.w.x, expected.w.x, DIFFERENCE);
    CHECK_NEAR(actual.w.y, expected.w.y, DIFFERENCE);
    CHECK_NEAR(actual.w.z, expected.w.z, DIFFERENCE);
}

static void check_subspace(specimen *s)
{
    for (int j = 0; j < s->ops->nv; j++) {
        double v[6] = {0}, q[7];
        tn_joint_motion ahead, behind;
        v[j] = 1.0;
        moved_q(s->ops, s->q, v, STEP, q);
        s->ops->motion(s->data.def, q, v, &ahead);
        moved_q(s->ops, s->q, v, -STEP, q);
        s->ops->motion(s->data.def, q, v, &behind);
        check_twist(s->motion.S[j], twist_between(s->motion.X, behind.X, ahead.X));
    }
}

static void the_subspace_is_the_rate_of_the_placement(void)
{
    over_all_joints(check_subspace);
}

static void check_subspace_rate(specimen *s)
{
    double q[7];
    tn_joint_motion ahead, behind;
    moved_q(s->ops, s->q, s->v, STEP, q);
    s->ops->motion(s->data.def, q, s->v, &ahead);
    moved_q(s->ops, s->q, s->v, -STEP, q);
    s->ops->motion(s->data.def, q, s->v, &behind);
    for (int j = 0; j < s->ops->nv; j++) {
        const double scale = 0.5 / STEP;
        const tn_twist a = ahead.S[j], b = behind.S[j];
        check_twist(s->motion.Sdot[j], (tn_twist){tn_v3_scale(scale, tn_v3_sub(a.v, b.v)),
                                                  tn_v3_scale(scale, tn_v3_sub(a.w, b.w))});
    }
}

static void the_subspace_rate_matches_differences(void)
{
    over_all_joints(check_subspace_rate);
}

static void check_coordinates(specimen *s)
{
    double q[7] = {0};
    tn_joint_locate(s->ops, s->data.def, s->motion.X, q);
    for (int i = 0; i < s->ops->nq; i++)
        CHECK_NEAR(q[i], s->q[i], ROUNDOFF);
}

static void coordinates_invert_the_placement(void)
{
    over_all_joints(check_coordinates);
}

// Scalar coordinates are the q of the motion side, so their rates are its velocities.
static void check_measured(specimen *s)
{
    for (int i = 0; i < s->ops->ncoord && i < s->ops->nv; i++) {
        const tn_row *row = &s->ops->coords[i].row;
        double G[12];
        CHECK_NEAR(tn_row_value(row, &s->at, s->q[i]), s->q[i], 10.0 * ROUNDOFF);
        tn_row_gradient(row, &s->at, G);
        for (int j = 0; j < s->ops->nv; j++) {
            move(s, s->motion.S[j]);
            CHECK_NEAR(tn_row_rate(G, &s->at), i == j ? 1.0 : 0.0, 10.0 * ROUNDOFF);
        }
    }
}

static void measured_coordinates_are_those_of_the_motion(void)
{
    over_all_joints(check_measured);
}

static void a_screw_counts_its_turns(void)
{
    specimen s;
    make(&s, tn_joint_ops_of(TN_JOINT_SCREW));
    CHECK_NEAR(tn_row_value(&s.ops->coords[1].row, &s.at, 0.0), PITCH * s.q[0], 10.0 * ROUNDOFF);
    for (double q = -40.0; q <= 40.0; q += 0.7) {
        double found = 0.0;
        s.ops->motion(s.data.def, &q, s.v, &s.motion);
        tn_joint_locate(s.ops, s.data.def, s.motion.X, &found);
        CHECK_NEAR(found, q, 10.0 * ROUNDOFF); // size 40
    }
}

static const tn_test tests[] = {
    {"the registry is complete", the_registry_is_complete},
    {"planar bodies get planar joints", planar_bodies_get_planar_joints},
    {"rows and freedoms add up", rows_and_freedoms_add_up},
    {"rows vanish on the motion", rows_vanish_on_the_motion},
    {"rows annihilate the subspace", rows_annihilate_the_subspace},
    {"rows are independent", rows_are_independent},
    {"the subspace is the rate of the placement", the_subspace_is_the_rate_of_the_placement},
    {"the subspace rate matches differences", the_subspace_rate_matches_differences},
    {"coordinates invert the placement", coordinates_invert_the_placement},
    {"measured coordinates are those of the motion", measured_coordinates_are_those_of_the_motion},
    {"a screw counts its turns", a_screw_counts_its_turns},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
