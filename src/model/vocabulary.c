// SPDX-License-Identifier: MIT
//
// The vocabulary; see vocabulary.h. A name may be read in several ways, since names of elements may
// hold dots: each dot is tried as the end of the owner's name.

#include "model/vocabulary.h"

#include "base/alloc.h"
#include "base/array.h"
#include "model/output.h"

#include <stdio.h>
#include <string.h>

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};

#define NO_RATE TN_QUANTITIES
#define ONE 1, NULL
#define XYZ 3, xyz
#define WXYZ 4, wxyz

const tn_quantity_kind tn_quantity_kinds[TN_QUANTITIES] = {
    [TN_Q_TIME] = {"time", "time", "", "s", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_STEP] = {"step", "step", "", "s", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_BODY_POSITION] = {"bodies/position", "position", "", "m", "inertial", TN_OWNER_BODY, XYZ,
                            TN_Q_BODY_VELOCITY},
    [TN_Q_BODY_QUATERNION] = {"bodies/quaternion", "quaternion", "", "1", "inertial", TN_OWNER_BODY,
                              WXYZ, NO_RATE},
    [TN_Q_BODY_VELOCITY] = {"bodies/velocity", "velocity", "", "m/s", "inertial", TN_OWNER_BODY,
                            XYZ, TN_Q_BODY_ACCELERATION},
    [TN_Q_BODY_SPIN] = {"bodies/angular_velocity", "angular_velocity", "", "rad/s", "body",
                        TN_OWNER_BODY, XYZ, TN_Q_BODY_ANGULAR_ACCELERATION},
    [TN_Q_BODY_ACCELERATION] = {"bodies/acceleration", "acceleration", "", "m/s^2", "inertial",
                                TN_OWNER_BODY, XYZ, NO_RATE},
    [TN_Q_BODY_ANGULAR_ACCELERATION] = {"bodies/angular_acceleration", "angular_acceleration", "",
                                        "rad/s^2", "body", TN_OWNER_BODY, XYZ, NO_RATE},
    [TN_Q_BODY_ANGLE] = {"bodies/angle", "angle", "", "rad", NULL, TN_OWNER_PLANE, ONE,
                         TN_Q_BODY_ANGLE_RATE},
    [TN_Q_BODY_ANGLE_RATE] = {"bodies/angle_rate", "angle", "rate", "rad/s", NULL, TN_OWNER_PLANE,
                              ONE, TN_Q_BODY_ANGLE_ACCELERATION},
    [TN_Q_BODY_ANGLE_ACCELERATION] = {"bodies/angle_acceleration", "angle", "acceleration",
                                      "rad/s^2", NULL, TN_OWNER_PLANE, ONE, NO_RATE},
    [TN_Q_BODY_EULER] = {"bodies/angles", "angles", "", "rad", NULL, TN_OWNER_EULER, ONE,
                         TN_Q_BODY_EULER_RATE},
    [TN_Q_BODY_EULER_RATE] = {"bodies/angles_rate", "angles", "rate", "rad/s", NULL, TN_OWNER_EULER,
                              ONE, NO_RATE},
    [TN_Q_BODY_QUATERNION_RATE] = {"bodies/quaternion_rate", "quaternion", "rate", "1/s",
                                   "inertial", TN_OWNER_QUATERNION, WXYZ, NO_RATE},
    [TN_Q_JOINT_COORDINATE] = {"joints/coordinates", "", "", "mixed", NULL, TN_OWNER_COORDINATE,
                               ONE, TN_Q_JOINT_RATE},
    [TN_Q_JOINT_RATE] = {"joints/rates", "", "rate", "mixed", NULL, TN_OWNER_COORDINATE, ONE,
                         TN_Q_JOINT_ACCELERATION},
    [TN_Q_JOINT_ACCELERATION] = {"joints/accelerations", "", "acceleration", "mixed", NULL,
                                 TN_OWNER_COORDINATE, ONE, NO_RATE},
    [TN_Q_REACTION_FORCE] = {"joints/force", "force", "", "N", "inertial", TN_OWNER_JOINT, XYZ,
                             NO_RATE},
    [TN_Q_REACTION_TORQUE] = {"joints/torque", "torque", "", "N m", "inertial", TN_OWNER_JOINT, XYZ,
                              NO_RATE},
    [TN_Q_MULTIPLIER] = {"joints/lambda", "lambda", "", "mixed", NULL, TN_OWNER_ROW, ONE, NO_RATE},
    [TN_Q_CONTACT] = {"joints/contact", "contact", "", "mixed", NULL, TN_OWNER_TOUCH, ONE, NO_RATE},
    [TN_Q_CONTACT_POINT] = {"joints/point", "point", "", "m", "inertial", TN_OWNER_CONTACT, XYZ,
                            NO_RATE},
    [TN_Q_CONTACT_LOAD] = {"joints/load", "load", "", "N", NULL, TN_OWNER_CONTACT, ONE, NO_RATE},
    [TN_Q_FORCE_LENGTH] = {"forces/length", "length", "", "m", NULL, TN_OWNER_TAUT, ONE, NO_RATE},
    [TN_Q_FORCE_ANGLE] = {"forces/angle", "angle", "", "rad", NULL, TN_OWNER_TWIST, ONE, NO_RATE},
    [TN_Q_FORCE_DEFLECTION] = {"forces/deflection", "deflection", "", "mixed", NULL,
                               TN_OWNER_SCALAR, ONE, TN_Q_FORCE_RATE},
    [TN_Q_FORCE_RATE] = {"forces/rate", "rate", "", "mixed", NULL, TN_OWNER_SCALAR, ONE, NO_RATE},
    [TN_Q_FORCE_TENSION] = {"forces/tension", "tension", "", "N", NULL, TN_OWNER_TAUT, ONE,
                            NO_RATE},
    [TN_Q_FORCE_EFFORT] = {"forces/effort", "effort", "", "mixed", NULL, TN_OWNER_TURNING, ONE,
                           NO_RATE},
    [TN_Q_FORCE_FORCE] = {"forces/force", "force", "", "N", "inertial", TN_OWNER_GENERAL, XYZ,
                          NO_RATE},
    [TN_Q_FORCE_TORQUE] = {"forces/torque", "torque", "", "N m", "inertial", TN_OWNER_GENERAL, XYZ,
                           NO_RATE},
    [TN_Q_SECTION_FORCE] = {"forces/section_force", "section_force", "", "N", "section",
                            TN_OWNER_SECTION, XYZ, NO_RATE},
    [TN_Q_SECTION_MOMENT] = {"forces/section_moment", "section_moment", "", "N m", "section",
                             TN_OWNER_SECTION, XYZ, NO_RATE},
    [TN_Q_SECTION_STRAIN] = {"forces/strain", "strain", "", "1", "section", TN_OWNER_SECTION, XYZ,
                             NO_RATE},
    [TN_Q_SECTION_CURVATURE] = {"forces/curvature", "curvature", "", "1/m", "section",
                                TN_OWNER_SECTION, XYZ, NO_RATE},
    [TN_Q_FORCE_POWER] = {"forces/power", "power", "", "W", NULL, TN_OWNER_FORCE, ONE, NO_RATE},
    [TN_Q_SIGNAL] = {"signals/value", "", "", "", NULL, TN_OWNER_SIGNAL, ONE, NO_RATE},
    [TN_Q_STATE] = {"states/value", "", "", "", NULL, TN_OWNER_INTEGRAL, ONE, NO_RATE},
    [TN_Q_UNKNOWN] = {"unknowns/value", "", "", "", NULL, TN_OWNER_UNKNOWN, ONE, NO_RATE},
    [TN_Q_SAMPLED] = {"sampled/value", "", "", "", NULL, TN_OWNER_SAMPLED, ONE, NO_RATE},
    [TN_Q_OUTPUT] = {"outputs/value", "", "", "mixed", NULL, TN_OWNER_OUTPUT, ONE, NO_RATE},
    [TN_Q_STATE_Q] = {"state/q", "q", "", "", NULL, TN_OWNER_STATE, ONE, TN_Q_STATE_V},
    [TN_Q_STATE_V] = {"state/v", "v", "", "", NULL, TN_OWNER_STATE, ONE, TN_Q_STATE_A},
    [TN_Q_STATE_A] = {"state/a", "a", "", "", NULL, TN_OWNER_STATE, ONE, NO_RATE},
    [TN_Q_STATE_LAMBDA] = {"state/lambda", "lambda", "", "", NULL, TN_OWNER_STATE, ONE, NO_RATE},
    [TN_Q_STATE_ETA] = {"state/eta", "eta", "", "", NULL, TN_OWNER_STATE, ONE, NO_RATE},
    [TN_Q_KINETIC] = {"energy/kinetic", "kinetic", "", "J", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_POTENTIAL] = {"energy/potential", "potential", "", "J", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_DISSIPATED] = {"energy/dissipated", "dissipated", "", "J", NULL, TN_OWNER_RUN, ONE,
                         NO_RATE},
    [TN_Q_SUPPLIED] = {"energy/supplied", "supplied", "", "J", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_BALANCE] = {"energy/balance", "balance", "", "J", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_LINEAR_MOMENTUM] = {"momentum/linear", "linear", "", "kg m/s", "inertial", TN_OWNER_RUN,
                              XYZ, NO_RATE},
    [TN_Q_ANGULAR_MOMENTUM] = {"momentum/angular", "angular", "", "kg m^2/s", "inertial",
                               TN_OWNER_RUN, XYZ, NO_RATE},
    [TN_Q_RESIDUAL_G] = {"residuals/g", "g", "", "mixed", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_RESIDUAL_GDOT] = {"residuals/gdot", "gdot", "", "mixed", NULL, TN_OWNER_RUN, ONE,
                            NO_RATE},
    [TN_Q_ENERGY_D] = {"discrete/E_d", "E_d", "", "J", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_HAMILTONIAN_D] = {"discrete/H_d", "H_d", "", "J", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_HIDDEN_F] = {"discrete/f_d", "f_d", "", "mixed", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_HIDDEN_H] = {"discrete/h_d", "h_d", "", "mixed", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_HIDDEN_QP] = {"discrete/h_d_Qp", "h_d_Qp", "", "mixed", NULL, TN_OWNER_RUN, ONE, NO_RATE},
    [TN_Q_LINEAR_D] = {"discrete/linear_d", "linear_d", "", "kg m/s", "inertial", TN_OWNER_RUN, XYZ,
                       NO_RATE},
    [TN_Q_ANGULAR_D] = {"discrete/angular_d", "angular_d", "", "kg m^2/s", "inertial", TN_OWNER_RUN,
                        XYZ, NO_RATE},
    [TN_Q_LINEAR_P] = {"discrete/linear_p", "linear_p", "", "kg m/s", "inertial", TN_OWNER_RUN, XYZ,
                       NO_RATE},
    [TN_Q_ANGULAR_P] = {"discrete/angular_p", "angular_p", "", "kg m^2/s", "inertial", TN_OWNER_RUN,
                        XYZ, NO_RATE},
    [TN_Q_LINEAR_QP] = {"discrete/linear_Qp", "linear_Qp", "", "kg m/s", "inertial", TN_OWNER_RUN,
                        XYZ, NO_RATE},
    [TN_Q_ANGULAR_QP] = {"discrete/angular_Qp", "angular_Qp", "", "kg m^2/s", "inertial",
                         TN_OWNER_RUN, XYZ, NO_RATE},
    [TN_Q_MOMENTA] = {"discrete/p", "p", "", "", NULL, TN_OWNER_STATE, ONE, NO_RATE},
    [TN_Q_PROJECTED] = {"discrete/Qp", "Qp", "", "", NULL, TN_OWNER_STATE, ONE, NO_RATE},
    [TN_Q_REDUCED] = {"discrete/reduced", "reduced", "", "", NULL, TN_OWNER_STATE, ONE, NO_RATE},
};

