// SPDX-License-Identifier: MIT
//
// The public functions of reductions; see tenon/reduce.h.

#include "base/alloc.h"
#include "flex/modal.h"
#include "linalg/blas_threads.h"
#include "read/modal_file.h"
#include "reduce/reduce_job.h"

#include <math.h>

struct tn_reduction {
    tn_modal *modal;
    tn_reduce_compared compared;
    tn_reduction_facts facts;
};

tn_reduce_options tn_default_reduce(void)
{
    return (tn_reduce_options){.compare = 6};
}

// From the origin to the centre of mass.
static tn_mat3 about_centre(const tn_modal_inertia *x)
{
    const double c[3] = {x->centre.x, x->centre.y, x->centre.z};
    const double square = tn_v3_dot(x->centre, x->centre);
    tn_mat3 out = x->inertia;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.m[i][k] -= x->mass * ((i == k ? square : 0.0) - c[i] * c[k]);
    return out;
}

static void fill_facts(tn_reduction *r, const tn_reduce_job *job)
{
    const tn_modal_inertia x = tn_modal_inertia_of(r->modal);
    r->facts = (tn_reduction_facts){.nodes = job->fe.nnode,
                                    .freedoms = job->fe.K->nrow,
                                    .attachments = r->modal->nattachment,
                                    .modes = r->modal->m,
                                    .geometric = job->fe.ngeometric,
                                    .mass = x.mass,
                                    .centre = x.centre,
                                    .inertia = about_centre(&x),
                                    .compared = r->compared.n};
    for (int i = 0; i < r->compared.n; i++)
        r->facts.error =
            fmax(r->facts.error, fabs(r->compared.reduced[i] / r->compared.full[i] - 1.0));
}

tn_status tn_reduction_create(const char *path, const tn_reduce_options *options,
                              tn_reduction **out)
{
    tn_reduce_job job = {0};
    TN_NEED_ALL(TN_ERR_USAGE, path, options, out);
    *out = NULL;
    tn_clear_error();
    tn_blas_one_thread();
    tn_reduction *r = tn_alloc(sizeof(*r));
    tn_status s = tn_got(r);
    if (s == TN_OK && options->progress)
        options->progress(options->user, "reads matrices");
    TN_THEN(s, tn_reduce_job_read(path, &job));
    job.wanted.compare = options->compare;
    job.wanted.progress = options->progress;
    job.wanted.user = options->user;
    if (s == TN_OK) {
        s = tn_fe_reduce(&job.fe, job.nattachment, job.attachment, &job.wanted, &r->modal,
                         &r->compared);
        if (s != TN_OK)
            s = tn_fail_within(tn_leave(s, "the reduction"), "%s", path);
    }
    if (s == TN_OK)
        fill_facts(r, &job);
    tn_reduce_job_clear(&job);
    TN_HAND_OUT(s, r, tn_reduction_destroy, out);
}

void tn_reduction_destroy(tn_reduction *r)
{
    if (!r)
        return;
    tn_modal_destroy(r->modal);
    TN_FREE(r->compared.full, r->compared.reduced, r);
}

TN_GETTER(const tn_reduction_facts *, tn_reduction_facts_of, (const tn_reduction *reduction),
          reduction, NULL, &reduction->facts);
TN_GETTER_AT(double, tn_reduction_frequency, (const tn_reduction *reduction, int mode), reduction,
             mode, reduction->modal->m, NAN, reduction->modal->frequency[mode]);
TN_GETTER_AT(const char *, tn_reduction_attachment, (const tn_reduction *reduction, int attachment),
             reduction, attachment, reduction->modal->nattachment, "",
             reduction->modal->attachment[attachment].name);
TN_GETTER_AT(tn_vec3, tn_reduction_position, (const tn_reduction *reduction, int attachment),
             reduction, attachment, reduction->modal->nattachment, tn_v3(0, 0, 0),
             reduction->modal->attachment[attachment].frame.p);
TN_GETTER_AT(double, tn_reduction_free, (const tn_reduction *reduction, int i), reduction, i,
             reduction->compared.n, NAN, reduction->compared.reduced[i]);
TN_GETTER_AT(double, tn_reduction_full, (const tn_reduction *reduction, int i), reduction, i,
             reduction->compared.n, NAN, reduction->compared.full[i]);

tn_status tn_reduction_write(const tn_reduction *reduction, const char *path)
{
    TN_NEED_ALL(TN_ERR_USAGE, reduction, path);
    tn_clear_error();
    return tn_modal_write(reduction->modal, path);
}
