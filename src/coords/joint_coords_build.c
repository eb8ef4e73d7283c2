// SPDX-License-Identifier: MIT
//
// Compiles joint coordinates: the tree, the rows that it does not carry, and the patterns.

#include "coords/joint_coords_parts.h"
#include "system/signal_blocks.h"

#include "base/alloc.h"
#include "base/carve.h"

#include <string.h>

// The pair whose origins the rows keep together along axes of the world, -1 where they are rows of
// anything else.
static int coinciding_points(const absolute *w, const abs_joint *j)
{
    bool all = !j->rolls && !j->formula && !j->attachment && !j->start_rows && j->npair == 1 &&
               !w->pair[j->pair[0]].pose && !w->pair[j->pair[0]].attachment;
    for (int i = 0; i < j->nrow; i++) {
        const abs_row *row = &j->row[i];
        all = all && row->nterm == 1 && row->term[0].row.form == TN_ROW_COORD &&
              row->term[0].coefficient == 1.0 && !row->u && !row->start_constant &&
              row->constant == 0.0 && row->rate == 0.0;
    }
    return all ? j->pair[0] : -1;
}

// Points of bodies. One beside a point mass, which does not turn, is left to the world.
static void set_points(const joint_coords *s, joint_coords_rows *set)
{
    const abs_joint *j = &s->base.world->joint[set->joint];
    const int k = coinciding_points(s->base.world, j);
    const abs_pair *p = k >= 0 ? &s->base.world->pair[k] : NULL;
    tn_vec3 foot = {0};
    set->points = p && j->nbody <= 2;
    for (int m = 0; m < j->nbody && set->points; m++) {
        const abs_body *body = &s->base.world->body[j->body[m]];
        const tn_frame attachment = s->tree->body[set->end[m].place].attachment;
        const bool is_b = j->body[m] == p->b;
        const tn_vec3 off = is_b ? p->fb.p : p->fa.p;
        set->at[m] =
            tn_m3_apply_t(attachment.R, tn_v3_add(tn_v3_sub(body->com, attachment.p), off));
        set->sign[m] = is_b ? 1.0 : -1.0;
        foot = tn_v3_axpy(set->sign[m], tn_tree_foot(s->tree, set->end[m].place), foot);
        set->points = body->turns > 0 || tn_v3_dot(off, off) == 0.0;
    }
    for (int i = 0; i < j->nrow && set->points; i++)
        set->axis[i] = j->row[i].term[0].row.i;
    if (set->points && p->a == TN_GROUND.index)
        set->fixed = tn_v3_neg(p->fa.p);
    else if (set->points && p->b == TN_GROUND.index)
        set->fixed = p->fb.p;
    set->fixed = tn_v3_add(set->fixed, foot);
}

// Counts first, with set == NULL; then fills.
static void collect_rows(joint_coords *s, const bool *carried, joint_coords_rows *set)
{
    int n = 0, path = 0, rows[2] = {0, 0};
    for (int k = 0; k < s->base.world->njoint; k++) {
        const abs_joint *j = &s->base.world->joint[k];
        if (carried[k] || j->nrow == 0)
            continue;
        const int row0 = rows[j->rolls], world0 = j->rolls ? s->base.world->base.ng : 0;
        if (set) {
            set[n] = (joint_coords_rows){
                .joint = k, .rolls = j->rolls, .row0 = row0, .nrow = j->nrow, .nend = j->nbody};
            for (int i = 0; i < j->nrow; i++)
                s->world_row[(j->rolls ? s->base.ng : 0) + row0 + i] = world0 + j->row0 + i;
        }
        for (int i = 0; i < j->nbody; i++) {
            const int place = s->tree->place[j->body[i]];
            const int length = tn_tree_path(s->tree, place);
            if (set)
                set[n].end[i] = (tn_tree_end){place, length, s->path + path};
            path += length;
        }
        n++;
        rows[j->rolls] += j->nrow;
    }
    s->nset = n;
    s->npath = path;
    s->base.ng = rows[0];
    s->base.nn = rows[1];
}

