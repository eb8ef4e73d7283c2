// SPDX-License-Identifier: MIT
//
// The tree of a robot: which joint carries each link, which links are one body because they are
// fixed to each other, where all of it starts, and what each joint carries. All of it goes along
// the tree once. Of two joints with the same child the second closes a loop.

#include "import/robot.h"

#include "lie/so3.h"

#include <string.h>

// Masses -----------------------------------------------------------------------------------------

// Inertia of a mass at a distance.
static tn_mat3 away(double mass, tn_vec3 d)
{
    const tn_mat3 square = tn_m3_scale(tn_v3_dot(d, d), tn_m3_identity);
    return tn_m3_scale(mass, tn_m3_axpy(-1.0, tn_m3_outer(d, d), square));
}

tn_robot_mass tn_robot_add_mass(tn_robot_mass a, tn_robot_mass b)
{
    tn_robot_mass sum = {.mass = a.mass + b.mass, .com = a.mass > 0.0 ? a.com : b.com};
    if (a.mass > 0.0 && b.mass > 0.0)
        sum.com = tn_v3_axpy(b.mass / sum.mass, tn_v3_sub(b.com, a.com), a.com);
    sum.inertia = tn_m3_axpy(1.0, a.inertia, b.inertia);
    sum.inertia = tn_m3_axpy(1.0, away(a.mass, tn_v3_sub(a.com, sum.com)), sum.inertia);
    sum.inertia = tn_m3_axpy(1.0, away(b.mass, tn_v3_sub(b.com, sum.com)), sum.inertia);
    return sum;
}

tn_robot_mass tn_robot_move_mass(tn_frame frame, tn_robot_mass part)
{
    return (tn_robot_mass){part.mass, tn_frame_point(frame, part.com),
                           tn_m3_mul(frame.R, tn_m3_mul_t(part.inertia, frame.R))};
}

// Parents ----------------------------------------------------------------------------------------

static tn_status hang_one(tn_robot *robot, int j)
{
    tn_robot_joint *joint = &robot->joints.at[j];
    tn_robot_link *parent = &robot->links.at[joint->parent],
                  *child = &robot->links.at[joint->child];
    if (joint->closes)
        return TN_OK;
    if (joint->parent == joint->child)
        return tn_robot_fail(robot, joint->line, "joint '%s': link '%s' is its own parent",
                             joint->name, child->name);
    if (child->joint != TN_ROBOT_NONE) {
        joint->closes = robot->guess = true;
        return tn_robot_note_add(robot, TN_IMPORT_ASSUMED, joint->line,
                                 "joint '%s' closes a loop: link '%s' hangs on joint '%s' already",
                                 joint->name, child->name, robot->joints.at[child->joint].name);
    }
    child->joint = j;
    int *const from = parent->last < 0 ? &parent->first : &robot->joints.at[parent->last].next;
    *from = parent->last = j;
    return TN_OK;
}

static tn_status find_root(tn_robot *robot)
{
    robot->root = TN_ROBOT_NONE;
    for (int i = 0; i < robot->links.count; i++) {
        const tn_robot_link *link = &robot->links.at[i];
        if (link->joint != TN_ROBOT_NONE)
            continue;
        if (robot->root != TN_ROBOT_NONE)
            return tn_robot_fail(robot, link->line,
                                 "link '%s' hangs on no joint, and neither does link '%s' in line "
                                 "%d; a robot has one root",
                                 link->name, robot->links.at[robot->root].name,
                                 robot->links.at[robot->root].line);
        robot->root = i;
    }
    return robot->root != TN_ROBOT_NONE
               ? TN_OK
               : tn_robot_fail(robot, robot->links.at[0].line,
                               "each link is the child of a joint, so that nothing carries the "
                               "robot; a robot has one root");
}