// Owners ------------------------------------------------------------------------------------------

// The list that the elements of an owner stand in.
typedef enum owner_list {
    LIST_RUN,
    LIST_BODIES,
    LIST_JOINTS,
    LIST_FORCES,
    LIST_SIGNALS,
    LIST_STATES,
    LIST_UNKNOWNS,
    LIST_SAMPLERS,
    LIST_OUTPUTS,
    LIST_NONE
} owner_list;

static owner_list list_of(tn_owner owner)
{
    static const owner_list lists[TN_OWNERS] = {
        [TN_OWNER_RUN] = LIST_RUN,           [TN_OWNER_BODY] = LIST_BODIES,
        [TN_OWNER_EULER] = LIST_BODIES,      [TN_OWNER_QUATERNION] = LIST_BODIES,
        [TN_OWNER_PLANE] = LIST_BODIES,      [TN_OWNER_JOINT] = LIST_JOINTS,
        [TN_OWNER_COORDINATE] = LIST_JOINTS, [TN_OWNER_ROW] = LIST_JOINTS,
        [TN_OWNER_CONTACT] = LIST_JOINTS,    [TN_OWNER_TOUCH] = LIST_JOINTS,
        [TN_OWNER_FORCE] = LIST_FORCES,      [TN_OWNER_SCALAR] = LIST_FORCES,
        [TN_OWNER_TAUT] = LIST_FORCES,       [TN_OWNER_TWIST] = LIST_FORCES,
        [TN_OWNER_TURNING] = LIST_FORCES,    [TN_OWNER_GENERAL] = LIST_FORCES,
        [TN_OWNER_SECTION] = LIST_FORCES,    [TN_OWNER_SIGNAL] = LIST_SIGNALS,
        [TN_OWNER_INTEGRAL] = LIST_STATES,   [TN_OWNER_UNKNOWN] = LIST_UNKNOWNS,
        [TN_OWNER_SAMPLED] = LIST_SAMPLERS,  [TN_OWNER_OUTPUT] = LIST_OUTPUTS,
        [TN_OWNER_STATE] = LIST_NONE,
    };
    TN_ASSERT(owner < TN_OWNERS);
    return lists[owner];
}

