// SPDX-License-Identifier: MIT
//
// Report of tenon check on bodies whose mass comes from their shapes.

#include "run.h"

void cli_masses_print(const tn_model *model)
{
    enum { SHOWN = 20 }; // of many
    int count = 0;
    for (int i = 1; i < tn_model_body_count(model); i++) {
        const tn_mass m = tn_model_body_mass(model, (tn_body){i});
        const double(*I)[3] = m.inertia.m;
        if (!tn_model_body_mass_is_of_shapes(model, (tn_body){i}))
            continue;
        if (count++ == 0)
            printf("masses           from shapes, inertia about the centre in axes of the body:\n");
        if (count > SHOWN)
            continue;
        printf("    body '%s': %.9g kg, centre (%.9g, %.9g, %.9g) m,\n"
               "        inertia (%.9g, %.9g, %.9g), products (%.9g, %.9g, %.9g) kg m^2\n",
               tn_model_body_name(model, (tn_body){i}), m.mass, m.com.x, m.com.y, m.com.z, I[0][0],
               I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]);
    }
    if (count > SHOWN)
        printf("    and %d more bodies, see --json\n", count - SHOWN);
}

void cli_masses_put(tn_json *json, const tn_model *model)
{
    tn_json_begin_array(json, "masses");
    for (int i = 1; i < tn_model_body_count(model); i++) {
        const tn_mass m = tn_model_body_mass(model, (tn_body){i});
        const double(*I)[3] = m.inertia.m;
        if (!tn_model_body_mass_is_of_shapes(model, (tn_body){i}))
            continue;
        tn_json_put(json, "{ body %s mass %g", tn_model_body_name(model, (tn_body){i}), m.mass);
        tn_json_numbers(json, "com", 3, (const double[]){m.com.x, m.com.y, m.com.z});
        tn_json_numbers(json, "inertia", 3, (const double[]){I[0][0], I[1][1], I[2][2]});
        tn_json_numbers(json, "products", 3, (const double[]){I[0][1], I[0][2], I[1][2]});
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}
