// SPDX-License-Identifier: MIT
//
// Compiles a model into absolute coordinates: coordinates of the bodies, pairs of frames, rows,
// memories of angles, and the sparsity patterns with the slots that the elements write through.

#include "system/signal_blocks.h"

#include "base/carve.h"

#include <string.h>

static bool same_row(const tn_row *x, const tn_row *y)
{
    return x->form == y->form && x->i == y->i && x->j == y->j && x->k == y->k && x->l == y->l;
}

static void build_bodies(absolute *s, tn_rotation rotation)
{
    tn_system *sys = &s->base;
    for (int k = 1; k < s->nbody; k++) {
        const tn_body_data *data = &s->model->bodies.at[k];
        abs_body *b = &s->body[k];
        const bool rigid = data->ops->turns == 3;
        *b = (abs_body){.moves = data->ops->moves, .turns = data->ops->turns};
        b->se3 = rigid && rotation == TN_ROTATION_SE3;
        b->nv = b->moves + b->turns;
        b->v0 = sys->nv;
        b->q0 = sys->nq;
        b->blocks = (abs_blocks){s->nblock, rigid && !b->se3 ? 2 : 1};
        s->nblock += b->blocks.count;
        b->mass = data->def.mass;
        b->J = data->inertia;
        b->com = data->def.com;
        b->height = tn_frame_point(data->def.frame, b->com).z;
        sys->groups[k - 1] = (tn_group){
            .kind = !rigid   ? TN_GROUP_R
                    : b->se3 ? TN_GROUP_SE3
                             : TN_GROUP_SO3,
            .q0 = b->q0,
            .nq = rigid ? 7 : b->nv,
            .v0 = b->v0,
            .nv = b->nv,
        };
        sys->nv += b->nv;
        sys->nq += rigid ? 7 : b->nv;
    }
    s->body[0] = (abs_body){.moves = 3, .turns = 3, .R = tn_m3_identity};
    sys->ngroup = s->nbody - 1;
}

static tn_frame about_com(const absolute *s, int body, tn_frame f)
{
    f.p = tn_v3_sub(f.p, s->body[body].com);
    return f;
}

int tn_absolute_add_pair(absolute *s, int a, int b, tn_frame fa, tn_frame fb)
{
    TN_ASSERT(a >= 0 && a < s->nbody && b >= 0 && b < s->nbody && a != b);
    s->pair[s->npair] =
        (abs_pair){.a = a, .b = b, .fa = about_com(s, a, fa), .fb = about_com(s, b, fb)};
    s->pair[s->npair].turned[0] = memcmp(&fa.R, &tn_m3_identity, sizeof fa.R);
    s->pair[s->npair].turned[1] = memcmp(&fb.R, &tn_m3_identity, sizeof fb.R);
    return s->npair++;
}

static int add_memory(absolute *s, int pair, const tn_row *row, abs_kept kept)
{
    abs_pair *p = &s->pair[pair];
    TN_ASSERT(p->nmemory < TN_COUNT(p->memory));
    p->memory[p->nmemory++] = s->nmemory;
    s->memory[s->nmemory] = (abs_memory){pair, *row, kept};
    return s->nmemory++;
}

int tn_absolute_angle_memory(absolute *s, int pair, const tn_row *row)
{
    TN_ASSERT(pair >= 0 && pair < s->npair);
    if (!tn_row_counts_turns(row))
        return -1;
    abs_pair *p = &s->pair[pair];
    for (int k = 0; k < p->nmemory; k++)
        if (same_row(&s->memory[p->memory[k]].row, row))
            return p->memory[k];
    return add_memory(s, pair, row, ABS_ANGLE);
}

// The first of both.
static int speed_memory(absolute *s, int pair, const tn_row *row)
{
    const int k = add_memory(s, pair, row, ABS_SPEED);
    add_memory(s, pair, row, ABS_BEFORE);
    return k;
}

static int force_memory(absolute *s, const abs_force *f)
{
    if (!f->data.has_row)
        return -1;
    return f->data.ops->keeps_speed ? speed_memory(s, f->pair, &f->data.row)
                                    : tn_absolute_angle_memory(s, f->pair, &f->data.row);
}

