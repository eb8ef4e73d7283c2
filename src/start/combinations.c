// SPDX-License-Identifier: MIT
//
// The table of what cannot be combined; see combinations.h. A row says what does not go with what,
// for the page, and the sentence of the refusal. Words in braces stand for what a combination has.

#include "start/combinations.h"

#include "base/alloc.h"
#include "coords/joint_coords.h"
#include "formulation/discrete.h"
#include "formulation/ode_ops.h"
#include "system/absolute.h"
#include "text/buffer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Facts -------------------------------------------------------------------------------------------

static bool goes_to(const tn_combination *c, const char *coordinates)
{
    return !strcmp(c->to->name, coordinates);
}

static bool needs(const tn_combination *c, unsigned views)
{
    return c->integrator->needs & views;
}

static bool has_rotation(const tn_combination *c, const char *rotation)
{
    return c->options->rotation && !strcmp(c->options->rotation, rotation);
}

static bool turns(const tn_combination *c)
{
    for (int k = 0; k < c->sys->ngroup; k++)
        if (tn_group_turns(&c->sys->groups[k]))
            return true;
    return false;
}

static bool wants_linear_rotations(const tn_combination *c)
{
    return has_rotation(c, "quaternion") || has_rotation(c, "euler");
}

static bool found(tn_combination *c, const char *name)
{
    c->name = name;
    return name != NULL;
}

static bool counts(tn_combination *c, int count)
{
    c->count = count;
    return count > 0;
}

// A fact of a row, which may find an element for its sentence.
#define WHEN(name, condition)           \
    static bool name(tn_combination *c) \
    {                                   \
        return condition;               \
    }

// Coordinates -------------------------------------------------------------------------------------

WHEN(turns_by_se3, c->options != NULL && has_rotation(c, "se3"))
WHEN(has_consistent_inertia, found(c, tn_absolute_spread_name(c->sys)))
WHEN(shares_in_directors, goes_to(c, "director") && found(c, tn_absolute_share_name(c->sys)))
WHEN(is_modal_in_directors, goes_to(c, "director") && found(c, tn_absolute_modal_name(c->sys)))

static bool has_many_modal_velocities(tn_combination *c)
{
    int ng;
    bool local;
    return goes_to(c, "joint") && tn_absolute_modal_name(c->sys) &&
           tn_joint_coords_size(c->sys, &c->count, &ng, &local) == TN_OK &&
           c->count > TN_JOINT_DENSE_MAX;
}

static bool is_row_in_directors(tn_combination *c)
{
    for (int i = 0; goes_to(c, "director") && i < c->model->joints.count; i++)
        if (c->model->joints.at[i].ops->by_formula)
            return found(c, c->model->joints.at[i].name);
    return false;
}

static bool has_one_sided(tn_combination *c, const tn_model *model)
{
    for (int i = 0; i < model->joints.count; i++)
        if (model->joints.at[i].def->one_sided)
            return found(c, model->joints.at[i].name);
    return false;
}

WHEN(is_one_sided_in_directors, goes_to(c, "director") && has_one_sided(c, c->model))

// An element whose axes turn apart by x has the mean axis cos(x/2) and lengthens by the inverse of
// it without force: where nothing resists bending, as far as it likes.
static bool is_cable_in_directors(tn_combination *c)
{
    for (int k = 0; goes_to(c, "director") && k < c->model->forces.count; k++) {
        const tn_force_def *def = &c->model->forces.at[k].def;
        if (def->kind == TN_FORCE_BEAM_ELEMENT &&
            fmin(def->beam.rotational_stiffness.x, def->beam.rotational_stiffness.y) == 0.0)
            return found(c, c->model->forces.at[k].name);
    }
    return false;
}

// Methods -----------------------------------------------------------------------------------------

// The weight C/h of baumgarte2 jumps with the step: what a long step has left in g asks for a
// velocity that is the larger the shorter the next step is [Arn16, after eq. 87].
WHEN(is_weighed_by_steps,
     c->options->adaptive && c->formulation->baumgarte && !c->formulation->acceleration)

// A method is symplectic as one map that is repeated; steps that follow the motion make it another
// one each time, and the energy drifts as with any other method.
WHEN(is_fixed_with_control, needs(c, TN_VIEW_DISCRETE) && c->options->adaptive)

WHEN(is_over_impacts_with_control, c->integrator->over_impacts && c->options->adaptive)
WHEN(rubs_over_impacts, c->integrator->over_impacts && c->sys->nslide > 0)