// Number of elements in a list, and the name of number i where it is not negative.
static const char *look_up(const tn_model *model, owner_list list, int i, int *count)
{
#define IN(list, name) (*count = model->list.count, i < 0 ? NULL : model->list.at[i] name)
    switch (list) {
    case LIST_BODIES:
        return IN(bodies, .name);
    case LIST_JOINTS:
        return IN(joints, .name);
    case LIST_FORCES:
        return IN(forces, .name);
    case LIST_SIGNALS:
        return IN(signals, .name);
    case LIST_STATES:
        return IN(states, .name);
    case LIST_UNKNOWNS:
        return IN(unknowns, .name);
    case LIST_SAMPLERS:
        return IN(samplers, .name);
    case LIST_OUTPUTS:
        return IN(outputs, ->name);
    default:
        *count = list == LIST_RUN;
        return NULL;
    }
#undef IN
}

static int count_elements(const tn_model *model, owner_list list)
{
    int count;
    (void)look_up(model, list, -1, &count);
    return count;
}

static const char *element_name(const tn_model *model, owner_list list, int element)
{
    int count;
    return look_up(model, list, element, &count);
}

int tn_owner_elements(const tn_model *model, tn_owner owner)
{
    return count_elements(model, list_of(owner));
}

static bool is_span(const tn_force_data *force) // between two frames of its own
{
    return force->has_row && !force->ops->on_joint;
}

