// SPDX-License-Identifier: MIT
//
// Files of meshes. "package://NAME/rest" is looked for where --package or ROS_PACKAGE_PATH say the
// package is, and upwards from the robot to a folder of that name; "file://" is a path, and other
// names are relative to the robot. A name must not climb out of its package by "..". What cannot
// be drawn is noted: meshes have no part in the motion.

#include "import/robot.h"

#include "text/lines.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// Returns true if a name leads out of the folder that it begins in.
static bool climbs_out(const char *name)
{
    int depth = 0;
    for (const char *at = name; *at && depth >= 0; at += strspn(at, "/")) {
        const size_t n = strcspn(at, "/");
        if (n == 2 && strncmp(at, "..", 2) == 0)
            depth--;
        else if (n != 1 || *at != '.')
            depth += n > 0;
        at += n;
    }
    return depth < 0;
}

// The file "folder/rest" where it is there, as a new text; NULL else.
static char *within(const char *folder, size_t length, const char *rest)
{
    char *path = tn_format("%.*s/%s", (int)length, folder, rest);
    if (path && is_file(path))
        return path;
    tn_free(path);
    return NULL;
}

// In the folder of a package that an option states: "NAME=FOLDER,…".
static char *in_stated(const char *packages, const char *name, const char *rest)
{
    const size_t n = strcspn(name, "/");
    for (const char *at = packages; at && *at; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        if (length > n && strncmp(at, name, n) == 0 && at[n] == '=')
            return within(at + n + 1, length - n - 1, rest);
        at += length;
    }
    return NULL;
}

// In the folders of an environment, each of which holds packages or is one itself.
static char *in_path(const char *folders, const char *name, const char *rest)
{
    const size_t n = strcspn(name, "/");
    for (const char *at = folders; at && *at; at += strspn(at, ":")) {
        const size_t length = strcspn(at, ":");
        const bool itself =
            length > n && at[length - n - 1] == '/' && strncmp(at + length - n, name, n) == 0;
        char *found = within(at, length, itself ? rest : name);
        if (found)
            return found;
        at += length;
    }
    return NULL;
}

// In a folder that holds the robot, or the package beside one of these.
static char *upwards(const char *robot, const char *name)
{
    char full[PATH_MAX];
    if (!realpath(robot, full))
        return NULL;
    for (char *slash = strrchr(full, '/'); slash; slash = strrchr(full, '/')) {
        *slash = '\0';
        char *found = within(full, strlen(full), name);
        if (found)
            return found;
    }
    return NULL;
}

static char *find_in_package(const tn_robot *robot, const char *name)
{
    const char *rest = name + strcspn(name, "/");
    rest += *rest == '/';
    if (climbs_out(rest))
        return NULL;
    char *found = in_stated(robot->options->packages, name, rest);
    if (!found)
        found = in_path(getenv("ROS_PACKAGE_PATH"), name, rest);
    return found ? found : upwards(robot->path, name);
}

static char *find_mesh(const tn_robot *robot, const char *name)
{
    if (strncmp(name, "package://", 10) == 0 || strncmp(name, "model://", 8) == 0)
        return find_in_package(robot, strstr(name, "://") + 3);
    if (strncmp(name, "file://", 7) == 0)
        name += 7;
    else if (strstr(name, "://"))
        return NULL;
    char *path = tn_path_beside(robot->path, name);
    if (path && is_file(path))
        return path;
    tn_free(path);
    return NULL;
}

static bool ends_in(const char *path, const char *tail)
{
    const size_t n = strlen(path), m = strlen(tail);
    return n > m && strcasecmp(path + n - m, tail) == 0;
}

const char *tn_robot_path(tn_robot *robot, const char *path)
{
    const char *slash = strrchr(robot->path, '/');
    char full[PATH_MAX], base[PATH_MAX], own[PATH_MAX];
    snprintf(own, sizeof own, "%.*s", slash ? (int)(slash - robot->path) + 1 : 1,
             slash ? robot->path : ".");
    const char *folder = robot->options->folder ? robot->options->folder : own;
    if (!realpath(path, full) || !realpath(folder, base))
        return tn_pool_text(&robot->memory, path, strlen(path));
    const size_t n = strlen(base);
    const bool below = strncmp(full, base, n) == 0 && full[n] == '/';
    const char *seen = below ? full + n + 1 : full;
    return tn_pool_text(&robot->memory, seen, strlen(seen));
}

static tn_status leave_out(tn_robot *robot, tn_robot_shape *shape, const char *why)
{
    const char *name = shape->file;
    shape->file = NULL;
    return shape->collision ? TN_OK
                            : tn_robot_note_add(robot, TN_IMPORT_LEFT_OUT, shape->line,
                                                "mesh '%s' is not drawn: %s", name, why);
}

static tn_status find_one(tn_robot *robot, tn_robot_shape *shape)
{
    const double *scale = shape->size;
    if (!ends_in(shape->file, ".stl") && !ends_in(shape->file, ".obj"))
        return leave_out(robot, shape, "Tenon draws files in STL and OBJ");
    if (scale[0] != scale[1] || scale[0] != scale[2] || scale[0] < 0.0)
        return leave_out(robot, shape, "its scale differs by axis or mirrors");
    char *path = find_mesh(robot, shape->file);
    if (!path)
        return leave_out(robot, shape,
                         "there is no such file; --package NAME=FOLDER tells where a "
                         "package is");
    shape->file = strpbrk(path, "\"\\\n") ? NULL : tn_robot_path(robot, path);
    tn_free(path);
    return TN_OK;
}

tn_status tn_robot_find_meshes(tn_robot *robot)
{
    for (int i = 0; i < robot->shapes.count; i++)
        if (strcmp(robot->shapes.at[i].kind, "mesh") == 0)
            TN_TRY(find_one(robot, &robot->shapes.at[i]));
    return TN_OK;
}