// length: work for each place
static void count(joint_coords *s, const bool *carried, int *length)
{
    const tn_tree *tree = s->tree;
    collect_rows(s, carried, NULL);
    for (int k = 1; k < tree->n; k++) {
        length[k] = length[tree->body[k].parent] + tree->body[k].nv;
        s->longest = length[k] > s->longest ? length[k] : s->longest;
    }
    s->base.nq = tree->nq;
    s->base.nv = tree->nv;
    s->base.nr = s->base.world->base.nr;
    s->base.nturn = s->base.world->base.nturn;
    s->base.nc = s->base.world->base.nc;
    s->base.nw = s->base.world->base.nw;
    s->base.ne = s->base.world->base.ne;
    s->base.ngroup = tree->ngroup;
    s->base.groups = tree->groups;
}

static bool has_blocks(const joint_coords *s)
{
    return tn_joint_coords_has_blocks(s->base.world, s->tree);
}

static void layout(void *self, tn_carve *mem)
{
    joint_coords *s = self;
    tn_system *sys = &s->base;
    const absolute *w = s->base.world;
    s->set = tn_carve_bytes(mem, sizeof *s->set * (size_t)s->nset);
    s->path = tn_carve_ints(mem, s->npath);
    s->world_row = tn_carve_ints(mem, sys->ng + sys->nn);
    s->used_pair = tn_carve_ints(mem, w->npair);
    s->used_body = tn_carve_ints(mem, w->nbody);
    TN_CARVE_INTS(mem, w->nmemory, &s->turn_q, &s->turn_v, &s->other);
    TN_CARVE_INTS(mem, w->signals ? w->signals->nmeasure : 0, &s->direct, &s->freedom);
    s->alone = tn_carve_ints(mem, w->nforce);
    s->lambda = tn_carve_doubles(mem, w->base.ng);
    s->arm = tn_carve_bytes(mem, sizeof *s->arm * (size_t)w->nbody);
    s->local = tn_carve_bytes(mem, sizeof *s->local * (size_t)w->nbody);
    s->straight = tn_carve_bytes(mem, sizeof *s->straight * (size_t)w->nbody);
    if (has_blocks(s)) {
        s->K = tn_carve_bytes(mem, sizeof *s->K * s->tree->nentry);
        s->D = tn_carve_bytes(mem, sizeof *s->D * s->tree->nentry);
    }
    for (int k = 0; k < 2; k++) {
        s->index[k] = tn_carve_ints(mem, s->longest);
        s->J[k] = tn_carve_bytes(mem, sizeof *s->J[k] * (size_t)s->longest);
        s->P[k] = tn_carve_bytes(mem, sizeof *s->P[k] * (size_t)s->longest);
    }
    s->piece = tn_carve_ints(mem, sys->nv);
    s->work = tn_carve_doubles(mem, sys->nv);
    s->rotation = tn_carve_bytes(mem, sizeof *s->rotation * (size_t)w->nbody);
    tn_system_layout(sys, sys->nq, sys->nv, sys->ng, sys->nn, mem);
    TN_CARVE_DOUBLES(mem, sys->ng, &sys->row_most, &sys->row_now);
    sys->extra = tn_carve_doubles(mem, sys->ne);
    tn_joint_coords_modal_layout(s, mem);
}

static void collect_turns(joint_coords *s)
{
    for (int k = 0; k < s->base.world->nmemory; k++)
        s->turn_q[k] = s->turn_v[k] = -1;
    for (int k = 1; k < s->tree->n; k++) {
        const tn_tree_body *body = &s->tree->body[k];
        for (int i = 0; i < joint_coords_scalar_coordinates(s, body); i++) {
            const int memory = s->base.world->joint[body->joint].memory[i];
            if (memory >= 0) {
                s->turn_q[memory] = body->q0 + i;
                s->turn_v[memory] = body->v0 + i;
            }
        }
    }
    for (int k = 0; k < s->base.world->nmemory; k++)
        if (s->turn_q[k] < 0)
            s->other[s->nother++] = k;
}

