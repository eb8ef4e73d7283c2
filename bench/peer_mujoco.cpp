// SPDX-License-Identifier: MIT
//
// MuJoCo: a model in its own language, compiled by it, and mj_forward with contacts and constraints
// off. It factors the mass matrix, which for a chain is full.

#include "peers.h"

#include <mujoco/mujoco.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace
{

struct Mechanism {
    mjModel *model;
    mjData *data;
};

void say(std::string &text, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text += line;
}

// Axes as the two directions that MuJoCo asks for.
void say_axes(std::string &text, const double A[3][3])
{
    say(text, " xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g'", A[0][0], A[1][0], A[2][0], A[0][1],
        A[1][1], A[2][1]);
}

std::string describe(int n, const peer_link *links, const double gravity[3])
{
    std::string text;
    say(text,
        "<mujoco><compiler angle='radian'/>"
        "<option gravity='%.17g %.17g %.17g'><flag contact='disable' constraint='disable'/>"
        "</option><worldbody>",
        gravity[0], gravity[1], gravity[2]);
    std::vector<int> open; // bodies that the next one may stand on
    for (int k = 0; k < n; k++) {
        const peer_link &b = links[k];
        for (; !open.empty() && open.back() != b.below; open.pop_back())
            text += "</body>";
        say(text, "<body pos='%.17g %.17g %.17g'", b.d[0], b.d[1], b.d[2]);
        say_axes(text, b.R);
        say(text, "><inertial mass='%.17g' pos='%.17g %.17g %.17g'", b.mass, b.com[0], b.com[1],
            b.com[2]);
        say_axes(text, b.axes);
        say(text, " diaginertia='%.17g %.17g %.17g'/>", b.moments[0], b.moments[1], b.moments[2]);
        text += "<joint type='hinge' axis='0 0 1'/>";
        open.push_back(k);
    }
    for (size_t i = 0; i < open.size(); i++)
        text += "</body>";
    return text + "</worldbody></mujoco>";
}

mjModel *compile(const std::string &text)
{
    auto *files = new mjVFS;
    mj_defaultVFS(files);
    char error[1000] = "no memory";
    mjModel *model = nullptr;
    if (mj_makeEmptyFileVFS(files, "mechanism.xml", static_cast<int>(text.size())) == 0) {
        std::memcpy(files->filedata[0], text.data(), text.size());
        model = mj_loadXML("mechanism.xml", files, error, sizeof error);
    }
    if (!model)
        std::fprintf(stderr, "MuJoCo: %s\n", error);
    mj_deleteVFS(files);
    delete files;
    return model;
}

void *create(int n, const peer_link *links, const double gravity[3])
{
    mjModel *model = compile(describe(n, links, gravity));
    return model ? new Mechanism{model, mj_makeData(model)} : nullptr;
}

void run(void *self, const double *q, const double *v, double *a)
{
    const auto *m = static_cast<Mechanism *>(self);
    const size_t size = sizeof(double) * static_cast<size_t>(m->model->nv);
    std::memcpy(m->data->qpos, q, size);
    std::memcpy(m->data->qvel, v, size);
    mj_forward(m->model, m->data);
    std::memcpy(a, m->data->qacc, size);
}

void destroy(void *self)
{
    auto *m = static_cast<Mechanism *>(self);
    mj_deleteData(m->data);
    mj_deleteModel(m->model);
    delete m;
}

const char *version()
{
    return mj_versionString();
}

} // namespace

const peer peer_mujoco = {"mujoco", version, 1000,   "its mass matrix has N^2 numbers",
                          create,   run,     destroy};
