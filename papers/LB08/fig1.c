// SPDX-License-Identifier: MIT
//
// The vectors of [LB08, Fig. 1] for a model with two velocities and one constraint:
//
//   fig1 MODEL PHI W
//
// with its parameters phi and w; writes force.csv, constraint.csv, acceleration.csv, across.csv and
// right.csv,
// each a line from its foot to its head, scaled by the root of the mass matrix: F^ and the part
// P_parallel F^ of it from the origin, a^ from the origin, Fc^ from the head of a^, E^+T c from the
// origin.

#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

static void need(tn_status s)
{
    if (s == TN_OK)
        return;
    fprintf(stderr, "fig1: %s\n", tn_last_error());
    exit(1);
}

static void draw(const char *path, const double *foot, const double *vector)
{
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    fprintf(file, "s,x,y\n0,%.12g,%.12g\n1,%.12g,%.12g\n", foot[0], foot[1], foot[0] + vector[0],
            foot[1] + vector[1]);
    fclose(file);
}

int main(int argc, char **argv)
{
    static const double origin[2] = {0};
    tn_model *model = NULL;
    tn_dynamics *dynamics = NULL;
    tn_projectors *p = NULL;
    int rows, columns;
    if (argc != 4)
        return 2;
    const tn_parameter_value values[] = {{"phi", atof(argv[2]), NULL}, {"w", atof(argv[3]), NULL}};
    need(tn_model_load_with(argv[1], 2, values, &model, NULL));
    need(tn_dynamics_create(model, NULL, &dynamics));
    need(tn_projectors_create(dynamics, &p));
    const double *F = tn_projectors_values(p, TN_PROJECTOR_F, &rows, &columns);
    const double *Fc = tn_projectors_values(p, TN_PROJECTOR_FC, &rows, &columns);
    const double *a = tn_projectors_values(p, TN_PROJECTOR_A, &rows, &columns);
    const double *plus = tn_projectors_values(p, TN_PROJECTOR_E_PLUS, &rows, &columns);
    const double *c = tn_projectors_values(p, TN_PROJECTOR_C, &rows, &columns);
    const double *P = tn_projectors_values(p, TN_PROJECTOR_PARALLEL, &rows, &columns);
    if (rows != 2)
        return 2;
    const double across[2] = {P[0] * F[0] + P[2] * F[1], P[1] * F[0] + P[3] * F[1]};
    const double right[2] = {plus[0] * c[0], plus[1] * c[0]};
    draw("force.csv", origin, F);
    draw("constraint.csv", a, Fc);
    draw("acceleration.csv", origin, a);
    draw("across.csv", origin, across);
    draw("right.csv", origin, right);
    tn_projectors_destroy(p);
    tn_dynamics_destroy(dynamics);
    tn_model_destroy(model);
    return 0;
}
