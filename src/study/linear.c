// SPDX-License-Identifier: MIT
//
// Linearisation; see tenon/linear.h and docs/theory/linearisation.md. A and B are those of
// analysis/linear_motion.h in SI units.

#include "study/linear_model.h"

#include "base/alloc.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tn_linear_options tn_default_linear(void)
{
    return (tn_linear_options){.find = tn_default_equilibrium(), .motion = 1.0};
}

// Names -------------------------------------------------------------------------------------------

tn_status tn_linear_add_name(linear_names *to, const char *name, const char *unit, double value)
{
    linear_name *at = &to->at[to->count];
    *at = (linear_name){tn_strdup(name), tn_strdup(unit), value};
    to->count++;
    return tn_got(at->name && at->unit);
}

tn_status tn_linear_open_names(linear_names *to, int most)
{
    to->at = tn_alloc(sizeof *to->at * (size_t)(most + 1));
    return tn_got(to->at);
}

tn_status tn_linear_open_matrix(linear_values *to, int rows, int columns)
{
    to->rows = rows;
    to->columns = columns;
    to->at = tn_alloc(sizeof(double) * ((size_t)rows * (size_t)columns + 1));
    return tn_got(to->at);
}

tn_status tn_linear_each_name(tn_linear *l, const char *list,
                              tn_status (*each)(tn_linear *, const char *, void *), void *user)
{
    char name[300];
    for (int n = tn_list_next(&list, sizeof name, name); n >= 0;
         n = tn_list_next(&list, sizeof name, name)) {
        TN_TRY(tn_list_fits(n, sizeof name, name));
        TN_TRY(each(l, name, user));
    }
    return TN_OK;
}

int tn_linear_count_names(const char *list)
{
    int n = 1;
    for (; list && *list; list++)
        n += *list == ',';
    return n;
}

// Inputs ------------------------------------------------------------------------------------------

static tn_status add_input(tn_linear *l, int i)
{
    const tn_model *model = l->at->model;
    linear_names *to = &l->names[TN_LINEAR_INPUTS];
    double u[3];
    for (int k = 0; k < to->count; k++)
        if (l->input[k] == i)
            return tn_fail(TN_ERR_USAGE, "input '%s' is listed twice", to->at[k].name);
    tn_model_eval_input(model, i, l->at->start.x.t, u);
    l->input[to->count] = i;
    return tn_linear_add_name(to, model->inputs.at[i]->name, "", u[0]);
}

static tn_status find_input(tn_linear *l, const char *name, void *user)
{
    const tn_model *model = l->at->model;
    (void)user;
    for (int i = 0; i < model->inputs.count; i++)
        if (strcmp(model->inputs.at[i]->name, name) == 0)
            return add_input(l, i);
    const char *known[64];
    int n = 0;
    for (; n < model->inputs.count && n < TN_COUNT(known); n++)
        known[n] = model->inputs.at[n]->name;
    if (n == 0)
        return tn_fail(TN_ERR_USAGE,
                       "inputs: the model has no input '%s', as it has none; state it under "
                       "`inputs` and let a force use it",
                       name);
    return tn_fail_unknown("input", name, n, known);
}

static tn_status choose_inputs(tn_linear *l)
{
    const int most = l->at->model->inputs.count + tn_linear_count_names(l->options.inputs);
    TN_TRY(tn_linear_open_names(&l->names[TN_LINEAR_INPUTS], most));
    l->input = tn_alloc(sizeof(int) * (size_t)(most + 1));
    TN_TRY(tn_got(l->input));
    if (l->options.inputs)
        return tn_linear_each_name(l, l->options.inputs, find_input, NULL);
    for (int i = 0; i < l->at->model->inputs.count; i++)
        TN_TRY(add_input(l, i));
    return TN_OK;
}

// A and B -----------------------------------------------------------------------------------------

static const char *state_unit(const tn_linear_motion *m, tn_linear_state s)
{
    static const char *const units[2][2] = {{"m", "rad"}, {"m/s", "rad/s"}};
    if (s.kind == TN_STATE_EXTRA)
        return "";
    return units[s.kind == TN_STATE_RATE][strcmp(m->coordinate[s.index].text, "rad") == 0];
}

