// SPDX-License-Identifier: MIT
//
// Batches: joints and forces in runs of like length, which threads evaluate side by side
// (base/team.h). Two elements may write to the same place only where they have a body in common. So
// those of a batch are evaluated in their order, and those that share a body with another batch
// wait for the next round. There batches are shifted by half of their length: elements on the
// border of two batches are in the middle of one. On chains and nets whose bodies are numbered row
// by row two rounds do for nearly all; one thread evaluates the rest after the last one, in its
// order. All this is fixed by the model, and so is the order of every sum. Functions of a user's
// own, of time or of the state, are called at the end as well, by one thread.

#include "system/absolute_parts.h"

#include "base/alloc.h"
#include "base/team.h"

enum { ELEMENTS = 512 }; // of a batch at least: some 0.2 ms
enum { NONE = -1, SEVERAL = -2 };

// Joints or forces of a system, while batches are found.
typedef struct elements {
    const absolute *s;
    int n;
    int (*bodies)(const absolute *s, int i, int body[ABS_BODIES]);
    bool (*is_lone)(const absolute *s, int i); // selects elements for one thread
    int *round_of;                             // of each
    int *batch_of;                             // of each body: batches that use it
} elements;

static int joint_bodies(const absolute *s, int i, int body[ABS_BODIES])
{
    const abs_joint *j = &s->joint[i];
    for (int k = 0; k < j->nbody; k++)
        body[k] = j->body[k];
    return j->nbody;
}

static bool joint_is_lone(const absolute *s, int i)
{
    const abs_joint *j = &s->joint[i];
    bool lone = j->formula || j->attachment || j->start_rows || j->has_time ||
                s->model->joints.at[j->model_index].ops->own;
    for (int k = 0; k < j->nrow; k++)
        lone = lone || j->row[k].u;
    return lone;
}

static int force_bodies(const absolute *s, int i, int body[ABS_BODIES])
{
    const abs_pair *pair = &s->pair[s->force[i].pair];
    body[0] = pair->a;
    body[1] = pair->b;
    return 2;
}

static bool force_is_lone(const absolute *s, int i)
{
    const abs_force *f = &s->force[i];
    bool lone = f->data.ops->own || f->live >= 0;
    for (int k = 0; k < TN_COUNT(f->data.u); k++)
        lone = lone || f->data.u[k];
    return lone;
}

// Batch of an element, of lots->count in even rounds; in odd ones the first and the last have half
// of the length.
static int batch_at(const abs_batches *batches, int n, int round, int element)
{
    const long long halves = (long long)element * 2 * batches->count / n;
    return (int)(round % 2 ? (halves + 1) / 2 : halves / 2);
}

static void claim(const elements *e, int i, int batch)
{
    int body[ABS_BODIES];
    const int count = e->bodies(e->s, i, body);
    for (int k = 0; k < count; k++) {
        int *of = &e->batch_of[body[k]];
        if (body[k] > 0) // the ground has no equations
            *of = *of == NONE || *of == batch ? batch : SEVERAL;
    }
}

static bool is_between(const elements *e, int i)
{
    int body[ABS_BODIES];
    const int count = e->bodies(e->s, i, body);
    bool between = false;
    for (int k = 0; k < count; k++)
        between = between || (body[k] > 0 && e->batch_of[body[k]] == SEVERAL);
    return between;
}

static void find_round(const elements *e, const abs_batches *batches, int round)
{
    for (int k = 0; k < e->s->nbody; k++)
        e->batch_of[k] = NONE;
    for (int i = 0; i < e->n; i++)
        if (e->round_of[i] == round)
            claim(e, i, batch_at(batches, e->n, round, i));
    for (int i = 0; i < e->n; i++)
        if (e->round_of[i] == round && is_between(e, i))
            e->round_of[i] = round + 1;
}

static void list_round(const elements *e, abs_batches *batches, int round, int *count)
{
    int *begin = batches->begin + round * (batches->count + 2), batch = 0;
    begin[0] = *count;
    for (int i = 0; i < e->n; i++) {
        if (e->round_of[i] != round)
            continue;
        while (batch < batch_at(batches, e->n, round, i))
            begin[++batch] = *count;
        batches->list[(*count)++] = i;
    }
    while (batch < batches->count + 1)
        begin[++batch] = *count;
}

static void find_batches(const elements *e, abs_batches *batches)
{
    int count = 0;
    for (int i = 0; i < e->n; i++)
        e->round_of[i] = e->is_lone(e->s, i) ? ABS_ROUNDS : 0;
    for (int round = 0; round < ABS_ROUNDS; round++) {
        find_round(e, batches, round);
        list_round(e, batches, round, &count);
    }
    batches->first_lone = count;
    for (int i = 0; i < e->n; i++)
        if (e->round_of[i] == ABS_ROUNDS)
            batches->list[count++] = i;
    TN_ASSERT(count == e->n);
}

void tn_absolute_layout_batches(absolute *s, tn_carve *mem)
{
    abs_batches *of[] = {&s->joint_batches, &s->force_batches};
    const int n[] = {s->njoint, s->nforce};
    for (int k = 0; k < TN_COUNT(of); k++) {
        const int count = tn_team_parts(n[k], ELEMENTS);
        of[k]->count = count;
        of[k]->list = tn_carve_ints(mem, count > 1 ? n[k] : 0);
        of[k]->begin = tn_carve_ints(mem, count > 1 ? ABS_ROUNDS * (count + 2) : 0);
    }
}

tn_status tn_absolute_find_batches(absolute *s)
{
    for (int k = 0; k < s->npair; k++)
        s->is_prescribed = s->is_prescribed || s->pair[k].pose || s->pair[k].attachment;
    if (s->joint_batches.count == 1 && s->force_batches.count == 1)
        return TN_OK;
    const int most = s->njoint > s->nforce ? s->njoint : s->nforce;
    int *work = tn_alloc(sizeof(int) * (size_t)(s->nbody + most));
    TN_TRY(tn_got(work));
    const elements joints = {s, s->njoint, joint_bodies, joint_is_lone, work + s->nbody, work};
    const elements forces = {s, s->nforce, force_bodies, force_is_lone, work + s->nbody, work};
    if (s->joint_batches.count > 1)
        find_batches(&joints, &s->joint_batches);
    if (s->force_batches.count > 1)
        find_batches(&forces, &s->force_batches);
    tn_free(work);
    return TN_OK;
}

// Evaluation --------------------------------------------------------------------------------------

typedef struct batch_task {
    const int *list, *begin;
    void (*element)(void *user, int i);
    void *user;
} batch_task;

static void do_batch(void *user, int k)
{
    const batch_task *t = user;
    for (int i = t->begin[k]; i < t->begin[k + 1]; i++)
        t->element(t->user, t->list[i]);
}

void tn_absolute_in_batches(const abs_batches *batches, int n, void (*element)(void *user, int i),
                            void *user)
{
    if (batches->count <= 1) {
        for (int i = 0; i < n; i++)
            element(user, i);
        return;
    }
    for (int round = 0; round < ABS_ROUNDS; round++) {
        const int *begin = batches->begin + round * (batches->count + 2);
        if (begin[0] < begin[batches->count + 1])
            tn_team_run(batches->count + 1, do_batch,
                        &(batch_task){batches->list, begin, element, user});
    }
    for (int k = batches->first_lone; k < n; k++)
        element(user, batches->list[k]);
}