// The place that a joint carries by one scalar coordinate, 0 for none.
static int place_on(const joint_coords *s, int joint)
{
    const tn_joint_def *def = s->base.world->model->joints.at[joint].def;
    const int end[2] = {def->body_a.index, def->body_b.index};
    for (int i = 0; i < 2 && s->base.world->joint[joint].own_pair >= 0; i++) {
        const int k = s->tree->place[end[i]];
        const tn_tree_body *body = &s->tree->body[k];
        if (k > 0 && body->joint == joint && body->nq == 1 &&
            joint_coords_scalar_coordinates(s, body) == 1 && !joint_coords_is_point(s, body->body))
            return k;
    }
    return 0;
}

// Measures that are coordinates or rates of tree joints with one freedom.
static void collect_direct(joint_coords *s)
{
    const abs_signals *sig = s->base.world->signals;
    for (int k = 0; sig && k < sig->nmeasure; k++) {
        const tn_variable *v = sig->measure[k].from;
        const bool rate = v->index == TN_Q_JOINT_RATE;
        const bool suits = (rate || v->index == TN_Q_JOINT_COORDINATE) && v->component == 0;
        const int place = suits ? place_on(s, v->element) : 0;
        const tn_tree_body *body = &s->tree->body[place];
        s->freedom[k] = body->v0;
        s->direct[k] = place == 0 ? -1 : rate ? s->base.nq + body->v0 : body->q0;
    }
}

// Scalar laws on the only coordinate of a tree joint.
static void collect_alone(joint_coords *s)
{
    for (int k = 0; k < s->base.world->nforce; k++) {
        const abs_force *f = &s->base.world->force[k];
        const bool scalar = f->data.ops->law && f->data.has_row && f->data.ops->on_joint;
        const int joint = scalar ? f->data.def.joint.index : -1;
        const int place = joint >= 0 ? place_on(s, joint) : 0;
        const tn_row *row =
            joint >= 0 ? &s->base.world->model->joints.at[joint].ops->coords[0].row : NULL;
        s->alone[k] = place > 0 && !memcmp(row, &f->data.row, sizeof *row) ? place : 0;
    }
}

// Pairs of forces, of rows and of memories, and their bodies.
static void collect_used(joint_coords *s, bool *pair, bool *body)
{
    const absolute *w = s->base.world;
    for (int k = 0; k < w->nforce; k++)
        pair[w->force[k].pair] = true;
    for (int k = 0; w->signals && k < w->signals->nmeasure; k++)
        pair[w->signals->measure[k].pair] = true;
    for (int k = 0; k < w->nformula_row; k++)
        for (int i = 0; i < w->formula_row[k].from.n; i++)
            pair[w->formula_row[k].measure[i].pair] = true;
    for (int k = 0; k < s->nset; k++)
        for (int i = 0; i < w->joint[s->set[k].joint].npair; i++)
            pair[w->joint[s->set[k].joint].pair[i]] = true;
    for (int k = 0; k < s->nother; k++)
        pair[w->memory[s->other[k]].pair] = true;
    for (int k = 0; k < w->npair; k++)
        if (pair[k])
            body[w->pair[k].a] = body[w->pair[k].b] = true;
    for (int k = 0; k < w->nmodal; k++)
        for (int i = 0; i <= w->modal[k].x.m; i++)
            body[i == 0 ? w->modal[k].frame : w->modal[k].amplitude + i - 1] = true;
    s->acts = s->npoints < s->nset || w->nforce > 0 || w->signals || w->nmodal > 0;
    s->nused_pair = tn_list_flags(0, w->npair, pair, s->used_pair);
    s->nused_body = tn_list_flags(1, w->nbody, body, s->used_body);
}

// Patterns: row and column blocks are places with freedoms ---------------------------------------

typedef struct pattern {
    const tn_tree *tree;
    int *block; // of each place, -1 for those without freedoms
    int *size;  // of each block
    int *rows;  // of each joint with rows
    int nblock;
    abs_pattern list;
} pattern;