static bool is_taut(const tn_force_data *force)
{
    return is_span(force) && tn_row_is_length(&force->row);
}

static int force_places(const tn_force_data *force, tn_owner owner)
{
    switch (owner) {
    case TN_OWNER_TWIST:
        return is_span(force) && !is_taut(force);
    case TN_OWNER_SCALAR:
        return force->has_row;
    case TN_OWNER_TAUT:
        return is_taut(force);
    case TN_OWNER_TURNING:
        return force->has_row && !is_taut(force);
    case TN_OWNER_GENERAL:
        return !force->has_row;
    case TN_OWNER_SECTION:
        return force->ops->section != NULL;
    default:
        return 1;
    }
}

static int touch_places(const tn_joint_data *joint)
{
    return joint->ops->shapes ? joint->def->contact.touch->ops->n : 0;
}

int tn_owner_places(const tn_model *model, tn_owner owner, int i)
{
    TN_ASSERT(i >= 0 && i < tn_owner_elements(model, owner));
    if (list_of(owner) == LIST_FORCES)
        return force_places(&model->forces.at[i], owner);
    switch (owner) {
    case TN_OWNER_BODY:
        return i != TN_GROUND.index;
    case TN_OWNER_PLANE:
        return i != TN_GROUND.index && model->bodies.at[i].ops->turns == 1;
    case TN_OWNER_EULER:
        return model->bodies.at[i].def.angles != TN_ANGLES_NONE ? 3 : 0;
    case TN_OWNER_QUATERNION:
        return model->bodies.at[i].def.quaternion_rate;
    case TN_OWNER_COORDINATE:
        return model->joints.at[i].ops->ncoord;
    case TN_OWNER_ROW:
        return tn_constraint_count(model, i);
    case TN_OWNER_CONTACT:
        return model->joints.at[i].ops->shapes != NULL;
    case TN_OWNER_TOUCH:
        return touch_places(&model->joints.at[i]);
    case TN_OWNER_SAMPLED:
        return model->samplers.at[i].n;
    default:
        return 1;
    }
}