// Parents before children, those of a link together with all that hangs on them.
static tn_status order_links(tn_robot *robot)
{
    int n = 0, waiting = 1;
    const int count = robot->links.count;
    int *stack = tn_pool_take(&robot->memory, (size_t)count * sizeof *stack);
    robot->order = tn_pool_take(&robot->memory, (size_t)count * sizeof *robot->order);
    TN_TRY(tn_got(stack && robot->order));
    stack[0] = robot->root;
    while (waiting > 0) {
        const int link = stack[--waiting], before = waiting;
        robot->order[n++] = link;
        for (int j = robot->links.at[link].first; j >= 0; j = robot->joints.at[j].next)
            stack[waiting++] = robot->joints.at[j].child;
        for (int a = before, b = waiting - 1; a < b; a++, b--) { // the first is taken first
            const int other = stack[a];
            stack[a] = stack[b];
            stack[b] = other;
        }
    }
    for (int i = 0; n < count && i < n; i++)
        robot->links.at[robot->order[i]].body = -2; // reached
    for (int i = 0; n < count && i < count; i++)
        if (robot->links.at[i].body != -2)
            return tn_robot_fail(robot, robot->links.at[i].line,
                                 "link '%s' is part of a ring of joints that hangs on nothing",
                                 robot->links.at[i].name);
    return TN_OK;
}

// Followers --------------------------------------------------------------------------------------

static tn_status find_leader(tn_robot *robot, tn_robot_joint *joint)
{
    joint->leader = tn_table_find(robot->joint_names, joint->mimic);
    if (joint->leader < 0)
        return tn_robot_fail(robot, joint->mimic_line, "joint '%s': mimic '%s' is no joint; %s",
                             joint->name, joint->mimic,
                             tn_table_hint(robot->joint_names, joint->mimic).text);
    const tn_robot_joint *leader = &robot->joints.at[joint->leader];
    if (!tn_robot_has_coordinate(joint)) {
        joint->leader = TN_ROBOT_NONE;
        return tn_robot_note_add(robot, TN_IMPORT_LEFT_OUT, joint->mimic_line,
                                 "joint '%s' has no coordinate that could follow joint '%s'",
                                 joint->name, joint->mimic);
    }
    if (!tn_robot_has_coordinate(leader))
        return tn_robot_fail(robot, joint->mimic_line,
                             "joint '%s': mimic '%s' has not one coordinate to be followed",
                             joint->name, joint->mimic);
    if (joint->ratio == 0.0)
        return tn_robot_fail(
            robot, joint->mimic_line,
            "joint '%s': mimic has the multiplier 0 and would follow nothing; make "
            "the joint fixed",
            joint->name);
    return TN_OK;
}

static tn_status start_one(tn_robot *robot, tn_robot_joint *joint)
{
    joint->started = true;
    if (joint->leader >= 0) {
        joint->start = joint->ratio * robot->joints.at[joint->leader].start + joint->offset;
        return TN_OK;
    }
    if (!joint->limited || (joint->lower <= 0.0 && joint->upper >= 0.0))
        return TN_OK;
    joint->start = joint->lower > 0.0 ? joint->lower : joint->upper;
    return tn_robot_note_add(robot, TN_IMPORT_ASSUMED, joint->line,
                             "joint '%s' starts at %.9g, the end of its range that is nearest to 0",
                             joint->name, joint->start);
}

// Leaders before their followers: the way to the first that has started, and back.
static tn_status start_chain(tn_robot *robot, int from, int *way)
{
    int n = 0;
    for (int j = from; j >= 0 && !robot->joints.at[j].started; j = robot->joints.at[j].leader) {
        if (n == robot->joints.count)
            return tn_robot_fail(robot, robot->joints.at[from].mimic_line,
                                 "joint '%s' follows itself by its mimic, if over others",
                                 robot->joints.at[from].name);
        way[n++] = j;
    }
    while (n-- > 0)
        TN_TRY(start_one(robot, &robot->joints.at[way[n]]));
    return TN_OK;
}

