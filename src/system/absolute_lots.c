// SPDX-License-Identifier: MIT
//
// Lots: joints and forces in runs of like length, which threads evaluate side by side
// (base/team.h). Two elements may write to the same place only where they have a body in common.
// Those of a lot are evaluated in their order, and those that share a body with another lot after
// all lots, in their order, too: which these are is fixed by the model, and so is the order of
// every sum. With bodies numbered along a chain or row by row they are few. Functions of a user's
// own, of time or of the state, are called there as well, by one thread.

#include "system/absolute_parts.h"

#include "base/alloc.h"
#include "base/team.h"

enum { ELEMENTS = 512 }; // of a lot at least: some 0.2 ms
enum { NONE = -1, SEVERAL = -2 };

// Lots that have something to do with a body.
static void claim(int *lot_of, int body, int lot)
{
    if (body > 0) // the ground has no equations
        lot_of[body] = lot_of[body] == NONE || lot_of[body] == lot ? lot : SEVERAL;
}

static bool claimed_by_several(const int *lot_of, int body)
{
    return body > 0 && lot_of[body] == SEVERAL;
}

static bool joint_is_late(const absolute *s, const abs_joint *j, const int *lot_of)
{
    bool late = j->velocity || j->seat || j->start_rows || j->has_time ||
                s->model->joints.at[j->model_index].ops->si;
    for (int k = 0; k < j->nbody; k++)
        late = late || claimed_by_several(lot_of, j->body[k]);
    for (int i = 0; i < j->nrow; i++)
        late = late || j->row[i].u;
    return late;
}

static bool force_is_late(const absolute *s, const abs_force *f, const int *lot_of)
{
    bool late = f->data.ops->si || f->live >= 0;
    late = late || claimed_by_several(lot_of, s->pair[f->pair].a) ||
           claimed_by_several(lot_of, s->pair[f->pair].b);
    for (int i = 0; i < TN_COUNT(f->data.u); i++)
        late = late || f->data.u[i];
    return late;
}

static void begin_lots(const absolute *s, int *lot_of)
{
    for (int k = 0; k < s->nbody; k++)
        lot_of[k] = NONE;
}

static int lot_at(int n, int parts, int element)
{
    int k = (int)((long long)element * parts / n), begin, end;
    tn_team_part(n, parts, k, &begin, &end);
    return element >= end ? k + 1 : k;
}

static void find_joint_lots(absolute *s, int *lot_of)
{
    abs_lots *lots = &s->joint_lots;
    begin_lots(s, lot_of);
    for (int i = 0; i < s->njoint; i++)
        for (int k = 0; k < s->joint[i].nbody; k++)
            claim(lot_of, s->joint[i].body[k], lot_at(s->njoint, lots->count, i));
    for (int i = 0; i < s->njoint; i++) {
        lots->late[i] = joint_is_late(s, &s->joint[i], lot_of);
        if (lots->late[i])
            lots->list[lots->nlate++] = i;
    }
}

static void find_force_lots(absolute *s, int *lot_of)
{
    abs_lots *lots = &s->force_lots;
    begin_lots(s, lot_of);
    for (int i = 0; i < s->nforce; i++) {
        const int lot = lot_at(s->nforce, lots->count, i);
        claim(lot_of, s->pair[s->force[i].pair].a, lot);
        claim(lot_of, s->pair[s->force[i].pair].b, lot);
    }
    for (int i = 0; i < s->nforce; i++) {
        lots->late[i] = force_is_late(s, &s->force[i], lot_of);
        if (lots->late[i])
            lots->list[lots->nlate++] = i;
    }
}

void tn_absolute_layout_lots(absolute *s, tn_carve *mem)
{
    abs_lots *of[] = {&s->joint_lots, &s->force_lots};
    const int n[] = {s->njoint, s->nforce};
    for (int k = 0; k < TN_COUNT(of); k++) {
        of[k]->count = tn_team_parts(n[k], ELEMENTS);
        const int room = of[k]->count > 1 ? n[k] : 0;
        of[k]->late = tn_carve_bytes(mem, (size_t)room * sizeof(bool));
        of[k]->list = tn_carve_ints(mem, room);
    }
}

tn_status tn_absolute_find_lots(absolute *s)
{
    for (int k = 0; k < s->npair; k++)
        s->is_prescribed = s->is_prescribed || s->pair[k].pose || s->pair[k].seat;
    if (s->joint_lots.count == 1 && s->force_lots.count == 1)
        return TN_OK;
    int *lot_of = tn_alloc(sizeof(int) * (size_t)s->nbody);
    TN_TRY(tn_got(lot_of));
    if (s->joint_lots.count > 1)
        find_joint_lots(s, lot_of);
    if (s->force_lots.count > 1)
        find_force_lots(s, lot_of);
    tn_free(lot_of);
    return TN_OK;
}

// Evaluation --------------------------------------------------------------------------------------

typedef struct lot_task {
    const abs_lots *lots;
    int n;
    void (*element)(void *user, int i);
    void *user;
} lot_task;

static void do_lot(void *user, int k)
{
    const lot_task *t = user;
    int begin, end;
    tn_team_part(t->n, t->lots->count, k, &begin, &end);
    for (int i = begin; i < end; i++)
        if (!t->lots->late[i])
            t->element(t->user, i);
}

void tn_absolute_in_lots(const abs_lots *lots, int n, void (*element)(void *user, int i),
                         void *user)
{
    if (lots->count <= 1) {
        for (int i = 0; i < n; i++)
            element(user, i);
        return;
    }
    tn_team_run(lots->count, do_lot, &(lot_task){lots, n, element, user});
    for (int k = 0; k < lots->nlate; k++)
        element(user, lots->list[k]);
}