// Numbers of a quantity that an element has.
static int count_numbers(const tn_model *model, tn_quantity what, int element)
{
    const tn_quantity_kind *kind = &tn_quantity_kinds[what];
    return kind->ncomponent * tn_owner_places(model, kind->owner, element);
}

// Words -------------------------------------------------------------------------------------------

// A multiplier times its row is an energy: a force where the row is a length, else a torque. The
// row of a rack or screw mixes both and is a length.
static const char *multiplier_unit(const tn_model *model, int joint, int i)
{
    TN_ASSERT(joint >= 0 && i >= 0 && i < tn_constraint_count(model, joint));
    const tn_joint_ops *ops = model->joints.at[joint].ops;
    if (ops->by_formula)
        return ops->by_formula(model, joint) ? "N" : "N m";
    const tn_constraint_row row = tn_constraint_get(model, joint, i);
    for (int m = 0; m < row.nterm; m++)
        if (tn_row_is_length(&row.term[m].row))
            return "N";
    return "N m";
}

const char *tn_mixed_unit(tn_quantity what, bool length)
{
    switch (what) {
    case TN_Q_JOINT_RATE:
    case TN_Q_FORCE_RATE:
        return length ? "m/s" : "rad/s";
    case TN_Q_JOINT_ACCELERATION:
        return length ? "m/s^2" : "rad/s^2";
    case TN_Q_FORCE_EFFORT:
        return length ? "N" : "N m";
    case TN_Q_JOINT_COORDINATE:
    case TN_Q_FORCE_DEFLECTION:
        return length ? "m" : "rad";
    default:
        return ""; // the largest of rows in metres and rows without unit
    }
}

