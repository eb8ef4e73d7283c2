// SPDX-License-Identifier: MIT
//
// A beam of a model as finite elements for a reduction, with its geometric stiffness; see
// reduce_beam.c.

#pragma once

#include "flex/beam.h"
#include "reduce/reduce.h"

// Stiffness and mass of the nodes where they start; node k has the number k. `name` is that of the
// beam, in messages and as the source. Refused where it is strained there.
tn_status tn_fe_from_beam(const tn_model *model, tn_beam beam, tn_fe *out);

// Geometric stiffness of all loads: products of rates, accelerations, and wrenches on attachments
// but that to which the frame is fixed (frame -1: Buckens').
tn_status tn_fe_beam_geometric(const tn_model *model, tn_beam beam, int n,
                               const tn_fe_attachment *attachments, int frame, tn_fe *fe);
