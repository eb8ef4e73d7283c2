// SPDX-License-Identifier: MIT
//
// Friction by bristles that bend, the model of Lund and Grenoble [COAL95], relative to
// the normal load N as in [CT99]. In each direction of slip u_k (slip.h), s = |u|:
//
//   z_k' = u_k - sigma_0 s z_k / mu(s),   F_k = N (sigma_0 z_k + sigma_1 z_k') + c u_k
//
// z is a state of the model, and the force of the bristles, F / N without c u, a number that an
// expression gives. |u| is sqrt(u^2 + d^2) - d with d = small_speed of signal_compile.c: smooth,
// and zero at rest, where bristles hold without creep. Those of a ball stand on body A: z and u are
// along the axes of frame A, so that the law is the same for one who turns with both bodies.

#include "force/force_friction.h"

#include "force/slip.h"
#include "model/builder.h"
#include "model/signal.h"

#include <stdio.h>

enum { TEXT = 6000, NAME = TN_BRISTLE_NAME };

// Texts of one direction.
typedef struct bristle_texts {
    char name[NAME], speed[NAME], rate[TEXT], carried[2 * TEXT];
} bristle_texts;

void tn_bristle_name(const tn_force_data *data, int k, char name[TN_BRISTLE_NAME])
{
    if (data->slip.n == 1)
        snprintf(name, NAME, "%.400s.bristle", data->name);
    else if (data->slip.ball)
        snprintf(name, NAME, "%.400s.bristle.%c", data->name, "xyz"[k]);
    else
        snprintf(name, NAME, "%.400s.bristle.%s", data->name,
                 data->slip.turns[k] ? "angle" : "displacement");
}

// The square of all speeds of slip.
static void square_text(const tn_model *model, const tn_force_data *data, char *text, size_t size)
{
    size_t n = 0;
    for (int k = 0; k < data->slip.n && n < size; k++) {
        char speed[NAME];
        tn_slip_speed_text(model, data, k, speed, sizeof speed);
        n += (size_t)snprintf(text + n, size - n, "%s%s^2", k > 0 ? " + " : "", speed);
    }
}

static void write_texts(const tn_model *model, const tn_force_data *data, int k, bristle_texts *out)
{
    const tn_friction *f = &data->def.friction;
    char square[3 * NAME];
    tn_bristle_name(data, k, out->name);
    square_text(model, data, square, sizeof square);
    tn_slip_speed_text(model, data, k, out->speed, sizeof out->speed);
    snprintf(out->rate, sizeof out->rate,
             "%s - %.17g*(sqrt(%s + small_speed^2) - small_speed)*\"%s\"/(%.17g + "
             "%.17g*exp(-(%s)/%.17g))",
             out->speed, f->stiffness, square, out->name, f->coulomb, f->stiction - f->coulomb,
             square, f->stribeck * f->stribeck);
    snprintf(out->carried, sizeof out->carried, "%.17g*\"%s\" + %.17g*(%s)", f->stiffness,
             out->name, f->damping, out->rate);
}

static const tn_param carried[TN_SLIPS] = {
    FRICTION(carried[0], "carried by bristles", "", .affine = true, .damps = true),
    FRICTION(carried[1], "carried by bristles", "", .affine = true, .damps = true),
    FRICTION(carried[2], "carried by bristles", "", .affine = true, .damps = true),
};

static tn_status add_bristle(tn_model *model, const tn_force_data *data, int k, const char *what,
                             bristle_texts *text)
{
    tn_state_def state = tn_default_state();
    char number[600];
    write_texts(model, data, k, text);
    state.name = text->name;
    state.rate = text->rate;
    state.initial = data->def.friction.bristle;
    TN_TRY(tn_state_own(model, &state));
    snprintf(number, sizeof number, "%s: %s", what, carried[k].name);
    return tn_live_own(model, &carried[k], number, text->carried);
}

static tn_status lugre_join(tn_model *model, const tn_force_data *data, const char *what)
{
    TN_TRY(tn_friction_join(model, data, what));
    bristle_texts *text = tn_alloc(sizeof *text);
    tn_status status = tn_got(text);
    for (int k = 0; k < data->slip.n; k++)
        TN_THEN(status, add_bristle(model, data, k, what, text));
    tn_free(text);
    return status;
}

static const tn_param lugre_params[] = {
    TN_FRICTION_PARAMS,
    FRICTION(stiffness, "stiffness", "1/m", .range = TN_POSITIVE, .required = true,
             .text = "of the bristles, relative to the load: sigma_0"),
    FRICTION(damping, "damping", "s/m", .range = TN_NONNEGATIVE,
             .text = "of the bristles, relative to the load: sigma_1"),
    FRICTION(bristle, "bristle", "m", .given = offsetof(tn_force_def, friction.bristle_given),
             .text = "deflection of the bristles at the start; when left out the one that carries "
                     "the load at rest"),
};

const tn_force_ops tn_force_lugre = {
    .name = "lugre",
    .text = "friction in a joint by bristles that bend (LuGre), with a state of its own",
    TN_PARAMS(lugre_params),
    .on_joint = true,
    .slips = tn_slip_take,
    .prepare = tn_friction_prepare,
    .join = lugre_join,
    .eval = tn_friction_eval,
    .tangent = tn_friction_tangent,
};
