// SPDX-License-Identifier: MIT
//
// Names of expressions of the state; see signal_names.h.

#include "model/signal_names.h"

#include "model/output.h"
#include "model/vocabulary.h"
#include "signal/expression.h"

#include <stdio.h>
#include <string.h>

// Finding -----------------------------------------------------------------------------------------

static tn_status take_variable(tn_names *c, tn_variable v, int *number)
{
    char key[64];
    snprintf(key, sizeof key, "%d %d %d %d", (int)v.kind, v.index, v.element, v.component);
    *number = tn_table_find(c->taken, key);
    if (*number >= 0)
        return TN_OK;
    *number = c->variables.count;
    TN_TRY(tn_table_add(c->taken, key, *number));
    return tn_array_push(&c->variables, v);
}

int tn_sampler_of(const tn_model *model, int *i)
{
    int k = 0;
    while (*i >= model->samplers.at[k].n)
        *i -= model->samplers.at[k++].n;
    return k;
}

// Values of the sampled system that is being compiled are known by their own names.
static bool find_latest(const tn_names *c, const char *name, tn_variable *out)
{
    int first = 0;
    for (int k = 0; k < c->sampler; k++)
        first += c->model->samplers.at[k].n;
    for (int i = 0; c->sampler >= 0 && i < c->model->samplers.at[c->sampler].n; i++)
        if (strcmp(c->model->samplers.at[c->sampler].value[i].name, name) == 0) {
            *out = (tn_variable){.kind = TN_VARIABLE_LATEST, .index = first + i};
            return true;
        }
    return false;
}

static bool find_sampled(const tn_names *c, const char *name, tn_variable *out)
{
    int first = 0;
    for (int k = 0; k < c->model->samplers.count; k++) {
        const tn_sampled_def *def = &c->model->samplers.at[k];
        const size_t n = strlen(def->name);
        for (int i = 0; i < def->n; i++)
            if (strncmp(name, def->name, n) == 0 && name[n] == '.' &&
                strcmp(name + n + 1, def->value[i].name) == 0) {
                *out = (tn_variable){.kind = TN_VARIABLE_SAMPLED, .index = first + i};
                return true;
            }
        first += def->n;
    }
    return false;
}

// Number i of the plain names, whose lists stand behind each other.
static tn_variable plain_variable(const tn_model *model, int i)
{
    const struct {
        tn_variable_kind kind;
        int count;
    } lists[] = {{TN_VARIABLE_NODE, model->signals.count}, // signals are the first nodes
                 {TN_VARIABLE_STATE, model->states.count},
                 {TN_VARIABLE_UNKNOWN, model->unknowns.count},
                 {TN_VARIABLE_INPUT, model->inputs.count}};
    int k = 0;
    for (; i >= lists[k].count; k++) {
        i -= lists[k].count;
        TN_ASSERT(k + 1 < TN_COUNT(lists));
    }
    return (tn_variable){.kind = lists[k].kind, .index = i};
}

static bool find_plain(const tn_names *c, const char *name, tn_variable *out)
{
    const int i = tn_table_find(c->plain, name);
    if (i >= 0)
        *out = plain_variable(c->model, i);
    return i >= 0;
}

// The variable parameter that is the force of an element itself; -1 for none.
static tn_status find_effort(const tn_names *c, int force, int *live)
{
    *live = -1;
    for (int i = 0; i < c->model->lives.count; i++)
        if (c->model->lives.at[i].force == force)
            *live = i;
    const tn_force_data *data = &c->model->forces.at[force];
    if (*live >= 0 && !data->ops->is_effort)
        return tn_fail(TN_ERR_MODEL,
                       "what force '%s' does depends on an expression itself; write what you need "
                       "of it as a signal",
                       data->name);
    return TN_OK;
}

// Finds a number of an element by its name within the expressions of its own force: "length".
static tn_status find_own(const tn_model *model, int force, const char *name, bool *found,
                          tn_named_quantity *out)
{
    char own[400];
    int count = 0;
    *found = false;
    if (force < 0 || strchr(name, '.'))
        return TN_OK;
    snprintf(own, sizeof own, "%s.%s", model->forces.at[force].name,
             strcmp(name, "coordinate") == 0 ? "deflection" : name);
    TN_TRY(tn_vocabulary_count(model, own, &count, out));
    *found = count == 1;
    return TN_OK;
}

static const char *const own_words[] = {"length", "angle", "deflection", "coordinate", "rate"};

