// SPDX-License-Identifier: MIT
//
// Bodies as the nodes of a forest, each with the rows of the joints that carry it, for block
// elimination [Arn16, 3.3, Example 7]. Bodies that a joint holds to the ground are roots; joints
// lead from there to the others, then forces to bodies that no joint reaches, and what is left
// floats. Numbers go down one branch before the next, so that neighbours are near in memory.
//
// A loop makes no forest. Where it is one to the matrices all the same, as a body that two joints
// hold to the ground, some node has more rows than velocities: its multipliers cannot be eliminated
// with it, and no forest is told.

#include "system/absolute_parts.h"

#include "base/carve.h"

typedef struct growth {
    const absolute *s;
    tn_forest *forest;
    int *node;     // nbody, of each body; -1 before it is met
    int *body;     // nbody, of each node
    int *above;    // nbody, node of the body from which it was met
    int *stack;    // nbody
    int *by_joint; // nbody, first link of each body; links 2 k and 2 k + 1 are the ends of joint k
    int *by_force; // nbody, the same of forces
    int *joint_next; // 2 njoint, next link of the body, -1 at the end
    int *force_next; // 2 nforce
    int *rows;       // nbody, of each node
} growth;

static void layout_absolute_forest(void *self, tn_carve *mem)
{
    growth *g = self;
    int **const arrays[] = {&g->node,     &g->body,     &g->above, &g->stack,
                            &g->by_joint, &g->by_force, &g->rows};
    for (int i = 0; i < TN_COUNT(arrays); i++)
        *arrays[i] = tn_carve_ints(mem, g->s->nbody);
    g->joint_next = tn_carve_ints(mem, 2 * g->s->njoint);
    g->force_next = tn_carve_ints(mem, 2 * g->s->nforce);
}

static void add_link(int *first, int *next, int link, int body)
{
    next[link] = first[body];
    first[body] = link;
}

static void link_bodies(growth *g)
{
    const absolute *s = g->s;
    for (int k = 0; k < s->nbody; k++)
        g->node[k] = g->by_joint[k] = g->by_force[k] = -1;
    for (int k = 0; k < s->njoint; k++)
        for (int i = 0; s->joint[k].nbody == 2 && i < 2; i++)
            add_link(g->by_joint, g->joint_next, 2 * k + i, s->joint[k].body[i]);
    for (int k = 0; k < s->nforce; k++) {
        const abs_pair *p = &s->pair[s->force[k].pair];
        add_link(g->by_force, g->force_next, 2 * k, p->a);
        add_link(g->by_force, g->force_next, 2 * k + 1, p->b);
    }
}

static void put_absolute_forest(growth *g, int *count, int body, int above)
{
    g->node[body] = g->forest->nnode; // met; its number comes when it is taken
    g->above[body] = above;
    g->stack[(*count)++] = body;
}

// Numbers a body and all that joints carry on it.
static void grow_absolute_forest(growth *g, int body, int above)
{
    int count = 0;
    put_absolute_forest(g, &count, body, above);
    while (count > 0) {
        const int taken = g->stack[--count], node = g->forest->nnode++;
        g->node[taken] = node;
        g->body[node] = taken;
        g->forest->parent[node] = g->above[taken];
        for (int link = g->by_joint[taken]; link >= 0; link = g->joint_next[link]) {
            const int other = g->s->joint[link / 2].body[1 - link % 2];
            if (g->node[other] < 0)
                put_absolute_forest(g, &count, other, node);
        }
    }
}

static void grow_by_forces(growth *g, int node)
{
    const int body = g->body[node];
    for (int link = g->by_force[body]; link >= 0; link = g->force_next[link]) {
        const abs_pair *p = &g->s->pair[g->s->force[link / 2].pair];
        const int other = link % 2 ? p->a : p->b;
        if (other > 0 && g->node[other] < 0)
            grow_absolute_forest(g, other, node);
    }
}

static void grow_all(growth *g)
{
    const absolute *s = g->s;
    for (int k = 0; k < s->njoint; k++)
        if (s->joint[k].nbody == 1 && g->node[s->joint[k].body[0]] < 0)
            grow_absolute_forest(g, s->joint[k].body[0], -1);
    for (int body = 1, node = 0; body < s->nbody; body++) {
        for (; node < g->forest->nnode; node++)
            grow_by_forces(g, node);
        if (g->node[body] < 0)
            grow_absolute_forest(g, body, -1);
    }
}

// The node of the rows of a joint: that of the body it carries.
static int absolute_forest_carried(const growth *g, const abs_joint *j)
{
    int last = 0;
    for (int i = 0; i < j->nbody; i++)
        last = g->node[j->body[i]] > last ? g->node[j->body[i]] : last;
    return last;
}

static bool number_unknowns(growth *g)
{
    const absolute *s = g->s;
    int *at = g->forest->row;
    for (int k = 1; k < s->nbody; k++)
        for (int i = 0; i < s->body[k].nv; i++)
            *at++ = g->node[k];
    for (int k = 0; k < s->njoint; k++)
        for (int i = 0; i < s->joint[k].nrow; i++) {
            *at++ = absolute_forest_carried(g, &s->joint[k]);
            g->rows[at[-1]]++;
        }
    for (int node = 0; node < g->forest->nnode; node++)
        if (g->rows[node] > s->body[g->body[node]].nv)
            return false;
    return true;
}

tn_status tn_absolute_find_forest(absolute *s)
{
    growth g = {.s = s, .forest = &s->base.forest};
    void *block = NULL;
    TN_TRY(tn_carve_block(&g, layout_absolute_forest, &block));
    link_bodies(&g);
    grow_all(&g);
    if (!number_unknowns(&g))
        s->base.forest.nnode = 0;
    tn_free(block);
    return TN_OK;
}
