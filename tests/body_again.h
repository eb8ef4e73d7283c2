// SPDX-License-Identifier: MIT
//
// The definition of a body that a model has, for another model.

#pragma once

#include "model/model.h"

static inline tn_body_def body_again(const tn_model *model, const char *name)
{
    const tn_body_data *from = &model->bodies.at[tn_model_find_body(model, name).index];
    const tn_mat3 *I = &from->inertia;
    tn_body_def def = tn_default_body();
    def.mass = from->def.mass;
    def.com = from->def.com;
    def.inertia = tn_v3(I->m[0][0], I->m[1][1], I->m[2][2]);
    def.products = tn_v3(I->m[0][1], I->m[0][2], I->m[1][2]);
    def.frame = from->def.frame;
    def.velocity = from->def.velocity;
    def.rate = from->def.rate;
    def.given_position = from->def.given_position;
    def.given_rotation = from->def.given_rotation;
    def.given_velocity = from->def.given_velocity;
    def.given_rate = from->def.given_rate;
    def.fixed_start = from->def.fixed_start;
    return def;
}
