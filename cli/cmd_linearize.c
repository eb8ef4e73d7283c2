// SPDX-License-Identifier: MIT
//
// tenon linearize: a linear model of a mechanism about an equilibrium or a steady motion.

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct wanted {
    tn_linear_options linear;
    cli_point point;
    const char *out;
    bool replace;
} wanted;

#define OPTION(...) CLI_OPTION(wanted, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("inputs", linear.inputs, TEXT, "INPUTS",
           "inputs u, for example 'push,steer'; all of the model"),
    OPTION("outputs", linear.outputs, TEXT, "NAMES",
           "outputs y, by the names of results, for example 'pole.angle,rail.force.x'; the outputs "
           "of the model, or else the states"),
    CLI_ABOUT_OPTIONS(wanted),
    OPTION("motion", linear.motion, NUMBER, "",
           "velocities of the start or state times this factor"),
    OPTION("matrices", linear.coordinates, TEXT, "COORDINATES",
           "mass, damping and stiffness, too, in 'absolute' or 'joint' coordinates"),
    CLI_TIME_OPTION(wanted),
    OPTION("nearest", linear.find.nearest, BOOL, "",
           "the nearest equilibrium by Newton's method, even if it is unstable"),
    OPTION("spin", linear.find.spin, NUMBER, "rad/s", "steady rotation of the whole mechanism"),
    OPTION("axis", point.axis, TEXT, "X,Y,Z", "its axis, 0,0,1", .needs = "spin"),
    OPTION("through", point.through, TEXT, "X,Y,Z", "a point of its axis, 0,0,0 [m]",
           .needs = "spin"),
    OPTION("out", out, TEXT, "FILE", "write FILE.h5, FILE.json or FILE.csv; -o for short"),
    OPTION("force", replace, BOOL, "", "replace the file that is there"),
};

// Output ------------------------------------------------------------------------------------------

enum { MOST_SHOWN = 12, WIDTH = 100, COLUMN = 13, LONGEST = 32 };

// Names of rows, cut where they are long.
static int label_width(const tn_linear *l, tn_linear_list rows)
{
    int width = 4;
    for (int i = 0; i < tn_linear_count(l, rows); i++) {
        const int n = (int)strlen(tn_linear_name(l, rows, i)) + 4;
        width = n > width ? n : width;
    }
    return width > LONGEST ? LONGEST : width;
}

// Round-off beside the rest of its row, or of the matrix if it is small in its row too, is shown as
// the zero that it is.
static double shown_value(const double *at, int rows, int columns, int i, int j)
{
    double row = 0.0, all = 0.0;
    for (int k = 0; k < rows * columns; k++) {
        all = fmax(all, fabs(at[k]));
        row = k % rows == i ? fmax(row, fabs(at[k])) : row;
    }
    const double value = at[j * rows + i];
    const double round_off = fmax(1e-12 * row, fmin(1e-10 * row, 1e-15 * all));
    return fabs(value) < round_off ? 0.0 : value;
}

// Columns are those of the list above by their numbers, as many beside each other as fit.
static void print_matrix(const tn_linear *l, tn_linear_matrix m, tn_linear_list names)
{
    int rows, columns;
    const double *at = tn_linear_values(l, m, &rows, &columns);
    if (!at || rows == 0 || columns == 0)
        return;
    if (rows > MOST_SHOWN || columns > MOST_SHOWN) {
        printf("\n%s is %d x %d (-o and --json tell it)\n", tn_linear_matrix_name(m), rows,
               columns);
        return;
    }
    const int label = label_width(l, names), fit = (WIDTH - label) / COLUMN;
    for (int first = 0; first < columns; first += fit) {
        const int end = first + fit < columns ? first + fit : columns;
        printf("\n%-*s", label, tn_linear_matrix_name(m));
        for (int j = first; j < end; j++)
            printf("%*d", COLUMN, j + 1);
        printf("\n");
        for (int i = 0; i < rows; i++) {
            printf("%2d %-*.*s", i + 1, label - 3, label - 4, tn_linear_name(l, names, i));
            for (int j = first; j < end; j++)
                printf(" %*.6g", COLUMN - 1, shown_value(at, rows, columns, i, j));
            printf("\n");
        }
    }
}