static bool needs_full_matrix(tn_combination *c)
{
    const bool recursive = c->formulation->ode && c->formulation->ode->recursive;
    c->count = c->sys->nv;
    return !c->sys->block[TN_BLOCK_M] &&
           (needs(c, TN_VIEW_BLOCKS) || (needs(c, TN_VIEW_ACCEL) && !recursive));
}

// Motions without inertia are solved for by implicit methods, and by explicit forms that say so.
WHEN(lacks_inertia, counts(c, c->sys->nmassless) && !needs(c, TN_VIEW_STEP | TN_VIEW_RESIDUAL))
WHEN(formulation_needs_inertia, lacks_inertia(c) && needs(c, TN_VIEW_ACCEL) &&
                                    c->formulation->ode && !c->formulation->ode->massless)
WHEN(integrator_needs_inertia, lacks_inertia(c) && !needs(c, TN_VIEW_ACCEL))

WHEN(is_discrete, needs(c, TN_VIEW_DISCRETE))
WHEN(turns_discretely, is_discrete(c) && c->sys->ops->mechanism && turns(c))
WHEN(turns_discretely_by_own_spaces, is_discrete(c) && turns(c))

WHEN(rolls_discretely, is_discrete(c) && counts(c, c->sys->nn) && !c->formulation->discrete->rolls)
WHEN(touches_discretely, is_discrete(c) && counts(c, c->sys->ns))
WHEN(uses_reactions_discretely, is_discrete(c) && c->sys->force_uses_lambda)
WHEN(lacks_gradient, !strcmp(c->integrator->name, "energy-momentum") && !c->sys->ops->gradient)

WHEN(is_large_dalembert, !strcmp(c->formulation->name, "dalembert") && counts(c, c->sys->nv) &&
                             c->count > TN_DALEMBERT_MAX)
WHEN(steps_on_group, turns(c) && wants_linear_rotations(c) && c->integrator->on_group)
WHEN(needs_one_chart, turns(c) && (has_rotation(c, "so3") || has_rotation(c, "se3")) &&
                          !tn_integrator_takes_rotations(c->integrator, false))
WHEN(has_own_se3, !c->sys->ops->mechanism && turns(c) && has_rotation(c, "se3"))

static bool has_natural_basis(const tn_combination *c)
{
    const char *reads = c->formulation->reads, *basis = c->options->nullspace;
    return reads && strstr(reads, "nullspace") && basis && !strcmp(basis, "natural") &&
           !c->sys->ops->tree;
}

WHEN(is_natural_elsewhere, has_natural_basis(c) && c->sys->ops->mechanism)
WHEN(is_natural_without_joints, has_natural_basis(c))

// Rows of velocities that are not linear in them: methods that solve them for velocities once, with
// N as it was, and forms in which v is a linear function of others.
WHEN(is_bent, found(c, c->sys->bent_row))

static bool is_bent_by(tn_combination *c, const char *name)
{
    return is_bent(c) &&
           (!strcmp(c->integrator->name, name) || !strcmp(c->formulation->name, name));
}

WHEN(is_bent_by_herk5, is_bent_by(c, "herk5"))
WHEN(is_bent_by_independent_velocities, is_bent_by(c, "maggi") || is_bent_by(c, "minimal"))
WHEN(is_bent_by_momenta, is_bent_by(c, "phase-space"))
WHEN(is_bent_by_projections, is_bent_by(c, "projective"))

// Commands ----------------------------------------------------------------------------------------

WHEN(is_one_sided, c->model &&has_one_sided(c, c->model))

WHEN(is_undamped, c->modes->undamped)
WHEN(is_sparse, c->modes->method == TN_MODES_SPARSE)
WHEN(has_samplers, c->model->samplers.count > 0 && found(c, c->model->samplers.at[0].name))
WHEN(has_states, c->model->states.count > 0 && found(c, c->model->states.at[0].name))
WHEN(has_unknowns, c->model->unknowns.count > 0 && found(c, c->model->unknowns.at[0].name))

// The table ---------------------------------------------------------------------------------------

typedef struct tn_refusal {
    tn_moment when;
    tn_status status;
    const char *what, *with; // of the page
    bool (*holds)(tn_combination *c);
    const char *sentence;
} tn_refusal;

#define FOLLOWS(word)                                                                              \
    word " '{name}': inverse dynamics does not follow states, unknowns and sampled systems along " \
         "the motion; leave out what uses them, or run the model with drives"

