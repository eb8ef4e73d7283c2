// SPDX-License-Identifier: MIT
//
// Masses of solids; see mass.h. Lengths run along z, and frames are in the centre of the shape, but
// for a cone, whose frame is in the middle of its height: its centre is a quarter of the height
// above the base.

#include "kinds/mass.h"

#include "model/model.h"

tn_mat3 tn_inertia_of_moments(tn_mat3 second)
{
    const double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    return tn_m3_axpy(-1.0, second, tn_m3_diag(trace, trace, trace));
}

// A solid with its centre at height z, inertia about z and about any axis at right angles to it.
static tn_mass about_z(double volume, double z, double across, double along)
{
    return (tn_mass){volume, {0, 0, z}, tn_m3_diag(across, across, along)};
}

static tn_mass solid_box(tn_vec3 size)
{
    const double volume = size.x * size.y * size.z, part = volume / 12.0;
    const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
    return (tn_mass){volume, {0, 0, 0}, tn_m3_diag(part * (y + z), part * (x + z), part * (x + y))};
}

static tn_mass solid_cylinder(double r, double length)
{
    const double volume = M_PI * r * r * length;
    return about_z(volume, 0.0, volume * (3.0 * r * r + length * length) / 12.0,
                   0.5 * volume * r * r);
}

static tn_mass solid_sphere(double r)
{
    const double volume = 4.0 / 3.0 * M_PI * r * r * r, inertia = 0.4 * volume * r * r;
    return about_z(volume, 0.0, inertia, inertia);
}

// Half a sphere has its centre 3/8 r from its base: moved from its own centre to a distance
// length/2 of the base the inertia across is 2/5 r^2 + length^2/4 + 3/8 r length per mass.
static tn_mass solid_capsule(double r, double length)
{
    const tn_mass bar = solid_cylinder(r, length), ends = solid_sphere(r);
    const double apart = ends.mass * (0.25 * length * length + 0.375 * r * length);
    return about_z(bar.mass + ends.mass, 0.0, bar.inertia.m[0][0] + ends.inertia.m[0][0] + apart,
                   bar.inertia.m[2][2] + ends.inertia.m[2][2]);
}

static tn_mass solid_cone(double r, double height)
{
    const double volume = M_PI * r * r * height / 3.0;
    return about_z(volume, -0.25 * height, volume * 0.0375 * (4.0 * r * r + height * height),
                   0.3 * volume * r * r);
}

bool tn_shape_solid(const tn_shape_def *shape, tn_mass *out)
{
    switch (shape->kind) {
    case TN_SHAPE_BOX:
        *out = solid_box(shape->size);
        return true;
    case TN_SHAPE_CYLINDER:
        *out = solid_cylinder(shape->radius, shape->length);
        return true;
    case TN_SHAPE_SPHERE:
        *out = solid_sphere(shape->radius);
        return true;
    case TN_SHAPE_CAPSULE:
        *out = solid_capsule(shape->radius, shape->length);
        return true;
    case TN_SHAPE_CONE:
        *out = solid_cone(shape->radius, shape->length);
        return true;
    default:
        return false;
    }
}

tn_mass tn_mass_in_frame(tn_mass mass, tn_frame frame)
{
    return (tn_mass){mass.mass, tn_frame_point(frame, mass.com),
                     tn_m3_mul(frame.R, tn_m3_mul_t(mass.inertia, frame.R))};
}

tn_mass tn_mass_scaled(tn_mass mass, double factor)
{
    return (tn_mass){factor * mass.mass, mass.com, tn_m3_scale(factor, mass.inertia)};
}

// Two masses turn about their common centre as one of the reduced mass at their distance does.
tn_mass tn_mass_sum(tn_mass a, tn_mass b)
{
    const double mass = a.mass + b.mass;
    if (mass == 0.0)
        return a;
    const tn_vec3 apart = tn_v3_sub(b.com, a.com);
    const double reduced = a.mass * (b.mass / mass);
    const tn_mat3 pair = tn_inertia_of_moments(tn_m3_scale(reduced, tn_m3_outer(apart, apart)));
    return (tn_mass){mass, tn_v3_axpy(b.mass / mass, apart, a.com),
                     tn_m3_axpy(1.0, pair, tn_m3_axpy(1.0, a.inertia, b.inertia))};
}

static const tn_body_data *known_body(const tn_model *model, tn_body body)
{
    return body.index > 0 && body.index < model->bodies.count ? &model->bodies.at[body.index]
                                                              : NULL;
}

tn_mass tn_model_body_mass(const tn_model *model, tn_body body)
{
    TN_NEED(model, (tn_mass){0});
    const tn_body_data *data = known_body(model, body);
    return data ? (tn_mass){data->def.mass, data->def.com, data->inertia} : (tn_mass){0};
}

bool tn_model_body_mass_is_of_shapes(const tn_model *model, tn_body body)
{
    TN_NEED(model, false);
    const tn_body_data *data = known_body(model, body);
    return data && data->def.of_shapes;
}