static tn_status name_states(tn_linear *l)
{
    const tn_linear_motion *m = l->motion;
    char name[320];
    TN_TRY(tn_linear_open_names(&l->names[TN_LINEAR_STATES], m->n));
    for (int i = 0; i < m->n; i++) {
        const tn_linear_state s = m->state[i];
        if (s.kind == TN_STATE_EXTRA)
            snprintf(name, sizeof name, "%s", l->at->model->states.at[s.index].name);
        else
            snprintf(name, sizeof name, "%s%s%s", m->coordinate[s.index].name,
                     s.kind == TN_STATE_RATE ? ".rate" : "", s.jumps ? " without inputs" : "");
        TN_TRY(tn_linear_add_name(&l->names[TN_LINEAR_STATES], name, state_unit(m, s), NAN));
    }
    return TN_OK;
}

static tn_status put_dynamics(tn_linear *l)
{
    const tn_linear_motion *m = l->motion;
    const double time = l->at->sys->units.time;
    linear_values *A = &l->matrix[TN_LINEAR_A], *B = &l->matrix[TN_LINEAR_B];
    TN_TRY(tn_linear_open_matrix(A, m->n, m->n));
    TN_TRY(tn_linear_open_matrix(B, m->n, m->nu));
    for (int i = 0; i < m->n; i++) {
        const double unit = tn_linear_state_unit(m, i) / time;
        for (int j = 0; j < m->n; j++)
            tn_column_of(A->at, m->n, j)[i] =
                unit * tn_column_of(m->A, m->n, j)[i] / tn_linear_state_unit(m, j);
        for (int j = 0; j < m->nu; j++)
            tn_column_of(B->at, m->n, j)[i] = unit * tn_column_of(m->B, m->n, j)[i];
    }
    return TN_OK;
}

// All ---------------------------------------------------------------------------------------------

static tn_status find_point(tn_linear *l, const tn_model *model)
{
    const tn_linear_options *o = &l->options;
    const tn_eq_purpose purpose = {
        .as_stated = o->about != TN_ABOUT_EQUILIBRIUM,
        .faster = o->motion,
        .state = o->about == TN_ABOUT_STATE ? o->state : NULL,
        .hold_sampled = true,
    };
    if (!isfinite(o->motion))
        return tn_fail(TN_ERR_USAGE, "motion: the factor of velocities must be finite");
    if (o->about == TN_ABOUT_STATE && !o->state)
        return tn_fail(TN_ERR_USAGE, "about: there is no state; read one by tn_result_state");
    if (o->find.arc || o->find.steps > 0)
        return tn_fail(TN_ERR_USAGE, "linearisation is about one point: leave out steps and arc");
    TN_TRY(tn_eq_create(model, &l->options.find, &purpose, &l->at));
    if (!purpose.as_stated) {
        TN_TRY(tn_equilibrium_find(l->at));
        return tn_eq_check_rotation(l->at, true);
    }
    TN_TRY(tn_place_error(model, tn_leave(tn_eq_take_motion(l->at), "no linear motion was found")));
    return tn_eq_judge_sides(l->at);
}

static tn_status build_linear(tn_linear *l, const tn_model *model)
{
    TN_TRY(find_point(l, model));
    TN_TRY(choose_inputs(l));
    TN_TRY(tn_eq_stand_aside(l->at, true));
    TN_TRY(tn_linear_judge_sampled(l->at, &l->poles));
    TN_TRY(tn_linear_motion_create(l->at, l->names[TN_LINEAR_INPUTS].count, l->input, &l->motion));
    TN_TRY(tn_eq_stand_aside(l->at, false));
    TN_TRY(name_states(l));
    TN_TRY(put_dynamics(l));
    TN_TRY(tn_linear_judge_elimination(l));
    TN_TRY(tn_linear_put_outputs(l, model));
    return l->options.coordinates ? tn_linear_put_mechanics(l) : TN_OK;
}

tn_status tn_linear_create(const tn_model *model, const tn_linear_options *options, tn_linear **out)
{
    TN_NEED_ALL(TN_ERR_USAGE, model, options, out);
    *out = NULL;
    TN_TRY(tn_model_status(model));
    tn_clear_error();
    tn_linear *l = tn_alloc(sizeof *l);
    TN_TRY(tn_got(l));
    l->options = *options;
    const tn_status status =
        tn_place_error(model, tn_leave(build_linear(l, model), "it cannot be linearised"));
    TN_HAND_OUT(status, l, tn_linear_destroy, out);
}

