// SPDX-License-Identifier: MIT
//
// Random mechanisms with loops, gears and rows that repeat others, driven in as many coordinates of
// joints as they have freedoms. Two roads to the forces: the efforts that inverse dynamics finds by
// the freedoms, and the multipliers of drives in the linear system of accelerations.

#include "model/units.h"
#include "random_mechanism.h"
#include "start/start.h"
#include "system/absolute.h"
#include "tenon/tenon.h"

enum { SEEDS = 150, MOST = 64 };

typedef struct driven {
    int n;
    tn_motion motions[MOST];
    char text[MOST][96];
} driven;

static tn_status try_inverse(const mechanism *m, const driven *d, tn_inverse **out)
{
    tn_inverse_options options = tn_default_inverse();
    options.nmotion = d->n;
    options.motions = d->motions;
    return tn_inverse_create(m->model, &options, out);
}

// How many freedoms the motions drive; all of them where an inverse can be created.
static int count_driven(const mechanism *m, const driven *d, bool *all)
{
    tn_inverse *inverse = NULL;
    int freedoms = 0, count = -1;
    *all = try_inverse(m, d, &inverse) == TN_OK;
    if (*all)
        count = tn_inverse_freedoms(inverse);
    else if (sscanf(tn_last_error(), "the mechanism has %d freedom", &freedoms) == 1)
        sscanf(strstr(tn_last_error(), "of which"), "of which %d", &count);
    tn_inverse_destroy(inverse);
    return count;
}

static void start_coordinates(const mechanism *m, int joint, double *q)
{
    const tn_sim_options options = tn_default_sim();
    tn_start start;
    double rate[3];
    CHECK_OK(tn_start_model(m->model, &options, &start));
    const tn_point at = tn_state_point(&start.x);
    tn_absolute_coordinates(start.sys, &at, joint, q, rate);
    tn_start_clear(&start);
}

// Takes coordinates one after the other that drive one more freedom.
static bool choose(const mechanism *m, driven *d)
{
    bool all = false;
    int reached = count_driven(m, d, &all);
    for (int j = 0; j < m->model->joints.count && !all; j++) {
        double q[3];
        const int n = tn_model_joint_coordinate_count(m->model, (tn_joint){j});
        if (n > 0)
            start_coordinates(m, j, q);
        for (int i = 0; i < n && !all; i++) {
            snprintf(d->text[d->n], sizeof d->text[0], "%.17g + %g*sin(2*t) + 0.2*t^2", q[i],
                     0.3 - 0.1 * d->n);
            d->motions[d->n] = (tn_motion){{j}, i, {.expression = d->text[d->n]}};
            d->n++;
            const int more = count_driven(m, d, &all);
            if (more <= reached)
                d->n--;
            else
                reached = more;
        }
    }
    return all && d->n > 0;
}

static void add_drives(mechanism *m, const driven *d)
{
    for (int k = 0; k < d->n; k++) {
        tn_joint_def drive = tn_default_joint(TN_JOINT_DRIVE);
        drive.drive.joint = d->motions[k].joint;
        drive.drive.coordinate = d->motions[k].coordinate;
        drive.drive.motion = d->motions[k].motion;
        tn_model_add_joint(m->model, &drive);
    }
    CHECK_OK(tn_model_status(m->model));
}

// The efforts of the inverse in tau; false where the drives are near a dead centre.
static bool efforts(const mechanism *m, const driven *d, double *tau)
{
    tn_inverse *inverse = NULL;
    CHECK_OK(try_inverse(m, d, &inverse));
    for (int k = 0; k < d->n; k++)
        tau[k] = tn_inverse_motor(inverse, k).effort;
    const tn_inverse_energy e = tn_inverse_energies(inverse);
    const bool slow = e.kinetic < 1e3;
    tn_inverse_destroy(inverse);
    return slow;
}

static void efforts_are_the_multipliers_of_drives(void)
{
    int compared = 0, loops = 0, freedoms = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        mechanism m = random_mechanism(seed);
        driven d = {0};
        double tau[MOST], size = 1.0;
        if (choose(&m, &d) && efforts(&m, &d, tau)) {
            const tn_sim_options options = tn_default_sim();
            const int first = m.model->joints.count;
            tn_start start;
            add_drives(&m, &d);
            CHECK_OK(tn_start_model(m.model, &options, &start));
            for (int k = 0; k < d.n; k++)
                size = fmax(size, fabs(tau[k]));
            for (int k = 0; k < d.n; k++) {
                const int row = tn_absolute_joint_row(start.sys, first + k, 0);
                CHECK_NEAR(tau[k], -start.x.lambda[row], 1e-9 * size);
            }
            tn_start_clear(&start);
            compared++;
            loops += m.loop_rows > 0;
            freedoms += d.n;
        }
        tn_model_destroy(m.model);
    }
    printf("%d mechanisms, %d with loops, %d freedoms\n", compared, loops, freedoms);
    CHECK(compared >= 30 && loops >= 10);
}