// Names without an owner are parameters, inputs, signals and numbers of the force; if none of these
// is near, those of the mechanism are named.
static tn_status find_in_model(const tn_names *c, const char *name, tn_named_quantity *out)
{
    const tn_status status = tn_vocabulary_find(c->model, name, out);
    if (status != TN_ERR_MODEL || strchr(name, '.'))
        return status;
    const tn_model *m = c->model;
    const char *known[TN_COUNT(own_words)];
    tn_named_quantity ignored;
    int n = 0;
    for (int k = 0; k < TN_COUNT(own_words); k++) {
        bool own;
        TN_TRY(find_own(m, c->force, own_words[k], &own, &ignored));
        if (own)
            known[n++] = own_words[k];
    }
    const char *near = tn_nearest_name(name, n, known);
    near = near ? near : tn_table_nearest(m->parameter_names, name);
    near = near ? near : tn_table_nearest(m->signal_names, name);
    return near ? tn_fail(TN_ERR_MODEL, "unknown name '%s'; did you mean '%s'?", name, near)
                : tn_vocabulary_find(m, name, out);
}

// Frame B seen from frame A within the expressions of a force between two frames: displacement.x,
// turn.x, and their rates.
static bool find_seen(const tn_names *c, const char *name, tn_variable *out)
{
    static const char *const words[] = {"displacement", "turn"};
    static const char *const tails[] = {"", ".rate"};
    char text[40];
    if (c->force < 0 || c->model->forces.at[c->force].has_row)
        return false;
    for (int k = 0; k < TN_SEEN_NUMBERS; k++) {
        const bool turn = k / 3 % 2, rate = k / 6;
        snprintf(text, sizeof text, "%s.%c%s", words[turn], "xyz"[k % 3], tails[rate]);
        if (strcmp(name, text) != 0)
            continue;
        *out = (tn_variable){.kind = TN_VARIABLE_QUANTITY,
                             .index = TN_QUANTITIES + k,
                             .element = c->force,
                             .component = k % 3,
                             .unit = turn ? (rate ? "rad/s" : "rad") : (rate ? "m/s" : "m")};
        return true;
    }
    return false;
}

// The speed of slip in a ball about an axis of frame A, for its bristles: "socket.slip.x"; or that
// of a wheel on a rail.
static bool find_slip(const tn_names *c, const char *name, tn_variable *out)
{
    const char *const tail = strrchr(name, '.');
    const char *const axis = tail && tail[1] && !tail[2] ? strchr("xyz", tail[1]) : NULL;
    const size_t word = strlen(".slip"), n = axis ? (size_t)(tail - name) : 0;
    if (n <= word || strncmp(tail - word, ".slip", word) != 0)
        return false;
    for (int i = 0; i < c->model->forces.count; i++) {
        const tn_force_data *f = &c->model->forces.at[i];
        if (!(f->slip.ball || f->slip.touches) || strlen(f->name) != n - word ||
            strncmp(f->name, name, n - word) != 0)
            continue;
        const int k = (int)(tail[1] - 'x');
        *out = (tn_variable){.kind = TN_VARIABLE_QUANTITY,
                             .index = TN_QUANTITIES + TN_SEEN_NUMBERS + k,
                             .element = i,
                             .component = k,
                             .unit = f->slip.touches && k == 2 ? "rad/s" : "m/s"};
        return true;
    }
    return false;
}

// A point whose position, velocity or distance is an output may be used as such.
static tn_status check_point(const tn_names *c, const char *name, int output)
{
    const tn_output_data *data = c->model->outputs.at[output];
    if (data->formula)
        return tn_fail(TN_ERR_MODEL,
                       "'%s' is an output by an expression, which no other expression may use; "
                       "state it as a signal of the model instead",
                       name);
    if (data->def.quantity == TN_OUTPUT_ACCELERATION)
        return tn_fail(TN_ERR_MODEL,
                       "'%s' is the acceleration of a point, which is for outputs alone", name);
    if (data->def.of.index == data->def.in.index)
        return tn_fail(TN_ERR_MODEL, "'%s' does not change: the point is seen from its own body",
                       name);
    return TN_OK;
}

static tn_status find_quantity(const tn_names *c, const char *name, tn_variable *out)
{
    tn_named_quantity q;
    if (find_seen(c, name, out) || find_slip(c, name, out))
        return TN_OK;
    bool own;
    TN_TRY(find_own(c->model, c->force, name, &own, &q));
    if (!own)
        TN_TRY(find_in_model(c, name, &q));
    if (q.what == TN_Q_OUTPUT)
        TN_TRY(check_point(c, name, q.element));
    *out = (tn_variable){.kind = TN_VARIABLE_QUANTITY,
                         .index = (int)q.what,
                         .element = q.element,
                         .component = q.component,
                         .unit = q.unit};
    if (q.what != TN_Q_FORCE_TENSION && q.what != TN_Q_FORCE_EFFORT)
        return TN_OK;
    int live;
    TN_TRY(find_effort(c, q.element, &live));
    if (live >= 0)
        *out = (tn_variable){.kind = TN_VARIABLE_NODE, .index = c->first_live + live};
    return TN_OK;
}

