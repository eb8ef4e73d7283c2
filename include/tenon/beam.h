// SPDX-License-Identifier: MIT
//
// Geometrically exact beams: slender bodies that bend, twist, shear and stretch by any amount. A
// beam is a line of frames, its nodes, with elastic elements between neighbours. Nodes are bodies
// of the model, "blade.0", "blade.1", … from its start to its end, which are "blade.start" and
// "blade.end", too; joints, forces and outputs attach to them. Elements are forces, "blade.e1", ….
//
// The z axis of a node is along the beam, x and y are the principal axes of its section.

#pragma once

#include "tenon/model.h"

// The numbers that state the section of a beam.
typedef enum tn_section_kind {
    TN_SECTION_STIFFNESS, // by its stiffnesses and its inertia
    TN_SECTION_RECTANGLE, // width along x, height along y
    TN_SECTION_CIRCLE,
    TN_SECTION_TUBE,
    TN_SECTION_I, // two flanges, along x, at the ends of a web along y
    TN_SECTION_KIND_COUNT
} tn_section_kind;

// A section of a beam with its material.
typedef struct tn_section_def {
    int kind;             // tn_section_kind
    double width, height; // rectangle, I [m]
    double radius;        // circle, tube: outer one [m]
    double wall;          // tube: thickness of its wall [m]
    double flange, web;   // I: thicknesses [m]
    double E;             // modulus of elasticity [Pa]
    double nu;            // Poisson's ratio
    double G;             // shear modulus [Pa]; 0: E / (2 (1 + nu))
    double rho;           // density [kg/m^3]
    // For kind STIFFNESS:
    tn_vec3 stiffness;            // GA1, GA2, EA [N]
    tn_vec3 rotational_stiffness; // EI1, EI2, GJ [N m^2]
    double mass;                  // per length [kg/m]
    double inertia_x, inertia_y;  // moments of inertia about x and y, per length [kg m]
} tn_section_def;

// The numbers that follow from it.
typedef struct tn_section {
    tn_vec3 stiffness, rotational_stiffness; // as above
    double mass;                             // per length [kg/m]
    double inertia_x, inertia_y;             // per length [kg m]
    double width, height;                    // of a box for pictures [m]
    bool round;                              // it is a circle or a tube
} tn_section;

// The line of a beam where it starts.
typedef enum tn_line_kind {
    TN_LINE_STRAIGHT, // from the first point to the last, of two
    TN_LINE_ARC,      // of a circle through three points
    TN_LINE_CURVE,    // by expressions of s
    TN_LINE_SPLINE    // smooth, through three points or more; closed where the last is the first
} tn_line_kind;

// The location of the inertia of its elements.
typedef enum tn_beam_inertia {
    TN_INERTIA_LUMPED,    // one half of it at each of the nodes beside it
    TN_INERTIA_CONSISTENT // spread between them, in absolute coordinates only
} tn_beam_inertia;

// A beam as it is added to a model.
typedef struct tn_beam_def {
    const char *name;
    int npoint;
    const tn_vec3 *points; // of the line, inertial axes [m]
    int line;              // tn_line_kind
    tn_locus_def curve;    // x, y and z as expressions of s [m], from[0] to to[0]
    // For a spline: directions of its ends; zero: free.
    tn_vec3 start_direction, end_direction;
    int elements; // at equal distances along the line
    tn_section_def section;
    tn_section_def end_section;   // of a tapered beam: numbers go to these linearly along the line
    bool tapers;                  // it is one; both sections are of one kind
    int inertia;                  // tn_beam_inertia
    tn_vec3 x_axis;               // direction of x of the section at the start; zero: any
    double damping;               // forces and moments by rates of strain: stiffness times this [s]
    double tension;               // that it starts with [N]
    tn_vec3 bend;                 // curvature about x, y and z without strain [1/m],
    bool given_bend;              //   where it is not that of the line
    int nmass;                    // point masses on the line, each at a node that is placed there:
    const double *mass_at, *mass; // distance along it [m], and mass [kg]
    int nnode;
    const double *nodes; // distances along the line at which there are nodes, too [m]
    int nplace;          // places with names, each at a node that is placed there: "blade.NAME"
    const double *place_at;
    const char *const *place_name;
    tn_vec3 velocity; // of its start [m/s], and angular velocity of the whole [rad/s], inertial
    tn_vec3 rate;     //   axes; it moves as a rigid body at first
} tn_beam_def;

// The id of a beam.
typedef struct tn_beam {
    int index; // -1 is invalid
} tn_beam;

// A straight beam of 10 elements without points and section: state them.
TN_API tn_beam_def tn_default_beam(void);
// Adds the nodes and elements of a beam; all is copied.
TN_API tn_beam tn_model_add_beam(tn_model *model, const tn_beam_def *def);
// Stiffness and inertia of a section; `what` begins the sentence of an error: "body 'blade'".
TN_API tn_status tn_section_of(const tn_section_def *def, const char *what, tn_section *out);

TN_API int tn_model_beam_count(const tn_model *model); // number of beams in the model
TN_API const char *tn_model_beam_name(const tn_model *model,
                                      tn_beam beam);                      // "" where there is none
TN_API int tn_model_beam_node_count(const tn_model *model, tn_beam beam); // 0 where there is none
// Node k as a body, from 0 at the start on; the index is -1 where there is none.
TN_API tn_body tn_model_beam_node(const tn_model *model, tn_beam beam, int k);
// Element k as a force, between nodes k and k + 1.
TN_API tn_force tn_model_beam_element(const tn_model *model, tn_beam beam, int k);
TN_API double tn_model_beam_place(const tn_model *model, tn_beam beam, int k); // of node k [m]
