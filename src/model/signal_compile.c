// SPDX-License-Identifier: MIT
//
// Compiles the expressions of a model together: which formulas others use, the order in which they
// are evaluated, and the variables on which each one depends in the end.

#include "model/signal_names.h"
#include "model/units.h"
#include "model/vocabulary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct compiler {
    const tn_model *model;
    tn_signals *s;
    tn_names names;
    TN_ARRAY(tn_named_value) params; // parameters without inputs
    tn_named_value small[3];         // names that the texts of elements know in their place
    signed char *mark;               // of nodes while they are put into order
} compiler;

// Formulas ----------------------------------------------------------------------------------------

void tn_formula_describe(const tn_model *m, const tn_formula_node *node, char *text, size_t size)
{
    int i = node->index, k = 0;
    switch (node->use) {
    case TN_FORMULA_SIGNAL:
        snprintf(text, size, "signal '%s'", m->signals.at[i].name);
        return;
    case TN_FORMULA_LIVE:
        snprintf(text, size, "%s", m->lives.at[i].what);
        return;
    case TN_FORMULA_RATE:
        snprintf(text, size, "state '%s': rate", m->states.at[i].name);
        return;
    case TN_FORMULA_EQUATION:
        snprintf(text, size, "unknown '%s': equation", m->unknowns.at[i].name);
        return;
    default:
        k = tn_sampler_of(m, &i);
        snprintf(text, size, "sampled '%s': next of %s", m->samplers.at[k].name,
                 m->samplers.at[k].value[i].name);
    }
}

// Roots of what may be zero are smooth below these, which are small beside what a mechanism of this
// size and weight has. One of a large machine may be as light as any, and under weak gravity all
// forces may be as weak.
static void measure_small(compiler *c)
{
    const tn_units u = c->model->source ? c->model->units : tn_model_units(c->model);
    const double g = tn_v3_norm(c->model->gravity) *
                     (c->model->source ? u.length / (u.time * u.time) : 1.0); // [m/s^2]
    const double weak = g > 0.0 ? fmin(g, 1.0) : 1.0;
    const double force = 1e-6 * weak * fmin(tn_unit_force(u), 1.0), length = fmin(u.length, 1.0);
    c->small[0] = (tn_named_value){.name = "small_force", .value = force};
    c->small[1] = (tn_named_value){.name = "small_torque", .value = force * length};
    c->small[2] = (tn_named_value){.name = "small_speed", .value = 1e-9 * length / u.time};
}

// `own`: of an element, not of a user.
static tn_status compile_text(compiler *c, const char *text, bool own, tn_formula_node *node)
{
    char what[TN_FORMULA_WORDS];
    const tn_lookup names = {&c->names, tn_names_find};
    tn_formula_destroy(node->formula);
    node->formula = NULL;
    tn_clear_error();
    const tn_status status =
        own ? tn_formula_create(text, TN_COUNT(c->small), c->small, &names, &node->formula)
            : tn_formula_create(text, c->params.count, c->params.at, &names, &node->formula);
    if (status == TN_OK)
        return TN_OK;
    tn_formula_describe(c->model, node, what, sizeof what);
    return tn_fail_within(status, "%s", what);
}

// A state stays within its limits: its rate is zero where it would lead further out. The rate alone
// is compiled before, so that an error reports its own text.
static tn_status compile_rate(compiler *c, int i, tn_formula_node *node)
{
    const tn_state_def *def = &c->model->states.at[i];
    const bool own = c->model->state_own.at[i];
    TN_TRY(compile_text(c, def->rate, own, node));
    if (isinf(def->lower) && isinf(def->upper))
        return TN_OK;
    char *text = tn_format("limited(%s, %s, %.17g, %.17g)", def->rate, def->name,
                           fmax(def->lower, -1e308), fmin(def->upper, 1e308));
    tn_status status = tn_got(text);
    TN_THEN(status, compile_text(c, text, own, node));
    tn_free(text);
    return status;
}

static bool has_value(const tn_sampled_def *def, const char *name)
{
    for (int i = 0; i < def->n; i++)
        if (strcmp(def->value[i].name, name) == 0)
            return true;
    return false;
}