// Outputs are the states where none were asked for.
static bool shows_states(const tn_linear *l)
{
    int rows, columns, nu;
    const double *C = tn_linear_values(l, TN_LINEAR_C, &rows, &columns);
    for (int k = 0; k < rows * columns; k++)
        if (rows != columns || C[k] != (k % (rows + 1) == 0))
            return false;
    const double *D = tn_linear_values(l, TN_LINEAR_D, &rows, &nu);
    for (int k = 0; k < rows * nu; k++)
        if (D[k] != 0.0)
            return false;
    return rows == columns && rows > 0;
}

// "states     1 pin.angle [rad], 2 …", in lines that fit.
static void print_names(const tn_linear *l, const char *what, tn_linear_list list)
{
    const int n = tn_linear_count(l, list);
    int at = printf("%-10s", what);
    for (int i = 0; i < n && i < MOST_SHOWN; i++) {
        const char *name = tn_linear_name(l, list, i), *unit = tn_linear_unit(l, list, i);
        const int size = (int)(strlen(name) + strlen(unit)) + 8;
        if (i > 0 && at + size > WIDTH)
            at = printf(",\n%-10s", "") - 2;
        else
            at += printf("%s", i ? "," : "");
        at += printf(" %d %s", i + 1, name);
        if (*unit)
            at += printf(" [%s]", unit);
    }
    if (n > MOST_SHOWN)
        printf(", … %d in all", n);
    printf("%s\n", n == 0 ? " none" : "");
}

// Complex numbers, of which conjugate ones follow each other.
typedef struct roots {
    int n;
    double *re, *im;
} roots;

static tn_status find_roots(const tn_linear *l, int n,
                            tn_status (*find)(const tn_linear *, double *, double *), roots *out)
{
    double *re = malloc(2 * ((size_t)n + 1) * sizeof *re);
    *out = (roots){n, re, re ? re + n + 1 : NULL};
    return re ? find(l, out->re, out->im) : tn_fail(TN_ERR_MEMORY, "out of memory for %d roots", n);
}

static void print_eigenvalues(const roots *r)
{
    printf(r->n == 0 ? "\nno states: nothing is free to move\n" : "\neigenvalues [1/s]\n");
    for (int i = 0; i < r->n && i < 2 * MOST_SHOWN; i++)
        if (r->im[i] == 0.0)
            printf(" %14.8g\n", r->re[i]);
        else if (r->im[i] > 0.0)
            printf(" %14.8g +- %.8g i\n", r->re[i], r->im[i]);
    if (r->n > 2 * MOST_SHOWN)
        printf(" … %d in all (--json tells them)\n", r->n);
}

// z and s = ln(z) / T.
static void print_poles(const roots *r, double period)
{
    if (r->n > 0)
        printf("\npoles of the loop with its sampled systems, z from one %g s to the next, and "
               "s = ln(z) / %g s [1/s]\n",
               period, period);
    for (int i = r->n - 1; i >= 0 && i >= r->n - 2 * MOST_SHOWN; i--) { // the largest first
        const double re = r->re[i], im = r->im[i], size = hypot(re, im);
        if (im == 0.0)
            printf(" %14.8g  %36.8g%s\n", re, log(size) / period, re < 0.0 ? ", alternating" : "");
        else if (im >= 0.0)
            printf(" %14.8g +- %.8g i  %14.8g +- %.8g i\n", re, im, log(size) / period,
                   atan2(im, re) / period);
    }
}

