// SPDX-License-Identifier: MIT
//
// The integrators by name; integrator.c lists them in one table.

#pragma once

#include "integrator/integrator.h"

extern const tn_integrator_ops tn_integrator_galpha;
extern const tn_integrator_ops tn_integrator_hht;
extern const tn_integrator_ops tn_integrator_dopri5;
extern const tn_integrator_ops tn_integrator_dop853;
extern const tn_integrator_ops tn_integrator_herk5;
extern const tn_integrator_ops tn_integrator_adams;
extern const tn_integrator_ops tn_integrator_bdf;
extern const tn_integrator_ops tn_integrator_radau5;
extern const tn_integrator_ops tn_integrator_variational;
extern const tn_integrator_ops tn_integrator_energy_momentum;
extern const tn_integrator_ops tn_integrator_rest; // not in the table: where there are no unknowns
