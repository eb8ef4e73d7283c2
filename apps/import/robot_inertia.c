// SPDX-License-Identifier: MIT
//
// Inertias that no body can have. With principal moments a <= b <= c a body has c <= a + b, as its
// second moments, which are ½ tr(I) 1 - I, cannot be negative. What digits leave of that is mended;
// else the link is named with a number that would do, or asked options mend it or keep it.

#include "import/robot.h"

#include "model/body.h"

#include <string.h>

// Moments in files have three digits.
static const double DIGITS = 2e-3;

// Principal moments in increasing order, and their axes.
static void principal(tn_mat3 I, double moment[3], tn_mat3 *axes)
{
    tn_principal_axes(I, moment, axes);
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && moment[k - 1] > moment[k]; k--) {
            const double other = moment[k];
            const tn_vec3 left = tn_m3_column(*axes, k - 1), right = tn_m3_column(*axes, k);
            moment[k] = moment[k - 1];
            moment[k - 1] = other;
            for (int r = 0; r < 3; r++) {
                axes->m[r][k - 1] = (&right.x)[r];
                axes->m[r][k] = (&left.x)[r];
            }
        }
}

// By how much second moments are negative, as a part of the largest moment.
static double excess(const double m[3])
{
    return (m[2] - m[0] - m[1]) / m[2];
}

// The nearest inertia that a body can have: second moments that are negative become zero.
static tn_mat3 mended(const double m[3], tn_mat3 axes)
{
    const double half = 0.5 * (m[0] + m[1] + m[2]);
    double s[3];
    for (int i = 0; i < 3; i++)
        s[i] = fmax(half - m[i], 0.0);
    const tn_mat3 I = tn_m3_diag(s[1] + s[2], s[2] + s[0], s[0] + s[1]);
    return tn_m3_mul(axes, tn_m3_mul_t(I, axes));
}

static tn_status repair(tn_robot *robot, tn_robot_link *link, const double m[3], tn_mat3 axes)
{
    double now[3];
    tn_mat3 ignored;
    link->sum.inertia = mended(m, axes);
    link->moment_known = false;
    principal(link->sum.inertia, now, &ignored);
    return tn_robot_note_add(robot, TN_IMPORT_CHANGED, link->line,
                             "link '%s': principal moments %.6g, %.6g, %.6g, which no body can "
                             "have, become %.6g, %.6g, %.6g",
                             link->name, m[0], m[1], m[2], now[0], now[1], now[2]);
}

static tn_status judge(tn_robot *robot, tn_robot_link *link)
{
    const char *how = robot->options->inertia;
    double m[3];
    tn_mat3 axes;
    principal(link->sum.inertia, m, &axes);
    if (m[2] <= 0.0 && m[0] >= 0.0)
        return TN_OK;
    if (m[2] > 0.0 && excess(m) <= 1e-9 && m[0] >= -1e-9 * m[2])
        return TN_OK;
    if (strcmp(how, "repair") == 0 || (m[2] > 0.0 && excess(m) <= DIGITS && m[0] >= 0.0))
        return repair(robot, link, m, axes);
    if (strcmp(how, "keep") == 0) {
        link->keeps = true;
        return tn_robot_note_add(robot, TN_IMPORT_CHANGED, link->line,
                                 "link '%s': principal moments %.6g, %.6g, %.6g, which no body can "
                                 "have, are kept",
                                 link->name, m[0], m[1], m[2]);
    }
    if (m[0] < 0.0)
        return tn_robot_fail(robot, link->line,
                             "link '%s': principal moments %.6g, %.6g, %.6g; none may be negative. "
                             "--repair inertia takes the nearest that a body can have",
                             link->name, m[0], m[1], m[2]);
    return tn_robot_fail(robot, link->line,
                         "link '%s': principal moments %.6g, %.6g, %.6g; the last must not exceed "
                         "%.6g, the sum of the others. --repair inertia takes the nearest that a "
                         "body can have",
                         link->name, m[0], m[1], m[2], m[0] + m[1]);
}

tn_status tn_robot_judge_inertias(tn_robot *robot)
{
    for (int i = 0; i < robot->links.count; i++) {
        tn_robot_link *link = &robot->links.at[robot->order[i]];
        if (link->body == robot->order[i] && link->weighs)
            TN_TRY(judge(robot, link));
    }
    return TN_OK;
}