#define BENT "rows of velocities that are not linear in them"
#define NEEDS_LINEAR(who, why)                                    \
    who " takes rows of velocities that are linear in them: " why \
        ", and the row of joint '{name}' "                        \
        "is not linear"

static const tn_refusal refusals[] = {
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "rotation `se3`", "`joint`, `director`", turns_by_se3,
     "rotation 'se3' is a choice of absolute coordinates; in {to} coordinates take so3, "
     "quaternion, euler or auto"},
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "beams with consistent inertia", "`joint`, `director`",
     has_consistent_inertia,
     "beam element '{name}' has consistent inertia, which couples the bodies at its ends; {to} "
     "coordinates do not take it: take @absolute, or lumped inertia"},
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "modal bodies", "`director`", is_modal_in_directors,
     "body '{name}' is a modal body, which {to} coordinates do not take: take @absolute or @joint"},
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "modal bodies in large models", "`joint`",
     has_many_modal_velocities,
     "joint coordinates take modal bodies up to {dense} velocities, this model has {count}; take "
     "@absolute"},
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "rows by expressions", "`director`",
     is_row_in_directors,
     "director coordinates take no rows by expressions, whose names are numbers of rotations, and "
     "joint '{name}' is one; take @absolute or @joint"},
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "joints that share loads", "`director`",
     shares_in_directors,
     "director coordinates have no rule by which joints share loads, and joint '{name}' shares "
     "some; take @absolute or @joint"},
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "cables (beams without stiffness against bending)",
     "`director`", is_cable_in_directors,
     "director coordinates take no cables, whose elements would lengthen there without force, and "
     "beam element '{name}' has no stiffness against bending; take @absolute or @joint"},
    {TN_BEFORE_COORDINATES, TN_ERR_PAIRING, "one-sided contacts", "`director`",
     is_one_sided_in_directors,
     "director coordinates take no contacts that part, and joint '{name}' is one: discrete "
     "principles know forces at nodes only; take @absolute or @joint"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "`baumgarte2`", "error control", is_weighed_by_steps,
     "formulation '{formulation}' weighs positions by C/h and is made for fixed steps, not for "
     "steps that errors control; state a step without adaptive, or take ggl or +project"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "`variational`, `energy-momentum`", "error control",
     is_fixed_with_control,
     "integrator '{integrator}' keeps the structure of the motion with a fixed step only, and "
     "steps that errors control would lose it; state a step without adaptive, or take radau5/ggl"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "`nsgalpha`", "error control", is_over_impacts_with_control,
     "integrator '{integrator}' steps over impacts, where errors are as large as the step; state a "
     "step without adaptive, or take galpha/ggl, whose steps end at impacts"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "`nsgalpha`", "contacts with friction", rubs_over_impacts,
     "integrator '{integrator}' steps over impacts without friction only; take galpha/ggl, or a "
     "method with error control, whose steps end where contacts stick and slip"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "large models in `joint`",
     "`herk5`, explicit methods beside `index1`", needs_full_matrix,
     "{integrator}/{formulation} needs the mass matrix, which is full in joint coordinates and not "
     "formed for more than {dense} velocities (here {count}); take index1, an implicit method, or "
     "@absolute"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "motions without inertia", "explicit methods beside `index1`",
     formulation_needs_inertia,
     "formulation '{formulation}' needs inertia in every motion that the constraints allow, and "
     "{count} of this model {has} none; take {integrator}/index1 or an implicit method, such as "
     "radau5/ggl"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "motions without inertia",
     "`herk5`, `variational`, `energy-momentum`", integrator_needs_inertia,
     "integrator '{integrator}' needs inertia in every motion that the constraints allow, and "
     "{count} of this model {has} none; take dopri5/index1 or an implicit method, such as "
     "radau5/ggl"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "rotations in `absolute`, `joint`",
     "`variational`, `energy-momentum`", turns_discretely,
     "discrete principles need coordinates in a linear space, and {coordinates} coordinates of "
     "this model have rotations; take @director"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "rotations of a program's own equations",
     "`variational`, `energy-momentum`", turns_discretely_by_own_spaces,
     "discrete principles need coordinates in a linear space, and these equations have rotations "
     "in their spaces; take galpha/ggl or radau5/ggl"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "what rolls, rows of velocities", "`dalembert`, `reparam`",
     rolls_discretely,
     "formulation '{formulation}' has no place for rows of velocities, and this model has {count}; "
     "take variational/multiplier or energy-momentum/multiplier"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "contacts", "`variational`, `energy-momentum`",
     touches_discretely,
     "discrete principles have no place for coordinates of contacts, and these equations have "
     "{count}; take galpha/ggl or radau5/ggl"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "laws by reactions", "`variational`, `energy-momentum`",
     uses_reactions_discretely,
     "forces or states of this model depend on constraint forces, which discrete principles know "
     "at nodes only, not where forces act; take galpha/ggl or radau5/ggl"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "`absolute`, `joint`, a program's own equations",
     "`energy-momentum`", lacks_gradient,
     "energy-momentum needs discrete derivatives of potentials and constraints, which "
     "{coordinates} coordinates do not have; take {directors}variational"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "large models", "`dalembert`", is_large_dalembert,
     "dalembert has full matrices, in which a step takes a time that grows with the cube of the "
     "number of coordinates; it takes up to {dalembert} of them, and this model has {count}: take "
     "multiplier or reparam, which are linear in it"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "rotation `quaternion`, `euler`", "`galpha`, `hht`",
     steps_on_group,
     "integrator '{integrator}' steps rotations on the group itself and has no use for the linear "
     "coordinates of rotation '{rotation}'; take so3 or se3"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "rotation `so3`, `se3`", "`bdf`, `adams`", needs_one_chart,
     "integrator '{integrator}' needs one set of linear coordinates for many steps, which rotation "
     "'{rotation}' does not give; take quaternion or euler (auto takes quaternion)"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "rotation `se3`", "a program's own equations", has_own_se3,
     "rotation 'se3' is a choice for bodies, and the spaces of these equations say what their "
     "rotations are; take auto, so3, quaternion or euler"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "null space `natural`", "`joint`, `director`",
     is_natural_elsewhere,
     "null space 'natural' is the motion of the joints in absolute coordinates, not in "
     "{coordinates} ones; take auto, lu, qr, svd, gram-schmidt or zero-eigenvalue, or @absolute"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, "null space `natural`", "a program's own equations",
     is_natural_without_joints,
     "null space 'natural' follows the joints of a model, and these equations have none; take "
     "auto, lu, qr, svd, gram-schmidt or zero-eigenvalue"},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, BENT, "`herk5`", is_bent_by_herk5,
     NEEDS_LINEAR("herk5", "its stages solve rows for the next velocity as linear equations")},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, BENT, "`maggi`, `minimal`", is_bent_by_independent_velocities,
     NEEDS_LINEAR("{formulation}", "it writes velocities as linear functions of independent ones")},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, BENT, "`phase-space`", is_bent_by_momenta,
     NEEDS_LINEAR("phase-space", "it writes velocities as linear functions of momenta")},
    {TN_BEFORE_VIEWS, TN_ERR_PAIRING, BENT, "`projective`", is_bent_by_projections,
     NEEDS_LINEAR("projective", "it writes velocities as linear functions of their projections")},
    {TN_BEFORE_MODES, TN_ERR_USAGE, "states, rolling, laws by reactions",
     "`tenon modes --undamped`", is_undamped,
     "undamped: with states, rolling, or forces by reactions damping cannot be told from the rest; "
     "leave it out"},
    {TN_BEFORE_MODES, TN_ERR_USAGE, "states, rolling, laws by reactions",
     "`tenon modes --method sparse`", is_sparse,
     "method: models with states, rolling, or forces by reactions are solved by dense matrices "
     "alone; leave it out"},
    {TN_BEFORE_EQUILIBRIUM, TN_ERR_MODEL, "sampled systems",
     "`tenon equilibrium`, and what looks for one", has_samplers,
     "sampled '{name}': an equilibrium has no sampling times; leave out the sampled system and "
     "what uses it, or state a continuous law in its place"},
    {TN_AT_EQUILIBRIUM, TN_ERR_PAIRING, BENT, "`tenon equilibrium`, `modes`, `linearize`", is_bent,
     NEEDS_LINEAR("an equilibrium or what is linearised at one",
                  "the gradients of others may vanish at rest")},
    {TN_AT_EQUILIBRIUM, TN_ERR_MODEL, "one-sided contacts",
     "`tenon equilibrium`, `modes`, `linearize`", is_one_sided,
     "joint '{name}': it is not known before whether a contact that parts is closed in an "
     "equilibrium; leave out one_sided where it is, or the joint where it is open"},
    {TN_BEFORE_INVERSE, TN_ERR_MODEL, "one-sided contacts", "`tenon inverse`", is_one_sided,
     "joint '{name}': inverse dynamics does not follow contacts that part; leave out one_sided, or "
     "the joint"},
    {TN_BEFORE_INVERSE, TN_ERR_PAIRING, BENT, "`tenon inverse`", is_bent,
     NEEDS_LINEAR("inverse dynamics", "accelerations follow from them without iterations")},
    {TN_BEFORE_INVERSE, TN_ERR_MODEL, "sampled systems", "`tenon inverse`", has_samplers,
     FOLLOWS("sampled")},
    {TN_BEFORE_INVERSE, TN_ERR_MODEL, "states", "`tenon inverse`", has_states, FOLLOWS("state")},
    {TN_BEFORE_INVERSE, TN_ERR_MODEL, "unknowns", "`tenon inverse`", has_unknowns,
     FOLLOWS("unknown")},
};

