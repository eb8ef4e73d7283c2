// SPDX-License-Identifier: MIT
//
// Files of modal bodies: what is written is read back, what is wrong with one is told.

#include "base/alloc.h"
#include "flex/modal.h"
#include "read/modal_file.h"
#include "test.h"

#ifdef TN_WITH_HDF5

enum { M = 2, N = 6 + 4 * M };

static double *fill(size_t n, double first)
{
    double *x = tn_alloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        x[i] = first;
    return x;
}

// A body of 2 kg with its centre at (1, 2, 3), and numbers in every field.
static tn_modal *some_body(void)
{
    tn_modal *x = NULL;
    CHECK_OK(tn_modal_create(M, 2, &x));
    for (int i = 0; i < N; i++)
        x->gram[i * N + i] = i < 3 ? 2.0 : 50.0;
    const double s[3] = {2.0, 4.0, 6.0};
    for (int k = 0; k < 3; k++) { // a_i . b_k = e_i . (e_k x s)
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        x->gram[i * N + 3 + k] = x->gram[(3 + k) * N + i] = -s[j];
        x->gram[j * N + 3 + k] = x->gram[(3 + k) * N + j] = s[i];
    }
    x->source = tn_strdup("by hand");
    for (int j = 0; j < M; j++) {
        x->stiffness[j * M + j] = 10.0 * (j + 1);
        x->frequency[j] = 5.0 * (j + 1);
        x->names[j] = tn_strdup(j ? "normal 2" : "bending 1");
    }
    for (int i = 0; i < 2; i++) {
        x->attachment[i].name = tn_strdup(i ? "hub" : "eye of it");
        x->attachment[i].frame.p = tn_v3(i, 2, 3);
        for (int k = 0; k < 6 * M; k++)
            x->attachment[i].modes[k] = k + i;
    }
    x->attachment[1].frame.R = (tn_mat3){{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
    x->damping = fill(M * M, 0.25);
    x->rate = fill(6 * M * M, 1.5);
    x->acceleration = fill(3 * M * M, 2.5);
    x->turning = fill(3 * M * M, 3.5);
    x->loads = fill(12 * M * M, 4.5);
    x->npoint = 3;
    x->ntriangle = 1;
    x->points = fill(9, 0.5);
    x->triangles = tn_alloc(3 * sizeof(int));
    x->triangles[2] = 2;
    x->shapes = tn_alloc(3 * M * 3 * sizeof(float));
    x->shapes[17] = 7.0f;
    return x;
}

static void same_numbers(size_t n, const double *a, const double *b)
{
    CHECK(a != NULL && b != NULL);
    CHECK(memcmp(a, b, n * sizeof(double)) == 0);
}

static void what_is_written_is_read_back(void)
{
    tn_modal *x = some_body(), *y = NULL;
    CHECK_OK(tn_modal_write(x, "body.h5"));
    CHECK_OK(tn_modal_read("body.h5", &y));
    CHECK(y->m == M && y->nattachment == 2 && y->npoint == 3 && y->ntriangle == 1);
    CHECK_TEXT(y->source, "by hand");
    CHECK_TEXT(y->names[1], "normal 2");
    same_numbers(N * N, x->gram, y->gram);
    same_numbers(M * M, x->stiffness, y->stiffness);
    same_numbers(M * M, x->damping, y->damping);
    same_numbers(M, x->frequency, y->frequency);
    same_numbers(6 * M * M, x->rate, y->rate);
    same_numbers(3 * M * M, x->acceleration, y->acceleration);
    same_numbers(3 * M * M, x->turning, y->turning);
    same_numbers(12 * M * M, x->loads, y->loads);
    same_numbers(9, x->points, y->points);
    CHECK(y->triangles[2] == 2 && y->shapes[17] == 7.0f);
    CHECK(tn_modal_find(y, "hub") == 1 && tn_modal_find(y, "rim") == -1);
    same_numbers(6 * M, x->attachment[1].modes, y->attachment[1].modes);
    CHECK(memcmp(&x->attachment[1].frame, &y->attachment[1].frame, sizeof(tn_frame)) == 0);
    tn_modal_destroy(x);
    tn_modal_destroy(y);
}

static void optional_parts_may_be_missing(void)
{
    tn_modal *x = NULL, *y = NULL;
    CHECK_OK(tn_modal_create(0, 0, &x));
    for (int i = 0; i < 6; i++)
        x->gram[7 * i] = 1.0;
    CHECK_OK(tn_modal_write(x, "bare.h5"));
    CHECK_OK(tn_modal_read("bare.h5", &y));
    CHECK(y->m == 0 && !y->damping && !y->rate && !y->loads && y->npoint == 0);
    tn_modal_destroy(x);
    tn_modal_destroy(y);
}

static void mass_and_centre_are_those_of_gram(void)
{
    tn_modal *x = some_body();
    const tn_modal_inertia i = tn_modal_inertia_of(x);
    CHECK(i.mass == 2.0 && i.inertia.m[1][1] == 50.0);
    CHECK(i.centre.x == 1.0 && i.centre.y == 2.0 && i.centre.z == 3.0);
    tn_modal_destroy(x);
}

// Writes the body, which is not needed any more, and expects this to be said of the file.
static void refused(tn_modal *x, const char *sentence)
{
    tn_modal *y = NULL;
    CHECK_OK(tn_modal_write(x, "bad.h5"));
    tn_modal_destroy(x);
    CHECK(tn_modal_read("bad.h5", &y) != TN_OK && !y);
    CHECK_TEXT(tn_last_error(), sentence);
}

static void bad_numbers_are_told(void)
{
    tn_modal *x = some_body();
    x->stiffness[1] = 1.0;
    refused(x, "bad.h5: stiffness is not symmetric: entry (2, 1) is 0 and (1, 2) is 1");
    x = some_body();
    x->stiffness[0] = -10.0;
    refused(x, "bad.h5: stiffness has 1 negative eigenvalue, the lowest -10 of the largest (with "
               "its diagonal scaled to 1)");
    x = some_body();
    x->gram[0] = -1.0;
    refused(x, "bad.h5: gram: the mass is -1 kg; it must be positive");
    x = some_body();
    x->frequency[1] = NAN;
    refused(x, "bad.h5: frequency has entries that are not finite");
    x = some_body();
    x->attachment[0].frame.R.m[0][0] = -1.0;
    refused(x, "bad.h5: attachment 'eye of it': its rotation is no rotation matrix, by 2");
    x = some_body();
    x->triangles[1] = 3;
    refused(x, "bad.h5: mesh/triangles: triangle 0 has the point 3; there are points 0 to 2");
}

static void other_files_are_refused(void)
{
    tn_modal *y = NULL;
    CHECK_STATUS(tn_modal_read("not_there.h5", &y), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "not_there.h5: cannot open it: No such file or directory");
    tn_test_write("text.h5", "hello", 5);
    CHECK_STATUS(tn_modal_read("text.h5", &y), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "text.h5: this is no HDF5 file, or a damaged one");
}

// Damaged in one byte after the other: read as something or refused, never a crash.
static void damaged_files_end_in_a_sentence(void)
{
    tn_modal *x = some_body(), *y = NULL;
    char *bytes = malloc(1 << 20);
    CHECK_OK(tn_modal_write(x, "whole.h5"));
    tn_modal_destroy(x);
    FILE *file = fopen("whole.h5", "rb");
    const size_t n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    for (size_t at = 0; at < n; at += n / 60 + 1) {
        bytes[at] = (char)~bytes[at];
        tn_test_write("damaged.h5", bytes, n);
        if (tn_modal_read("damaged.h5", &y) != TN_OK)
            CHECK(tn_test_says("damaged.h5: "));
        tn_modal_destroy(y);
        bytes[at] = (char)~bytes[at];
    }
    free(bytes);
}

static const tn_test tests[] = {
    {"what is written is read back", what_is_written_is_read_back},
    {"optional parts may be missing", optional_parts_may_be_missing},
    {"mass and centre are those of gram", mass_and_centre_are_those_of_gram},
    {"bad numbers are told", bad_numbers_are_told},
    {"other files are refused", other_files_are_refused},
    {"damaged files end in a sentence", damaged_files_end_in_a_sentence},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}

#else

int main(void)
{
    return 0;
}

#endif
