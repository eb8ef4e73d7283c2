// SPDX-License-Identifier: MIT
//
// Files of modal bodies, which a child process reads by HDF5, and results in HDF5, likewise.

#include "fuzz.h"

#include "base/alloc.h"
#include "io/hdf5_library.h"
#include "io/modal_file.h"
#include "io/result_file.h"

static void read_result(const char *path)
{
    tn_result_file *file = NULL;
    const tn_status status = tn_result_remote_open(path, &file);
    fuzz_check_status(status);
    if (status != TN_OK)
        return;
    tn_result_bytes texts = {0};
    tn_result_table time = {0};
    double first[3];
    fuzz_check_status(file->ops->list(file, TN_LIST_TEXTS, "names", &texts));
    const tn_status found = file->ops->table(file, "time", &time);
    fuzz_check_status(found);
    if (found == TN_OK && time.handle >= 0 && time.rows >= 3 && time.width == 1)
        fuzz_check_status(file->ops->read(file, &time, 0, 3, -1, first));
    tn_free(texts.at);
    file->ops->close(file);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

// Children find HDF5 loaded.
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return tn_library_need(&tn_hdf5_library) == TN_OK ? 0 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(".h5", data, size);
    tn_modal *modal = NULL;
    fuzz_check_status(tn_modal_read(path, &modal));
    tn_modal_destroy(modal);
    read_result(path);
    return 0;
}
