// SPDX-License-Identifier: MIT
//
// Which joint carries which body: the spanning tree of joint coordinates, and for bodies that it
// leaves free couplings between two bodies, a point on a line for example, that leave them some
// freedoms.

#include "draw/pattern.h"

#include "base/alloc.h"

static void set_axes(tn_pattern_body *b, const tn_body_ops *ops)
{
    b->d = 0;
    for (int i = 0; i < ops->moves; i++)
        b->axis[b->d++] = i;
    for (int i = 0; i < ops->turns; i++)
        b->axis[b->d++] = ops->turns == 1 ? 5 : 3 + i;
}

static tn_status take_tree(tn_pattern *p, tn_pattern_body *of)
{
    const tn_model *model = p->model;
    tn_frame *frame = tn_alloc((size_t)model->bodies.count * sizeof *frame);
    double *q = tn_alloc((size_t)(p->tree->nq + 1) * sizeof *q);
    const tn_status s = tn_got(frame && q);
    for (int k = 0; k < model->bodies.count && s == TN_OK; k++)
        frame[k] = k == 0 ? tn_frame_identity : model->bodies.at[k].def.frame;
    if (s == TN_OK) {
        tn_tree_coordinates(p->tree, frame, q);
        tn_tree_move(p->tree, q, NULL);
    }
    for (int k = 1; k < p->tree->n && s == TN_OK; k++) {
        const tn_tree_body *b = &p->tree->body[k];
        tn_pattern_body *to = &of[b->body];
        *to = (tn_pattern_body){.body = b->body, .below = -1, .joint = b->joint};
        set_axes(to, model->bodies.at[b->body].ops);
        if (b->joint < 0)
            continue;
        to->below = p->tree->body[b->parent].body;
        to->n = b->nv;
        for (int i = 0; i < b->nv; i++)
            to->turns[i] = tn_v3_norm(tn_tree_column(p->tree, k, i).w) > 0.0;
    }
    TN_FREE(frame, q);
    return s;
}

// Bodies that are children of the ground, over whatever others.
static bool is_held(const tn_pattern_body *of, int body)
{
    while (body > 0)
        body = of[body].below;
    return body == 0;
}

// Couplings that hold positions of two bodies, and leave the one some freedoms against the other.
static bool may_carry(const tn_model *model, int joint)
{
    const tn_joint_data *data = &model->joints.at[joint];
    return data->ops->coupling && data->ops->relative && !data->ops->prescribe &&
           !data->ops->shapes && tn_joint_roll_count(model, joint) == 0 && !data->ops->by_formula;
}

// The coupling with the most rows that carries a free body on one that is held; -1 for none.
static int find_coupling(const tn_pattern *p, const tn_pattern_body *of, int body, int *below)
{
    int best = -1, most = 0;
    for (int k = 0; k < p->tree->ncoupling; k++) {
        const int joint = p->tree->coupling[k];
        const tn_joint_def *def = p->model->joints.at[joint].def;
        if (!may_carry(p->model, joint))
            continue;
        const int a = def->body_a.index, b = def->body_b.index, other = a == body ? b : a;
        const int rows = tn_constraint_count(p->model, joint);
        if ((a == body || b == body) && is_held(of, other) && rows > most && rows < of[body].d) {
            best = joint;
            most = rows;
            *below = other;
        }
    }
    return best;
}

static void take_couplings(const tn_pattern *p, tn_pattern_body *of)
{
    bool found = true;
    while (found) {
        found = false;
        for (int k = 1; k <= p->nbody; k++) {
            tn_pattern_body *b = &of[k];
            int below = -1;
            const int joint = b->joint < 0 && b->below < 0 ? find_coupling(p, of, k, &below) : -1;
            if (joint < 0)
                continue;
            b->joint = joint;
            b->below = below;
            b->n = b->d - tn_constraint_count(p->model, joint);
            for (int i = 0; i < b->n; i++)
                b->turns[i] = true;
            found = true;
        }
    }
}

// A body behind all its ancestors, else in the order of the model.
static void number_body(tn_pattern *p, const tn_pattern_body *of, int body, int *next)
{
    while (body > 0 && p->number[body] < 0) {
        int lowest = body;
        while (of[lowest].below > 0 && p->number[of[lowest].below] < 0)
            lowest = of[lowest].below;
        p->number[lowest] = *next;
        p->body[(*next)++] = of[lowest];
    }
}

tn_status tn_pattern_carry(tn_pattern *p)
{
    tn_pattern_body *of = tn_alloc((size_t)(p->nbody + 1) * sizeof *of);
    tn_status s = tn_got(of);
    int next = 0;
    TN_THEN(s, take_tree(p, of));
    if (s == TN_OK) {
        take_couplings(p, of);
        for (int k = 0; k <= p->nbody; k++)
            p->number[k] = -1;
        for (int k = 1; k <= p->nbody; k++)
            number_body(p, of, k, &next);
        for (int k = 0; k < p->model->joints.count; k++)
            p->carried[k] = -1;
        for (int k = 0; k < p->nbody; k++)
            if (p->body[k].joint >= 0)
                p->carried[p->body[k].joint] = k;
    }
    tn_free(of);
    return s;
}