static void build_joint_pairs(absolute *s)
{
    tn_twist *rate = s->pose_rate;
    for (int k = 0; k < s->model->joints.count; k++) {
        const tn_joint_data *data = &s->model->joints.at[k];
        abs_joint *j = &s->joint[k];
        j->model_index = k;
        j->own_pair = -1;
        for (int i = 0; i < TN_JOINT_MAX_COORDS; i++)
            j->memory[i] = -1;
        if (!data->ops->relative)
            continue;
        const tn_joint_def *def = data->def;
        j->own_pair = tn_absolute_add_pair(s, def->body_a.index, def->body_b.index, def->frame_a,
                                           def->frame_b);
        s->pair[j->own_pair].at.own = def;
        if (data->ops->prescribe) {
            s->pair[j->own_pair].pose = data;
            s->pair[j->own_pair].Va_dot = rate++;
        }
        for (int i = 0; i < data->ops->ncoord; i++)
            j->memory[i] = tn_absolute_angle_memory(s, j->own_pair, &data->ops->coords[i].row);
    }
}

static void add_body_once(abs_joint *j, int body)
{
    if (body == 0)
        return;
    TN_ASSERT(body > 0);
    for (int k = 0; k < j->nbody; k++)
        if (j->body[k] == body)
            return;
    j->body[j->nbody++] = body;
}

static void add_pair_once(abs_joint *j, int pair)
{
    for (int k = 0; k < j->npair; k++)
        if (j->pair[k] == pair)
            return;
    j->pair[j->npair++] = pair;
}

static void add_term(absolute *s, abs_joint *j, abs_row *row, const tn_row *form, int pair,
                     double coefficient)
{
    row->term[row->nterm++] =
        (abs_term){*form, pair, tn_absolute_angle_memory(s, pair, form), coefficient};
    add_pair_once(j, pair);
    add_body_once(j, s->pair[pair].a);
    add_body_once(j, s->pair[pair].b);
    const abs_reach reach = form->form == TN_ROW_COORD ? ABS_NOTHING
                            : tn_row_is_turning(form)  ? ABS_TURNING
                                                       : ABS_ALL;
    if (reach > s->pair[pair].joint_reach)
        s->pair[pair].joint_reach = reach;
}

static void close_joint(absolute *s, int k)
{
    TN_ASSERT(k >= 0 && k < s->njoint);
    abs_joint *j = &s->joint[k];
    int *count = j->rolls ? &s->base.nn : &s->base.ng,
        *list = j->rolls ? s->roll_joint : s->row_joint;
    j->row0 = *count;
    for (int i = 0; i < j->nrow; i++)
        list[j->row0 + i] = k;
    *count += j->nrow;
}

// Room for the rows of a joint.
static abs_row *take_rows(absolute *s, int n)
{
    abs_row *row = s->row + s->nrow;
    s->nrow += n;
    return row;
}

static void build_rows(absolute *s)
{
    for (int k = 0; k < s->model->joints.count; k++) {
        abs_joint *j = &s->joint[k];
        j->nrow = tn_constraint_count(s->model, k) - tn_joint_roll_count(s->model, k);
        j->row = take_rows(s, j->nrow);
        j->rolling = -1;
        j->has_time = j->own_pair >= 0 && s->pair[j->own_pair].pose;
        for (int i = 0; i < j->nrow; i++) {
            const tn_constraint_row from = tn_constraint_get(s->model, k, i);
            j->row[i] = (abs_row){
                .u = from.u, .start_constant = from.start_constant, .constant = from.constant};
            j->has_time = j->has_time || from.u;
            for (int m = 0; m < from.nterm; m++)
                add_term(s, j, &j->row[i], &from.term[m].row, s->joint[from.term[m].joint].own_pair,
                         from.term[m].coefficient);
        }
        close_joint(s, k);
    }
}