// Number of names for a number in the parts around a force: 'left.turn.x' for force 'left.f'.
static tn_status count_in_parts(const tn_model *model, int force, const char *name, int *count,
                                tn_named_quantity *out)
{
    const char *of = model->forces.at[force].name;
    *count = 0;
    for (const char *dot = strchr(of, '.'); dot && *count == 0; dot = strchr(dot + 1, '.')) {
        char full[400];
        snprintf(full, sizeof full, "%.*s.%s", (int)(dot - of), of, name);
        TN_TRY(tn_vocabulary_count(model, full, count, out));
    }
    return TN_OK;
}

// Numbers of a force between two frames go by names with dots, as many others do.
static tn_status check_seen(const tn_names *c, const char *name, bool known)
{
    tn_variable seen;
    tn_named_quantity other;
    int count = 0;
    if (!find_seen(c, name, &seen))
        return TN_OK;
    TN_TRY(tn_vocabulary_count(c->model, name, &count, &other));
    if (!known && count == 0)
        TN_TRY(count_in_parts(c->model, c->force, name, &count, &other));
    if (!known && count == 0)
        return TN_OK;
    const tn_column column = count > 0 ? tn_quantity_column(c->model, &other) : (tn_column){0};
    return tn_fail(
        TN_ERR_MODEL,
        "'%s' is what force '%s' sees of its frames and also a number of '%s'; give that "
        "another name",
        name, c->model->forces.at[c->force].name, column.owner ? column.owner : name);
}

tn_status tn_names_find(void *self, const char *name, int *variable)
{
    tn_names *c = self;
    tn_variable v = {0};
    tn_named_quantity other = {0};
    int count = 0;
    const bool known =
        find_latest(c, name, &v) || find_plain(c, name, &v) || find_sampled(c, name, &v);
    TN_TRY(check_seen(c, name, known));
    if (known && v.kind != TN_VARIABLE_STATE && strchr(name, '.')) // bristles have such names
        TN_TRY(tn_vocabulary_count(c->model, name, &count, &other));
    const bool own = other.what == TN_Q_SAMPLED || other.what == TN_Q_SIGNAL ||
                     other.what == TN_Q_UNKNOWN; // left.error, of an assembly
    if (count > 1 || (count == 1 && !own))
        return tn_fail(TN_ERR_MODEL,
                       "'%s' is a sampled value and also a number of the mechanism; rename one",
                       name);
    if (!known)
        TN_TRY(find_quantity(c, name, &v));
    return take_variable(c, v, variable);
}

// The list ----------------------------------------------------------------------------------------

#define ADD_NAMES(list, field)                  \
    for (int i = 0; i < (list).count; i++, n++) \
        TN_TRY(tn_table_add(names->plain, (list).at[i] field name, n));

tn_status tn_names_open(tn_names *names, const tn_model *model, int first_live)
{
    int n = 0;
    *names = (tn_names){.model = model, .first_live = first_live, .force = -1, .sampler = -1};
    TN_TRY(tn_table_create(&names->plain));
    TN_TRY(tn_table_create(&names->taken));
    ADD_NAMES(model->signals, .)
    ADD_NAMES(model->states, .)
    ADD_NAMES(model->unknowns, .)
    ADD_NAMES(model->inputs, ->)
    return TN_OK;
}

void tn_names_close(tn_names *names)
{
    tn_table_destroy(names->plain);
    tn_table_destroy(names->taken);
    tn_array_free(&names->variables);
}

int tn_names_take(tn_names *names, tn_variable **out)
{
    const int n = names->variables.count;
    *out = names->variables.at;
    names->variables.at = NULL;
    return n;
}

// Two meanings ------------------------------------------------------------------------------------

typedef struct own_names {
    const tn_model *model;
    int force;
} own_names;