static void name_coordinate(const tn_model *model, const tn_named_quantity *q, tn_column *out)
{
    const tn_joint_coord *coord = &model->joints.at[q->element].ops->coords[q->component];
    out->component = coord->name;
    out->unit = tn_mixed_unit(q->what, strcmp(coord->unit, "m") == 0);
}

tn_column tn_quantity_column(const tn_model *model, const tn_named_quantity *q)
{
    TN_ASSERT(q->what < TN_QUANTITIES && q->component >= 0);
    const tn_quantity_kind *kind = &tn_quantity_kinds[q->what];
    tn_column out = {NULL, NULL, -1, kind->unit};
    out.owner = element_name(model, list_of(kind->owner), q->element);
    if (kind->ncomponent > 1)
        out.component = kind->components[q->component];
    if (kind->owner == TN_OWNER_COORDINATE) {
        name_coordinate(model, q, &out);
    } else if (kind->owner == TN_OWNER_ROW) {
        out.component = tn_constraint_row_name(model, q->element, q->component);
        out.unit = multiplier_unit(model, q->element, q->component);
    } else if (kind->owner == TN_OWNER_TOUCH) {
        const tn_touch *touch = model->joints.at[q->element].def->contact.touch;
        out.component = touch->ops->names[q->component];
        out.unit = touch->unit[q->component];
    } else if (kind->owner == TN_OWNER_EULER) {
        out.component = tn_angles_word(model->bodies.at[q->element].def.angles, q->component);
    } else if (kind->owner == TN_OWNER_SAMPLED) {
        out.component = model->samplers.at[q->element].value[q->component].name;
    } else if (kind->owner == TN_OWNER_OUTPUT) {
        out.unit = tn_output_unit(model->outputs.at[q->element]);
    } else if (strcmp(kind->unit, "mixed") == 0) {
        out.unit = tn_mixed_unit(q->what, list_of(kind->owner) == LIST_FORCES &&
                                              tn_row_is_length(&model->forces.at[q->element].row));
    }
    return out;
}

// The parts of a name behind its owner that are not empty.
typedef struct name_parts {
    int n;
    const char *at[3];
} name_parts;

static name_parts split_parts(const tn_quantity_kind *kind, const char *component)
{
    const char *const all[] = {kind->word, component, kind->tail};
    name_parts parts = {0};
    for (int i = 0; i < TN_COUNT(all); i++)
        if (all[i] && *all[i])
            parts.at[parts.n++] = all[i];
    return parts;
}

// If the file has lost the name of an owner, that of its group takes the place.
char *tn_quantity_name(const tn_quantity_kind *kind, const tn_column *c)
{
    char number[16] = "";
    if (c->number >= 0)
        snprintf(number, sizeof number, "%d", c->number);
    const name_parts parts = split_parts(kind, c->component ? c->component : number);
    const char *slash = strchr(kind->path, '/'), *group = c->owner ? c->owner : kind->path;
    const int length = c->owner ? (int)strlen(c->owner) : slash ? (int)(slash - kind->path) : 0;
    const char *const dot[] = {length > 0 && parts.n > 0 ? "." : "", parts.n > 1 ? "." : "",
                               parts.n > 2 ? "." : ""};
    TN_ASSERT(parts.n > 0 || length > 0);
    return tn_format("%.*s%s%s%s%s%s%s", length, group, dot[0], parts.n > 0 ? parts.at[0] : "",
                     dot[1], parts.n > 1 ? parts.at[1] : "", dot[2],
                     parts.n > 2 ? parts.at[2] : "");
}

// Reading -----------------------------------------------------------------------------------------

// Returns true if a text is these parts with dots between them.
static bool has_parts(const char *text, const name_parts *parts)
{
    for (int i = 0; i < parts->n; i++) {
        const size_t length = strlen(parts->at[i]);
        if ((i > 0 && *text++ != '.') || strncmp(text, parts->at[i], length) != 0)
            return false;
        text += length;
    }
    return *text == '\0';
}