// And the expressions of rows, which may name forces.
static tn_status build_rolls(absolute *s)
{
    int k = s->model->joints.count;
    for (int from = 0; from < s->model->joints.count; from++) {
        const int count = tn_joint_roll_count(s->model, from);
        const bool by_formula = s->model->joints.at[from].ops->by_formula;
        if (by_formula && s->joint[from].nrow > 0)
            TN_TRY(tn_absolute_link_formula(s, &s->joint[from]));
        if (count == 0)
            continue;
        abs_joint *j = &s->joint[k];
        *j = (abs_joint){.model_index = from, .rolls = true, .own_pair = -1, .rolling = -1};
        const tn_row *rows = tn_joint_rolls(s->model, from);
        j->row = take_rows(s, count);
        for (int i = 0; rows && i < count; i++)
            add_term(s, j, &j->row[i], &rows[i], s->joint[from].own_pair, 1.0);
        j->nrow = count;
        if (abs_turns_friction(j))
            s->pair[s->joint[from].own_pair].force_reach = ABS_ALL;
        if (by_formula)
            TN_TRY(tn_absolute_link_formula(s, j));
        s->joint[from].rolling = k;
        close_joint(s, k++);
    }
    return TN_OK;
}

static bool has_start_values(const tn_joint_data *joint)
{
    return joint->def->nposition > 0 || joint->def->nrate > 0;
}

static int count_start_rows(const tn_joint_data *joint)
{
    const tn_joint_def *def = joint->def;
    const int n = def->nposition > def->nrate ? def->nposition : def->nrate;
    return n < joint->ops->ncoord ? n : joint->ops->ncoord;
}

static int count_rolling(const tn_model *model) // joints that roll
{
    int count = 0;
    for (int k = 0; k < model->joints.count; k++)
        count += tn_joint_roll_count(model, k) > 0;
    return count;
}

static void build_start_rows(absolute *s)
{
    int k = s->model->joints.count + count_rolling(s->model);
    for (int from = 0; from < s->model->joints.count && k < s->njoint; from++) {
        const tn_joint_data *data = &s->model->joints.at[from];
        if (!has_start_values(data))
            continue;
        abs_joint *j = &s->joint[k];
        *j = (abs_joint){.model_index = from, .start_rows = true, .own_pair = -1, .rolling = -1};
        const int np = data->def->nposition, nr = data->def->nrate, count = count_start_rows(data);
        j->row = take_rows(s, count);
        for (int i = 0; i < count; i++) {
            abs_row *row = &j->row[j->nrow++];
            *row = (abs_row){
                .no_position = i >= np, .no_velocity = i >= nr, .guess = data->def->guess};
            row->constant = i < np ? data->def->position[i] : 0.0;
            row->rate = i < nr ? data->def->rate[i] : 0.0;
            add_term(s, j, row, &data->ops->coords[i].row, s->joint[from].own_pair, 1.0);
        }
        close_joint(s, k++);
    }
}

static void build_forces(absolute *s)
{
    int nspread = 0;
    for (int k = 0; k < s->nforce; k++) {
        abs_force *f = &s->force[k];
        f->data = s->model->forces.at[k];
        const tn_force_def *def = &f->data.def;
        if (f->data.ops->on_joint)
            f->pair = s->joint[def->joint.index].own_pair;
        else
            f->pair = tn_absolute_add_pair(s, f->data.ops->single ? 0 : def->body_a.index,
                                           def->body_b.index, def->frame_a, def->frame_b);
        f->live = -1;
        if (f->data.shapes)
            s->pair[f->pair].at.own = f->data.shapes;
        f->memory = force_memory(s, f);
        s->pair[f->pair].force_reach = ABS_ALL;
        if (tn_force_spreads(&f->data)) {
            const tn_vec3 J = tn_v3_scale(1.0 / 6.0, def->beam.inertia);
            s->spread[nspread++] = (abs_spread){
                .pair = f->pair, .mass = def->beam.mass / 6.0, .J = tn_m3_diag(J.x, J.y, J.z)};
        }
    }
}

static abs_reach joint_and_force(const abs_pair *p)
{
    return p->joint_reach > p->force_reach ? p->joint_reach : p->force_reach;
}

static abs_reach force_only(const abs_pair *p)
{
    return p->force_reach;
}

