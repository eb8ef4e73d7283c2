// SPDX-License-Identifier: MIT
//
// Inputs; see input.h. With e = y - x and the time T = t - s the filter is, by its damping z,
//
//   z < 1   e = exp(-z w T) (p cos(k T) + q sin(k T)),   k = w sqrt(1 - z^2)
//   z = 1   e = exp(-w T) (p + q T)
//   z > 1   e = p exp(-k1 T) + q exp(-k2 T),             k1,2 = w (z -+ sqrt(z^2 - 1))

#include "signal/input.h"

#include <math.h>
#include <string.h>

const char *const tn_input_kinds[TN_INPUT_KIND_COUNT + 1] = {"held", "motion", "filter", NULL};

const tn_param tn_input_params[] = {
    TN_PARAM(
        tn_input_def, kind, CHOICE, "kind", "", .choices = tn_input_kinds,
        .text =
            "held until it is set again; a motion, set with its derivatives; or a filter, which "
            "follows what is set"),
    TN_PARAM(tn_input_def, value, NUMBER, "value", "", .text = "until it is set"),
    TN_PARAM(tn_input_def, rate, NUMBER, "rate", "1/s",
             .text = "motion and filter: its first derivative at the start"),
    TN_PARAM(tn_input_def, acceleration, NUMBER, "acceleration", "1/s^2",
             .text = "motion: its second derivative at the start"),
    TN_PARAM(tn_input_def, frequency, NUMBER, "frequency", "rad/s",
             .text = "filter: frequency without damping, required"),
    TN_PARAM(tn_input_def, damping, NUMBER, "damping", "",
             .text = "filter: as a part of the critical damping"),
};
const int tn_input_param_count = TN_COUNT(tn_input_params);

// Formulas ----------------------------------------------------------------------------------------

static bool is_critical(const tn_input_def *def)
{
    return fabs(def->damping - 1.0) < 1e-6; // the two others lose their digits there
}

const char *tn_input_formula(const tn_input_data *input)
{
    const tn_input_def *def = &input->def;
    if (def->kind == TN_INPUT_HELD)
        return "p0";
    if (def->kind == TN_INPUT_MOTION)
        return "p0 + (t - p3)*(p1 + 0.5*p2*(t - p3))";
    if (is_critical(def))
        return "p0 + exp(-p4*(t - p3))*(p1 + p2*(t - p3))";
    return def->damping < 1.0 ? "p0 + exp(-p4*(t - p3))*(p1*cos(p5*(t - p3)) + p2*sin(p5*(t - p3)))"
                              : "p0 + p1*exp(-p4*(t - p3)) + p2*exp(-p5*(t - p3))";
}

void tn_input_fixed_numbers(const tn_input_data *input, double out[2])
{
    const double w = input->def.frequency, z = input->def.damping;
    const double k = w * sqrt(fabs(z * z - 1.0));
    out[0] = z < 1.0 ? z * w : w * w / (z * w + k); // k1 without cancellation
    out[1] = z < 1.0 ? k : z * w + k;
    if (is_critical(&input->def))
        out[0] = w;
}

void tn_input_numbers(const tn_input_data *input, double s, const double u[3], const double now[3],
                      double number[TN_INPUT_NUMBERS])
{
    const tn_input_def *def = &input->def;
    double k[2];
    memcpy(number, u, 3 * sizeof(double));
    number[3] = s;
    if (def->kind != TN_INPUT_FILTER)
        return;
    tn_input_fixed_numbers(input, k);
    const double e = now[0] - u[0], rate = now[1];
    number[1] = e;
    if (is_critical(def))
        number[2] = rate + k[0] * e;
    else if (def->damping < 1.0)
        number[2] = (rate + k[0] * e) / k[1];
    else {
        number[1] = (rate + k[1] * e) / (k[1] - k[0]);
        number[2] = e - number[1];
    }
}

void tn_input_start(const tn_input_data *input, double s, double number[TN_INPUT_NUMBERS])
{
    const tn_input_def *def = &input->def;
    const double u[3] = {def->value, def->rate, def->acceleration};
    tn_input_numbers(input, s, u, u, number);
}
