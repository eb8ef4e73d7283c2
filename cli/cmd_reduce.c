// SPDX-License-Identifier: MIT
//
// tenon reduce: a modal body from finite element matrices.

#include "cli.h"

#include <string.h>

typedef struct reduce_options {
    const char *out;
    int compare;
    bool replace;
} reduce_options;

#define OPTION(...) CLI_OPTION(reduce_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", out, TEXT, "FILE.h5", "the file of the modal body; -o for short"),
    OPTION("compare", compare, INTEGER, "",
           "how many frequencies of the free body are compared with those of the whole mesh, 6",
           .range = TN_NONNEGATIVE),
    OPTION("force", replace, BOOL, "", "replace the file that is there"),
};

static void tell_step(void *user, const char *step)
{
    (void)user;
    cli_show_progress("%s", step);
}

// Output ------------------------------------------------------------------------------------------

static void print_reduction(const tn_reduction *r, const char *job, const char *out)
{
    const tn_reduction_facts *f = tn_reduction_facts_of(r);
    const double(*I)[3] = f->inertia.m;
    printf("%s: %d nodes with %d freedoms, reduced to %d modes\n", job, f->nodes, f->freedoms,
           f->modes);
    printf("mass               %.9g kg\n", f->mass);
    printf("centre of mass     %.9g, %.9g, %.9g m\n", f->centre.x, f->centre.y, f->centre.z);
    printf("inertia about it   xx %.9g, yy %.9g, zz %.9g kg m^2\n", I[0][0], I[1][1], I[2][2]);
    printf("                   xy %.9g, yz %.9g, zx %.9g kg m^2\n", I[0][1], I[1][2], I[2][0]);
    for (int i = 0; i < f->attachments; i++) {
        const tn_vec3 p = tn_reduction_position(r, i);
        printf("attachment         %s at %.9g, %.9g, %.9g m\n", tn_reduction_attachment(r, i), p.x,
               p.y, p.z);
    }
    if (f->geometric > 0)
        printf("geometric          stiffness of %d load%s\n", f->geometric,
               f->geometric == 1 ? "" : "s");
    printf("frequencies        with the frame held [Hz]:\n");
    for (int j = 0; j < f->modes; j++)
        printf("%s%12.6g%s", j % 6 ? "" : "  ", tn_reduction_frequency(r, j),
               j % 6 == 5 || j + 1 == f->modes ? "\n" : "");
    if (f->compared > 0) {
        printf("free body          by modes and by all freedoms [Hz]:\n");
        for (int i = 0; i < f->compared; i++)
            printf("  %12.6g %12.6g\n", tn_reduction_free(r, i), tn_reduction_full(r, i));
        printf("                   they differ by %.2g at most, relative\n", f->error);
    }
    printf("\nWrote %s.\n", out);
}

static tn_status put_reduction(const tn_reduction *r, const char *job, const char *out)
{
    const tn_reduction_facts *f = tn_reduction_facts_of(r);
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ status %s job %s file %s nodes %d freedoms %d mass %g", "done", job, out,
                f->nodes, f->freedoms, f->mass);
    tn_json_put(json, "centre_of_mass [ %g %g %g ] inertia [", f->centre.x, f->centre.y,
                f->centre.z);
    for (int i = 0; i < 3; i++)
        tn_json_put(json, "[ %g %g %g ]", f->inertia.m[i][0], f->inertia.m[i][1],
                    f->inertia.m[i][2]);
    tn_json_put(json, "] attachments [");
    for (int i = 0; i < f->attachments; i++) {
        const tn_vec3 p = tn_reduction_position(r, i);
        tn_json_put(json, "{ name %s position [ %g %g %g ] }", tn_reduction_attachment(r, i), p.x,
                    p.y, p.z);
    }
    tn_json_put(json, "] geometric %d frequencies [", f->geometric);
    for (int j = 0; j < f->modes; j++)
        tn_json_put(json, "%g", tn_reduction_frequency(r, j));
    tn_json_put(json, "] free_body { reduced [");
    for (int i = 0; i < f->compared; i++)
        tn_json_put(json, "%g", tn_reduction_free(r, i));
    tn_json_put(json, "] full [");
    for (int i = 0; i < f->compared; i++)
        tn_json_put(json, "%g", tn_reduction_full(r, i));
    tn_json_put(json, "] error %g } }", f->error);
    return cli_print_json(json);
}

static tn_status reduce_job(cli_args *args)
{
    reduce_options own = {.compare = tn_default_reduce().compare}, *w = &own;
    CLI_TRY(cli_parse(args, w));
    const char *job = args->word[0];
    tn_reduce_options how = tn_default_reduce();
    tn_reduction *r = NULL;
    how.compare = w->compare;
    how.progress = tell_step;
    if (!w->out)
        return tn_fail(TN_ERR_USAGE, "name the file to write: -o FILE.h5");
    CLI_TRY(cli_check_place(w->out, w->replace));
    tn_status s = tn_reduction_create(job, &how, &r);
    CLI_THEN(s, tn_reduction_write(r, w->out));
    cli_show_progress(NULL);
    if (s == TN_OK && cli_json())
        s = put_reduction(r, job, w->out);
    else if (s == TN_OK)
        print_reduction(r, job, w->out);
    tn_reduction_destroy(r);
    return s;
}

const cli_command cmd_reduce = {
    .name = "reduce",
    .summary = "make a modal body from finite element matrices",
    .usage = "reduce JOB.yaml -o FILE.h5 [--compare N] [--force] [--json]",
    .text =
        "JOB.yaml names stiffness and mass matrices (Matrix Market files, or what CalculiX has\n"
        "stored) or a beam of a model, the frames to which joints and forces will be\n"
        "attached, and how many modes are wanted. FILE.h5 then is a body of kind modal in\n"
        "model files.",
    .word = "a job",
    .least = 1,
    .most = 1,
    CLI_OPTIONS(options),
    .run = reduce_job,
};