// Parameters that have the names of values of the sampled system are put behind the others; returns
// how many are left. Tables are called with their arguments, and cannot be mistaken.
static int hide_parameters(compiler *c, const tn_sampled_def *def)
{
    int left = 0;
    for (int i = 0; i < c->params.count; i++) {
        const tn_named_value p = c->params.at[i];
        if (!p.table && has_value(def, p.name))
            continue;
        c->params.at[i] = c->params.at[left];
        c->params.at[left++] = p;
    }
    return left;
}

// The own values of a sampled system go before all that has the same name elsewhere.
static tn_status compile_next(compiler *c, int i, tn_formula_node *node)
{
    c->names.sampler = tn_sampler_of(c->model, &i);
    const tn_sampled_def *def = &c->model->samplers.at[c->names.sampler];
    const int all = c->params.count;
    c->params.count = hide_parameters(c, def);
    const tn_status status = compile_text(c, def->value[i].next, false, node);
    c->params.count = all;
    c->names.sampler = -1;
    return status;
}

static tn_status compile_live(compiler *c, const tn_live_data *live, tn_formula_node *node)
{
    TN_TRY(tn_force_check_names(c->model, live->force, live->what, live->text));
    c->names.force = live->force;
    const tn_status status = compile_text(c, live->text, live->own, node);
    c->names.force = -1;
    return status;
}

static tn_status compile_node(compiler *c, tn_formula_node *node)
{
    const tn_model *m = c->model;
    const int i = node->index;
    switch (node->use) {
    case TN_FORMULA_SIGNAL:
        return compile_text(c, m->signals.at[i].text, false, node);
    case TN_FORMULA_LIVE:
        return compile_live(c, &m->lives.at[i], node);
    case TN_FORMULA_RATE:
        return compile_rate(c, i, node);
    case TN_FORMULA_EQUATION:
        return compile_text(c, m->unknowns.at[i].equation, false, node);
    default:
        return compile_next(c, i, node);
    }
}

// If the input of a block has the mistake, the message says so in the words of the block. Names
// that it meets are those of the failed compilation, and go with it.
static tn_status blame_block(compiler *c, tn_status status)
{
    char reason[TN_ERROR_SIZE];
    const tn_lookup names = {&c->names, tn_names_find};
    if (status != TN_ERR_MODEL)
        return status;
    snprintf(reason, sizeof reason, "%s", tn_last_error());
    for (int i = 0; i < c->model->block_inputs.count; i++) {
        const tn_block_input *input = &c->model->block_inputs.at[i];
        tn_formula *formula = NULL;
        tn_clear_error();
        const tn_status own =
            tn_formula_create(input->text, c->params.count, c->params.at, &names, &formula);
        tn_formula_destroy(formula);
        if (own != TN_OK)
            return tn_fail_within(own, "block '%s': input", input->block);
    }
    return tn_fail(status, "%s", reason);
}

static tn_status compile_nodes(compiler *c)
{
    tn_signals *s = c->s;
    for (int use = 0; use < TN_FORMULA_USES; use++)
        for (int k = s->first[use]; k < s->first[use + 1]; k++) {
            s->node[k].use = (tn_formula_use)use;
            s->node[k].index = k - s->first[use];
            const tn_status status = compile_node(c, &s->node[k]);
            if (status != TN_OK)
                return blame_block(c, status);
        }
    s->nvariable = tn_names_take(&c->names, &s->variable);
    for (int k = 0; k < s->nnode; k++) {
        s->node[k].nlocal = tn_formula_variables(s->node[k].formula, &s->node[k].local);
        s->most_local = tn_larger(s->most_local, s->node[k].nlocal);
    }
    return TN_OK;
}

// Order -------------------------------------------------------------------------------------------

static const char *node_name(const compiler *c, int k)
{
    const tn_formula_node *node = &c->s->node[k];
    return node->use == TN_FORMULA_SIGNAL ? c->model->signals.at[node->index].name
                                          : c->model->lives.at[node->index].what;
}

