// SPDX-License-Identifier: MIT
//
// The reference of a study from a file of results: the rows at the times of the study, and the
// sizes of all rows.

#include "study/study_io.h"

#include "base/alloc.h"
#include "result/result.h"
#include "result/stored_model.h"
#include "tenon/model.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 128, PARTS = 5 }; // rows at once, datasets

typedef struct {
    tn_study *study;
    tn_result *result;
    int dataset[PARTS];
    double *part[PARTS]; // BLOCK rows of each
    double *row;
    int found; // times that have a row so far; they are moved to the front
    int next;  // time that is searched
} reader;

static const struct {
    const char *path;
    int ncomponent; // per body; 0: per constraint row
} parts[PARTS] = {{"bodies/position", 3},
                  {"bodies/quaternion", 4},
                  {"bodies/velocity", 3},
                  {"bodies/angular_velocity", 3},
                  {"joints/lambda", 0}};

static tn_status other_model(const tn_result *result, const char *what)
{
    return tn_fail(TN_ERR_USAGE, "%s: these results are of another model: %s",
                   tn_result_about(result)->path, what);
}

static tn_status check_names(const tn_study *study, const tn_result *result)
{
    const tn_result_info *about = tn_result_about(result);
    const tn_model *model = study->model;
    if (about->nbody != study->nbody || about->njoint != tn_model_joint_count(model))
        return other_model(result, "the numbers of bodies or joints differ");
    for (int b = 0; b < study->nbody; b++)
        if (strcmp(tn_result_body(result, b), tn_model_body_name(model, (tn_body){b + 1})) != 0)
            return other_model(result, "the names of the bodies differ");
    for (int j = 0; j < about->njoint; j++)
        if (strcmp(tn_result_joint(result, j), tn_model_joint_name(model, (tn_joint){j})) != 0)
            return other_model(result, "the names of the joints differ");
    return TN_OK;
}

// The same names are not enough: errors against another mechanism would seem to be those of
// methods.
static tn_status refuse_other(const tn_result *result, const tn_notes *found)
{
    return tn_fail(TN_ERR_USAGE,
                   "%s: these results are of another model: %s%s; compare what was run, with the "
                   "same --set, or run the reference again",
                   tn_result_about(result)->path, found->text[0],
                   found->count > 1 ? ", and more differs" : "");
}

static tn_status check_model(const reader *r, const char *model_path)
{
    tn_stored_model stored = {0}, present = {0};
    tn_notes found = {0};
    TN_TRY(check_names(r->study, r->result));
    tn_status s = tn_stored_model_of_result(r->result, &stored);
    TN_THEN(s, tn_stored_model_of(r->study->model, model_path, &present));
    TN_THEN(s, tn_stored_models_compare(&stored, "the reference", &present, "the model", &found));
    tn_stored_model_free(&stored);
    tn_stored_model_free(&present);
    return s == TN_OK && found.count > 0 ? refuse_other(r->result, &found) : s;
}

static tn_status study_file_open_parts(reader *r)
{
    for (int k = 0; k < PARTS; k++) {
        const int width =
            (parts[k].ncomponent ? parts[k].ncomponent * r->study->nbody : r->study->nrow);
        const int dataset = tn_result_dataset_find(r->result, parts[k].path);
        const bool there = dataset >= 0 && tn_result_dataset_at(r->result, dataset)->width == width;
        if (width > 0 && !there)
            return other_model(r->result, parts[k].path);
        r->dataset[k] = width > 0 ? dataset : -1;
        r->part[k] = tn_alloc((size_t)BLOCK * (size_t)(width + 1) * sizeof(double));
        if (!r->part[k])
            return tn_fail(TN_ERR_MEMORY, "out of memory: a reference from a file");
    }
    r->row = tn_alloc((size_t)(tn_study_width(r->study) + 1) * sizeof(double));
    return r->row ? TN_OK : tn_fail(TN_ERR_MEMORY, "out of memory: a reference from a file");
}

