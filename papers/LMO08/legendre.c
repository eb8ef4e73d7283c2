// SPDX-License-Identifier: MIT
//
// Arrows of the mass point of [LMO08, section 3.1], as Figs. 1, 3, 4 and 6 show them, from a run of
// models/pendulum.yaml with a row at each node:
//
//   legendre RUN STEP SCALE NAME
//
//   NAME_path.csv        the circle
//   NAME_nodes.csv       configurations q_n
//   NAME_forces.csv      constraint forces at q_n, SCALE times their size
//   NAME_velocities.csv  (q_n+1 - q_n) / h at the midpoints, likewise
//   NAME_momenta.csv     p_n at q_n, likewise (34), (35)
//
// Each has x and y; between two arrows stands a line without numbers.

#include <tenon/tenon.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 2000, CHANNELS = 6, PARTS = 4 };

static const char *const channels[CHANNELS] = {"mass.position.x", "mass.position.y",
                                               "rod.force.x",     "rod.force.y",
                                               "discrete.p.0",    "discrete.p.1"};
static double value[CHANNELS][MOST];

static tn_status read_run(const char *path, long *rows)
{
    tn_result *result = NULL;
    tn_status s = tn_result_open(path, false, &result);
    *rows = s == TN_OK ? tn_result_rows(result) : 0;
    if (*rows > MOST)
        *rows = MOST;
    for (int i = 0; s == TN_OK && i < CHANNELS; i++) {
        int channel;
        s = tn_result_find(result, channels[i], &channel);
        if (s == TN_OK)
            s = tn_result_read(result, channel, 0, *rows, value[i]);
    }
    tn_result_close(result);
    return s;
}

static FILE *open_table(const char *name, const char *what, const char *column)
{
    char path[4096];
    snprintf(path, sizeof path, "%s_%s.csv", name, what);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "legendre: %s cannot be written\n", path);
        exit(2);
    }
    fprintf(file, "x,%s\n", column);
    return file;
}

// A line with a head whose sides are a fifth of it, in many parts: short tables get marks.
static void put_arrow(FILE *file, double x, double y, double u, double v)
{
    const double at[][2] = {{0, 0}, {1, 0}, {0.8, 0.08}, {1, 0}, {0.8, -0.08}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k <= PARTS; k++) {
            const double s = (double)k / PARTS;
            const double a = (1 - s) * at[i][0] + s * at[i + 1][0];
            const double b = (1 - s) * at[i][1] + s * at[i + 1][1];
            fprintf(file, "%.10g,%.10g\n", x + a * u - b * v, y + a * v + b * u);
        }
    fprintf(file, ",\n");
}

// Vectors that two channels have, at the nodes.
static void write_vectors(const char *name, const char *what, const char *column, int channel,
                          double scale, long rows)
{
    FILE *file = open_table(name, what, column);
    for (long n = 0; n < rows; n++)
        put_arrow(file, value[0][n], value[1][n], scale * value[channel][n],
                  scale * value[channel + 1][n]);
    fclose(file);
}

static void write_velocities(const char *name, double h, double scale, long rows)
{
    FILE *file = open_table(name, "velocities", "velocity");
    for (long n = 0; n + 1 < rows; n++) {
        const double dx = value[0][n + 1] - value[0][n], dy = value[1][n + 1] - value[1][n];
        put_arrow(file, value[0][n] + 0.5 * dx, value[1][n] + 0.5 * dy, scale * dx / h,
                  scale * dy / h);
    }
    fclose(file);
}

static void write_path(const char *name, long rows)
{
    const double PI = acos(-1.0);
    FILE *path = open_table(name, "path", "path"), *nodes = open_table(name, "nodes", "node");
    for (int k = 0; k <= 360; k++)
        fprintf(path, "%.10g,%.10g\n", cos(k * PI / 180), sin(k * PI / 180));
    for (long n = 0; n < rows; n++)
        fprintf(nodes, "%.10g,%.10g\n", value[0][n], value[1][n]);
    fclose(path);
    fclose(nodes);
}

int main(int argc, char **argv)
{
    long rows;
    if (argc != 5) {
        fprintf(stderr, "usage: legendre RUN STEP SCALE NAME\n");
        return 1;
    }
    if (read_run(argv[1], &rows) != TN_OK) {
        fprintf(stderr, "legendre: %s\n", tn_last_error());
        return 2;
    }
    const double h = strtod(argv[2], NULL), scale = strtod(argv[3], NULL);
    write_path(argv[4], rows);
    write_vectors(argv[4], "forces", "force", 2, scale, rows);
    write_vectors(argv[4], "momenta", "momentum", 4, scale, rows);
    write_velocities(argv[4], h, scale, rows);
    return 0;
}