static bool carries(const tn_tree *tree, int k, int place) // node is below k in the tree, or is k
{
    TN_ASSERT(k > 0 && k < tree->n && place >= 0 && place < tree->n);
    return k <= place && place < tree->body[k].end;
}

// The freedoms below a with those below b, but for those on one path, which the tree declares.
static void declare_paths(pattern *p, int a, int b)
{
    for (int i = a; i > 0 && !carries(p->tree, i, b); i = p->tree->body[i].parent)
        for (int j = b; j > 0 && !carries(p->tree, j, a); j = p->tree->body[j].parent)
            if (p->block[i] >= 0 && p->block[j] >= 0) {
                tn_pattern_add(&p->list, p->block[i], p->block[j]);
                tn_pattern_add(&p->list, p->block[j], p->block[i]);
            }
}

// Freedoms on one path.
static void declare_tree(pattern *p, const joint_coords *s)
{
    for (int k = 1; k < p->tree->n; k++) {
        if (p->block[k] < 0)
            continue;
        for (int i = k; i > 0; i = p->tree->body[i].parent)
            if (p->block[i] >= 0) {
                tn_pattern_add(&p->list, p->block[i], p->block[k]);
                tn_pattern_add(&p->list, p->block[k], p->block[i]);
            }
    }
}

// A frame and its amplitudes with each other; with `row` >= 0 with the rows of a joint instead.
static void declare_modal(pattern *p, const joint_coords *s, const abs_modal *e, int row)
{
    for (int i = 0; i <= e->x.m; i++) {
        const int a = s->tree->place[i == 0 ? e->frame : e->amplitude + i - 1];
        if (row >= 0)
            tn_pattern_add(&p->list, row, p->block[a]);
        for (int j = 0; row < 0 && j <= e->x.m; j++) {
            const int b = s->tree->place[j == 0 ? e->frame : e->amplitude + j - 1];
            tn_pattern_add(&p->list, p->block[a], p->block[b]);
        }
    }
}

static void declare_mass(pattern *p, const joint_coords *s)
{
    declare_tree(p, s);
    for (int k = 0; k < s->base.world->nmodal; k++)
        declare_modal(p, s, &s->base.world->modal[k], -1);
}

// Bodies of the force of a variable parameter with those on which the number depends.
static void declare_lives(pattern *p, const joint_coords *s)
{
    const abs_signals *sig = s->base.world->signals;
    for (int i = 0; sig && i < sig->nlive; i++) {
        const abs_pair *pair = &s->base.world->pair[s->base.world->force[sig->live[i].force].pair];
        for (int k = 0; k < sig->live[i].z.nshare; k++) {
            const int place = s->tree->place[sig->live[i].z.share[k].body];
            declare_paths(p, s->tree->place[pair->a], place);
            declare_paths(p, s->tree->place[pair->b], place);
        }
    }
}

// Bodies that rows couple by their second derivatives.
static void declare_couplings(pattern *p, const joint_coords *s, const abs_joint *j)
{
    for (int i = 0; i < j->npair; i++) {
        const abs_pair *pair = &s->base.world->pair[j->pair[i]];
        if (pair->joint_reach != ABS_NOTHING) // points that coincide: each end by itself
            declare_paths(p, s->tree->place[pair->a], s->tree->place[pair->b]);
    }
}

static void declare_forces(pattern *p, const joint_coords *s)
{
    declare_mass(p, s);
    for (int k = 0; k < s->base.world->nforce; k++) {
        const abs_pair *pair = &s->base.world->pair[s->base.world->force[k].pair];
        declare_paths(p, s->tree->place[pair->a], s->tree->place[pair->b]);
    }
    declare_lives(p, s);
    for (int k = 0; k < s->nset; k++) {
        const abs_joint *j = &s->base.world->joint[s->set[k].joint];
        if (abs_is_bent(j) || abs_turns_friction(j))
            declare_couplings(p, s, j);
    }
}

