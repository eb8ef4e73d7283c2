// SPDX-License-Identifier: MIT
//
// Files of modal bodies, and results in HDF5. On damaged files HDF5 crashes, goes in circles, or
// sleeps between attempts at a file that another program seems to write. So a child reads them,
// which has little time for each and hands back where it ended. Some that it reads well go the way
// of the library, too.

#define _GNU_SOURCE // MAP_ANONYMOUS
#include "fuzz.h"

#include "base/alloc.h"
#include "base/child.h"
#include "file/data_file.h"
#include "file/hdf5_write.h"
#include "flex/modal.h"
#include "read/modal_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { MICROSECONDS = 100000, SOME = 64, AGE = 200 };

// Where reading ended, which libFuzzer takes as code that was reached.
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t ends[4096];

static struct answer {
    bool well;
    unsigned end[2]; // by body and result
} * answer;

static void read_result(tn_status status, tn_data_file *file)
{
    fuzz_check_status(status);
    if (status != TN_OK)
        return;
    tn_data_bytes texts = {0};
    tn_data_table time = {0};
    double first[3];
    fuzz_check_status(file->ops->list(file, TN_DATA_TEXTS, "names", &texts));
    const tn_status found = file->ops->table(file, "time", &time);
    fuzz_check_status(found);
    if (found == TN_OK && time.handle >= 0 && time.rows >= 3 && time.width == 1)
        fuzz_check_status(file->ops->read(file, &time, 0, 3, -1, first));
    tn_free(texts.at);
    file->ops->close(file);
}

// A number for the sentence, without its numbers.
static unsigned number_of_sentence(void)
{
    unsigned mark = 0;
    for (const char *c = tn_last_error(); *c; c++)
        if (*c < '0' || *c > '9')
            mark = 31 * mark + (unsigned char)*c;
    return mark % (unsigned)TN_COUNT(ends);
}

static void read_here(const char *path)
{
    tn_data_file *file = NULL;
    tn_modal *modal = NULL;
    tn_status status = tn_data_hdf5_open(path, false, &file);
    TN_THEN(status, tn_modal_take(file, &modal));
    answer->end[0] = number_of_sentence();
    fuzz_check_status(status);
    tn_modal_destroy(modal);
    if (file)
        file->ops->close(file);
    const tn_status opened = tn_data_hdf5_open(path, true, &file);
    answer->end[1] = number_of_sentence();
    answer->well = status == TN_OK || opened == TN_OK;
    read_result(opened, file);
}

// What HDF5 keeps of a file is lost with the child, which is why it does not grow old.
static void serve(int socket, void *path)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    const struct itimerval time = {.it_value = {.tv_usec = MICROSECONDS}};
    char byte;
    for (int i = 0; i < TN_COUNT(crashes); i++)
        signal(crashes[i], SIG_DFL); // those of HDF5 are none of the target
    while (tn_child_receive(socket, &byte, 1)) {
        setitimer(ITIMER_PROF, &time, NULL);
        read_here(path);
        tn_child_send(socket, &byte, 1);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv);

// Children find HDF5 loaded.
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    answer = mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return answer != MAP_FAILED && tn_library_need(&tn_hdf5_library) == TN_OK ? 0 : 1;
}

// False where HDF5 has crashed, or did not end in time.
static bool is_read(const char *path)
{
    static const tn_child_terms terms = {.who = "HDF5", .patience = 1.0};
    static tn_child child;
    static int age;
    char byte = 0;
    answer->well = false;
    if (++age > AGE)
        tn_child_end(&child, true, NULL, 0);
    if (child.pid == 0) {
        age = 0;
        if (tn_child_start(serve, (void *)path, &child) != TN_OK)
            abort();
    }
    if (!tn_child_send(child.socket, &byte, 1) || tn_child_await(&child, &terms) != TN_OK ||
        !tn_child_receive(child.socket, &byte, 1)) {
        tn_child_end(&child, true, NULL, 0);
        tn_clear_error();
        return false;
    }
    for (int i = 0; i < TN_COUNT(answer->end); i++)
        ends[answer->end[i]] = (uint8_t)(1 + i);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static long read;
    unlink(fuzz_name(".h5")); // HDF5 knows files by their number
    const char *path = fuzz_file(".h5", data, size);
    tn_modal *modal = NULL;
    tn_data_file *file = NULL;
    if (!is_read(path))
        return 0;
    if (!answer->well || read++ % SOME != 0)
        return 0;
    fuzz_check_status(tn_modal_read(path, &modal));
    tn_modal_destroy(modal);
    const tn_status status = tn_data_remote_open(path, true, &file);
    read_result(status, file);
    return 0;
}