// Sentences ---------------------------------------------------------------------------------------

// The value of a word in braces; numbers are written into `number`.
static const char *value_of(const tn_combination *c, const char *word, size_t n, char number[16])
{
    const struct {
        const char *word, *text;
        int count;
    } values[] = {
        {"name", c->name, 0},
        {"to", c->to ? c->to->name : NULL, 0},
        {"coordinates", c->sys ? c->sys->ops->coordinates : NULL, 0},
        {"integrator", c->integrator ? c->integrator->name : NULL, 0},
        {"formulation", c->formulation ? c->formulation->name : NULL, 0},
        {"rotation", c->options ? c->options->rotation : NULL, 0},
        {"directors", c->sys && c->sys->ops->mechanism ? "@director, or " : "", 0},
        {"has", c->count == 1 ? "has" : "have", 0},
        {"count", NULL, c->count},
        {"dense", NULL, TN_JOINT_DENSE_MAX},
        {"dalembert", NULL, TN_DALEMBERT_MAX},
    };
    for (int i = 0; i < TN_COUNT(values); i++) {
        if (strlen(values[i].word) != n || strncmp(values[i].word, word, n) != 0)
            continue;
        snprintf(number, 16, "%d", values[i].count);
        return values[i].text ? values[i].text : number;
    }
    TN_ASSERT(false);
    return "";
}