static void print_linear(const tn_linear *l, const char *path, const wanted *w,
                         const roots *eigenvalues, const roots *poles)
{
    static const char *const words[] = {"an equilibrium", "the start", "a state of a run"};
    printf("%s: x' = A x + B u, y = C x + D u about %s at t = %g s\n", path, words[w->linear.about],
           tn_linear_time(l));
    const tn_vec3 turning = tn_linear_turning(l);
    if (tn_v3_norm(turning) > 0.0)
        printf("frames     that turn with %g, %g, %g rad/s\n", turning.x, turning.y, turning.z);
    cli_print_doubts(tn_linear_verdict(l), 11);
    print_names(l, "states", TN_LINEAR_STATES);
    print_names(l, "inputs", TN_LINEAR_INPUTS);
    print_names(l, "outputs", TN_LINEAR_OUTPUTS);
    const bool plain = shows_states(l);
    for (int m = TN_LINEAR_A; m <= (plain ? TN_LINEAR_B : TN_LINEAR_D); m++)
        print_matrix(l, (tn_linear_matrix)m,
                     m < TN_LINEAR_C ? TN_LINEAR_STATES : TN_LINEAR_OUTPUTS);
    if (plain)
        printf("\nC is the identity, D is zero\n");
    print_eigenvalues(eigenvalues);
    print_poles(poles, tn_linear_period(l));
    cli_print_wrote(w->out, NULL);
}

static void put_roots(tn_json *json, const roots *r)
{
    tn_json_numbers(json, "re", r->n, r->re);
    tn_json_numbers(json, "im", r->n, r->im);
    tn_json_end_object(json);
}

static tn_status put_linear(const tn_linear *l, const char *path, const roots *eigenvalues,
                            const roots *poles)
{
    tn_json *json = cli_json_begin();
    const tn_verdict *verdict = tn_linear_verdict(l);
    tn_json_put(json, "{ status %s model %s", tn_outcome_word(verdict->outcome), path);
    tn_verdict_put(json, verdict);
    tn_linear_put(json, l);
    tn_json_begin_object(json, "eigenvalues");
    put_roots(json, eigenvalues);
    if (poles->n > 0) {
        tn_json_put(json, "poles { period %g", tn_linear_period(l));
        put_roots(json, poles);
    }
    tn_json_end_object(json);
    return cli_print_json(json);
}

static tn_status show_linear(const tn_linear *l, const char *path, const wanted *w)
{
    roots eigenvalues = {0}, poles = {0};
    if (w->out)
        CLI_TRY(cli_of_target(tn_linear_write(l, w->out)));
    if (cli_is_stdout(w->out))
        return TN_OK;
    tn_status s =
        find_roots(l, tn_linear_count(l, TN_LINEAR_STATES), tn_linear_eigenvalues, &eigenvalues);
    CLI_THEN(s, find_roots(l, tn_linear_pole_count(l), tn_linear_poles, &poles));
    if (s == TN_OK && cli_json())
        s = put_linear(l, path, &eigenvalues, &poles);
    else if (s == TN_OK)
        print_linear(l, path, w, &eigenvalues, &poles);
    free(eigenvalues.re);
    free(poles.re);
    return s;
}

static tn_status linearize(cli_args *args)
{
    wanted own = {.linear = tn_default_linear(), .point = {.time = NAN, .at = NAN}}, *w = &own;
    tn_linear *linear = NULL;
    CLI_TRY(cli_parse(args, w));
    CLI_TRY(cli_read_about(&w->point, w->linear.motion, "--spin and --nearest", &w->linear.find,
                           &w->linear.about));
    CLI_TRY(cli_check_place(w->out, w->replace));
    tn_status s = cli_open_point(args, &w->point, &w->linear.find);
    w->linear.state = w->point.state;
    CLI_THEN(s, tn_linear_create(w->point.model, &w->linear, &linear));
    CLI_THEN(s, show_linear(linear, args->word[0], w));
    if (linear)
        args->verdict = *tn_linear_verdict(linear);
    tn_linear_destroy(linear);
    cli_close_point(&w->point);
    return s;
}

const cli_command cmd_linearize = {
    .name = "linearize",
    .summary = "a linear model about an equilibrium or a steady motion, for control",
    .usage = "linearize MODEL [--inputs U] [--outputs Y] [--about start] [-o FILE] ...",
    .text =
        "Small motions as x' = A x + B u, y = C x + D u in a minimal set of states that have\n"
        "names: coordinates of joints and bodies, their rates, and states of the model. About a\n"
        "steady motion, as of a bicycle that rolls or a rotor that spins, all are deviations in\n"
        "frames that move with it; where matrices would not be constant it is refused as\n"
        "periodic. Sampled systems hold their values.",
    CLI_ONE_MODEL,
    CLI_OPTIONS(options),
    .run = linearize,
};