// Does a coupling with that reach touch block i?
static bool touches(abs_blocks b, int i, abs_reach reach)
{
    TN_ASSERT(i >= 0 && b.count <= 2);
    return i < b.count && (reach == ABS_ALL || (reach == ABS_TURNING && i == b.count - 1));
}

void tn_pattern_add(abs_pattern *list, int row, int column)
{
    if (list->count == list->room && !list->full) {
        const int room = 2 * list->room + 64;
        tn_pair_index *more = tn_resize(list->at, sizeof *list->at * (size_t)room);
        list->full = !more;
        list->at = more ? more : list->at;
        list->room = more ? room : list->room;
    }
    if (!list->full)
        list->at[list->count++] = (tn_pair_index){row, column};
}

tn_status tn_pattern_create(abs_pattern *list, int nrow, const int *rows, int ncol,
                            const int *columns, tn_sparse **out)
{
    const int count = list->count;
    list->count = 0;
    TN_TRY(tn_got(!list->full));
    return tn_sparse_create(nrow, rows, ncol, columns, count, list->at, out);
}

void tn_blocks_declare(abs_pattern *list, abs_blocks a, abs_blocks b, abs_reach reach)
{
    for (int i = 0; i < a.count; i++)
        for (int j = 0; j < b.count; j++)
            if (touches(a, i, reach) && touches(b, j, reach))
                tn_pattern_add(list, a.first + i, b.first + j);
}

abs_slots tn_blocks_slots(const tn_sparse *A, abs_blocks a, abs_blocks b)
{
    abs_slots slots;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            slots.part[i][j] = i < a.count && j < b.count
                                   ? tn_sparse_slot(A, a.first + i, b.first + j)
                                   : (tn_slot){.offset = -1};
    return slots;
}

// The bodies of a variable parameter's force with those far away on which the number depends.
static void declare_lives(const absolute *s, abs_pattern *list)
{
    const abs_signals *sig = s->signals;
    for (int i = 0; sig && i < sig->nlive; i++) {
        const abs_pair *p = &s->pair[s->force[sig->live[i].force].pair];
        for (int k = 0; k < sig->live[i].z.nshare; k++) {
            const abs_share *share = &sig->live[i].z.share[k];
            for (int end = 0; share->far && end < 2; end++)
                tn_blocks_declare(list, s->body[end ? p->b : p->a].blocks,
                                  s->body[share->body].blocks, ABS_ALL);
        }
    }
}

// The matrix with a block for each body (moving and turning not coupled, both in the diagonal) and
// the couplings of pairs.
static tn_status dynamics_matrix(absolute *s, const int *size, abs_pattern *list, tn_sparse **out,
                                 abs_reach (*reach)(const abs_pair *))
{
    for (int k = 0; k < s->nblock; k++)
        tn_pattern_add(list, k, k);
    tn_absolute_declare_modals(s, list, reach == joint_and_force);
    if (!reach)
        tn_absolute_declare_spread(s, list);
    for (int k = 0; reach && k < s->npair; k++) {
        const abs_pair *p = &s->pair[k];
        const abs_blocks end[2] = {s->body[p->a].blocks, s->body[p->b].blocks};
        for (int i = 0; i < 4; i++)
            tn_blocks_declare(list, end[i / 2], end[i % 2], reach(p));
    }
    if (reach)
        declare_lives(s, list);
    return tn_pattern_create(list, s->nblock, size, s->nblock, size, out);
}

// The part of a body in M does not depend on the coordinates.
static void build_inertia(absolute *s, const abs_body *b)
{
    TN_ASSERT(b->moves + b->turns == b->nv && b->nv <= 6);
    double block[6][6] = {{0}};
    const int skip = 3 - b->turns; // in the plane z alone
    for (int i = 0; i < b->moves; i++)
        block[i][i] = b->mass;
    for (int i = 0; i < b->turns; i++)
        for (int j = 0; j < b->turns; j++)
            block[b->moves + i][b->moves + j] = b->J.m[skip + i][skip + j];
    const abs_slots at = tn_blocks_slots(s->base.block[TN_BLOCK_M], b->blocks, b->blocks);
    abs_add(s->base.block[TN_BLOCK_M], &at, 1.0, &block[0][0]);
}