static void gather_study_file(const reader *r, int i)
{
    const tn_study *study = r->study;
    double *out = r->row;
    for (int b = 0; b < study->nbody; b++)
        for (int k = 0; k < PARTS - 1; k++) {
            const int n = parts[k].ncomponent;
            memcpy(out, r->part[k] + (i * study->nbody + b) * n, (size_t)n * sizeof(double));
            out += n;
        }
    memcpy(out, r->part[PARTS - 1] + i * study->nrow, (size_t)study->nrow * sizeof(double));
}

// A row that stands at a time of the study: both move to the front of theirs. Times are written
// with all digits; steps may end a round-off beside a round number.
static void take_row(reader *r, double t)
{
    tn_study *study = r->study;
    const double roundoff = 1e-9 * (study->t_end - study->options.t_start);
    const size_t width = (size_t)tn_study_width(study);
    while (r->next < study->ntime && study->time[r->next] < t - roundoff)
        r->next++;
    if (r->next == study->ntime || study->time[r->next] > t + roundoff)
        return;
    study->time[r->found] = study->time[r->next++];
    memcpy(study->values + (size_t)r->found * width, r->row, width * sizeof(double));
    r->found++;
}

static tn_status read_rows(reader *r)
{
    const long rows = tn_result_rows(r->result);
    double time[BLOCK];
    for (long first = 0; first < rows; first += BLOCK) {
        const long n = rows - first < BLOCK ? rows - first : BLOCK;
        TN_TRY(tn_result_time(r->result, first, n, time));
        for (int k = 0; k < PARTS; k++)
            if (r->dataset[k] >= 0)
                TN_TRY(tn_result_read_rows(r->result, r->dataset[k], first, n, r->part[k]));
        for (int i = 0; i < n && time[i] <= r->study->t_end + 1e-9 * fabs(r->study->t_end); i++) {
            gather_study_file(r, i);
            tn_study_measure(r->study, r->row);
            take_row(r, time[i]);
        }
    }
    return TN_OK;
}

static tn_status check_end(const reader *r)
{
    const tn_study *study = r->study;
    const long rows = tn_result_rows(r->result);
    double last = NAN;
    if (r->found > 0 && study->time[r->found - 1] == study->t_end)
        return TN_OK;
    if (rows > 0)
        TN_TRY(tn_result_time(r->result, rows - 1, 1, &last));
    return tn_fail(TN_ERR_USAGE,
                   "%s has no row at t = %.10g s, where runs are compared; its last is at %.10g s; "
                   "choose --t-end among its times",
                   tn_result_about(r->result)->path, study->t_end, last);
}

static tn_status check_begin(const reader *r)
{
    const tn_study *study = r->study;
    const double begin = study->options.t_start;
    double first = begin;
    if (tn_result_rows(r->result) > 0)
        TN_TRY(tn_result_time(r->result, 0, 1, &first));
    if (fabs(first - begin) <= 1e-9 * (study->t_end - begin))
        return TN_OK;
    return tn_fail(TN_ERR_USAGE,
                   "%s begins at t = %.10g s, and runs that are compared begin at %.10g s: these "
                   "are other motions; state --t-start %.10g, or run the reference again",
                   tn_result_about(r->result)->path, first, begin, first);
}

static tn_status read_reference(reader *r)
{
    TN_TRY(check_begin(r));
    TN_TRY(study_file_open_parts(r));
    tn_study_measure(r->study, NULL);
    TN_TRY(read_rows(r));
    TN_TRY(check_end(r));
    r->study->ntime = r->found;
    tn_study_settle(r->study);
    return TN_OK;
}

tn_status tn_study_reference_file(tn_study *study, const char *path, bool trust,
                                  const char *model_path)
{
    reader r = {.study = study};
    TN_TRY(tn_result_open(path, trust, &r.result));
    tn_status s = check_model(&r, model_path);
    TN_THEN(s, read_reference(&r));
    study->facts.file = study->file =
        s == TN_OK ? tn_strdup(tn_result_about(r.result)->path) : NULL;
    if (s == TN_OK && !study->file)
        s = tn_fail(TN_ERR_MEMORY, "out of memory: a reference from a file");
    for (int k = 0; k < PARTS; k++)
        tn_free(r.part[k]);
    tn_free(r.row);
    tn_result_close(r.result);
    return s;
}
