// SPDX-License-Identifier: MIT
//
// Size, speed and mass of a mechanism: the measures of errors in metres, metres per second and so
// on. All follow the units: with all lengths multiplied by c the length is c times as large. None
// is ever zero.

#pragma once

#include "base/alloc.h"
#include "system/system.h"
#include "tenon/model.h"

typedef struct tn_sizes {
    double length; // [m]
    double speed;  // largest of points of bodies so far, or that which gravity and the forces at
                   // the start give within a length, whichever is larger [m/s]
    double rate;   // the same of turning; at least speed by length [rad/s]
    double time;   // 1 / rate: the shortest time in which much can happen [s]
    double
        change;  // rate at which the motion changes: largest acceleration by largest speed so far,
                 // the angular frequency of an oscillation; at least the rate [1/s]
    double mass; // [kg]
    double far;  // largest distance from the origin so far: round-off of positions goes with it
    double fastest, gain; // largest speed [m/s] and acceleration [m/s^2] so far, by themselves
    double fastest_turn, turn_gain; // the same of turning
    double turning;                 // largest rate of turning when last seen [rad/s]
    bool grows;                     // nothing gives a length but the way of the motion so far
    bool still;                     // nothing gives a speed yet: a length in 1 s is taken
} tn_sizes;

// The diameter of the largest body: of the sphere about its centre of mass that holds the frames of
// its joints and forces, which for a rod is its length; or the length of the longest beam, or the
// longest distance that a coupling keeps. Where all bodies are points, the largest radius of
// gyration, length of a spring at the start or displacement of a joint. 1 where nothing of that
// gives a length.
double tn_sizes_length(const tn_model *model, tn_system *sys, const tn_point *at);

// At the start, whose accelerations are known. Without a model (user equations) lengths are sizes
// of q.
tn_sizes tn_sizes_at_start(const tn_model *model, tn_system *sys, const tn_point *at);
// Bodies that the start has moved from where they are stated by this part of the size: it has
// found another mechanism than was meant.
#define TN_START_MOVED 1.0
// Largest distance of a body from where it is stated, by the length; -1 as the body where none was
// stated, or joints say where bodies are.
double tn_sizes_moved(const tn_sizes *sizes, const tn_model *model, tn_system *sys,
                      const tn_point *at, int *body);
// Later on speeds may be higher, and so is a length that grows.
void tn_sizes_see(tn_sizes *sizes, const tn_model *model, tn_system *sys, const tn_point *at);