// "parameter" where a name without an owner has a meaning, NULL where it has none. Tables are
// called with their arguments, and cannot be mistaken.
static const char *meaning_of(const tn_model *model, const char *name)
{
    for (int i = 0; i < model->parameters.count; i++)
        if (strcmp(model->parameters.at[i].name, name) == 0)
            return model->parameters.at[i].table   ? NULL
                   : model->parameters.at[i].input ? "input"
                                                   : "parameter";
    for (int i = 0; i < model->signals.count; i++)
        if (strcmp(model->signals.at[i].name, name) == 0)
            return "signal";
    for (int i = 0; i < model->states.count; i++)
        if (strcmp(model->states.at[i].name, name) == 0)
            return "state";
    return tn_table_find(model->signal_names, name) >= 0 ? "unknown" : NULL;
}

bool tn_is_force_word(const char *name)
{
    for (int k = 0; k < TN_COUNT(own_words); k++)
        if (strcmp(name, own_words[k]) == 0)
            return true;
    return false;
}

// A name as the part of the force may have written it: force 'left.f' may mean 'left.length' by
// 'length'.
static const char *short_name(const char *force, const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strncmp(force, name, (size_t)(dot - name) + 1) == 0 ? dot + 1 : name;
}

// The other meaning of a name that is a number of the force, NULL for none.
static tn_status clash_of(const own_names *own, const char *name, const char **other)
{
    const char *word = short_name(own->model->forces.at[own->force].name, name);
    tn_named_quantity q;
    bool has = false;
    if (tn_is_force_word(word))
        TN_TRY(find_own(own->model, own->force, word, &has, &q));
    *other = has ? meaning_of(own->model, name) : NULL;
    return TN_OK;
}

static tn_status find_clash(void *self, const char *name, int *variable)
{
    const own_names *own = self;
    const char *other, *force = own->model->forces.at[own->force].name;
    const char *end = force; // of names with dots between them
    while (tn_name_length(end) > 0 && end[tn_name_length(end)] == '.')
        end += tn_name_length(end) + 1;
    const char *quote = *end && !end[tn_name_length(end)] ? "" : "'";
    const char *word = short_name(force, name);
    *variable = 0;
    TN_TRY(clash_of(own, name, &other));
    if (!other)
        return TN_OK;
    return tn_fail(TN_ERR_MODEL,
                   "'%s' is %s %s and also a number of this force; rename the %s, or write "
                   "%s%s%s.%s for that of the force",
                   name, other[0] == 'i' || other[0] == 'u' ? "an" : "a", other, other, quote,
                   force, quote, strcmp(word, "coordinate") == 0 ? "deflection" : word);
}

typedef TN_ARRAY(tn_named_value) own_values;

static tn_status add_other(const own_names *own, int parameter, own_values *params)
{
    const tn_named_value *value = &own->model->parameters.at[parameter];
    const char *other;
    TN_TRY(clash_of(own, value->name, &other));
    return other ? TN_OK : tn_array_push(params, *value);
}

// Reads the text with the parameters that do not clash, so that those which do are asked for.
static tn_status read_clashing(own_names *own, const char *what, const char *text)
{
    own_values params = {0};
    const tn_lookup names = {own, find_clash};
    tn_formula *formula = NULL;
    tn_status status = TN_OK;
    for (int i = 0; i < own->model->parameters.count; i++)
        TN_THEN(status, add_other(own, i, &params));
    TN_THEN(status, tn_formula_create(text, params.count, params.at, &names, &formula));
    tn_formula_destroy(formula);
    tn_array_free(&params);
    return status == TN_OK ? status : tn_fail_within(status, "%s", what);
}

// Finds if a part, whose prefix is the first n characters of the force's name, has a name that is
// also a number of the force.
static tn_status clashes_within(const own_names *own, int n, bool *out)
{
    const tn_model *model = own->model;
    *out = false;
    for (int k = 0; k < TN_COUNT(own_words) && !*out; k++) {
        const char *other = NULL;
        char name[400];
        snprintf(name, sizeof name, "%.*s%s", n, model->forces.at[own->force].name, own_words[k]);
        if (tn_table_find(model->parameter_names, name) >= 0 ||
            tn_table_find(model->signal_names, name) >= 0)
            TN_TRY(clash_of(own, name, &other));
        *out = other != NULL;
    }
    return TN_OK;
}

tn_status tn_force_check_names(const tn_model *model, int force, const char *what, const char *text)
{
    own_names own = {model, force};
    TN_ASSERT(force >= 0 && force < model->forces.count);
    const char *name = model->forces.at[force].name;
    bool clash = false;
    for (const char *end = name; end; end = strchr(end, '.')) {
        end += end > name; // behind the dot
        TN_TRY(clashes_within(&own, (int)(end - name), &clash));
        if (clash)
            return read_clashing(&own, what, text);
    }
    return TN_OK;
}