static tn_status build_dynamics_pattern(absolute *s, const int *size, abs_pattern *list)
{
    tn_system *sys = &s->base;
    TN_TRY(dynamics_matrix(s, size, list, &sys->block[TN_BLOCK_M], NULL));
    TN_TRY(dynamics_matrix(s, size, list, &sys->block[TN_BLOCK_K], joint_and_force));
    TN_TRY(dynamics_matrix(s, size, list, &sys->block[TN_BLOCK_D], force_only));
    const tn_sparse *K = sys->block[TN_BLOCK_K], *D = sys->block[TN_BLOCK_D];
    for (int k = 1; k < s->nbody; k++) {
        abs_body *b = &s->body[k];
        *b->diagonal = tn_blocks_slots(K, b->blocks, b->blocks);
        *b->damping = tn_blocks_slots(D, b->blocks, b->blocks);
        build_inertia(s, b);
    }
    tn_absolute_build_spread(s);
    tn_absolute_build_modals(s);
    for (int k = 0; k < s->npair; k++) {
        abs_pair *p = &s->pair[k];
        const abs_blocks end[2] = {s->body[p->a].blocks, s->body[p->b].blocks};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                p->K[i][j] = tn_blocks_slots(K, end[i], end[j]);
                p->D[i][j] = tn_blocks_slots(D, end[i], end[j]);
            }
    }
    return TN_OK;
}

// Rows of a joint reach all coordinates of its bodies in B (turning ones only where no row sees a
// distance), and in Z the coordinates of their gradients.
static abs_reach row_reach(const abs_joint *j, bool gradient)
{
    abs_reach reach = j->formula || j->attachment ? ABS_ALL : ABS_TURNING;
    for (int i = 0; i < j->nrow; i++)
        for (int m = 0; m < j->row[i].nterm; m++) {
            const tn_row *row = &j->row[i].term[m].row;
            if (!tn_row_is_turning(row) && !(gradient && row->form == TN_ROW_COORD))
                reach = ABS_ALL;
        }
    return reach;
}

// For rows of positions, B and Z, or of velocities, N and NZ. rows: work for each joint
static tn_status constraint_matrix(absolute *s, const int *size, int *rows, abs_pattern *list,
                                   bool rolls, bool gradient)
{
    static const tn_block blocks[2][2] = {{TN_BLOCK_B, TN_BLOCK_Z}, {TN_BLOCK_N, TN_BLOCK_NZ}};
    tn_sparse **out = &s->base.block[blocks[rolls][gradient]];
    for (int k = 0; k < s->njoint; k++) {
        rows[k] = s->joint[k].rolls == rolls ? s->joint[k].nrow : 0;
        const abs_reach reach = row_reach(&s->joint[k], gradient);
        for (int i = 0; rows[k] > 0 && i < s->joint[k].nbody; i++)
            tn_blocks_declare(list, (abs_blocks){k, 1}, s->body[s->joint[k].body[i]].blocks, reach);
        tn_absolute_declare_attachment(s, &s->joint[k], k, list);
    }
    TN_TRY(tn_pattern_create(list, s->njoint, rows, s->nblock, size, out));
    for (int k = 0; k < s->njoint; k++) {
        abs_joint *j = &s->joint[k];
        for (int i = 0; j->rolls == rolls && i < j->nbody; i++)
            (gradient ? j->Z : j->B)[i] =
                tn_blocks_slots(*out, (abs_blocks){k, 1}, s->body[j->body[i]].blocks);
    }
    return TN_OK;
}

static void layout_slots(void *self, tn_carve *mem)
{
    absolute *s = self;
    for (int k = 1; k < s->nbody; k++) {
        s->body[k].diagonal = tn_carve_bytes(mem, sizeof(abs_slots));
        s->body[k].damping = tn_carve_bytes(mem, sizeof(abs_slots));
    }
    for (int k = 0; k < s->npair; k++) {
        s->pair[k].K = tn_carve_bytes(mem, 2 * sizeof *s->pair[k].K);
        s->pair[k].D = tn_carve_bytes(mem, 2 * sizeof *s->pair[k].D);
    }
    for (int k = 0; k < s->njoint; k++) {
        s->joint[k].B = tn_carve_bytes(mem, sizeof(abs_slots) * (size_t)s->joint[k].nbody);
        s->joint[k].Z = tn_carve_bytes(mem, sizeof(abs_slots) * (size_t)s->joint[k].nbody);
    }
}