static void declare_curvature(pattern *p, const joint_coords *s)
{
    declare_forces(p, s);
    for (int k = 0; k < s->nset; k++) {
        const abs_joint *j = &s->base.world->joint[s->set[k].joint];
        declare_couplings(p, s, j);
        const abs_modal *e = j->attachment ? &s->base.world->modal[j->attachment->modal] : NULL;
        for (int i = 0; e && i < e->x.m; i++)
            declare_paths(p, s->tree->place[e->amplitude + i], s->tree->place[j->attachment->body]);
    }
}

static void declare_rows(pattern *p, const joint_coords *s)
{
    for (int k = 0; k < s->nset; k++)
        for (int i = 0; p->rows[k] > 0 && i < s->set[k].nend; i++)
            for (int m = s->set[k].end[i].place; m > 0; m = s->tree->body[m].parent)
                if (p->block[m] >= 0)
                    tn_pattern_add(&p->list, k, p->block[m]);
    for (int k = 0; k < s->nset; k++) {
        const abs_attachment *at = s->base.world->joint[s->set[k].joint].attachment;
        if (at && p->rows[k] > 0)
            declare_modal(p, s, &s->base.world->modal[at->modal], k);
    }
}

static tn_status create_pattern(const joint_coords *s, pattern *p,
                                void (*declare)(pattern *p, const joint_coords *s), int nrow,
                                const int *rows, tn_sparse **out)
{
    declare(p, s);
    return tn_pattern_create(&p->list, nrow, rows, p->nblock, p->size, out);
}

static void count_rows(const joint_coords *s, bool rolls, int *rows)
{
    for (int k = 0; k < s->nset; k++)
        rows[k] = s->set[k].rolls == rolls ? s->set[k].nrow : 0;
}

static tn_status create_patterns(const joint_coords *s, pattern *p, tn_sparse **block)
{
    count_rows(s, false, p->rows);
    TN_TRY(create_pattern(s, p, declare_rows, s->nset, p->rows, &block[TN_BLOCK_B]));
    TN_TRY(create_pattern(s, p, declare_rows, s->nset, p->rows, &block[TN_BLOCK_Z]));
    if (s->base.nn > 0) {
        count_rows(s, true, p->rows);
        TN_TRY(create_pattern(s, p, declare_rows, s->nset, p->rows, &block[TN_BLOCK_N]));
        TN_TRY(create_pattern(s, p, declare_rows, s->nset, p->rows, &block[TN_BLOCK_NZ]));
    }
    if (!has_blocks(s))
        return TN_OK;
    TN_TRY(create_pattern(s, p, declare_mass, p->nblock, p->size, &block[TN_BLOCK_M]));
    TN_TRY(create_pattern(s, p, declare_curvature, p->nblock, p->size, &block[TN_BLOCK_K]));
    return create_pattern(s, p, declare_forces, p->nblock, p->size, &block[TN_BLOCK_D]);
}

static void find_values(joint_coords *s, const pattern *p)
{
    for (int k = 0; k < s->nset; k++)
        for (int i = 0; i < s->set[k].nend; i++) {
            const tn_sparse *B = s->base.block[s->set[k].rolls ? TN_BLOCK_N : TN_BLOCK_B];
            const tn_tree_end *end = &s->set[k].end[i];
            int n = 0;
            for (int m = end->place; m > 0; m = s->tree->body[m].parent) {
                if (p->block[m] < 0)
                    continue;
                const tn_slot slot = tn_sparse_slot(B, k, p->block[m]);
                for (int c = 0; c < slot.ncol; c++)
                    end->at[n++] = B->colptr[slot.col + c] + slot.offset;
            }
        }
}