// The nodes that are entered and not left yet are the circle: a -> b -> a.
static tn_status tell_circle(const compiler *c, int k, const int *path, int n)
{
    char text[600] = "", first[TN_FORMULA_WORDS];
    size_t used = 0;
    int from = n - 1;
    while (path[from] != k)
        from--;
    tn_formula_describe(c->model, &c->s->node[k], first, sizeof first);
    for (int i = from; i <= n && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > from ? " -> " : "",
                                 node_name(c, i < n ? path[i] : k));
    return tn_fail(TN_ERR_MODEL,
                   "%s: expressions depend on each other in a circle: %s; make one of them a "
                   "state, a sampled value or an unknown",
                   first, text);
}

// Depth first: nodes that a node uses are put before it. The path is at most as long as there are
// nodes.
static tn_status put_node(compiler *c, int k, bool continuous, int *path, int depth)
{
    tn_signals *s = c->s;
    tn_formula_node *node = &s->node[k];
    if (c->mark[k] == 1)
        return tell_circle(c, k, path, depth);
    if (c->mark[k] == 2)
        return TN_OK;
    c->mark[k] = 1;
    path[depth] = k;
    node->continuous = continuous;
    for (int l = 0; l < node->nlocal; l++)
        if (s->variable[node->local[l]].kind == TN_VARIABLE_NODE)
            TN_TRY(put_node(c, s->variable[node->local[l]].index, continuous, path, depth + 1));
    c->mark[k] = 2;
    s->order[s->nfirst++] = k;
    return TN_OK;
}

// A sampled system sees its samples alone.
static tn_status check_memories(const compiler *c)
{
    const tn_signals *s = c->s;
    char what[TN_FORMULA_WORDS];
    for (int k = s->first[TN_FORMULA_NEXT]; k < s->nnode; k++)
        if (tn_formula_remembers(s->node[k].formula, -1)) {
            tn_formula_describe(c->model, &s->node[k], what, sizeof what);
            return tn_fail(TN_ERR_MODEL,
                           "%s: hysteresis follows its input between samples; make it a signal and "
                           "use that here",
                           what);
        }
    return TN_OK;
}

static tn_status put_in_order(compiler *c)
{
    tn_signals *s = c->s;
    int *path = tn_alloc(sizeof(int) * (size_t)(s->nnode + 1));
    c->mark = tn_alloc((size_t)(s->nnode + 1));
    tn_status status = tn_got(path && c->mark);
    TN_THEN(status, check_memories(c));
    for (int k = s->first[TN_FORMULA_LIVE]; k < s->first[TN_FORMULA_NEXT]; k++)
        TN_THEN(status, put_node(c, k, true, path, 0));
    for (int k = 0; k < s->nnode; k++) // steps follow conditions with hysteresis, whoever uses them
        if (tn_formula_remembers(s->node[k].formula, -1))
            TN_THEN(status, put_node(c, k, true, path, 0));
    const int first = s->nfirst;
    for (int k = 0; k < s->nnode; k++)
        TN_THEN(status, put_node(c, k, false, path, 0));
    s->nfirst = first;
    TN_FREE(path, c->mark);
    return status;
}

// Dependences -------------------------------------------------------------------------------------

static void collect_dependences(const tn_signals *s, const tn_formula_node *node, bool *depends)
{
    for (int l = 0; l < node->nlocal; l++) {
        const int v = node->local[l];
        if (s->variable[v].kind != TN_VARIABLE_NODE) {
            depends[v] = true;
            continue;
        }
        const tn_formula_node *other = &s->node[s->variable[v].index];
        for (int i = 0; i < other->ndep; i++)
            depends[other->dep[i]] = true;
    }
}

static int place_of(const tn_formula_node *node, int variable)
{
    int i = 0;
    while (node->dep[i] != variable)
        i++;
    return i;
}

static void fill_places(const tn_signals *s, tn_formula_node *node)
{
    int *at = node->into;
    for (int l = 0; l < node->nlocal; l++) {
        const int v = node->local[l];
        const bool base = s->variable[v].kind != TN_VARIABLE_NODE;
        const tn_formula_node *other = base ? NULL : &s->node[s->variable[v].index];
        const int n = base ? 1 : other->ndep;
        *at++ = n;
        for (int i = 0; i < n; i++)
            *at++ = place_of(node, base ? v : other->dep[i]);
    }
}

