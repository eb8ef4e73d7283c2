// SPDX-License-Identifier: MIT
//
// Names in models. Bodies and frames have different names, and so have joints and forces, since
// results know them by these; a point in a name separates parts. Names that may stay do so; others
// get "_" in the place of what may not, or a number behind them.

#include "import/robot.h"

#include <string.h>

static bool may_stay(unsigned char c)
{
    return c > 127 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_' || c == '-';
}

// Takes a name that may stay as it is.
static tn_status keep_name(tn_robot *robot, int list, const char *name, const char **label)
{
    const char *c = name;
    while (may_stay((unsigned char)*c))
        c++;
    if (!*name || *c || tn_table_find(robot->taken[list], name) >= 0)
        return TN_OK;
    *label = name;
    return tn_table_add(robot->taken[list], name, 0);
}

tn_status tn_robot_new_label(tn_robot *robot, int list, const char *base, const char *tail,
                             const char **out)
{
    const size_t size = strlen(base) + strlen(tail) + 16;
    char *text = tn_pool_take(&robot->memory, size);
    TN_TRY(tn_got(text));
    size_t n = (size_t)snprintf(text, size, "%s%s", *base ? base : "unnamed", tail);
    for (size_t i = 0; i < n; i++)
        if (!may_stay((unsigned char)text[i]))
            text[i] = '_';
    while (tn_table_find(robot->taken[list], text) >= 0)
        snprintf(text + n, size - n, "_%d", ++robot->last_number + 1);
    *out = text;
    return tn_table_add(robot->taken[list], text, 0);
}

static tn_status rename_one(tn_robot *robot, int list, const char *what, const char *name, int line,
                            const char **label)
{
    if (*label)
        return TN_OK;
    TN_TRY(tn_robot_new_label(robot, list, name, "", label));
    return tn_robot_note_add(robot, TN_IMPORT_CHANGED, line, "%s '%s' is '%s' in the model", what,
                             name, *label);
}

tn_status tn_robot_label(tn_robot *robot)
{
    TN_TRY(tn_table_add(robot->taken[0], "ground", 0));
    for (int i = 0; i < robot->links.count; i++)
        TN_TRY(keep_name(robot, 0, robot->links.at[i].name, &robot->links.at[i].label));
    for (int i = 0; i < robot->joints.count; i++)
        TN_TRY(keep_name(robot, 1, robot->joints.at[i].name, &robot->joints.at[i].label));
    for (int i = 0; i < robot->links.count; i++) {
        tn_robot_link *link = &robot->links.at[i];
        TN_TRY(rename_one(robot, 0, "link", link->name, link->line, &link->label));
    }
    for (int i = 0; i < robot->joints.count; i++) {
        tn_robot_joint *joint = &robot->joints.at[i];
        TN_TRY(rename_one(robot, 1, "joint", joint->name, joint->line, &joint->label));
    }
    return TN_OK;
}