static tn_status joint_coords_build_patterns(joint_coords *s)
{
    const tn_tree *tree = s->tree;
    int *memory = tn_alloc(sizeof(int) * (size_t)(2 * tree->n + s->nset));
    TN_TRY(tn_got(memory));
    pattern p = {
        .tree = tree, .block = memory, .size = memory + tree->n, .rows = memory + 2 * tree->n};
    p.block[0] = -1;
    for (int k = 1; k < tree->n; k++) {
        p.block[k] = tree->body[k].nv > 0 ? p.nblock : -1;
        if (tree->body[k].nv > 0)
            p.size[p.nblock++] = tree->body[k].nv;
    }
    const tn_status status = create_patterns(s, &p, s->base.block);
    if (status == TN_OK)
        find_values(s, &p);
    TN_FREE(p.list.at, memory);
    return status;
}

// Returns true if coordinate i of the joint that carries a body, or of a free one, is a length.
// Point masses slide, whatever carries them.
static bool slides(const joint_coords *s, const tn_tree_body *body, int i)
{
    if (joint_coords_is_point(s, body->body))
        return true;
    if (body->joint < 0)
        return i < s->base.world->body[body->body].moves;
    const tn_joint_ops *ops = s->base.world->model->joints.at[body->joint].ops;
    return i < ops->ncoord && body->nq == body->nv && tn_row_is_length(&ops->coords[i].row);
}

static void joint_coords_build_find_lengths(joint_coords *s)
{
    tn_system *sys = &s->base;
    tn_system_set_units(sys, s->base.world->base.units);
    sys->bent_row = s->base.world->base.bent_row;
    for (int k = 1; k < s->tree->n; k++) {
        const tn_tree_body *body = &s->tree->body[k];
        for (int i = 0; i < body->nq; i++)
            sys->q_length[body->q0 + i] = slides(s, body, i);
        for (int i = 0; i < body->nv; i++)
            sys->v_length[body->v0 + i] = slides(s, body, i);
    }
    for (int i = 0; i < sys->ng + sys->nn; i++)
        sys->g_length[i] = abs_row_is_length(s->base.world, s->world_row[i]);
}

static void find_pieces(joint_coords *s)
{
    const tn_tree_body *body = s->tree->body;
    for (int k = 1; joint_coords_is_apart(s->base.world) && k < s->tree->n; k = body[k].end)
        for (int i = body[k].v0; i < body[body[k].end - 1].v0 + body[body[k].end - 1].nv; i++)
            s->piece[i] = k;
}

static tn_status build(joint_coords *s)
{
    const absolute *w = s->base.world;
    const int most = w->njoint + w->npair + w->nbody;
    int *length = tn_alloc(sizeof *length * (size_t)s->tree->n + sizeof(bool) * (size_t)most);
    TN_TRY(tn_got(length));
    bool *flags = (bool *)(length + s->tree->n);
    bool *pair = flags + w->njoint, *body = pair + w->npair;
    for (int k = 1; k < s->tree->n; k++)
        if (s->tree->body[k].joint >= 0)
            flags[s->tree->body[k].joint] = true;
    count(s, flags, length);
    s->base.solid = w->base.solid;
    tn_status status = joint_coords_is_apart(w) && has_blocks(s) ? tn_tree_pack(s->tree) : TN_OK;
    TN_THEN(status, tn_carve_block(s, layout, &s->block));
    if (status == TN_OK) {
        find_pieces(s);
        collect_rows(s, flags, s->set);
        for (int k = 0; k < s->nset; k++)
            set_points(s, &s->set[k]);
        for (int k = 0; k < s->nset; k++)
            s->npoints += s->set[k].points;
        collect_turns(s);
        collect_direct(s);
        collect_alone(s);
        collect_used(s, pair, body);
        joint_coords_build_find_lengths(s);
        tn_joint_coords_modal_places(s);
        status = joint_coords_build_patterns(s);
    }
    if (status == TN_OK)
        tn_joint_coords_modal_find(s);
    TN_THEN(status, tn_signal_blocks_create(&s->base, w, &tn_joint_coords_signal_ops, &s->blocks));
    for (int k = 0; status == TN_OK && k < w->nbody; k++) {
        s->rotation[k] = tn_quat_identity;
        const tn_frame attachment = s->tree->body[s->tree->place[k]].attachment;
        s->local[k] = tn_v3_sub(w->body[k].com, attachment.p);
        s->straight[k] = !memcmp(&attachment.R, &tn_m3_identity, sizeof attachment.R);
    }
    tn_free(length);
    return status;
}

