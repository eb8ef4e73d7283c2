// SPDX-License-Identifier: MIT
//
// A model in units of its own size. Simulations compute with such a copy, so that the numbers that
// meet in a matrix, a norm or a tolerance are of size one whatever the mechanism measures, and
// answers are given back in SI units by whoever made the copy (docs/theory/units.md).
//
// Units are powers of two: changing them commits no rounding error.

#pragma once

#include "model/model.h"

extern const tn_units tn_units_si;

// The nearest power of two; 1 where the size is zero or not finite.
double tn_power_of_two(double size);

// The size of a mechanism: the longest lever, rod, spring or radius of gyration, and the largest
// mass; places in the inertial frame do not count. Time stays in seconds: a model alone does not
// determine how fast it will move; see `time_scale` of tn_system.
tn_units tn_model_units(const tn_model *model);

// The model in other units. It shares names, functions and shapes with the first one, which must
// outlive it, and events keep their values in SI units.
tn_status tn_model_in_units(const tn_model *model, tn_units units, tn_model **out);
void tn_model_in_units_destroy(tn_model *model);
void tn_model_start_inputs(const tn_model *copy, double t_start); // values are those at this time
// The value of an input at time t and its two derivatives, in SI units.
void tn_model_eval_input(const tn_model *copy, int input, double t, double u[3]);
// Puts the numbers of an input (tn_input_numbers) into all functions.
void tn_model_put_numbers(const tn_model *copy, int input, const double number[TN_INPUT_NUMBERS]);

// Gives each body of a copy a wrench that can be set while it moves; *out has as many as there are
// bodies and lives as long as the copy.
tn_status tn_model_take_wrenches(tn_model *copy, tn_applied **out);

// One unit of a quantity in SI units.
static inline double tn_unit_energy(tn_units u)
{
    const double speed = u.length / u.time;
    return u.mass * speed * speed;
}

static inline double tn_unit_force(tn_units u)
{
    return tn_unit_energy(u) / u.length;
}

static inline tn_wrench tn_wrench_in_si(tn_units u, tn_wrench w)
{
    return (tn_wrench){tn_v3_scale(tn_unit_force(u), w.f), tn_v3_scale(tn_unit_energy(u), w.m)};
}

// The unit of a coordinate, by its name "m" or "rad".
double tn_unit_coordinate(tn_units u, const char *unit);
// The unit of a coordinate of a joint, in the units of the model.
double tn_unit_joint_coordinate(const tn_model *model, tn_joint joint, int coordinate);

// The unit that a text states, "kg m^2" or "N m/rad", in SI units; 0 where it is not known. If it
// states two, "N/m or N m/rad", the first is taken for a length and the second for an angle. An
// exponent that is a letter counts as 1.
double tn_unit_of(tn_units u, const char *text, bool length);

// Puts value(argument) of a function, in units of the copy, into the place of it; the copy owns it.
tn_status tn_scale_function(tn_model *copy, double argument, double value, tn_timefn **f);

// Returns true if a force acts on a length, and not on an angle.
static inline bool tn_force_acts_on_length(const tn_force_data *force)
{
    return !force->has_row || tn_row_is_length(&force->row);
}
