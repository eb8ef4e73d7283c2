// SPDX-License-Identifier: MIT
//
// A model on which the tests of forces hang theirs.

#pragma once

#include "model/model.h"
#include "test.h"

static tn_model *model;
static tn_body body_a, body_b, bob; // two rigid bodies and a point mass
static tn_joint hinge, slider;      // between body_a and body_b

static inline tn_body add_body(const char *name, tn_body_kind kind)
{
    tn_body_def def = tn_default_body();
    def.name = name;
    def.kind = kind;
    return tn_model_add_body(model, &def);
}

static inline tn_joint add_joint(const char *name, tn_joint_kind kind)
{
    tn_joint_def def = tn_default_joint(kind);
    def.name = name;
    def.body_a = body_a;
    def.body_b = body_b;
    return tn_model_add_joint(model, &def);
}

static inline void open_model(void)
{
    model = tn_model_create();
    CHECK(model != NULL);
    body_a = add_body("crank", TN_BODY_RIGID);
    body_b = add_body("rod", TN_BODY_RIGID);
    bob = add_body("bob", TN_BODY_POINT);
    hinge = add_joint("hinge", TN_JOINT_REVOLUTE);
    slider = add_joint("slider", TN_JOINT_PRISMATIC);
    CHECK_OK(tn_model_status(model));
}

static inline void close_model(void)
{
    tn_model_destroy(model);
    model = NULL;
}