tn_status tn_joint_coords_grow(const absolute *w, const bool *stands_free, tn_tree **out)
{
    const abs_signals *sig = w->signals;
    const int joints = w->model->joints.count;
    bool *cut = tn_alloc(sizeof *cut * (size_t)(joints + w->nbody + 1));
    *out = NULL;
    TN_TRY(tn_got(cut));
    bool *free = cut + joints;
    for (int k = 0; stands_free && k < w->nbody; k++)
        free[k] = stands_free[k];
    for (int k = 0; k < w->nmodal; k++)
        free[w->modal[k].frame] = true;
    for (int k = 0; sig && k < sig->nmeasure; k++)
        if (sig->measure[k].nrow > 0) {
            const abs_joint *j = &w->joint[sig->measure[k].from->element];
            cut[sig->measure[k].from->element] = true;
            for (int i = 0; i < j->nshare; i++)
                cut[j->share[i]] = true;
        }
    const tn_tree_request request = {.cut = cut, .free = free};
    const tn_status status = tn_tree_create_as(w->model, &request, out);
    tn_free(cut);
    return status;
}

tn_status tn_joint_coords_tree(const tn_system *world, tn_tree **out)
{
    return tn_joint_coords_grow((const absolute *)world, NULL, out);
}

tn_status tn_joint_coords_keep_tree(tn_system *world, tn_tree **out)
{
    absolute *w = (absolute *)world;
    const tn_status status = w->tree ? TN_OK : tn_joint_coords_tree(world, &w->tree);
    *out = w->tree;
    return status;
}

tn_status tn_joint_coords_create(tn_system *world, tn_system **out)
{
    TN_ASSERT(world->ops == &tn_absolute_ops);
    *out = NULL;
    joint_coords *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->base.world = (absolute *)world;
    s->base.ops = s->base.world->nmodal > 0 ? &tn_joint_coords_modal_ops : &tn_joint_coords_ops;
    tn_status status = tn_joint_coords_keep_tree(world, &s->tree);
    s->base.world->tree = NULL;
    TN_THEN(status, tn_joint_coords_cut(s->base.world, &s->tree));
    TN_THEN(status, build(s));
    TN_HAND_OUT(status, &s->base, tn_system_destroy, out);
}

int tn_joint_coords_rows_left(const tn_system *world, const tn_tree *tree)
{
    const absolute *w = (const absolute *)world;
    int rows = w->base.ng + w->base.nn;
    for (int k = 1; k < tree->n; k++)
        if (tree->body[k].joint >= 0)
            rows -= w->joint[tree->body[k].joint].nrow;
    return rows;
}

tn_status tn_joint_coords_size(const tn_system *world, int *nv, int *ng, bool *local)
{
    const absolute *w = (const absolute *)world;
    tn_tree *tree = w->tree;
    if (!tree)
        TN_TRY(tn_joint_coords_tree(world, &tree));
    *nv = tree->nv;
    *ng = tn_joint_coords_rows_left(world, tree);
    *local = !tn_joint_coords_across(w, tree);
    if (tree != w->tree)
        tn_tree_destroy(tree);
    return TN_OK;
}

tn_status tn_joint_coords_tree_rows(const tn_system *world, int *rows)
{
    const absolute *w = (const absolute *)world;
    tn_tree *tree = NULL;
    TN_TRY(tn_joint_coords_tree(world, &tree));
    memset(rows, 0, sizeof(int) * (size_t)w->base.ng);
    for (int k = 1; k < tree->n; k++)
        for (int i = 0; tree->body[k].joint >= 0 && i < w->joint[tree->body[k].joint].nrow; i++)
            rows[w->joint[tree->body[k].joint].row0 + i] = 1;
    tn_tree_destroy(tree);
    return TN_OK;
}