// Writes a sentence; without a combination its words in braces as they are.
static void put_sentence(tn_buffer *out, const char *sentence, const tn_combination *c)
{
    char number[16];
    for (const char *at = sentence; *at;) {
        const size_t plain = strcspn(at, "{");
        tn_buffer_put(out, at, plain);
        at += plain;
        if (!*at)
            return;
        const size_t n = strcspn(++at, "}");
        if (c)
            tn_buffer_say(out, value_of(c, at, n, number));
        else
            tn_buffer_format(out, "*%.*s*", (int)n, at);
        at += n + 1;
    }
}

tn_status tn_combination_check(tn_moment moment, tn_combination of)
{
    for (int i = 0; i < TN_COUNT(refusals); i++) {
        const tn_refusal *r = &refusals[i];
        if (r->when != moment || !r->holds(&of))
            continue;
        tn_buffer text = {0};
        char *sentence = NULL;
        put_sentence(&text, r->sentence, &of);
        TN_TRY(tn_buffer_finish(&text, "an error", &sentence));
        const tn_status status = tn_fail(r->status, "%s", sentence);
        tn_free(sentence);
        return status;
    }
    return TN_OK;
}

tn_status tn_combinations_page(char **out)
{
    tn_buffer text = {0};
    tn_buffer_say(
        &text,
        "# What cannot be combined\n\nThis page is generated from the table that refuses it\n"
        "([combinations.c](../../src/start/combinations.c)). All other kinds, coordinates, "
        "methods and commands\ngo together; which integrator takes which formulation `tenon "
        "methods` tells. Words in italics stand\nfor what a model has.\n\n"
        "| what | with | what is said |\n|---|---|---|\n");
    for (int i = 0; i < TN_COUNT(refusals); i++) {
        tn_buffer_format(&text, "| %s | %s | ", refusals[i].what, refusals[i].with);
        put_sentence(&text, refusals[i].sentence, NULL);
        tn_buffer_say(&text, " |\n");
    }
    return tn_buffer_finish(&text, "the page of combinations", out);
}
