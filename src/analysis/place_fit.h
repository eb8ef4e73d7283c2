// SPDX-License-Identifier: MIT
//
// What a model leaves open of the frames of its bodies, fitted to what it states of their
// neighbours: a body of which the position is stated is turned until its joint points are nearest
// to those of the bodies beside it, one of which nothing is stated goes where they are.

#pragma once

#include "model/model.h"

// Changes frames (one per body) but those of `settled` bodies, and no part that is stated.
// Allocates.
tn_status tn_place_fit(const tn_model *model, const bool *settled, tn_frame *frames);