static tn_status find_dependences(const tn_signals *s, tn_formula_node *node, bool *depends)
{
    memset(depends, 0, sizeof *depends * (size_t)s->nvariable);
    collect_dependences(s, node, depends);
    int places = 0;
    for (int v = 0; v < s->nvariable; v++)
        node->ndep += depends[v];
    for (int l = 0; l < node->nlocal; l++) {
        const tn_variable *v = &s->variable[node->local[l]];
        places += 1 + (v->kind == TN_VARIABLE_NODE ? s->node[v->index].ndep : 1);
    }
    node->dep = tn_alloc(sizeof(int) * (size_t)(node->ndep + places + 1));
    TN_TRY(tn_got(node->dep));
    node->into = node->dep + node->ndep;
    for (int v = 0, n = 0; v < s->nvariable; v++)
        if (depends[v])
            node->dep[n++] = v;
    fill_places(s, node);
    return TN_OK;
}

bool tn_variable_is_reaction(const tn_variable *v)
{
    return v->kind == TN_VARIABLE_QUANTITY &&
           (v->index == TN_Q_REACTION_FORCE || v->index == TN_Q_REACTION_TORQUE ||
            v->index == TN_Q_MULTIPLIER || v->index == TN_Q_CONTACT_LOAD);
}

// Numbers of the mechanism that have derivatives by positions, velocities and multipliers.
bool tn_variable_is_measured(const tn_variable *v)
{
    static const tn_quantity all[] = {
        TN_Q_BODY_POSITION,   TN_Q_BODY_VELOCITY,    TN_Q_BODY_SPIN,      TN_Q_BODY_ANGLE,
        TN_Q_BODY_ANGLE_RATE, TN_Q_JOINT_COORDINATE, TN_Q_JOINT_RATE,     TN_Q_FORCE_LENGTH,
        TN_Q_FORCE_ANGLE,     TN_Q_FORCE_DEFLECTION, TN_Q_FORCE_RATE,     TN_Q_FORCE_TENSION,
        TN_Q_FORCE_EFFORT,    TN_Q_OUTPUT,           TN_Q_CONTACT,        TN_Q_CONTACT_POINT,
        TN_Q_SECTION_FORCE,   TN_Q_SECTION_MOMENT,   TN_Q_SECTION_STRAIN, TN_Q_SECTION_CURVATURE,
    };
    for (int i = 0; v->kind == TN_VARIABLE_QUANTITY && i < TN_COUNT(all); i++)
        if (v->index == (int)all[i])
            return true;
    return tn_variable_is_reaction(v) ||
           (v->kind == TN_VARIABLE_QUANTITY && v->index >= TN_QUANTITIES);
}

// One that read-out knows, for outputs and samples.
static bool is_read_out(const tn_variable *v)
{
    static const tn_quantity all[] = {
        TN_Q_BODY_ACCELERATION,
        TN_Q_BODY_ANGULAR_ACCELERATION,
        TN_Q_BODY_ANGLE_ACCELERATION,
        TN_Q_BODY_QUATERNION,
        TN_Q_FORCE_FORCE,
        TN_Q_FORCE_TORQUE,
        TN_Q_KINETIC,
        TN_Q_POTENTIAL,
    };
    for (int i = 0; i < TN_COUNT(all); i++)
        if (v->index == (int)all[i])
            return true;
    return false;
}

static bool is_acceleration(const tn_variable *v)
{
    return v->index == TN_Q_BODY_ACCELERATION || v->index == TN_Q_BODY_ANGULAR_ACCELERATION ||
           v->index == TN_Q_BODY_ANGLE_ACCELERATION || v->index == TN_Q_JOINT_ACCELERATION;
}