// The readings of a name.
typedef struct readings {
    const tn_model *model;
    int count;
    tn_named_quantity first;
    char told[512]; // "'x' of joint 'a' and 'position.x' of body 'b'", "signal 'c'"
    owner_list
        list; // of the element of the longest beginning that is one; LIST_NONE: there is none
    int element;
    char owner[256]; // "joint 'a'"
} readings;

static const char *list_word(owner_list list)
{
    static const char *const words[] = {"run",   "body",    "joint",          "force", "signal",
                                        "state", "unknown", "sampled system", "output"};
    TN_ASSERT(list <= LIST_OUTPUTS);
    return words[list];
}

static void add_reading(readings *r, tn_named_quantity q, const char *owner, const char *tail)
{
    const size_t used = strlen(r->told);
    const tn_column column = tn_quantity_column(r->model, &q);
    q.unit = column.unit;
    if (r->count++ == 0)
        r->first = q;
    const char *and = r->count > 1 ? " and " : "";
    if (*tail)
        snprintf(r->told + used, sizeof r->told - used, "%s'%s' of %s", and, tail, owner);
    else
        snprintf(r->told + used, sizeof r->told - used, "%s%s", and, owner);
}

static void read_tail(readings *r, owner_list list, int element, const char *tail)
{
    for (tn_quantity what = 0; what < TN_QUANTITIES; what++) {
        const tn_quantity_kind *kind = &tn_quantity_kinds[what];
        const int n = list_of(kind->owner) == list ? count_numbers(r->model, what, element) : 0;
        for (int i = 0; i < n; i++) {
            const tn_named_quantity q = {what, element, i, ""};
            const name_parts parts = split_parts(kind, tn_quantity_column(r->model, &q).component);
            if (has_parts(tail, &parts))
                add_reading(r, q, r->owner, tail);
        }
    }
}

// The element of a name in a list, -1 for none; long lists have tables.
static int find_element(const tn_model *model, owner_list list, const char *name)
{
    const tn_table *const tables[LIST_NONE] = {[LIST_BODIES] = model->body_names,
                                               [LIST_JOINTS] = model->joint_names,
                                               [LIST_FORCES] = model->force_names,
                                               [LIST_OUTPUTS] = model->output_names};
    TN_ASSERT(list < LIST_NONE);
    if (tables[list])
        return tn_table_find(tables[list], name);
    const int n = count_elements(model, list), own = tn_table_find(model->signal_names, name);
    if (own >= 0 && own < n && strcmp(element_name(model, list, own), name) == 0)
        return own;
    for (int i = 0; list == LIST_STATES && i < n && strchr(name, '.'); i++) // of bristles
        if (strcmp(element_name(model, list, i), name) == 0)
            return i;
    return -1;
}

// Reads a name whose owner ends before `tail`.
static void read_owner(readings *r, const char *owner, const char *tail)
{
    for (owner_list list = LIST_BODIES; list <= LIST_OUTPUTS; list++) {
        const int element = find_element(r->model, list, owner);
        if (element < 0)
            continue;
        r->list = list;
        r->element = element;
        snprintf(r->owner, sizeof r->owner, "%s '%s'", list_word(list), owner);
        read_tail(r, list, element, tail);
    }
}

// The part of a name behind the group of a quantity of the run, "kinetic"; NULL: of another group.
static const char *behind_group(const char *name, const char *path)
{
    const size_t group = strcspn(path, "/");
    if (strncmp(name, path, group) != 0)
        return NULL;
    return !path[group] && !name[group] ? path : name[group] == '.' ? name + group + 1 : NULL;
}

static void read_run(readings *r, const char *name)
{
    for (tn_quantity what = 0; what < TN_QUANTITIES; what++) {
        const tn_quantity_kind *kind = &tn_quantity_kinds[what];
        const char *tail = kind->owner == TN_OWNER_RUN ? behind_group(name, kind->path) : NULL;
        for (int i = 0; tail && i < kind->ncomponent; i++) {
            const name_parts parts =
                split_parts(kind, kind->ncomponent > 1 ? kind->components[i] : NULL);
            if (has_parts(tail, &parts))
                add_reading(r, (tn_named_quantity){what, 0, i, ""}, "the run", name);
        }
    }
}