static tn_status start_joints(tn_robot *robot)
{
    int *way = tn_pool_take(&robot->memory, (size_t)(robot->joints.count + 1) * sizeof *way);
    TN_TRY(tn_got(way));
    for (int j = 0; j < robot->joints.count; j++)
        if (robot->joints.at[j].mimic)
            TN_TRY(find_leader(robot, &robot->joints.at[j]));
    for (int j = 0; j < robot->joints.count; j++)
        TN_TRY(start_chain(robot, j, way));
    return TN_OK;
}

// Bodies -----------------------------------------------------------------------------------------

// The frame of a child in that of its parent at the start.
static tn_frame start_of(const tn_robot_joint *joint)
{
    tn_frame moved = tn_frame_identity;
    if (tn_robot_turns(joint->kind))
        moved.R = tn_so3_exp(tn_v3_scale(joint->start, joint->axis));
    if (joint->kind == TN_ROBOT_PRISMATIC)
        moved.p = tn_v3_scale(joint->start, joint->axis);
    moved = tn_frame_mul(joint->origin, moved);
    return tn_frame_mul(moved,
                        tn_frame_inverse(tn_robot_frame(joint->child_at, joint->child_turn)));
}

static void place_root(tn_robot *robot)
{
    tn_robot_link *root = &robot->links.at[robot->root];
    const bool held =
        strcmp(robot->options->base, "fixed") == 0 || strcmp(root->name, "world") == 0;
    root->start = root->in_body = tn_frame_identity;
    root->body = held ? TN_ROBOT_NONE : robot->root;
    robot->bodies = !held;
}

static void place_link(tn_robot *robot, int i)
{
    tn_robot_link *link = &robot->links.at[i];
    const tn_robot_joint *joint = &robot->joints.at[link->joint];
    const tn_robot_link *parent = &robot->links.at[joint->parent];
    const bool merged = joint->kind == TN_ROBOT_FIXED && !robot->options->keep_fixed;
    link->start = tn_frame_mul(parent->start, start_of(joint));
    link->in_body = merged ? tn_frame_mul(parent->in_body, joint->origin) : tn_frame_identity;
    link->body = merged ? parent->body : i;
    robot->bodies += !merged;
}

static void gather_mass(tn_robot *robot, int i)
{
    const tn_robot_link *link = &robot->links.at[i];
    tn_robot_link *body = link->body < 0 ? NULL : &robot->links.at[link->body];
    if (!body || !link->weighs)
        return;
    if (i == link->body) {
        body->sum = link->own;
        return;
    }
    body->moment_known = false;
    body->weighs = true;
    body->sum = tn_robot_add_mass(body->sum, tn_robot_move_mass(link->in_body, link->own));
}

// What a link carries through joints goes to its parent; children come first.
static void hand_down(tn_robot *robot, int i)
{
    tn_robot_link *link = &robot->links.at[i];
    link->load = tn_robot_add_mass(link->load, link->own);
    if (link->joint < 0)
        return;
    const tn_robot_joint *joint = &robot->joints.at[link->joint];
    tn_robot_link *parent = &robot->links.at[joint->parent];
    parent->load = tn_robot_add_mass(parent->load, tn_robot_move_mass(start_of(joint), link->load));
}

tn_status tn_robot_tree(tn_robot *robot)
{
    for (int j = 0; j < robot->joints.count; j++)
        TN_TRY(hang_one(robot, j));
    TN_TRY(find_root(robot));
    TN_TRY(order_links(robot));
    TN_TRY(start_joints(robot));
    place_root(robot);
    for (int i = 1; i < robot->links.count; i++)
        place_link(robot, robot->order[i]);
    for (int i = 0; i < robot->links.count; i++)
        gather_mass(robot, robot->order[i]);
    for (int i = robot->links.count; i-- > 0;)
        hand_down(robot, robot->order[i]);
    return TN_OK;
}