// Checks the quantities on which outputs and samples depend.
static tn_status check_late(const compiler *c, const tn_formula_node *node)
{
    char what[TN_FORMULA_WORDS];
    tn_formula_describe(c->model, node, what, sizeof what);
    for (int i = 0; i < node->ndep; i++) {
        const tn_variable *v = &c->s->variable[node->dep[i]];
        if (v->kind == TN_VARIABLE_QUANTITY && !tn_variable_is_measured(v) && !is_read_out(v))
            return tn_fail(TN_ERR_MODEL, "%s depends on %s, which expressions cannot use", what,
                           tn_quantity_kinds[v->index].path);
    }
    return TN_OK;
}

// Checks the quantities on which the equations of motion depend.
static tn_status check_continuous(const compiler *c, const tn_formula_node *node)
{
    char what[TN_FORMULA_WORDS];
    tn_formula_describe(c->model, node, what, sizeof what);
    for (int i = 0; i < node->ndep; i++) {
        const tn_variable *v = &c->s->variable[node->dep[i]];
        if (v->kind != TN_VARIABLE_QUANTITY)
            continue;
        if (v->index >= TN_QUANTITIES) // of a force between two frames, or in a ball
            continue;
        const char *word = tn_quantity_kinds[v->index].path;
        if (is_acceleration(v))
            return tn_fail(TN_ERR_MODEL,
                           "%s depends on an acceleration (%s): forces would depend on the "
                           "accelerations that they cause; use it in outputs and sampled systems",
                           what, word);
        if (!tn_variable_is_measured(v))
            return tn_fail(TN_ERR_MODEL,
                           "%s depends on %s, which is for outputs and sampled systems: it has no "
                           "derivatives that a step could use",
                           what, word);
        c->s->uses_reactions = c->s->uses_reactions || tn_variable_is_reaction(v);
    }
    return TN_OK;
}

static tn_status find_all_dependences(compiler *c)
{
    tn_signals *s = c->s;
    bool *depends = tn_alloc(sizeof *depends * (size_t)(s->nvariable + 1));
    tn_status status = tn_got(depends);
    for (int k = 0; k < s->nnode; k++) {
        tn_formula_node *node = &s->node[s->order[k]];
        TN_THEN(status, find_dependences(s, node, depends));
        TN_THEN(status, node->continuous ? check_continuous(c, node) : check_late(c, node));
    }
    tn_free(depends);
    return status;
}

// The whole ---------------------------------------------------------------------------------------

static tn_status open_nodes(compiler *c)
{
    const tn_model *m = c->model;
    tn_signals *s = c->s;
    const int count[TN_FORMULA_USES] = {m->signals.count, m->lives.count, m->states.count,
                                        m->unknowns.count, tn_model_sampled_count(m)};
    for (int use = 0; use < TN_FORMULA_USES; use++)
        s->first[use + 1] = s->first[use] + count[use];
    s->nnode = s->first[TN_FORMULA_USES];
    s->node = tn_alloc(sizeof *s->node * (size_t)(s->nnode + 1));
    s->order = tn_alloc(sizeof *s->order * (size_t)(s->nnode + 1));
    measure_small(c);
    for (int i = 0; i < m->parameters.count; i++)
        if (!m->parameters.at[i].input)
            TN_TRY(tn_array_push(&c->params, m->parameters.at[i]));
    return tn_got(s->node && s->order);
}

tn_status tn_signals_create(const tn_model *model, tn_signals **out)
{
    compiler c = {.model = model};
    *out = NULL;
    c.s = tn_alloc(sizeof *c.s);
    TN_TRY(tn_got(c.s));
    tn_status status = open_nodes(&c);
    TN_THEN(status, tn_names_open(&c.names, model, c.s->first[TN_FORMULA_LIVE]));
    TN_THEN(status, compile_nodes(&c));
    TN_THEN(status, put_in_order(&c));
    TN_THEN(status, find_all_dependences(&c));
    tn_array_free(&c.params);
    tn_names_close(&c.names);
    TN_HAND_OUT(status, c.s, tn_signals_destroy, out);
}

void tn_signals_destroy(tn_signals *s)
{
    if (!s)
        return;
    for (int k = 0; s->node && k < s->nnode; k++) {
        tn_formula_destroy(s->node[k].formula);
        tn_free(s->node[k].dep);
    }
    TN_FREE(s->node, s->order, s->variable, s);
}