void tn_linear_destroy(tn_linear *l)
{
    if (!l)
        return;
    for (int k = 0; k <= TN_LINEAR_ROWS; k++) {
        for (int i = 0; i < l->names[k].count; i++)
            TN_FREE(l->names[k].at[i].name, l->names[k].at[i].unit);
        tn_free(l->names[k].at);
    }
    for (int k = 0; k < TN_LINEAR_MATRICES; k++)
        tn_free(l->matrix[k].at);
    TN_FREE(l->input, l->channel, l->poles.re);
    tn_linear_motion_destroy(l->motion);
    tn_equilibrium_destroy(l->at);
    tn_free(l);
}

// Read-out ----------------------------------------------------------------------------------------

int tn_linear_count(const tn_linear *l, tn_linear_list list)
{
    TN_NEED(l, 0);
    TN_NEED_INDEX((int)list, TN_LINEAR_ROWS + 1, 0);
    return l->names[list].count;
}

#define LINEAR_GETTER(type, function, neutral, field)             \
    type function(const tn_linear *l, tn_linear_list list, int i) \
    {                                                             \
        TN_NEED(l, neutral);                                      \
        TN_NEED_INDEX((int)list, TN_LINEAR_ROWS + 1, neutral);    \
        TN_NEED_INDEX(i, l->names[list].count, neutral);          \
        return l->names[list].at[i].field;                        \
    }

LINEAR_GETTER(const char *, tn_linear_name, "", name)
LINEAR_GETTER(const char *, tn_linear_unit, "", unit)
LINEAR_GETTER(double, tn_linear_nominal, NAN, value)

tn_vec3 tn_linear_turning(const tn_linear *l)
{
    TN_NEED(l, ((tn_vec3){0}));
    return tn_v3_scale(1.0 / l->at->sys->units.time, l->at->spin);
}

TN_GETTER(const tn_verdict *, tn_linear_verdict, (const tn_linear *l), l, NULL, &l->at->verdict);
TN_GETTER(double, tn_linear_time, (const tn_linear *l), l, NAN, l->at->facts.t);

const char *tn_linear_matrix_name(tn_linear_matrix matrix)
{
    static const char *const names[] = {"A",    "B",       "C",         "D",
                                        "mass", "damping", "stiffness", "constraints"};
    return (int)matrix >= 0 && (int)matrix < TN_COUNT(names) ? names[matrix] : "";
}

const double *tn_linear_values(const tn_linear *l, tn_linear_matrix matrix, int *rows, int *columns)
{
    TN_NEED_ALL(NULL, l, rows, columns);
    TN_NEED_INDEX((int)matrix, TN_LINEAR_MATRICES, NULL);
    *rows = l->matrix[matrix].rows;
    *columns = l->matrix[matrix].columns;
    return l->matrix[matrix].at;
}

TN_GETTER(int, tn_linear_pole_count, (const tn_linear *l), l, 0, l->poles.n);
TN_GETTER(double, tn_linear_period, (const tn_linear *l), l, NAN,
          l->poles.n > 0 ? l->poles.period : NAN);

static void sort_by_modulus(int n, double *re, double *im)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && hypot(re[k - 1], im[k - 1]) > hypot(re[k], im[k]); k--) {
            const double r = re[k], m = im[k];
            re[k] = re[k - 1];
            im[k] = im[k - 1];
            re[k - 1] = r;
            im[k - 1] = m;
        }
}

tn_status tn_linear_eigenvalues(const tn_linear *l, double *re, double *im)
{
    TN_NEED_ALL(TN_ERR_USAGE, l, re, im);
    const linear_values *A = &l->matrix[TN_LINEAR_A];
    const int n = A->rows;
    int left = n;
    double *copy = tn_alloc(sizeof(double) * ((size_t)n * (size_t)n + 1));
    TN_TRY(tn_got(copy));
    tn_zero(n, re);
    tn_zero(n, im);
    bool sure;
    tn_status status = tn_linear_rest(l->motion, copy, &left, &sure);
    TN_THEN(status, tn_eigen_general(left, copy, re, im, NULL));
    tn_free(copy);
    tn_scale(n, 1.0 / l->at->sys->units.time, re);
    tn_scale(n, 1.0 / l->at->sys->units.time, im);
    if (status == TN_OK)
        sort_by_modulus(n, re, im);
    return status;
}

tn_status tn_linear_poles(const tn_linear *l, double *re, double *im)
{
    TN_NEED_ALL(TN_ERR_USAGE, l, re, im);
    tn_copy(l->poles.n, l->poles.re, re);
    tn_copy(l->poles.n, l->poles.im, im);
    sort_by_modulus(l->poles.n, re, im);
    return TN_OK;
}