static tn_status absolute_build_patterns(absolute *s)
{
    int *size = tn_alloc(sizeof(int) * (size_t)(s->nblock + 1));
    int *rows = tn_alloc(sizeof(int) * (size_t)(s->njoint + 1));
    abs_pattern list = {0};
    tn_status status = tn_got(size && rows);
    TN_THEN(status, tn_carve_block(s, layout_slots, &s->slots));
    if (status == TN_OK) {
        for (int k = 1; k < s->nbody; k++)
            for (int i = 0; i < s->body[k].blocks.count; i++)
                size[s->body[k].blocks.first + i] = s->body[k].nv / s->body[k].blocks.count;
        status = build_dynamics_pattern(s, size, &list);
    }
    for (int k = 0; k < (s->base.nn > 0 ? 4 : 2); k++)
        TN_THEN(status, constraint_matrix(s, size, rows, &list, k / 2, k % 2));
    if (status == TN_OK)
        tn_absolute_link_attachments(s);
    TN_THEN(status, tn_signal_blocks_create(&s->base, s, &tn_absolute_signal_ops, &s->blocks));
    TN_FREE(size, rows, list.at);
    return status;
}

static void absolute_build_find_lengths(absolute *s)
{
    tn_system *sys = &s->base;
    tn_system_set_units(sys, s->model->units);
    for (int k = 1; k < s->nbody; k++) {
        const abs_body *b = &s->body[k];
        for (int i = 0; i < b->moves; i++)
            sys->q_length[b->q0 + i] = sys->v_length[b->v0 + i] = true;
    }
    for (int i = 0; i < sys->ng + sys->nn; i++)
        sys->g_length[i] = abs_row_is_length(s, i);
}

static int count_poses(const tn_model *model) // joints that prescribe a frame
{
    int count = 0;
    for (int k = 0; k < model->joints.count; k++)
        count += model->joints.at[k].ops->prescribe != NULL;
    return count;
}

static void layout_absolute_build(void *self, tn_carve *mem)
{
    absolute *s = self;
    tn_system *sys = &s->base;
    const int pairs = s->njoint + s->nforce + (s->signals ? s->signals->nmeasure : 0) +
                      tn_absolute_formula_pairs(s->model);
    s->body = tn_carve_bytes(mem, sizeof *s->body * (size_t)s->nbody);
    s->pair = tn_carve_bytes(mem, sizeof *s->pair * (size_t)pairs);
    s->joint = tn_carve_bytes(mem, sizeof *s->joint * (size_t)s->njoint);
    s->force = tn_carve_bytes(mem, sizeof *s->force * (size_t)s->nforce);
    s->spread = tn_carve_bytes(mem, sizeof *s->spread * (size_t)s->nspread);
    s->exchange = tn_carve_bytes(mem, sizeof *s->exchange * (size_t)(s->nforce + s->njoint));
    s->pose_rate = tn_carve_bytes(mem, sizeof *s->pose_rate * (size_t)count_poses(s->model));
    s->memory = tn_carve_bytes(mem, sizeof *s->memory * (size_t)(pairs * TN_JOINT_MAX_COORDS));
    TN_CARVE_DOUBLES(mem, pairs * TN_JOINT_MAX_COORDS, &s->turning, &s->turned);
    s->row = tn_carve_bytes(mem, sizeof *s->row * (size_t)(s->most_rows + s->most_rolls));
    s->row_joint = tn_carve_ints(mem, s->most_rows);
    s->roll_joint = tn_carve_ints(mem, s->most_rolls);
    sys->groups = tn_carve_bytes(mem, sizeof *sys->groups * (size_t)s->nbody);
    TN_CARVE_DOUBLES(mem, 12 * s->nbody, &s->placed_q, &s->placed_v); // as many as directors have
    tn_system_layout(sys, 7 * s->nbody, 6 * s->nbody, s->most_rows, s->most_rolls, mem);
    sys->extra = tn_carve_doubles(mem, sys->ne);
    tn_absolute_layout_modals(s, mem);
    tn_absolute_layout_batches(s, mem);
}

