// SPDX-License-Identifier: MIT
//
// Subtrees of a large tree, which threads process side by side (base/team.h). Nodes are in the
// order of a walk that finishes each branch before the next, so that a node and all that it carries
// are one range. Ranges of up to an eighth of the tree are subtrees of threads; small ones on the
// same body are taken together; their carriers are the trunk. Backwards subtrees come first: each
// has slots of its own, and the trunk, when it comes by, adds the results of a subtree as if it had
// just come from it. Forwards the trunk comes first. Subtrees are fixed by the tree, and with them
// the order of sums.

#include "tree/tree_subtrees.h"

#include "base/alloc.h"
#include "base/team.h"

enum { FROM = 2048 };   // nodes, from which a tree has subtrees for threads
enum { LARGEST = 8 };   // part of the tree that is one subtree at most
enum { SMALLEST = 64 }; // part up to which subtrees on one body are taken together
enum { MOST_LIMBS = 512 };
enum { TRUNK = 4 }; // part of the tree that the trunk may be

// The range of subtrees on one body that begins at node k: their end, k where there is none.
static int subtree_end(const tree *t, int k)
{
    const int n = t->base.n, parent = t->node[k].parent;
    int end = k;
    while (end < n && t->node[end].parent == parent) {
        const int next = t->base.body[end].end;
        if (next - end > n / LARGEST || (end > k && next - k > n / SMALLEST))
            break;
        end = next;
    }
    return end;
}

// Lists the subtrees, if there is memory for them, and returns their number; 0 where they do not
// pay.
static int list_subtrees(const tree *t, tree_subtree *subtree)
{
    int count = 0, trunk = 0;
    for (int k = 1; k < t->base.n;) {
        const int end = subtree_end(t, k);
        if (end == k) {
            trunk++;
            k++;
            continue;
        }
        if (subtree)
            subtree[count] = (tree_subtree){.first = k, .end = end};
        count++;
        k = end;
    }
    return count < 2 || count > MOST_LIMBS || trunk > t->base.n / TRUNK ? 0 : count;
}

// Joints of a user's own need not be safe for threads.
static bool has_own_joints(const tree *t)
{
    for (int k = 1; k < t->base.n; k++) {
        const int joint = t->base.body[k].joint;
        if (joint >= 0 && t->base.model->joints.at[joint].ops->own)
            return true;
    }
    return false;
}

tn_status tn_tree_find_subtrees(tree *t)
{
    const bool wanted = t->base.n >= FROM && !has_own_joints(t);
    const int count = wanted ? list_subtrees(t, NULL) : 0;
    if (count == 0)
        return TN_OK;
    const size_t slots = (size_t)count * (size_t)t->nslot;
    t->subtree = tn_alloc(sizeof *t->subtree * (size_t)count + sizeof(tree_carry) * slots);
    TN_TRY(tn_got(t->subtree));
    t->nsubtree = list_subtrees(t, t->subtree);
    for (int i = 0; i < t->nsubtree; i++) {
        tree_subtree *l = &t->subtree[i];
        l->slot = (tree_carry *)(t->subtree + count) + (size_t)i * (size_t)t->nslot;
        l->up = -1;
        for (int k = l->first; k < l->end; k = t->base.body[k].end) {
            l->up = t->node[k].up >= 0 ? t->node[k].up : l->up;
            l->last = l->last || t->node[k].first;
        }
    }
    return TN_OK;
}

void tn_tree_subtree_runs(tree *t)
{
    for (int i = 0, r = 0; i < t->nsubtree; i++) {
        while (t->run[r].first < t->subtree[i].first)
            r++;
        t->subtree[i].run = r;
        while (r < t->nrun && t->run[r].first < t->subtree[i].end)
            r++;
        t->subtree[i].run_end = r;
    }
}

// Forwards ----------------------------------------------------------------------------------------

typedef struct subtree_task {
    tree *t;
    void (*forward)(tree *t, tree_run run, void *user);
    int (*backward)(tree *t, tree_run run, tree_carry *carry, void *user);
    void *user;
} subtree_task;

static void subtree_forward(void *user, int i)
{
    const subtree_task *task = user;
    const tree_subtree *l = &task->t->subtree[i];
    for (int r = l->run; r < l->run_end; r++)
        task->forward(task->t, task->t->run[r], task->user);
}

void tn_tree_forward(tree *t, void (*forward)(tree *t, tree_run run, void *user), void *user)
{
    for (int r = 0, i = 0; r < t->nrun;) {
        if (i < t->nsubtree && r == t->subtree[i].run) {
            r = t->subtree[i++].run_end;
            continue;
        }
        forward(t, t->run[r++], user);
    }
    tn_team_run(t->nsubtree, subtree_forward,
                &(subtree_task){.t = t, .forward = forward, .user = user});
}

// Backwards ---------------------------------------------------------------------------------------

static void subtree_backward(void *user, int i)
{
    const subtree_task *task = user;
    tree_subtree *l = &task->t->subtree[i];
    tree mine = *task->t; // the same tree with the subtree's slots
    mine.slot = l->slot;
    l->carry = tree_nothing();
    l->failed = 0;
    if (l->up >= 0)
        l->slot[l->up] = tree_nothing();
    for (int r = l->run_end - 1; r >= l->run && l->failed == 0; r--)
        l->failed = task->backward(&mine, mine.run[r], &l->carry, task->user);
}

// Gives the trunk the results of a subtree.
static void join_subtree(tree *t, const tree_subtree *l, tree_carry *carry)
{
    *carry = l->carry;
    if (l->up < 0)
        return;
    tree_carry sum = l->slot[l->up];
    if (!l->last)
        tree_carry_sum(&sum, &t->slot[l->up]);
    t->slot[l->up] = sum;
}

int tn_tree_backward(tree *t, int (*backward)(tree *t, tree_run run, tree_carry *carry, void *user),
                     void *user)
{
    tree_carry carry = tree_nothing();
    tn_team_run(t->nsubtree, subtree_backward,
                &(subtree_task){.t = t, .backward = backward, .user = user});
    for (int r = t->nrun - 1, i = t->nsubtree - 1; r >= 0;) {
        if (i >= 0 && r == t->subtree[i].run_end - 1) {
            const tree_subtree *l = &t->subtree[i--];
            if (l->failed > 0)
                return l->failed;
            join_subtree(t, l, &carry);
            r = l->run - 1;
            continue;
        }
        const int failed = backward(t, t->run[r--], &carry, user);
        if (failed > 0)
            return failed;
    }
    return 0;
}
