// SPDX-License-Identifier: MIT
//
// Tables of comma separated values as results, of which one row may be asked for.

#define FUZZ_WITHOUT_INTERFACE
#include "fuzz.h"

#include "base/alloc.h"
#include "result/result_file.h"

enum { MOST_NUMBERS = 4096 };

static void read_columns(tn_data_file *file)
{
    static double numbers[MOST_NUMBERS];
    tn_data_table table = {0};
    fuzz_check_status(file->ops->table(file, "columns", &table));
    if (table.handle < 0 || table.width <= 0 || table.width > MOST_NUMBERS)
        return;
    const long most = MOST_NUMBERS / table.width, n = table.rows < most ? table.rows : most;
    fuzz_check_status(file->ops->read(file, &table, table.rows - n, n, -1, numbers));
    fuzz_check_status(file->ops->read(file, &table, 0, n, table.width - 1, numbers));
}

static void read_result(const char *path)
{
    static const char *const lists[] = {"names", "units", "none"};
    tn_data_file *file = NULL;
    const tn_status status = tn_result_csv_open(path, &file);
    fuzz_check_status(status);
    if (status != TN_OK)
        return;
    for (int i = 0; i < TN_COUNT(lists); i++) {
        tn_data_bytes texts = {0};
        fuzz_check_status(file->ops->list(file, TN_DATA_TEXTS, lists[i], &texts));
        tn_free(texts.at);
    }
    read_columns(file);
    file->ops->close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(".csv", data, size);
    char rows[128];
    snprintf(rows, sizeof rows, "%s:case=a", path);
    read_result(path);
    read_result(rows);
    return 0;
}