// Lengths of rods and constants of gears that the model leaves to the start configuration.
static tn_status start_constants(absolute *s)
{
    double *q = tn_alloc(sizeof(double) * (size_t)(s->base.nq + 1));
    double *v = tn_alloc(sizeof(double) * (size_t)(s->base.nv + 1));
    double *r = tn_alloc(sizeof(double) * (size_t)(s->base.nr + 1));
    const bool ok = q && v && r;
    if (ok) {
        tn_absolute_start(&s->base, q, v, r);
        tn_absolute_fix_constants(&s->base, q, r);
    }
    TN_FREE(q, v, r);
    return ok ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory");
}

static void count_extra(tn_system *sys, const tn_model *model)
{
    sys->nc = model->states.count;
    sys->nw = model->unknowns.count;
    sys->ne = sys->nc + sys->nw;
}

tn_status tn_absolute_create_bare(const tn_model *model, tn_rotation rotation, bool start_rows,
                                  tn_system **out)
{
    *out = NULL;
    TN_TRY(tn_model_status(model));
    absolute *s = tn_alloc(sizeof *s);
    TN_TRY(tn_got(s));
    s->base.ops = &tn_absolute_ops;
    s->base.world = s;
    s->model = model;
    s->nbody = model->bodies.count;
    s->njoint = model->joints.count + count_rolling(model);
    for (int k = 0; k < model->joints.count; k++) {
        const tn_joint_data *joint = &model->joints.at[k];
        const int rolls = tn_joint_roll_count(model, k);
        s->njoint += start_rows && has_start_values(joint);
        s->most_rows += tn_constraint_count(model, k) - rolls;
        s->most_rows += start_rows ? count_start_rows(joint) : 0;
        s->most_rolls += rolls;
    }
    s->nforce = model->forces.count;
    for (int k = 0; k < s->nforce; k++)
        s->nspread += tn_force_spreads(&model->forces.at[k]);
    tn_status status = tn_absolute_open_formulas(s);
    TN_THEN(status, tn_absolute_open_signals(s));
    TN_THEN(status, tn_absolute_open_modals(s));
    count_extra(&s->base, model);
    TN_THEN(status, tn_carve_block(s, layout_absolute_build, &s->block));
    if (status == TN_OK) {
        build_bodies(s, rotation);
        build_joint_pairs(s);
        tn_absolute_build_attachments(s);
        build_rows(s);
        build_forces(s);
        status = build_rolls(s);
        TN_THEN(status, tn_absolute_link_shares(s));
        build_start_rows(s);
        TN_THEN(status, tn_absolute_link_signals(s));
    }
    if (status == TN_OK) {
        s->base.nturn = s->base.nr = abs_memory_size(s);
        if (s->signals) {
            s->signals->idle = start_rows;
            s->signals->sampled0 = s->base.nturn;
            s->base.nr += tn_absolute_sampled_size(model);
        }
        if (start_rows)
            s->base.nc = s->base.nw = s->base.ne = 0;
        absolute_build_find_lengths(s);
    }
    TN_THEN(status, tn_absolute_find_batches(s));
    TN_THEN(status, start_constants(s));
    TN_HAND_OUT(status, &s->base, tn_system_destroy, out);
}

tn_status tn_absolute_open_blocks(tn_system *sys)
{
    TN_ASSERT(sys->ops == &tn_absolute_ops);
    return sys->block[TN_BLOCK_M] ? TN_OK : absolute_build_patterns((absolute *)sys);
}

tn_status tn_absolute_create(const tn_model *model, tn_rotation rotation, bool start_rows,
                             tn_system **out)
{
    tn_system *sys = NULL;
    tn_status status = tn_absolute_create_bare(model, rotation, start_rows, &sys);
    TN_THEN(status, tn_absolute_open_blocks(sys));
    TN_HAND_OUT(status, sys, tn_system_destroy, out);
}