static tn_status read_name(const tn_model *model, const char *name, readings *r)
{
    char *text = tn_strdup(name);
    TN_TRY(tn_got(text));
    *r = (readings){.model = model, .list = LIST_NONE};
    read_run(r, name);
    for (char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
        *dot = '\0';
        read_owner(r, text, name + (dot - text) + 1);
        *dot = '.';
    }
    read_owner(r, name, "");
    tn_free(text);
    return TN_OK;
}

tn_status tn_vocabulary_count(const tn_model *model, const char *name, int *count,
                              tn_named_quantity *out)
{
    readings r;
    TN_TRY(read_name(model, name, &r));
    *count = r.count;
    *out = r.first;
    return TN_OK;
}

// All names ---------------------------------------------------------------------------------------

bool tn_vocabulary_next(const tn_model *model, tn_named_quantity *at)
{
    at->component++;
    for (; at->what < TN_QUANTITIES; at->what++, at->element = 0) {
        const int elements = tn_owner_elements(model, tn_quantity_kinds[at->what].owner);
        for (; at->element < elements; at->element++, at->component = 0)
            if (at->component < count_numbers(model, at->what, at->element)) {
                at->unit = tn_quantity_column(model, at).unit;
                return true;
            }
        at->component = 0;
    }
    return false;
}

// Unknown names -----------------------------------------------------------------------------------

// All names, or those of one element.
static tn_status list_names(const tn_model *model, owner_list list, int element, int first,
                            tn_table *names)
{
    tn_named_quantity at = {.component = -1};
    while (tn_vocabulary_next(model, &at)) {
        const tn_quantity_kind *kind = &tn_quantity_kinds[at.what];
        if (list != LIST_NONE && (list_of(kind->owner) != list || at.element != element))
            continue;
        const tn_column column = tn_quantity_column(model, &at);
        char *name = tn_quantity_name(kind, &column);
        tn_status s = tn_got(name);
        if (s == TN_OK && tn_table_find(names, name) < 0)
            s = tn_table_add(names, name, first++);
        tn_free(name);
        TN_TRY(s);
    }
    return TN_OK;
}

tn_hint tn_vocabulary_hint(const tn_table *names, const char *name)
{
    char *today = tn_name_of_today(name);
    tn_hint hint = tn_table_hint(names, name);
    if (today && tn_table_find(names, today) >= 0)
        snprintf(hint.text, sizeof hint.text, "did you mean '%s'?", today);
    tn_free(today);
    return hint;
}

static tn_status fail_unknown(const char *name, const readings *r, const tn_table *names)
{
    const tn_hint hint = tn_vocabulary_hint(names, name);
    return r->list == LIST_NONE ? tn_fail(TN_ERR_MODEL, "unknown name '%s'; %s", name, hint.text)
                                : tn_fail(TN_ERR_MODEL, "'%s': %s has no such quantity; %s", name,
                                          r->owner, hint.text);
}

tn_status tn_vocabulary_find(const tn_model *model, const char *name, tn_named_quantity *out)
{
    readings r;
    tn_table *names = NULL;
    TN_TRY(read_name(model, name, &r));
    *out = r.first;
    if (r.count == 1)
        return TN_OK;
    if (r.count > 1)
        return tn_fail(TN_ERR_MODEL, "'%s' has two meanings: %s; give one of them another name",
                       name, r.told);
    tn_status s = tn_table_create(&names);
    TN_THEN(s, list_names(model, r.list, r.element, 0, names));
    TN_THEN(s, fail_unknown(name, &r, names));
    tn_table_destroy(names);
    return s;
}