// Units ------------------------------------------------------------------------------------------

// Efforts, rates and reactions at some times, in the units of the model before factors. Reactions
// that are not unique are of minimum norm, which shows the unit of length (docs/theory/units.md).
typedef struct picture {
    int n;
    double x[MOST * 12], largest;
} picture;

static void put(picture *p, double value)
{
    CHECK(p->n < TN_COUNT(p->x));
    p->x[p->n++] = value;
    p->largest = fmax(p->largest, fabs(value));
}

static void look(tn_inverse *inverse, const mechanism *m, const driven *d, tn_units f,
                 bool reactions, picture *p)
{
    const double energy = tn_unit_energy(f);
    for (int k = 0; k < d->n; k++) {
        const tn_motor_state motor = tn_inverse_motor(inverse, k);
        const double c = strcmp(tn_inverse_motor_unit(inverse, k), "N") == 0 ? f.length : 1.0;
        put(p, motor.effort / (energy / c));
        put(p, motor.rate / (c / f.time));
        put(p, motor.power / (energy / f.time));
    }
    for (int j = 0; j < m->model->joints.count && j < 6 && reactions; j++) {
        const tn_vec3 force = tn_inverse_joint_reaction(inverse, (tn_joint){j}).f;
        put(p, force.x / tn_unit_force(f));
        put(p, force.z / tn_unit_force(f));
    }
    put(p, tn_inverse_body_frame(inverse, (tn_body){1}).p.x / f.length);
    put(p, tn_inverse_energies(inverse).kinetic / energy);
}

// The model with all numbers multiplied by the factors f; false where it cannot be followed.
static bool follow(const mechanism *m, const driven *d, tn_units f, bool reactions, picture *p)
{
    const tn_inverse_options options = tn_default_inverse();
    tn_model *other = NULL;
    tn_inverse *inverse = NULL;
    *p = (picture){.largest = 1.0};
    CHECK_OK(tn_model_in_units(m->model, (tn_units){1.0 / f.length, 1.0 / f.mass, 1.0 / f.time},
                               &other));
    tn_status status = tn_inverse_create(other, &options, &inverse);
    for (int k = 0; k <= 2 && status == TN_OK; k++) {
        status = tn_inverse_move(inverse, 0.03 * k * f.time);
        if (status == TN_OK)
            look(inverse, m, d, f, reactions, p);
    }
    tn_inverse_destroy(inverse);
    tn_model_in_units_destroy(other);
    return status == TN_OK;
}

static double difference(const picture *a, const picture *b)
{
    double most = 0.0;
    for (int i = 0; i < a->n; i++)
        most = fmax(most, fabs(a->x[i] - b->x[i]) / a->largest);
    return most;
}

static void units_do_not_matter(void)
{
    static const tn_units same = {1.0, 1.0, 1.0};
    static const tn_units powers[] = {{0x1p20, 1.0, 1.0},  {0x1p-20, 1.0, 1.0}, {1.0, 0x1p60, 1.0},
                                      {1.0, 0x1p-40, 1.0}, {1.0, 1.0, 0x1p-20}, {1.0, 1.0, 0x1p20}};
    static const tn_units decades[] = {{1e6, 1.0, 1.0},   {1e-6, 1.0, 1.0}, {1.0, 1e18, 1.0},
                                       {1.0, 1e-12, 1.0}, {1.0, 1.0, 1e-6}, {1e-5, 1e-9, 1e3}};
    static picture first, other;
    int compared = 0;
    for (int seed = 1; seed <= 60; seed++) {
        mechanism m = random_mechanism(seed);
        driven d = {0};
        double tau[MOST];
        if (choose(&m, &d) && efforts(&m, &d, tau)) {
            add_drives(&m, &d);
            const bool followed = follow(&m, &d, same, true, &first);
            CHECK(follow(&m, &d, powers[seed % 6], true, &other) == followed);
            CHECK(difference(&first, &other) == 0.0);
            CHECK(follow(&m, &d, same, false, &first) == followed);
            CHECK(follow(&m, &d, decades[seed % 6], false, &other) == followed);
            CHECK(difference(&first, &other) <= 1e-9);
            compared += followed;
        }
        tn_model_destroy(m.model);
    }
    printf("%d mechanisms\n", compared);
    CHECK(compared >= 15);
}

static const tn_test tests[] = {
    {"efforts are the multipliers of drives", efforts_are_the_multipliers_of_drives},
    {"units do not matter", units_do_not_matter},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
